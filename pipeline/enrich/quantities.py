"""Quantities in prose: numerals with their units, ranges, baselines and tolerances, as spans with values.

A first pass finds single numerals (atoms); a second joins neighbours by the text between them: `63% to 87%`,
`1.24×–1.50×`, `1.83 ± 1.16`, `10 out of 13`, `50% -> 82%`. What a quantity means is not decided here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from pipeline.enrich.numbers import NUMERAL, parse_number
from pipeline.enrich.units import SCALES, UNIT, Scale, unit_name


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: `text[start:end]` is its surface with unit; `shape` tells how it was put together."""

    start: int
    end: int
    value: float
    scale: Scale = "none"
    unit: str | None = None
    value_max: float | None = None
    baseline: float | None = None
    uncertainty: float | None = None
    signed: bool = False
    shape: str = "single"
    surface: str = ""


_Joiner = Callable[[str, "Quantity", "Quantity", str], "Quantity | None"]

_ATOM: Final = re.compile(
    rf"{NUMERAL}(?P<power>\s?[×x·∗*]\s?10\s?(?:\^\s?[{{(]?\s?[-−–]?|[{{(]\s?[-−–]?|[-−–])\s?[0-9]{{1,2}}(?![0-9.])[}})]?)?(?P<more>\+(?=\s?%))?(?:{UNIT})?"
)
_BEFORE_SIGN: Final = frozenset(" (=[~≈><≤≥,:|/\n\u00a0±→")
_CITED: Final = re.compile(r"\[[0-9 ,–-]*$")
_CITING: Final = re.compile(r"[0-9 ,–-]*\]")
_SIZE_BEFORE: Final = re.compile(r"[0-9]\s?[x×]\s?$")
_SIZE_AFTER: Final = re.compile(r"\s?[0-9]")
# The number of `F 1`, set apart from its letter by a subscript that was lost.
_F_SCORES: Final = frozenset({"1 ", "1-", "1.", "1,", "1)", "2 ", "0."})
# What may stand right after a numeral without a unit: white space, closing or separating punctuation.
_AFTER: Final = frozenset(" \n\u00a0.,;:)]}!?/–—→~∼±<>=+&|\"'”’−…*↑↓")


def scan_quantities(text: str) -> list[Quantity]:
    """All quantities of a text in order, neighbours joined; numerals inside names and identifiers left out.

    >>> [(q.value, q.value_max, q.unit) for q in scan_quantities("Qwen2.5-7B gains 2–5 points, 1.4x faster")]
    [(2.0, 5.0, 'points'), (1.4, None, '×')]
    """
    atoms = []
    last_end = -1
    for hit in _ATOM.finditer(text):
        atom = _read_atom(text, hit, last_end)
        if atom is not None:
            atoms.append(atom)
            last_end = atom.end
    return _join(text, atoms) if atoms else []


def _read_atom(text: str, hit: re.Match[str], last_end: int) -> Quantity | None:
    start, end = hit.span()
    numeral_end = _numeral_end(hit)
    opening = _opening(text, start, last_end)
    if opening is None or (text[start - 2 : start] == "F " and text[start : start + 2] in _F_SCORES):
        return None
    start, sign = opening
    scale: Scale = "none"
    unit: str | None = None
    named = next((kind for kind in SCALES if hit[kind] is not None), None)
    if named is not None:
        scale, unit = named, unit_name(named, hit[named])
    elif end < len(text) and text[end] not in _AFTER and not _hyphen_range(text, end):
        return None
    value = _value(text, start, numeral_end, hit)
    if value is None or not math.isfinite(value):
        return None
    if start and text[start - 1] in "$€£" and scale in ("none", "size"):
        scale, unit, start = "money", f"{text[start - 1]}{unit or ''}", start - 1
    if _is_size(text, start, end, scale) or (_CITED.search(text, max(0, start - 24), start) and _CITING.match(text, end)):
        return None
    surface = text[start:end]
    return Quantity(start, end, value, scale, unit, signed=sign != "", surface=surface)


def _is_size(text: str, start: int, end: int, scale: Scale) -> bool:
    """`2048×1024` and `3 x 1` are sizes, no multiples."""
    opens = scale == "ratio" and text[end - 1] in "x×" and _SIZE_AFTER.match(text, end) is not None
    return opens or _SIZE_BEFORE.search(text, max(0, start - 4), start) is not None


def _numeral_end(hit: re.Match[str]) -> int:
    for name in ("points", "percent", "ratio", "physical", "size", "money"):
        if hit.start(name) >= 0:
            return hit.start(name)
    return hit.end()


