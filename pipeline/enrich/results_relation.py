"""Words around a quantity that say how exact it is (`up to`, `over`, `nearly`) and whether it is a change or a level."""

from __future__ import annotations

import re

from pipeline.enrich.measures import word_set
from pipeline.enrich.quantities import Quantity
from pipeline.enrich.results_context import Sentence
from pipeline.model import Relation, ValueKind

_TAIL = r"\s?(?:an?\s|the\s)?(?:average\s|about\s|around\s|[~∼≈]\s?|\+)?[({]?$"
_BEFORE: tuple[tuple[Relation, re.Pattern[str]], ...] = (
    (">=", re.compile(r"\b(?:not? (?:less|fewer|lower) than|never below|not below)" + _TAIL, re.I)),
    ("<=", re.compile(r"(?:\b(?:up ?to|at most|at best(?: only)?|under|below|less than|fewer than|lower than|within|no more than|not exceeding|as much as|as many as|as high as|as large as|as little as|as few as|as low as|a maximum of|maximum|not exceed(?:ing)?|do(?:es)? not exceed|sub-|(?:be)?neath|smaller than|shorter than|jusqu['’]à)|[<≤≲])" + _TAIL, re.I)),
    (">=", re.compile(r"(?:\b(?:at least|over|above|more than|greater than|higher than|larger than|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|in excess of|a minimum of|better than|upwards? of|beyond|plus de)|(?<![-=−–])[>≥≳])" + _TAIL, re.I)),
    ("~", re.compile(r"(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|close to|near|circa|some|on the order of|environ|ca\.)|[~∼≈≃])\s?(?:an?\s|the\s)?(?:average\s)?[({+]?$", re.I)),
)  # fmt: skip
# One of these stands before a number that any of the patterns can match: a cheap look before the long one.
_SIGNS = frozenset("<≤≲>≥≳~∼≈≃-")
_HINTS = word_set(
    """to most best only under below than within exceed exceeding much many high large little few low of maximum minimum beneath neath
    jusqu'à jusqu’à upto least over above exceeds exceeded surpass surpasses surpassing surpassed excess beyond de about around
    approximately approx approx. roughly nearly almost near circa some environ ca."""
)
_AFTER_MORE = re.compile(r"\s?(?:or (?:more|higher|greater|above)|and above)\b|\+")
_AFTER_LESS = re.compile(r"\s?(?:or (?:less|lower|fewer|below))\b")
_COORDINATED = re.compile(r"(?:\s?[A-Za-z@#\w-]{1,20})?(?:\s?\([^()]{0,40}\))?\s?(?:,\s?(?:and\s)?|\s?and\s|/)\s?\+?")
_SHARED = re.compile(
    r"(?![^;]*\b(?:while|with|to|by|reduc|improv|achiev|compar|vs|versus|than|from|but|only|exactly|improvements?|reductions?|increases?|gains?|decreases?|speed-?ups?|drops?|faster|higher|lower|fewer|less|more)\b)[^;.()]{0,70}?\band\s\+?$"
)
_CHANGE = re.compile(
    r"(?:improv|increas|reduc|decreas|boost|gain|rais|lower|enhanc|cut|drop|declin|outperform|surpass|exceed|sav|degrad|rise|rose|fell|shrink"
    r"|higher|fewer|less|more|better|worse|faster|slower|greater|smaller|relative|loss|lift|uplift|advantage|margin|beat|shorten|differ|gap)"
)


def relation_of(text: str, q: Quantity) -> Relation:
    """How the number bounds the quantity; `=` where the text says nothing."""
    before = text[max(0, q.start - 30) : q.start]
    if not _SIGNS.isdisjoint(before[-6:]) or not _HINTS.isdisjoint(before.casefold().split()[-4:]):
        for relation, pattern in _BEFORE:
            if pattern.search(before):
                return relation
    if _AFTER_MORE.match(text, q.end) or "+" in q.surface[1:]:
        return ">="
    if _AFTER_LESS.match(text, q.end):
        return "<="
    return "="


def relations(text: str, quantities: list[Quantity]) -> list[Relation]:
    """The relation of each quantity; items of a list share that of the first: `up to 66.75%, 65.9%, 65.39%`."""
    out: list[Relation] = []
    for i, q in enumerate(quantities):
        relation = relation_of(text, q)
        if relation == "=" and i and out[-1] != "=" and q.scale == quantities[i - 1].scale:
            gap = text[quantities[i - 1].end : q.start]
            if len(gap) < 90 and (_COORDINATED.fullmatch(gap) or _SHARED.match(gap)):
                relation = out[-1]
        out.append(relation)
    return out


def kind_of(s: Sentence, q: Quantity) -> ValueKind:
    """`ratio` for times and fold, `count` for N of M, `change` beside words of change, else `level`."""
    if q.scale == "ratio" or q.shape == "fraction":
        return "ratio"
    if q.scale == "of":
        return "count"
    if q.baseline is not None:
        return "level"
    if q.scale == "points" or (q.signed and q.surface[:1] == "+"):
        return "change"
    left, right = s.before(q.start), s.before(q.end)
    p1 = s.lows[left - 1] if left else ""
    if p1 in ("by", "additional") or any(_CHANGE.match(w) for w in s.lows[right : right + 2]):
        return "change"
    window = s.lows[max(0, left - 5) : left]
    for k in range(len(window) - 1, -1, -1):
        if window[k] in ("to", "reach", "reaches", "achieves", "achieving", "reaching", "attains"):
            return "level"
        if _CHANGE.match(window[k]) and window[-1] in ("by", "of", "to", "over", "than", "least", "nearly", "about", "almost", "up"):
            return "change"
    return "level"
