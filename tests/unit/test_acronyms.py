"""Pairs of short and long forms."""

from __future__ import annotations

import importlib.util
import json
import pathlib
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.enrich.acronyms import find_pairs, is_short_form

CASES = [json.loads(line) for line in (pathlib.Path(__file__).parent.parent / "cases" / "acronyms.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["in"][:40])
def test_case(case: dict[str, Any]) -> None:
    pairs = [[p.short, p.long] for p in find_pairs(case["in"])]
    assert pairs == case["out"], case["why"]


@given(st.text(alphabet="ab AB()[]-.,:1é\n", max_size=120))
def test_spans_give_the_forms_back(text: str) -> None:
    for pair in find_pairs(text):
        assert text[slice(*pair.short_span)] == pair.short
        assert text[slice(*pair.long_span)] == pair.long


@pytest.mark.parametrize("text", ["(" * 50_000, "a (" * 20_000, "A" * 500_000 + " (AAA)", "(A" + " b" * 100_000 + ")", "\ud800 (\x00)"])
def test_hostile_texts_end(text: str) -> None:
    find_pairs(text)


def test_short_forms() -> None:
    assert is_short_form("SF-36")
    assert not is_short_form("n")
    assert not is_short_form("2019")


def test_abstracts_of_medline(shared: pathlib.Path) -> None:
    """F1 of pairs on the shared half of MED1250; the floor is some points under the measured .91."""
    folder = shared / "cases" / "scorers"
    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location("score_acronyms", folder / "score_acronyms.py")
    assert spec is not None
    assert spec.loader is not None
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    lines = (shared / "cases" / "acronyms" / "med1250.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    found = {row["id"]: {"pairs": [{"short": p.short, "long": p.long} for p in find_pairs(row["text"])]} for row in rows}
    assert scorer.score(rows, found)["pairs"]["f1"] >= 0.88
