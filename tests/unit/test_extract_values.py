"""Identifiers, people, years, placeholders, encodings and discovery."""

from __future__ import annotations

import json
import os
import pathlib

import pytest

from pipeline.errors import UsageError
from pipeline.extract import ExtractOptions, discover, read_file
from pipeline.extract.encoding import detect_encoding
from pipeline.extract.identifiers import find_year, normalise_doi, split_arxiv
from pipeline.extract.people import split_bibtex_people, split_keywords, split_people
from pipeline.extract.placeholders import is_truncated, placeholder_rule
from pipeline.extract.registry import all_readers
from pipeline.model import FileSummary

CASES = pathlib.Path(__file__).resolve().parent.parent / "cases"


@pytest.mark.parametrize(
    "case",
    [json.loads(line) for line in (CASES / "placeholders.jsonl").read_text("utf-8").splitlines()],
    ids=lambda case: str(case["in"])[:40],
)
def test_placeholders(case: dict[str, str | None]) -> None:
    assert placeholder_rule(str(case["in"])) == case["out"], case["why"]


@pytest.mark.parametrize(
    "case",
    [json.loads(line) for line in (CASES / "people.jsonl").read_text("utf-8").splitlines()],
    ids=lambda case: str(case["in"])[:40],
)
def test_people(case: dict[str, object]) -> None:
    assert list(split_people(case["in"])) == case["out"], case["why"]


@pytest.mark.parametrize(
    ("value", "doi"),
    [
        ("10.1103/PhysRevD.76.013009", "https://doi.org/10.1103/physrevd.76.013009"),
        ("doi: 10.5555/ABC.1.", "https://doi.org/10.5555/abc.1"),
        (
            "http://dx.doi.org/10.1002/(SICI)1097-4571(1999)50:1<3::AID>",
            "https://doi.org/10.1002/(sici)1097-4571(1999)50:1",
        ),
        ("10.1016/0004-3702(81)90024-2 [doi]", "https://doi.org/10.1016/0004-3702(81)90024-2"),
        ("S2215-0161(18)30045-1 [pii]", None),
    ],
)
def test_doi(value: str, doi: str | None) -> None:
    assert normalise_doi(value) == doi


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("2504.14370", ("2504.14370", None)),
        ("arXiv:2504.14370v3", ("2504.14370", 3)),
        ("https://arxiv.org/pdf/2510.26577v1.pdf", ("2510.26577", 1)),
        ("oai:arXiv.org:cs/0112017", ("cs/0112017", None)),
        ("http://arxiv.org/abs/math.GT/0309136", ("math.GT/0309136", None)),
        ("10.48550/arXiv.2101.00001", ("2101.00001", None)),
        ("1234.5678 euros", None),
        ("2599.00001", None),
        ("10.1234/2101.00001", None),
    ],
)
def test_arxiv(value: str, found: tuple[str, int | None] | None) -> None:
    assert split_arxiv(value) == found


@pytest.mark.parametrize(
    ("value", "year"),
    [
        ("2018 Mar 30", 2018),
        (20160512, 2016),
        ("4/3/2024", 2024),
        (1540035843524, 2018),
        (2019.0, 2019),
        ("n.d.", None),
        (True, None),
        ("12345", None),
    ],
)
def test_year(value: object, year: int | None) -> None:
    assert find_year(value) == year


def test_keywords() -> None:
    assert split_keywords("alpha; beta ;") == ("alpha", "beta")
    assert split_keywords("cs.AI cs.LG hep-th") == ("cs.AI", "cs.LG", "hep-th")
    assert split_keywords([{"display_name": "Biology"}, "x"]) == ("Biology", "x")
    assert split_keywords("machine learning") == ("machine learning",)


def test_bibtex_people() -> None:
    assert split_bibtex_people("Berg, Ada and {Barnes and Noble} and\n Ito, Ken") == (
        "Berg, Ada",
        "{Barnes and Noble}",
        "Ito, Ken",
    )


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("and so …", True),
        ("(ABSTRACT TRUNCATED AT 250 WORDS)", True),
        ("more ... Read more", True),
        ("It is so.", False),
        ("from a ... b to c.", False),
    ],
)
def test_truncated(text: str, cut: bool) -> None:
    assert is_truncated(text) is cut


@pytest.mark.parametrize(
    "encoding",
    [
        "utf-8",
        "utf-16-le",
        "utf-16-be",
        "utf-32-le",
        "cp1252",
        "gb18030",
        "shift_jis",
        "euc_jp",
        "euc_kr",
        "big5",
        "cp1251",
    ],
)
def test_encodings(encoding: str) -> None:
    texts = {
        "gb18030": "本文提出一种用于长文档检索的方法，实验表明该方法在三个数据集上是有效的。",
        "big5": "本文提出一種用於長文檔檢索的方法，實驗表明該方法在三個資料集上是有效的。",
        "shift_jis": "本研究では、長い文書の検索のための索引を提案する。実験を行い、有効であることを確認した。",
        "euc_jp": "本研究では、長い文書の検索のための索引を提案する。実験を行い、有効であることを確認した。",
        "euc_kr": "본 연구에서는 긴 문서를 검색하기 위한 색인을 제안한다. 실험을 통해 유효함을 확인하였다.",
        "cp1251": "В работе предложен метод поиска по длинным документам, и показано, что он эффективен на трех наборах данных.",
    }
    text = texts.get(encoding, "The naïve façade of the “method” costs 5 € more than the résumé says. ") * 5
    assert detect_encoding(text.encode(encoding), complete=True).name == encoding


def test_discover_is_stable(tmp_path: pathlib.Path) -> None:
    for name in ("b/x.txt", "a/x.txt", ".hidden/x.txt", "a/.DS_Store", "a/~$lock.xlsx", "a/deep/y.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text", "utf-8")
    os.symlink(tmp_path, tmp_path / "a" / "loop")
    assert [file.path for file in discover([tmp_path])] == ["a/deep/y.txt", "a/x.txt", "b/x.txt"]
    (tmp_path / "a" / "loop").unlink()
    assert [file.path for file in discover([tmp_path / "a", tmp_path / "b"])] == ["b/x.txt", "deep/y.txt", "x.txt"]
    assert [file.path for file in discover([tmp_path / "a" / "x.txt", tmp_path / "a" / "x.txt"])] == ["x.txt"]


def test_missing_input(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.txt"):
        discover([tmp_path / "nowhere.txt"])


def test_same_bytes_same_rows(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(
        "One abstract that is long enough to be one, since it says what was done and what came of it.\n", "utf-8"
    )
    first, second = (list(read_file(discover([path])[0], ExtractOptions())) for _ in range(2))
    assert first == second
    assert isinstance(first[-1], FileSummary)
    assert first[-1].bytes == path.stat().st_size


def test_every_reader_is_documented(root: pathlib.Path) -> None:
    page = (root / "docs" / "formats.md").read_text("utf-8")
    assert not [reader.name for reader in all_readers() if f"`{reader.name}`" not in page]
