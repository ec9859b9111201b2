"""Signatures: words, sketches and key hashes of many texts at once."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pyarrow as pa

from pipeline.dedupe.keys import fold, normalised_key
from pipeline.dedupe.signatures import BINS, EMPTY, SIGNATURES, read_sketches, sign_table
from pipeline.dedupe.tokens import split_words

TEXTS = ["The quick brown fox jumps over the lazy dog.", "", "one", "two words", "日本語 text", "naïve Ωmega", "x" * 5000]


def words_of(text: str) -> list[str]:
    words = split_words([fold(text)])
    return [words.data[a:b].tobytes().decode() for a, b in zip(words.starts, words.ends, strict=True)]


def test_words_are_runs_of_letters_and_wide_characters_stand_alone() -> None:
    assert words_of("GPT-4は日本語, naïve!") == ["gpt", "4", "は", "日", "本", "語", "naïve"]
    assert words_of("a b") == ["a", "b"]
    assert words_of("... !?") == []


def test_equal_words_have_equal_hashes_wherever_they_stand() -> None:
    words = split_words([fold("representation learning of it"), fold("it, a representation-learning")])
    hashes = [words.hashes[words.first[i] : words.first[i + 1]].tolist() for i in (0, 1)]
    assert set(hashes[0]) - set(hashes[1]) == {hashes[0][2]}
    assert hashes[0][3] == hashes[1][0]


def test_long_words_that_differ_at_any_end_differ() -> None:
    words = split_words([b"abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxya zbcdefghijklmnopqrstuvwxyz abcdefgh abcdefghi"])
    assert len(set(words.hashes.tolist())) == 5


def test_the_table_is_row_aligned_and_does_not_depend_on_chunks() -> None:
    whole = sign_table(pa.array(TEXTS))
    chunked = sign_table(pa.chunked_array([TEXTS[:2], TEXTS[2:], []], pa.string()))
    assert whole.schema == SIGNATURES
    assert whole.to_pylist() == chunked.to_pylist()
    assert whole["n_tokens"].to_pylist() == [9, 0, 1, 2, 4, 2, 1]
    assert whole["key_hash"].to_pylist()[0] == sha256(normalised_key(TEXTS[0]).encode()).digest()[:16]


def test_many_texts_are_signed_as_each_alone() -> None:
    many = TEXTS * 60
    assert sign_table(pa.array(many)).to_pylist() == sign_table(pa.array(TEXTS)).to_pylist() * 60


def test_sketches_estimate_the_share_of_common_shingles() -> None:
    words = [f"w{i}" for i in range(300)]
    sketches = read_sketches(sign_table(pa.array([" ".join(words), " ".join(words[:200])]))["sketch"])
    assert sketches.shape == (2, BINS)
    assert 0.5 < np.mean(sketches[0] == sketches[1]) < 0.85


def test_a_text_without_words_has_an_empty_sketch() -> None:
    assert (read_sketches(sign_table(pa.array(["…", None]))["sketch"]) == EMPTY).all()
    assert read_sketches(sign_table(pa.array([], pa.string()))["sketch"]).shape == (0, BINS)
