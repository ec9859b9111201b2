"""From the values that a source holds to the metadata columns of a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypedDict, TypeVar

from pipeline.extract.identifiers import find_arxiv, find_year, is_doi_url, normalise_doi, split_arxiv
from pipeline.extract.people import split_keywords, split_people
from pipeline.extract.tex_letters import plain_letters

T = TypeVar("T")
Values = Mapping[str, Sequence[object]]

_SPACE = re.compile(r"\s+")
_VERSION = re.compile(r"v?(\d{1,3})")
_NULLS = frozenset({"", "null", "none", "nan", "na", "n/a", "#n/a", "-", "undefined", "nil"})
_TEXT_KEYS = (
    "value",
    "#text",
    "_",
    "text",
    "en",
    "eng",
    "name",
    "display_name",
    "displayName",
    "title",
    "full_name",
    "url",
    "URL",
    "href",
    "content-version",
)
_URL = re.compile(r"^(?:https?|ftp)://\S+$", re.I)
_BARE_HOST = re.compile(
    r"^(?:www\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:org|com|net|edu|io|ai|dev|gov|info|de|uk|fr|jp|cn|ca|eu|nl|ch|se|it|es)/\S*$",
    re.I,
)
_MARKDOWN_LINK = re.compile(r"\]\((https?://[^)\s]+)\)")
_INLINE_TAG = re.compile(
    r"</?(?:i|b|em|strong|sub|sup|u|tt|sc|small|span|scp|italic|bold|jats:\w+|fixed-case)(?:\s[^<>]{0,200})?/?>", re.I
)


class Metadata(TypedDict, total=False):
    """The keyword arguments of `RawRecord` that describe the paper."""

    source_id: str | None
    title: str | None
    venue: str | None
    doi: str | None
    arxiv_id: str | None
    arxiv_version: int | None
    source_url: str | None
    licence: str | None
    year: int | None
    authors: tuple[str, ...]
    keywords: tuple[str, ...]


def build_metadata(values: Values) -> Metadata:
    """The metadata columns from candidate values per field, best first. Nothing is guessed: what the source lacks stays out."""
    found: Metadata = {}
    for name in ("title", "venue", "licence"):
        if name in values and (text := first_text(values[name])) is not None:
            found[name] = plain_letters(_INLINE_TAG.sub("", text) if "<" in text else text)
    if "authors" in values:
        found["authors"] = tuple(map(plain_letters, _first(split_people, values["authors"]) or ()))
    if "keywords" in values:
        found["keywords"] = tuple(map(plain_letters, _first(split_keywords, values["keywords"]) or ()))
    if "year" in values:
        found["year"] = _first(_year_of, values["year"])
    _add_identifiers(found, values)
    return found


def _first(read: Callable[[object], T | None], values: Sequence[object]) -> T | None:
    """What the first value gives that gives anything."""
    for value in values:
        if result := read(value):
            return result
    return None


def _texts(values: Sequence[object]) -> list[str]:
    return [text for value in values if (text := text_of(value)) is not None]


def _add_identifiers(found: Metadata, values: Values) -> None:
    urls = [url for value in values["source_url"] for url in _urls(value)] if "source_url" in values else []
    ids = _texts(values["source_id"]) if "source_id" in values else []
    dois = _texts(values["doi"]) if "doi" in values else []
    if urls:
        found["source_url"] = urls[0]
    elif url := next((i for i in ids if _URL.match(i)), None):
        found["source_url"] = url
    if ids:
        found["source_id"] = ids[0][:512]
    doi = _first(normalise_doi, dois) or _first(
        normalise_doi, [t for t in (*urls, *ids) if is_doi_url(t) or t.startswith(("10.", "doi:", "DOI:"))]
    )
    if doi:
        found["doi"] = doi
    arxiv = _first(_stated_arxiv, values["arxiv_id"]) if "arxiv_id" in values else None
    if arxiv is None or arxiv[1] is None:
        elsewhere = find_arxiv((*ids, *urls, *dois))
        if elsewhere is not None and (arxiv is None or elsewhere[0] == arxiv[0]):
            arxiv = elsewhere
    if arxiv is not None:
        found["arxiv_id"], version = arxiv
        if version is None:
            version = _version(
                [*values.get("arxiv_version", ()), *(v for v in values.get("year", ()) if isinstance(v, list))]
            )
        found["arxiv_version"] = version


def _stated_arxiv(value: object) -> tuple[str, int | None] | None:
    text = text_of(value)
    return split_arxiv(text, is_arxiv_field=True) if text else None


def _version(values: Sequence[object]) -> int | None:
    for value in values:
        if isinstance(value, list) and value and isinstance(value[-1], dict):
            value = value[-1].get("version")
        if (text := text_of(value)) is not None and (match := _VERSION.fullmatch(text)):
            return int(match[1])
    return None


def _year_of(value: object) -> int | None:
    if type(value) is str:
        return find_year(value)
    while isinstance(value, list | tuple | dict) and value:
        if isinstance(value, dict):
            value = next(
                (value[key] for key in ("date-parts", "year", "value", "start", "created", "$date") if key in value),
                None,
            )
        else:
            value = value[0]
    return find_year(value)


def _urls(value: object) -> list[str]:
    """Absolute URLs in a field: text, lists of text, lists of `{"URL": …}`; a host without scheme gets `https://`."""
    if type(value) is str and value.startswith(("http://", "https://")) and value.isprintable() and " " not in value:
        return [value.rstrip(";,")]
    if isinstance(value, list | tuple):
        return [url for part in value[:50] for url in _urls(part)]
    if isinstance(value, dict):
        inner = next(
            (
                value[k]
                for k in ("url", "URL", "href", "value", "landing_page_url", "link", "@href", "primary")
                if isinstance(value.get(k), str | dict)
            ),
            None,
        )
        return _urls(inner) if inner is not None else []
    if not isinstance(value, str):
        return []
    found = []
    for text in value.split() or [""]:
        if link := _MARKDOWN_LINK.search(text):
            found.append(link[1])
        elif _URL.match(text):
            found.append(text.rstrip(";,"))
        elif _BARE_HOST.match(text):
            found.append("https://" + text)
    return found


def text_of(value: object) -> str | None:
    """A value as one line of text: white space collapsed; numbers as written; of lists and objects the first text."""
    if type(value) is str:
        text = (value if "  " not in value and value.isprintable() else _SPACE.sub(" ", value)).strip()
        return None if len(text) < 10 and text.lower() in _NULLS else text
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return (
            None
            if value != value
            else str(int(value))
            if float(value).is_integer() and abs(value) < 1e18
            else str(value)
        )
    parts: Iterable[object] = ()
    if isinstance(value, list | tuple):
        parts = value
    elif isinstance(value, dict):
        parts = (value.get(key) for key in _TEXT_KEYS)
    return next((found for part in parts if (found := text_of(part)) is not None), None)


def first_text(values: Sequence[object]) -> str | None:
    """The first of the values that holds text."""
    for value in values:
        if (text := text_of(value)) is not None:
            return text
    return None
