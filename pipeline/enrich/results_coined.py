"""Measures that no lexicon knows: names of methods that end like a measure, and what a text calls a metric."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pipeline.enrich.measures import Measure, Token, lexicon_kind, stop_words, word_set
from pipeline.enrich.results_context import Sentence
from pipeline.model import Name, Span

_HEADS: Final = word_set("fraction index metric measure score rate ratio error percentage coefficient gap")
_CALLS: Final = word_set("metric metrics measure measures score scores")
_BETWEEN: Final = word_set("a an the new novel first simple evaluation automatic quality robust principled reference-free unified")


@lru_cache(maxsize=1 << 12)
def measure_head(name: str) -> str:
    """The last word of a name if measures end so, else the empty string."""
    last = name.rsplit(" ", 1)[-1].rsplit("-", 1)[-1].casefold()
    known = lexicon_kind(last) in ("S", "H", "A") or last in _HEADS
    return last if known and last != name.casefold() else ""


def coin(s: Sentence, names: Sequence[tuple[Span, Name]], datasets: Sequence[Name]) -> list[Measure]:
    """All coined measures of a sentence; `names` are the methods and data sets in it. The metrics *of* a data set have no name."""
    out = from_names(s.words, [(span, n) for span, n in names if n not in datasets]) if names else []
    if not _CALLS.isdisjoint(s.plain):
        out += from_calling(s.text, s.words, [span for span, n in names if n in datasets])
    return out


def may_coin(words: list[str], names: Sequence[tuple[Span, Name]]) -> bool:
    """Whether a sentence of these words, with these names in it, can hold a coined measure."""
    return not _CALLS.isdisjoint(words) or any(measure_head(name.long_form or name.name) for _, name in names)


def from_names(words: list[Token], names: Sequence[tuple[Span, Name]]) -> list[Measure]:
    """Names of methods that are measures: `Failed-Step Fraction (FSF)`."""
    out = []
    for (start, end), name in names:
        head = measure_head(name.long_form or name.name)
        if head:
            first, last = _words_in(words, start, end)
            if first <= last:
                out.append(Measure(start, end, name.name, name.long_form or name.name, "N", head, 1, first, last))
    return out


def from_calling(text: str, words: list[Token], datasets: Sequence[Span]) -> list[Measure]:
    """`the ICE-H evaluation metric`, `the Assessment Equation (UAE), a metric for`: words with capitals beside *metric*."""
    out = []
    for k, (_, _, word) in enumerate(words):
        if word not in _CALLS:
            continue
        i = k - 1
        while i >= 0 and words[i][2] in _BETWEEN and k - i < 6:
            i -= 1
        if i < 0 or words[i][2].islower() or not words[i][2][0].isalpha() or words[i][2].casefold() in stop_words():
            continue
        gap = text[words[i][1] : words[i + 1][0]]
        beside = gap == " " and not any(text[words[j][1] : words[j + 1][0]].strip() for j in range(i, k))
        if (beside and words[i + 1][2] not in ("a", "an", "the")) or (gap in (", ", "), ") and words[i + 1][2] in ("a", "an", "the")):
            start, end, shown = words[i]
            if any(a < end and start < b for a, b in datasets):
                continue
            out.append(Measure(start, end, shown, shown, "N", "called", 0, i, i))
    return out


def _words_in(words: list[Token], start: int, end: int) -> tuple[int, int]:
    inside = [k for k, (a, b, _) in enumerate(words) if a < end and start < b]
    return (inside[0], inside[-1]) if inside else (1, 0)


def merge(found: list[Measure], coined: list[Measure]) -> list[Measure]:
    """Measures of the lexicon and coined ones in order; a coined one replaces weaker ones that stand in it."""
    out = list(found)
    for m in coined:
        over = [o for o in out if o.start < m.end and m.start < o.end]
        if all(m.start <= o.start and o.end <= m.end and o.kind not in "SDN" for o in over):
            out = [*(o for o in out if o not in over), m]
    return sorted(out, key=lambda m: m.start)
