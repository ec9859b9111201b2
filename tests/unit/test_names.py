"""Methods and datasets: cases, spans, rows without doubles, totality, and the floor on the shared annotation."""

from __future__ import annotations

import json
import pathlib
import time
import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.enrich import enrich_text
from pipeline.enrich.document import Document
from pipeline.enrich.names import find_names
from pipeline.enrich.names_candidates import Candidates, fold_name
from pipeline.enrich.names_mentions import find_mentions
from pipeline.enrich.names_model import KINDS, MODELS, precisions
from pipeline.enrich.names_tokens import tokenize
from pipeline.enrich.perceptron import load

CASES = [json.loads(line) for line in (pathlib.Path(__file__).parent.parent / "cases" / "names.jsonl").read_text(encoding="utf-8").splitlines()]
PIECES = ["We propose ", "FooNet", " (Foo Network)", ", a ", "BERTs", "-based ", "on ImageNet ", "π_0", "C++", ". ", "Llama 3 70B", " and ", "\n\n", "GPT-4's ", "é"]


def folded(text: str) -> str:
    low = "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum() or c == "_")
    return low.removesuffix("s")


def marked(case: dict[str, Any]) -> Any:
    marks = [pytest.mark.xfail(strict=True, reason=case["xfail"])] if "xfail" in case else []
    return pytest.param(case, marks=marks, id=case["in"][:50])


@pytest.mark.parametrize("case", map(marked, CASES))
def test_case(case: dict[str, Any]) -> None:
    methods, datasets = find_names(Document(case["in"]))
    found = {"methods": [[m.name, m.role] for m in methods], "datasets": [[d.name, d.role] for d in datasets]}
    assert found == case["out"], case["why"]


@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_first_span_gives_the_name_back_and_no_name_twice(pieces: list[str]) -> None:
    text = "".join(pieces)
    for names in find_names(Document(text)):
        keys = [fold_name(name.name) for name in names]
        assert len(keys) == len(set(keys))
        assert list(names) == sorted(names, key=lambda name: (name.spans[0], name.name))
        for name in names:
            assert folded(text[slice(*name.spans[0])]) in {folded(name.name), folded(name.long_form or "")}
            assert list(name.spans) == sorted(set(name.spans))
            assert 0 <= name.confidence <= 1
            assert name.rule in precisions() or name.confidence == 0.5


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_any_text_is_taken(text: str) -> None:
    tokens, starts = tokenize(text)
    assert all(text[start : start + len(token.word)] == token.word for token, start in zip(tokens, starts, strict=False))
    find_names(Document(text))


@pytest.mark.parametrize("text", ["A" * 1_000_000, "Foo-" * 100_000, "A " * 60_000, "A1, " * 30_000, "((" * 50_000, "We propose " * 20_000, "\ud800\x00"])
def test_hostile_texts_end(text: str) -> None:
    started = time.process_time()
    find_names(Document(text))
    assert time.process_time() - started < 20


def test_hidden_spans_hold_no_name() -> None:
    text = "See https://example.org/FooNet for ResNet-50."
    methods, _ = find_names(Document(text, ((4, 30),)))
    assert all(span[0] >= 30 for name in methods for span in name.spans)


def test_mentions_are_whole_words() -> None:
    assert find_mentions("SAM, SAM2, SAM-based, pre-SAM and SAMs", "SAM") == ((0, 3), (11, 14), (34, 38))
    assert find_mentions("Random forests and a random forest", "random forest") == ((0, 14), (21, 34))


def test_scores_are_sums_of_whole_numbers() -> None:
    model = load(MODELS / "names.npz")
    features = list(model.index)[1:40]
    row = model.hidden[1:40].sum(axis=0, dtype=np.int64)
    expected = (np.maximum(row + model.hidden_bias, 0) @ model.output + model.output_bias) / model.scale
    assert model.scores([features, features[:3]])[0] == expected.tolist()
    assert model.scores([[*features, "never seen"]]) == [expected.tolist()]
    assert model.scores([]) == []
    assert len(model.index) > 1000
    assert len(expected) == len(KINDS) + 1


def test_candidates_hold_both_forms_of_a_pair() -> None:
    groups = Candidates("Fast Mixture Networks (FMN) are fast.").groups
    assert groups["fmn"] is groups["fastmixturenetwork"]


def gold_rows(shared: pathlib.Path) -> list[tuple[dict[str, Any], str]]:
    clean = pytest.importorskip("pipeline.clean").clean_text
    gold = [json.loads(line) for line in (shared / "gold" / "dev2.jsonl").read_text(encoding="utf-8").splitlines()]
    raw = [json.loads(line) for line in (shared / "gold" / "dev2_input.jsonl").read_text(encoding="utf-8").splitlines()]
    return [(g, clean(raw[int(g["id"].split("#")[1]) - 1]["abstract"]).text) for g in gold]


def test_shared_annotation(shared: pathlib.Path) -> None:
    """Recall and precision on the development set stay where training put them (not an estimate for unseen texts: see docs/names.md)."""
    hits = found = wanted = 0
    for gold, text in gold_rows(shared):
        for names, kind in zip(find_names(Document(text)), ("methods", "datasets"), strict=True):
            keys = {fold_name(f): g["optional"] for g in gold[kind] for f in (g["name"], g.get("long_form")) if f}
            labels = [keys.get(fold_name(n.name), keys.get(fold_name(n.long_form or ""))) for n in names]
            hits += labels.count(False)
            found += sum(label is not True for label in labels)
            wanted += sum(not g["optional"] for g in gold[kind])
    assert hits / found >= 0.85
    assert hits / wanted >= 0.75


def test_no_long_form_reaches_over_an_address() -> None:
    text = "We train a BERT model. The COUGH dataset is available at https://github.com/x/covid-faq. A ambiant State Tracker (DST) is a part of it."
    for name in enrich_text(text).methods:
        assert name.long_form is None or name.long_form in text


def test_a_line_end_behind_a_long_form() -> None:
    methods, _ = find_names(Document("Single Image Super-Resolution\n(SISR) is hard. We propose FooNet."))
    assert "FooNet" in [method.name for method in methods]
