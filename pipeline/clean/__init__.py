"""Clean: mark-up resolved, meaning untouched, every character accounted for."""

from pipeline.clean.plan import clean_text

__all__ = ["clean_text"]
