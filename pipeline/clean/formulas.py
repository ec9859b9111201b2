"""Find the formulas of a text: which `$` open and close one, and which are money or shell variables."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.clean.literals import MATH_CLOSE, MATH_OPEN
from pipeline.clean.words import words

# Each alternative starts with a plain character, which lets the regex engine skip to candidates.
_MARKS = re.compile(r"\\(?s:.)|\$\$*|\ufdee|\ufdef|\n[ \t]*\n")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?|\\.")
_TEXT_ARGUMENT = re.compile(r"\\(?:text\w*|mathrm|mathsf|mathit|mathbf|operatorname|mbox|emph)\s*\{[^{}]*\}")
_LONG_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,}(?![A-Za-z])")
_TEX = re.compile(r"[\\^_{}=<>|+*]|[\u0370-\u03ff\u2200-\u22ff]")
_FUNCTION_WORDS = words("log exp min max mod ln sin cos tan poly polylog arg det dim ker lim sup inf Pr")
_UNIT = re.compile(r"\d[\d.,]*\s?[A-Za-zµ]{1,4}")
_LONGEST = 2000
# What follows a dollar that opens a formula, and what stands before one that closes it, where the other one is cut off. A number
# counts only behind a relation or a macro: `5$` is a price. So does a letter by itself only where it names no currency (`k$`).
_OPENS = re.compile(r"\\|\|\|?[|A-Za-z]|\(?[A-Za-z](?:[\\^_(]|\s?[=<>≤≥∈]|\s\\[A-Za-z])|[A-Za-z]{2,4}\s?[=≤≥∈]")
_LAST_LETTER = re.compile(r"[A-Za-z]\s*\Z")
_CLOSES = re.compile(
    r"(?:[)}\]|′^_]|\^\*|(?:[\^_+*/]|\\[A-Za-z]+)\s?[^\W\d_]|[=<>≤≥∈]\s?[A-Za-z]{1,4}|\\[A-Za-z]+|\\%"
    r"|(?:\\[A-Za-z]+|[=≈±≤≥])\s*[-+−]?\d[\d.,]*|(?:\A|(?<=[\s(]))[a-jln-z])\Z"
)
_REACH = 24


class Formula(NamedTuple):
    """A formula: where its opening mark starts and ends, and where its closing mark starts and ends."""

    start: int
    inner_start: int
    inner_end: int
    end: int


def find_formulas(text: str) -> tuple[dict[int, Formula], bool]:
    """The formulas of `text` by start, and whether a `$` is left that neither opens nor closes one nor is money.

    A `$` is a closing mark only if what stands between could be a formula: `$5 and $7` is money, as is `US$`.

    >>> sorted(find_formulas("$5 million or $2$--$3$")[0])
    [14, 19]
    >>> find_formulas(r"from $n$ to \\(x\\)")[0][12]
    Formula(start=12, inner_start=14, inner_end=15, end=17)
    """
    found: dict[int, Formula] = {}
    if not any(mark in text for mark in ("$", "\\(", "\\[", MATH_OPEN)):
        return found, False
    lone = _lone_close(text)
    pending: dict[str, re.Match[str] | None] = {"$": None, "$$": None, "(": None, "[": None, "\ufdee": None}
    stray = False
    for m in _MARKS.finditer(text):
        mark = m[0]
        if mark[0] == "\n":
            stray = stray or _is_stray(text, pending["$"])
            pending.update({"$": None, "$$": None, "(": None, "[": None})
        elif m.start() == lone:
            stray = True
        elif mark[0] == "$":
            stray = _dollar(text, m, pending, found) or stray
        elif mark in ("\\(", "\\["):
            pending[mark[1]] = m
        elif mark in ("\\)", "\\]"):
            opening = pending["(" if mark == "\\)" else "["]
            if opening and (mark == "\\)" or _is_display(text[opening.end() : m.start()])):
                _add(found, opening, m)
            pending["(" if mark == "\\)" else "["] = None
        elif mark == MATH_OPEN:
            pending[MATH_OPEN] = m
        elif mark == MATH_CLOSE and (opening := pending[MATH_OPEN]):
            while found and next(reversed(found)) > opening.start():
                found.popitem()
            _add(found, opening, m)
            pending.update({MATH_OPEN: None, "$": None, "$$": None})
    return found, stray or _is_stray(text, pending["$"])


def opens_formula(text: str, start: int, end: int) -> bool:
    """Whether the dollar at `start:end`, which has no partner, opens a formula that was cut off."""
    if _OPENS.match(text, end):
        return True
    return _LAST_LETTER.match(text, end) is not None and text[max(start - 1, 0) : start] in ("", " ", "\n", "(", "-")


def closes_formula(text: str, position: int) -> bool:
    """Whether a dollar at `position` without a partner can only close a formula, the start of which was cut off."""
    return _CLOSES.search(text[max(position - _REACH, 0) : position]) is not None


def _lone_close(text: str) -> int:
    """Where the first dollar stands if it closes a formula that was cut off: the number of dollars is odd; -1 if not."""
    if "$$" in text or (text.count("$") - text.count("\\$")) % 2 == 0:
        return -1
    first = text.find("$")
    while first > 0 and text[first - 1] == "\\":
        first = text.find("$", first + 1)
    after = text[first + 1 : first + 2]
    return first if not (after.isalnum() or after == "\\") and closes_formula(text, first) else -1


def _add(found: dict[int, Formula], opening: re.Match[str], closing: re.Match[str]) -> None:
    found[opening.start()] = Formula(opening.start(), opening.end(), closing.start(), closing.end())


def _dollar(
    text: str, m: re.Match[str], pending: dict[str, re.Match[str] | None], found: dict[int, Formula]
) -> bool:
    """Take up one run of dollars; whether the one that waited before is left over for good."""
    if pending[MATH_OPEN]:
        return False
    kind = "$" if len(m[0]) == 1 else "$$"
    other, opening = pending["$$" if kind == "$" else "$"], pending[kind]
    if kind == "$" and other is not None and m.start() - other.end() > _LONGEST:
        pending["$$"] = other = None
    if kind == "$$" and opening is None and other is not None and m.end() < len(text):
        pending["$$"] = m
        return False
    if opening is None:
        pending[kind] = m
        return False
    inner = text[opening.end() : m.start()] if m.start() - opening.end() <= _LONGEST else ""
    if is_formula(inner, text[m.end() : m.end() + 1]):
        _add(found, opening, m)
        pending.update({"$": None, "$$": None})
        return False
    pending[kind] = m
    return _is_stray(text, opening)


def _is_stray(text: str, m: re.Match[str] | None) -> bool:
    """Whether a dollar without a partner belongs to a formula rather than to a price or a currency."""
    if m is None:
        return False
    after, before = text[m.end() : m.end() + 2], text[max(m.start() - 1, 0) : m.start()]
    return not (after.strip()[:1].isdigit() or before.isupper() or (before in " (" and after[:1].isupper()) or not after.strip())


def _is_display(inner: str) -> bool:
    """Whether what stands between `\\[` and `\\]` is a formula and no escaped bracket."""
    return bool(_TEX.search(inner)) and "://" not in inner


def is_formula(inner: str, following: str) -> bool:
    """Whether what stands between two dollars, before the character `following`, is a formula.

    >>> [is_formula(t, f) for t, f in [("x_i", " "), ("5 and ", "7"), ("14", "-"), ("2030–", "2"), ("1.5M per ", " ")]]
    [True, False, True, False, False]
    """
    if not inner.strip():
        return False
    is_tex = _TEX.search(inner) is not None
    loose_end = inner[-1].isspace() and not inner[0].isspace()
    if following.isalnum() and (inner[-1].isspace() or inner[-1] in "([") and not (is_tex and inner[0].isspace()):
        return False
    if is_tex and "\\" in inner and not inner[0].isdigit():
        return True
    prose = _COMMAND.sub(" ", _TEXT_ARGUMENT.sub(" ", inner)) if "\\" in inner else inner
    words = [w for w in _LONG_WORD.findall(prose) if w not in _FUNCTION_WORDS]
    if inner[0].isdigit():
        if not is_tex and (following.isdigit() or loose_end):
            return False
        return not words or _UNIT.fullmatch(inner.strip()) is not None or (is_tex and "\\" in inner and len(words) < 2)
    if inner[:2] in (", ", "; ", ". ") and not is_tex:
        return False
    if is_tex:
        return len(words) < 6
    if loose_end or (inner[0].isspace() and words):
        return False
    return len(words) <= 3 and len(inner) <= 60
