"""Parts of a release: the rows that one shard gives to a table, as a sorted Arrow file that is read by slices.

A part is one record batch, not compressed: it is mapped, so that a slice costs what it holds. Parquet files are
taken too; they are sorted and rewritten first.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.as_arrow import arrow_schema, conform
from schemas.checks import BY_FILE, descents
from schemas.strings import whole
from schemas.tables import TABLES, Table

Key = tuple[Any, ...]
#: Stands for the missing ordinal of a whole file, behind all others.
LAST = 2**31 - 1
_DIGITS = 20


def write_part(data: pa.Table, path: Path) -> Path:
    """Write the sorted rows of a table as a part."""
    batches = data.combine_chunks().to_batches()
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, data.schema) as writer:
        writer.write_batch(batches[0] if batches else pa.RecordBatch.from_pylist([], schema=data.schema))
    return path


def map_part(path: Path) -> pa.RecordBatch:
    """The rows of a part, mapped: only what is used is read."""
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).get_batch(0)


def read_columns(path: Path, columns: Sequence[str]) -> pa.Table:
    """Some columns of a part; those that it lacks are left out."""
    if path.suffix == ".parquet":
        with pq.ParquetFile(path, pre_buffer=False, memory_map=False) as file:
            return file.read([name for name in columns if name in file.schema_arrow.names])
    batch = map_part(path)
    return pa.Table.from_batches([batch.select([name for name in columns if name in batch.schema.names])])


@dataclass(frozen=True, slots=True)
class Sorting:
    """A Parquet file of rows of `table`, to be sorted into `target`."""

    source: Path
    table: str
    target: Path


def sort_part(job: Sorting) -> Path:
    """Write a Parquet file as a part. Its rows need not be sorted."""
    table = TABLES[job.table]
    with pq.ParquetFile(job.source, pre_buffer=False, memory_map=False) as file:
        data = conform(file.read().combine_chunks(), table)
    return write_part(in_order(data, table), job.target)


def in_order(data: pa.Table, table: Table) -> pa.Table:
    """`data` sorted by the order of its table; ties stay as they are."""
    if len(descents([whole(data[name]) for name in table.order])) == 0:
        return data
    rows = pc.sort_indices(data, sort_keys=[(name, "ascending", "at_end") for name in table.order])
    return data.take(rows).combine_chunks()


def key_columns(table: Table) -> tuple[str, ...]:
    """The columns by which a table is cut into ranges."""
    return ("source_file", "ordinal") if table in BY_FILE else ("abstract_id",)


def places_of(path: Path, table: Table, edges: Sequence[Key]) -> tuple[int, ...]:
    """The rows of a part at which each range starts, and the end of the last."""
    data = map_part(path)
    if not edges or not data.num_rows:
        return (0,) * (len(edges) + 1) + (data.num_rows,)
    ids = id_digits(data["abstract_id"]) if table not in BY_FILE else None
    if ids is not None:
        found = np.searchsorted(ids, np.array([edge[0] for edge in edges], dtype=f"S{_DIGITS}")).tolist()
    else:
        key = _key_of(data, table)
        found = [bisect.bisect_left(range(data.num_rows), edge, key=key) for edge in edges]
    return (0, *found, data.num_rows)


def _key_of(data: pa.RecordBatch, table: Table) -> Callable[[int], Key]:
    columns = [data[name] for name in key_columns(table)]
    return lambda row: tuple(LAST if (value := column[row].as_py()) is None else value for column in columns)


def id_digits(column: pa.Array) -> npt.NDArray[np.bytes_] | None:
    """Ids as fixed-width byte strings that share the memory of `column`; None unless each has 20 digits."""
    offsets = np.frombuffer(column.buffers()[1], dtype=np.int32)[column.offset : column.offset + len(column) + 1] if len(column) else np.zeros(1, np.int32)
    if column.null_count or not np.array_equal(np.diff(offsets), np.full(len(column), _DIGITS)):
        return None
    data = np.frombuffer(column.buffers()[2] or b"", dtype=np.uint8)[offsets[0] : offsets[-1]]
    return data.view(f"S{_DIGITS}")


def merge(batches: Sequence[pa.RecordBatch], table: Table) -> pa.Table:
    """Sorted slices of several parts as one sorted table. Rows of one abstract stand in one slice, in their order."""
    data = pa.Table.from_batches(batches, schema=arrow_schema(table)).combine_chunks()
    if len(batches) < 2:
        return data
    by_id = table.name == "abstracts" or (table not in BY_FILE and "char_start" in table.columns)
    ids = id_digits(whole(data["abstract_id"])) if by_id else None
    if ids is None:
        return in_order(data, table)
    words = np.frombuffer(ids, dtype=np.uint8).reshape(-1, _DIGITS)
    head, middle = (np.ascontiguousarray(words[:, i : i + 8]).view(">u8")[:, 0].astype(np.uint64) for i in (0, 8))
    tail = np.ascontiguousarray(words[:, 16:]).view(">u4")[:, 0].astype(np.uint32)
    return data.take(pa.array(np.lexsort((tail, middle, head)))).combine_chunks()
