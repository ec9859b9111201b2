"""Reported results and named measures of an abstract."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.enrich.document import Document
from pipeline.model import Metric, Name


def find_metrics(doc: Document, methods: Sequence[Name], datasets: Sequence[Name]) -> tuple[Metric, ...]:
    """Results and measures of a text in order of first mention."""
    return ()
