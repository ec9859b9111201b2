"""README.md of a release: a Hugging Face dataset card, YAML front matter and prose made from the data."""

from __future__ import annotations

from typing import Any

import yaml

from pipeline.load import card_sections as sections
from pipeline.load.card_licence import summarise_licences
from pipeline.load.context import ReleaseFacts
from schemas.tables import RELEASE_TABLES

#: Size categories of the Hugging Face hub, by number of abstracts.
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"), (10_000_000, "1M<n<10M"))
_TAGS = [
    "scientific-abstracts", "scholarly-documents", "information-extraction", "named-entity-recognition", "reported-results", "deduplication", "provenance",
]  # fmt: skip


def render_card(facts: ReleaseFacts) -> str:
    """The card of a release."""
    front = yaml.safe_dump(_front_matter(facts), sort_keys=False, allow_unicode=True)
    parts = (
        sections.summary(facts), sections.reading(), sections.tables(facts), sections.columns(), sections.figures(facts), sections.quality(facts),
        sections.making(facts), sections.losses(facts), sections.limits(), sections.rights(facts), sections.changes(facts), sections.citing(facts),
    )  # fmt: skip
    return f"---\n{front}---\n\n" + "\n\n".join(parts) + "\n"


def _front_matter(facts: ReleaseFacts) -> dict[str, Any]:
    languages = sorted(code for code in facts.figures.get("languages", {}) if code != "und")
    size = next((name for limit, name in _SIZES if facts.rows["abstracts"] < limit), "n>10M")
    return {
        "pretty_name": "Curated abstracts",
        **summarise_licences(facts.licences).hub(),
        **({"language": languages} if languages else {}),
        "multilinguality": ["multilingual" if len(languages) > 1 else "monolingual"],
        "size_categories": [size],
        "annotations_creators": ["machine-generated"],
        "language_creators": ["found"],
        "source_datasets": ["original"],
        "task_categories": ["token-classification", "text-classification"],
        "task_ids": ["named-entity-recognition"],
        "tags": _TAGS,
        "configs": [
            {
                "config_name": table.name,
                "data_files": [{"split": "train", "path": f"data/{table.name}/train-*.parquet"}],
                **({"default": True} if table.name == "abstracts" else {}),
            }
            for table in RELEASE_TABLES
        ],
    }
