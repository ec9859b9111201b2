"""The abstracts that report.html shows: their texts with everything found marked, and the rows behind the marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.load.parquet import read_groups, table_files
from pipeline.load.report_text import figure
from schemas.tables import MENTIONS, TABLES

#: All abstracts are shown up to this number. Of more, the first by id: ids are hash values, so that is a random
#: sample, the same each time, and it changes little from release to release.
SAMPLE = 500
#: Child tables, by the kind of their mentions.
KINDS = {"method": "methods", "dataset": "datasets", "metric": "metrics", "url": "urls"}
_COLUMNS = [
    "abstract_id", "text", "title", "venue", "doi", "arxiv_id", "source_url", "licence", "authors", "year", "language", "n_words", "flags",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """One abstract: its row, the rows found in it as (kind, row), spans as (start, end, place of the row), and where it came from."""

    row: Mapping[str, Any]
    found: Sequence[tuple[str, Mapping[str, Any]]]
    spans: Sequence[tuple[int, int, int]]
    sources: Sequence[Mapping[str, Any]]
    variants: Sequence[str]


def take_sample(folder: Path, limit: int = SAMPLE) -> list[Shown]:
    """The first `limit` abstracts by id with their child rows."""
    abstracts: list[dict[str, Any]] = []
    for group in read_groups(table_files(folder, "abstracts"), _COLUMNS):
        abstracts += group.slice(0, limit - len(abstracts)).to_pylist()
        if len(abstracts) == limit:
            break
    last = abstracts[-1]["abstract_id"] if abstracts else ""
    ids = pa.array([row["abstract_id"] for row in abstracts], pa.string())
    children = {kind: _by_id(_rows_until(folder, table, last)) for kind, table in KINDS.items()}
    mentions = _by_id(_rows_until(folder, MENTIONS.name, last))
    sources = _by_id(_rows_of(folder, "sources", ids, ["abstract_id", "source_file", "ordinal", "relation", "similarity"]))
    variants = _variants(folder, ids)
    return [
        show(row, {kind: rows.get(key, []) for kind, rows in children.items()}, mentions.get(key, []), sources.get(key, []), variants.get(key, []))
        for row in abstracts
        if (key := row["abstract_id"])
    ]


def show(
    row: Mapping[str, Any],
    children: Mapping[str, Sequence[Mapping[str, Any]]],
    mentions: Sequence[Mapping[str, Any]],
    sources: Sequence[Mapping[str, Any]],
    variants: Sequence[str],
) -> Shown:
    """Join an abstract with what was found in it. A mention belongs to the row with its span, else to the first with its name."""
    found = [(kind, item) for kind, rows in children.items() for item in rows]
    found.sort(key=lambda pair: (pair[1]["char_start"], -pair[1]["char_end"], list(KINDS).index(pair[0])))
    by_span = {(kind, item["char_start"], item["char_end"]): place for place, (kind, item) in reversed(list(enumerate(found)))}
    by_name = {(kind, name_of(kind, item)): place for place, (kind, item) in reversed(list(enumerate(found)))}
    spans = {(item["char_start"], item["char_end"], place) for place, (_, item) in enumerate(found)}
    for mention in mentions:
        place = by_span.get((mention["kind"], mention["char_start"], mention["char_end"]))
        place = by_name.get((mention["kind"], mention["name"])) if place is None else place
        if place is not None:
            spans.add((mention["char_start"], mention["char_end"], place))
    return Shown(row, found, sorted(spans), sources, variants)


def name_of(kind: str, row: Mapping[str, Any]) -> str:
    """The name by which the table of mentions refers to a row."""
    if kind == "metric":
        return str(row["metric"] or row["evidence"])
    return str(row["url"] if kind == "url" else row["name"])


def describe(kind: str, row: Mapping[str, Any]) -> str:
    """What a row says besides its name, in words."""
    if kind == "metric":
        return _describe_result(row)
    if kind == "url":
        return ", ".join(str(row[key]) for key in ("kind", "repository", "identifier") if row[key])
    long_form = [f"“{row['long_form']}”"] if row["long_form"] else []
    return ", ".join([row["role"], *long_form, f"mentioned {row['mentions']}×"])


def _describe_result(row: Mapping[str, Any]) -> str:
    if row["value"] is None:
        return "named without a number"
    unit = f" {row['unit']}" if row["unit"] not in (None, "%", "×") else row["unit"] or ""
    upper = f"–{figure(row['value_max'])}" if row["value_max"] is not None else ""
    value = f"{row['relation']} {figure(row['value'])}{upper}{unit}"
    parts = [f"{value} ± {figure(row['uncertainty'])}" if row["uncertainty"] is not None else value]
    parts += [f"from {figure(row['baseline'])}"] if row["baseline"] is not None else []
    parts += [row["value_kind"]] if row["value_kind"] else []
    parts += [f"on {row['dataset']}"] if row["dataset"] else []
    parts += [f"for {row['subject']}"] if row["subject"] else []
    return ", ".join(parts)


def _rows_until(folder: Path, table: str, last: str) -> Iterator[dict[str, Any]]:
    """Rows of a table sorted by abstract up to and with the id `last`."""
    for group in read_groups(table_files(folder, table), [name for name in TABLES[table].columns if not name.startswith("raw_")]):
        yield from group.filter(pc.less_equal(group["abstract_id"], last)).to_pylist()
        if group.num_rows and group["abstract_id"][-1].as_py() > last:
            return


def _rows_of(folder: Path, table: str, ids: pa.Array, columns: list[str]) -> Iterator[dict[str, Any]]:
    for group in read_groups(table_files(folder, table), columns):
        yield from group.filter(pc.is_in(group["abstract_id"], value_set=ids)).to_pylist()


def _variants(folder: Path, ids: pa.Array) -> dict[str, list[str]]:
    """The abstracts of the sample that look like another of the sample."""
    found: dict[str, list[str]] = {}
    for group in read_groups(table_files(folder, "variants"), ["abstract_id", "other_id"]):
        both = pc.and_(*(pc.is_in(group[name], value_set=ids) for name in group.column_names))
        for row in group.filter(both).to_pylist():
            found.setdefault(row["abstract_id"], []).append(row["other_id"])
            found.setdefault(row["other_id"], []).append(row["abstract_id"])
    return found


def _by_id(rows: Iterator[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        grouped.setdefault(row["abstract_id"], []).append(row)
    return grouped
