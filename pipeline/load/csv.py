"""CSV twins without loss: a null is an empty cell, an empty string is `""`, lists are JSON, formulas are disarmed.

A text cell that a spreadsheet would take for a formula (it starts with `' = + - @`, tab, CR or LF) gets one
leading `'`. As a cell that starts with `'` always got one, taking one away undoes it exactly.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv

from schemas.as_arrow import arrow_schema
from schemas.strings import whole
from schemas.tables import Table

_RISKY = pa.array(list("'=+-@\t\r\n"))
#: Rows rendered at a time: keeps the copies that rendering makes small.
_SLICE = 2048


def header(table: Table) -> bytes:
    """First line of the CSV file of a table."""
    return (",".join(table.columns) + "\n").encode()


def render_rows(data: pa.Table) -> memoryview:
    """Rows as CSV text without header. Every non-null text cell is quoted, numbers and nulls never."""
    columns = [_cells(whole(column)) for column in data.columns]
    sink = pa.BufferOutputStream()
    pv.write_csv(
        pa.table(columns, names=data.column_names),
        sink,
        pv.WriteOptions(include_header=False, quoting_style="needed", batch_size=1024),
    )
    return memoryview(sink.getvalue()).cast("B").cast("B")  # Arrow exports signed bytes, which never equal those of a file


def render_slices(data: pa.Table) -> Iterator[memoryview]:
    """What `render_rows` gives, in pieces that need little memory."""
    for start in range(0, data.num_rows, _SLICE):
        yield render_rows(data.slice(start, _SLICE))


def _cells(column: pa.Array) -> pa.Array:
    if pa.types.is_list(column.type):
        return _json_lists(column)
    if pa.types.is_string(column.type):
        risky = pc.is_in(pc.utf8_slice_codeunits(column, 0, 1), value_set=_RISKY)
        if risky.true_count:
            return pc.if_else(risky, pc.binary_join_element_wise("'", column, ""), column)
    return column


def _json_lists(column: pa.Array) -> pa.Array:
    """Each list of strings as the JSON text that `json.dumps(value, ensure_ascii=False)` gives."""
    flat = pc.list_flatten(column)
    quoted = pc.binary_join_element_wise('"', flat, '"', "")
    special = pc.match_substring_regex(flat, r'[\\"\x00-\x1f]')
    if pc.any(special).as_py():
        escaped = pa.array([json.dumps(value, ensure_ascii=False) for value in flat.filter(special).to_pylist()], pa.string())
        quoted = pc.replace_with_mask(quoted, special, escaped)
    offsets = pc.subtract(column.offsets, column.offsets[0])
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets, quoted), ", ")
    return pc.binary_join_element_wise("[", joined, "]", "")


def read_csv(source: Path | bytes, table: Table) -> pa.Table:
    """The rows of a CSV file as they were before `render_rows`, with the types of `table`."""
    schema = arrow_schema(table)
    cells = {f.name: pa.string() if pa.types.is_list(f.type) else f.type for f in schema}
    data = pv.read_csv(
        io.BytesIO(source) if isinstance(source, bytes) else source,
        read_options=pv.ReadOptions(block_size=1 << 26),
        parse_options=pv.ParseOptions(newlines_in_values=True),
        convert_options=pv.ConvertOptions(
            column_types=cells, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
        ),
    )
    return pa.table([_value(whole(data[f.name]), f.type) for f in schema], schema=schema)


def _value(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_list(kind):
        return pa.array([json.loads(cell) for cell in column.to_pylist()], kind)
    if pa.types.is_string(kind):
        return pc.if_else(pc.starts_with(column, "'"), pc.utf8_slice_codeunits(column, 1), column)
    return column
