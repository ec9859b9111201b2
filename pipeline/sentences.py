"""Sentence boundaries of clean scientific prose."""

from __future__ import annotations

import re

from pipeline.model import Span

_END = re.compile(r"[.!?][\"”’)\]]*\s+(?=[\"“‘(\[]?[A-Z0-9])|\n\n")


def split_sentences(text: str) -> list[Span]:
    """Spans of the sentences of a clean text, without the white space between them.

    >>> split_sentences("It works. It is fast.")
    [(0, 9), (10, 21)]
    """
    spans, start = [], 0
    for hit in _END.finditer(text):
        spans.append((start, hit.start() + len(hit.group().rstrip())))
        start = hit.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans
