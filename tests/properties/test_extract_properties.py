"""Whatever is written in a format is read back: same texts, same order, same places."""

from __future__ import annotations

import csv
import io
import json
import pathlib
import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.extract import ExtractOptions, InputFile, read_file
from pipeline.extract.identifiers import find_year, normalise_doi, split_arxiv
from pipeline.extract.labels import label_of
from pipeline.extract.markup import Tree
from pipeline.extract.metadata import build_metadata, text_of
from pipeline.extract.people import split_keywords, split_people
from pipeline.extract.placeholders import is_truncated, placeholder_rule
from pipeline.model import FileSummary, QuarantineRow, RawRecord

WORDS = st.sampled_from(
    [
        "the",
        "model",
        "of",
        "routing",
        "learns",
        "tables",
        "that",
        "grow",
        "in",
        "memory",
        "and",
        "time",
        "with",
        "every",
        "prefix",
        "we",
        "add",
        "$x_i$",
        "38%",
        "“quoted”",
        "naïve",
        "δ",
        "5,000",
    ]
)
SENTENCES = st.lists(WORDS, min_size=25, max_size=60).map(lambda words: "We show " + " ".join(words) + ".")
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def read(data: bytes, name: str = "x") -> list[RawRecord | QuarantineRow | FileSummary]:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.write_bytes(data)
        return list(read_file(InputFile(name, path, len(data)), ExtractOptions()))


def texts(data: bytes) -> list[str]:
    return [row.raw_text for row in read(data) if isinstance(row, RawRecord)]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(SENTENCES, min_size=2, max_size=6),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_paragraphs_come_back(abstracts: list[str], end: str, encoding: str) -> None:
    data = (end + end).join(abstracts).encode(encoding)
    rows = [row for row in read(data) if isinstance(row, RawRecord)]
    assert [row.raw_text for row in rows] == abstracts
    for row in rows:
        assert data[row.byte_start : row.byte_end].decode(row.encoding) == row.raw_text


@settings(max_examples=40, deadline=None)
@given(st.lists(SENTENCES, min_size=2, max_size=6))
def test_json_and_csv_come_back(abstracts: list[str]) -> None:
    objects = [{"title": f"Title {i}", "abstract": text} for i, text in enumerate(abstracts)]
    assert texts(json.dumps(objects).encode()) == abstracts
    assert texts("\n".join(map(json.dumps, objects)).encode()) == abstracts
    assert texts("\n".join(map(repr, objects)).encode()) == abstracts
    table = io.StringIO()
    writer = csv.DictWriter(table, ["title", "abstract"], delimiter=";")
    writer.writeheader()
    writer.writerows(objects)
    assert texts(table.getvalue().encode()) == abstracts


@settings(max_examples=30, deadline=None)
@given(st.lists(SENTENCES, min_size=1, max_size=4))
def test_places_of_json_records(abstracts: list[str]) -> None:
    data = json.dumps(
        {"papers": [{"id": i, "title": "é", "abstract": text} for i, text in enumerate(abstracts)]},
        ensure_ascii=False,
        indent=1,
    ).encode()
    for row in read(data):
        if isinstance(row, RawRecord):
            assert json.loads(data[row.byte_start : row.byte_end])["abstract"] == row.raw_text


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=600))
def test_any_bytes(data: bytes) -> None:
    *_, summary = read(data)
    assert isinstance(summary, FileSummary)
    assert summary.bytes == len(data)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    placeholder_rule(text)
    is_truncated(text)
    normalise_doi(text)
    split_arxiv(text, is_arxiv_field=True)
    find_year(text)
    label_of(text)
    split_people(text)
    split_keywords(text)
    for is_html in (False, True):
        for node in Tree(text, is_html=is_html).root.walk():
            assert 0 <= node.start <= node.inner_start <= node.inner_end <= node.end <= len(text)


@settings(max_examples=150, deadline=None)
@given(ANYTHING)
def test_any_value(value: object) -> None:
    text_of(value)
    for name in (
        "title",
        "authors",
        "venue",
        "year",
        "doi",
        "arxiv_id",
        "arxiv_version",
        "source_url",
        "licence",
        "keywords",
        "source_id",
    ):
        build_metadata({name: [value]})


@settings(max_examples=60, deadline=None)
@given(ANYTHING)
def test_any_json(value: object) -> None:
    *_, summary = read(json.dumps(value).encode())
    assert isinstance(summary, FileSummary)
