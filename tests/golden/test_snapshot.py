"""What every text of the cases and the seeds becomes today, to the last offset: a change of any kind shows as a difference.

`pytest tests/golden/test_snapshot.py --renew` writes what is found now; look at the differences before they are committed.
"""

from __future__ import annotations

import json
import pathlib
import random
import re
import zlib
from collections.abc import Iterator
from dataclasses import asdict, astuple

import pytest

from pipeline.clean import clean_text
from pipeline.dedupe.evidence import evidence_of
from pipeline.dedupe.judge import judge
from pipeline.dedupe.likeness import word_texts
from pipeline.dedupe.records import dedupe_records
from pipeline.enrich import enrich_text
from pipeline.extract import ExtractOptions, InputFile, discover, read_file
from pipeline.extract.encoding import detect_encoding
from pipeline.extract.identifiers import find_year, normalise_doi, split_arxiv
from pipeline.extract.people import split_keywords, split_people
from pipeline.extract.placeholders import is_truncated, placeholder_rule
from pipeline.model import FileSummary, Metric, Name, QuarantineRow, RawRecord, Url

HERE = pathlib.Path(__file__).resolve().parent
CASES, SEEDS = HERE.parent / "cases", HERE.parent.parent / "seeds"
FIELDS = ("people", "placeholders")
NAMES = ("acronyms", "clean", "names", "results", "results_measures", "results_quantities", "urls")


def abstracts(folder: pathlib.Path) -> list[str]:
    rows = [row for file in discover([folder]) for row in read_file(file, ExtractOptions())]
    return [row.raw_text for row in rows if isinstance(row, RawRecord)]


def seeds() -> list[str]:
    return abstracts(SEEDS)


def texts() -> Iterator[str]:
    """The inputs of the cases, one by one and many in one text, the seeds as they are and marked up anew, what is read
    from the raw cases, and sentences of the seeds mixed."""
    for name in NAMES:
        inputs = [str(json.loads(line)["in"]) for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()]
        yield from inputs
        yield from (" ".join(inputs[place : place + 6]) for place in range(0, len(inputs), 6))
    for number, text in enumerate(seeds()):
        yield text
        yield text.replace("-", "--").replace("%", "\\%").replace("(", "\\emph{(", 1).replace(")", ")}", 1)
        yield f"Abstract: {text[: len(text) // (1 + number % 4)]}\n\n{text.upper() if number % 5 == 0 else text.title()}"
    yield from dict.fromkeys(abstracts(CASES / "raw"))
    rng = random.Random(3)
    sentences = [sentence for text in seeds() for sentence in re.split(r"(?<=[.!?]) ", text)]
    for _ in range(150):
        yield " ".join(rng.sample(sentences, 6))


def row_of(text: str) -> list[object]:
    """All that cleaning and enriching make of a text; the text and its offsets as checksums."""
    done = clean_text(text)
    found = enrich_text(done.text)
    spans = zlib.crc32(repr(done.map.segments).encode())
    return [text[:40], zlib.crc32(done.text.encode("utf-8", "surrogatepass")), list(done.flags), spans, *(list(map(shown, items)) for items in (found.methods, found.datasets, found.metrics, found.urls))]


PIECES = [
    "\\", "{", "}", "$", "$$", "%", "*", "**", "_", "^", "`", "``", "\'\'", "~", "--", "[", "]", "](", "(", ")", "<b>", "</b>", "<i>", "&amp;", "&lt;", "&#955;", "\\emph{", "\\frac{1}{2}", "\\alpha", "\\'e",
    "\\(", "\\)", "\\[", "\\]", "\\begin{itemize}", "\\item ", "\\end{itemize}", "\\cite{a}", "\\ref{b}", "\\%", "\\_", "\\textbf{", "\\newcommand{\\x}{y}", "\\x ", "\\href{https://a.org}{b}", "https://a.org/b_c",
    "github.com/a/b", "doi:10.1000/a(1)", "arXiv:2401.00001v2", "a@b.org", "\n", "\n\n", " ", "- ", "1. ", "# ", "> ", "| ", "3.5%", "from 63% to 87%", "2.1x", "2--3", "±0.2", "1,000", "up to ", "nearly ", "more than ",
    " accuracy", " F1", " ms", " points", "fold", " BLEU", " (ABC)", " (Fast Index)", "ABC ", "FooNet ", "ImageNet ", "two thirds", "an order of magnitude", "p < 0.05", "95% CI 1-2", "O(n log n)", "k=5", "\u200b", "\ufb01", "â€™", "é", "ﬁ", "→", "×",
]  # fmt: skip