def _value(text: str, start: int, end: int, hit: re.Match[str]) -> float | None:
    numeral = text[start:end].rstrip("+").replace("$", "")
    power = hit["power"]
    try:
        if power is not None:
            mantissa = parse_number(numeral[: len(numeral) - len(power)])
            exponent = re.sub(r"[^0-9−–-]", "", power.split("10", 1)[1]).replace("−", "-").replace("–", "-")
            return float(f"{mantissa}e{exponent}")
        if text[start - 1 : start] == "." and not numeral.startswith("."):
            return parse_number(f"0.{numeral}")
        return parse_number(numeral)
    except ValueError:
        return None


def _hyphen_range(text: str, end: int) -> bool:
    """A hyphen after a bare numeral starts a range (`2-5%`), or is an arrow (`50 -> 82`); else it makes a name."""
    return text[end] == "-" and text[end + 1 : end + 2] in "0123456789->.+" and text[end + 1 : end + 2] != ""


def _opening(text: str, start: int, last_end: int) -> tuple[int, str] | None:
    """Where the numeral at `start` begins with its sign, and the sign; null when it continues a name."""
    if start == 0:
        return start, ""
    before = text[start - 1]
    earlier = text[start - 2] if start > 1 else " "
    if before == "." and (earlier in _BEFORE_SIGN or earlier in "-–"):
        return start - 1, ""
    if before in "+-−–":
        if last_end == start - 1:
            return start, ""
        if earlier in _BEFORE_SIGN:
            return (start - 1, before) if before != "–" else (start, "")
        return (start, "") if before == "–" else None
    if before == "/":
        return (start, "") if last_end == start - 1 else None
    if before == ".":
        return None
    if before.isalnum() or before in "_^@#\\`&{":
        return None
    if before == "," and last_end == start - 1 and text[start : start + 3].isdigit():
        return start, ""
    return start, ""


# ---------------------------------------------------------------- joining neighbours

