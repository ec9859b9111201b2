"""The documents of a release, read by the tools they are for: card, Croissant, data package, citation."""

from __future__ import annotations

import datetime as dt
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.load.card import render_card
from pipeline.load.context import StagedRelease
from pipeline.load.parquet import read_table
from schemas.tables import RELEASE_TABLES
from tests.support.parts import Rows, make_rows, release, stage

QUALITY = {"measured_on": "200 annotated abstracts of 5 sources", "abstracts": 200, "fields": {"methods": {"P": 0.9, "R": 0.8, "F1": 0.847, "low": 0.81, "high": 0.88}}}


@pytest.fixture(scope="module")
def rows() -> Rows:
    made = make_rows(23)
    made["abstracts"][0]["title"] = "A | pipe, `code` and </script><b>mark-up</b>"
    return made


@pytest.fixture(scope="module")
def folder(rows: Rows, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("documents")
    return release(rows, place / "out", place / "work", quality=QUALITY)


@pytest.fixture(scope="module")
def staged(rows: Rows, tmp_path_factory: pytest.TempPathFactory) -> StagedRelease:
    place = tmp_path_factory.mktemp("staged")
    return stage(rows, place / "out", place / "work")


def values(folder: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_table(folder, table).to_pylist()
    return found


def front_matter(card: str) -> dict[str, Any]:
    _, front, _ = card.split("---\n", 2)
    found: dict[str, Any] = yaml.safe_load(front)
    return found


def test_card_front_matter(folder: Path) -> None:
    front = front_matter((folder / "README.md").read_text("utf-8"))
    assert front["license"] == "other"
    assert front["license_name"] == "mixed-see-column-licence"
    assert front["language"] == ["de", "en"]
    assert front["size_categories"] == ["n<1K"]
    assert front["annotations_creators"] == ["machine-generated"]
    assert [config["config_name"] for config in front["configs"]] == [table.name for table in RELEASE_TABLES]
    assert [config["config_name"] for config in front["configs"] if config.get("default")] == ["abstracts"]
    for config in front["configs"]:
        assert list(folder.glob(config["data_files"][0]["path"]))


def test_card_says_what_there_is(folder: Path) -> None:
    card = (folder / "README.md").read_text("utf-8")
    for text in ("23 scientific abstracts", "0.81–0.88", "not on the abstracts of this release", "states no licence", "`truncated`", "@misc{", "broken.xml"):
        assert text in card, text
    heads = re.findall(r"^## (.+)$", card, re.M)
    assert heads == ["Reading it", "Tables", "Columns", "Figures", "Quality", "How it was made", "Losses and warnings", "Known limits", "Rights", "Changes", "Citing it"]


def test_card_names_no_quality_that_nobody_measured(staged: StagedRelease) -> None:
    assert staged.facts is not None
    assert "carries no quality figures" in render_card(staged.facts)


def test_datasets_reads_every_table_offline(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    for table in RELEASE_TABLES:
        want = values(folder, table.name)
        # The library refuses to map a split without rows; it can stream it.
        found = datasets.load_dataset(str(folder), table.name, split="train", cache_dir=str(tmp_path), streaming=not want)
        assert list(found.features) == list(table.columns)
        assert list(found) == want, table.name


def text_of(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    return [text_of(item) for item in value] if isinstance(value, list) else value


def test_croissant_yields_every_record(folder: Path) -> None:
    mlc = pytest.importorskip("mlcroissant")
    dataset = mlc.Dataset(folder / "croissant.json")
    assert not dataset.metadata.issues.errors
    assert [records.name for records in dataset.metadata.record_sets] == [table.name for table in RELEASE_TABLES]
    for table in RELEASE_TABLES:
        found = [{key.split("/")[1]: text_of(value) for key, value in record.items()} for record in dataset.records(table.name)]
        want = values(folder, table.name)
        assert len(found) == len(want)
        for one, other in zip(found, want, strict=True):
            assert {key: None if value != value else value for key, value in one.items()} == other


def test_data_package_validates(folder: Path) -> None:
    frictionless = pytest.importorskip("frictionless")
    report = frictionless.validate(str(folder / "datapackage.json"))
    assert report.valid, report.flatten(["taskId", "type", "note"])[:5]
    assert [task.name for task in report.tasks] == [table.name for table in RELEASE_TABLES]


def test_data_package_finds_a_changed_cell(folder: Path, tmp_path: Path) -> None:
    """The descriptor is no decoration: an id that is not in `abstracts` and a changed file are found."""
    frictionless = pytest.importorskip("frictionless")
    (tmp_path / "csv").mkdir()
    for name in ("datapackage.json", *(f"csv/{table.name}.csv" for table in RELEASE_TABLES)):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    sheet = tmp_path / "csv/methods.csv"
    first = values(folder, "methods")[0]["abstract_id"]
    sheet.write_text(sheet.read_text("utf-8").replace(first, "0" * 20), "utf-8")
    report = frictionless.validate(str(tmp_path / "datapackage.json"))
    assert {"foreign-key", "hash-count"} <= {kind for _, kind in report.flatten(["name", "type"])}


def test_data_package_explains_the_apostrophe(folder: Path) -> None:
    package = json.loads((folder / "datapackage.json").read_text("utf-8"))
    assert all("one leading '" in re.sub(r"\s+", " ", resource["description"]) for resource in package["resources"])
    titles = (folder / "csv/abstracts.csv").read_text("utf-8")
    assert "'=Title" in titles


def test_citation(folder: Path) -> None:
    citation = yaml.safe_load((folder / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "dataset"
    assert citation["version"] == folder.name
    assert dt.date.fromisoformat(citation["date-released"]) == dt.date(2026, 12, 1)
    assert "license" not in citation


def test_citation_names_a_licence_that_all_records_have(tmp_path: Path) -> None:
    given = make_rows(2)
    for row in given["abstracts"]:
        row["licence"] = "CC-BY-4.0"
    made = release(given, tmp_path / "out", tmp_path / "work")
    assert yaml.safe_load((made / "CITATION.cff").read_text("utf-8"))["license"] == "CC-BY-4.0"
    assert front_matter((made / "README.md").read_text("utf-8"))["license"] == "cc-by-4.0"
    assert json.loads((made / "croissant.json").read_text("utf-8"))["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
