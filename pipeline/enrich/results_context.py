"""What stands around a quantity: the words of its sentence, the measures named there, the names it may belong to."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

from pipeline.enrich.measures import Measure, Token, singular, stop_words, word_set
from pipeline.enrich.quantities import Quantity
from pipeline.enrich.results_words import CLASSES, LOWS, cue_bits
from pipeline.model import Span

_T = TypeVar("_T")
_TIGHT = re.compile(
    r"[\s%]*(?:\([^()]{0,40}\)\s?)?(?:[A-Za-z][\w-]{0,14}\s?)?(?:,\s?(?:and\s|or\s)?|/|\s?(?:and|or|&|vs\.?|et)\s)\s?"
    r"(?:(?:up to|over|about|the|on|in|~|by|nearly|a|around|for|at)\s?){0,2}"
)
_LOOSE = re.compile(
    r"[\s%]*(?:\([^()]{0,40}\)\s?)?(?:(?:in|on|for|at|with|under|across|when|using|relative|absolute|[A-Za-z][\w-]{0,14})\b[^;:()]{0,50}?)?"
    r"(?:,\s?(?:and\s|or\s)?|/|\s?(?:and|or|&|vs\.?|versus|et)\s)\s?(?:\w+\s){0,2}?(?:(?:up to|over|about|the|on|in|~|by|nearly|an?|around|for|at|of)\s?){0,3}"
)


def lists_of(spans: list[Span], text: str, gap: re.Pattern[str] = _TIGHT) -> tuple[list[tuple[int, int]], list[Span]]:
    """For each span its place in the list that it is part of with the length of that list, and the span of that list."""
    places, edges = [(0, 1)] * len(spans), list(spans)
    for group in _groups(spans, text, gap):
        if len(group) > 1:
            whole = (spans[group[0]][0], spans[group[-1]][1])
            for place, i in enumerate(group):
                places[i], edges[i] = (place, len(group)), whole
    return places, edges


def _groups(spans: list[Span], text: str, gap: re.Pattern[str]) -> list[list[int]]:
    if len(spans) < 2:
        return [[0]] if spans else []
    order = sorted(range(len(spans)), key=lambda i: spans[i])
    groups: list[list[int]] = []
    for i in order:
        previous = spans[groups[-1][-1]][1] if groups else -1
        if groups and 0 <= spans[i][0] - previous < 90 and gap.fullmatch(text, previous, spans[i][0]):
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


class _Lazy(Generic[_T]):
    """A property that is worked out once, without the lock of `functools.cached_property`, which costs more than the work."""

    def __init__(self, work: Callable[[Any], _T]) -> None:
        self.work, self.name = work, work.__name__
        self.__doc__ = work.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> _T:
        found = owner.__dict__[self.name] = self.work(owner)
        return found


@dataclass
class Sentence:
    """One sentence with its words, measures and quantities, in order; `plain` are the words without their places."""

    text: str
    span: Span
    words: list[Token]
    measures: list[Measure]
    quantities: list[Quantity]
    index: int = 0
    names: list[Span] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)

    @_Lazy
    def lows(self) -> list[str]:
        """The words in lower case, numerals as `#`."""
        return list(map(LOWS.__getitem__, self.plain))

    @_Lazy
    def cues(self) -> int:
        """What kinds of sentence its words make it, as bits."""
        return cue_bits(self.plain)

    @_Lazy
    def starts(self) -> list[int]:
        """Where the words start."""
        return [s for s, _, _ in self.words]

    @_Lazy
    def classes(self) -> list[str]:
        """The class of each word."""
        return list(map(CLASSES.__getitem__, self.plain))

    @_Lazy
    def strong(self) -> list[Span]:
        """The measures that are measures by themselves or by definition."""
        return [(m.start, m.end) for m in self.measures if m.kind in "SDC"]

    @_Lazy
    def listed(self) -> tuple[list[tuple[int, int]], list[Span]]:
        """For each quantity its place in its list, and the span of that list."""
        return lists_of([(q.start, q.end) for q in self.quantities], self.text)

    @_Lazy
    def lists(self) -> list[Span]:
        """For each quantity the span of the list of quantities it stands in: `15.3% and 14.7%`."""
        return self.listed[1]

    @_Lazy
    def series(self) -> list[Span]:
        """For each quantity the span of its series, a list that names conditions: `5.3 points on XNLI and 1.9 on MGSM`."""
        spans = lists_of([(q.start, q.end) for q in self.quantities], self.text, _LOOSE)[1]
        named = [m.start for m in self.measures if m.kind in "SDC" or m.modifiers]
        out = []
        for (start, end), q in zip(spans, self.quantities, strict=True):
            cut = [o.start for o in self.quantities if start <= o.start <= q.start and not any(o.start < m < q.start for m in named)]
            out.append((min(cut), end))
        return out

    @_Lazy
    def ranks(self) -> list[tuple[int, int]]:
        """For each quantity its place in its list, and how long the list is."""
        return self.listed[0]

    @_Lazy
    def measure_lists(self) -> list[Span]:
        """For each measure the span of the list of measures it stands in."""
        return lists_of([(m.start, m.end) for m in self.measures], self.text)[1]

    @_Lazy
    def numbers(self) -> dict[int, int]:
        """Place of each quantity among those of the sentence by where it starts."""
        return {q.start: i for i, q in enumerate(self.quantities)}

    def before(self, offset: int) -> int:
        """Number of words that start before `offset`, which is the index of the first word at or after it."""
        return bisect_left(self.starts, offset)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A measure that a quantity may be a value of; `source` tells which pattern proposed it."""

    start: int
    end: int
    name: str
    canonical: str
    kind: str
    source: str
    sentence: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A mention of a data set: which one, where, in which sentence; `source` tells which pattern proposed it where it has no name."""

    name: str
    span: Span
    sentence: int
    proposed: bool
    order: int
    source: str = ""


# Nouns that follow or precede a number without being what it measures.
_NO_MEASURE = word_set(
    """improvement improvements gain gains gap gaps setting settings range ranges case cases review reviews run runs task tasks model
    models method methods baseline baselines approach approaches variant variants patient patients confidence ci data-set dataset
    datasets benchmark benchmarks point points percent percentage average averages setup setups scenario scenarios condition
    conditions language languages domain domains system systems experiments experiment results result score scores group groups
    counterpart counterparts respectively others median mean time amount them it those these each other size baseline backbone backbones technology margin margins reduction increase decrease drop boost study studies sd se iqr p n"""
)
_SKIP = word_set(
    """absolute relative more fewer less higher lower better greater larger smaller average averaged additional overall
    improvement improvements gain gains reduction reductions increase increases decrease decreases drop drops boost boosts in
    of for the its their our a an savings saving on fewer total all mean relative faster slower worse further
    performance lift uplift rise decline degradation cut"""
)
_CHANGE_VERBS = re.compile(
    r"(?:improv|increas|reduc|decreas|boost|rais|lower|enhanc|cut|drop|elevat|lift|outperform|surpass|exceed|accelerat"
    r"|speed|shorten|diminish|extend|expand|sav|degrad|hurt|push|shrink|sustain|preserv|retain|recover|maintain|achiev"
    r"|reach|attain|keep|suppress|hid|alleviat|mitigat|increment|augment|narrow|clos|halv|doubl|tripl|deliver|yield|provid"
    r"|obtain|show|requir|us|consum|detect|identif|generat|produc)(?:e|es|ed|ing|s|t|ting|ting|ped|ping|ts|)$"
)
_EQUATERS = frozenset("=≈:><≥≤~∼")
_EQUALS = re.compile(r"\b(OR|HR|RR|IRR|SMD|rho|ρ|β|κ|r|[Hh]edges['’] g|[Cc]ohen['’]s d)\]?\)?\s$|([A-Za-zΑ-ωχ][\w^@{}/. -]{0,30}?)\s?\)?\s?(?:=|≈|:|>|<|≥|≤|~|∼)\s?$")
_PAREN_AFTER = re.compile(r"\s?\(\s?([A-Za-z][^()0-9=%]{0,40}?)\s?\)")
_PAREN_BEFORE = re.compile(r"\s?[\[(]\s?(?:[~<>≥≤+]\s?)?$")


def phrase_candidates(s: Sentence, q: Quantity) -> list[Candidate]:
    """Noun phrases that stand where the measure of a quantity stands: after it, between a verb of change and it,
    before `of`, `=` and brackets."""
    out = []
    for make in (_after, _object, _equation, _bracket, _subject, _implied):
        found = make(s, q)
        if found is not None:
            out.append(found)
    return out


def _phrase(s: Sentence, first: int, last: int, source: str) -> Candidate | None:
    """Words first..last (exclusive) as a candidate."""
    if first >= last:
        return None
    start, end = s.words[first][0], s.words[last - 1][1]
    if source != "equation" and (s.lows[last - 1] in _NO_MEASURE or s.lows[last - 1].endswith("ly") or any(a < end and start < b for a, b in s.names)):
        return None
    name = " ".join(s.text[start:end].split()).rstrip("'’")
    name = name if name.endswith("ies") else singular(name)
    # `n = 39/45` tells how many there are, not what is measured.
    if (len(name) < 2 and source != "equation") or len(name) > 70 or name in ("n", "N"):
        return None
    return Candidate(start, end, name, name.casefold(), "P", source, s.index)


_IMPLIED: Final = re.compile(r"\s(?:as |(?:times |percent )?(?:more |less )?)(?:[a-z]+-)?(fast|faster|slower|quicker|accurate|efficient|cheaper|robust)\b")
_QUALITIES: Final = {"accurate": "accuracy", "efficient": "efficiency", "cheaper": "cost", "robust": "robustness"}


def _implied(s: Sentence, q: Quantity) -> Candidate | None:
    """The quality of which a comparison speaks: `2.3× faster`, `37% less accurate`."""
    hit = _IMPLIED.match(s.text, q.end, s.span[1])
    if hit is None:
        return None
    name = _QUALITIES.get(hit[1], "speedup" if q.scale == "ratio" else "speed")
    return Candidate(hit.start(1), hit.end(1), name, name, "I", "implied", s.index)


#: A comparison of speed that names nothing whose speed it is: `several orders of magnitude faster than the baseline`.
_PLAIN_SPEED: Final = re.compile(r"\s(?:faster|slower|quicker)(?=\s*(?:$|[.,;:)]|(?:than|compared|relative|versus|and|while|whereas|but|with|without|on|for)\b))")


def plain_speed(s: Sentence, q: Quantity) -> Candidate | None:
    """The speed where a ratio says no more than `faster`, whatever measures stand before it."""
    return _implied(s, q) if q.scale == "ratio" and _PLAIN_SPEED.match(s.text, q.end, s.span[1]) else None


def _run_right(s: Sentence, first: int, limit: int = 5) -> int:
    """The end of the noun phrase that begins at word `first`."""
    i = first
    while i < len(s.words) and i - first < limit:
        if s.lows[i] == "#" or s.lows[i] in stop_words():
            break
        if i > first and s.text[s.words[i - 1][1] : s.words[i][0]] not in (" ", "\n", "-"):
            break
        i += 1
    return i


def _after(s: Sentence, q: Quantity) -> Candidate | None:
    i = s.before(q.end)
    last = q.end
    skipped = 0
    while i < len(s.words) and skipped < 6:
        if not _blank(s.text[last : s.words[i][0]]):
            return None
        if s.lows[i] not in _SKIP and not s.lows[i].endswith(("’s", "'s")):
            break
        last = s.words[i][1]
        i += 1
        skipped += 1
    if i >= len(s.words) or s.text[last : s.words[i][0]].strip():
        return None
    return _phrase(s, i, _run_right(s, i), "after" if not skipped else "after-skip")


def _blank(gap: str) -> bool:
    return not gap.strip(" \n-–")


@lru_cache(maxsize=1 << 14)
def _changes(word: str) -> bool:
    """Whether a word is a verb of change or achievement; remembered, as the words are few."""
    return _CHANGE_VERBS.match(word) is not None


def _object(s: Sentence, q: Quantity) -> Candidate | None:
    """`reduces X by 5%`: the noun phrase after the nearest verb of change before the quantity."""
    stop = s.before(q.start)
    for i in range(stop - 1, max(-1, stop - 16), -1):
        if not _changes(s.lows[i]):
            continue
        first = i + 1
        while first < stop and (s.lows[first] in _SKIP or s.lows[first] in ("average", "both", "that", "this")):
            first += 1
        return _phrase(s, first, min(_run_right(s, first), stop), "object")
    return None


def _equation(s: Sentence, q: Quantity) -> Candidate | None:
    beside = s.text[max(0, q.start - 4) : q.start]
    if _EQUATERS.isdisjoint(beside) and not beside.endswith((" r ", "OR ", "HR ", "RR ", "SMD ", "ho ", "ρ ", "β ", "κ ", " g ", " d ", "] ")):
        return None
    hit = _EQUALS.search(s.text, max(s.span[0], q.start - 36), q.start)
    if hit is None:
        return None
    if hit[1]:
        symbol = s.before(hit.start(1))
        return _phrase(s, symbol, symbol + 1, "equation")
    return _left_phrase(s, hit.end(2), "equation")


def _left_phrase(s: Sentence, offset: int, source: str) -> Candidate | None:
    """The noun phrase that ends at `offset`."""
    last = s.before(offset)
    first = last
    while first > 0 and last - first < 4:
        word = s.lows[first - 1]
        if word == "#" or word in stop_words():
            break
        if first < last and s.text[s.words[first - 1][1] : s.words[first][0]] not in (" ", "\n"):
            break
        first -= 1
    return _phrase(s, first, last, source)


def _bracket(s: Sentence, q: Quantity) -> Candidate | None:
    """`11.76% (L1)`, `partial responses (8.6%`."""
    hit = _PAREN_AFTER.match(s.text, q.end)
    if hit is not None:
        return _phrase(s, s.before(hit.start(1)), s.before(hit.end(1)), "bracket")
    opening = _PAREN_BEFORE.search(s.text, max(s.span[0], q.start - 5), q.start)
    return _left_phrase(s, opening.start(), "before-bracket") if opening else None


_LINKS = word_set(
    "of is was were are at to reaches reached by averaged averaging averages rose fell dropped remained"
)


def _subject(s: Sentence, q: Quantity) -> Candidate | None:
    """`the response rate was 78%`, `a score of 64`: the noun phrase before a linking word; `CTR +1.0%`: the symbol before."""
    i = s.before(q.start)
    steps = 0
    while i > 0 and steps < 5 and (s.lows[i - 1] in _LINKS or s.lows[i - 1] in _HEDGES):
        i -= 1
        steps += 1
    if i and steps:
        return _left_phrase(s, s.words[i - 1][1], "subject")
    beside = i and s.words[i - 1][2].isupper() and s.text[s.words[i - 1][1] : q.start] == " "
    return _left_phrase(s, s.words[i - 1][1], "beside") if beside else None


_HEDGES = word_set(
    "up about around over under only nearly almost approximately roughly least more than less most as much a an the only just below above still from"
)
