"""Methods and datasets that a text names."""

from __future__ import annotations

from pipeline.enrich.document import Document
from pipeline.model import Name


def find_names(doc: Document) -> tuple[tuple[Name, ...], tuple[Name, ...]]:
    """(methods, datasets) of a text, each in order of first mention."""
    return (), ()
