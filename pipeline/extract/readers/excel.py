"""Excel and OpenDocument workbooks (`.xlsx`, `.xls`, `.xlsb`, `.ods`), every sheet."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Broken, Guess, Item, Reader, Skip
from pipeline.extract.table import Columns, find_header, guess_columns

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def _sniff(content: Content) -> Guess | None:
    head = content.head
    if head.startswith(_OLE):
        marks = ("Workbook".encode("utf-16-le"), "Book".encode("utf-16-le"))
        return Guess(90, "an OLE file with a workbook") if any(mark in head for mark in marks) else None
    if not head.startswith(b"PK\x03\x04"):
        return None
    if b"xl/workbook" in head or b"xl/worksheets" in head or b"xl/_rels" in head or b"xl/sharedStrings" in head:
        return Guess(95, "a zip file with the parts of a workbook")
    if b"application/vnd.oasis.opendocument.spreadsheet" in head[:200]:
        return Guess(95, "an OpenDocument spreadsheet")
    return None


def _read(content: Content) -> Iterator[Item]:
    from python_calamine import CalamineWorkbook

    workbook = CalamineWorkbook.from_filelike(content.seekable())
    unmapped: list[str] = []
    found = False
    for name in workbook.sheet_names:
        rows = workbook.get_sheet_by_name(name).to_python(skip_empty_area=True)
        if not rows:
            continue
        header = find_header(rows[:60], content.mapping)
        columns = (
            Columns([str(cell).strip() for cell in rows[header]], content.mapping)
            if header is not None
            else guess_columns(rows[:60])
        )
        if columns is None or not columns.has_abstract:
            unmapped.append(name)
            continue
        found = True
        content.columns = columns.names()
        yield from (Skip("preamble") for row in rows[: header or 0] if any(str(cell).strip() for cell in row))
        yield from (
            entry
            for row in rows[header + 1 if header is not None else 0 :]
            if (entry := columns.entry(row)) is not None
        )
    if not found:
        yield Broken(
            "no_abstract_column",
            f"no sheet has a column of abstracts (sheets: {', '.join(unmapped)[:300] or 'all empty'}): name the column in the settings (mapping)",
            whole_file=True,
        )


READER = Reader("excel", _sniff, _read, ceiling=95, is_binary=True)
