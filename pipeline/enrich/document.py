"""A clean text prepared once for all extractors."""

from __future__ import annotations

from functools import cached_property

from pipeline.model import Span
from pipeline.sentences import split_sentences


class Document:
    """A clean text with its sentences and, on demand, views that several extractors need.

    `hidden` are spans (URLs) in which no name and no number is looked for: `visible` has spaces there and
    the same length as `text`, so that offsets into one are offsets into the other.
    """

    def __init__(self, text: str, hidden: tuple[Span, ...] = ()) -> None:
        self.text = text
        self.hidden = hidden

    @cached_property
    def visible(self) -> str:
        out = self.text
        for start, end in self.hidden:
            out = f"{out[:start]}{' ' * (end - start)}{out[end:]}"
        return out

    @cached_property
    def sentences(self) -> list[Span]:
        """Sentence spans over `visible`, in order."""
        return split_sentences(self.visible)
