"""Macros of formulas: fractions, roots, stacks, quantities with units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.clean import macros
from pipeline.clean.macros import At

if TYPE_CHECKING:
    from pipeline.clean.latex import TexReader

_SIMPLE = re.compile(r"[^\s+\-−*/=·×±∓,<>≤≥|]+")
_ATOM = re.compile(r"[+\-−]?(?:\d[\d.,]*|[^\W\d_])(?:['′]|[\^_](?:\{[^{}]*\}|[+\-−]?\d+|\S))*|√.|√\([^()]*\)|\([^()]*\)|[^\W\d_]\([^()]*\)")
_SI_MACRO = re.compile(r"\\([A-Za-z]+)|[^\\]+")
_DOUBLE = {c: chr(0x1D538 + i) for i, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ")}
_DOUBLE |= {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"}


def blackboard(r: TexReader, at: At) -> int:
    """`\\mathbb{R}` is ℝ."""
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    start, stop, after = found
    inner = r.text[start:stop].strip()
    letters = "".join(_DOUBLE.get(c, c) for c in inner)
    if not re.fullmatch("[A-Za-z]{1,2}", inner):
        r.read(start, stop, True)
    else:
        r.draft.put(at.start, after, letters)
    return after


def fraction(r: TexReader, at: At) -> int:
    """`\\frac{a+b}{c}` is `(a+b)/c`: a part in parentheses unless it is one number, letter or call."""
    upper = r.argument(at.after, at.end)
    lower = r.argument(upper[2], at.end) if upper else None
    if upper is None or lower is None:
        return at.after
    gap = " " if r.before().isalnum() else ""
    r.enclosed((at.start, *upper), gap, _SIMPLE)
    r.draft.put(upper[1], lower[0], "/") if lower[0] > upper[1] else r.draft.put(lower[0], lower[0], "/")
    r.enclosed((lower[0], *lower), "", _ATOM)
    if r.text[lower[2] : lower[2] + 1].isalnum():
        r.draft.put(lower[2], lower[2], " ")
    return lower[2]


def root(r: TexReader, at: At) -> int:
    """`\\sqrt{n}` is `√n`, `\\sqrt{n+1}` is `√(n+1)`."""
    option = r.option(at.after, at.end)
    found = r.argument(option[2] if option else at.after, at.end)
    if found is None:
        return at.after
    degree = r.text[option[0] : option[1]].strip() if option else "2"
    r.draft.put(at.start, at.after, {"2": "√", "3": "∛", "4": "∜"}.get(degree, f"{degree}√"))
    r.enclosed((found[0], *found), "", _ATOM)
    if r.text[found[2] : found[2] + 1].isalnum():
        r.draft.put(found[2], found[2], " ")
    return found[2]


def binomial(r: TexReader, at: At) -> int:
    upper = r.argument(at.after, at.end)
    lower = r.argument(upper[2], at.end) if upper else None
    if upper is None or lower is None:
        return at.after
    r.draft.put(at.start, upper[0], "(")
    r.read(upper[0], upper[1], True)
    r.draft.put(upper[1], lower[0], " choose ")
    r.read(lower[0], lower[1], True)
    r.draft.put(lower[1], lower[2], ")")
    return lower[2]


def modulo(r: TexReader, at: At) -> int:
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    r.draft.put(at.start, found[0], (" " if r.before().isalnum() else "") + "(mod ")
    r.read(found[0], found[1], True)
    r.draft.put(found[1], found[2], ")")
    return found[2]


def over(r: TexReader, at: At) -> int:
    """`a \\over b` is `a/b`, `n \\choose k` is `n choose k`."""
    stop = at.after
    while r.text[stop : stop + 1] == " ":
        stop += 1
    r.strip_space()
    r.draft.put(at.start, stop, " choose " if at.name == "choose" else "/")
    return stop


def stacked(r: TexReader, at: At) -> int:
    """`\\overset{a}{b}` is `b^a`, `\\underset{a}{b}` is `b_a`."""
    upper = r.argument(at.after, at.end)
    lower = r.argument(upper[2], at.end) if upper else None
    if upper is None or lower is None:
        return at.after
    r.read(lower[0], lower[1], True)
    r.script("_" if at.name == "underset" else "^", (upper[0], *upper))
    return lower[2]


def quantity(r: TexReader, at: At) -> int:
    """`\\SI{10}{\\meter\\per\\second}` is `10 m/s`."""
    option = r.option(at.after, at.end)
    number = r.argument(option[2] if option else at.after, at.end)
    unit = r.argument(number[2], at.end) if number else None
    if number is None or unit is None:
        return at.after
    r.read(number[0], number[1], True)
    text = unit_text(r.text[unit[0] : unit[1]])
    r.draft.put(unit[0], unit[2], (" " if text not in "%°" else "") + text)
    return unit[2]


def unit_text(source: str) -> str:
    """A unit of siunitx in symbols."""
    return "".join(macros.UNITS.get(m[1], m[1]) if m[1] else m[0] for m in _SI_MACRO.finditer(source)).strip()
