"""CITATION.cff of a release."""

from __future__ import annotations

from typing import Any

import yaml

from pipeline.load.card_licence import summarise_licences
from pipeline.load.card_sections import AUTHORS, TITLE
from pipeline.load.context import ReleaseFacts


def render_citation(facts: ReleaseFacts) -> str:
    """Citation File Format 1.2.0. A licence is named only if it is known for every record."""
    licences = summarise_licences(facts.licences)
    licence = licences.spdx[0] if len(licences.spdx) == 1 else list(licences.spdx)
    content: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it as below.",
        "type": "dataset",
        "title": TITLE,
        "abstract": f"{facts.rows['abstracts']:,} scientific abstracts as clean text, with the methods, results, datasets and URLs that they name.",
        "authors": [{"name": AUTHORS}],
        "version": facts.version,
        "date-released": facts.build_date.isoformat(),
        "keywords": ["scientific abstracts", "information extraction", "dataset"],
        **({"license": licence} if licences.complete else {}),
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
