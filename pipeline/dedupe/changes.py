"""What kind of words two texts differ in: numbers, names, spelling, or the wording itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Literal

from rapidfuzz.distance import Indel, Postfix, Prefix

from pipeline.dedupe.likeness import Stretch, WordedText, code_words
from pipeline.dedupe.tokens import split_words

Kind = Literal["spelling", "number", "digits", "series", "insertion", "wording"]
"""`digits`: numbers that only one text has; `insertion`: other words that only one text has."""

_NAME_WORDS = 4
_SPELLED_ALIKE = 0.75
_RARE, _TELLING = 5.3, 4.0
_SHORTEST_NAME = 3
_MANY_CHANGES, _LONGEST_CHANGE = 100, 200
_MANY_NUMBERS, _MOST = 4, 0.7
_TAIL, _BEFORE_TAIL = 30, 5
_TAIL_WORDS = frozenset(b"copyright elsevier wiley springer karger lippincott informa thieme reserved".split())
_DIGITS = re.compile(rb"\d+")
_YEAR = re.compile(rb"(?:19|20)\d\d$")
_ORDINALS = b"first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_ORDINAL = re.compile(rb"(?:\d+(?:st|nd|rd|th)|" + b"|".join(_ORDINALS) + rb")$")
_PART = re.compile(rb"(?:[ivx]{1,4}|[a-h]|\d{1,2}|one|two|three|four|five)$")
_PART_OF = frozenset(b"part task subtask track volume vol chapter episode stage".split())


def _starts_with_digit(word: bytes) -> bool:
    return word[:1].isdigit()


def _is_name(word: bytes, worded: WordedText) -> bool:
    """Whether a folded word stands in a text as a name: with a capital inside a sentence, or one inside the word."""
    known = worded.names.get(word)
    if known is None:
        known = worded.names[word] = word.isascii() and _stands_as_name(word.decode("ascii"), worded.text, worded.lowered)
    return known


def _stands_as_name(wanted: str, text: str, folded: str) -> bool:
    if len(folded) != len(text):
        return False
    start = folded.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (folded[start - 1 : start].isalnum() or folded[end : end + 1].isalnum()):
            surface = text[start:end]
            before = text[max(0, start - _NAME_WORDS) : start].rstrip(" \"'“‘([")
            if any(c.isupper() or c.isdigit() for c in surface[1:]):
                return True
            if surface[0].isupper() and before and before[-1] not in ".!?:\n":
                return True
        start = folded.find(wanted, end)
    return False


def _are_names(words: Sequence[bytes], text: WordedText) -> bool:
    named = [word for word in words if not _starts_with_digit(word)]
    return 0 < len(words) <= _NAME_WORDS and bool(named) and all(_is_name(word, text) for word in named)


def _is_series(before: bytes, left: bytes, right: bytes) -> bool:
    """Whether one word for another makes a text the next of a series: a year, an ordinal, the number of a part."""
    if _YEAR.match(left) and _YEAR.match(right):
        return True
    if _ORDINAL.match(left) and _ORDINAL.match(right):
        return True
    return before in _PART_OF and bool(_PART.match(left) and _PART.match(right))


def _is_part(shorter: bytes, longer: bytes) -> bool:
    """Whether the shorter is the longer without something in its middle, as `BERTbase` and `BERT\\textsubscript{base}`."""
    start = Prefix.similarity(shorter, longer)
    end = Postfix.similarity(shorter, longer)
    return min(start, end) >= _SHORTEST_NAME and start + end >= len(shorter)


def _classify_quickly(a: WordedText, b: WordedText, change: Stretch) -> Kind | None:
    """The kind of a change as far as it shows without looking at the words."""
    start, end, other_start, other_end = change
    digits = a.digit_flags.count(1, start, end) + b.digit_flags.count(1, other_start, other_end)
    if digits == end - start + other_end - other_start:
        return "digits" if start == end or other_start == other_end else None
    return "insertion" if start == end or other_start == other_end else None


def _classify(a: WordedText, b: WordedText, change: Stretch) -> Kind:
    start, end, other_start, other_end = change
    if end - start + other_end - other_start > _LONGEST_CHANGE:
        return "wording"
    left, right = a.words(start, end), b.words(other_start, other_end)
    joined, other = b"".join(left), b"".join(right)
    if joined == other or (len(left) != len(right) and _is_part(*sorted((joined, other), key=len))):
        return "spelling"
    if len(left) == len(right) == 1 and _is_series(a.word(start - 1) if start else b"", joined, other):
        return "series"
    if joined.isdigit() and other.isdigit():
        return "number"
    if _DIGITS.findall(joined) != _DIGITS.findall(other):
        return "number" if _DIGITS.sub(b"", joined) == _DIGITS.sub(b"", other) else "wording"
    return "spelling" if Indel.normalized_similarity(joined, other) >= _SPELLED_ALIKE else "wording"


def _classify_all(a: WordedText, b: WordedText, changes: Sequence[Stretch]) -> list[Kind]:
    """The kinds of all changes. Where words were inserted or dropped the texts are no variants by their words, so only
    what could make them a series is looked at: single words, and numbers."""
    quick = [_classify_quickly(a, b, change) for change in changes]
    if "insertion" not in quick:
        return [kind or _classify(a, b, change) for kind, change in zip(quick, changes, strict=True)]
    kinds: list[Kind] = []
    for kind, change in zip(quick, changes, strict=True):
        single = change[1] - change[0] == change[3] - change[2] == 1
        numeric = a.digit_flags.count(1, change[0], change[1]) == change[1] - change[0]
        kinds.append(kind or (_classify(a, b, change) if single or numeric else "wording"))
    return kinds


@cache
def _serial_codes() -> tuple[frozenset[str], frozenset[str]]:
    """The codes of ordinals, and of the words before the number of a part."""
    ordinals, parts = (code_words(split_words(list(words))).tobytes().decode("utf-32-le") for words in (_ORDINALS, _PART_OF))
    return frozenset(ordinals), frozenset(parts)


def _only_reworded(a: WordedText, b: WordedText, changes: Sequence[Stretch]) -> bool:
    """Whether words were inserted or dropped and no number or ordinal is touched: nothing more need be looked at."""
    ordinals, parts = _serial_codes()
    codes, left, right = a.codes, a.digit_flags, b.digit_flags
    inserted = False
    for start, end, other_start, other_end in changes:
        if 1 in left[start:end] or 1 in right[other_start:other_end]:
            return False
        if start == end or other_start == other_end:
            inserted = True
        elif end - start == 1 == other_end - other_start and (codes[start] in ordinals or (start and codes[start - 1] in parts)):
            return False
    return inserted


def _are_substitutions(a: WordedText, b: WordedText, changes: Sequence[Stretch]) -> bool:
    """Whether all changes put one name in lower case in the place of another, as trials of two drugs in one journal's words do.

    One and the same pair of words everywhere is that of names; of several pairs all words must be telling, and one rare or repeated.
    """
    pairs = Counter((a.words(c[0], c[1]), b.words(c[2], c[3])) for c in changes)
    if any(max(map(len, side)) < _SHORTEST_NAME for pair in pairs for side in pair):
        return False
    told = [min(float(a.weights[c[0] : c[1]].max()), float(b.weights[c[2] : c[3]].max())) for c in changes]
    strongest = max(told, default=0.0) >= _RARE or max(pairs.values(), default=0) > 1
    short = all(c[1] - c[0] <= _NAME_WORDS and c[3] - c[2] <= _NAME_WORDS for c in changes)
    return strongest and short and (len(pairs) == 1 or min(told, default=0.0) >= _TELLING)


def trim_ends(a: WordedText, b: WordedText, changes: Sequence[Stretch]) -> Sequence[Stretch]:
    """The changes without the words that one text lacks at its beginning or end, as a part of the other does (its last word
    may be cut)."""
    inner = [c for c in changes if not (c[0] == c[1] in (0, len(a.codes)) or c[2] == c[3] in (0, len(b.codes)))]
    if inner and inner[-1][1] == len(a.codes) and inner[-1][3] == len(b.codes):
        sizes = sorted((inner[-1][1] - inner[-1][0], inner[-1][3] - inner[-1][2]))
        return inner[:-1] if sizes[0] == 1 < sizes[1] else inner
    return inner


def _find_tail(text: WordedText) -> int:
    """The word where a copyright notice at the end begins; the number of words where there is none."""
    size = len(text.codes)
    for index in range(max(0, size - _TAIL), size):
        if text.word(index) in _TAIL_WORDS:
            return max(0, index - _BEFORE_TAIL)
    return size


def name_difference(a: WordedText, b: WordedText, changes: Sequence[Stretch]) -> str | None:
    """`numbers`, `name` or `series` where two texts differ in nothing else that counts, else None.

    Spelling and numbers that only one of the texts has do not count. Texts of a series (a year, an ordinal or the
    number of a part replaced) and texts in which most numbers are replaced may differ in wording, too.
    """
    if _only_reworded(a, b, changes):
        return None
    kinds = _classify_all(a, b, changes)
    if "series" in kinds or "number" in kinds:
        tails = _find_tail(a), _find_tail(b)
        changes = [change for change in changes if change[0] < tails[0] and change[2] < tails[1]]
        kinds = kinds[: len(changes)]
    counts = Counter(kinds)
    if counts["series"]:
        return "series"
    digits = [change for change, kind in zip(changes, kinds, strict=True) if kind in ("number", "digits")]
    moved = {change[0] < change[1] for change, kind in zip(changes, kinds, strict=True) if kind == "digits"}
    replaced = counts["number"] + (len(moved) == 2)
    if replaced and len(digits) >= max(_MANY_NUMBERS, 2 * (counts["wording"] + counts["insertion"])):
        words = sum(change[1] - change[0] for change in digits)
        if words >= _MOST * min(a.digit_flags.count(1), b.digit_flags.count(1)):
            return "numbers"
    if counts["insertion"]:
        return None
    worded = [change for change, kind in zip(changes, kinds, strict=True) if kind == "wording"]
    if len({(a.codes[c[0] : c[1]], b.codes[c[2] : c[3]]) for c in worded}) > _MANY_CHANGES:
        return None
    if all(_are_names(a.words(c[0], c[1]), a) and _are_names(b.words(c[2], c[3]), b) for c in worded):
        return "numbers" if replaced else "name" if worded else None
    return ("numbers" if replaced else "name") if _are_substitutions(a, b, worded) else None
