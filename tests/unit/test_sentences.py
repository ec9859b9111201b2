"""Sentence boundaries and word counts."""

from __future__ import annotations

import json
import pathlib

import pytest

from pipeline.sentences import count_sentences, count_words, split_sentences

CASES = [
    ["We use BERT.", "It works on ImageNet."],
    ["See Sect. 3, Fig. 2 and Eq. (2).", "The U.S. data agree."],
    ["Dr. Smith et al. (2020) and J. K. Jones showed it in No. 7.", "Then we did."],
    ["The model of Vaswani et al.", "The results hold."],
    ["We use e.g. BERT, i.e. a Transformer, vs. GPT, etc.", "This holds."],
    ["What about iOS apps?", "iOS is fine.", "pH 7.4 was used.", "mRNA levels rose."],
    ["Gains of 3.5 in v.2.0 are common.", "Code is at https://a.org/x.y.", "Then 4."],
    ["(a) This.", "(b) That."],
    ["Vitamin C.", "It helps."],
    ["It ends…", "Here it goes on!", "Really?", "“Yes.”"],
    ["1. The output of X.", "2. It rose."],
    ["日本語です。", "次の文です。"],
]


@pytest.mark.parametrize("sentences", CASES, ids=lambda s: s[0][:30])
def test_sentences(sentences: list[str]) -> None:
    text = "".join(sentences) if sentences[0].startswith("日") else " ".join(sentences)
    assert [text[a:b] for a, b in split_sentences(text)] == sentences


def test_paragraphs_end_sentences() -> None:
    text = "Background\n\nWe test it\n\n1. One."
    assert [text[a:b] for a, b in split_sentences(text)] == ["Background", "We test it", "1. One."]


def test_golden_rules(shared: pathlib.Path) -> None:
    lines = (shared / "cases/clean/sentences.jsonl").read_text("utf-8").splitlines()
    right = 0
    for case in map(json.loads, lines):
        right += [case["text"][a:b] for a, b in split_sentences(case["text"])] == case["sentences"]
    assert right >= len(lines) - 1


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a b", 2), ("GPT-4 at 3.5 – x % y", 5), ("日本語 text", 4), ("—", 0)])
def test_count_words(text: str, count: int) -> None:
    assert count_words(text) == count


def test_a_long_run_of_stops_or_a_very_long_text_is_read_once() -> None:
    """Each of these takes minutes where a run, or the sentence so far, is read again from each of its places."""
    for text in ("." * 20_000 + " x", "…" * 20_000, "?!" * 10_000 + " A", "。" * 20_000 + " A", "We gain 5. " * 20_000):
        assert count_sentences(text) == len(split_sentences(text))
