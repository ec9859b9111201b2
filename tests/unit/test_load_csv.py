"""CSV twins: what is written can be undone exactly, and no cell is a formula."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.load.csv import header, read_csv, render_rows
from schemas import fields as f
from schemas.as_arrow import arrow_schema
from schemas.tables import Table

TABLE = Table("sample", "For the test", (f.TITLE, f.AUTHORS, f.VALUE, f.YEAR), (), (), "load")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(["", "'", "''=", "=1+1", "\r\n", "\t", '"', "a,b", "-5", "@x"])
rows = st.lists(
    st.fixed_dictionaries(
        {
            "title": st.none() | texts,
            "authors": st.lists(texts, max_size=3),
            "value": st.none() | st.floats(allow_nan=False, allow_infinity=False),
            "year": st.none() | st.integers(-5, 3000),
        }
    ),
    max_size=6,
)


def render(items: list[dict[str, Any]]) -> bytes:
    return header(TABLE) + bytes(render_rows(pa.Table.from_pylist(items, schema=arrow_schema(TABLE))))


@settings(deadline=None, max_examples=300)
@given(rows)
def test_reading_undoes_writing(items: list[dict[str, Any]]) -> None:
    assert read_csv(render(items), TABLE).to_pylist() == items


@settings(deadline=None, max_examples=150)
@given(rows)
def test_the_standard_library_reads_the_same(items: list[dict[str, Any]]) -> None:
    read = list(csv.reader(io.StringIO(render(items).decode(), newline="")))
    assert read[0] == list(TABLE.columns)
    for item, cells in zip(items, read[1:], strict=True):
        assert cells[0].removeprefix("'") == (item["title"] or "")
        assert json.loads(cells[1]) == item["authors"]
        assert cells[0][:1] not in tuple("=+-@\t\r\n")


@pytest.mark.parametrize(
    ("title", "cell"),
    [(None, ""), ("", '""'), ("=cmd", "\"'=cmd\""), ("'a", "\"''a\""), ("a", '"a"'), ('say "x"', '"say ""x"""'), ("a\r\nb", '"a\r\nb"')],
)
def test_cells(title: str | None, cell: str) -> None:
    text = render([{"title": title, "authors": ['q"', "b\\"], "value": -5.0, "year": None}]).decode()
    assert text == f'title,authors,value,year\n{cell},"[""q\\"""", ""b\\\\""]",-5,\n'
