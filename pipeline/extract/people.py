"""Lists of names and keywords from the many ways sources write them. Names stay as written; only the list is taken apart."""

from __future__ import annotations

import re
from functools import lru_cache

_INITIALS = re.compile(r"^(?:[^\W\d_]\.?[\s-]?){1,4}$")
_SUFFIX = re.compile(r"^(?:Jr|Sr|II|III|IV|MD|PhD|M\.D|Ph\.D)\.?$", re.I)
_SPACE = re.compile(r"\s+")
_NAME_KEYS = (
    "name",
    "full_name",
    "fullname",
    "fullName",
    "display_name",
    "displayName",
    "literal",
    "raw_author_name",
    "author_name",
    "value",
    "preferred_name",
    "creatorName",
    "#text",
)
_PAIR_KEYS = (
    ("given", "family"),
    ("first", "last"),
    ("first_name", "last_name"),
    ("firstName", "lastName"),
    ("firstname", "lastname"),
    ("forenames", "keyname"),
    ("forename", "surname"),
    ("given_name", "family_name"),
    ("givenName", "familyName"),
    ("given-names", "surname"),
    ("ForeName", "LastName"),
    ("Initials", "LastName"),
    ("first", "family"),
)
_ARXIV_CATEGORIES = re.compile(
    r"(?:\s*(?:astro-ph|cond-mat|gr-qc|hep-(?:ex|lat|ph|th)|math-ph|math|nlin|nucl-(?:ex|th)|physics|quant-ph|cs|q-bio|q-fin|stat|econ|eess|cmp-lg)(?:\.[A-Za-z-]{2,18})?)+\s*"
)
_NO_NAMES = frozenset({"", "and", "et al", "et al.", "others", "null", "none", "nan", "na", "n/a"})
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|[a-zA-Z]{2,8})$")


def split_people(value: object) -> tuple[str, ...]:
    """Author names in order, from text, lists of text, or lists of objects; doubled names and empty ones dropped.

    >>> split_people("Alia Abbara|Florent Krzakala"), split_people("Smith, J., Doe, K. L.")
    (('Alia Abbara', 'Florent Krzakala'), ('Smith, J.', 'Doe, K. L.'))
    """
    if isinstance(value, str):
        return _tidy(_split_names(value))
    if isinstance(value, list | tuple):
        if len(value) == 1 and isinstance(value[0], str):
            return _tidy(_split_names(value[0]))
        names: list[str] = []
        for part in value:
            names += [part] if isinstance(part, str) else _object_names(part)
        return _tidy(names)
    if isinstance(value, dict) and isinstance(value.get("value"), list | tuple | str):
        return split_people(value["value"])
    return _tidy(_object_names(value))


def _tidy(names: list[str]) -> tuple[str, ...]:
    seen: dict[str, None] = {}
    for name in names:
        if tidy := _tidy_name(name):
            seen[tidy] = None
    return tuple(seen)


@lru_cache(maxsize=65536)
def _tidy_name(name: str) -> str:
    """The name on one line without separators around it; empty for what is no name."""
    if "<" in name:
        name = re.sub(r"<[^<>]*>", "", name)
    tidy = re.sub(r"\s+et\.?\s?al\.?$", "", _SPACE.sub(" ", name).strip(" ;|\t"))
    tidy = re.sub(r",\s*(?:null|None)?\s*$", "", tidy)
    return "" if tidy.lower() in _NO_NAMES else tidy


def _object_names(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list | tuple):
        parts = [str(part) for part in value if isinstance(part, str) and part]
        return [f"{parts[0]}, {parts[1]}" if len(parts) > 1 else parts[0]] if parts else []
    if not isinstance(value, dict):
        return []
    for given, family in _PAIR_KEYS:
        if isinstance(value.get(family), str) and value[family]:
            first = value.get(given)
            return [f"{first} {value[family]}" if isinstance(first, str) and first else str(value[family])]
    named = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if named is not None:
        return [named]
    inner = next(
        (value[key] for key in ("author", "person", "profile", "name") if isinstance(value.get(key), dict)), None
    )
    if inner is not None:
        return _object_names(inner)
    if value and all(isinstance(part, str) for part in value.values()):
        return [str(part) for part in value.values()][:1]
    return [name for part in value.values() if isinstance(part, dict) for name in _object_names(part)]


