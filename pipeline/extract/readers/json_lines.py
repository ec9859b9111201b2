"""JSON Lines: one object a line; also lines that are Python literals, which some crawlers write as `.jsonl`."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from json import JSONDecodeError

from pipeline.extract.content import Content, Line
from pipeline.extract.entry import Broken, Entry, Guess, Item, Reader
from pipeline.extract.objects import (
    as_columns,
    entry_of,
    find_entries,
    holds_columns,
    inner_entries,
    mapped_entry,
    plan_for,
)

_SAMPLE_LINES = 20
_BOM_AND_SPACE = "\ufeff \t\r\n\x00,"
# What a Python literal may hold that is none: `datetime.datetime(2024, 1, 1)`, `nan`.
_CALL = re.compile(r"\b(?:datetime\.\w+|Timestamp|UUID|ObjectId|Decimal)\([^()]*\)|(?<=: )(?:nan|inf|NaT)\b")
_decode = json.JSONDecoder(strict=False).decode


def _parse(text: str) -> object:
    """The value of a line; raises ValueError where it is neither JSON nor a Python literal."""
    try:
        return _decode(text)
    except JSONDecodeError:
        if not text.startswith(("{'", "{}", '{"', "[")):
            raise
        for candidate in (text, _CALL.sub(lambda match: repr(match[0]), text)):
            try:
                return ast.literal_eval(candidate)
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                continue
        raise


def _sniff(content: Content) -> Guess | None:
    lines = [text for line in content.sample.split("\n")[: _SAMPLE_LINES * 3] if (text := line.strip(_BOM_AND_SPACE))][
        :_SAMPLE_LINES
    ]
    if lines and lines[0].startswith(("['", "[{'")) and content.complete:
        return Guess(60, "begins as a Python list")
    if not lines or not lines[0].startswith("{"):
        return None
    parsed = [value for line in lines if line.startswith("{") and isinstance(value := _try(line), dict)]
    cut = len(content.sample) < len(content.head) and len(parsed) < len(lines)
    if len(parsed) == 1 and len(lines) == 1:
        return (
            Guess(85, "one line that is an entry")
            if entry_of(parsed[0]) is not None and not as_columns(parsed[0])
            else None
        )
    if not parsed and cut and len(lines) == 1 and lines[0].startswith("{'"):
        return Guess(60, "a long line that begins as a Python literal")
    if len(parsed) == 1 and len(lines) == 2 and cut and entry_of(parsed[0]) is not None:
        return Guess(85, "an entry on the first line, a long second line")
    if len(parsed) >= 2 and len(parsed) >= 0.6 * (len(lines) - cut):
        literal = sum(line.startswith("{'") for line in lines)
        return Guess(90, f"{len(parsed)} of {len(lines)} lines are {'Python literals' if literal else 'JSON objects'}")
    return None


def _try(text: str) -> object:
    try:
        return _parse(text)
    except (ValueError, RecursionError):
        return None


def _read(content: Content) -> Iterator[Item]:
    literal = (
        next((line for line in content.sample.split("\n") if line.strip(_BOM_AND_SPACE)), "")
        .lstrip(_BOM_AND_SPACE)
        .startswith(("{'", "['", "[{'"))
    )
    content.variant = "python-literals" if literal else ""
    mapping, depth, limit = content.mapping, content.options.max_nesting, content.options.max_record_bytes
    for line in content.lines():
        text = line.text.strip(_BOM_AND_SPACE)
        if not text or text in "[]":
            continue
        if line.end - line.start > limit:
            yield Broken(
                "record_too_large",
                f"a line of {line.end - line.start:,} bytes is beyond the limit: split it, or raise max_record_bytes in the settings",
                text[:1000],
                line.start,
                line.end,
            )
            continue
        try:
            value = _parse(text)
        except (ValueError, RecursionError) as error:
            yield _broken(line, text, error)
            continue
        entry = None
        if isinstance(value, dict):
            entry = mapped_entry(value, mapping) if mapping else None if holds_columns(value) else entry_of(value)
        if isinstance(value, dict) and entry is not None and entry.abstract:
            content.columns = content.columns or dict(plan_for(value))
            yield _at(entry, line)
            yield from (_at(inner, line) for inner in inner_entries(value, depth))
        else:
            yield from _nested(value, line, depth)


def _nested(value: object, line: Line, depth: int) -> Iterator[Item]:
    """The entries inside a line that is none itself; a line without any counts as an entry without abstract."""
    found = False
    try:
        for entry in find_entries(value, depth):
            found = True
            yield _at(entry, line)
    except RecursionError:
        yield Broken(
            "nested_too_deep", "nested beyond the limit: flatten the data", line.text[:1000], line.start, line.end
        )
        return
    if not found:
        yield Entry(None)


def _at(entry: Entry, line: Line) -> Entry:
    entry.byte_start, entry.byte_end = line.start, line.end
    return entry


def _broken(line: Line, text: str, error: Exception) -> Broken:
    if isinstance(error, RecursionError):
        return Broken(
            "nested_too_deep",
            "nested beyond the limit: flatten the data, or leave the line out",
            text[:1000],
            line.start,
            line.end,
        )
    words = error.msg if isinstance(error, JSONDecodeError) else "no JSON"
    return Broken(
        "broken_json",
        f"the line is no JSON object ({words}): correct it, or fetch the file again",
        text[:65536],
        line.start,
        line.end,
    )


READER = Reader("jsonl", _sniff, _read, ceiling=90)
