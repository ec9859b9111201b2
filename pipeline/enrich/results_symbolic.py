"""Symbolic guarantees: `O(n log n)`, a `(1-1/e)`-approximation, a competitive ratio of `2+ε`. Rows without value and measure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pipeline.enrich import results_model
from pipeline.model import Metric, Span

_RULE: Final = "symbolic"
_MARKS: Final = ("O(", "O_", "Θ(", "Ω(", "Õ(", "pproximat", "etitive ratio")
_BOUND: Final = re.compile(r"(?<![\w(])(?:[OΘΩÕ]|O\^?~)(?:_\{?[\w,]{1,8}\}?)?\(")
_APPROXIMATION: Final = re.compile(r"[-– ]approximat(?:ion|e)\b")
_RATIO: Final = re.compile(r"\b(?:approximation|competitive) (?:ratio|factor|guarantee)s? (?:of|is) (?:at (?:most|least) |roughly |about )?([^\s,;]{1,40})")
_WORD: Final = re.compile(r"[A-Za-z]{4,}")
_KNOWN: Final = frozenset({"sqrt", "poly", "polylog", "loglog"})
_LONGEST: Final = 80


def symbolic_guarantees(text: str, taken: list[Span]) -> list[Metric]:
    """Bounds and ratios given as formulas, in order; `taken` are the spans of results with a value.

    >>> [m.evidence for m in symbolic_guarantees("a (1-1/e)-approximation in O(n log n) time", [])]
    ['(1-1/e)', 'O(n log n)']
    """
    if not any(mark in text for mark in _MARKS):
        return []
    spans = sorted({*_bounds(text), *_ratios(text)})
    found: dict[str, list[Span]] = {}
    last = -1
    for start, end in spans:
        if start >= last and not any(start < b and a < end for a, b in taken):
            found.setdefault(text[start:end], []).append((start, end))
            last = end
    return [Metric(None, surface, tuple(where), _RULE, results_model.confidence(_RULE)) for surface, where in found.items()]


def _bounds(text: str) -> Iterator[Span]:
    for hit in _BOUND.finditer(text):
        end = _closing(text, hit.end() - 1)
        if end and _is_formula(text[hit.end() : end - 1]):
            yield hit.start(), end


def _ratios(text: str) -> Iterator[Span]:
    for hit in _APPROXIMATION.finditer(text):
        start = _opening(text, hit.start())
        if start is not None and _is_symbolic(text[start : hit.start()]):
            yield start, hit.start()
    for hit in _RATIO.finditer(text):
        surface = hit[1].rstrip(".")
        if _is_symbolic(surface) and surface.count("(") == surface.count(")"):
            yield hit.start(1), hit.start(1) + len(surface)


def _closing(text: str, opening: int) -> int | None:
    """Just after the bracket that closes the one at `opening`; null where it is far or missing."""
    depth = 0
    for k in range(opening, min(len(text), opening + _LONGEST)):
        depth += (text[k] == "(") - (text[k] == ")")
        if depth == 0:
            return k + 1
    return None


def _opening(text: str, end: int) -> int | None:
    """Where the term that ends at `end` begins: its bracket, or the last space."""
    if end and text[end - 1] == ")":
        depth = 0
        for k in range(end - 1, max(-1, end - _LONGEST), -1):
            depth += (text[k] == ")") - (text[k] == "(")
            if depth == 0:
                return k
        return None
    space = max(text.rfind(" ", max(0, end - 30), end), text.rfind("\n", max(0, end - 30), end))
    return space + 1 if space >= 0 else None


def _is_formula(inside: str) -> bool:
    return bool(inside.strip()) and all(word in _KNOWN for word in _WORD.findall(inside))


def _is_symbolic(term: str) -> bool:
    """A ratio with a letter in it, and more than that letter: `1-1/e`, `2+ε`, no `ε` and no `low-rank`."""
    return any(c.isalpha() for c in term) and any(c.isdigit() for c in term) and _is_formula(term) and not term[0].isalpha()
