"""Numbers that are never results, whatever stands around them: p values, bounds and levels of intervals, sample sizes."""

from __future__ import annotations

import re
from typing import Final

from pipeline.enrich.quantities import Quantity

_INTERVAL: Final = r"(?:CIs?|CrI|C\.I\.|[Cc]onfidence (?:intervals?|limits?)|[Cc]redible intervals?|prediction interval|IQR|[Ii]nterquartile range|HDI)\]?\)?"
_BOUND: Final = re.compile(_INTERVAL + r"[^0-9;]{0,22}(?:[-−+]?[0-9]*[.·]?[0-9]+\s?%?\s?(?:,|to|and|[-–—−])\s?)?$")
_OPERATORS: Final = frozenset("=<>≤≥≈")
_VERBS: Final = ("than ", "of ", "was ", "is ")
_LEVEL: Final = re.compile(r"[\s-]?(?:\w+[ -]){0,2}?(?:CIs?\b(?! cov)|CrI\b|C\.I\.|confidence (?:interval|limit|bound|level|region|set|band)|credible|prediction interval|HDI\b|HPD\b)")
_P_VALUE: Final = re.compile(
    r"(?:(?<![A-Za-z@])[pPq](?:[- _]?(?:values?|adj|trend|interaction|\w{1,6}))?|\bP for \w+|significance(?: level)?(?: of)?)\s?"
    r"(?:=|<|>|≤|≥|≈|less than|of|was|is)\s?(?:or =\s?)?[<=]?\s?$"
)  # fmt: skip
_SETTING: Final = re.compile(
    r"(?:(?<![A-Za-z@])(?:[nNkKTBLH]|n[_ ]?\w{1,4}|[Ss]eeds?|[Aa]ges?d?|df|[Ll]r|[Ll]earning rate|[Tt]emperature|[Ff]ig(?:ure|\.)?|[Tt]ables?"
    r"|[Ss]ections?|[Cc]hapters?|[Tt]heorem|[Ll]emma|[Vv]ersions?|[Gg]rades?|[Ll]evels?|[Tt]asks?|[Tt]racks?|[Ss]ubtasks?|[Pp]hases?|[Ss]tages?|[Tt]ypes?|[Cc]lass|[Dd]ays?|[Ww]eeks?|[Vv]ol(?:ume|\.)?|No\.|pp\.))"
    r"\s?(?:=|≥|≤|>|<|:)?\s?$"
)  # fmt: skip
# How much the studies of a meta-analysis differ.
_HETEROGENEITY: Final = re.compile(r"(?<![A-Za-z])I\s?(?:²|\^?\{?2\}?)\s?[=<>]\s?$")
# How far the values of a sample spread, beside their mean.
_SPREAD: Final = re.compile(r"[0-9%] ?[(\[;,] ?(?:SDs?|SEM?|s\.d\.|s\.e\.m?\.?|[Ss]td\.?) ?[=:]? ?[±]? ?$")
_DECADE: Final = re.compile(r"(?:1[5-9]|20)\d0s")
# `Our contributions are threefold` counts, it measures nothing.
_COUNTED: Final = re.compile(r"\b(?:contributions?|aims?|goals?|objectives?|purposes?|motivations?|reasons?|challenges?|novelty|focus|approach)\b[^.;]{0,40}\b(?:is|are|was|were|be) $")
_FOLD: Final = re.compile(r"[\s-](?:cross|CV\b|stratified|nested)|[\s-]?(?:repeated )?(?:stratified )?(?:cross[- ]?validat|CV\b)", re.I)


def excluded(text: str, q: Quantity) -> str | None:
    """Name of the rule by which a quantity is no result, or null.

    Measured on the gold these rules drop no result; what they drop would otherwise need to be learnt.
    """
    before = text[max(0, q.start - 48) : q.start]
    last = before.rstrip()[-1:]
    if (last in _OPERATORS or before.endswith(_VERBS)) and _P_VALUE.search(before) and q.scale in ("none", "percent") and q.baseline is None:
        return "p-value"
    if ("C" in before or "redible" in before or "onfid" in before or "IQR" in before or "HDI" in before) and _BOUND.search(before):
        return "interval-bound"
    if ("S" in before or "s" in before) and q.value_max is None and _SPREAD.search(before):
        return "spread"
    if last in "=<>" and _HETEROGENEITY.search(before):
        return "heterogeneity"
    if q.scale == "percent" and _LEVEL.match(text, q.end):
        return "confidence-level"
    if q.scale == "none" and q.value_max is None and q.value.is_integer() and _SETTING.search(before[-18:]):
        return "setting"
    if q.scale == "ratio" and _FOLD.match(text, q.end):
        return "cross-validation"
    if q.scale == "ratio" and q.surface.endswith("fold") and _COUNTED.search(before):
        return "count-of-parts"
    if q.unit == "s" and _DECADE.fullmatch(q.surface):
        return "decade"
    return None
