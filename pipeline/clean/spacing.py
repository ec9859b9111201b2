"""White space and line ends: hard-wrapped lines, hyphenation, paragraphs."""

from __future__ import annotations

import re

from pipeline.clean.tracked import Draft, substitute

RAGGED = re.compile(r"^\s|\s$|\s\s|\n")
_SPACES = re.compile(r"^\s+|\s+$|[ \n]{2,}|\n")
_PARAGRAPH = re.compile(r"\n *\n")
_BROKEN = re.compile(
    r"(?P<percent>(?<=\d)\s*\n\s*(?=%))"
    r"|(?P<url>(?<=\.)\s+(?=(?:com|org|io|net|edu|github\.io)/))"
    r"|(?P<hyphen>(?<=[^\W\d_])-[ ]?\n[ ]*(?=[^\W\d_]))"
)
_HOST = re.compile(r"https?://(?:[\w-]+\.)+\Z")
_HEAD, _TAIL = re.compile(r"[^\W\d_]+\Z"), re.compile(r"[^\W\d_]+")
_SUFFIX = re.compile(
    r"(?:tion|sion|ment|tive|sive|ture|ity|ing|ible|able|ance|ence|ness|ical|ically|ization|isation|ized|ised|ology|ular|"
    r"ation|ations|tions|sions|ments|tures|ities|ively|tively|ally|eous|ious|ters|ted|ders|bility)s?"
)
_JOINS = frozenset(["and", "or", "to", "und", "et", "oder"])


def mend_lines(text: str) -> Draft:
    """Join what a line end tore apart: a URL's host, a number and its `%`, a hyphenated word where that is safe.

    Safe is a word that stands unbroken elsewhere in the text, or whose rest is a suffix that is no word. Else the hyphen stays:
    `pre-⏎training` is `pre-training`; before `and` or `or` it keeps its space.

    >>> mend_lines("adap-\\ntive, pre-\\ntraining, open-\\nand closed, 15.2\\n\\n% up").result()
    'adaptive, pre-training, open- and closed, 15.2% up'
    """
    edits = []
    lower = text.lower()
    for m in _BROKEN.finditer(text):
        a, b = m.span()
        if m.lastgroup == "percent":
            edits.append((a, b, ""))
        elif m.lastgroup == "url":
            if _HOST.search(text, max(a - 80, 0), a):
                edits.append((a, b, ""))
        else:
            edits.append((a, b, _hyphen(text, lower, a, b)))
    return substitute(text, edits, "line_end")


def _hyphen(text: str, lower: str, a: int, b: int) -> str:
    """What stands between the halves of a word broken at a line end."""
    head = _HEAD.search(text, max(a - 40, 0), a)
    tail = _TAIL.match(text, b, b + 40)
    if head is None or tail is None:
        return "-"
    if tail[0] in _JOINS:
        return "- "
    whole = (head[0] + tail[0]).lower()
    is_word = len(whole) > 4 and tail[0].islower() and re.search(rf"(?<![^\W_]){whole}(?![^\W_])", lower[:20000]) is not None
    is_suffix = tail[0].islower() and _SUFFIX.fullmatch(tail[0]) is not None
    return "" if is_word or is_suffix else "-"


def even_spaces(text: str) -> Draft:
    """One space between words, an empty line between paragraphs, none at the ends.

    >>> even_spaces("  a  b\\nc \\n \\n\\nd\\n").result()
    'a b c\\n\\nd'
    """
    edits, length = [], len(text)
    for m in _SPACES.finditer(text):
        if m.start() == 0 or m.end() == length:
            edits.append((m.start(), m.end(), ""))
        else:
            new = "\n\n" if _PARAGRAPH.search(m[0]) else " "
            if new != m[0]:
                edits.append((m.start(), m.end(), new))
    return substitute(text, edits)
