"""What holds for any records: totality, order-freedom, groups as stars, keys that ignore style."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.dedupe.keys import fold, key_of_folded, normalised_key
from pipeline.dedupe.likeness import align, measure_agreement, measure_overlap, word_texts
from pipeline.dedupe.marks import find_keys
from pipeline.dedupe.records import dedupe_records
from pipeline.dedupe.tokens import join_folded, split_joined

TEXTS = st.text(max_size=80)
SENTENCES = st.lists(st.sampled_from([f"{a} {b} {c}" for a in ("we", "they", "all") for b in ("see", "find", "count 3") for c in ("BERT", "x", "日本 語")]), max_size=12)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {"text": SENTENCES.map(". ".join) | TEXTS},
        optional={
            "title": st.sampled_from(["A study of many stones", "Another study of stones", ""]),
            "authors": st.sampled_from([["Ann Lee"], ["Bo Ruiz"], []]),
            "year": st.sampled_from([2019, 2020, None]),
            "doi": st.sampled_from(["10.1/a", "10.1/b", "10.1101/c"]),
            "arxiv_id": st.sampled_from(["2101.00001", "2101.00002v2"]),
            "arxiv_version": st.sampled_from([1, 2]),
        },
    ),
    max_size=12,
)


@given(TEXTS)
@settings(max_examples=300)
def test_keys_ignore_case_spaces_and_style(text: str) -> None:
    key = normalised_key(text)
    assert key
    if "\x00" not in key and text.isascii():
        assert normalised_key(f"  {text.swapcase()}\n") == key
    assert isinstance(fold(text), bytes)


@given(st.lists(st.text(alphabet="0159.,-^/ {}'()<=%~\n\x00\x03ab²é日", max_size=14), max_size=6))
@settings(max_examples=500)
def test_keys_of_many_texts_are_those_of_each_alone(texts: list[str]) -> None:
    folded = [fold(text) for text in texts]
    joined = join_folded(folded)
    assert find_keys(folded, joined, split_joined(joined, folded)) == [key_of_folded(text) for text in folded]


@given(TEXTS, TEXTS)
@settings(max_examples=200)
def test_measures_are_symmetric_shares(left: str, right: str) -> None:
    a, b = word_texts([left, right])
    one, other = measure_overlap(a, b), measure_overlap(b, a)
    assert one == other
    assert 0.0 <= one.similarity <= one.containment <= 1.0
    agreement = measure_agreement(a, b, align(a, b)[0])
    assert -1e-9 <= agreement <= 1.0 + 1e-6


@given(RECORDS, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_groups_do_not_depend_on_order_and_are_stars(records: list[dict[str, object]], random_: random.Random) -> None:
    named = [{"id": f"r{number:02d}", **record} for number, record in enumerate(records)]
    answers = {str(answer["id"]): answer for answer in dedupe_records(named)}
    mixed = list(named)
    random_.shuffle(mixed)
    assert {str(answer["id"]): answer for answer in dedupe_records(mixed)} == answers
    for answer in answers.values():
        assert answers[str(answer["cluster"])]["relation"] == "kept"
        assert (answer["relation"] == "kept") == (answer["id"] == answer["cluster"]) == (answer["similarity"] is None)
        assert answer["variant_of"] is None or answers[str(answer["variant_of"])]["relation"] == "kept"
