"""Which braces of a TeX text belong together."""

from __future__ import annotations

import re

from pipeline.clean.characters import is_bare

# A brace, and a script in braces.
_SCRIPT = re.compile(r"[_^]\{([^{}\\*_`\[\]<>&~#!]*)\}|\{|\}")
_BRACES = re.compile(r"\\(?s:.)|\{|\}")


def partners(text: str) -> dict[int, int]:
    """For each brace that opens a group, the place of the one that closes it; escaped braces are none.

    >>> partners("{a{b}") == {2: 4}
    True
    """
    partner: dict[int, int] = {}
    if "{" not in text:
        return partner
    waiting: list[int] = []
    for m in _BRACES.finditer(text):
        if m[0] == "{":
            waiting.append(m.start())
        elif m[0] == "}" and waiting:
            partner[waiting.pop()] = m.start()
    return partner


def are_settled(text: str) -> bool:
    """Whether all braces of a text stand around scripts that need them, so that resolving TeX would leave them alone; cheap.

    >>> are_settled("x_{ij} of 10^{12}5"), are_settled("x_{i}"), are_settled("{x}")
    (True, False, False)
    """
    for m in _SCRIPT.finditer(text):
        inner = m[1]
        if inner is None or not inner.strip() or is_bare(inner, text[m.end() : m.end() + 1]):
            return False
    return True
