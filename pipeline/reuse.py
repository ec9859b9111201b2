"""Rows that an earlier run worked out: a changed shard takes over what it has in common with those that it replaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.load.parts import map_part, write_part

#: 128 bits: two of 10^9 different texts have the same hash with a chance of 10^-21.
HASH = pa.binary(16)
_FILE = "texts.arrow"
Rows = npt.NDArray[np.int64]


def hash_texts(texts: pa.ChunkedArray) -> pa.Array:
    """A hash of each text."""
    return pa.array([blake2b(text, digest_size=16).digest() for text in texts.cast(pa.binary()).to_pylist()], HASH)


def write_hashes(hashes: pa.Array, folder: Path) -> None:
    """Note the texts of the rows that a folder holds."""
    write_part(pa.table({"text": hashes}), folder / _FILE)


def read_hashes(folder: Path) -> pa.Array:
    """The hashes of the texts of the rows that a folder holds."""
    return map_part(folder / _FILE)["text"]


def find_rows(hashes: pa.Array, donors: Sequence[Path]) -> Iterator[tuple[Path, Rows, Rows]]:
    """Folders that hold some of the texts, with places in `hashes` and the rows there; each place once."""
    missing = np.ones(len(hashes), dtype=bool)
    for folder in donors:
        found = pc.index_in(hashes, value_set=read_hashes(folder))
        places = np.flatnonzero(np.asarray(found.is_valid()) & missing)
        if len(places):
            missing[places] = False
            yield folder, places, np.asarray(found.take(pa.array(places)), dtype=np.int64)
        if not missing.any():
            return


def left_over(count: int, taken: Sequence[Rows]) -> Rows:
    """The places below `count` that no array in `taken` names."""
    missing = np.ones(count, dtype=bool)
    for places in taken:
        missing[places] = False
    return np.flatnonzero(missing)


def put_together(pieces: Sequence[tuple[Rows, pa.Table]]) -> pa.Table:
    """Rows that belong at the given places, in order."""
    if len(pieces) == 1:
        return pieces[0][1]
    order = np.argsort(np.concatenate([places for places, _ in pieces]))
    return pa.concat_tables([data for _, data in pieces]).combine_chunks().take(pa.array(order))
