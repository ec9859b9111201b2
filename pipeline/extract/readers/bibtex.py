"""BibTeX and BibLaTeX: nested braces, quotes, string macros, concatenation. An entry that is broken costs only itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content, Line
from pipeline.extract.entry import Broken, Entry, Guess, Item, Reader
from pipeline.extract.fields import resolve_names
from pipeline.extract.people import split_bibtex_people

_ENTRY = re.compile(r"^[\s\ufeff,}]*@\s*([A-Za-z]+)\s*([{(])")
_SNIFF = re.compile(
    r"^[ \t\ufeff]*@\s*(?:article|in\w+|book\w*|proceedings|misc|phdthesis|mastersthesis|\w*thesis|tech\w*|unpublished|online|report|conference|manual|preprint|software|dataset|string|comment|preamble|patent|periodical|electronic|www)\s*[{(]",
    re.I | re.M,
)
_FIELD_LINE = re.compile(r"\s*[A-Za-z_][\w-]*\s*=\s*[{\"\d]")
_KEY = re.compile(r"\s*+([^,={}\s]*+)\s*+,")
_NAME = re.compile(r"[\s,]*([A-Za-z_][\w:.+-]*)\s*=\s*")
_BARE = re.compile(r"[^\s,{}\"#]+")
_SPACE = re.compile(r"\s+")
_CASE_BRACES = re.compile(r"\{([^{}\\$]*)\}")
_MONTHS = {
    name: name.capitalize()
    for name in ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
}


def _sniff(content: Content) -> Guess | None:
    if "@" not in content.sample:
        return None
    count = len(_SNIFF.findall(content.sample))
    if not count:
        return None
    lines = content.sample.count("\n") + 1
    return Guess(
        92 if count > 1 or lines < 60 or _SNIFF.match(content.sample.lstrip("\ufeff\n\r\t ")) else 40,
        f"{count} entries begin with @type{{",
    )


def _read(content: Content) -> Iterator[Item]:
    macros: dict[str, str] = dict(_MONTHS)
    for kind, text, start, end in _entries(content):
        if kind == "string":
            for name, value in _fields(text[text.index(text[_open(text)]) + 1 :], macros):
                macros[name] = value
        elif kind not in {"comment", "preamble"}:
            yield from _item(text, start, end, macros, content.options.max_record_bytes)


def _open(text: str) -> int:
    return min(index for index in (text.find("{"), text.find("(")) if index >= 0)


def _entries(content: Content) -> Iterator[tuple[str, str, int, int]]:
    """Kind, text and bytes of each entry: from its `@` to where its braces close, or to the next line that begins one.

    Where a field follows although the braces have closed (one too many in a value), the entry goes on.
    """
    lines: list[Line] = []
    kind, depth, is_closed = "", 0, True
    for line in content.lines():
        match = _ENTRY.match(line.text)
        if match and (is_closed or depth <= 0 or _looks_new(line.text)):
            if lines:
                yield _packed(kind, lines)
            lines, kind, depth, is_closed = [], match[1].lower(), 0, False
        elif not lines or (is_closed and not _FIELD_LINE.match(line.text)):
            continue
        lines.append(line)
        depth += _depth_change(line.text)
        is_closed = depth <= 0 and (lines[0].text.find("(") != _open(lines[0].text) or line.text.rstrip().endswith(")"))
    if lines:
        yield _packed(kind, lines)


def _looks_new(text: str) -> bool:
    """True for a line that begins an entry although braces are open: `@article{key,` at the left margin."""
    return re.match(r"@[A-Za-z]+\s*\{\s*[^\s,{}]*\s*,\s*$", text.rstrip("\r")) is not None


def _depth_change(text: str) -> int:
    if "\\" in text:
        text = re.sub(r"\\[{}\\]", "", text)
    return text.count("{") - text.count("}")


def _packed(kind: str, lines: list[Line]) -> tuple[str, str, int, int]:
    return kind, "\n".join(line.text for line in lines), lines[0].start, lines[-1].end


def _item(text: str, start: int, end: int, macros: dict[str, str], limit: int) -> Iterator[Item]:
    body = text[_open(text) + 1 :]
    key = _KEY.match(body)
    found: dict[str, str] = {}
    for name, value in _fields(body[key.end() :] if key else body, macros):
        if value.strip() and not found.get(name):
            found[name] = value
    if end - start > limit:
        yield Broken(
            "record_too_large",
            "an entry beyond the limit, perhaps for want of a closing brace: correct it, or raise max_record_bytes",
            text[:1000],
            start,
            end,
        )
        return
    if not found and not key:
        yield Broken("broken_bibtex", "an entry without fields: check its braces and commas", text[:65536], start, end)
        return
    names = resolve_names(tuple(found))
    abstract = next(
        (
            found[name]
            for name in (*names.get("abstract", ()), *(n for n in ("summary", "annote") if len(found.get(n, "")) > 150))
        ),
        None,
    )
    if _depth_change(text) > 0 and re.search(r"^[^\S\n]*abstract\s*=", text, re.M | re.I):
        yield Broken(
            "broken_bibtex",
            "the braces of the entry do not close, so its abstract cannot be told from what follows: correct them",
            text[:65536],
            start,
            end,
        )
        return
    yield Entry(abstract, _metadata(found, key[1] if key else ""), start, end)


def _metadata(found: dict[str, str], key: str) -> dict[str, list[object]]:
    fields: dict[str, list[object]] = {
        name: [_plain(found[n]) for n in names]
        for name, names in resolve_names(tuple(found)).items()
        if name in {"title", "venue", "year", "doi", "source_url", "licence", "keywords"}
    }
    if people := found.get("author") or found.get("editor"):
        fields["authors"] = [list(split_bibtex_people(people))]
    prefix = (
        found.get("archiveprefix", "")
        + found.get("eprinttype", "")
        + found.get("journal", "")
        + found.get("archive", "")
    ).lower()
    if "eprint" in found and (
        "arxiv" in prefix or re.fullmatch(r"(?:arxiv:)?\d{4}\.\d{4,5}(?:v\d+)?", found["eprint"].strip(), re.I)
    ):
        fields["arxiv_id"] = [found["eprint"]]
    elif match := re.search(
        r"arXiv[:\s]+\S+", " ".join(found.get(n, "") for n in ("journal", "note", "number", "howpublished", "volume"))
    ):
        fields["arxiv_id"] = [match[0]]
    if "doi" not in fields and "doi.org/" in found.get("url", ""):
        fields["doi"] = [found["url"]]
    ids = [found[n] for n in ("pmid", "acl_id", "unique-id", "uniqueid") if n in found]
    fields["source_id"] = [*ids, *([key] if key else [])]
    return fields


def _plain(value: str) -> str:
    """The value on one line without the braces that protect upper case; LaTeX stays."""
    text = _SPACE.sub(" ", value).strip()
    while (shorter := _CASE_BRACES.sub(r"\1", text)) != text:
        text = shorter
    return text


def _fields(body: str, macros: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Names and values; a value is a chain of braced, quoted, bare and macro parts joined by `#`."""
    position = 0
    while match := _NAME.search(body, position):
        between = body[position : match.start()]
        if position and between.strip(" \t\r\n,}"):
            match = _NAME.search(body, position)
            if match is None:
                return
        parts, position = _value(body, match.end(), macros)
        yield match[1].lower(), parts
    return


