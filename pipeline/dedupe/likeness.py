"""How alike two texts are, word by word.

The words of two texts are aligned (longest common subsequence, bit-parallel: Hyyrö 2004, through RapidFuzz). Where
that alone does not decide, rare words count more than common ones: two abstracts on one subject share half of
their words, but not their rare words in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel, LCSseq

from pipeline.dedupe.keys import fold
from pipeline.dedupe.tokens import Words, split_words
from pipeline.dedupe.weights import weigh_words

Item = TypeVar("Item")

_CODE_MASK = np.uint64(0xFFFFF)
_FIRST_CODE = 0x10000
_LAST_CODE = 0x10FFFF
_WIDE = 0xE0
_BLOCK_WORDS = 8
_LENGTHS = 0.8
_LITTLE = 0.2
_SLACK = 4
_LOST = 0.04
_MOST_WORDS = 20_000
"""Words of a text that are compared, since aligning takes the square of them: what is longer is no abstract."""
_NOTICE = re.compile(r"\b(?:retract(?:ed|ion)|erratum|errata|corrigend(?:um|a)|withdrawn|expression of concern)\b")
_NOTICE_HINTS = ("retract", "errat", "corrigend", "withdrawn", "concern")
_NOTICE_WITHIN = 160


@dataclass(frozen=True, slots=True)
class _Batch:
    """The words of all texts of a batch, their bytes, the first byte of each word, and a byte each that tells numbers."""

    words: Words
    data: bytes
    firsts: NDArray[np.uint8]
    digits: bytes


class WordedText:
    """A text ready to be compared: its words as the characters of `codes`; the rest is worked out when first asked for."""

    def __init__(self, text: str, codes: str, batch: _Batch, first: int) -> None:
        self.text = text
        self.codes = codes
        self.names: dict[bytes, bool] = {}
        self._batch = batch
        self._first = first

    def word(self, index: int) -> bytes:
        """One word, folded."""
        place, words = self._first + index, self._batch.words
        return self._batch.data[words.starts.item(place) : words.ends.item(place)]

    def words(self, start: int, end: int) -> tuple[bytes, ...]:
        """Words `start:end`, folded."""
        return tuple([self.word(index) for index in range(start, end)])

    @property
    def first_bytes(self) -> NDArray[np.uint8]:
        """The first byte of each word."""
        return self._batch.firsts[self._first : self._first + len(self.codes)]

    @property
    def digit_flags(self) -> bytes:
        """A byte a word: 1 where it begins with a digit."""
        return self._batch.digits[self._first : self._first + len(self.codes)]

    @property
    def letters(self) -> bytes:
        """The words run together."""
        words, last = self._batch.words, self._first + len(self.codes) - 1
        return self._batch.data[words.starts.item(self._first) : words.ends.item(last)].replace(b"\0", b"")

    def cut(self, start: int, size: int) -> WordedText:
        """`size` words from `start`, and a few on either side."""
        low, high = max(0, start - size // _SLACK), max(0, start + size + size // _SLACK)
        return WordedText(self.text, self.codes[low:high], self._batch, self._first + low)

    @cached_property
    def is_notice(self) -> bool:
        """Whether the text begins as a notice about a paper: that it is retracted, corrected, withdrawn."""
        start = self.text[:_NOTICE_WITHIN].lower()
        return any(map(start.__contains__, _NOTICE_HINTS)) and bool(_NOTICE.search(start))

    @cached_property
    def lowered(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    @cached_property
    def is_wide(self) -> bool:
        """Whether most words are single characters, as in Chinese and Japanese."""
        return bool(2 * np.count_nonzero(self.first_bytes >= _WIDE) > len(self.codes))

    @cached_property
    def weights(self) -> NDArray[np.float32]:
        """How telling each word is."""
        hashes = self._batch.words.hashes[self._first : self._first + len(self.codes)]
        return weigh_words(hashes, self.first_bytes >= _WIDE)

    @cached_property
    def word_set(self) -> dict[str, float]:
        """The distinct words with their squared weights."""
        return dict(zip(self.codes, (self.weights * self.weights).tolist(), strict=True))

    @cached_property
    def pair_set(self) -> dict[tuple[str, str], float]:
        """The distinct pairs of neighbouring words with the squares of their summed weights."""
        sums = self.weights[:-1] + self.weights[1:]
        return dict(zip(pairwise(self.codes), (sums * sums).tolist(), strict=True))


def code_words(words: Words) -> NDArray[np.uint32]:
    """Each word as a code point: words that differ share one once in a million."""
    codes = ((words.hashes & _CODE_MASK) + np.uint64(_FIRST_CODE)).astype("<u4")
    codes[codes > _LAST_CODE] = _FIRST_CODE
    return codes


def word_texts(texts: Sequence[str]) -> list[WordedText]:
    """Texts ready to be compared, all of a batch in one pass."""
    split = split_words([fold(text) for text in texts])
    codes = code_words(split)
    firsts = split.data[split.starts]
    digits = (firsts - np.uint8(ord("0"))) < 10
    batch = _Batch(split, split.data.tobytes(), firsts, digits.tobytes())
    borders = split.first.tolist()
    return [
        WordedText(text, codes[low : min(high, low + _MOST_WORDS)].tobytes().decode("utf-32-le"), batch, low)
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


def crop_longer(a: WordedText, b: WordedText, shared: Sequence[Stretch]) -> tuple[WordedText, WordedText]:
    """The shorter text and the part of the longer about their longest common stretch, where that alone contains the shorter."""
    start, _, other_start, _ = max(shared, key=lambda stretch: stretch[1] - stretch[0])
    if len(a.codes) < len(b.codes):
        cropped = a, b.cut(other_start - start, len(a.codes))
    else:
        cropped = a.cut(start - other_start, len(b.codes)), b
    return cropped if measure_overlap(*cropped).containment >= measure_overlap(a, b).containment - _LOST else (a, b)


def _share_cosine(a: dict[Item, float], b: dict[Item, float]) -> float:
    """Cosine of two weighted sets."""
    common = sum([a[item] for item in a.keys() & b.keys()])
    whole = sum(a.values()) * sum(b.values())
    return common / whole**0.5 if whole else 0.0


def measure_agreement(a: WordedText, b: WordedText, shared: Sequence[Stretch]) -> float:
    """Agreement with rare words counted more, 0 to 1: the mean of the cosines of the words and of the pairs of
    neighbouring words, and of the weight of the aligned words as a share of all. Where little is aligned (`_LITTLE`)
    that share alone is told: the rest costs time and would not reach any threshold."""
    if not a.codes or not b.codes:
        return 0.0
    sums = np.concatenate(([0.0], np.cumsum(a.weights, dtype=np.float64)))
    aligned = sum([sums.item(stretch[1]) - sums.item(stretch[0]) for stretch in shared])
    whole = sums.item(-1) + float(b.weights.sum(dtype=np.float64))
    share = 2 * aligned / whole if whole else 0.0
    if share < _LITTLE:
        return share
    words = _share_cosine(a.word_set, b.word_set)
    pairs = _share_cosine(a.pair_set, b.pair_set)
    return (words + pairs + share) / 3


def measure_inclusion(a: WordedText, b: WordedText, shared: Sequence[Stretch]) -> float:
    """The weight of the aligned words as a share of that of the lighter text; its square, since it is never low."""
    aligned = sum([float(a.weights[stretch[0] : stretch[1]].sum()) for stretch in shared])
    lighter = min(float(a.weights.sum()), float(b.weights.sum()))
    return (aligned / lighter) ** 2 if lighter else 0.0


def measure_letters(a: WordedText, b: WordedText) -> float:
    """Aligned letters of two texts as a share of all, spaces aside; 0 where the texts are of very different length."""
    left, right = a.letters, b.letters
    if min(len(left), len(right)) < _LENGTHS * max(len(left), len(right)):
        return 0.0
    return float(Indel.normalized_similarity(left, right, score_cutoff=_LENGTHS))


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
    left = {a.codes[i]: a.word_set[a.codes[i]] for i in rest_a.tolist()}
    right = {b.codes[i]: b.word_set[b.codes[i]] for i in rest_b.tolist()}
    return _share_cosine(left, right), size
