"""Substrings of many texts at once, by code points, without making Python strings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

#: Bytes of text looked at together: keeps the table of character positions small.
BLOCK_BYTES = 4 << 20


def whole(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """A column as one array."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def cut(texts: pa.Array, rows: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> pa.Array:
    """`texts[row][start:end]` for every triple. `rows` ascend; starts and ends are within their text."""
    offsets, data = _buffers(texts)
    begin, end = offsets[rows] + starts, offsets[rows] + ends
    foreign = np.flatnonzero(~np.asarray(pc.string_is_ascii(texts))[rows])
    if len(foreign):
        own, where = np.unique(rows[foreign], return_inverse=True)
        for part, inner in _in_blocks(offsets, own, where):
            spans = foreign[part]
            at = offsets[rows[spans]]
            begin[spans], end[spans] = (at + x for x in _in_bytes(texts, own[inner], (where[part] - inner.start, starts[spans], ends[spans])))
    lengths = end - begin
    out = np.concatenate(([0], np.cumsum(lengths)))
    picked = data[np.repeat(begin - out[:-1], lengths) + np.arange(out[-1])]
    return pa.StringArray.from_buffers(len(begin), pa.py_buffer(out.astype(np.int32)), pa.py_buffer(picked))


def _buffers(texts: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    if not len(texts):
        return np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint8)
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    return offsets, np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8)


def _in_blocks(offsets: np.ndarray, own: np.ndarray, where: np.ndarray) -> Iterator[tuple[slice, slice]]:
    """Slices of the spans and of the texts `own` that they stand in, with some BLOCK_BYTES of text in each."""
    sizes = np.cumsum(offsets[own + 1] - offsets[own])
    first = 0
    while first < len(own):
        done = int(sizes[first - 1]) if first else 0
        last = max(int(np.searchsorted(sizes, done + BLOCK_BYTES, side="right")), first + 1)
        low, high = np.searchsorted(where, (first, last))
        yield slice(int(low), int(high)), slice(first, last)
        first = last


def _in_bytes(texts: pa.Array, own: np.ndarray, spans: tuple[np.ndarray, np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Byte offsets within their texts of spans (row of `own`, start, end) that are given in characters."""
    row, starts, ends = spans
    offsets, data = _buffers(texts.take(pa.array(own)))
    characters = np.flatnonzero((data & 0xC0) != 0x80)
    base = offsets[row]
    index = np.searchsorted(characters, base)
    characters = np.append(characters, data.size)
    return characters[index + starts] - base, characters[index + ends] - base


def fold(text: str | None) -> str:
    """A name without case, spaces, punctuation, compatibility forms and a plural s."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text or "").casefold()).removesuffix("s")


def same_name(surface: pa.Array, names: pa.Array, long_forms: pa.Array) -> np.ndarray:
    """For each row whether `surface` is the name or the long form, but for case, punctuation and a plural s."""
    equal = pc.or_(pc.equal(surface, names), pc.equal(surface, long_forms).fill_null(False))
    same = np.array(equal.fill_null(False))
    for row in np.flatnonzero(~same):
        found = fold(surface[int(row)].as_py())
        same[row] = found in (fold(names[int(row)].as_py()), fold(long_forms[int(row)].as_py()))
    return same


def not_normalised(texts: pa.Array) -> np.ndarray:
    """Rows whose text is not in Unicode normalisation form NFC (pure ASCII always is)."""
    foreign = np.flatnonzero(~np.asarray(pc.string_is_ascii(texts)))
    picked = texts.take(pa.array(foreign)).to_pylist()
    return foreign[[not unicodedata.is_normalized("NFC", text) for text in picked]] if picked else foreign
