"""Signatures of texts: the hash of the normalised key, a MinHash sketch of the word 3-grams, and the word count.

The sketch is one-permutation MinHash (Li, Owen, Zhang 2012): the 64-bit hash of each 3-gram picks one of `BINS`
bins and the smallest value of each bin stays; a bin that no 3-gram fell into holds `EMPTY`. Words of three
rather than five because shingles of five lose half of the texts with 10 % of their words edited (docs/duplicates.md).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.dedupe.keys import bare_key, fold, hash_key
from pipeline.dedupe.marks import find_keys
from pipeline.dedupe.tokens import Words, join_folded, mix, split_joined

BINS = 64
EMPTY = np.uint32(0xFFFFFFFF)
KEY_BYTES = 16
SIGNATURES = pa.schema(
    [
        pa.field("key_hash", pa.binary(KEY_BYTES), nullable=False),
        pa.field("sketch", pa.binary(4 * BINS), nullable=False),
        pa.field("n_tokens", pa.int32(), nullable=False),
    ]
)
_BLOCK = 256
_FACTORS = np.array([1, 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93], dtype=np.uint64)


def _hash_shingles(words: Words) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hash of every word 3-gram and the text it is of; a text of one or two words is one shingle."""
    counts = np.diff(words.first)
    rows = np.repeat(np.arange(len(counts)), counts)
    left = np.repeat(words.first[1:], counts) - np.arange(len(rows))
    hashes = words.hashes.copy()
    for step in (1, 2):
        following = np.zeros_like(hashes)
        following[:-step] = words.hashes[step:]
        following[left <= step] = 0
        hashes += following * _FACTORS[step]
    whole = (left >= 3) | (left == np.repeat(counts, counts))
    return mix(hashes[whole]), rows[whole]


def sketch_words(words: Words) -> NDArray[np.uint32]:
    """The MinHash sketch of each text: one row of `BINS` values."""
    shingles, rows = _hash_shingles(words)
    sketch = np.full((len(words.first) - 1) * BINS, EMPTY, dtype=np.uint32)
    places = rows * BINS + (shingles >> np.uint64(58)).astype(np.int64)
    values = ((shingles >> np.uint64(24)) & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    np.minimum.at(sketch, places, np.minimum(values, EMPTY - np.uint32(1)))
    return sketch.reshape(-1, BINS)


def _iterate_blocks(texts: pa.Array | pa.ChunkedArray) -> Iterator[list[str]]:
    chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    for chunk in chunks:
        for start in range(0, len(chunk), _BLOCK):
            yield [text or "" for text in chunk.slice(start, _BLOCK).to_pylist()]


def sign_table(texts: pa.Array | pa.ChunkedArray) -> pa.Table:
    """The signatures of clean texts, one row a text in the same order (`SIGNATURES`); a null counts as empty.

    It depends on nothing but the texts and this code, so a caller may keep it with the shard.
    """
    batches = [sign_texts(block) for block in _iterate_blocks(texts)]
    return pa.Table.from_batches(batches, SIGNATURES)


def sign_texts(texts: list[str]) -> pa.RecordBatch:
    """The signatures of a few hundred texts (more cost the cache its use)."""
    folded = [fold(text) for text in texts]
    joined = join_folded(folded)
    words = split_joined(joined, folded)
    found = zip(texts, find_keys(folded, joined, words), strict=True)
    keys = b"".join([hash_key(key or bare_key(text))[:KEY_BYTES] for text, key in found])
    counts = np.diff(words.first).astype(np.int32)
    columns = [
        pa.Array.from_buffers(pa.binary(KEY_BYTES), len(texts), [None, pa.py_buffer(keys)]),
        pa.Array.from_buffers(pa.binary(4 * BINS), len(texts), [None, pa.py_buffer(sketch_words(words))]),
        pa.Array.from_buffers(pa.int32(), len(texts), [None, pa.py_buffer(counts)]),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SIGNATURES)


def read_keys(column: pa.Array | pa.ChunkedArray) -> NDArray[np.uint64]:
    """The key hashes of a table or batch as two numbers each: an array of shape (rows, 2)."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    parts = [np.frombuffer(c.buffers()[1], ">u8").reshape(-1, 2)[c.offset : c.offset + len(c)] for c in chunks if len(c)]
    return np.concatenate(parts).astype(np.uint64) if parts else np.empty((0, 2), np.uint64)


def read_sketches(column: pa.Array | pa.ChunkedArray) -> NDArray[np.uint32]:
    """The sketches of a table or batch as an array of shape (rows, `BINS`)."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    parts = [_view_sketches(chunk) for chunk in chunks if len(chunk)]
    return np.concatenate(parts) if len(parts) != 1 and parts else parts[0] if parts else np.empty((0, BINS), np.uint32)


def _view_sketches(chunk: pa.Array) -> NDArray[np.uint32]:
    flat = np.frombuffer(chunk.buffers()[1], dtype=np.uint32)
    return flat.reshape(-1, BINS)[chunk.offset : chunk.offset + len(chunk)]
