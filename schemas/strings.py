"""Substrings of many texts at once, by code points, without making Python strings."""

from __future__ import annotations

import re
import unicodedata

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
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    data = np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8)
    parts = []
    first = 0
    while first < len(texts):
        last = max(int(np.searchsorted(offsets, offsets[first] + BLOCK_BYTES, side="right")) - 1, first + 1)
        here = slice(*np.searchsorted(rows, (first, last)))
        block = data[offsets[first] : offsets[last]]
        base = offsets[rows[here]] - offsets[first]
        parts.append(_cut_block(block, base, starts[here], ends[here]))
        first = last
    return pa.concat_arrays(parts) if parts else pa.array([], pa.string())


def _cut_block(block: np.ndarray, base: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> pa.Array:
    if block.size and block.max() >= 128:
        characters = np.flatnonzero((block & 0xC0) != 0x80)
        index = np.searchsorted(characters, base)
        begin = characters[index + starts]
        end = np.where(index + ends < characters.size, characters.take(index + ends, mode="clip"), block.size)
    else:
        begin, end = base + starts, base + ends
    lengths = end - begin
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    picked = block[np.repeat(begin - offsets[:-1], lengths) + np.arange(offsets[-1])]
    return pa.StringArray.from_buffers(len(begin), pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(picked))


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