#: Characters that the macros of one value may stand for; macros made of macros double with each (`@string{b = a # a}`).
_MOST_EXPANDED = 20_000


def _value(body: str, position: int, macros: dict[str, str]) -> tuple[str, int]:
    parts: list[str] = []
    room = _MOST_EXPANDED
    while position < len(body):
        if body[position] == "{":
            end = _closing(body, position)
            parts.append(body[position + 1 : end])
            position = end + 1
        elif body[position] == '"':
            end = _closing_quote(body, position + 1)
            parts.append(body[position + 1 : end])
            position = end + 1
        elif bare := _BARE.match(body, position):
            text = macros.get(bare[0].lower(), bare[0])
            room -= len(text)
            parts.append(text if room >= 0 else bare[0])
            position = bare.end()
        else:
            break
        joined = re.compile(r"\s*#\s*").match(body, position)
        if joined is None:
            break
        position = joined.end()
    return "".join(parts), position


def _closing(body: str, start: int) -> int:
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.S).finditer(body, start):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return match.start()
    return len(body)


def _closing_quote(body: str, start: int) -> int:
    """The quote that ends a value: outside braces, not escaped, and followed by what may follow a value."""
    depth = 0
    for match in re.compile(r"\\.|[{}\"]", re.S).finditer(body, start):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
        elif (
            match[0] == '"'
            and depth <= 0
            and re.compile(r"\s*(?:[,#})]|$|\n\s*[A-Za-z_]+\s*=)").match(body, match.end())
        ):
            return match.start()
    return len(body)


READER = Reader("bibtex", _sniff, _read, ceiling=92)
