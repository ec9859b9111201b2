"""CITATION.cff of a release."""

from __future__ import annotations

import yaml

from pipeline.load.context import ReleaseFacts


def render_citation(facts: ReleaseFacts) -> str:
    """Citation File Format 1.2.0."""
    return yaml.safe_dump(
        {
            "cff-version": "1.2.0",
            "message": "If you use this dataset, please cite it as below.",
            "type": "dataset",
            "title": "Curated abstracts",
            "authors": [{"name": "The curated-abstracts developers"}],
            "version": facts.version,
            "date-released": facts.build_date.isoformat(),
        },
        sort_keys=False,
        allow_unicode=True,
    )
