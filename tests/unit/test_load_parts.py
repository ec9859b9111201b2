"""Parts: read by slices, joined in order; checksums that see rows and nothing else."""

from __future__ import annotations

import pathlib

import pyarrow as pa
import pytest

from pipeline.load.digest import checksum
from pipeline.load.parts import map_part, merge, places_of, read_columns, write_part
from schemas.as_arrow import arrow_schema
from schemas.tables import MENTIONS, SOURCES

ROWS = pa.table({"name": ["a", None, "", "δ"], "n": [1, None, 3, 4], "list": [["x"], [], ["", "é"], ["y", "z"]]})


@pytest.mark.parametrize(
    "same", [ROWS.slice(0), pa.concat_tables([ROWS.slice(0, 1), ROWS.slice(1)]), pa.concat_tables([ROWS, ROWS]).slice(4), pa.concat_tables([ROWS.slice(3), ROWS]).slice(1)]
)
def test_checksum_is_that_of_the_rows(same: pa.Table) -> None:
    assert checksum(same) == checksum(ROWS)


@pytest.mark.parametrize(
    "other",
    [
        ROWS.slice(0, 3),
        ROWS.set_column(0, "name", pa.array(["a", "", None, "δ"])),
        ROWS.set_column(0, "name", pa.array(["", "a", "", "δ"])),
        ROWS.set_column(1, "n", pa.array([1, 0, 3, 4])),
        ROWS.set_column(2, "list", pa.array([["x"], ["", "é"], [], ["y", "z"]])),
        ROWS.set_column(2, "list", pa.array([["x"], [], ["é", ""], ["y", "z"]])),
        ROWS.rename_columns(["name", "m", "list"]),
    ],
)
def test_checksum_sees_every_difference(other: pa.Table) -> None:
    assert checksum(other) != checksum(ROWS)


def mention(number: int, start: int = 0) -> dict[str, object]:
    return {"abstract_id": f"{number:020x}", "kind": "method", "name": "A", "char_start": start, "char_end": start + 1, "raw_start": start, "raw_end": start + 1}


def test_ranges_of_several_parts_join_in_order(tmp_path: pathlib.Path) -> None:
    rows = [[mention(1), mention(1, 4), mention(9)], [], [mention(2), mention(5), mention(5, 2), mention(16)]]
    parts = [write_part(pa.Table.from_pylist(own, schema=arrow_schema(MENTIONS)), tmp_path / f"{i}.arrow") for i, own in enumerate(rows)]
    edges = ((f"{5:020x}",), (f"{16:020x}",))
    places = [places_of(path, MENTIONS, edges) for path in parts]
    assert places == [(0, 2, 3, 3), (0, 0, 0, 0), (0, 1, 3, 4)]
    for number, want in enumerate([[(1, 0), (1, 4), (2, 0)], [(5, 0), (5, 2), (9, 0)], [(16, 0)]]):
        slices = [map_part(path).slice(own[number], own[number + 1] - own[number]) for path, own in zip(parts, places, strict=True)]
        found = merge([part for part in slices if part.num_rows], MENTIONS).to_pylist()
        assert [(int(row["abstract_id"], 16), row["char_start"]) for row in found] == want


def test_places_by_file_put_a_whole_file_last(tmp_path: pathlib.Path) -> None:
    empty = {field.name: [] if pa.types.is_list(field.type) else None for field in arrow_schema(SOURCES)}
    rows = [empty | {"source_file": name, "ordinal": ordinal} for name, ordinal in (("a", 1), ("a", 3), ("b", 1), ("c", 2))]
    path = write_part(pa.Table.from_pylist(rows, schema=pa.schema([field.with_nullable(True) for field in arrow_schema(SOURCES)])), tmp_path / "s.arrow")
    assert places_of(path, SOURCES, (("a", 2), ("b", 1), ("b", 2**31 - 1))) == (0, 1, 2, 3, 4)
    assert read_columns(path, ["ordinal", "no_such"]).to_pydict() == {"ordinal": [1, 3, 1, 2]}
