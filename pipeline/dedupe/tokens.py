"""Words of many folded texts at once, as numbers: one pass over the joined bytes, never a Python string per word.

A word is a run of ASCII letters and digits and of characters below U+0800 (Latin with accents, Greek, Cyrillic,
Hebrew, Arabic …). Every character from U+0800 on is a word of its own, since Chinese, Japanese and Thai put
no spaces between words; three of them make a shingle as three words do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

_WORD = b"abcdefghijklmnopqrstuvwxyz0123456789"
_CLASSES = bytes(c if c in _WORD or c >= 0x80 else 0 for c in range(256))
_WIDE = 0xE0
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [(1 << 64) - 1], dtype=np.uint64)
_PAD = 8


@dataclass(frozen=True, slots=True)
class Words:
    """The words of several texts: a hash and a span of the joined bytes each; text `i` has `first[i]:first[i + 1]`."""

    hashes: U64
    starts: I64
    ends: I64
    first: I64
    data: NDArray[np.uint8]


def mix(values: U64) -> U64:
    """A bijective scrambling of 64-bit values (the finaliser of MurmurHash3, Appleby 2011), in place."""
    values ^= values >> np.uint64(33)
    values *= np.uint64(0xFF51AFD7ED558CCD)
    values ^= values >> np.uint64(33)
    values *= np.uint64(0xC4CEB9FE1A85EC53)
    values ^= values >> np.uint64(33)
    return values


def _find_borders(data: NDArray[np.uint8]) -> tuple[I64, I64]:
    """Start and end of every word in `data`, which begins and ends with a separator."""
    inside = data != 0
    if not (data >= _WIDE).any():
        edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
        return edges[0::2], edges[1::2]
    cut = np.zeros(len(data) + _PAD, dtype=bool)
    wide = np.flatnonzero(data >= _WIDE)
    cut[wide] = True
    cut[wide + np.where(data[wide] >= 0xF0, 4, 3)] = True
    cut = cut[: len(data)]
    starts = np.flatnonzero(inside[1:] & (cut[1:] | ~inside[:-1])) + 1
    ends = np.flatnonzero(inside[:-1] & (cut[1:] | ~inside[1:])) + 1
    return starts, ends


def _hash_words(data: NDArray[np.uint8], starts: I64, ends: I64) -> U64:
    """A 64-bit hash of each word: exact in its first 16 and last 8 bytes and its length."""
    eights = np.ndarray((len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))
    lengths = ends - starts
    hashes = eights[starts] & _MASKS[np.minimum(lengths, 8)]
    hashes *= np.uint64(_MULTIPLIERS[0])
    long = np.flatnonzero(lengths > 8)
    if len(long):
        rest = lengths[long]
        more = eights[starts[long] + 8] & _MASKS[np.minimum(rest - 8, 8)]
        last = eights[ends[long] - 8]
        hashes[long] ^= (more + rest.astype(np.uint64)) * np.uint64(_MULTIPLIERS[1]) + last * np.uint64(_MULTIPLIERS[2])
    return mix(hashes)


def join_folded(folded: Sequence[bytes]) -> bytes:
    """Folded texts (`keys.fold`) as one run of bytes: a line end before and after each, and some bytes to read beyond."""
    return b"\n" + b"\n".join(folded) + b"\n" + bytes(_PAD)


def split_words(folded: Sequence[bytes]) -> Words:
    """The words of folded texts (`keys.fold`)."""
    return split_joined(join_folded(folded), folded)


def split_joined(joined: bytes, folded: Sequence[bytes]) -> Words:
    """The words of folded texts that `join_folded` has joined."""
    data = np.frombuffer(joined.translate(_CLASSES), dtype=np.uint8)
    starts, ends = _find_borders(data)
    lengths = np.fromiter(map(len, folded), dtype=np.int64, count=len(folded))
    borders = np.concatenate(([0], np.cumsum(lengths + 1)))
    return Words(_hash_words(data, starts, ends), starts, ends, np.searchsorted(starts, borders), data)
