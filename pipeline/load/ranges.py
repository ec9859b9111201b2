"""Merging sorted parts in bounded memory: cut the keys into ranges, find the cuts in every part, join range by range.

Abstract ids are digits of a hash, so equal slices of the id space hold nearly equal numbers of abstracts.
Files and ordinals are cut where the rows say so. Either way the edges depend on the rows alone, not on the parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.load.context import LoadOptions
from pipeline.load.parts import LAST, Key, key_columns, map_part, merge, places_of, read_columns
from schemas.strings import whole
from schemas.tables import TABLES, Table

#: Rows of quarantine in one row group: each may hold 64 KiB.
_QUARANTINE_ROWS = 2048


@dataclass(frozen=True, slots=True)
class Ranges:
    """The parts of one table, cut at `edges`. Range `i` holds the rows with `edges[i-1] <= key < edges[i]`.

    `places` gives for each part the row at which each range starts, and its end.
    """

    table: str
    edges: tuple[Key, ...]
    parts: tuple[Path, ...]
    places: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, table: Table, edges: tuple[Key, ...], parts: Sequence[Path]) -> Ranges:
        """Find the cuts in every part."""
        return cls(table.name, edges, tuple(parts), tuple(places_of(path, table, edges) for path in parts))

    @property
    def count(self) -> int:
        return len(self.edges) + 1

    def load(self, index: int) -> pa.Table:
        """The rows of one range, in the order of the table."""
        slices = []
        for path, places in zip(self.parts, self.places, strict=True):
            start, end = places[index], places[index + 1]
            if start < end:
                slices.append(map_part(path).slice(start, end - start))
        return merge(slices, TABLES[self.table])


def id_edges(abstracts: int, options: LoadOptions) -> tuple[Key, ...]:
    """Edges that cut the space of ids into equal slices of about `rows_per_group` abstracts."""
    count = max(-(-abstracts // options.rows_per_group), 1)
    return tuple((format((i << 80) // count, "020x"),) for i in range(1, count))


def file_edges(table: Table, parts: Sequence[Path], options: LoadOptions) -> tuple[Key, ...]:
    """Edges that cut a file-keyed table into ranges of an equal number of rows."""
    size = 2 * options.rows_per_group if table.name == "sources" else _QUARANTINE_ROWS
    keys = [read_columns(path, key_columns(table)) for path in parts]
    if sum(data.num_rows for data in keys) <= size:
        return ()
    coded = [data.set_column(0, "source_file", data["source_file"].dictionary_encode()) for data in keys]
    both = pa.concat_tables(coded).unify_dictionaries().combine_chunks()
    names = whole(both["source_file"])
    rank = np.argsort(np.argsort(np.asarray(names.dictionary.to_pylist(), dtype=object), kind="stable"))
    files, ordinals = rank[np.asarray(names.indices)], np.asarray(pc.fill_null(whole(both["ordinal"]), LAST))
    order = np.lexsort((ordinals, files))
    edges = dict.fromkeys((names[int(row)].as_py(), int(ordinals[row])) for row in order[size::size])
    return tuple(edges)
