"""JSON documents: arrays, objects by id, nested lists of papers, columns, several documents in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from json import JSONDecodeError

from pipeline.extract.content import Content
from pipeline.extract.entry import Broken, Entry, Guess, Item, Reader
from pipeline.extract.jsonstream import WINDOW, Cursor
from pipeline.extract.objects import (
    as_columns,
    canonical_free,
    entry_of,
    find_entries,
    holds_columns,
    inner_entries,
    is_bare_abstract,
    is_keyed_abstract,
    is_paper,
    key_fields,
    mapped_entry,
    plan_for,
)

_ASSIGNMENT = re.compile(
    r"\s*(?:(?:export\s+default|module\.exports\s*=|(?:var|let|const)\s+[\w$.]+\s*=|window\.[\w$.]+\s*=|[\w$]+\s*=|[\w$]+\()\s*)(?=[\[{])"
)
_START = re.compile(r"\s*+(?:\{\s*+(?:\"|\})|\[\s*+[\[{\"\]])")
_KEYED_SAMPLE = 5


def _sniff(content: Content) -> Guess | None:
    sample = content.sample.lstrip("\ufeff \t\r\n")
    assignment = _ASSIGNMENT.match(sample[:500])
    body = sample[assignment.end() :] if assignment else sample
    if not _START.match(body[:4096]):
        return None
    if body.startswith("[") and not re.match(r"\[\s*(?:[\[{]|\"(?:[^\"\\]|\\.){0,100000}\"\s*[,\]])", body):
        return None
    return Guess(80, "begins as JSON" + (" assigned to a variable" if assignment else ""))


def _read(content: Content) -> Iterator[Item]:
    cursor = Cursor(content)
    cursor.peek()
    if assignment := _ASSIGNMENT.match(cursor.buffer[:500], cursor.position):
        cursor.position = assignment.end()
    walker = _Walker(cursor, content.mapping, content.options.max_nesting)
    while cursor.peek() in ("{", "["):
        for item in walker.walk(0):
            content.columns = walker.columns
            yield item
        if walker.is_lost:
            return
        while cursor.peek() in (",", ";", ")"):
            cursor.position += 1
    if cursor.peek():
        start = cursor.byte_at(cursor.position)
        yield Broken(
            "broken_json",
            f"text that is no JSON from byte {start:,} on: correct it, or cut it off",
            cursor.buffer[cursor.position : cursor.position + 1000],
            start,
            whole_file=True,
        )


class _Walker:
    """Goes down to the entries. An object that fits the window is decoded once; a larger one is entered member by member."""

    def __init__(self, cursor: Cursor, mapping: Mapping[str, str], max_nesting: int) -> None:
        self.cursor = cursor
        self.columns: dict[str, tuple[str, ...]] = {}
        self.mapping = mapping
        self.max_nesting = max_nesting
        self.is_lost = False

    def walk(self, depth: int, key: str = "") -> Iterator[Item]:
        """The items in the value at the cursor."""
        if depth > self.max_nesting:
            raise RecursionError
        self.cursor.trim()
        first = self.cursor.peek()
        start = self.cursor.position
        try:
            if first == "[":
                yield from self._array(depth)
            elif first == "{":
                yield from self._object(depth, key)
            else:
                yield from self._scalar()
        except (JSONDecodeError, RecursionError) as error:
            yield self._lost(start, error)

    def _lost(self, start: int, error: Exception) -> Broken:
        cursor = self.cursor
        reached = start + 1 if not isinstance(error, JSONDecodeError) else max(error.pos, start + 1)
        begin = cursor.byte_at(start)
        raw = cursor.buffer[start : min(start + 65536, max(reached + 200, start + 200))]
        self.is_lost = not cursor.resynchronise(min(reached, len(cursor.buffer)))
        end = cursor.byte_at(len(cursor.buffer) if self.is_lost else cursor.position)
        if isinstance(error, RecursionError):
            return Broken("nested_too_deep", "nested beyond the limit: flatten the data", raw, begin, end)
        rest = "nothing after it could be read" if self.is_lost else "reading went on after it"
        return (
            Broken(
                "broken_json",
                f"{error.msg} near byte {begin + max(reached - start, 0):,}, {rest}: correct the JSON there, or fetch the file again",
                raw,
                begin,
                end,
            )
            if isinstance(error, JSONDecodeError)
            else Broken("broken_json", "", raw)
        )

    def _array(self, depth: int) -> Iterator[Item]:
        cursor = self.cursor
        table = self._table() if depth < 4 else None
        if table is not None:
            yield from table
            return
        cursor.position += 1
        while not self.is_lost:
            mark = cursor.peek()
            if mark == ",":
                cursor.position += 1
            elif mark == "]":
                cursor.position += 1
                return
            elif mark == "":
                raise JSONDecodeError("the file ends inside a list", cursor.buffer, len(cursor.buffer))
            else:
                yield from self.walk(depth + 1)

    def _table(self) -> list[Item] | None:
        """A list of lists under a row of names is decoded whole."""
        cursor = self.cursor
        if not re.match(r"\[\s*\[", cursor.buffer[cursor.position : cursor.position + 200]):
            return None
        start = cursor.position
        decoded = cursor.decode(WINDOW)
        if decoded is None or not (entries := list(find_entries(decoded[0], 3))):
            cursor.position = start
            return None
        return list(entries)

    def _scalar(self) -> Iterator[Item]:
        cursor = self.cursor
        decoded = cursor.decode()
        if decoded is None:
            raise JSONDecodeError("a text beyond the limit", cursor.buffer, cursor.position)
        value, start, end = decoded
        if isinstance(value, str) and is_bare_abstract(value):
            yield Entry(value, {}, cursor.byte_at(start), cursor.byte_at(end))

    def _object(self, depth: int, key: str) -> Iterator[Item]:
        cursor = self.cursor
        start = cursor.position
        try:
            decoded = cursor.decode(WINDOW)
        except JSONDecodeError as error:
            # What is broken may be one of many records in it; members that are no objects are of no use then.
            if re.compile(r"[\[{]").search(cursor.buffer, start + 1, error.pos) is None:
                raise
            cursor.position = start
            yield from self._members(depth, {"": ""})
            return
        if decoded is None:
            yield from self._members(depth, {})
            return
        value, start, end = decoded
        assert isinstance(value, dict)
        entry = mapped_entry(value, self.mapping) if self.mapping else None if holds_columns(value) else entry_of(value)
        columns = as_columns(value)
        if entry is not None and entry.abstract and not columns:
            self.columns = self.columns or dict(plan_for(value))
            yield self._placed(entry, start, end, key)
            yield from (self._placed(inner, start, end, "") for inner in inner_entries(value, self.max_nesting - depth))
        elif columns:
            yield from (self._placed(e, start, end, "") for row in columns if (e := entry_of(row)) is not None)
        elif any(e.abstract for e in find_entries(value, self.max_nesting - depth)):
            cursor.position = start
            yield from self._members(depth, value)
        elif entry is not None or is_paper(value):
            yield Entry(None)
        else:
            yield from find_entries(value, self.max_nesting - depth)

    def _placed(self, entry: Entry, start: int, end: int, key: str) -> Entry:
        entry.byte_start, entry.byte_end = self.cursor.byte_at(start), self.cursor.byte_at(end)
        if key and canonical_free(key):
            entry.fields = {**key_fields(key), **entry.fields}
        return entry

    def _members(self, depth: int, known: dict[str, object]) -> Iterator[Item]:
        """The items in the members of the object at the cursor."""
        cursor = self.cursor
        cursor.position += 1
        while not self.is_lost:
            mark = cursor.peek()
            if mark == ",":
                cursor.position += 1
            elif mark == "}":
                cursor.position += 1
                return
            elif mark == "":
                raise JSONDecodeError("the file ends inside an object", cursor.buffer, len(cursor.buffer))
            else:
                yield from self._member(depth, known)

    def _member(self, depth: int, known: dict[str, object]) -> Iterator[Item]:
        cursor = self.cursor
        decoded = cursor.decode()
        if decoded is None or not isinstance(decoded[0], str) or cursor.peek() != ":":
            raise JSONDecodeError("no name before a value", cursor.buffer, cursor.position)
        key = decoded[0]
        cursor.position += 1
        if cursor.peek() != '"':
            yield from self.walk(depth + 1, key)
            return
        scalar = cursor.decode()
        if scalar is None:
            raise JSONDecodeError("a text beyond the limit", cursor.buffer, cursor.position)
        text = str(scalar[0])
        start, end = scalar[1:]
        if is_keyed_abstract(known, key, text):
            yield Entry(text, key_fields(key), cursor.byte_at(start), cursor.byte_at(end))
        elif len(text) > 200 and text.lstrip()[:1] in ("{", "["):
            yield from (
                self._placed(entry, start, end, "") for entry in find_entries({key: text}, self.max_nesting - depth)
            )


READER = Reader("json", _sniff, _read, ceiling=80)
