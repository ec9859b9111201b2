"""Hostile values in every column, hostile parts, and hostile surroundings of a release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.errors import OutputError, RefusedError, UsageError
from pipeline.load.csv import read_csv
from pipeline.load.parquet import read_table
from pipeline.load.publish import current_release, output_lock
from pipeline.load.remote import publish_to
from pipeline.load.validate import validate_release
from schemas.tables import RELEASE_TABLES
from tests.support.parts import Rows, context_for, make_rows, release, stage, write_parts

NASTY = [
    "=HYPERLINK(\"http://x\",\"y\")", "'", "''", "+1", "-1", "@x", "\tx", "\r\nx", "\n", "", " ", "\x00", "a\x00b", '"', '""', "\\", "a\\\"b", ",", ";", "NULL",
    "null", "nan", "NA", "None", "\u202egpj.exe", "\ufeffx", "</script><script>alert(1)</script>", "<!--", "]]>", "{{7*7}}", "${x}", "| a | b |", "---", "%s", "𝔽" * 3,
    "e\u0301", "\u2028", "x" * 200_000, "../../etc/passwd", "---\nlicense: mit\n---", "`code`", "[a](javascript:alert(1))", "1e5", "007", "true",
]  # fmt: skip


def nasty_rows() -> Rows:
    rows = make_rows(len(NASTY))
    for number, (row, value) in enumerate(zip(rows["abstracts"], NASTY, strict=True)):
        row |= {"title": value, "venue": value, "doi": value, "licence": value, "authors": [value, value], "keywords": [value]}
        row["flags"] = [value or "empty"]
        rows["metrics"][number] |= {"subject": value, "unit": value, "dataset": value}
        rows["sources"][2 * number] |= {"title": value, "source_id": value}
    rows["quarantine"] += [
        {**rows["quarantine"][1], "source_file": f"dir/{value[:50]}.xml", "message": value, "raw_text": value[:65536]} for value in NASTY
    ]
    return rows


def test_any_value_survives_in_parquet_and_csv(tmp_path: Path) -> None:
    rows = nasty_rows()
    folder = release(rows, tmp_path / "out", tmp_path / "parts")
    assert validate_release(folder) == []
    titles = {row["abstract_id"]: row["title"] for row in rows["abstracts"]}
    assert {row["abstract_id"]: row["title"] for row in read_table(folder, "abstracts").to_pylist()} == titles
    for table in RELEASE_TABLES:
        assert read_csv(folder / f"csv/{table.name}.csv", table).equals(read_table(folder, table.name))


def test_no_value_breaks_out_of_a_document(tmp_path: Path) -> None:
    import yaml

    folder = release(nasty_rows(), tmp_path / "out", tmp_path / "parts")
    for name in ("changes.json", "croissant.json", "datapackage.json", "manifest.json", "schema.json"):
        json.loads((folder / name).read_text("utf-8"))
    _, front, _ = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    assert {config["config_name"] for config in yaml.safe_load(front)["configs"]} == {table.name for table in RELEASE_TABLES}
    assert "<script>alert(1)" not in (folder / "report.html").read_text("utf-8")


def change_text(rows: Rows, text: str) -> None:
    rows["abstracts"][0]["text"] = text
    for name in ("methods", "datasets", "metrics", "urls", "mentions"):
        rows[name] = [row for row in rows[name] if row["abstract_id"] != rows["abstracts"][0]["abstract_id"]]
        if name != "mentions":
            rows["abstracts"][0][name] = []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a", "at least two characters"),
        ("e\u0301 is decomposed", "NFC"),
        ("zero\u200bwidth", "hidden or control"),
        ("a\x07bell", "hidden or control"),
        ("two  spaces", "stray white space"),
        ("a line\nbreak", "stray white space"),
        (" leading", "stray white space"),
        ("three\n\n\nbreaks", "stray white space"),
    ],
)
def test_an_unclean_text_is_refused(tmp_path: Path, text: str, rule: str) -> None:
    rows = make_rows(2)
    change_text(rows, text)
    with pytest.raises(RefusedError, match=rule):
        stage(rows, tmp_path / "out", tmp_path / "parts")


def spoil(rows: Rows, table: str, **values: Any) -> Rows:
    rows[table][0] |= values
    return rows


@pytest.mark.parametrize(
    ("table", "values", "rule"),
    [
        ("methods", {"char_end": 10_000}, "the span lies within text"),
        ("methods", {"raw_end": 10_000}, "the span lies within raw_text"),
        ("methods", {"name": "Else"}, "text\\[char_start:char_end\\]"),
        ("urls", {"url": "https://github.com/lab/repo0."}, "ends without punctuation"),
        ("urls", {"url": "https://github.com/lab/repo0)"}, "bracket"),
        ("metrics", {"relation": None}, "is given where there is a value"),
        ("metrics", {"value": None}, "is null where there is no value"),
        ("mentions", {"name": "Nobody"}, "belongs to a row of"),
        ("variants", {"other_id": "0" * 20}, "is the larger id"),
        ("sources", {"ordinal": 99}, "count from 1 without gaps"),
        ("sources", {"source_file": "unknown.txt"}, "the ledger balances"),
        ("sources", {"abstract_id": "f" * 20}, "stands in abstracts"),
        ("sources", {"relation": "copy"}, "is one of"),
        ("sources", {"source_sha256": "1" * 64}, "is the hash of the input file"),
    ],
)
def test_a_broken_rule_refuses_the_release(tmp_path: Path, table: str, values: dict[str, Any], rule: str) -> None:
    rows = make_rows(3)
    context = context_for(rows, tmp_path / "out")
    with pytest.raises(RefusedError, match=rule):
        stage(spoil(rows, table, **values), tmp_path / "out", tmp_path / "parts", inputs=context.inputs)
    assert not list((tmp_path / "out").glob("releases/*"))


def test_unsorted_and_empty_shards_are_welcome(tmp_path: Path) -> None:
    rows = make_rows(9)
    parts = write_parts(rows, tmp_path / "parts", shards=20)
    for paths in parts.values():
        for path in paths:
            data = pq.read_table(path)
            pq.write_table(data.take(pa.array(reversed(range(data.num_rows)), pa.int64())), path)
    from pipeline.load.build import LoadOptions, build_release

    staged = build_release(parts, context_for(rows, tmp_path / "out"), LoadOptions(rows_per_group=4))
    assert validate_release(staged.folder) == []


def test_switched_off_checks_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANDERA_VALIDATION_ENABLED", "0")
    with pytest.raises(RefusedError, match="unset it"):
        stage(make_rows(2), tmp_path / "out", tmp_path / "parts")


def test_litter_in_the_output_folder_does_no_harm(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "releases/half").mkdir(parents=True)
    (out / ".staging/dead/data").mkdir(parents=True)
    (out / "current.json").write_text("{ not json", "utf-8")
    (out / "current").symlink_to("releases/nowhere")
    made = release(make_rows(2), out, tmp_path / "parts")
    assert current_release(out) == made
    assert json.loads((out / "current.json").read_text("utf-8"))["version"] == made.name
    with output_lock(out):
        assert not (out / ".staging").exists()


def test_an_output_that_is_a_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("I am a file", "utf-8")
    with pytest.raises(OutputError, match="run again"), output_lock(tmp_path / "out"):
        pass


def test_odd_targets_are_explained(tmp_path: Path) -> None:
    made = release(make_rows(2), tmp_path / "out", tmp_path / "parts")
    for target in ("nosuchprotocol://x/y", "hf://datasets/only-one-part"):
        with pytest.raises(UsageError):
            publish_to(made, target, dry_run=False)
