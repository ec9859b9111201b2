"""Undo the Markdown escapes inside formulas and macros of pages that escaped their TeX as a whole."""

from __future__ import annotations

import re

from pipeline.clean.formulas import is_formula
from pipeline.clean.tracked import Draft, substitute

_FORMULA = re.compile(r"\\\$(?P<inner>[^$\n]{1,300}?(?:\n[^$\n]{1,300}?){0,3})\\\$")
_EVIDENCE = re.compile(r"\\\\[A-Za-z]|\\[_{}]|[\^_]")
_MACRO = re.compile(r"\\\\(?P<name>[A-Za-z]{2,})\\\{(?P<inner>[^{}\\\n]*(?:\n[^{}\\\n]+)*)\\\}")
_ESCAPE = re.compile(r"\\([\\_{}$*^~#])")


def undo_escapes(text: str) -> Draft:
    r"""Take one backslash from `\$…\$` where it holds a formula, and from `\\macro\{…\}`.

    Some Markdown pages escape each sign of TeX. A price (`\$5`), and `\$x\$` without a sign that only a formula has, stay
    what they are: literal characters.

    >>> undo_escapes(r"R\$^2\$-Net at \$\\mathcal\{O\}(n\_1)\$ and \$5 or \$6").result()
    'R$^2$-Net at $\\mathcal{O}(n_1)$ and \\$5 or \\$6'
    """
    edits: list[tuple[int, int, str]] = []
    position = 0
    for m in sorted([*_FORMULA.finditer(text), *_MACRO.finditer(text)], key=lambda m: m.start()):
        if m.start() < position:
            continue
        inner = m["inner"]
        if "name" not in m.re.groupindex:
            plain = _ESCAPE.sub(r"\1", inner)
            if not _EVIDENCE.search(inner) or not is_formula(plain, text[m.end() : m.end() + 1]):
                continue
        edits += [(e.start(), e.end(), e[1]) for e in _ESCAPE.finditer(text, m.start(), m.end())]
        position = m.end()
    return substitute(text, edits, "escape")
