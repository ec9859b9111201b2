"""Units of measure as they follow a numeral, and the one spelling in which the dataset writes each.

The scale of a unit tells what kind of number it makes: `percent`, `points`, `ratio` (times, fold, ×), `physical`
(time, energy, memory, rates, ...), `money`, `size` (the K, M and B of counts).
"""

from __future__ import annotations

import re
from typing import Final, Literal

Scale = Literal["none", "percent", "points", "ratio", "physical", "money", "size", "of"]

_TIME: Final = (
    "ms|milliseconds?|µs|μs|us|microseconds?|ns|nanoseconds?|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?"
    "|months?|years?|yrs?"
)
_LENGTH: Final = "mm|cm|km|nm|µm|μm|m|meters?|metres?|millimet(?:er|re)s?|centimet(?:er|re)s?|kilomet(?:er|re)s?|miles?|px|pixels?"
_MEMORY: Final = "[KMGTP]i?B(?:ytes)?|[KMG]bps|[KMGT]b/s|bytes?|bits?|nats?"
_COMPUTE: Final = (
    "[GAC]PU[- ]?(?:hours?|days?|h)|(?:[AHV]100|TPU)[- ]?(?:hours?|days?)|(?:[KMGTP]|Giga|Tera|Peta)?FLOP/?[Ss]?|[MGT]OPS?|GMACs?|MACs?|[MGT]OPS/W"
    "|FPS|fps|frames per second|frames/s(?:ec)?|tokens?/s(?:ec)?(?:ond)?|tokens? per second|QPS|it/s|samples/s"
)
_PHYSICS: Final = (
    "dB[mi]?|[kMG]?Hz|[mkM]?W|[mkµμ]?J|kWh|Wh|mmHg|mm Hg|cm ?H_?\\{?2\\}?O|[kM]?Pa|mN|N|Nm|°C|°|degrees?|deg|rad|kcal(?:/mol)?|e?V|meV(?:/Å)?|mV"
    "|Å|(?:[mcknµμf]?m|px|in)\\^\\{?[23]\\}?|mg|kg|g|µg|μg|ng|pg|mL|ml|L|l|µL|mmol|mol|µmol|nmol|nM|µM|μM|mM|IU|U|kDa|kb|bp|bpm|ppm|cents?|bits? per (?:character|dim|pixel|byte|spike)|bits?/(?:char|dim|s)"
    "|bpc|bpp|BPC|arcsec(?:onds?)?|standard deviations?|SDs?|σ"
)
_RATE: Final = "(?:/(?:s(?:ec)?|min|h(?:our)?|d(?:ay)?|kg|g|m\\^?2|m\\^?3|dL|dl|mL|ml|L|l|mol|month|year|W|step|px))*"
_PER: Final = "(?: per (?:100 ?)?(?:m[lL]|dL|[lL]iter|second|minute|hour|day|week|month|year|kg|g|patient|sample|image|frame|token|query|step|iteration|page|GPU)\\b)?"
_PHYSICAL: Final = f"(?:{_COMPUTE}|{_PHYSICS}|{_MEMORY}|{_TIME}|{_LENGTH}){_RATE}{_PER}"
_POINTS: Final = (
    r"(?:%|percent(?:age)?|per ?cent(?:age)?)[- ]?(?:points?|pts?\b|pp\b)|[- ]?(?:pp|ppt|pts|p\.p\.)|[- ]?points?|[- ]pt"
)
# A measure between number and "points": "2.77 BLEU points", "0.75 F1 point", "5.3 absolute points", "13 mean reciprocal rank points".
_NAMED_POINTS: Final = (
    r"\s(?:(?:absolute|relative|accuracy|average|overall|percentage|macro|mean|[\w@/+-]*[A-Z][\w@/+.-]*)\s|mean (?:average precision|reciprocal rank|absolute error)\s"
    r"|(?:performance|score|recall|precision|perplexity|success rate)\s){1,2}"
    r"(?:percentage )?points?"
)
_MONEY: Final = r"(?:US )?dollars?|USD|EUR|euros?"

# One alternation tried right after a numeral; the group that matched names the scale.
UNIT: Final = (
    rf"(?:(?P<points>\s?(?:{_POINTS})(?![A-Za-z0-9])|{_NAMED_POINTS}(?![A-Za-z0-9-]))"
    r"|(?P<percent>\s?%|[- ]?(?:percent|per ?cent)(?![A-Za-z]))"
    r"|(?P<ratio>\s?\{?[×xX✕⨉]\}?(?![A-Za-z])|[- ]?times(?![A-Za-z])|[- ]?fold(?![A-Za-z]))"
    rf"|(?P<physical>[- ]?(?:{_PHYSICAL})(?![A-Za-z0-9]))"
    rf"|(?P<size>\s?(?:million|billion|trillion|thousand)(?![A-Za-z])|[KkMBT](?![A-Za-z0-9]))"
    rf"|(?P<money>\s(?:{_MONEY})(?![A-Za-z])))"
)

SCALES: Final[tuple[Scale, ...]] = ("points", "percent", "ratio", "physical", "size", "money")
_PLURAL: Final = re.compile(
    r"^(second|minute|hour|day|week|month|year|degree|meter|metre|mile|pixel|GPU-hour|GPU hour|GPU day|bit|nat)$"
)


def unit_name(scale: Scale, surface: str) -> str | None:
    """The spelling of a unit in the dataset: `%`, `points`, `×`; physical units as written, in the plural.

    >>> unit_name("points", " percentage points"), unit_name("ratio", "-fold"), unit_name("physical", "-hour")
    ('points', '×', 'hours')
    """
    if scale == "percent":
        return "%"
    if scale == "points":
        return "points"
    if scale == "ratio":
        return "×"
    name = surface.strip(" -\u00a0")
    if not name:
        return None
    return f"{name}s" if _PLURAL.match(name) else name
