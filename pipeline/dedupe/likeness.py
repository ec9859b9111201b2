"""How alike two texts are, word by word, and whether what differs lets them be the same abstract.

The words of two texts are aligned (longest common subsequence, bit-parallel: Hyyrö 2004, through RapidFuzz).
`similarity` is 2 × aligned words / all words; `containment` is aligned words / words of the shorter text.
Thresholds: docs/duplicates.md, from `benchmarks/dedupe_thresholds.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from rapidfuzz.distance import Indel, LCSseq

from pipeline.dedupe.evidence import Evidence
from pipeline.dedupe.keys import fold
from pipeline.dedupe.tokens import split_words

Verdict = Literal["same", "variant", "different"]
_CODE_MASK = np.uint64(0xFFFFF)
_DIGIT_LOW, _DIGIT_HIGH = 48, 57

SAME = 0.70
ALIKE = 0.50
CONTAINED = 0.92
CONTAINED_WORDS = 20


@dataclass(frozen=True, slots=True)
class WordedText:
    """A text ready to be compared: its words as the characters of `codes`, which of them are numbers, and their bytes."""

    text: str
    codes: str
    is_number: bytes
    words: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Likeness:
    """What comparing two texts gave. `reason` says why a pair that is alike is kept apart, or what joined it."""

    similarity: float
    verdict: Verdict
    reason: str


def word_texts(texts: Sequence[str]) -> list[WordedText]:
    """Texts ready to be compared, all of a batch in one pass."""
    split = split_words([fold(text) for text in texts])
    codes = ((split.hashes & _CODE_MASK) + np.uint64(0x10000)).astype("<u4")
    codes[codes == 0x10FFFF] = 0x10000
    heads = split.data[split.starts]
    numbers = ((heads >= _DIGIT_LOW) & (heads <= _DIGIT_HIGH)).astype(np.uint8)
    data = split.data.tobytes()
    worded = []
    for index, text in enumerate(texts):
        low, high = int(split.first[index]), int(split.first[index + 1])
        spans = zip(split.starts[low:high].tolist(), split.ends[low:high].tolist(), strict=True)
        words = tuple([data[a:b] for a, b in spans])
        worded.append(WordedText(text, codes[low:high].tobytes().decode("utf-32-le"), numbers[low:high].tobytes(), words))
    return worded


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of words of the one text that stands for a stretch of the other; either may be empty."""

    left: tuple[int, int]
    right: tuple[int, int]


def find_changes(a: WordedText, b: WordedText) -> list[Change]:
    """Where two texts differ, in order, as stretches of words."""
    changes: list[Change] = []
    for code in Indel.opcodes(a.codes, b.codes):
        if code.tag == "equal":
            continue
        last = changes[-1] if changes else None
        if last and last.left[1] == code.src_start and last.right[1] == code.dest_start:
            changes[-1] = Change((last.left[0], code.src_end), (last.right[0], code.dest_end))
        else:
            changes.append(Change((code.src_start, code.src_end), (code.dest_start, code.dest_end)))
    return changes


def compare(a: WordedText, b: WordedText, left: Evidence, right: Evidence) -> Likeness:
    """Whether two texts are one abstract (`same`), alike but two (`variant`), or `different`."""
    n_a, n_b = len(a.codes), len(b.codes)
    if not n_a or not n_b:
        return Likeness(0.0, "different", "empty")
    aligned = LCSseq.similarity(a.codes, b.codes)
    similarity = 2 * aligned / (n_a + n_b)
    shorter = min(n_a, n_b)
    contained = shorter >= CONTAINED_WORDS and aligned / shorter >= CONTAINED
    if similarity < ALIKE and not contained:
        return Likeness(similarity, "different", "")
    if similarity >= SAME or contained:
        return Likeness(similarity, "same", "near")
    return Likeness(similarity, "variant", "alike")