def _split_names(text: str) -> list[str]:
    text = text.strip()
    if text[:1] in "[(" and text[-1:] in "])":
        text = re.sub(r"^\[|\]$|(?<![\w])['\"]|['\"](?![\w])", "", text)
    for mark in ("|", ";", "\n"):
        if mark in text:
            parts = _rejoin_entities(text.split(mark)) if mark == ";" else text.split(mark)
            if mark != "\n" or sum("," in part for part in parts) <= len(parts):
                kept = [part for part in parts if part.strip()]
                if len(kept) > 1 or mark != "\n":
                    return [name.strip(" ,") for name in kept]
    text = _SPACE.sub(" ", text)
    parts = re.split(r"(?:,\s*)?\s(?:and|&)\s", text)
    names: list[str] = []
    for part in parts:
        names += _split_commas(part, len(parts) > 1)
    return names


def _rejoin_entities(parts: list[str]) -> list[str]:
    joined: list[str] = []
    for part in parts:
        if joined and _ENTITY.search(joined[-1]):
            joined[-1] += ";" + part
        else:
            joined.append(part)
    return joined


def _split_commas(text: str, has_and: bool) -> list[str]:
    """One name `Last, First`, or several names, by what stands between the commas."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) < 2:
        return parts
    pairs = [f"{a}, {b}" for a, b in zip(parts[::2], parts[1::2], strict=False)]
    if len(parts) % 2 == 0:
        if all(_is_initials(part) for part in parts[1::2]) and not all(_is_initials(part) for part in parts[::2]):
            return pairs
        if not any(" " in part for part in parts):
            return pairs
    if len(parts) == 2 and (" " not in parts[0] or (" " not in parts[1] and has_and) or _SUFFIX.match(parts[1])):
        return pairs
    return [", ".join(parts)] if len(parts) == 3 and has_and and _SUFFIX.match(parts[1]) else parts


def _is_initials(text: str) -> bool:
    return text == text.upper() and _INITIALS.match(text) is not None


def split_bibtex_people(text: str) -> tuple[str, ...]:
    """Names of a BibTeX field: split at `and` outside braces, nothing else."""
    names, depth, start = [], 0, 0
    flat = _SPACE.sub(" ", text)
    for match in re.finditer(r"[{}]| and ", flat):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
        elif depth <= 0 and match.start() >= start:
            names.append(flat[start : match.start()])
            start = match.end()
    return _tidy([*names, flat[start:]])


def split_keywords(value: object) -> tuple[str, ...]:
    """Keywords in order, from a list or from text with the separator that it uses: `;`, `|`, line ends, or `,`."""
    if isinstance(value, str):
        mark = next((m for m in ("|", ";", "\n", ",") if m in value), None)
        parts: list[object] = list(value.split(mark)) if mark else [value]
        if mark is None and _ARXIV_CATEGORIES.fullmatch(value):
            parts = list(value.split())
    elif isinstance(value, list | tuple):
        parts = list(value)
    elif isinstance(value, dict) and isinstance(value.get("value"), list | str):
        return split_keywords(value["value"])
    elif isinstance(value, dict):
        parts = list(value.values()) if not any(k in value for k in ("name", "display_name", "term")) else [value]
    else:
        return ()
    seen: dict[str, None] = {}
    for part in parts:
        if isinstance(part, dict):
            part = next(
                (
                    part[k]
                    for k in ("display_name", "displayName", "name", "keyword", "term", "@term", "category", "label")
                    if isinstance(part.get(k), str)
                ),
                "",
            )
        if isinstance(part, str) and (word := _tidy_word(part)):
            seen[word] = None
    return tuple(seen)


@lru_cache(maxsize=65536)
def _tidy_word(text: str) -> str:
    word = _SPACE.sub(" ", text).strip(" .;,")
    return "" if word.lower() in _NO_NAMES else word
