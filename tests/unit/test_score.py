"""`abstracts score`: a release held against gold annotations."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

import pytest

from pipeline.errors import UsageError
from pipeline.score import FIELDS, read_gold, render, rule_precision, score, score_release, score_rule_precision
from pipeline.score_matching import fold, same_measure, same_result, same_url, same_value
from tests.support.small_release import write_release

GOLD: dict[str, Any] = {
    "id": "a.txt#1",
    "methods": [
        {"name": "FIX", "long_form": "Fast Index", "role": "proposed", "optional": False},
        {"name": "ResNets", "long_form": None, "role": "mentioned"},
        {"name": "Code", "role": "mentioned", "optional": True},
    ],
    "datasets": [{"name": "Gen-Eval", "role": "mentioned"}],
    "results": [
        {
            "metric": "accuracy",
            "value": 87,
            "value_max": None,
            "baseline": 63,
            "unit": "percent",
            "relation": "=",
            "dataset": "GenEval",
            "text": "x",
        }
    ],
    "metric_names": ["accuracy"],
    "urls": [{"url": "http://github.com/ada/fix/", "kind": "data"}],
}
EMPTY = {"id": "a.txt#9", "methods": [], "datasets": [], "results": [], "metric_names": ["recall"], "urls": []}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return write_release(tmp_path_factory.mktemp("release"))


def write_gold(folder: pathlib.Path, *rows: dict[str, Any]) -> pathlib.Path:
    path = folder / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_fields(release: pathlib.Path, tmp_path: pathlib.Path) -> None:
    result = score_release(release, write_gold(tmp_path, GOLD), show=5)
    counts = {name: (row["tp"], row["fp"], row["fn"]) for name, row in result.items() if isinstance(row, dict)}
    assert counts == {
        "records": (1, 0, 0),
        "methods": (1, 0, 1),
        "methods_proposed": (1, 0, 0),
        "datasets": (1, 0, 0),
        "datasets_proposed": (0, 0, 0),
        "results_value": (1, 0, 0),
        "results_full": (1, 0, 0),
        "metric_names": (1, 0, 0),
        "urls": (1, 0, 0),
        "url_kind": (0, 1, 1),
    }
    assert result["methods"]["misses"] == ["a.txt#1: ResNets"]
    assert result["url_kind"]["extras"] == ["a.txt#1: code https://github.com/ada/fix"]
    assert result["spans_wrong"] == 0
    assert json.loads(json.dumps(result)) == result


def test_the_same_as_the_scorer_of_the_guide(
    release: pathlib.Path, tmp_path: pathlib.Path, shared: pathlib.Path
) -> None:
    sys.path.insert(0, str(shared / "gold"))
    try:
        import score as theirs
    finally:
        sys.path.pop(0)
    rows = [GOLD, EMPTY, *read_gold(shared / "gold" / "seeds.jsonl")]
    found, wrong = theirs.read_release(release, {row["id"] for row in rows})
    expected = {name: tally.row() for name, tally in theirs.score(rows, found).items()}
    ours = score_release(release, write_gold(tmp_path, *rows))
    assert {name: {key: ours[name][key] for key in row} for name, row in expected.items()} == expected
    assert ours["spans_wrong"] == len(wrong)


def test_perfect_annotations_score_one(root: pathlib.Path) -> None:
    gold = read_gold(root / "tests" / "golden" / "seeds.jsonl")
    assert len(gold) == 30
    found = {
        row["id"]: {
            "methods": row["methods"],
            "datasets": row["datasets"],
            "metrics": [*row["results"], *({"metric": name, "value": None} for name in row["metric_names"])],
            "urls": row["urls"],
        }
        for row in gold
    }
    result = score(gold, found)
    assert {row["F1"] for row in result.values()} == {1.0}
    assert {tuple(row["interval"]) for row in result.values()} == {(1.0, 1.0)}
    nothing = score(gold, {})
    assert nothing["records"]["fn"] == 30
    assert nothing["methods"]["F1"] == 0


def test_intervals_are_the_same_every_time_and_hold_the_value(root: pathlib.Path) -> None:
    gold = read_gold(root / "tests" / "golden" / "seeds.jsonl")
    found = {row["id"]: {"methods": row["methods"][::2], "datasets": [], "metrics": [], "urls": []} for row in gold}
    first, second = score(gold, found)["methods"], score(gold, found)["methods"]
    assert first == second
    low, high = first["interval"]
    assert 0 < low < first["F1"] < high < 1


def test_rule_precision(release: pathlib.Path, tmp_path: pathlib.Path) -> None:
    rules = score_rule_precision(release, write_gold(tmp_path, GOLD | {"methods": GOLD["methods"][:2]}))
    assert rules["methods"] == {"rule_a": {"precision": 1.0, "seen": 1}, "rule_b": {"precision": 0.0, "seen": 1}}
    assert rules["url_kind"] == {"scheme": {"precision": 0.0, "seen": 1}}
    assert set(rules) == {field.name for field in FIELDS}
    assert rule_precision([], {})["urls"] == {}


def test_render(release: pathlib.Path, tmp_path: pathlib.Path) -> None:
    text = render(score_release(release, write_gold(tmp_path, GOLD, EMPTY), show=1))
    assert "    missed: a.txt#1: ResNets" in text
    assert "spans that do not give their name back: 0" in text
    assert "1 annotated abstracts are not in this release" in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "Line 1 .* is no JSON object"),
        ('{"id": "a"}', "lacks 'methods'"),
        ("[1]", "is no JSON object"),
        (None, "cannot be read"),
    ],
)
def test_gold_that_is_none(tmp_path: pathlib.Path, content: str | None, message: str) -> None:
    path = tmp_path / "gold.jsonl"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(UsageError, match=message):
        read_gold(path)


def test_no_release(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UsageError, match="is no release"):
        score_release(tmp_path, write_gold(tmp_path, GOLD))


def test_what_counts_as_the_same() -> None:
    assert fold("GNNs") == fold("GNN")
    assert fold("Flow-TTRL") == fold("flow ttrl")
    assert fold("C++") != fold("C")
    assert same_measure("execution accuracy", "accuracy")
    assert not same_measure("accuracy", "a bag of many words with accuracy in it")
    assert same_value({"value": 2, "unit": "x"}, {"value": 2.0, "unit": "×"})
    assert not same_value({"value": 2, "value_max": 3}, {"value": 2.0})
    result = {"value": 2, "relation": "<="}
    assert not same_result(result, {"value": 2})
    assert same_result(result | {"dataset": None}, result | {"dataset": "X"})
    assert not same_result(result | {"dataset": "GenEval"}, result)
    assert same_url({"url": "http://www.Ada.org/X/"}, {"url": "https://ada.org/X"})
    assert same_url({"url": "https://dx.doi.org/10.1/A"}, {"url": "https://doi.org/10.1/a"})
