"""Figures of a release: counted while it is written, kept in the manifest, compared by the drift gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.strings import whole

#: (figure, key) -> count. Flat, so that the counts of several files are added with `+`.
Counts = Counter[tuple[str, str]]

#: Columns whose values are counted: (table, column, name of the figure).
_COUNTED = (
    ("abstracts", "language", "languages"), ("abstracts", "flags", "flags"), ("abstracts", "licence", "licences"),
    ("abstracts", "year", "years"), ("metrics", "value_kind", "value_kinds"), ("urls", "kind", "url_kinds"),
    ("sources", "relation", "relations"), ("sources", "format", "formats"), ("variants", "reason", "variant_reasons"),
    ("methods", "role", "method_roles"), ("datasets", "role", "dataset_roles"),
)  # fmt: skip


def count(group: Mapping[str, pa.Table]) -> Counts:
    """The figures of some tables: rows, nulls, values of closed columns, abstracts with at least one of each kind."""
    counts: Counts = Counter()
    for name, data in group.items():
        counts["rows", name] = data.num_rows
        for field in data.schema:
            if nulls := data[field.name].null_count:
                counts["nulls", f"{name}.{field.name}"] = nulls
    for table, column, figure in _COUNTED:
        if table in group:
            values = whole(group[table][column])
            values = pc.list_flatten(values) if pa.types.is_list(values.type) else values
            for entry in values.value_counts().to_pylist():
                counts[figure, "unknown" if entry["values"] is None else str(entry["values"])] += entry["counts"]
    if "abstracts" in group:
        counts += _count_abstracts(group)
    if "quarantine" in group:
        reasons = pc.binary_join_element_wise(group["quarantine"]["stage"], group["quarantine"]["rule"], "/")
        for entry in whole(reasons).value_counts().to_pylist():
            counts["quarantined", entry["values"]] += entry["counts"]
        records = group["quarantine"].filter(group["quarantine"]["ordinal"].is_valid())
        for entry in whole(records["stage"]).value_counts().to_pylist():
            counts["quarantined_records", entry["values"]] += entry["counts"]
    return counts


def _count_abstracts(group: Mapping[str, pa.Table]) -> Counts:
    counts: Counts = Counter()
    for name in ("methods", "datasets", "urls"):
        counts["abstracts_with", name] = len(pc.unique(group[name]["abstract_id"]))
    valued = group["metrics"].filter(group["metrics"]["value"].is_valid())
    counts["abstracts_with", "results"] = len(pc.unique(valued["abstract_id"]))
    for name in ("words", "sentences"):
        counts["sums", name] = int(np.asarray(whole(group["abstracts"][f"n_{name}"]), dtype=np.int64).sum())
    return counts


def as_figures(counts: Counts) -> dict[str, Any]:
    """Counts as nested mappings in a fixed order, with zeros left out; for the manifest."""
    figures: dict[str, Any] = {}
    for (figure, key), number in sorted(counts.items()):
        if number:
            figures.setdefault(figure, {})[key] = number
    return figures
