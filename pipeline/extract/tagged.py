"""Records of tagged lines (`AB  - text`): the common part of RIS, MEDLINE, Web of Science and Refer files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.extract.content import Content, Line
from pipeline.extract.entry import Broken, Entry, Item


@dataclass(slots=True)
class TaggedField:
    """A field: its text (continuation lines joined by line feeds) and its bytes, where it stands on one line."""

    tag: str
    lines: list[str]
    start: int
    end: int

    @property
    def text(self) -> str:
        """The value without surrounding white space."""
        return "\n".join(self.lines).strip()

    @property
    def is_one_line(self) -> bool:
        """True where the value stands verbatim in the file."""
        return len(self.lines) == 1


@dataclass(slots=True)
class TaggedRecord:
    """The fields of one record in order, and its bytes."""

    start: int
    end: int
    fields: list[TaggedField] = field(default_factory=list)
    is_closed: bool = False

    def values(self, *tags: str) -> list[str]:
        """The values of the tags, in the order in which the tags are named, empty ones left out."""
        return [f.text for tag in tags for f in self.fields if f.tag == tag and f.text]

    def add(self, tag: str, text: str, start: int, end: int) -> None:
        """A new field."""
        self.fields.append(TaggedField(tag, [text], start, end))
        self.end = end

    def extend(self, text: str, end: int) -> None:
        """A continuation of the last field; before the first field it is dropped."""
        if self.fields:
            self.fields[-1].lines.append(text)
            self.fields[-1].end = self.end = end


@dataclass(frozen=True, slots=True)
class TagFormat:
    """How the tags of a format look, which tags mean what, and what begins and ends a record."""

    tag: re.Pattern[str]
    abstracts: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    starts: frozenset[str]
    ends: frozenset[str] = frozenset()
    long_notes: tuple[str, ...] = ()


def split_lone_returns(lines: Iterable[Line], tag: re.Pattern[str]) -> Iterator[Line]:
    """Lines, cut also at a carriage return inside a line where a tag follows it."""
    for line in lines:
        text = line.text.rstrip("\r")
        if "\r" not in text:
            yield Line(text, line.start, line.end)
            continue
        start = line.start
        pieces: list[str] = []
        for piece in text.split("\r"):
            if pieces and not tag.match(piece):
                pieces[-1] += "\r" + piece
            else:
                pieces.append(piece)
        for piece in pieces:
            end = start + len(piece.encode("utf-8", "surrogateescape"))
            yield Line(piece, start, end)
            start = end + 1


def tagged_records(content: Content, style: TagFormat) -> Iterator[TaggedRecord]:
    """The records of a file. A record ends at its end tag, or where a start tag comes again."""
    record: TaggedRecord | None = None
    blank_before = False
    for line in split_lone_returns(content.lines(), style.tag):
        text = line.text.lstrip("\ufeff")
        match = style.tag.match(text)
        if match is None:
            blank = not text.strip()
            if record is not None and (not blank or not style.starts <= {"PMID"}):
                record.extend(text.strip() if not blank else "", line.end)
            blank_before = blank_before or blank
            continue
        tag = match[1].strip().upper()
        if record is None or (tag in style.starts and _begins_anew(record, tag, blank_before)):
            if record is not None:
                yield record
            record = TaggedRecord(line.start, line.end)
        blank_before = False
        if tag in style.ends:
            record.end, record.is_closed = line.end, True
            yield record
            record = None
            continue
        record.add(
            tag,
            text[match.end() :].strip(),
            line.end - len(text[match.end() :].lstrip().encode("utf-8", "surrogateescape")),
            line.end,
        )
    if record is not None:
        yield record


def _begins_anew(record: TaggedRecord, tag: str, blank_before: bool) -> bool:
    """True where a start tag opens a new record: the tag was there already, or a blank line parts them."""
    return blank_before or any(f.tag == tag for f in record.fields)


def tagged_items(content: Content, style: TagFormat, min_fields: int = 2) -> Iterator[Item]:
    """The entries of a tagged file."""
    limit = content.options.max_record_bytes
    content.columns = {"abstract": style.abstracts, **{name: tags for name, tags in style.columns.items() if tags}}
    for record in tagged_records(content, style):
        if len([f for f in record.fields if f.text]) < min_fields:
            continue
        if record.end - record.start > limit:
            yield Broken(
                "record_too_large",
                "a record beyond the limit, perhaps for want of its end tag: correct it, or raise max_record_bytes",
                None,
                record.start,
                record.end,
            )
            continue
        yield entry_of_tagged(record, style)


def entry_of_tagged(record: TaggedRecord, style: TagFormat) -> Entry:
    """The entry that a record is: the abstract from the first tag that holds one, or from a long note."""
    fields = {
        name: list[object](values) for name, tags in style.columns.items() if (values := _column(record, name, tags))
    }
    chosen = next(
        (f for tag in style.abstracts for f in _merged(record, tag) if f.text and f.text.upper() not in {"NA", "N/A"}),
        None,
    )
    if chosen is None:
        notes = (f for tag in style.long_notes for f in record.fields if f.tag == tag)
        chosen = next((f for f in notes if len(f.text) >= 250 and f.text.count(" ") >= 30), None)
    if chosen is None:
        return Entry(next(iter(record.values(*style.abstracts)), None), fields, record.start, record.end)
    if chosen.is_one_line:
        return Entry(chosen.text, fields, chosen.start, chosen.end)
    return Entry(chosen.text, fields, record.start, record.end)


def _merged(record: TaggedRecord, tag: str) -> list[TaggedField]:
    """The field of a tag; fields that come several times (a section each) are one."""
    found = [f for f in record.fields if f.tag == tag and f.text]
    if len(found) < 2:
        return found
    distinct = list(dict.fromkeys(f.text for f in found))
    if len(distinct) == 1:
        return found[:1]
    return [TaggedField(tag, distinct, found[0].start, found[-1].end)]


def _column(record: TaggedRecord, name: str, tags: Sequence[str]) -> list[object]:
    """Candidate values: people and keywords of the first tag that has any are one list; else each value is one."""
    if name in {"authors", "keywords"}:
        for tag in tags:
            values = [line.strip() for f in record.fields if f.tag == tag for line in f.lines if line.strip()]
            if values:
                return [values if len(values) > 1 or name == "authors" else values[0]]
        return []
    return list(record.values(*tags))