_GAP_RANGE: Final = re.compile(r"\s?(?:[-–—~∼]|--|\bto\b|à|-to-)\s?")
_GAP_TOLERANCE: Final = re.compile(r"\s?(?:±|\+/-|\+-|\(±)\s?")
_GAP_ARROW: Final = re.compile(r"\s?(?:→|->|−>|–>|⟶|=>|⇒|↦)\s?")
_FACTOR: Final = re.compile(r"\bfactors? of (?:up to |about |around |over |more than |at least |approximately |nearly |almost |~)?$")
# `0% -> 18% -> 72%`: a chain of levels, none of them the baseline of one other.
_CHAIN: Final = re.compile(r"\s?(?:→|->|−>|–>|⟶|=>|⇒|↦)\s?[0-9]")
_CHAINED: Final = re.compile(r"[0-9]\s?%?\s?(?:→|->|−>|–>|⟶|=>|⇒|↦)\s?$")
_GAP_OF: Final = re.compile(r"\s(?:out )?of (?:the |all |a total of )?|\s[a-z]+ out of (?:the |all )?")
_GAP_FROM: Final = re.compile(r"(?![^;.]*\band\b)[^;]{0,60}?\b(?:up |down )?to (?:an? [\w-]+ of |about |around |~|over |nearly |only |approximately )?")
_FROM: Final = re.compile(r"\b(?:from|de)\s(?:an? [\w -]{1,40} of |about |around |approximately |~|roughly |just |only |as low as |\w+ )?$")
_BETWEEN: Final = re.compile(r"\b(?:between|entre)\s$")
_RANGING: Final = re.compile(r"\b(?:rang\w+|var\w+|spann\w+|lies|lie|is|are|were|was|augmentent)\s+(?:\w+\s)?(?:from|de)\s(?:an? \w+ of )?$", re.I)
# `by 1.7 AP (73.5 to 75.2)`: the levels of the change just told.
_AFTER_CHANGE: Final = re.compile(r"[0-9](?:\s?%|\s[A-Za-z%]{1,12}){0,2}\s\($")
_FRACTIONS: Final = frozenset({(1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (1, 5), (2, 5)})


def _join(text: str, atoms: list[Quantity]) -> list[Quantity]:
    """Neighbours that touch first (`±`, `/`, `out of`), then ranges and baselines over what these made."""
    quantities = _fold(text, _fold(text, atoms, _join_tight), _join_loose)
    return _share_units(text, [_with_factor(text, q) for q in quantities])


def _with_factor(text: str, q: Quantity) -> Quantity:
    """`by a factor of 1.8 to 2.5` counts times."""
    if q.scale == "none" and _FACTOR.search(text, max(0, q.start - 34), q.start):
        return replace(q, scale="ratio", unit="×", shape="factor")
    return q


def _fold(text: str, parts: list[Quantity], join: _Joiner) -> list[Quantity]:
    out = parts[:1]
    for right in parts[1:]:
        gap = text[out[-1].end : right.start]
        joined = join(text, out[-1], right, gap) if len(gap) <= 80 else None
        if joined is None:
            out.append(right)
        else:
            out[-1] = joined
    return out


def _join_tight(text: str, left: Quantity, right: Quantity, gap: str) -> Quantity | None:
    if _GAP_TOLERANCE.fullmatch(gap):
        return _with_tolerance(text, left, right)
    if gap == "/":
        return _slash(text, left, right)
    if _GAP_OF.fullmatch(gap):
        return _out_of(text, left, right)
    return None


def _join_loose(text: str, left: Quantity, right: Quantity, gap: str) -> Quantity | None:
    if left.shape not in ("single", "tolerance", "of", "fraction") or not _compatible(left, right):
        return None
    if _GAP_ARROW.fullmatch(gap):
        chained = _CHAIN.match(text, right.end) or _CHAINED.search(text, max(0, left.start - 8), left.start)
        return None if chained else _with_baseline(text, left, right, "arrow")
    return _range_or_baseline(text, left, right, gap)


def _range_or_baseline(text: str, left: Quantity, right: Quantity, gap: str) -> Quantity | None:
    before = text[max(0, left.start - 60) : left.start]
    if gap == " and " and _BETWEEN.search(before):
        return _with_maximum(text, left, right)
    word_to = "to" in gap or "à" in gap
    if _GAP_RANGE.fullmatch(gap) and not (word_to and _FROM.search(before) and not _RANGING.search(before)):
        if right.value < left.value:
            return None
        if gap == " to " and _AFTER_CHANGE.search(before) and text[right.end : right.end + 1] == ")":
            return _with_baseline(text, left, right, "from")
        return _with_maximum(text, left, right)
    if word_to and _FROM.search(before) and not _RANGING.search(before) and _GAP_FROM.fullmatch(gap):
        return _with_baseline(text, left, right, "from")
    return None


def _compatible(left: Quantity, right: Quantity) -> bool:
    if left.scale == "of" or right.scale == "of":
        return left.unit == right.unit
    return left.scale in ("none", right.scale)


def _unit_from(text: str, left: Quantity, right: Quantity, shape: str) -> Quantity:
    """Both as one quantity with the value of the left and the unit of the right one."""
    return Quantity(
        left.start, right.end, left.value, right.scale, right.unit, None, None, right.uncertainty or left.uncertainty,
        left.signed or right.signed, shape, text[left.start : right.end],
    )  # fmt: skip


def _with_maximum(text: str, left: Quantity, right: Quantity) -> Quantity:
    return replace(_unit_from(text, left, right, "range"), value_max=right.value)


def _with_baseline(text: str, left: Quantity, right: Quantity, shape: str) -> Quantity:
    return replace(_unit_from(text, left, right, shape), value=right.value, baseline=left.value)


def _with_tolerance(text: str, left: Quantity, right: Quantity) -> Quantity:
    scale, unit = (right.scale, right.unit) if left.scale == "none" else (left.scale, left.unit)
    return replace(
        left, end=right.end, scale=scale, unit=unit, uncertainty=right.value, shape="tolerance",
        surface=text[left.start : right.end],
    )  # fmt: skip


def _slash(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    whole = left.value.is_integer() and right.value.is_integer() and left.scale == "none"
    if not whole or "." in left.surface or "." in right.surface or left.value > right.value:
        return None
    if (int(left.value), int(right.value)) in _FRACTIONS:
        return replace(
            left, end=right.end, value=round(left.value / right.value, 3), shape="fraction",
            scale=right.scale, unit=right.unit, surface=text[left.start : right.end],
        )  # fmt: skip
    return _out_of(text, left, right)


def _out_of(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    plain = left.scale == "none" and right.scale == "none" and left.value <= right.value
    if not plain or left.shape != "single" or right.shape != "single" or not right.value.is_integer():
        return None
    return replace(
        left, end=right.end, scale="of", unit=f"of {int(right.value)}", shape="of", surface=text[left.start : right.end]
    )


# ---------------------------------------------------------------- units shared by a list

_GAP_LIST: Final = re.compile(r"(?:\s?\([^()0-9]{1,40}\))?(?:\s[A-Z][\w-]{1,15})?(?:,\s?(?:and\s|or\s)?|\s(?:and|or|vs\.?|versus|/|&)\s|/)")


_CONFIDENCE: Final = re.compile(r"\s?(?:CI|CrI|confidence|credible)\b")


def _share_units(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """`7.2, 8.1 and 9%`: a bare number listed before one with a unit has that unit."""
    for i in range(len(quantities) - 2, -1, -1):
        left, right = quantities[i], quantities[i + 1]
        bare = left.scale == "none" and right.scale in ("percent", "points", "ratio", "physical")
        level = right.scale == "percent" and _CONFIDENCE.match(text, right.end)
        if bare and not level and right.start - left.end < 60 and _GAP_LIST.fullmatch(text[left.end : right.start]):
            quantities[i] = replace(left, scale=right.scale, unit=right.unit, shape=f"{left.shape}+unit")
    return quantities
