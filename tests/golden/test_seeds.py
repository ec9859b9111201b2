"""The main job on the seeds, end to end: two raw text files in, a published, validated release out."""

from __future__ import annotations

import hashlib
import json
import pathlib
import re

import pyarrow.parquet as pq
import pytest

from pipeline.engines import LocalProcesses
from pipeline.progress import Progress
from pipeline.run import RunResult, run_pipeline
from pipeline.score import score_release
from pipeline.settings import Settings

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Lowest F1 on the gold of the seeds; a regression below it fails.
FLOORS = {
    "methods": 0.90, "methods_proposed": 0.95, "datasets": 0.90, "results_value": 0.97, "results_full": 0.85,
    "metric_names": 0.85, "urls": 1.0, "url_kind": 1.0,
}  # fmt: skip


def run(output: pathlib.Path, workers: int = 1, **changes: object) -> RunResult:
    settings = Settings(inputs=(str(ROOT / "seeds"),), output=str(output), workers=workers, **changes)  # type: ignore[arg-type]
    with LocalProcesses(workers) as engine:
        return run_pipeline(settings, engine, Progress(None))


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    result = run(tmp_path_factory.mktemp("seeds"))
    assert result.outcome == "released"
    return result.release


def table(release: pathlib.Path, name: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = pq.read_table(release / "data" / name).to_pylist()
    return rows


def data_bytes(release: pathlib.Path) -> dict[str, str]:
    paths = [*release.glob("data/**/*.parquet"), *release.glob("csv/*.csv"), release / "schema.json"]
    return {p.relative_to(release).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}


def test_every_record_is_accounted_for(release: pathlib.Path) -> None:
    sources = table(release, "sources")
    assert len(sources) == 38
    assert len(table(release, "abstracts")) == 30
    assert sorted(str(s["relation"]) for s in sources) == ["exact"] * 8 + ["kept"] * 30
    assert table(release, "quarantine") == []
    inputs = json.loads((release / "manifest.json").read_text())["inputs"]
    assert [(i["records"], sum(i["skipped"].values())) for i in inputs] == [(19, 1), (19, 1)]


def test_bytes_of_a_source_are_its_raw_text(release: pathlib.Path) -> None:
    abstracts = {a["abstract_id"]: a for a in table(release, "abstracts")}
    for source in table(release, "sources"):
        data = (ROOT / "seeds" / str(source["source_file"])).read_bytes()
        raw = data[source["byte_start"] : source["byte_end"]].decode()  # type: ignore[misc]
        assert raw.strip() == str(abstracts[source["abstract_id"]]["raw_text"]).strip()


def test_no_markup_is_left(release: pathlib.Path) -> None:
    for abstract in table(release, "abstracts"):
        assert not re.search(r"[$\\*]|\burl\{|\*\*|_\w+_", str(abstract["text"]))


def test_every_span_gives_its_surface_back(release: pathlib.Path) -> None:
    texts = {a["abstract_id"]: a for a in table(release, "abstracts")}
    rows = table(release, "mentions")
    assert len(rows) > 100
    for row in rows:
        abstract = texts[row["abstract_id"]]
        clean = str(abstract["text"])[row["char_start"] : row["char_end"]]  # type: ignore[misc]
        raw = str(abstract["raw_text"])[row["raw_start"] : row["raw_end"]]  # type: ignore[misc]
        assert clean
        assert set(re.findall(r"\w", clean)) <= set(re.findall(r"\w", raw)) | {"ℝ", "Φ", "β"}


@pytest.mark.parametrize("field", FLOORS)
def test_quality_on_the_gold_of_the_seeds(release: pathlib.Path, field: str) -> None:
    scored = score_release(release, ROOT / "tests" / "golden" / "seeds.jsonl")
    assert scored[field]["F1"] >= FLOORS[field]


def test_the_same_bytes_again_and_with_two_workers(release: pathlib.Path, tmp_path: pathlib.Path) -> None:
    again = run(tmp_path / "again", workers=2, shard_rows=7)
    assert data_bytes(again.release) == data_bytes(release)
    assert again.version.split("-")[1] == release.name.split("-")[1]


def test_a_second_run_publishes_nothing(tmp_path: pathlib.Path) -> None:
    first = run(tmp_path)
    second = run(tmp_path)
    assert (first.outcome, second.outcome) == ("released", "unchanged")
    assert second.version == first.version
    assert second.counts == first.counts
    assert len(list((tmp_path / "releases").iterdir())) == 1
