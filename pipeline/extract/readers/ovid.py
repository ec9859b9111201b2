"""Ovid text exports: `<1>`, then names of fields at the margin and indented values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Entry, Guess, Item, Reader
from pipeline.extract.fields import canonical_of

_RECORD = re.compile(r"^\s?<\s?\d+\s?>[^\S\n]*$|^\s?<\s?\d+\.\s?>[^\S\n]*$", re.M)
_NAME = re.compile(r"([A-Z][A-Za-z &/()-]{1,40}?)\.?\s*$")
_NAMES = {"source": "venue", "ovid full text": "", "uniqueidentifier": "source_id"}


def _sniff(content: Content) -> Guess | None:
    if "Abstract" not in content.sample or "<" not in content.sample[:200]:
        return None
    count = len(_RECORD.findall(content.sample))
    if not count or not re.search(r"^(?:Abstract|Title)[^\S\n]*$", content.sample, re.M):
        return None
    return Guess(92, f"{count} numbered Ovid records")


def _read(content: Content) -> Iterator[Item]:
    values: dict[str, list[str]] = {}
    name, start, end = "", -1, -1
    for line in content.lines():
        text = line.text.rstrip()
        if _RECORD.match(text):
            if values:
                yield _entry(values, start, end)
            values, name, start = {}, "", line.start
        elif text and not text.startswith((" ", "\t")) and (match := _NAME.fullmatch(text)):
            name = match[1]
        elif text.strip() and name and start >= 0:
            values.setdefault(name, []).append(text.strip())
            end = line.end
    if values:
        yield _entry(values, start, end)


def _entry(values: dict[str, list[str]], start: int, end: int) -> Entry:
    fields: dict[str, list[object]] = {}
    for name, lines in values.items():
        place = canonical_of(name)
        canonical = _NAMES.get(name.lower(), place[0] if place else "")
        if canonical and "abstract" not in canonical:
            fields.setdefault(canonical, []).append(
                list(lines) if canonical in {"authors", "keywords"} and len(lines) > 1 else " ".join(lines)
            )
    abstract = next((lines for name, lines in values.items() if name.lower().startswith("abstract")), None)
    return Entry("\n".join(abstract) if abstract else None, fields, start, end)


READER = Reader("ovid", _sniff, _read, ceiling=92)
