"""Markdown: labelled fields, `<details>` abstracts, a heading or list item per paper, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from pipeline.extract.content import Content
from pipeline.extract.entry import Guess, Item, Reader, Skip
from pipeline.extract.labels import abstract_names_of
from pipeline.extract.readers.labelled_text import looks_like_markdown
from pipeline.extract.sections import Sections
from pipeline.extract.table import Columns, header_score

_ROW = re.compile(r"^\s*\|.*\|\s*$")
_DIVIDER = re.compile(r"^[ \t]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|)++(?:[ \t]*+:?-{2,}+:?)?+[ \t]*+$", re.M)
_CELL = re.compile(r"(?<!\\)\|")
_DETAILS = re.compile(r"^\s*+<details[^<>]*+>\s*+(?:<summary>[^<>]*+</summary>)?+\s*+|(?<!\s)\s*+</details>\s*+$", re.I)


def _sniff(content: Content) -> Guess | None:
    sample = content.sample
    if sample.lstrip("\ufeff \n").startswith(("{", "[{", "<", "@", "---\n", "\\documentclass")) and not sample.lstrip(
        "\ufeff \n"
    ).startswith(("<details", "<div", "<p", "<h1", "<a", "<!--", "<br")):
        return None
    has_table = _table_header(sample) is not None
    if not has_table and not looks_like_markdown(sample):
        return None
    if abstract_names_of(content):
        return Guess(66, "Markdown with labelled abstracts")
    if has_table:
        return Guess(65, "a Markdown table with a column of abstracts")
    headings = len(re.findall(r"^\s{0,3}#{1,6} \S|^[^\S\n]*(?:[-*+]|\d+[.)]) (?:\*\*|\[)|^[^\S\n]*<summary\b", sample, re.M))
    return Guess(48, f"Markdown with {headings} headings or titled list items") if headings else None


def _table_header(sample: str) -> list[str] | None:
    lines = sample.split("\n")
    for header, divider in pairwise(lines):
        if _DIVIDER.match(divider) and "|" in header:
            names = _cells(header)
            if header_score(names) >= 2 and Columns([_plain(name) for name in names]).has_abstract:
                return [_plain(name) for name in names]
    return None


def _plain(name: str) -> str:
    return name.strip(" *_`")


def _cells(row: str) -> list[str]:
    return [
        cell.strip().replace("\\|", "|")
        for cell in _CELL.split(row.strip().strip("|") if not row.strip().endswith("\\|") else row.strip()[1:])
    ]


def _read(content: Content) -> Iterator[Item]:
    names = abstract_names_of(content)
    header = _table_header(content.sample)
    if header is not None and not names - {"摘要"}:
        content.variant = "table"
        yield from _table(content)
        return
    content.variant = "labelled" if names else "headings"
    yield from Sections(names, has_titles=True, is_markdown=True).items(content.lines())


def _table(content: Content) -> Iterator[Item]:
    columns: Columns | None = None
    for line in content.lines():
        if "|" not in line.text:
            columns = None
            if line.text.strip():
                yield Skip("heading", line.text[:80])
            continue
        if _DIVIDER.match(line.text):
            continue
        cells = _cells(line.text)
        if columns is None or (
            header_score(cells) >= 2
            and len(cells) == len(columns.header)
            and Columns([_plain(c) for c in cells]).has_abstract
        ):
            columns = Columns([_plain(cell) for cell in cells])
            continue
        entry = columns.entry([_DETAILS.sub("", cell) for cell in cells]) if columns.has_abstract else None
        if entry is not None:
            entry.byte_start, entry.byte_end = line.start, line.end
            entry.fields = {
                name: [_unlinked(v) if name in {"title", "authors", "venue"} else v for v in values]
                for name, values in entry.fields.items()
            }
            links = re.findall(r"\]\((https?://[^)\s]+)\)", line.text)
            entry.fields = {**entry.fields, "source_url": [*entry.fields.get("source_url", []), *links]}
            yield entry


def _unlinked(value: object) -> object:
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", value).strip(" *_") if isinstance(value, str) else value


READER = Reader("markdown", _sniff, _read, ceiling=66)
