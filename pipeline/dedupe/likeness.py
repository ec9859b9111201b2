"""How alike two texts are, word by word.

The words of two texts are aligned (longest common subsequence, bit-parallel: Hyyrö 2004, through RapidFuzz). Where
that alone does not decide, rare words count more than common ones: two abstracts on one subject share half of
their words, but not their rare words in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel, LCSseq

from pipeline.dedupe.keys import fold
from pipeline.dedupe.tokens import U64, Words, split_words
from pipeline.dedupe.weights import weigh_words

_CODE_MASK = np.uint64(0xFFFFF)
_FIRST_CODE = 0x10000
_LAST_CODE = 0x10FFFF
_WIDE = 0xE0
_BLOCK_WORDS = 8


@dataclass(slots=True)
class WordedText:
    """A text ready to be compared: its words as the characters of `codes`, and as bytes on demand."""

    text: str
    codes: str
    _words: Words
    _low: int
    _high: int
    _weights: NDArray[np.float32] | None = field(default=None)

    def word(self, index: int) -> bytes:
        """One word, folded."""
        place = self._low + index
        return self._words.data[self._words.starts[place] : self._words.ends[place]].tobytes()

    def words(self, start: int, end: int) -> tuple[bytes, ...]:
        """Words `start:end`, folded."""
        return tuple([self.word(index) for index in range(start, end)])

    def first_bytes(self) -> NDArray[np.uint8]:
        """The first byte of each word."""
        return self._words.data[self._words.starts[self._low : self._high]]

    def hashes(self) -> U64:
        """The hash of each word."""
        return self._words.hashes[self._low : self._high]

    def weights(self) -> NDArray[np.float32]:
        """How telling each word is."""
        if self._weights is None:
            self._weights = weigh_words(self.hashes(), self.first_bytes() >= _WIDE)
        return self._weights


def word_texts(texts: Sequence[str]) -> list[WordedText]:
    """Texts ready to be compared, all of a batch in one pass."""
    split = split_words([fold(text) for text in texts])
    codes = ((split.hashes & _CODE_MASK) + np.uint64(_FIRST_CODE)).astype("<u4")
    codes[codes > _LAST_CODE] = _FIRST_CODE
    borders = split.first.tolist()
    return [
        WordedText(text, codes[low:high].tobytes().decode("utf-32-le"), split, low, high)
        for text, low, high in zip(texts, borders[:-1], borders[1:], strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Overlap:
    """How far two texts agree: aligned words as a share of all (`similarity`) and of the shorter text (`containment`)."""

    similarity: float
    containment: float
    shorter: int


def measure_overlap(a: WordedText, b: WordedText) -> Overlap:
    """The aligned words of two texts as shares; 0 where one of them has none."""
    n_a, n_b = len(a.codes), len(b.codes)
    if not n_a or not n_b:
        return Overlap(0.0, 0.0, 0)
    aligned = LCSseq.similarity(a.codes, b.codes)
    shorter = min(n_a, n_b)
    return Overlap(2 * aligned / (n_a + n_b), aligned / shorter, shorter)


Stretch = tuple[int, int, int, int]
"""Start and end in the one text, start and end in the other."""


def align(a: WordedText, b: WordedText) -> tuple[list[Stretch], list[Stretch]]:
    """The stretches that two texts share, and those in which they differ (either side may be empty), in order."""
    shared: list[Stretch] = []
    changed: list[Stretch] = []
    for code in Indel.opcodes(a.codes, b.codes):
        stretch = (code.src_start, code.src_end, code.dest_start, code.dest_end)
        if code.tag == "equal":
            shared.append(stretch)
        elif changed and changed[-1][1] == stretch[0] and changed[-1][3] == stretch[2]:
            changed[-1] = (changed[-1][0], stretch[1], changed[-1][2], stretch[3])
        else:
            changed.append(stretch)
    return shared, changed


def _share_cosine(a: dict[object, float], b: dict[object, float]) -> float:
    """Cosine of two weighted sets."""
    common = sum(weight for item, weight in a.items() if item in b)
    whole = sum(a.values()) * sum(b.values())
    return common / whole**0.5 if whole else 0.0


def _weigh_set(codes: str, weights: NDArray[np.float32]) -> dict[object, float]:
    return dict(zip(codes, (weights * weights).tolist(), strict=True))


def _weigh_pairs(codes: str, weights: NDArray[np.float32]) -> dict[object, float]:
    sums = weights[:-1] + weights[1:]
    return dict(zip(pairwise(codes), (sums * sums).tolist(), strict=True))


def measure_agreement(a: WordedText, b: WordedText, shared: Sequence[Stretch]) -> float:
    """Agreement with rare words counted more, 0 to 1: the mean of the cosines of the words and of the pairs of
    neighbouring words, and of the weight of the aligned words as a share of all."""
    if not a.codes or not b.codes:
        return 0.0
    left, right = a.weights(), b.weights()
    words = _share_cosine(_weigh_set(a.codes, left), _weigh_set(b.codes, right))
    pairs = _share_cosine(_weigh_pairs(a.codes, left), _weigh_pairs(b.codes, right))
    aligned = sum(float(left[start:end].sum()) for start, end, _, _ in shared)
    return (words + pairs + 2 * aligned / (float(left.sum() + right.sum()) or 1.0)) / 3


def measure_rest(a: WordedText, b: WordedText, shared: Sequence[Stretch]) -> tuple[float, float]:
    """What two texts have in common outside the blocks that they share word for word: the cosine of the words there,
    and how large that rest is, as a share of the words of the text with the smaller rest.

    A revised abstract goes on about the same things in other words; one that shares a block of boilerplate does not.
    """
    blocks = [stretch for stretch in shared if stretch[1] - stretch[0] >= _BLOCK_WORDS]
    keep_a, keep_b = np.ones(len(a.codes), dtype=bool), np.ones(len(b.codes), dtype=bool)
    for start, end, other_start, other_end in blocks:
        keep_a[start:end] = False
        keep_b[other_start:other_end] = False
    rest_a, rest_b = np.flatnonzero(keep_a), np.flatnonzero(keep_b)
    size = min(len(rest_a) / max(len(a.codes), 1), len(rest_b) / max(len(b.codes), 1))
    left = _weigh_set("".join([a.codes[i] for i in rest_a]), a.weights()[rest_a])
    right = _weigh_set("".join([b.codes[i] for i in rest_b]), b.weights()[rest_b])
    return _share_cosine(left, right), size
