"""Merging sorted shards in bounded memory: cut the keys into ranges, cut every shard at the same keys, join range by range.

Abstract ids are digits of a hash, so equal slices of the id space hold nearly equal numbers of abstracts.
Files and ordinals are cut where the rows say so. Either way the edges depend on the rows alone, not on the shards.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.load.context import LoadOptions
from schemas.as_arrow import arrow_schema, conform
from schemas.checks import BY_FILE, descents
from schemas.strings import whole
from schemas.tables import TABLES, Table

Key = tuple[Any, ...]

#: Rows of quarantine in one row group: each may hold 64 KiB.
_QUARANTINE_ROWS = 2048


@dataclass(frozen=True, slots=True)
class Cut:
    """A shard to cut at `edges` into `target`, a file with one record batch per range."""

    source: Path
    table: str
    edges: tuple[Key, ...]
    target: Path


@dataclass(frozen=True, slots=True)
class Ranges:
    """The cut shards of one table. Range `i` holds the rows with `edges[i-1] <= key < edges[i]`."""

    table: str
    edges: tuple[Key, ...]
    shards: tuple[Path, ...]

    @property
    def count(self) -> int:
        return len(self.edges) + 1

    def load(self, index: int) -> pa.Table:
        """The rows of one range, in the order of the table."""
        table = TABLES[self.table]
        batches = []
        for path in self.shards:
            with pa.memory_map(str(path)) as file:
                batches.append(pa.ipc.open_file(file).get_batch(index))
        data = pa.Table.from_batches(batches, schema=arrow_schema(table)) if batches else arrow_schema(table).empty_table()
        return in_order(data.combine_chunks(), table)


def key_columns(table: Table) -> tuple[str, ...]:
    """The columns by which a table is cut into ranges."""
    return ("source_file", "ordinal") if table in BY_FILE else ("abstract_id",)


def id_edges(abstracts: int, options: LoadOptions) -> tuple[Key, ...]:
    """Edges that cut the space of ids into equal slices of about `rows_per_group` abstracts."""
    count = max(-(-abstracts // options.rows_per_group), 1)
    return tuple((format((i << 80) // count, "020x"),) for i in range(1, count))


def file_edges(table: Table, shards: Sequence[Path], options: LoadOptions) -> tuple[Key, ...]:
    """Edges that cut a file-keyed table into ranges of an equal number of rows."""
    size = 2 * options.rows_per_group if table.name == "sources" else _QUARANTINE_ROWS
    if sum(pq.read_metadata(path).num_rows for path in shards) <= size:
        return ()
    keys = pa.concat_tables(
        pq.read_table(path, columns=list(key_columns(table)), partitioning=None, read_dictionary=["source_file"]) for path in shards
    ).unify_dictionaries().combine_chunks()
    names = whole(keys["source_file"])
    rank = np.argsort(np.argsort(np.asarray(names.dictionary.to_pylist(), dtype=object), kind="stable"))
    files, ordinals = rank[np.asarray(names.indices)], np.asarray(pc.fill_null(whole(keys["ordinal"]), 2**31 - 1))
    order = np.lexsort((ordinals, files))
    edges = dict.fromkeys((names[int(row)].as_py(), int(ordinals[row])) for row in order[size::size])
    return tuple(edges)


def cut_shard(cut: Cut) -> Path:
    """Write a shard as one record batch per range. Rows need not be sorted, but a sorted shard is cheaper."""
    table = TABLES[cut.table]
    data = in_order(conform(pq.read_table(cut.source, partitioning=None).combine_chunks(), table), table)
    key = _key_of(data, table)
    places = [0, *(bisect.bisect_left(range(data.num_rows), edge, key=key) for edge in cut.edges), data.num_rows]
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.OSFile(str(cut.target), "wb") as file, pa.ipc.new_file(file, data.schema, options=options) as writer:
        for start, end in itertools.pairwise(places):
            rows = data.slice(start, end - start).combine_chunks().to_batches()
            writer.write_batch(rows[0] if rows else pa.RecordBatch.from_pylist([], schema=data.schema))
    del data, key, rows
    pa.default_memory_pool().release_unused()
    return cut.target


def _key_of(data: pa.Table, table: Table) -> Callable[[int], Key]:
    columns = [whole(data[name]) for name in key_columns(table)]
    return lambda row: tuple(2**31 - 1 if (value := column[row].as_py()) is None else value for column in columns)


def in_order(data: pa.Table, table: Table) -> pa.Table:
    """`data` sorted by the order of its table; ties stay as they are."""
    if len(descents([whole(data[name]) for name in table.order])) == 0:
        return data
    rows = pc.sort_indices(data, sort_keys=[(name, "ascending", "at_end") for name in table.order])
    return data.take(rows).combine_chunks()
