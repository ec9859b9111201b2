"""What kind of words two texts differ in: numbers, names, spelling, or the wording itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from rapidfuzz.distance import Indel

from pipeline.dedupe.likeness import Stretch, WordedText

Kind = Literal["spelling", "number", "digits", "series", "name", "insertion", "wording"]

_NAME_WORDS = 4
_SPELLED_ALIKE = 0.75
_TELLING = 4.5
_MANY_NUMBERS, _MOST = 4, 0.7
_DIGITS = re.compile(rb"\d+")
_YEAR = re.compile(rb"(?:19|20)\d\d$")
_ORDINAL = re.compile(
    rb"(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)$"
)
_PART = re.compile(rb"(?:[ivx]{1,4}|[a-h]|\d{1,2}|one|two|three|four|five)$")
_PART_OF = frozenset(b"part task subtask track volume vol chapter episode stage".split())


def _starts_with_digit(word: bytes) -> bool:
    return word[:1].isdigit()


def _is_name(word: bytes, text: str) -> bool:
    """Whether a folded word stands in `text` as a name: with a capital inside a sentence, or one inside the word."""
    if not word.isascii():
        return False
    for hit in re.finditer(rf"(?<![A-Za-z0-9]){word.decode()}(?![A-Za-z0-9])", text, re.IGNORECASE):
        surface = hit.group()
        if any(c.isupper() for c in surface[1:]) or any(c.isdigit() for c in surface):
            return True
        before = text[: hit.start()].rstrip(" \"'“‘([")
        if surface[0].isupper() and before and before[-1] not in ".!?:\n":
            return True
    return False


def _classify(a: WordedText, b: WordedText, change: Stretch) -> Kind:
    start, end, other_start, other_end = change
    left, right = a.words(start, end), b.words(other_start, other_end)
    joined, other = b"".join(left), b"".join(right)
    if joined == other:
        return "spelling"
    if not left or not right:
        return "digits" if all(map(_starts_with_digit, left + right)) else "insertion"
    if len(left) == len(right) == 1:
        before = a.word(start - 1) if start else b""
        both_years = bool(_YEAR.match(joined) and _YEAR.match(other))
        both_ordinals = bool(_ORDINAL.match(joined) and _ORDINAL.match(other))
        both_parts = before in _PART_OF and bool(_PART.match(joined) and _PART.match(other))
        if both_years or both_ordinals or both_parts:
            return "series"
    if all(map(bytes.isdigit, left)) and all(map(bytes.isdigit, right)):
        return "number"
    if _DIGITS.findall(joined) != _DIGITS.findall(other):
        if _DIGITS.sub(b"", joined) == _DIGITS.sub(b"", other):
            return "number"
    elif Indel.normalized_similarity(joined, other) >= _SPELLED_ALIKE:
        return "spelling"
    if max(len(left), len(right)) <= _NAME_WORDS and _are_names(left, a.text) and _are_names(right, b.text):
        return "name"
    return "wording"


def _are_names(words: Sequence[bytes], text: str) -> bool:
    return all(_starts_with_digit(word) or _is_name(word, text) for word in words) and not all(
        _starts_with_digit(word) for word in words
    )


def _is_substitution(a: WordedText, b: WordedText, changes: Sequence[Stretch]) -> bool:
    """Whether all changes put one and the same word, rare or repeated, in the place of another: a name in lower case."""
    pairs = Counter((a.words(c[0], c[1]), b.words(c[2], c[3])) for c in changes)
    if len(pairs) != 1:
        return False
    (left, right), times = next(iter(pairs.items()))
    if len(left) != 1 or len(right) != 1 or min(len(left[0]), len(right[0])) < 3:
        return False
    first = changes[0]
    telling = min(float(a.weights()[first[0]]), float(b.weights()[first[2]]))
    return times > 1 or telling >= _TELLING


def name_difference(a: WordedText, b: WordedText, changes: Iterable[Stretch]) -> str | None:
    """`numbers`, `name` or `series` where two texts differ in nothing else that counts, else None.

    Spelling and words that only one of the texts has do not count. Texts of a series (a year, an ordinal or the number
    of a part replaced) and texts in which most numbers are replaced differ in wording, too, and are still two.
    """
    listed = list(changes)
    kinds = [_classify(a, b, change) for change in listed]
    counts = Counter(kinds)
    if counts["series"]:
        return "series" if counts["wording"] or counts["name"] else "numbers"
    moved = counts["digits"] if {bool(c[0] < c[1]) for c, k in zip(listed, kinds, strict=True) if k == "digits"} == {True, False} else 0
    replaced = counts["number"] + moved
    numbers = min(sum(48 <= c <= 57 for c in side.first_bytes().tolist()) for side in (a, b))
    words = sum(c[1] - c[0] for c, kind in zip(listed, kinds, strict=True) if kind in ("number", "digits"))
    if replaced >= _MANY_NUMBERS and words >= _MOST * numbers:
        return "numbers"
    if counts["wording"] or counts["insertion"]:
        rest = [change for change, kind in zip(listed, kinds, strict=True) if kind == "wording"]
        only = rest if rest and not replaced and not counts["insertion"] and not counts["name"] else []
        return "name" if only and _is_substitution(a, b, only) else None
    return "numbers" if replaced else "name" if counts["name"] else None
