"""A release folder of two abstracts, written by hand: just the tables, for commands that read a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.as_arrow import arrow_schema
from schemas.tables import RELEASE_TABLES, TABLES

FIRST, SECOND = "00aa11bb22cc33dd44ee", "00ff11bb22cc33dd44ee"
TEXT = "We propose FiX (Fast Index). It lifts accuracy from 63% to 87% on GenEval. Code: https://github.com/ada/fix."
RAW = TEXT.replace("FiX", r"\textbf{FiX}", 1)
NEAR = TEXT.replace("It lifts", "FiX lifts").replace("87%", "88%")


def make_row(table: str, **given: Any) -> dict[str, Any]:
    """A row with the columns of `table`: those not given are null, lists empty."""
    row: dict[str, Any] = {f.name: [] if f.type.startswith("list") else None for f in TABLES[table].fields}
    assert not set(given) - set(row), set(given) - set(row)
    return row | given


def span(surface: str, rule: str = "rule_a") -> dict[str, Any]:
    """The span columns of the first place of `surface` in the first abstract."""
    start = TEXT.index(surface)
    shift = len(RAW) - len(TEXT) if start > TEXT.index("FiX") else 0
    return {
        "char_start": start,
        "char_end": start + len(surface),
        "raw_start": start + shift,
        "raw_end": start + len(surface) + shift,
        "rule": rule,
        "confidence": 0.9,
    }


def small_rows() -> dict[str, list[dict[str, Any]]]:
    """Rows of every table: the first abstract names and reports things and has duplicates, the second has a look-alike."""
    rows: dict[str, list[dict[str, Any]]] = {table.name: [] for table in RELEASE_TABLES}
    rows["abstracts"] = [
        make_row(
            "abstracts",
            abstract_id=FIRST,
            text=TEXT,
            raw_text=RAW,
            title="A <fast> index",
            language="en",
            n_words=18,
            n_sentences=3,
            doi="10.1000/fix",
        ),
        make_row(
            "abstracts",
            abstract_id=SECOND,
            text="Another text.",
            raw_text="Another text.",
            language="en",
            n_words=2,
            n_sentences=1,
            flags=["truncated"],
        ),
    ]
    rows["methods"] = [
        make_row(
            "methods", abstract_id=FIRST, name="FiX", long_form="Fast Index", role="proposed", mentions=1, **span("FiX")
        ),
        make_row("methods", abstract_id=FIRST, name="Code", role="mentioned", mentions=1, **span("Code", "rule_b")),
    ]
    rows["datasets"] = [
        make_row("datasets", abstract_id=FIRST, name="GenEval", role="mentioned", mentions=1, **span("GenEval"))
    ]
    rows["metrics"] = [
        make_row(
            "metrics",
            abstract_id=FIRST,
            metric="accuracy",
            value=87.0,
            baseline=63.0,
            unit="%",
            relation="=",
            value_kind="level",
            dataset="GenEval",
            evidence="from 63% to 87%",
            **span("from 63% to 87%"),
        ),
    ]
    rows["urls"] = [
        make_row(
            "urls",
            abstract_id=FIRST,
            url="https://github.com/ada/fix",
            kind="code",
            host="github.com",
            repository="ada/fix",
            **span("https://github.com/ada/fix", "scheme"),
        ),
    ]
    kinds = {"methods": "method", "datasets": "dataset", "metrics": "metric", "urls": "url"}
    for table, kind in kinds.items():
        for row in rows[table]:
            place = {key: row[key] for key in ("char_start", "char_end", "raw_start", "raw_end")}
            name = row.get("name") or row.get("metric") or row.get("url")
            rows["mentions"].append(make_row("mentions", abstract_id=FIRST, kind=kind, name=name, **place))
    sources = [
        ("a.txt", 1, "kept", 1.0, None),
        ("b.txt", 1, "exact", 1.0, None),
        ("b.txt", 2, "near", 0.93, NEAR),
        ("c.txt", 1, "normalised", 1.0, TEXT),
    ]
    rows["sources"] = [
        make_row(
            "sources",
            abstract_id=FIRST,
            source_file=f"in/{file}",
            ordinal=ordinal,
            byte_start=0,
            byte_end=9,
            source_sha256="0" * 64,
            format="txt",
            encoding="utf-8",
            relation=relation,
            similarity=similarity,
            raw_text=raw,
        )
        for file, ordinal, relation, similarity, raw in sources
    ]
    rows["sources"].append(
        make_row(
            "sources",
            abstract_id=SECOND,
            source_file="in/a.txt",
            ordinal=2,
            source_sha256="0" * 64,
            format="txt",
            encoding="utf-8",
            relation="kept",
            similarity=1.0,
        )
    )
    rows["variants"] = [
        make_row("variants", abstract_id=FIRST, other_id=SECOND, similarity=0.8, reason="numbers differ")
    ]
    rows["redirects"] = [
        make_row("redirects", old_id="ee" * 10, abstract_id=FIRST, release="v1", reason="merged"),
        make_row("redirects", old_id="ef" * 10, release="v1", reason="takedown"),
    ]
    return rows


def write_release(folder: Path) -> Path:
    """Write the tables of `small_rows` as a release has them."""
    for table, rows in small_rows().items():
        path = folder / "data" / table
        path.mkdir(parents=True)
        pq.write_table(
            pa.Table.from_pylist(rows, schema=arrow_schema(TABLES[table])), path / "train-00000-of-00001.parquet"
        )
    return folder
