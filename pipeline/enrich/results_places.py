"""What a result is measured on though no data set is named there: `on the validation set`, `in En-Ja and De-En translation`,
`form understanding (from 70.72 to 79.27)`."""

from __future__ import annotations

import re
from typing import Final

from pipeline.enrich.measures import stop_words, word_set
from pipeline.enrich.quantities import Quantity
from pipeline.enrich.results_context import Place, Sentence

_AFTER: Final = word_set("on in for across over at within under")
_OPENERS: Final = word_set("on for in across")
_ARTICLES: Final = word_set("the a an our its their this both all two three four five six seven eight some many several various")
# Nouns after these prepositions that say how, when or against what, never what on.
_NO_PLACE: Final = word_set(
    """average total terms addition contrast comparison particular general practice case cases number size order time times
    example instance fact least most hours minutes seconds days weeks months years respect line favor place which that it them
    these those respectively settings setting absolute relative baseline baselines methods models approaches improvement
    # improvements performance accuracy recent state-of-the-art sota other each"""
)
_MOST_WORDS: Final = 5
_REACH: Final = 14
_OPENED: Final = re.compile(r"\s?\(\s?(?:(?:from|by|up to|e\.g\.,?|[~≈+])\s?)?$")


def phrase_places(s: Sentence, q: Quantity) -> list[Place]:
    """Noun phrases that stand where what a quantity is measured on stands, in order of their source."""
    out: list[Place] = []
    for first, source in _starts(s, q):
        for place in _listed(s, first, source):
            if not any(p.span == place.span for p in out):
                out.append(place)
    return out


def _starts(s: Sentence, q: Quantity) -> list[tuple[int, str]]:
    """Words at which such a phrase may begin: after a preposition behind the list of the quantity, at the opening of the sentence, and
    before the bracket that holds the quantity."""
    out: list[tuple[int, str]] = []
    after, lows = s.before(s.lists[s.numbers[q.start]][1]), s.lows
    for i in range(after, min(len(lows) - 1, after + _REACH)):
        if lows[i] == "#" or (i > after and any(ch in ";:." for ch in s.text[s.words[i - 1][1] : s.words[i][0]])):
            break
        if lows[i] in _AFTER:
            out.append((i + 1, lows[i]))
            if len(out) == 2:
                break
    if lows and lows[0] in _OPENERS and len(lows) > 2 and s.words[1][1] < q.start:
        out.append((1, f"^{lows[0]}"))
    opened = _OPENED.search(s.text, max(s.span[0], q.start - 9), q.start)
    if opened is not None:
        last = s.before(opened.start())
        first = last
        while first > 0 and last - first < 4 and _inside(s, first - 1) and (first == last or _joined(s, first)):
            first -= 1
        if first < last:
            out.append((first, "("))
    return out


def _listed(s: Sentence, first: int, source: str) -> list[Place]:
    """The phrase that begins at word `first`, and those of the list that it opens."""
    out: list[Place] = []
    i = first
    while len(out) < 6:
        while i < len(s.words) and s.lows[i] in _ARTICLES:
            i += 1
        last = i
        while last < len(s.words) and last - i < _MOST_WORDS and _inside(s, last) and (last == i or _joined(s, last)):
            last += 1
        place = _place(s, i, last, source) if last > i else None
        if place is None:
            return out
        out.append(place)
        if source == "(" or last + 1 >= len(s.words) or (s.lows[last] not in ("and", "or") and s.text[s.words[last - 1][1] : s.words[last][0]] != ", "):
            return out
        i = last + (s.lows[last] in ("and", "or"))
    return out


def _inside(s: Sentence, i: int) -> bool:
    low = s.lows[i]
    return low != "#" and low not in stop_words() and low not in _NO_PLACE


def _joined(s: Sentence, i: int) -> bool:
    return s.text[s.words[i - 1][1] : s.words[i][0]] in (" ", "\n", "-", "/")


def _place(s: Sentence, first: int, last: int, source: str) -> Place | None:
    start, end = s.words[first][0], s.words[last - 1][1]
    taken = any(a < end and start < b for a, b in s.names) or any(a < end and start < b for a, b in s.strong)
    name = " ".join(s.text[start:end].split()).rstrip("'’")
    if taken or not 2 <= len(name) <= 60:
        return None
    return Place(name, (start, end), s.index, False, 3, source)


def phrase_features(p: Place) -> list[str]:
    """What the words of such a phrase tell."""
    head = p.name.rsplit(" ", 1)[-1]
    low = head.casefold()
    shape = "A" if any(c.isupper() for c in p.name[1:]) else "Aa" if p.name[0].isupper() else "a"
    sort = "data" if low in _DATA else "task" if low in _TASKS else "other"
    return [
        "phrase", f"by={p.source}", f"head={low}", f"sort={sort}", f"sort={sort}/by={p.source}", f"shape={shape}/{sort}",
        f"shape={shape}/by={p.source}", f"words={min(p.name.count(' '), 3)}/{shape}",
    ]  # fmt: skip


_DATA: Final = word_set(
    """dataset datasets data set sets benchmark benchmarks corpus corpora split splits subset test validation dev suite collection
    challenge track leaderboard domain domains language languages"""
)
_TASKS: Final = word_set(
    """task tasks translation classification retrieval recognition detection segmentation understanding generation answering qa
    summarization parsing tagging prediction estimation extraction identification pairs problems"""
)
