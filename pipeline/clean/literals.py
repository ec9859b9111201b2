"""Characters that are text although they look like mark-up.

A step that has found out that a character is literal (an escaped `\\*`, a `*` of a formula, the `_` of a URL)
writes its stand-in, which no later step takes for mark-up; the last step puts the character back. Stand-ins
are noncharacters (U+FDD0..U+FDEF), which never stand in text: they are dropped from the input.
"""

from __future__ import annotations

import re

_LITERALS = "*_`[]<>&$\\{}#~-%^'|\".+()!="
_FIRST = 0xFDD0

HIDE = {ord(c): chr(_FIRST + i) for i, c in enumerate(_LITERALS)}
SHOW = {_FIRST + i: c for i, c in enumerate(_LITERALS)}
MATH_OPEN = "\ufdee"
MATH_CLOSE = "\ufdef"
_STAND_INS = re.compile("[\ufdd0-\ufdef][\ufdd0-\ufdef]*")


def hide(text: str) -> str:
    """Write stand-ins for all characters that might be taken for mark-up."""
    return text.translate(HIDE)


def show(text: str) -> str:
    """Put the characters back.

    >>> show(hide("a*b_c")) == "a*b_c"
    True
    """
    return _STAND_INS.sub(lambda m: m[0].translate(SHOW), text) if may_hold_stand_ins(text) else text


def may_hold_stand_ins(text: str) -> bool:
    """Whether a text may hold stand-ins; cheap. The first two bytes of their UTF-8 are the same, and rare."""
    return not text.isascii() and b"\xef\xb7" in text.encode("utf-8", "surrogatepass")
