"""The policy of CONTRACT.md, "Duplicates", through the filter's function."""

from __future__ import annotations

import random

import pytest

from pipeline.dedupe.records import dedupe_records

STONES = (
    "Sorting stones by hand is slow, and machines that sort them wear out quickly. We present a network that grades river "
    "pebbles by colour, shape and texture from a single photograph. Trained on labelled images from the north, it reaches "
    "a high accuracy and needs little time per pebble on a small board. In a field trial it replaced most of the sorting "
    "steps without loss of quality, and we release the code and the images for others to build on."
)
ROUTES = (
    "We study the problem of routing messages in networks whose links appear and vanish over time. Classical algorithms "
    "assume that the graph is known in advance and fail when it is not. We give a randomised online algorithm that is "
    "competitive against an adaptive adversary, and prove a matching lower bound for every deterministic rule. Simulations "
    "on bus and train networks confirm that the algorithm delivers most messages in time."
)


def group(*records: dict[str, object]) -> dict[str, tuple[object, object]]:
    """id -> (cluster, relation)."""
    named = [{"id": "abcdefghij"[number], **record} for number, record in enumerate(records)]
    return {str(answer["id"]): (answer["cluster"], answer["relation"]) for answer in dedupe_records(named)}


def test_equal_texts_are_exact_and_texts_with_equal_keys_normalised() -> None:
    assert group({"text": STONES}, {"text": STONES}, {"text": STONES.upper()}) == {
        "a": ("a", "kept"), "b": ("a", "exact"), "c": ("a", "normalised"),
    }  # fmt: skip


def test_near_texts_join_the_more_complete_one_with_their_similarity() -> None:
    answers = dedupe_records([{"id": 1, "text": STONES}, {"id": 2, "text": STONES + " Wet stones remain hard."}])
    assert [(a["cluster"], a["relation"]) for a in answers] == [(2, "near"), (2, "kept")]
    assert 0.9 < float(str(answers[0]["similarity"])) < 1.0
    assert answers[1]["similarity"] is None


def test_the_same_identifier_joins_whatever_the_texts() -> None:
    assert group({"text": STONES, "doi": "10.1000/A"}, {"text": ROUTES, "doi": "https://doi.org/10.1000/a"})["b"] == ("a", "near")
    assert group({"text": STONES, "arxiv_id": "2101.00001"}, {"text": ROUTES, "arxiv_id": "arXiv:2101.00001v2"})["a"][0] == "b"
    assert group({"text": STONES, "arxiv_id": "2101.00001"}, {"text": ROUTES, "doi": "10.48550/arXiv.2101.00001"})["b"][0] == "a"


def test_of_the_versions_of_one_arxiv_id_the_newest_undamaged_is_kept() -> None:
    v1 = {"text": STONES + " A longer first version.", "arxiv_id": "2101.00001", "arxiv_version": 1}
    v2 = {"text": ROUTES, "arxiv_id": "2101.00001", "arxiv_version": 2}
    v3 = {"text": STONES, "arxiv_id": "2101.00001", "arxiv_version": 3, "flags": ["truncated"]}
    assert group(v1, v2, v3) == {"a": ("b", "version"), "b": ("b", "kept"), "c": ("b", "version")}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"arxiv_id": "2101.00001"}, {"arxiv_id": "2101.00002"}),
        ({"doi": "10.1000/a"}, {"doi": "10.1000/b"}),
        ({"doi": "10.1101/a"}, {"doi": "10.1101/b"}),
    ],
)
def test_conflicting_identifiers_keep_equal_texts_apart_as_variants(left: dict[str, object], right: dict[str, object]) -> None:
    answers = dedupe_records([{"id": "a", "text": STONES, **left}, {"id": "b", "text": STONES, **right}])
    assert [(a["relation"], a["variant_of"]) for a in answers] == [("kept", "b"), ("kept", "a")]


def test_identifiers_of_different_registries_do_not_conflict() -> None:
    made = group({"text": STONES, "doi": "10.1000/a"}, {"text": STONES, "doi": "10.1101/2020.1"}, {"text": STONES, "arxiv_id": "2101.00001"})
    assert {cluster for cluster, _ in made.values()} == {"a"}


