"""Quantities spelled out in words: `forty-six percent`, `twofold`, `two orders of magnitude`, `two thirds`, `one of two`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from pipeline.enrich.numbers import FRACTION_WORDS, NUMBER_WORDS, parse_words
from pipeline.enrich.quantities import Quantity
from pipeline.enrich.units import SCALES, UNIT, Scale, unit_name
from pipeline.model import Span

_SIMPLE: Final = "|".join(sorted(NUMBER_WORDS, key=lambda w: (-len(w), w)))
_SPELLED: Final = rf"(?:{_SIMPLE})(?:[- ](?:{_SIMPLE}))?"
_WITH_UNIT: Final = re.compile(rf"\b(?P<number>{_SPELLED}|an?(?=[ -]?(?:fold|percent\b)))(?=[ -]?[a-z%]){UNIT}", re.I)
_OUT_OF: Final = re.compile(
    rf"\b(?P<part>{_SPELLED}|[0-9]{{1,4}}) (?:out )?of (?:the |all )?(?P<all>{_SPELLED}|[0-9]{{1,5}})\b(?! of\b)", re.I
)
_MAGNITUDE: Final = re.compile(rf"\b(?:(?P<number>{_SPELLED}|[0-9]|an|several|a few|multiple) )?orders?[- ]of[- ]magnitude\b", re.I)
_FRACTION: Final = re.compile(r"\b(?:(?P<number>one|two|three|a(?= \w+ of\b))[ -](?P<part>third|quarter|fourth|fifth)s?|half(?= (?:of|the|as|that)\b))\b", re.I)
_FOLDS: Final = re.compile(rf"\b(?P<low>{_SPELLED}|[0-9.]+)(?:[- ]?fold)?-?,? (?:to|or) (?P<high>{_SPELLED}|[0-9.]+)(?:[- ]?fold| times)\b", re.I)
_TWICE: Final = re.compile(r"\btwice(?= (?:as|the|that|more|faster|better|larger)\b)", re.I)
_FACTOR: Final = re.compile(rf"\bfactors? of (?:about |around |over |up to |at least |nearly |almost )?(?P<number>{_SPELLED})\b", re.I)
# Words one of which every pattern holds; each is looked for as a plain string, and the patterns only around it.
_TRIGGERS: Final = (
    "fold", "percent", "per cent", "f magnitude", "f-magnitude", "factor of ", "factors of ", "half ", "third", "quarter", "fifth", "fourth", "twice ", " of ", "-of-",
    " times", " hour", " minute", " second", " day", " week", " month", " year", " point", "-point", " ms",
)  # fmt: skip
# Of these only the ones after a spelled-out number count.
_AFTER_NUMBER: Final = frozenset(_TRIGGERS[_TRIGGERS.index(" of ") :])
_ENDINGS: Final = tuple(sorted(set(NUMBER_WORDS) | {f"{w} out" for w in NUMBER_WORDS}))
_REACH: Final = 48
_TRIGGER_WORDS: Final = frozenset(
    f"{w}" for word in (*NUMBER_WORDS, *FRACTION_WORDS, "twice", "order", "orders", "order-of-magnitude", "percent", "cent",
        "one-third", "two-thirds", "one-half", "one-quarter", "one-fifth", "three-quarters")
    for w in (word, word.capitalize())
)  # fmt: skip
_MAX_POWER: Final = 12


def may_hold_words(words: list[str]) -> bool:
    """Whether a sentence of these words can hold a spelled-out quantity."""
    return not _TRIGGER_WORDS.isdisjoint(words)


def scan_words(text: str, span: Span | None = None) -> list[Quantity]:
    """All spelled-out quantities of a text, or of a stretch of it, in order.

    >>> [(q.value, q.unit) for q in scan_words("Forty-six percent agreed; an order of magnitude faster, twofold")]
    [(46.0, '%'), (10.0, '×'), (2.0, '×')]
    """
    out = []
    for low, high in _windows(text, span or (0, len(text))):
        for make in (_fold_range, _with_unit, _out_of, _magnitude, _fractions, _factors):
            out += make(text, low, high)
    out.sort(key=lambda q: (q.start, -q.end))
    kept: list[Quantity] = []
    for q in out:
        if not kept or q.start >= kept[-1].end:
            kept.append(q)
    return kept


def _windows(text: str, span: Span) -> list[Span]:
    """Stretches around the trigger words, those that touch joined."""
    places = []
    for word in _TRIGGERS:
        at = text.find(word, *span)
        while at >= 0:
            if word not in _AFTER_NUMBER or text[max(0, at - 12) : at].casefold().endswith(_ENDINGS):
                places.append(at)
            at = text.find(word, at + len(word), span[1])
    out: list[Span] = []
    for at in sorted(places):
        low, high = max(span[0], at - _REACH), min(span[1], at + _REACH)
        if out and low <= out[-1][1]:
            out[-1] = (out[-1][0], high)
        else:
            out.append((low, high))
    return out


def _make(hit: re.Match[str], value: float, unit: tuple[Scale, str | None], shape: str) -> Quantity:
    return Quantity(hit.start(), hit.end(), value, unit[0], unit[1], shape=shape, surface=hit.group())


def _with_unit(text: str, low: int, high: int) -> list[Quantity]:
    out = []
    for hit in _WITH_UNIT.finditer(text, low, high):
        value = parse_words(hit["number"])
        scale: Scale = next((scale for scale in SCALES if hit[scale] is not None), "size")
        if value is None or scale == "size":
            continue
        out.append(_make(hit, value, (scale, unit_name(scale, hit[scale])), "words"))
    return out


def _fold_range(text: str, low: int, high: int) -> list[Quantity]:
    """`a two- to threefold increase`, `two to three times faster`."""
    out = []
    for hit in _FOLDS.finditer(text, low, high):
        least, most = (_number(hit[g]) for g in ("low", "high"))
        if least is not None and most is not None and least < most and not hit["low"][0].isdigit():
            q = _make(hit, least, ("ratio", "×"), "words")
            out.append(replace(q, value_max=most))
    return out


def _out_of(text: str, low: int, high: int) -> list[Quantity]:
    out = []
    for hit in _OUT_OF.finditer(text, low, high):
        part, whole = _number(hit["part"]), _number(hit["all"])
        both_digits = hit["part"].isdigit() and hit["all"].isdigit()
        if part is not None and whole is not None and part <= whole and not both_digits:
            out.append(_make(hit, part, ("of", f"of {int(whole)}"), "of-words"))
    return out


def _number(word: str) -> float | None:
    return float(word) if word.isdigit() else parse_words(word)


def _magnitude(text: str, low: int, high: int) -> list[Quantity]:
    out = []
    for hit in _MAGNITUDE.finditer(text, low, high):
        number = hit["number"]
        power = 1.0 if number is None else _number(number)
        if power is None or power > _MAX_POWER:
            power = 1.0
        out.append(_make(hit, 10.0**power, ("ratio", "×"), "magnitude"))
    return out


def _factors(text: str, low: int, high: int) -> list[Quantity]:
    """`by a factor of four`; the number alone is the quantity, as with digits."""
    out = []
    for hit in _FACTOR.finditer(text, low, high):
        value = parse_words(hit["number"])
        if value is not None:
            out.append(Quantity(*hit.span("number"), value, "ratio", "×", shape="factor", surface=hit["number"]))
    return out


def _fractions(text: str, low: int, high: int) -> list[Quantity]:
    out = []
    for hit in _FRACTION.finditer(text, low, high):
        part = (hit["part"] or "half").casefold()
        count = parse_words(hit["number"] or "one") or 1.0
        out.append(_make(hit, round(count * FRACTION_WORDS[part], 3), ("none", None), "fraction"))
    out += [_make(hit, 2.0, ("ratio", "×"), "twice") for hit in _TWICE.finditer(text, low, high)]
    return out
