"""Enrich: what a clean text names and reports, each with its place."""

from __future__ import annotations

from pipeline.enrich.text import enrich_text

__all__ = ["enrich_text"]
