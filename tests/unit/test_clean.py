"""Cleaning as a whole: the cases, the map, and that nothing gets lost."""

from __future__ import annotations

import json
import pathlib

import pytest

from pipeline.clean import clean_text
from pipeline.clean.losses import find_losses
from pipeline.clean.plan import PLAN, needs_nothing, track

CASES = [json.loads(line) for line in (pathlib.Path(__file__).parent.parent / "cases" / "clean.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["in"][:40])
def test_case(case: dict[str, str]) -> None:
    done = clean_text(case["in"])
    assert done.text == case["out"], case["why"]
    if "flags" in case:
        assert list(done.flags) == case["flags"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["in"][:40])
def test_nothing_is_lost_without_a_reason(case: dict[str, str]) -> None:
    assert find_losses(case["in"], clean_text(case["in"])) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["in"][:40])
def test_cleaning_twice_changes_nothing(case: dict[str, str]) -> None:
    first = clean_text(case["in"])
    assert clean_text(first.text).text == first.text or "literal_markup" in first.flags


@pytest.mark.parametrize(
    ("raw", "surface", "source"),
    [
        (r"We use \textbf{A}da here.", "Ada", r"\textbf{A}da"),
        (r"at $1.24\times$ speed", "1.24×", r"$1.24\times$"),
        (r"at $1.24\times$ speed", "×", r"\times"),
        ("the **bold text** here", "bold text", "**bold text**"),
        ("see [the code](https://a.org/x).", "https://a.org/x", "https://a.org/x"),
        (r"see \href{https://a.org}{our code} now", "our code", "our code"),
        (r"see \href{https://a.org}{our code} now", "our code (https://a.org)", r"\href{https://a.org}{our code}"),
        ("x<sub>2</sub> y", "x_2", "x<sub>2</sub>"),
        ("Q&amp;A", "Q&A", "Q&amp;A"),
        ("a\nb  c", "a b c", "a\nb  c"),
        ("vehicleâ€™s mass", "vehicle’s", "vehicleâ€™s"),
    ],
)
def test_raw_span_covers_the_mark_up(raw: str, surface: str, source: str) -> None:
    done = clean_text(raw)
    start = done.text.index(surface)
    raw_start, raw_end = done.map.raw_span(start, start + len(surface))
    assert raw[raw_start:raw_end] == source


def test_every_raw_span_of_the_cases_cleans_to_its_words() -> None:
    """Each word of a clean case stands in its raw span; the few that need what is beside them are few."""
    total = failed = 0
    for case in CASES:
        done = clean_text(case["in"])
        position = 0
        for word in done.text.split():
            start = done.text.index(word, position)
            position = start + len(word)
            raw_start, raw_end = done.map.raw_span(start, position)
            total += 1
            failed += clean_text(case["in"][raw_start:raw_end]).text != word
    assert failed <= total * 0.06


def test_users_macros_are_expanded() -> None:
    assert clean_text(r"\ours beats \vs{x}", {"ours": "FooNet", "vs": "#1 (old)"}).text == "FooNet beats x (old)"


def test_unknown_macros_are_named() -> None:
    assert track(r"our \method{} and \foo{x}").unknown == ["method", "foo"]


def test_plan_can_be_read_aloud() -> None:
    names = [part.name for part in PLAN]
    assert len(names) == len(set(names))
    assert all(part.step.__doc__ for part in PLAN)


def test_plain_prose_is_passed_at_once() -> None:
    assert needs_nothing("We show that BERT beats GPT-4 by 3.5 points (p = 0.05), i.e. 12% more.")
    assert not needs_nothing(r"by 3.5\% more")


@pytest.mark.parametrize("raw", ["", " ", "\n", "\ud800", "\x00", "{" * 5000, "\\frac" * 2000, "$" * 999, "a" * 100_000])
def test_total(raw: str) -> None:
    done = clean_text(raw)
    done.text.encode("utf-8")