def fuzzed(count: int) -> Iterator[str]:
    """Cases and sentences with a few edits each, the same every time."""
    rng = random.Random(11)
    kinds = [[str(json.loads(line)["in"]) for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()] for name in (*NAMES, *FIELDS)]
    kinds.append([sentence for text in seeds() for sentence in re.split(r"(?<=[.!?]) ", text)])
    for _ in range(count):
        text = rng.choice(rng.choice(kinds))
        for _ in range(rng.randint(1, 4)):
            a, b = sorted(rng.randrange(len(text) + 1) for _ in range(2))
            cut = text[a : min(b, a + 12)]
            text = rng.choice([
                text[:a] + rng.choice(PIECES) + text[a:], text[:a] + rng.choice(PIECES) + text[a:], text[:a] + text[a + len(cut) :],
                text[:a] + cut + text[a:], text[:a] + rng.choice(PIECES) + text[a:b] + rng.choice(PIECES) + text[b:], f"{text} {rng.choice(rng.choice(kinds))}"[:2000],
            ])  # fmt: skip
        yield text


def fields_of(text: str) -> list[object]:
    """What a text is as a field of a source."""
    data = text.encode("utf-8", "surrogatepass")
    return [split_people(text), split_keywords(text), normalise_doi(text), split_arxiv(text), find_year(text), placeholder_rule(text), is_truncated(text), detect_encoding(data[len(data) // 3 :], complete=True)]


def shown(item: Name | Metric | Url) -> list[object]:
    return [round(part, 6) if isinstance(part, float) else part for part in astuple(item)]


def edited(text: str, rng: random.Random) -> str:
    """A copy as copies are: words dropped, added or changed, numbers changed, the beginning or the end cut."""
    words = text.split()
    for _ in range(rng.choice([0, 1, 2, 5, 15])):
        place = rng.randrange(len(words))
        words[place : place + 1] = rng.choice([[], [words[place], words[place]], [rng.choice(words)], [words[place].upper()]])
    copy = " ".join(words[: rng.choice([len(words), len(words), len(words) - 8, len(words) // 2])])
    if rng.random() < 0.3:
        copy = "".join(str((int(c) + 1) % 10) if c.isdigit() else c for c in copy)
    return rng.choice(["", "", "Abstract: ", "In this paper, "]) + copy + rng.choice(["", "", " Code is available.", " © 2024 The Authors. All rights reserved."])


def groups() -> Iterator[list[object]]:
    """What becomes of each seed and of 24 copies of it."""
    rng = random.Random(7)
    records = [{"id": f"{number}-{copy}", "text": edited(text, rng) if copy else text} for number, text in enumerate(seeds()) for copy in range(25)]
    for answer in dedupe_records(records):
        yield [answer[name] if name != "similarity" or answer[name] is None else round(float(str(answer[name])), 6) for name in sorted(answer)]


def damaged(data: bytes) -> Iterator[tuple[str, bytes]]:
    """A file as it is and as it may come: cut, with a hole, with other line ends, in another encoding, twice in one."""
    third = len(data) // 3
    yield "whole", data
    yield "cut", data[: 2 * third]
    yield "hole", data[:third] + data[third + min(third, 300) :]
    yield "crlf", data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    yield "twice", data + b"\n\n" + data
    yield "utf-16", data.decode("utf-8", "replace").encode("utf-16")


def files(folder: pathlib.Path) -> Iterator[list[object]]:
    """What is read from each raw case, as it is and damaged."""
    for path in sorted((CASES / "raw").iterdir()):
        for kind, data in damaged(path.read_bytes()):
            (folder / path.name).write_bytes(data)
            yield [path.name, kind, *map(read, read_file(InputFile(path.name, folder / path.name, len(data)), ExtractOptions()))]


def read(row: RawRecord | QuarantineRow | FileSummary) -> list[object]:
    """A row without its text, for which its length and a checksum stand."""
    told = asdict(row)
    text = told.pop("raw_text", None) or ""
    return [type(row).__name__, len(text), zlib.crc32(text.encode("utf-8", "surrogatepass")), *(value for key, value in told.items() if key not in {"source_file", "path", "sha256", "message"})]


def pairs() -> Iterator[list[object]]:
    """What is made of pairs: a seed and an edited copy, or two copies of different seeds, with all sorts of metadata."""
    rng = random.Random(5)
    base = seeds()
    titles = ["", "Fast Index Structures for Strings", "Fast Index Structures for String", "Fast Index Structures for Strings: Part II", "Sparse Cuts of Graphs", "Erratum to Fast Index Structures for Strings"]
    for number in range(1500):
        text = base[number % len(base)]
        other = edited(text if rng.random() < 0.9 else rng.choice(base), rng)
        if rng.random() < 0.3:
            other = other.replace(" we ", " We ").replace("training", "Training").replace("model", "network", rng.randint(0, 3))
        records = [{"title": rng.choice(titles), "authors": rng.choice([[], ["Ada Berg"], ["A. Berg", "Luis Ortega"], ["Ken Ito"]]), "year": rng.choice([None, 2020, 2021, 2024])} for _ in range(2)]
        left, right = (evidence_of(record) for record in records)
        found = judge(*word_texts([text, other]), left, right)
        yield [number, round(found.similarity, 6), found.verdict, found.reason]


def compare(name: str, rows: list[list[object]], renew: bool) -> None:
    path = HERE / f"{name}.jsonl"
    lines = [json.dumps(row) for row in rows]
    if renew:
        path.write_text("\n".join(lines) + "\n", "utf-8")
    kept = path.read_text("utf-8").splitlines()
    assert len(lines) == len(kept), "other cases or seeds: renew"
    changed = [f"{old}\n{new}" for old, new in zip(kept, lines, strict=True) if old != new]
    assert not changed, f"{len(changed)} rows are not what they were; the first:\n{changed[0]}"


def test_texts_become_what_they_became(request: pytest.FixtureRequest) -> None:
    compare("texts", [row_of(text) for text in texts()], request.config.getoption("--renew"))


def test_edited_texts_become_what_they_became(request: pytest.FixtureRequest) -> None:
    """Only checksums are kept: of 10,000 texts the first that changed is shown as it is now."""
    inputs = list(fuzzed(10_000))
    found = [[*row_of(text), fields_of(text)] for text in inputs]
    sums = [f"{zlib.crc32(repr(row).encode('utf-8', 'surrogatepass')):08x}" for row in found]
    path = HERE / "edited.txt"
    if request.config.getoption("--renew"):
        path.write_text("\n".join(" ".join(sums[place : place + 20]) for place in range(0, len(sums), 20)) + "\n", "utf-8")
    kept = path.read_text("utf-8").split()
    assert len(kept) == len(sums), "other cases or seeds: renew"
    changed = [(text, row) for text, row, old, new in zip(inputs, found, kept, sums, strict=True) if old != new]
    assert not changed, f"{len(changed)} texts are not what they were; the first:\n{changed[0][0]!r}\n{changed[0][1]}"


def test_files_are_read_as_they_were_read(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> None:
    compare("files", list(files(tmp_path)), request.config.getoption("--renew"))


def test_pairs_are_judged_as_they_were_judged(request: pytest.FixtureRequest) -> None:
    compare("pairs", list(pairs()), request.config.getoption("--renew"))


def test_copies_join_as_they_joined(request: pytest.FixtureRequest) -> None:
    compare("groups", list(groups()), request.config.getoption("--renew"))
