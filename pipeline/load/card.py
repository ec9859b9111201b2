"""README.md of a release: a Hugging Face dataset card, YAML front matter and prose made from the data."""

from __future__ import annotations

from typing import Any

import yaml

from pipeline.load.context import ReleaseFacts
from schemas.tables import RELEASE_TABLES

#: Size categories of the Hugging Face hub, by number of abstracts.
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"), (10_000_000, "1M<n<10M"))


def render_card(facts: ReleaseFacts) -> str:
    """The card of a release."""
    front = yaml.safe_dump(_front_matter(facts), sort_keys=False, allow_unicode=True)
    rows = "\n".join(f"| {table.name} | {facts.rows[table.name]:,} | {table.meaning} |" for table in RELEASE_TABLES)
    return f"""---
{front}---

# Curated abstracts {facts.version}

{facts.rows["abstracts"]:,} scientific abstracts from {len(facts.inputs):,} source files: clean text, duplicates resolved, and the
methods, results, datasets and URLs that they name, each with its place in the text and in the source.

| table | rows | what a row is |
|---|---:|---|
{rows}

```python
from datasets import load_dataset

methods = load_dataset("PATH_OF_THIS_FOLDER", "methods", split="train")
```

`schema.json` documents every column, `manifest.json` the inputs and the counts of every stage, `CHANGES.md` what changed
since the previous release, `quarantine` what could not be used and why.
"""


def _front_matter(facts: ReleaseFacts) -> dict[str, Any]:
    known = sorted(name for name in facts.licences if name != "unknown")
    languages = sorted(code for code in facts.figures.get("languages", {}) if code != "und")
    size = next((name for limit, name in _SIZES if facts.rows["abstracts"] < limit), "n>10M")
    return {
        "pretty_name": "Curated abstracts",
        "license": known[0].lower() if len(known) == 1 and len(facts.licences) == 1 else "other",
        "language": languages or ["en"],
        "size_categories": [size],
        "task_categories": ["token-classification", "text-classification"],
        "tags": ["scientific-abstracts", "information-extraction", "deduplication"],
        "configs": [
            {
                "config_name": table.name,
                "data_files": [{"split": "train", "path": f"data/{table.name}/train-*.parquet"}],
                **({"default": True} if table.name == "abstracts" else {}),
            }
            for table in RELEASE_TABLES
        ],
    }
