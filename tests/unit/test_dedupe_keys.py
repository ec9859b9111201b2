"""Keys: what counts as the same text, and the ids made from them."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from pipeline.dedupe.keys import abstract_id, fold, normalised_key

CASES = [json.loads(line) for line in (Path(__file__).parent.parent / "cases/dedupe_keys.jsonl").read_text("utf-8").split("\n") if line]


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_keys_are_equal_where_texts_mean_the_same(case: dict[str, object]) -> None:
    left, right = case["in"]
    assert (normalised_key(left) == normalised_key(right)) is case["out"]


def test_an_id_is_the_start_of_the_hash_of_the_key() -> None:
    assert abstract_id("abc") == sha256(b"abc").hexdigest()[:20]
    assert abstract_id("abc", "10.1/x") == sha256(b"abc\n10.1/x").hexdigest()[:20]


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "a" * 1_000_000, "-" * 100_000, "1." * 50_000, "é" * 100_000])
def test_every_text_has_a_key(text: str) -> None:
    assert normalised_key(text)
    assert isinstance(fold(text), bytes)
