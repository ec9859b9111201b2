"""The metadata columns of raw shards: which a record has, how damaged its text is, and their Arrow types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

METADATA = pa.schema(
    [
        pa.field("title", pa.string()),
        pa.field("venue", pa.string()),
        pa.field("doi", pa.string()),
        pa.field("arxiv_id", pa.string()),
        pa.field("arxiv_version", pa.int16()),
        pa.field("source_url", pa.string()),
        pa.field("licence", pa.string()),
        pa.field("year", pa.int16()),
        pa.field("authors", pa.list_(pa.string())),
        pa.field("keywords", pa.list_(pa.string())),
    ]
)
"""What merged copies may fill in; bit `i` of a record's metadata stands for field `i`."""

DAMAGE = ("url_lost", "truncated", "mojibake_repaired", "text_lost")
"""Flags of a text that is worse than an undamaged copy (CONTRACT.md, "Duplicates", the kept occurrence)."""


def column_or_null(table: pa.Table, name: str, kind: pa.DataType) -> pa.ChunkedArray:
    """A column of a table, or nulls where the table has none of that name."""
    if name in table.column_names:
        return table.column(name)
    return pa.chunked_array([pa.nulls(len(table), kind)])


def find_metadata(table: pa.Table) -> NDArray[np.uint16]:
    """The bits of the metadata that each row has; empty texts and lists count as missing."""
    bits = np.zeros(len(table), dtype=np.uint16)
    for index, field in enumerate(METADATA):
        column = column_or_null(table, field.name, field.type)
        if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            held = pc.greater(pc.list_value_length(column), 0)
        elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            held = pc.greater(pc.binary_length(column), 0)
        else:
            held = pc.is_valid(column)
        bits |= pc.fill_null(held, False).to_numpy().astype(np.uint16) << index
    return bits


def find_damage(*flags: pa.ChunkedArray) -> NDArray[np.uint8]:
    """How many kinds of damage each row's flags name, over all the columns of flags given."""
    kinds = np.zeros((len(DAMAGE), len(flags[0])), dtype=bool)
    for column in flags:
        start = 0
        for chunk in column.chunks:
            values: NDArray[Any] = chunk.flatten().to_numpy(zero_copy_only=False)
            parents = pc.list_parent_indices(chunk).to_numpy() + start
            for index, kind in enumerate(DAMAGE):
                kinds[index, parents[values == kind]] = True
            start += len(chunk)
    counts: NDArray[np.uint8] = kinds.sum(axis=0).astype(np.uint8)
    return counts
