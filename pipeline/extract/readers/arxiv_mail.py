r"""arXiv listing mails: records between dashed lines, header and abstract between lines that begin with `\\`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content, Line
from pipeline.extract.entry import Entry, Guess, Item, Reader

_ID = re.compile(r"^(?:arXiv:|Paper(?: \(\*cross-listing\*\))?:\s*)(\S+)", re.M)
_MARK = re.compile(r"^\\\\[^\S\n]*$|^\\\\ \(", re.M)
_HEADER = re.compile(r"([A-Z][\w-]{1,20}(?: \([^)]*\))?):\s*(.*)")
_DASHES = re.compile(r"-{20,}+\s*+$|%%%.*%---|%%--")
_COLUMNS = {
    "title": "title",
    "authors": "authors",
    "author": "authors",
    "categories": "keywords",
    "journal-ref": "venue",
    "doi": "doi",
    "date": "year",
    "license": "licence",
}


def _sniff(content: Content) -> Guess | None:
    if "\\\\" not in content.sample:
        return None
    ids, marks = len(_ID.findall(content.sample)), len(_MARK.findall(content.sample))
    return Guess(93, f"{ids} records of an arXiv mail between \\\\ lines") if ids and marks >= 2 else None


def _read(content: Content) -> Iterator[Item]:
    header: list[Line] = []
    body: list[Line] = []
    state = "outside"
    for line in content.lines():
        text = line.text.rstrip()
        if _DASHES.match(text):
            yield from _item(header, body)
            header, body, state = [], [], "outside"
        elif text.startswith("\\\\"):
            state = {"outside": "header", "header": "body"}.get(state, "after")
            if text.startswith("\\\\ (") and state in {"body", "after"}:
                state = "after"
        elif state == "header":
            header.append(line)
        elif state == "body":
            body.append(line)
    yield from _item(header, body)


def _item(header: list[Line], body: list[Line]) -> Iterator[Item]:
    """The entry of one record; a replacement without abstract is an entry without one."""
    if not any(_ID.match(line.text) for line in header):
        return
    while body and not body[-1].text.strip():
        body.pop()
    while body and not body[0].text.strip():
        body.pop(0)
    fields = _fields(header)
    if not body:
        yield Entry(None, fields)
        return
    yield Entry("\n".join(line.text for line in body).rstrip(), fields, body[0].start, body[-1].end)


def _fields(header: list[Line]) -> dict[str, list[object]]:
    fields: dict[str, list[object]] = {}
    last: list[object] | None = None
    for line in header:
        text = line.text.rstrip()
        if match := _ID.match(text):
            fields["arxiv_id"] = fields["source_id"] = [match[1]]
        elif (match := _HEADER.match(text)) and not text.startswith(" "):
            name = _COLUMNS.get(match[1].split(" ")[0].lower())
            last = fields.setdefault(name, []) if name else None
            if last is not None:
                last.append(match[2])
        elif text.startswith(" ") and last:
            last[-1] = f"{last[-1]} {text.strip()}"
    return fields


READER = Reader("arxiv-mail", _sniff, _read, ceiling=93)
