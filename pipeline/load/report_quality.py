"""Quality figures as a release carries them: measured once on annotated abstracts, shown in the card and the report.

`ReleaseContext.quality` is `{"measured_on": text, "abstracts": number, "fields": {field: {"P", "R", "F1", "low", "high"}}}`:
precision, recall and F1 between 0 and 1, and the 95% interval of F1. `low` and `high` may be missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Quality:
    """Agreement with the annotations of one field."""

    field: str
    precision: float
    recall: float
    f1: float
    low: float | None
    high: float | None


def quality_rows(quality: Mapping[str, Any] | None) -> list[Quality]:
    """The fields of the quality figures in their given order; empty if there are none."""
    fields: Mapping[str, Mapping[str, float]] = (quality or {}).get("fields", {})
    return [Quality(name, f["P"], f["R"], f["F1"], f.get("low"), f.get("high")) for name, f in fields.items()]
