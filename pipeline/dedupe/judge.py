"""Whether two records are one abstract: the text first, titles, authors and years as evidence both ways.

Thresholds come from the experiment in `benchmarks/dedupe_thresholds.py`; docs/duplicates.md gives its numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import compress
from typing import Literal

from rapidfuzz.distance import Postfix, Prefix

from pipeline.dedupe.changes import name_difference, trim_ends
from pipeline.dedupe.evidence import Evidence
from pipeline.dedupe.likeness import (
    Overlap,
    Stretch,
    WordedText,
    align,
    crop_longer,
    measure_agreement,
    measure_inclusion,
    measure_letters,
    measure_overlap,
    measure_rest,
)

Verdict = Literal["same", "variant", "different"]

UNRELATED, UNCONTAINED = 0.30, 0.60
"""Shares of aligned words (of both texts, of the shorter one) below which texts need no closer look."""
NEARLY_EQUAL = 0.80
CONTAINED, CONTAINED_WORDS = 0.92, 20
PART = 1.4
"""Of a text so many times as long as the one that it contains only the part about it is looked at: in a text without end all words stand."""
SHORT, AGREEING_SHORT = 50, 0.70
"""Texts of fewer words than `SHORT` may be set phrases around another subject (`protocols`): rare words must agree."""
RESPELLED, SPELLED_ALIKE = 0.35, 0.88
"""Shares of aligned words and of aligned letters: what loses spaces or hyphens keeps its letters."""
AGREEING = 0.48
AGREEING_WIDE = 0.62
"""Of texts whose words are single characters, which agree more by chance."""
AGREEING_RENAMED = 0.78
AGREEING_TITLED = 0.30
AGREEING_KNOWN = 0.15
ALIKE = 0.40
REST_AGREES, REST_SMALL = 0.15, 0.20
AGREEING_WELL, REST_SMALL_WELL = 0.60, 0.35
"""Of texts that agree this well the rest may be larger, and all numbers may be new."""
_NUMBERS_SHARED, _NUMBERS_ENOUGH = 1 / 3, 4
_TITLE_PART, _TYPING_ERROR = 20, 2
_SERIAL = re.compile(r"(?:part)?(?:[ivx]+|\d+)")
_ABOUT = re.compile(r"reply|comment|response|errat|corrig|correction|retract|discussion")
_YEARS_APART = 1
_NOTICE_TITLES = ("retract", "erratum", "errata", "corrigend", "withdrawn", "expressionofconcern", "correctionto", "correction:")


@dataclass(frozen=True, slots=True)
class Likeness:
    """What comparing two records gave. `reason` says what keeps a pair apart that is alike."""

    similarity: float
    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class _Hints:
    """What the metadata of two records say: titles equal, titles different, an author shared, authors all different."""

    same_title: bool
    other_title: bool
    shared_author: bool
    other_authors: bool
    far_years: bool
    other_year: bool


def _compare_titles(left: str, right: str) -> bool:
    """Whether two normalised titles are one: equal, with a typing error, or with a subtitle that the other lacks; not
    where a number makes the one the next part of the other, or says that it is about the other."""
    if left == right:
        return True
    shorter, longer = sorted((left, right), key=len)
    start = Prefix.similarity(shorter, longer)
    end = Postfix.similarity(shorter[start:], longer[start:])
    less, more = shorter[start : len(shorter) - end], longer[start : len(longer) - end]
    if len(shorter) < _TITLE_PART or _SERIAL.fullmatch(less) or _SERIAL.fullmatch(more):
        return False
    added = not less and len(shorter) in (start, end) and not _ABOUT.search(more)
    return added or len(more) <= _TYPING_ERROR


def _read_hints(left: Evidence, right: Evidence) -> _Hints:
    titles = bool(left.title and right.title)
    same = titles and _compare_titles(left.title, right.title)
    authors = bool(left.authors and right.authors)
    shared = authors and bool(left.authors & right.authors)
    apart = abs(left.year - right.year) if left.year is not None and right.year is not None else 0
    return _Hints(same, titles and not same, shared, authors and not shared, apart > _YEARS_APART, apart > 0)


def _is_notice(text: WordedText, evidence: Evidence) -> bool:
    """Whether a record is a notice about a paper (retraction, erratum), not the paper."""
    return text.is_notice or evidence.title.startswith(_NOTICE_TITLES)


def _numbers_disagree(a: WordedText, b: WordedText) -> bool:
    """Whether two texts with several numbers share few of them, as two studies by one group do."""
    left, right = (set(compress(side.codes, side.digit_flags)) for side in (a, b))
    fewer = min(len(left), len(right))
    return fewer >= _NUMBERS_ENOUGH and len(left & right) < _NUMBERS_SHARED * fewer


def _threshold(hints: _Hints) -> float:
    """The agreement that makes two texts one abstract, given what the metadata say."""
    if hints.other_title:
        return AGREEING_RENAMED
    if hints.same_title and hints.other_authors:
        return AGREEING_RENAMED
    if hints.same_title and hints.shared_author:
        return AGREEING_TITLED if hints.far_years else AGREEING_KNOWN
    if hints.same_title:
        return AGREEING_TITLED
    return AGREEING


def _agree(a: WordedText, b: WordedText, overlap: Overlap, shared: list[Stretch], hints: _Hints) -> tuple[bool, bool]:
    """Whether the texts agree enough to be one abstract, and whether they are alike at all."""
    likely = overlap.similarity >= NEARLY_EQUAL
    likely = likely or (overlap.shorter >= CONTAINED_WORDS and overlap.containment >= CONTAINED)
    if likely and (overlap.shorter >= SHORT or hints.same_title):
        return True, True
    agreement = measure_agreement(a, b, shared)
    if likely:
        return max(agreement, measure_inclusion(a, b, shared)) >= AGREEING_SHORT, True
    enough = _threshold(hints)
    if not hints.same_title and a.is_wide:
        enough = max(enough, AGREEING_WIDE)
    if agreement < enough:
        respelled = overlap.similarity >= RESPELLED and measure_letters(a, b) >= SPELLED_ALIKE
        return respelled, agreement >= ALIKE
    if hints.same_title:
        return True, True
    rest, size = measure_rest(a, b, shared)
    if agreement >= AGREEING_WELL:
        return rest >= REST_AGREES or size <= REST_SMALL_WELL, True
    return (rest >= REST_AGREES or size <= REST_SMALL) and not _numbers_disagree(a, b), True


def judge(a: WordedText, b: WordedText, left: Evidence, right: Evidence) -> Likeness:
    """Whether two records are one abstract (`same`), alike but two (`variant`), or `different`."""
    hints = _read_hints(left, right)
    known = hints.same_title and hints.shared_author
    if not a.codes or not b.codes:
        return Likeness(0.0, "same" if known and not hints.far_years else "different", "title")
    overlap = measure_overlap(a, b)
    similarity = overlap.similarity
    if similarity < UNRELATED and overlap.containment < UNCONTAINED and not hints.same_title:
        return Likeness(similarity, "different", "text")
    shared, changed = align(a, b)
    is_part = overlap.containment >= CONTAINED and overlap.shorter * PART <= max(len(a.codes), len(b.codes))
    if is_part:
        a, b = crop_longer(a, b, shared)
        overlap = measure_overlap(a, b)
        shared, changed = align(a, b)
    agreed, alike = _agree(a, b, overlap, shared, hints)
    if not agreed:
        return Likeness(similarity, "variant" if alike else "different", "text")
    reason = _find_objection(a, b, (left, right), hints)
    if reason is None and (not known or hints.other_year):
        reason = name_difference(a, b, trim_ends(a, b, changed) if is_part else changed)
        reason = reason if not known or reason == "series" else None
    return Likeness(similarity, "variant", reason) if reason else Likeness(similarity, "same", "near")


def _find_objection(a: WordedText, b: WordedText, evidence: tuple[Evidence, Evidence], hints: _Hints) -> str | None:
    """What besides the agreement of the texts keeps two records apart."""
    left, right = evidence
    if _is_notice(a, left) != _is_notice(b, right):
        return "notice"
    if hints.other_title and hints.other_authors:
        return "title_and_authors"
    if (left.boilerplate or right.boilerplate) and not hints.same_title:
        return "boilerplate"
    return None