def test_a_member_without_identifiers_does_not_tie_conflicting_records_together() -> None:
    made = group({"text": STONES, "doi": "10.1000/a"}, {"text": STONES}, {"text": STONES, "doi": "10.1000/b"})
    assert made["a"][0] != made["c"][0]
    assert made["b"][0] in "ac"


def test_the_doi_of_a_volume_joins_nothing() -> None:
    made = group(
        {"text": STONES, "doi": "10.1000/v", "title": "Stones and how to sort them", "authors": ["Ann Lee"]},
        {"text": ROUTES, "doi": "10.1000/v", "title": "Messages and how to route them", "authors": ["Bo Ruiz"]},
    )
    assert made["a"][0] != made["b"][0]


def test_undamaged_text_is_kept_first_then_metadata_then_length_then_the_first() -> None:
    lost = {"text": STONES + " Code: this https URL and a few words more.", "title": "Stones", "year": 2020}
    assert group(lost, {"text": STONES + " Code: https://example.org/stones"})["a"] == ("b", "near")
    assert group({"text": STONES}, {"text": STONES, "title": "Stones"})["a"][0] == "b"
    assert group({"text": STONES}, {"text": STONES})["b"][0] == "a"


def test_numbers_and_names_make_variants_that_point_at_each_other() -> None:
    text = STONES + " It reaches 93.4 percent in Norway."
    answers = dedupe_records([{"id": 1, "text": text}, {"id": 2, "text": text.replace("93.4", "91.2")}, {"id": 3, "text": text.replace("Norway", "Iceland")}])
    assert [a["relation"] for a in answers] == ["kept"] * 3
    assert [a["variant_of"] for a in answers] == [2, 1, 1]


def test_drifting_texts_never_chain() -> None:
    random_ = random.Random(1)
    words = STONES.split()
    chain = []
    for _ in range(60):
        words = list(words)
        words[random_.randrange(len(words))] = f"w{random_.randrange(10**6)}"
        words[random_.randrange(len(words))] = f"w{random_.randrange(10**6)}"
        chain.append(" ".join(words))
    answers = dedupe_records([{"id": number, "text": text} for number, text in enumerate(chain)])
    assert 2 < len({answer["cluster"] for answer in answers}) < 30
    assert all(float(str(a["similarity"])) >= 0.44 for a in answers if a["relation"] == "near")


@pytest.mark.parametrize("text", ["", " ", "…", "a", "\ud800", "x" * 200_000, "日本", "\x00"])
def test_any_text_is_answered(text: str) -> None:
    answers = dedupe_records([{"id": 1, "text": text}, {"id": 2, "text": STONES}, {"id": 3, "text": text}])
    assert [a["id"] for a in answers] == [1, 2, 3]
    assert answers[1]["relation"] == "kept"


def test_empty_texts_are_not_the_same_abstract() -> None:
    assert {cluster for cluster, _ in group({"text": ""}, {"text": ""}, {"text": " "}).values()} == {"a", "b", "c"}


def test_nothing_is_answered_with_nothing() -> None:
    assert dedupe_records([]) == []


def test_many_equal_and_many_nearly_equal_texts_take_linear_time() -> None:
    equal = dedupe_records([{"id": f"{n:05d}", "text": STONES} for n in range(5000)])
    assert {answer["cluster"] for answer in equal} == {"00000"}
    nearly = dedupe_records([{"id": f"{n:05d}", "text": f"{STONES} Report number {n * 7919}."} for n in range(500)])
    assert all(answer["relation"] == "kept" and answer["variant_of"] is not None for answer in nearly)


def test_two_real_sources_of_the_same_papers(shared: object) -> None:
    import json
    from pathlib import Path

    lines = (Path(str(shared)) / "cases/dedupe/two_sources.jsonl").read_text("utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    answers = dedupe_records([{"id": row["id"], "text": row["text"], **row["meta"]} for row in rows])
    truth: dict[str, set[str]] = {}
    made: dict[str, set[str]] = {}
    for row, answer in zip(rows, answers, strict=True):
        truth.setdefault(row["cluster"], set()).add(row["id"])
        made.setdefault(str(answer["cluster"]), set()).add(row["id"])
    assert sorted(map(sorted, truth.values())) == sorted(map(sorted, made.values()))
