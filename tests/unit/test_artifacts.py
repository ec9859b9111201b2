"""What a run shows on Prefect's page."""

from __future__ import annotations

import json
import pathlib

from pipeline import artifacts
from pipeline.errors import RefusedError
from pipeline.progress import Stage

NOW = {"previous": "20260101-0", "figures": {"rows": {"abstracts": 4, "methods": 6}, "abstracts_with": {"methods": 3}}, "quality": {"fields": {"methods": {"F1": 0.8}}}}
BEFORE = {"figures": {"rows": {"abstracts": 2}, "abstracts_with": {"methods": 1}}}


def test_drift_sets_two_releases_side_by_side() -> None:
    rows = [(row["figure"], row["before"], row["now"]) for row in artifacts.drift_table(BEFORE, NOW)]
    assert rows == [("rows of abstracts", 2, 4), ("rows of methods", None, 6), ("share of abstracts with methods", 0.5, 0.75)]
    assert [row["before"] for row in artifacts.drift_table(None, NOW)] == [None, None, None]


def test_a_release_finds_the_one_before(tmp_path: pathlib.Path) -> None:
    for name, told in (("20260101-0", BEFORE), ("20260102-1", NOW)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(json.dumps(told), "utf-8")
    assert artifacts.read_manifests(tmp_path / "20260102-1") == (BEFORE, NOW)
    assert artifacts.read_manifests(tmp_path / "20260101-0") == (None, BEFORE)


def test_tables_and_texts() -> None:
    assert artifacts.counts_table({"records": 3}) == [{"figure": "records", "number": 3}]
    assert artifacts.stages_table([Stage("load", 1.5, 200, {"abstracts": 2})]) == [{"stage": "load", "seconds": 1.5, "peak MiB": 200, "counts": '{"abstracts": 2}'}]
    assert artifacts.quality_table(NOW) == [{"what": "methods", "F1": 0.8}]
    assert artifacts.quality_table({"quality": None}) == []
    assert "fewer rows" in artifacts.refusal_text(RefusedError("fewer rows", "Look at the inputs."))
