"""Parts of a release made by hand: a few or many synthetic abstracts with all their child rows, in any sharding."""

from __future__ import annotations

import datetime as dt
import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.load.build import build_release
from pipeline.load.context import LoadOptions, ReleaseContext, StagedRelease
from pipeline.load.publish import current_release, output_lock, publish
from pipeline.model import FileSummary
from schemas.as_arrow import arrow_schema
from schemas.tables import RELEASE_TABLES, TABLES

Rows = dict[str, list[dict[str, Any]]]

WORDS = ["the", "of", "a", "model", "data", "we", "method", "results", "learning", "graph", "naïve", "β-sheet", "𝔽", "cells", "risk", "protein", "on", "for", "with", "large", "neural", "über"]
STEMS = ["Alpha", "Beta", "Gamma", "Delta", "Echo", "Fox", "Grad", "Hyper", "Iso", "Jet", "Kilo", "Lambda"]


def make_rows(count: int, *, seed: int = 0, first: int = 0, words: int = 40) -> Rows:
    """Rows of every table for `count` abstracts of one source file; quarantine has one record and one whole file."""
    rows: Rows = {table.name: [] for table in RELEASE_TABLES}
    for number in range(first, first + count):
        _add_abstract(rows, number, random.Random(f"{seed}/{number}"), words)
    ids = sorted(row["abstract_id"] for row in rows["abstracts"])
    if len(ids) > 1:
        rows["variants"].append({"abstract_id": ids[0], "other_id": ids[1], "similarity": 0.9, "reason": "numbers"})
    rows["quarantine"] = [
        _row("quarantine", source_file="a/one.jsonl", ordinal=2 * count + 1, stage="clean", rule="empty_text", message="Nothing is left.", raw_text="\\xff"),
        _row("quarantine", source_file="broken.xml", stage="extract", rule="unreadable", message="Not well-formed.", raw_text="=cmd|' /C calc'!A0"),
    ]
    return rows


def _row(table: str, **given: Any) -> dict[str, Any]:
    row = {f.name: [] if f.type.startswith("list") else None for f in TABLES[table].fields}
    assert not set(given) - set(row), set(given) - set(row)
    return row | given


def _add_abstract(rows: Rows, number: int, rng: random.Random, words: int) -> None:
    name, other = f"{rng.choice(STEMS)}Net{number}", f"{rng.choice(STEMS)}Set"
    value, url = round(rng.uniform(1, 99), 2), f"https://github.com/lab/repo{number}"
    filler = [" ".join(rng.choices(WORDS, k=words // 4)) for _ in range(4)]
    text = f"We {filler[0]} {name}, {filler[1]} {other}: accuracy of {value}% {filler[2]}. Code: {url} {filler[3]} {name} again."
    raw = f"\\textbf{{We}}{text[2:]}"
    abstract_id = hashlib.sha256(text.encode()).hexdigest()[:20]

    def spans(surface: str, after: int = 0) -> dict[str, int]:
        start = text.index(surface, after)
        shift = len(raw) - len(text)
        return {"char_start": start, "char_end": start + len(surface), "raw_start": start + shift, "raw_end": start + len(surface) + shift}

    found = {"rule": "by_hand", "confidence": 0.9}
    key = {"abstract_id": abstract_id}
    rows["methods"].append(_row("methods", **key, name=name, role="proposed", mentions=2, **spans(name), **found))
    rows["datasets"].append(_row("datasets", **key, name=other, role="mentioned", mentions=1, **spans(other), **found))
    rows["metrics"].append(
        _row("metrics", **key, metric="accuracy", metric_canonical="accuracy", value=value, unit="%", relation="=", value_kind="level", evidence=f"{value}%", **spans(f"{value}%"), **found)
    )
    rows["urls"].append(_row("urls", **key, url=url, kind="code", host="github.com", repository=f"lab/repo{number}", **spans(url), **found))
    for kind, mention, at in (("method", name, 0), ("method", name, text.rindex(name)), ("dataset", other, 0), ("url", url, 0)):
        rows["mentions"].append({**key, "kind": kind, "name": mention, **spans(mention, at)})
    rows["mentions"].append({**key, "kind": "metric", "name": "accuracy", **spans(f"{value}%")})
    rows["abstracts"].append(
        _row("abstracts", **key, text=text, raw_text=raw, title=rng.choice([None, f"=Title {number}", "", f"A title\twith “quotes” and \"quotes\", {number}"]),
             doi=f"https://doi.org/10.1/{number}" if number % 3 else None, licence="CC-BY-4.0" if number % 2 else None, authors=["Ada, L.", 'B "B" B'][: number % 3],
             year=2000 + number % 25, language="en" if number % 7 else "de", n_words=len(text.split()), n_sentences=2, methods=[name], datasets=[other],
             metrics=["accuracy"], urls=[url], flags=["truncated"] if number % 5 == 0 else [])
    )  # fmt: skip
    place = {"source_file": "a/one.jsonl", "source_sha256": "0" * 64, "format": "jsonl", "encoding": "utf-8"}
    for relation, ordinal in (("kept", 2 * number + 1), ("exact", 2 * number + 2)):
        similarity = None if relation == "kept" else 1.0
        rows["sources"].append(_row("sources", **key, **place, ordinal=ordinal, source_id=f"id{number}", relation=relation, similarity=similarity))


def write_parts(rows: Mapping[str, list[dict[str, Any]]], folder: Path, shards: int = 1) -> dict[str, list[Path]]:
    """The rows as sorted Parquet shards, dealt out by abstract (or by row)."""
    folder.mkdir(parents=True, exist_ok=True)
    parts: dict[str, list[Path]] = {}
    for name, items in rows.items():
        table = TABLES[name]
        parts[name] = []
        for shard in range(shards):
            own = [row for i, row in enumerate(items) if (int(row["abstract_id"], 16) if "char_start" in row or name == "abstracts" else i) % shards == shard]
            own.sort(key=lambda row: [(row[c] is None, row[c] or 0 if row[c] is None else row[c]) for c in table.order])
            path = folder / f"{name}-{shard}.parquet"
            pq.write_table(pa.Table.from_pylist(own, schema=arrow_schema(table)), path)
            parts[name].append(path)
    return parts


def context_for(rows: Rows, output: Path, **changes: Any) -> ReleaseContext:
    """A context whose inputs fit the rows."""
    records = len(rows["sources"]) + sum(row["ordinal"] is not None for row in rows["quarantine"])
    inputs = (
        FileSummary("a/one.jsonl", rows["sources"][0]["source_sha256"], 1000, "jsonl", "utf-8", records, {"no_abstract": 1}),
        FileSummary("broken.xml", "1" * 64, 10, "xml", "utf-8"),
    )
    context = ReleaseContext(output, dt.date(2026, 12, 1), inputs, code_version="1", previous=current_release(output))
    return replace(context, **changes)


def stage(rows: Rows, output: Path, work: Path, options: LoadOptions | None = None, **changes: Any) -> StagedRelease:
    """Build a release of the rows; the caller publishes it."""
    shards = changes.pop("shards", 1)
    return build_release(write_parts(rows, work, shards), context_for(rows, output, **changes), options or LoadOptions())


def release(rows: Rows, output: Path, work: Path, options: LoadOptions | None = None, **changes: Any) -> Path:
    """Build and publish a release of the rows."""
    with output_lock(output):
        staged = stage(rows, output, work, options, **changes)
        return staged.folder if staged.unchanged else publish(staged, output)


def texts(items: Sequence[dict[str, Any]]) -> list[str]:
    """The texts of rows of abstracts."""
    return [row["text"] for row in items]
