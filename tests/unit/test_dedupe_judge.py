"""Pairs of records: same, variant or different, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.dedupe.evidence import evidence_of
from pipeline.dedupe.judge import judge
from pipeline.dedupe.likeness import align, measure_agreement, measure_overlap, word_texts

CASES = [json.loads(line) for line in (Path(__file__).parent.parent / "cases/dedupe_pairs.jsonl").read_text("utf-8").split("\n") if line]


def told(left: dict[str, object], right: dict[str, object]) -> str:
    a, b = word_texts([str(left["text"]), str(right["text"])])
    likeness = judge(a, b, evidence_of(left), evidence_of(right))
    return likeness.reason if likeness.verdict == "variant" else likeness.verdict


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_pairs_are_judged_as_a_reader_would(case: dict[str, dict[str, dict[str, object]]]) -> None:
    assert told(case["in"]["a"], case["in"]["b"]) == case["out"]


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_the_order_of_a_pair_does_not_matter(case: dict[str, dict[str, dict[str, object]]]) -> None:
    assert told(case["in"]["b"], case["in"]["a"]) == case["out"]


def test_measures_are_one_for_equal_and_zero_for_foreign_texts() -> None:
    a, b, c = word_texts(["we sort stones by colour", "We sort stones, by colour!", "日本語のテスト"])
    assert measure_overlap(a, b).similarity == 1.0
    assert measure_agreement(a, b, align(a, b)[0]) == pytest.approx(1.0)
    assert measure_overlap(a, c).similarity == 0.0
    assert measure_agreement(a, c, align(a, c)[0]) == 0.0
