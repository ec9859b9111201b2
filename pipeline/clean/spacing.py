"""White space and line ends: hard-wrapped lines, hyphenation, paragraphs."""

from __future__ import annotations

import re

from pipeline.clean.tracked import Draft, exchange, substitute

# Each alternative starts with a plain character, which lets the regex engine skip to candidates.
_SPACES = re.compile(r"  [ \n]*| \n[ \n]*|\n[ \n]*")
_LINE_END = re.compile(r"\n(?![ \n])(?<![ \n]\n)")
_BREAK = re.compile(r"\n\s*+")
_HYPHEN = re.compile(r"-[ ]?\n[ ]*(?=[^\W\d_])")
_HOST = re.compile(r"https?://(?:[\w-]++\.)+(?P<gap>\s+)(?=(?:com|org|io|net|edu|github\.io)/)")
_HEAD, _TAIL = re.compile(r"[^\W\d_]+\Z"), re.compile(r"[^\W\d_]+")
_SUFFIX = re.compile(
    r"(?:tion|sion|ment|tive|sive|ture|ity|ing|ible|able|ance|ence|ness|ical|ically|ization|isation|ized|ised|ology|ular|"
    r"ation|ations|tions|sions|ments|tures|ities|ively|tively|ally|eous|ious|ters|ted|ders|bility)s?"
)
_JOINS = frozenset(["and", "or", "to", "und", "et", "oder"])


def may_be_torn(text: str) -> bool:
    """Whether a text may hold what a line end or a space tore apart; cheap."""
    return "://" in text or ("\n" in text and ("%" in text or "-\n" in text or "- \n" in text))


def mend_lines(text: str) -> Draft:
    """Join what a line end tore apart: a URL's host, a number and its `%`, a hyphenated word where that is safe.

    Safe is a word that stands unbroken elsewhere in the text, or whose rest is a suffix that is no word. Else the hyphen stays:
    `pre-⏎training` is `pre-training`; before `and` or `or` it keeps its space.

    >>> mend_lines("adap-\\ntive, pre-\\ntraining, open-\\nand closed, 15.2\\n\\n% up").result()
    'adaptive, pre-training, open- and closed, 15.2% up'
    """
    edits: list[tuple[int, int, str]] = []
    if "%" in text:
        for m in _BREAK.finditer(text):
            if text[m.end() : m.end() + 1] != "%":
                continue
            start = len(text[max(m.start() - 50, 0) : m.start()].rstrip()) + max(m.start() - 50, 0)
            if text[start - 1 : start].isdigit():
                edits.append((start, m.end(), ""))
    if "http" in text:
        edits += [(*m.span("gap"), "") for m in _HOST.finditer(text)]
    if "-\n" in text or "- \n" in text:
        lower = text[:20_000].lower()
        edits += [(m.start(), m.end(), _hyphen(text, lower, m.start(), m.end())) for m in _HYPHEN.finditer(text)]
    return substitute(text, sorted(edits), "line_end")


def _hyphen(text: str, lower: str, a: int, b: int) -> str:
    """What stands between the halves of a word broken at a line end."""
    head = _HEAD.search(text, max(a - 40, 0), a)
    tail = _TAIL.match(text, b, b + 40)
    if head is None or tail is None:
        return text[a:b].replace("\n", " ")
    if tail[0] in _JOINS:
        return "- "
    whole = (head[0] + tail[0]).lower()
    is_word = len(whole) > 4 and tail[0].islower() and re.search(rf"(?<![^\W_]){whole}(?![^\W_])", lower) is not None
    is_suffix = tail[0].islower() and _SUFFIX.fullmatch(tail[0]) is not None
    return "" if is_word or is_suffix else "-"


def join_lines(text: str) -> Draft:
    """Make each line end that stands between two characters other than spaces and line ends a space.

    >>> join_lines("a\\nb \\nc\\n\\nd").result()
    'a b \\nc\\n\\nd'
    """
    if " \n" in text or "\n " in text or "\n\n" in text:
        return exchange(text, _LINE_END.sub(" ", text))
    return exchange(text, text.replace("\n", " "))


def even_spaces(text: str) -> Draft:
    """One space between words, an empty line between paragraphs, none at the ends.

    >>> even_spaces("  a  b\\nc \\n \\n\\nd\\n").result()
    'a b c\\n\\nd'
    """
    start, stop = len(text) - len(text.lstrip()), len(text.rstrip())
    edits = [(0, start, "")] if start else []
    if _is_uneven(text, start, stop):
        for m in _SPACES.finditer(text, start, stop):
            new = "\n\n" if m[0].count("\n") > 1 else " "
            if new != m[0]:
                edits.append((m.start(), m.end(), new))
    if stop < len(text) and stop >= start:
        edits.append((stop, len(text), ""))
    return substitute(text, edits)


def is_ragged(text: str) -> bool:
    """Whether a text has white space other than single spaces between words and empty lines between paragraphs."""
    return text[:1].isspace() or text[-1:].isspace() or _is_uneven(text, 0, len(text))


def _is_uneven(text: str, start: int, stop: int) -> bool:
    """Whether white space within `start:stop` is other than single spaces and pairs of line ends."""
    if text.find("  ", start, stop) >= 0:
        return True
    if text.find("\n", start, stop) < 0:
        return False
    return text.count("\n\n", start, stop) * 2 != text.count("\n", start, stop) or any(
        text.find(sign, start, stop) >= 0 for sign in (" \n", "\n ", "\n\n\n")
    )
