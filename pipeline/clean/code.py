"""Take Markdown code spans as they stand."""

from __future__ import annotations

import re

from pipeline.clean.literals import hide
from pipeline.clean.tracked import Draft

_RUN = re.compile(r"(?<!\\)`+")
_QUOTED = re.compile(r"['’´](?!\w)|[\"”“]|\n[ \t]*\n")


def keep_code(text: str) -> Draft:
    """Drop the backticks around code; what stands between them is literal.

    Left alone on purpose: TeX quotes, of which the closing one (`'`, `’`, `''` or `"`) shows what they are, and a lone
    backtick between letters, which is an apostrophe.

    >>> keep_code("the `docs` CLI, ``a'' and `b'").result()
    "the docs CLI, ``a'' and `b'"
    """
    draft, position = Draft(text), 0
    ends = _code_spans(text)
    for start, (inner, stop, end) in sorted(ends.items()):
        if start < position or not _is_code(text, (start, inner, stop, end)):
            continue
        if text[inner] in " \n" and text[stop - 1] in " \n" and text[inner:stop].strip():
            inner, stop = inner + 1, stop - 1
        draft.keep(position, start)
        first = len(draft.pieces)
        draft.put(inner, stop, hide(text[inner:stop]))
        draft.wrap(first, start, end)
        draft.losses["code"] += 1
        position = end
    draft.keep(position, len(text))
    return draft


def _is_code(text: str, where: tuple[int, int, int, int]) -> bool:
    """Whether a run of backticks and the next equal one are the marks of code."""
    start, inner, stop, end = where
    if inner - start < 3 and _QUOTED.search(text, inner, stop):
        return False
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return not (before.isalnum() and after.isalnum() and inner - start == 1 and text[inner].isalnum())


def _code_spans(text: str) -> dict[int, tuple[int, int, int]]:
    """For each run of backticks with an equal one after it: where the code between them starts and ends, and the end."""
    following: dict[int, re.Match[str]] = {}
    spans: dict[int, tuple[int, int, int]] = {}
    for m in reversed(list(_RUN.finditer(text))):
        close = following.get(len(m[0]))
        if close is not None:
            spans[m.start()] = m.end(), close.start(), close.end()
        following[len(m[0])] = m
    return spans
