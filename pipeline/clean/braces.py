"""Which braces of a TeX text belong together."""

from __future__ import annotations

import re

_BRACES = re.compile(r"\\(?s:.)|[{}]")


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
