"""URLs, DOIs and arXiv ids in clean text."""

from __future__ import annotations

import json
import pathlib
import re
import sys
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.enrich.hosts import top_level_domains
from pipeline.enrich.identifiers import arxiv_id_of, doi_of, repository_of
from pipeline.enrich.urls import confidences, find_urls

CASES = pathlib.Path(__file__).parent.parent / "cases" / "urls.jsonl"
VALID = re.compile(r"(https?|ftp)://[^\s{}\\^`|\"]+")


def load_cases() -> list[object]:
    rows = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    return [
        pytest.param(
            row["in"],
            row["out"],
            id=row["why"],
            marks=[pytest.mark.xfail(reason=row["xfail"], strict=True)] if "xfail" in row else [],
        )
        for row in rows
    ]


@pytest.mark.parametrize(("text", "expected"), load_cases())
def test_case(text: str, expected: list[dict[str, object]]) -> None:
    found = find_urls(text)
    assert [url.url for url in found] == [row["url"] for row in expected]
    for url, row in zip(found, expected, strict=True):
        seen = {
            "url": url.url,
            "kind": url.kind,
            "host": url.host,
            "rule": url.rule,
            "repository": url.repository,
            "identifier": url.identifier,
            "surface": text[slice(*url.spans[0])],
            "mentions": len(url.spans),
        }
        assert {key: seen[key] for key in row} == row


@pytest.mark.parametrize(
    ("host", "path", "repository"),
    [
        ("github.com", "/ada/engine.git", "ada/engine"),
        ("github.com", "/ada/engine/tree/main/x?y#z", "ada/engine"),
        ("github.com", "/ada", None),
        ("github.com", "/topics/engine", None),
        ("raw.githubusercontent.com", "/ada/engine/main/x.csv", "ada/engine"),
        ("gitlab.ada.org", "/group/sub/engine/-/tree/main", "group/sub/engine"),
        ("huggingface.co", "/datasets/ada/notes/viewer", "ada/notes"),
        ("ada.org", "/ada/engine", None),
    ],
)
def test_repository(host: str, path: str, repository: str | None) -> None:
    assert repository_of(host, path) == repository


def test_identifiers_of_urls() -> None:
    assert doi_of("dx.doi.org", "/10.1000/ABC.") == "10.1000/abc"
    assert doi_of("link.springer.com", "/article/10.1007/s00520-015-2960-x") == "10.1007/s00520-015-2960-x"
    assert doi_of("onlinelibrary.wiley.com", "/doi/full/10.1002/ab.12345/pdf") == "10.1002/ab.12345"
    assert doi_of("doi.org", "/not-a-doi") is None
    assert arxiv_id_of("arxiv.org", "/pdf/2504.14370v1.pdf") == "2504.14370v1"
    assert arxiv_id_of("arxiv.org", "/list/cs.CL/recent") is None


def test_domains_are_all_there() -> None:
    assert {"com", "org", "science", "рф".encode("idna").decode()} <= top_level_domains()
    assert not {"", "invalid", "coma"} & top_level_domains()


def test_confidences_are_shares() -> None:
    assert set(confidences()) == {"scheme", "repaired", "www", "host_path", "bare_host", "doi", "arxiv_id"}
    assert all(0 < share <= 1 for share in confidences().values())


PIECES = st.sampled_from(
    [
        "http",
        "https",
        "://",
        ":",
        "/",
        ".",
        "www.",
        "com",
        "ada",
        "arXiv:2504.14370",
        "10.1000/",
        "(",
        ")",
        " ",
        "\n",
        "@",
        "github.com/",
        "-",
        "_",
        "?",
        "#",
        "{",
        "\\",
        "中",
        "é",
        "�",
        "\x00",
        "\u200b",
        "'s",
        ",",
        "”",
        "&lt;",
        "8080",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=24).map("".join) | st.text(max_size=60))
def test_any_text(text: str) -> None:
    found = find_urls(text)
    assert found == find_urls(text)
    spans = sorted(span for url in found for span in url.spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert [url.spans[0] for url in found] == sorted(url.spans[0] for url in found)
    assert len({url.url for url in found}) == len(found)
    for url in found:
        assert VALID.fullmatch(url.url)
        assert url.url[-1] not in ".,;:!?'”"
        assert url.host == url.host.lower()
        url.url.encode()


@pytest.mark.parametrize(
    "piece",
    [
        "http://a.com/",
        "a.com ",
        "http://",
        "://",
        "www.",
        "a@",
        "arXiv: ",
        "10.1234/",
        "(",
        "https://github.com/ ",
        "-.",
        "中.com",
        "x",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        text = "http://a.com/" + piece * (length // len(piece))
        start = time.perf_counter()
        find_urls(text)
        return time.perf_counter() - start

    seconds(1_000)
    assert seconds(40_000) < 16 * max(seconds(10_000), 0.004)


def score(shared: pathlib.Path, name: str) -> dict[str, object]:
    sys.path.insert(0, str(shared / "cases" / "scorers"))
    try:
        import score_urls
    finally:
        sys.path.pop(0)
    rows = [json.loads(line) for line in (shared / "cases" / "urls" / name).read_text("utf-8").splitlines()]
    found = {
        row["id"]: {"urls": [{"text": row["text"][a:b]} for url in find_urls(row["text"]) for a, b in url.spans]}
        for row in rows
    }
    result: dict[str, object] = score_urls.score(rows, found)
    return result


@pytest.mark.parametrize(("name", "least"), [("abstracts.jsonl", 0.998), ("fixtures.jsonl", 0.95)])
def test_public_cases(shared: pathlib.Path, name: str, least: float) -> None:
    assert score(shared, name)["exact"]["f1"] >= least
