"""The normalised keys of many folded texts at once: what `keys.key_of_folded` does to one, on the joined bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.dedupe.keys import DROPPED, MARKS, key_of_folded
from pipeline.dedupe.tokens import I64, Words

_DECIMAL, _GROUP, _MINUS, _POWER, _SLASH = range(1, 6)
_BEFORE_SIGN = np.isin(np.arange(256), np.frombuffer(b" ([=<>~\n", np.uint8))
_BEFORE_POINT = np.isin(np.arange(256), np.frombuffer(b" ([=<>~\n-\x03", np.uint8))
_THOUSANDS = np.isin(np.arange(256), np.frombuffer(b", '", np.uint8))
_SINGLE = np.full(256, _GROUP, dtype=np.uint8)
_SINGLE[[ord("."), ord("^"), ord("/")]] = _DECIMAL, _POWER, _SLASH


def _mark_signs(data: NDArray[np.uint8], digit: NDArray[np.bool_]) -> None:
    dashes = np.flatnonzero(data == ord("-"))
    number = digit[dashes + 1] | ((data[dashes + 1] == ord(".")) & digit[dashes + 2])
    data[dashes[number & _BEFORE_SIGN[data[dashes - 1]]]] = _MINUS


def _mark_points(data: NDArray[np.uint8], digit: NDArray[np.bool_]) -> I64:
    """Blank the points that are none of a number; the places of those that want a 0 before them."""
    points = np.flatnonzero(data == ord("."))
    points = points[digit[points + 1] & ~digit[points - 1]]
    bare = _BEFORE_POINT[data[points - 1]]
    data[points[~bare]] = ord(" ")
    return points[bare]


def _mark_gaps(data: NDArray[np.uint8], digit: NDArray[np.bool_], words: Words) -> None:
    """Mark what stands between two words that end and begin with a digit."""
    within = np.ones(max(len(words.starts) - 1, 0), dtype=bool)
    borders = words.first[(words.first > 0) & (words.first < len(words.starts))] - 1
    within[borders] = False
    gaps = np.flatnonzero(within & digit[words.ends[:-1] - 1] & digit[words.starts[1:]])
    start, end = words.ends[gaps], words.starts[gaps + 1]
    size = end - start
    three = digit[end] & digit[end + 1] & digit[end + 2] & ~digit[end + 3]
    first, second = data[start], data[start + 1]
    power = (size == 2) & (first == ord("^")) & (second == ord("-"))
    braced = (size == 3) & (first == ord("{")) & (second == ord(",")) & (data[start + 2] == ord("}"))
    thousand = three & (braced | ((size == 1) & _THOUSANDS[first]))
    marks = np.where(size == 1, _SINGLE[first], np.where(power, _POWER, _GROUP)).astype(np.uint8)
    marked = (size > 0) & ~thousand
    start, size, power = start[marked], size[marked], power[marked]
    rest = np.repeat(start + size - np.cumsum(size - 1) - 1, size - 1) + np.arange(int((size - 1).sum())) + 1
    data[rest] = 0
    data[start] = marks[marked]
    data[start[power] + 1] = _MINUS


def find_keys(folded: Sequence[bytes], joined: bytes, words: Words) -> list[bytes]:
    """The key of each text, as `key_of_folded` gives it; `joined` and `words` are those of the texts (`tokens`)."""
    data = np.frombuffer(joined, dtype=np.uint8).copy()
    digit = (data - np.uint8(ord("0"))) < 10
    _mark_signs(data, digit)
    bare = _mark_points(data, digit)
    _mark_gaps(data, digit, words)
    lengths = np.fromiter(map(len, folded), dtype=np.int64, count=len(folded))
    ends = np.cumsum(lengths + 1)
    alone = set(np.searchsorted(ends, bare).tolist())
    marked, starts = data.tobytes(), (ends - lengths).tolist()
    keys = [marked[start:end].translate(MARKS, DROPPED) for start, end in zip(starts, ends.tolist(), strict=True)]
    for index in alone:
        keys[index] = key_of_folded(folded[index])
    return keys
