"""Arrow schemas with descriptions, rendered from the fields."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from schemas.fields import Field
from schemas.tables import Table

_TYPES = {
    "string": pa.string(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "binary": pa.binary(),
    "list<string>": pa.list_(pa.string()),
    "list<int32>": pa.list_(pa.int32()),
    "list<int64>": pa.list_(pa.int64()),
}


def arrow_type(field: Field) -> pa.DataType:
    """The Arrow type of a field."""
    return _TYPES[field.type]


@cache
def arrow_schema(table: Table) -> pa.Schema:
    """Explicit schema of a table: types, nullability, and the meaning of each column in its field metadata."""
    return pa.schema(
        [
            pa.field(f.name, arrow_type(f), nullable=f.nullable, metadata={"description": f.meaning})
            for f in table.fields
        ],
        metadata={"description": table.meaning},
    )


def empty(table: Table) -> pa.Table:
    """The table without rows."""
    return arrow_schema(table).empty_table()


def conform(data: pa.Table, table: Table) -> pa.Table:
    """`data` with exactly the columns, order and types of `table`; a column that is missing raises KeyError."""
    schema = arrow_schema(table)
    return pa.Table.from_arrays([data[f.name].cast(f.type) for f in schema], schema=schema)
