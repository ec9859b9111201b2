"""Shapes of structured files: tables in JSON, mappings by hand, binary tables, and what is broken in each of them."""

from __future__ import annotations

import io
import json
import pathlib
import zipfile
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.extract import ExtractOptions, InputFile, discover, inspect_file, read_file, render_inspection
from pipeline.extract.encoding import detect_encoding
from pipeline.model import QuarantineRow, RawRecord

ONE = "We propose an index for strings that halves the time of a query. It needs a third of the memory of a suffix array."
TWO = "Sparse graphs are hard to cut well. We show that spectral methods find cuts within a factor of two of the best."
PAIRS = [{"title": "A Fast Index", "abstract": ONE}, {"title": "Sparse Cuts", "abstract": TWO}]
ROWS = [["title", "abstract"], *(list(pair.values()) for pair in PAIRS)]


def read(path: pathlib.Path, data: bytes | str, options: ExtractOptions | None = None) -> tuple[list[RawRecord], list[QuarantineRow]]:
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    rows = list(read_file(InputFile(path.name, path, 0), options or ExtractOptions()))
    return [row for row in rows if isinstance(row, RawRecord)], [row for row in rows if isinstance(row, QuarantineRow)]


def workbook(sheets: Mapping[str, list[list[str]]]) -> bytes:
    """An OpenDocument spreadsheet."""
    names = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    tables = "".join(
        f'<table:table table:name="{name}">'
        + "".join(
            "<table:table-row>"
            + "".join(f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>' for cell in row)
            + "</table:table-row>"
            for row in rows
        )
        + "</table:table>"
        for name, rows in sheets.items()
    )
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    content = f'<office:document-content {names} office:version="1.2"><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr("content.xml", content)
    return out.getvalue()


def arrow_stream(table: pa.Table) -> bytes:
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


SHAPES: dict[str, bytes | str] = {
    "a list of lists": json.dumps(ROWS),
    "a list of lists within an object": json.dumps({"year": 2024, "papers": ROWS}),
    "columns in lists": json.dumps({"title": [p["title"] for p in PAIRS], "abstract": [p["abstract"] for p in PAIRS]}),
    "columns within an object": json.dumps({"data": {"title": [p["title"] for p in PAIRS], "abstract": [p["abstract"] for p in PAIRS]}}),
    "columns by key": json.dumps({"title": {"0": "A Fast Index", "1": "Sparse Cuts"}, "abstract": {"0": ONE, "1": TWO}}),
    "linked data": f'<html><h1>Papers</h1><script type="application/ld+json">{json.dumps([{"@type": "ScholarlyArticle", "name": p["title"], "abstract": p["abstract"]} for p in PAIRS])}</script></html>',
    "a workbook with other sheets": workbook({"Empty": [], "Counts": [["n"], ["1"]], "Papers": ROWS}),
    "an Arrow stream": arrow_stream(pa.Table.from_pylist(PAIRS)),
    "nested columns in Parquet": parquet(pa.Table.from_pylist([{"paper": pair} for pair in PAIRS])),
    "lists in a cell of Parquet": parquet(pa.table({"batch": [1], "papers": [PAIRS]})),
    "a header that comes again": "title,abstract\n" + "title,abstract\n".join(f'{p["title"]},"{p["abstract"]}"\n' for p in PAIRS),
    "Japanese by escapes": f'Title,Abstract\nA Fast Index,"{ONE}"\nSparse Cuts,"{TWO}"\n日本,短い\n',
}
SHAPES["Japanese by escapes"] = SHAPES["Japanese by escapes"].encode("iso2022_jp")  # type: ignore[union-attr]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_record_is_found(tmp_path: pathlib.Path, shape: str) -> None:
    records, _ = read(tmp_path / "papers", SHAPES[shape])
    assert [(record.title, record.raw_text) for record in records][:2] == [("A Fast Index", ONE), ("Sparse Cuts", TWO)]


ODD = [{"body": {"parts": ["x", pair["abstract"]]}, "headline.main": pair["title"]} for pair in PAIRS]
MAPPING = {"papers*": {"abstract": "body.parts.1", "title": "headline.main"}}
MAPPED: dict[str, tuple[str, Mapping[str, Mapping[str, str]]]] = {
    "JSON": (json.dumps(ODD), MAPPING),
    "JSON Lines": ("\n".join(map(json.dumps, ODD)), MAPPING),
    "YAML": ("\n".join(f"- headline.main: {pair['title']}\n  body:\n    parts: [x, '{pair['abstract']}']\n  abstract: none" for pair in PAIRS), MAPPING),
    "CSV": ("code,words\n" + "".join(f'{p["title"]},"{p["abstract"]}"\n' for p in PAIRS), {"*": {"abstract": "words", "title": "code"}}),
}


@pytest.mark.parametrize("format_", MAPPED)
def test_a_mapping_by_hand_is_followed(tmp_path: pathlib.Path, format_: str) -> None:
    data, mapping = MAPPED[format_]
    records, _ = read(tmp_path / "papers", data, ExtractOptions(mapping=mapping))
    assert [(record.title, record.raw_text) for record in records] == [("A Fast Index", ONE), ("Sparse Cuts", TWO)]


def test_a_mapping_by_hand_picks_the_table_of_a_toml_file(tmp_path: pathlib.Path) -> None:
    data = f'title = "x"\nabstract = "{TWO}"\n[paper]\nsummary = "{ONE}"\n'
    records, _ = read(tmp_path / "papers", data, ExtractOptions(mapping={"*": {"abstract": "paper.summary"}}))
    assert [record.raw_text for record in records] == [ONE]


def test_a_mapping_that_leads_nowhere_leaves_no_record(tmp_path: pathlib.Path) -> None:
    records, broken = read(tmp_path / "papers", json.dumps(ODD), ExtractOptions(mapping={"*": {"abstract": "body.parts.7"}}))
    assert not records
    assert broken


LONG = json.dumps(ONE * 100)
BROKEN: dict[str, tuple[bytes | str, str, ExtractOptions]] = {
    "a list that does not end": (json.dumps(PAIRS)[:-1], "broken_json", ExtractOptions()),
    "an object that does not end": ('{"year": 2024, "papers": ' + json.dumps(PAIRS), "broken_json", ExtractOptions()),
    "a value without a name": ('{"papers": ' + json.dumps(PAIRS) + ", 5: 6}", "broken_json", ExtractOptions()),
    "a text beyond the limit": (f'[{json.dumps(PAIRS[0])}, {{"abstract": {LONG}}}]', "record_too_large", ExtractOptions(max_record_bytes=4096)),
    "an entry of BibTeX beyond the limit": (f"@article{{a,\n title={{A}},\n abstract={{{ONE}}}\n}}\n@article{{b,\n abstract={{{ONE * 100}}}\n}}\n", "record_too_large", ExtractOptions(max_record_bytes=4096)),
    "an abstract of LaTeX that does not end": ("\\documentclass{article}\n\\begin{document}\n\\begin{abstract}\n" + ONE, "broken_latex", ExtractOptions()),
    "TOML": (f'[[paper]]\ntitle = "a"\nabstract = "{ONE}"\nyear = = 3\n', "broken_toml", ExtractOptions()),
    "a quote that does not close": ('title,abstract\nA,"' + ONE + "\n" + "".join(f"T{i},{TWO}\n" for i in range(60)), "broken_csv", ExtractOptions()),
    "BibTeX without a last brace": (f"@article{{a,\n title={{A}},\n abstract={{{ONE}}}\n}}\n@article{{b,\n abstract={{{TWO}", "broken_bibtex", ExtractOptions()),
    "a workbook without abstracts": (workbook({"Counts": [["n"], ["1"]]}), "", ExtractOptions()),
    "Parquet without abstracts": (parquet(pa.table({"n": [1, 2]})), "", ExtractOptions()),
    "Parquet without rows": (parquet(pa.Table.from_pylist(PAIRS).slice(0, 0)), "", ExtractOptions()),
    "YAML beyond its depth": ("- abstract: " + "[" * 150 + "]" * 150 + f"\n- abstract: {TWO}\n", "", ExtractOptions()),
    "JSON beyond its depth": ('{"abstract": ' + "[" * 150 + "]" * 150 + "}", "", ExtractOptions()),
    "XML beyond its limit": (f"<papers><paper><title>A</title><abstract>{ONE * 100}</abstract></paper></papers>", "", ExtractOptions(max_record_bytes=4096)),
    "a document beyond its limit": (f"---\ntitle: a\n---\n{ONE}", "", ExtractOptions(max_document_bytes=64)),
}


@pytest.mark.parametrize("shape", BROKEN)
def test_what_is_broken_is_told_with_what_to_do(tmp_path: pathlib.Path, shape: str) -> None:
    data, rule, options = BROKEN[shape]
    _, broken = read(tmp_path / "papers", data, options)
    assert broken
    assert all(": " in row.message and row.rule.startswith(rule) for row in broken), broken


def test_a_broken_end_costs_no_record_before_it(tmp_path: pathlib.Path) -> None:
    for shape in ("a list that does not end", "an object that does not end", "a value without a name"):
        records, _ = read(tmp_path / "papers", BROKEN[shape][0])
        assert [record.raw_text for record in records] == [ONE, TWO], shape


def test_a_post_with_labels_in_its_body(tmp_path: pathlib.Path) -> None:
    data = f"---\nyear: 2024\ncategories: [x]\n---\n\n## A Fast Index\n\n**Abstract:** {ONE}\n\n## Sparse Cuts\n\n**Abstract:** {TWO}\n"
    records, _ = read(tmp_path / "post.md", data)
    assert [(record.title, record.raw_text, record.year) for record in records] == [("A Fast Index", ONE, 2024), ("Sparse Cuts", TWO, 2024)]
    assert [data.encode()[record.byte_start : record.byte_end].decode() for record in records] == [ONE, TWO]


@pytest.mark.parametrize(
    ("data", "codec"),
    [
        (ONE.encode("utf-32-be"), "utf-32-be"),
        (ONE.encode("utf-32-le"), "utf-32-le"),
        ("短い要旨".encode("iso2022_jp"), "iso2022_jp"),
        (f"<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\xe9 {ONE}</a>".encode("latin-1"), "cp1252"),
        (f"<?xml version='1.0' encoding='koi8-r'?><a>Мы предлагаем {ONE}</a>".encode("koi8-r"), "koi8-r"),
    ],
)
def test_encodings_without_a_mark(data: bytes, codec: str) -> None:
    assert detect_encoding(data, complete=True).codec.replace("_", "-") == codec.replace("_", "-")


def test_inspection_of_many_members_and_of_what_cannot_be_read(tmp_path: pathlib.Path) -> None:
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(40):
            archive.writestr(f"{number}.json", json.dumps({"title": f"T{number}", "abstract": ONE}))
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere.txt")
    told = "\n".join(render_inspection(inspect_file(file, ExtractOptions())) for file in discover([tmp_path]))
    assert "more members" in told
    assert "gone.txt" in told
    missing = InputFile("a.txt", tmp_path / "a.txt", 0)
    assert inspect_file(missing, ExtractOptions()).problems


def test_a_zip_with_too_many_members_is_told(tmp_path: pathlib.Path) -> None:
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(8):
            archive.writestr(f"{number}.json", json.dumps({"title": f"T{number}", "abstract": ONE}))
    records, broken = read(tmp_path / "copy.zip", (tmp_path / "many.zip").read_bytes(), ExtractOptions(max_members=5))
    assert len(records) == 5
    assert any("members" in row.message for row in broken)
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        archive.writestr("a.json", json.dumps(PAIRS[0]))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.json", json.dumps(PAIRS[1]))
    records, _ = read(tmp_path / "copy.zip", (tmp_path / "twice.zip").read_bytes())
    assert sorted(record.raw_text for record in records) == sorted([ONE, TWO])
    assert len({record.source_file for record in records}) == 2
