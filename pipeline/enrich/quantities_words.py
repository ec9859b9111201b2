"""Quantities spelled out in words: `forty-six percent`, `twofold`, `two orders of magnitude`, `two thirds`, `one of two`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from pipeline.enrich.numbers import FRACTION_WORDS, NUMBER_WORDS, parse_words
from pipeline.enrich.quantities import Quantity
from pipeline.enrich.units import SCALES, UNIT, Scale, unit_name

_SIMPLE: Final = "|".join(sorted(NUMBER_WORDS, key=lambda w: (-len(w), w)))
_SPELLED: Final = rf"(?:{_SIMPLE})(?:[- ](?:{_SIMPLE}))?"
_WITH_UNIT: Final = re.compile(rf"\b(?P<number>{_SPELLED}|an?(?=[ -]?(?:fold|percent\b)))(?=[ -]?[a-z%]){UNIT}", re.I)
_OUT_OF: Final = re.compile(
    rf"\b(?P<part>{_SPELLED}|[0-9]{{1,4}}) (?:out )?of (?:the |all )?(?P<all>{_SPELLED}|[0-9]{{1,5}})\b(?! of\b)", re.I
)
_MAGNITUDE: Final = re.compile(rf"\b(?:(?P<number>{_SPELLED}|[0-9]|an|several|a few|multiple) )?orders?[- ]of[- ]magnitude\b", re.I)
_FRACTION: Final = re.compile(r"\b(?:(?P<number>one|two|three|a(?= \w+ of\b))[ -](?P<part>third|quarter|fourth|fifth)s?|half(?= (?:of|the|as|that)\b))\b", re.I)
_FOLDS: Final = re.compile(rf"\b(?P<low>{_SPELLED}|[0-9.]+)(?:[- ]?fold)?-?,? (?:to|or) (?P<high>{_SPELLED}|[0-9.]+)[- ]?fold\b", re.I)
_TWICE: Final = re.compile(r"\btwice(?= (?:as|the|that|more|faster|better|larger)\b)", re.I)
_TRIGGERS: Final = re.compile(
    r"fold\b|[a-z] per ?cent|(?:one|two|ree|our|ive|six|ven|ght|ine|ten|ty|dred|zen)[ -](?:times|of|out|hours?|min|sec|days?|weeks?|months?|years?|points?|ms\b)"
    r"|rders? of mag|rder-of-mag|\bhalf |hirds?\b|uarters?\b|ifths?\b|twice "
)
_MAX_POWER: Final = 12


def scan_words(text: str) -> list[Quantity]:
    """All spelled-out quantities of a text in order.

    >>> [(q.value, q.unit) for q in scan_words("Forty-six percent agreed; an order of magnitude faster, twofold")]
    [(46.0, '%'), (10.0, '×'), (2.0, '×')]
    """
    if _TRIGGERS.search(text) is None:
        return []
    out = [q for make in (_fold_range, _with_unit, _out_of, _magnitude, _fractions) for q in make(text)]
    out.sort(key=lambda q: (q.start, -q.end))
    kept: list[Quantity] = []
    for q in out:
        if not kept or q.start >= kept[-1].end:
            kept.append(q)
    return kept


def _make(text: str, hit: re.Match[str], value: float, scale: Scale, unit: str | None, shape: str) -> Quantity:
    return Quantity(hit.start(), hit.end(), value, scale, unit, shape=shape, surface=text[hit.start() : hit.end()])


def _with_unit(text: str) -> list[Quantity]:
    out = []
    for hit in _WITH_UNIT.finditer(text):
        value = parse_words(hit["number"])
        kind = hit.lastgroup
        if value is None or kind not in SCALES or kind == "size":
            continue
        out.append(_make(text, hit, value, kind, unit_name(kind, hit[kind]), "words"))  # type: ignore[arg-type]
    return out


def _fold_range(text: str) -> list[Quantity]:
    """`a two- to threefold increase`."""
    out = []
    for hit in _FOLDS.finditer(text):
        low, high = (_number(hit[g]) for g in ("low", "high"))
        if low is not None and high is not None and low < high and not hit["low"][0].isdigit():
            q = _make(text, hit, low, "ratio", "×", "words")
            out.append(replace(q, value_max=high))
    return out


def _out_of(text: str) -> list[Quantity]:
    out = []
    for hit in _OUT_OF.finditer(text):
        part, whole = _number(hit["part"]), _number(hit["all"])
        both_digits = hit["part"].isdigit() and hit["all"].isdigit()
        if part is not None and whole is not None and part <= whole and not both_digits:
            out.append(_make(text, hit, part, "of", f"of {int(whole)}", "of-words"))
    return out


def _number(word: str) -> float | None:
    return float(word) if word.isdigit() else parse_words(word)


def _magnitude(text: str) -> list[Quantity]:
    out = []
    for hit in _MAGNITUDE.finditer(text):
        number = hit["number"]
        power = 1.0 if number is None else _number(number)
        if power is None or power > _MAX_POWER:
            power = 1.0
        out.append(_make(text, hit, 10.0**power, "ratio", "×", "magnitude"))
    return out


def _fractions(text: str) -> list[Quantity]:
    out = []
    for hit in _FRACTION.finditer(text):
        part = (hit["part"] or "half").casefold()
        count = parse_words(hit["number"] or "one") or 1.0
        out.append(_make(text, hit, round(count * FRACTION_WORDS[part], 3), "none", None, "fraction"))
    out += [_make(text, hit, 2.0, "ratio", "×", "twice") for hit in _TWICE.finditer(text)]
    return out
