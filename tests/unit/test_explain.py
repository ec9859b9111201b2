"""`abstracts explain`: an abstract with its mentions, why each was found, and its duplicates."""

from __future__ import annotations

import pathlib

import pytest

from pipeline.errors import UsageError
from pipeline.explain import explain, explain_html
from pipeline.explain_facts import compare_words, marked_spans
from tests.support.small_release import FIRST, SECOND, write_release


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return write_release(tmp_path_factory.mktemp("release"))


def test_everything_is_said(release: pathlib.Path) -> None:
    text = explain(release, FIRST)
    for part in (
        "A <fast> index",
        f"{FIRST}  en  18 words  DOI 10.1000/fix",
        "We propose [M:FiX] (Fast Index). It lifts accuracy [R:from 63% to 87%] on [D:GenEval]. [M:Code]: [U:https://github.com/ada/fix].",
        "FiX (Fast Index) · proposed",
        "rule rule_a, confidence 0.90, “FiX” at characters 11–14, raw 11–14",
        "accuracy = 87 % (from 63) on GenEval · level",
        "https://github.com/ada/fix · code, ada/fix",
        "kept: in/a.txt record 1 (bytes 0–9)",
        "exact: in/b.txt record 1 (bytes 0–9), similarity 1.000, the same raw text",
        "normalised: in/c.txt record 1 (bytes 0–9), similarity 1.000, differs in mark-up only",
        "near: in/b.txt record 2 (bytes 0–9), similarity 0.930",
        "(Fast Index). [-It-] {+FiX+} lifts",
        "[-87%-] {+88%+} on GenEval.",
        f"{SECOND}  similarity 0.800: numbers differ",
    ):
        assert part in text
    assert "\x1b" not in text


def test_look_alikes_are_told_from_both_sides(release: pathlib.Path) -> None:
    assert f"{FIRST}  similarity 0.800: numbers differ" in explain(release, SECOND)
    assert "(no title)" in explain(release, SECOND)
    assert "flags: truncated" in explain(release, SECOND)


def test_colours_only_when_asked(release: pathlib.Path) -> None:
    text = explain(release, FIRST, colour=True)
    assert "\x1b[36mFiX\x1b[0m" in text
    assert "[M:" not in text


def test_a_page_is_self_contained_and_escaped(release: pathlib.Path) -> None:
    page = explain_html(release, FIRST)
    assert "<title>A &lt;fast&gt; index</title>" in page
    assert '<mark class="method" title="method: FiX">FiX</mark>' in page
    assert "<del>It</del> <ins>FiX</ins>" in page
    assert "<script" not in page
    assert "src=" not in page
    assert "href=" not in page


@pytest.mark.parametrize(
    ("key", "what", "do"),
    [
        ("00", "2 abstracts start with 00", "more digits"),
        ("xyz", "is no abstract id", "20 hex digits"),
        ("", "is no abstract id", "20 hex digits"),
        ("123", "No abstract of", "abstract_id"),
        ("ee" * 10, f"is now part of {FIRST}", f"abstracts explain {FIRST}"),
        ("efef", "was removed (takedown)", "CHANGES.md"),
    ],
)
def test_an_id_that_does_not_help(release: pathlib.Path, key: str, what: str, do: str) -> None:
    with pytest.raises(UsageError) as caught:
        explain(release, key)
    assert what in caught.value.what
    assert do in caught.value.do


def test_a_prefix_is_enough(release: pathlib.Path) -> None:
    assert explain(release, "00AA ") == explain(release, FIRST)


def test_no_release(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UsageError, match="is no release"):
        explain(tmp_path, FIRST)


def test_words_are_compared_with_a_few_around() -> None:
    kept = " ".join(str(number) for number in range(40))
    assert compare_words(kept, kept) == []
    assert compare_words(kept, kept.replace(" 20 ", " twenty ")) == [
        ("gap", "…"),
        ("same", "16 17 18 19"),
        ("gone", "20"),
        ("new", "twenty"),
        ("same", "21 22 23 24"),
        ("gap", "…"),
    ]
    assert compare_words(kept, f"{kept} more") == [("gap", "…"), ("same", "36 37 38 39"), ("new", "more")]
    assert compare_words("a " * 6000, "b") is None


def test_of_overlapping_mentions_the_first_and_longest_is_marked() -> None:
    rows = [
        {"char_start": start, "char_end": end, "kind": "method", "name": name}
        for start, end, name in ((0, 3, "FiX"), (0, 8, "FiX-base"), (4, 8, "base"), (9, 12, "SiX"))
    ]
    assert [name for *_, name in marked_spans(rows)] == ["FiX-base", "SiX"]
