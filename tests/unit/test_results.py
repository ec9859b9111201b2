"""Results: decisions on small texts, the shape of the rows, and the rules that hold for every text."""

from __future__ import annotations

import json
import pathlib
import re
from dataclasses import replace
from typing import Any

import pytest

from pipeline.enrich.document import Document
from pipeline.enrich.measures import find_measures, measure_heads, pieces_of, tokens
from pipeline.enrich.quantities import scan_quantities
from pipeline.enrich.quantities_words import scan_words
from pipeline.enrich.results import find_metrics, read_sentences
from pipeline.enrich.results_exclude import excluded
from pipeline.model import Metric, Name, Role

CASES = pathlib.Path(__file__).resolve().parent.parent / "cases"


def load(name: str) -> list[Any]:
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(c["in"], c["out"], id=c["why"]) for c in map(json.loads, lines)]


def named(text: str, names: tuple[str, ...]) -> list[Name]:
    found = []
    for name in names:
        spans, at = [], text.find(name)
        while at >= 0:
            spans.append((at, at + len(name)))
            at = text.find(name, at + 1)
        if spans:
            found.append(Name(name, None, "mentioned", tuple(spans), "test", 1.0))
    return found


def read(text: str) -> tuple[Metric, ...]:
    return find_metrics(Document(text), named(text, ("FooNet",)), named(text, ("ImageNet", "SVHN", "MNIST")))


@pytest.mark.parametrize(("text", "expected"), load("results_quantities.jsonl"))
def test_quantities(text: str, expected: list[list[Any]]) -> None:
    found = sorted([*scan_quantities(text), *scan_words(text)], key=lambda q: q.start)
    assert [[q.value, q.value_max, q.baseline, q.unit] for q in found] == expected
    assert all(text[q.start : q.end] == q.surface for q in found)


@pytest.mark.parametrize(("text", "expected"), load("results_measures.jsonl"))
def test_measures(text: str, expected: list[str]) -> None:
    words = tokens(0, pieces_of(text, (0, len(text))))
    assert [m.name for m in find_measures(text, words, measure_heads([w for _, _, w in words], {}), {})] == expected


@pytest.mark.parametrize(("text", "expected"), load("results.jsonl"))
def test_results(text: str, expected: list[dict[str, Any]]) -> None:
    rows = [m for m in read(text) if m.value is not None]
    assert len(rows) == len(expected), rows
    for row, want in zip(rows, expected, strict=True):
        assert {key: getattr(row, key) for key in want} == want


@pytest.mark.parametrize("text", ["p < 0.05", "(P = .001", "95% CI 1.09–3.65", "n = 20", "5-fold cross-validation", "I² = 45%"])
def test_never_results(text: str) -> None:
    assert all(excluded(text, q) for q in scan_quantities(text))


def test_symbolic_guarantees() -> None:
    rows = [m for m in read("We give a (1-1/e)-approximation in O(n log n) time, an O(n log n) bound (see Section 2).") if m.rule == "symbolic"]
    assert [(m.evidence, len(m.spans)) for m in rows] == [("(1-1/e)", 1), ("O(n log n)", 2)]
    assert all(m.metric is None and m.value is None and m.relation is None for m in rows)


@pytest.mark.parametrize("text", ["O(the method)", "a low-rank approximation", "an ε-approximation (", "O(" * 500, "PO(4)"])
def test_no_symbolic_guarantee(text: str) -> None:
    assert not [m for m in read(text) if m.rule == "symbolic"]


def test_a_method_that_is_a_measure() -> None:
    text = "We propose the Failed-Step Fraction (FSF), the first metric for agents. FSF predicts accuracy better than length."
    spans = tuple((m.start(), m.end()) for m in re.finditer("Failed-Step Fraction|FSF", text))
    name = Name("FSF", "Failed-Step Fraction", "proposed", spans, "test", 1.0)
    measures = [m for s in read_sentences(Document(text), [name]) for m in s.measures]
    assert [(m.name, m.kind) for m in measures] == [("FSF", "N"), ("FSF", "N"), ("FSF", "N"), ("accuracy", "S"), ("length", "H")]


def test_rows_keep_the_contract() -> None:
    text = (
        "We propose FooNet, evaluated by accuracy, word error rate (WER) and inference latency. On ImageNet it improves accuracy"
        " from 63% to 87% and runs 1.5–2x faster, with 3.2 ± 0.4 ms per image."
    )
    rows = read(text)
    assert len(set(rows)) == len(rows)
    assert [r.spans[0] for r in rows] == sorted(r.spans[0] for r in rows)
    for row in rows:
        start, end = row.spans[0]
        assert text[start:end] == row.evidence
        assert (row.value is None) == (row.relation is None) == (row.value_kind is None)
        assert row.metric is not None or row.value is not None
        assert 0 <= row.confidence <= 1
    valued = {r.metric for r in rows if r.value is not None}
    assert not valued & {r.metric for r in rows if r.value is None}


@pytest.mark.parametrize(
    "text", ["", "5", "%", "\x00\ud800 5%", "1" * 5000, "9" * 400 + "%", "(" * 3000, "5% " * 2000, "a-" * 3000 + "5%", "1e999 times", "½ ²%"]
)
def test_no_text_is_too_odd(text: str) -> None:
    for row in read(text):
        start, end = row.spans[0]
        assert text[start:end] == row.evidence


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("We propose FooNet. FooNet is 50x faster than BarNet and obtains 63.7% accuracy.", ["FooNet", "FooNet"]),
        ("We introduce FooNet. It reaches an accuracy of 78.3%, versus 71.0% for BarNet.", ["FooNet", "BarNet"]),
        ("We propose FooNet. FooNet improves recall by 6.1% over BarNet.", ["FooNet"]),
    ],
)
def test_subject_is_not_what_is_compared_with(text: str, subjects: list[str]) -> None:
    def name(form: str, role: Role) -> Name:
        start = text.find(form)
        return Name(form, None, role, ((start, start + len(form)),), "given", 1.0)

    methods = [name("FooNet", "proposed"), name("BarNet", "mentioned")]
    again = text.rfind("FooNet")
    methods[0] = replace(methods[0], spans=tuple(dict.fromkeys([*methods[0].spans, (again, again + 6)])))
    assert [m.subject for m in find_metrics(Document(text), methods, []) if m.value is not None] == subjects
