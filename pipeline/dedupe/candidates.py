"""Pairs of texts worth comparing, from their MinHash sketches, in memory that does not grow with the corpus.

Texts are numbered by rank (0 is the one that would be kept first). Each bin of the sketch is sorted once; texts
with the same value in a bin share a word 3-gram:

- a value that few texts hold is telling: each text is paired with the others (`_RARE`), each shared value counts one;
- values of three bins together hold for texts that are nearly equal, however many there are: each text is paired
  with the first `_HEADS` of its bucket and the one before it, which counts enough at once.

So the pairs are linear in the number of texts whatever the texts are. Pairs that count at least `_ENOUGH` are candidates;
those that count less than `_CERTAIN` only where they are the best of both of their texts. (Real abstracts have few such
pairs; in texts that share single sentences with many others they would be most of the work.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.dedupe.signatures import BINS, EMPTY
from pipeline.dedupe.tokens import mix

_BAND = 3
_RARE = 6
_HEADS = 3
_ENOUGH = 4
_CERTAIN = 6

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
U8 = NDArray[np.uint8]
ReadBins = Callable[[int, int], U32]
"""Bins `start:end` of all sketches in rank order, as an array of shape (end - start, texts)."""


def _pair(first: NDArray[np.int64], second: NDArray[np.int64]) -> U64:
    low, high = np.minimum(first, second), np.maximum(first, second)
    return (low.astype(np.uint64) << np.uint64(32)) | high.astype(np.uint64)


def _sort_buckets(values: U64, ranks: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Ranks sorted by (value, rank), each one's place in its bucket, and the size of its bucket."""
    packed = (values << np.uint64(32)) | ranks.astype(np.uint64)
    packed.sort()
    heads = np.flatnonzero(np.concatenate(([True], packed[1:] >> np.uint64(32) != packed[:-1] >> np.uint64(32))))
    sizes = np.diff(np.append(heads, len(packed)))
    sorted_ranks = (packed & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return sorted_ranks, np.arange(len(packed)) - np.repeat(heads, sizes), np.repeat(sizes, sizes)


def _pair_rare(values: U32) -> Iterator[U64]:
    """Pairs of texts that share a value which at most `_RARE` texts hold."""
    full = np.flatnonzero(values != EMPTY)
    if len(full) < 2:
        return
    ranks, place, size = _sort_buckets(values[full].astype(np.uint64), full)
    for step in range(1, _RARE):
        later = np.flatnonzero((place >= step) & (size <= _RARE))
        yield _pair(ranks[later - step], ranks[later])


def _pair_with_heads(values: U64, ranks: NDArray[np.int64]) -> Iterator[U64]:
    """Each text of a bucket with the first `_HEADS` of it and with the one before it."""
    ranks, place, _ = _sort_buckets(values, ranks)
    for head in range(_HEADS):
        later = np.flatnonzero(place > head)
        yield _pair(ranks[later - place[later] + head], ranks[later])
    later = np.flatnonzero(place > _HEADS)
    yield _pair(ranks[later - 1], ranks[later])


def _pair_banded(band: U32) -> Iterator[U64]:
    """Pairs of texts with the same values in all bins of a band: with the heads of the bucket, and neighbours."""
    full = np.flatnonzero((band != EMPTY).all(axis=0))
    if len(full) < 2:
        return
    combined = band[0, full].astype(np.uint64)
    for row in band[1:]:
        combined = mix(combined * np.uint64(0x9E3779B97F4A7C15) + row[full])
    yield from _pair_with_heads(combined >> np.uint64(32), full)


def pair_equal(values: NDArray[np.int64]) -> U64:
    """Sorted pairs of texts, in rank order, with the same value other than 0: with the heads of each bucket and neighbours."""
    held = np.flatnonzero(values)
    if len(held) < 2:
        return np.empty(0, np.uint64)
    hashes = mix(values[held].astype(np.uint64)) >> np.uint64(32)
    return np.unique(np.concatenate(list(_pair_with_heads(hashes, held))))


class PairStore:
    """Counted pairs on disk, in files by range of the first rank, so that each file can be sorted in memory."""

    def __init__(self, folder: Path, n_texts: int, memory_bytes: int) -> None:
        expected = n_texts * 8 * BINS // 2
        self._parts = max(1, -(-expected * 3 // memory_bytes))
        self._n_texts = max(n_texts, 1)
        self._paths = [folder / f"pairs-{part:05d}.bin" for part in range(self._parts)]
        for path in self._paths:
            path.write_bytes(b"")

    def add(self, pairs: U64, weight: int = 1) -> None:
        """Count `pairs` (first rank in the upper half) `weight` times."""
        if not len(pairs):
            return
        part_of = (pairs >> np.uint64(32)).astype(np.int64) * self._parts // self._n_texts
        for part, path in enumerate(self._paths):
            chosen = pairs if self._parts == 1 else pairs[part_of == part]
            with path.open("ab") as file:
                for _ in range(weight):
                    chosen.tofile(file)

    def drain(self) -> Iterator[tuple[U64, U8]]:
        """The pairs that count enough and their counts (255 at most), sorted, a file at a time; the files are removed."""
        for path in self._paths:
            pairs = np.fromfile(path, dtype=np.uint64)
            path.unlink()
            pairs.sort()
            if len(pairs):
                heads = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))
                counts = np.diff(np.append(heads, len(pairs)))
                enough = counts >= _ENOUGH
                yield pairs[heads[enough]], np.minimum(counts[enough], 255).astype(np.uint8)


def _split(pairs: U64) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _choose(counted: list[tuple[U64, U8]], n_texts: int) -> Iterator[U64]:
    """The pairs that are certain, and of the others those that are the best of one of their texts."""
    best = np.zeros(n_texts, dtype=np.uint8)
    for pairs, counts in counted:
        for ranks in _split(pairs):
            np.maximum.at(best, ranks, counts)
    for pairs, counts in counted:
        first, second = _split(pairs)
        both = (counts == best[first]) & (counts == best[second])
        yield pairs[(counts >= _CERTAIN) | both]


def find_candidates(read_bins: ReadBins, n_texts: int, folder: Path, memory_bytes: int) -> Iterator[U64]:
    """Sorted arrays of candidate pairs, `first rank << 32 | second rank`, each pair once."""
    store = PairStore(folder, n_texts, memory_bytes // 2)
    step = max(_BAND, min(BINS, memory_bytes // 4 // max(4 * n_texts, 1) // _BAND * _BAND))
    for start in range(0, BINS, step):
        bins = read_bins(start, min(start + step, BINS))
        for values in bins:
            for pairs in _pair_rare(values):
                store.add(pairs)
        for low in range(0, len(bins) - _BAND + 1, _BAND):
            for pairs in _pair_banded(bins[low : low + _BAND]):
                store.add(pairs, _ENOUGH)
    yield from _choose(list(store.drain()), n_texts)
