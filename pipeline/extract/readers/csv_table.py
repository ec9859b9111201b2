"""Delimited text (CSV, TSV, `;`, `|`): quoting, newlines in fields, a preamble before the header, ragged rows."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from pipeline.extract.content import Content
from pipeline.extract.entry import Broken, Guess, Item, Reader, Skip
from pipeline.extract.table import MAX_PREAMBLE, Columns, find_header, guess_columns, header_score

_DELIMITERS = ",\t;|"
_SEP_LINE = re.compile(r"sep=(.)\s*$", re.I)
_DIVIDER = re.compile(r"^[ \t]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|)++(?:[ \t]*+:?-{2,}+:?)?+[ \t]*+$", re.M)
# A column without a telling name counts as abstract only where its cells are far longer than titles and citations.
_MIN_MEAN = 400
_SAMPLE_ROWS = 60


def _rows(lines: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    return csv.reader(lines, delimiter=delimiter, doublequote=True, skipinitialspace=False)


def _sample_rows(content: Content, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    reader = _rows(iter(content.remember("sample_lines", lambda: _sample_lines(content))), delimiter)
    try:
        for row in reader:
            rows.append(row)
            if len(rows) >= _SAMPLE_ROWS:
                break
    except csv.Error:
        pass
    return rows


def _score(rows: list[list[str]], mapping: Mapping[str, str]) -> tuple[float, str]:
    """How sure a delimiter is, by the names in the header and by rows of equal width."""
    if mapping and any(len(row) > 1 and mapping.get("abstract") in row for row in rows[:MAX_PREAMBLE]):
        return 89.0, "a header with the name that was given"
    header = find_header([[cell.lstrip("\ufeff") for cell in row] for row in rows])
    body = rows[header + 1 :] if header is not None else rows
    body = [row for row in body if row]
    if header is not None and len(rows[header]) >= 2:
        width = len(rows[header])
        same = sum(len(row) == width for row in body) / len(body) if body else 1.0
        names = header_score(rows[header])
        if names >= 2 and (same >= 0.5 or names >= 4):
            return min(50 + 8 * names, 88) + same, f"a header with {names} known names, {same:.0%} of the rows as wide"
        return 0.0, ""
    widths = Counter(len(row) for row in body)
    width, count = widths.most_common(1)[0] if widths else (0, 0)
    if (
        width >= 2
        and len(body) >= 3
        and count >= 0.9 * len(body)
        and not _is_prose(rows)
        and guess_columns(body) is not None
    ):
        return 45.0, f"no header, {count} rows of {width} columns, one of them prose"
    return 0.0, ""


def _is_prose(rows: list[list[str]]) -> bool:
    """True for running text that happens to hold as many commas on each line: blank lines, or a space after each comma."""
    cells = [cell for row in rows for cell in row[1:]]
    return sum(cell.startswith(" ") for cell in cells) > 0.3 * len(cells) or sum(
        not row for row in rows[:-1]
    ) > 0.2 * len(rows)


def _best(content: Content) -> tuple[float, str, str]:
    sep = _SEP_LINE.match(content.sample.lstrip("\ufeff").split("\n", 1)[0])
    markdown = _DIVIDER.search(content.sample[:65536]) is not None
    candidates = (
        [sep[1]] if sep else [d for d in _DELIMITERS if d in content.sample[:65536] and not (d == "|" and markdown)]
    )
    scored = [(*_score(_sample_rows(content, d), content.mapping), d) for d in candidates]
    return max(scored, key=lambda s: s[0], default=(0.0, "", ","))


def _sample_lines(content: Content) -> list[str]:
    return [line + "\n" for line in content.sample.lstrip("\ufeff").split("\n", 4000)[:4000]]


def _sniff(content: Content) -> Guess | None:
    if content.sample.lstrip("\ufeff \n\r\t")[:1] in ("{", "<", "@", "%", "\\"):
        return None
    score, reason, delimiter = _best(content)
    if score:
        name = {"\t": "tab"}.get(delimiter, delimiter)
        return Guess(int(score), f"{reason}, separated by {name}")
    if _single_column(content):
        return Guess(60, "one column under the name of an abstract")
    return None


def _single_column(content: Content) -> bool:
    first = content.sample.lstrip("\ufeff").split("\n", 1)[0].strip().strip('"')
    rest = content.sample.partition("\n")[2].lstrip()
    return first.lower() in {"abstract", "abstracts", "ab", "summary", "text"} and rest.startswith('"')


class _Source:
    """Lines for the csv module, which says nothing about places: counts the bytes handed out."""

    def __init__(self, content: Content) -> None:
        self._lines = content.lines()
        self.end = content.encoding.bom
        self.quotes = 0
        self.limit = content.options.max_record_bytes

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.end = line.end
            self.quotes += line.text.count('"')
            yield line.text.lstrip("\ufeff").replace("\x00", "") + "\n"


def _read(content: Content) -> Iterator[Item]:
    csv.field_size_limit(content.options.max_record_bytes)
    delimiter = _best(content)[2]
    content.variant = {"\t": "tab", ";": "semicolon", "|": "pipe"}.get(delimiter, "")
    rows = _sample_rows(content, delimiter)
    header = find_header(rows, content.mapping)
    columns = (
        Columns([cell.strip().lstrip("\ufeff") for cell in rows[header]], content.mapping)
        if header is not None
        else guess_columns(rows)
    )
    if columns is None or not columns.has_abstract:
        columns = _with_prose(rows, header, columns)
    if columns is None:
        names = ", ".join(rows[header])[:300] if header is not None else "none"
        yield Broken(
            "no_abstract_column",
            f"no column holds abstracts (columns: {names}): name it in the settings (mapping)",
            whole_file=True,
        )
        return
    content.columns = columns.names()
    yield from _entries(content, delimiter, header, columns)


def _with_prose(rows: list[list[str]], header: int | None, columns: Columns | None) -> Columns | None:
    """The columns, with the one of longest prose as abstract where none has a name that says so."""
    guessed = guess_columns(rows[(header or 0) + 1 :])
    if columns is None or guessed is None:
        return guessed
    place = guessed.abstract[0]
    cells = [len(row[place]) for row in rows[(header or 0) + 1 :] if place < len(row)]
    if sum(cells) < _MIN_MEAN * len(cells):
        return None
    columns.abstract = guessed.abstract
    return columns


def _entries(content: Content, delimiter: str, header: int | None, columns: Columns) -> Iterator[Item]:
    source = _Source(content)
    reader = _rows(iter(source), delimiter)
    number, start = 0, source.end
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield Broken(
                "broken_csv", f"a row cannot be read ({error}): check the quotes there", None, start, source.end
            )
            start = source.end + 1
            continue
        if row is None:
            return
        begin, start = start, source.end + 1
        is_open, source.quotes = source.quotes % 2 == 1 and any("\n" in cell for cell in row), 0
        number += 1
        if header is not None and number <= header + 1 and number <= MAX_PREAMBLE:
            if number <= header and any(cell.strip() for cell in row):
                yield Skip("preamble", delimiter.join(row)[:80])
            continue
        if swallowed := row[-1].count("\n") if is_open else _swallowed(row, columns, delimiter):
            message = f"a quote that does not close has swallowed {swallowed} lines: correct the quotes there"
            yield Broken("broken_csv", message, delimiter.join(row)[:65536], begin, source.end)
        else:
            yield from _row_items(row, columns, begin, source.end)


def _row_items(row: list[str], columns: Columns, begin: int, end: int) -> Iterator[Item]:
    if tuple(cell.strip() for cell in row) == columns.header:
        yield Skip("repeated_header")
        return
    entry = columns.entry(row)
    if entry is not None:
        entry.byte_start, entry.byte_end = begin, end
        yield entry


def _swallowed(row: list[str], columns: Columns, delimiter: str) -> int:
    """How many rows a cell has swallowed for want of a closing quote: lines in it that hold as many delimiters as a row."""
    width = len(columns.header)
    if len(row) >= width or width < 3:
        return 0
    longest = max(row, key=len, default="")
    lines = longest.split("\n")
    rows = sum(line.count(delimiter) >= width - 1 for line in lines)
    return rows if rows >= 2 else 0


READER = Reader("csv", _sniff, _read, ceiling=89)
