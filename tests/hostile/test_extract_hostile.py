"""Hostile files: cut off, bombs, deep nesting, giant lines, noise. Every one ends in rows, none in an exception."""

from __future__ import annotations

import gzip
import io
import json
import os
import pathlib
import random
import tarfile
import tracemalloc
import zipfile

import pytest

from pipeline.extract import ExtractOptions, InputFile, discover, inspect_file, read_file
from pipeline.extract.markup import Tree, without_tags
from pipeline.extract.options import MIB
from pipeline.jobs import ExtractJob
from pipeline.model import FileSummary, QuarantineRow, RawRecord
from pipeline.steps import extract_unit

TEXT = "We measured how long a reader takes to say no to a hostile file, and found that it takes little time in all cases that we tried. "
LINES = [json.dumps({"title": f"Title {i}", "abstract": TEXT + str(i)}) for i in range(200)]


def read(
    path: pathlib.Path, options: ExtractOptions | None = None
) -> tuple[list[RawRecord], list[QuarantineRow], FileSummary]:
    """The rows of a file by kind; its ordinals are checked on the way."""
    *rows, summary = read_file(InputFile(path.name, path, 0), options or ExtractOptions())
    assert isinstance(summary, FileSummary)
    records = [row for row in rows if isinstance(row, RawRecord)]
    quarantined = [row for row in rows if isinstance(row, QuarantineRow)]
    assert len(records) + sum(row.ordinal is not None for row in quarantined) == summary.records
    assert all(row.message and "Traceback" not in row.message for row in quarantined)
    return records, quarantined, summary


def write(folder: pathlib.Path, name: str, data: bytes | str) -> pathlib.Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_cut_off(tmp_path: pathlib.Path, kind: str) -> None:
    import bz2
    import lzma

    noise = random.Random(1)
    lines = [
        json.dumps({"abstract": TEXT + "".join(noise.choices("abcdefgh ", k=400)), "title": str(i)})
        for i in range(4000)
    ]
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[kind]
    data = pack("\n".join(lines).encode())
    records, quarantined, _ = read(write(tmp_path, "x.jsonl." + kind, data[: len(data) * 2 // 3]))
    assert len(records) > 500
    assert "damaged" in {row.rule for row in quarantined}


def test_bombs(tmp_path: pathlib.Path) -> None:
    zeros = gzip.compress(b"a" * (64 * MIB))
    options = ExtractOptions(max_ratio=200)
    assert {row.rule for row in read(write(tmp_path, "bomb.gz", zeros), options)[1]} == {"unpacks_too_large"}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.txt", b"a" * (64 * MIB))
        archive.writestr("good.jsonl", "\n".join(LINES))
    records, quarantined, _ = read(write(tmp_path, "bomb.zip", packed.getvalue()), options)
    assert len(records) == 200
    assert "unpacks_too_large" in {row.rule for row in quarantined}


def test_archives_within_archives(tmp_path: pathlib.Path) -> None:
    data = "\n".join(LINES).encode()
    for depth in range(8):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(f"level{depth}", data)
        data = packed.getvalue()
    assert {row.rule for row in read(write(tmp_path, "deep.zip", data))[1]} == {"nested_too_deep"}


def test_archive_paths_stay_inside(tmp_path: pathlib.Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        info = tarfile.TarInfo("../../etc/x.jsonl")
        info.size = len(LINES[0])
        archive.addfile(info, io.BytesIO(LINES[0].encode()))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    records, _, _ = read(write(tmp_path, "x.tar", packed.getvalue()))
    assert [record.source_file for record in records] == ["x.tar!../../etc/x.jsonl"]
    assert sorted(os.listdir(tmp_path)) == ["x.tar"]


def test_encrypted_and_damaged_zip(tmp_path: pathlib.Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x.jsonl", LINES[0])
    data = bytearray(packed.getvalue())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert {row.rule for row in read(write(tmp_path, "locked.zip", bytes(data)))[1]} == {"encrypted"}
    assert {row.rule for row in read(write(tmp_path, "cut.zip", packed.getvalue()[:60]))[1]} == {"damaged"}


@pytest.mark.parametrize("depth", [200, 100_000])
def test_deep_nesting(tmp_path: pathlib.Path, depth: int) -> None:
    nested = '{"a":' * depth + "1" + "}" * depth
    for name, data in {
        "x.json": nested,
        "x.jsonl": f"{LINES[0]}\n{nested}\n{LINES[1]}\n",
        "list.json": "[" * depth + "]" * depth,
        "x.yaml": "abstract: x\nb: " + "[" * min(depth, 3000) + "]" * min(depth, 3000) + "\n",
        "x.xml": "<?xml version='1.0'?><r>" + "<abstract>" * depth + "</abstract>" * depth + "</r>",
        "x.html": "<html><body>" + "<div>" * depth + TEXT,
        "x.bib": "@article{k, abstract = " + "{" * depth + "x" + "}" * depth + "}",
        "x.py.jsonl": "{'a': " * depth + "1" + "}" * depth + "\n",
    }.items():
        read(write(tmp_path, name, data))
    assert len(read(tmp_path / "x.jsonl")[0]) == 2


def test_one_long_line(tmp_path: pathlib.Path) -> None:
    long = json.dumps({"abstract": "word " * (10 * MIB)})
    records, quarantined, summary = read(write(tmp_path, "x.jsonl", f"{LINES[0]}\n{long}\n{LINES[1]}\n"))
    assert len(records) == 2
    assert [(row.rule, row.ordinal) for row in quarantined] == [("record_too_large", 2)]
    assert summary.records == 3
    write(tmp_path, "x.txt", "word " * (10 * MIB))
    write(tmp_path, "x.csv", "title,abstract\nx," + "word " * (10 * MIB))
    write(tmp_path, "x.xml", "<?xml version='1.0'?><r><title>x</title><abstract>" + "word " * (10 * MIB))
    for name in ("x.txt", "x.csv", "x.xml"):
        records, quarantined, _ = read(tmp_path / name)
        assert not records
        assert quarantined


def test_entity_bomb(tmp_path: pathlib.Path) -> None:
    entities = '<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    data = f'<?xml version="1.0"?><!DOCTYPE r [{entities}<!ENTITY f SYSTEM "file:///etc/passwd">]><r><paper><title>x</title><abstract>{TEXT} &i; &f;</abstract></paper></r>'
    records, _, _ = read(write(tmp_path, "x.xml", data))
    assert [record.raw_text for record in records] == [f"{TEXT} &i; &f;"]
    aliases = (
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(
            f"{b}: &{b} [{','.join(f'*{a}' for _ in range(9))}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        )
        + "abstract: *i\n"
    )
    assert {row.rule for row in read(write(tmp_path, "x.yaml", aliases))[1]} <= {"unpacks_too_large", "no_abstracts"}


@pytest.mark.parametrize("seed", range(6))
def test_noise(tmp_path: pathlib.Path, seed: int) -> None:
    noise = random.Random(seed)
    data = noise.randbytes(20_000)
    for name, start in {
        "a": b"",
        "b.json": b'[{"abstract": "',
        "c.xml": b"<?xml version='1.0'?><a><abstract>",
        "d.xlsx": b"PK\x03\x04xl/workbook",
        "e.parquet": b"PAR1",
        "f.bib": b"@article{a, abstract={",
        "g.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1W\x00o\x00r\x00k\x00b\x00o\x00o\x00k\x00",
    }.items():
        records, quarantined, _ = read(write(tmp_path, name, start + data))
        assert not records
        assert quarantined


@pytest.mark.parametrize("seed", range(4))
def test_mutated_cases(tmp_path: pathlib.Path, seed: int) -> None:
    """Files of every format with bytes flipped, dropped and doubled."""
    noise = random.Random(seed)
    cases = pathlib.Path(__file__).resolve().parent.parent / "cases" / "raw"
    for path in sorted(cases.iterdir()):
        data = bytearray(path.read_bytes())
        for _ in range(8):
            place = noise.randrange(len(data))
            data[place : place + noise.choice([0, 1, 40])] = noise.choice(
                [b"", b"\x00", b"\xff", b"{", b'"', b"<", b"\n\n", b"\r"]
            )
        read(write(tmp_path, path.name, bytes(data)))
        inspect_file(InputFile(path.name, tmp_path / path.name, 0), ExtractOptions())


def test_empty_and_odd_files(tmp_path: pathlib.Path) -> None:
    assert [row.rule for row in read(write(tmp_path, "empty.txt", b""))[1]] == ["empty_file"]
    assert [row.rule for row in read(write(tmp_path, "blank.txt", b" \n\n"))[1]] == ["empty_file"]
    assert [row.rule for row in read(write(tmp_path, "nul.txt", b"\x00" * 5000))[1]] == ["unknown_format"]
    assert "PDF" in read(write(tmp_path, "x.pdf", b"%PDF-1.7\n" + b"\x00\xff" * 100))[1][0].message
    (tmp_path / "folder.txt").mkdir()
    assert [row.rule for row in read(tmp_path / "folder.txt")[1]] == ["unreadable"]
    assert [row.rule for row in read(tmp_path / "gone.txt")[1]] == ["unreadable"]
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert "dangling" in [file.path for file in discover([tmp_path])]


def test_an_archive_without_files_is_told(tmp_path: pathlib.Path) -> None:
    for name in ("a.zip", "a.tar"):
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w") if name == "a.zip" else tarfile.open(fileobj=held, mode="w"):
            pass
        assert [row.rule for row in read(write(tmp_path, name, held.getvalue()))[1]] in (["empty_file"], ["unknown_format"])
    lone = b"PK\x03\x04" + b"\x14" * 60 + b"PK\x05\x06" + b"\x00" * 18
    assert [row.rule for row in read(write(tmp_path, "b.zip", lone))[1]] == ["empty_file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path, "x.txt", TEXT)
    path.chmod(0)
    assert [row.rule for row in read(path)[1]] == ["unreadable"]


def test_memory_does_not_grow_with_the_file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the lines of JSON Lines and of one JSON array need no more memory."""
    monkeypatch.setattr("pipeline.extract.content.HEAD_BYTES", 64 * 1024)
    monkeypatch.setattr("pipeline.extract.content.CHUNK_BYTES", 64 * 1024)
    big = [json.dumps({"title": f"Title {i}", "abstract": TEXT * 8 + str(i)}) for i in range(100)]
    for name, start, mark, end in (("x.jsonl", "", "\n", ""), ("x.json", "[", ",", "]")):
        peaks = []
        for times in (20, 60):
            path = write(tmp_path, name, start + mark.join(big * times) + end)
            tracemalloc.start()
            count = sum(isinstance(row, RawRecord) for row in read_file(InputFile(name, path, 0), ExtractOptions()))
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert count == 100 * times
        assert peaks[1] < 1.2 * peaks[0] < 8 * MIB


def test_macros_of_macros_stay_small(tmp_path: pathlib.Path) -> None:
    strings = "".join(f"@string{{a{k} = a{k - 1} # a{k - 1}}}\n" for k in range(1, 60))
    bib = f'@string{{a0 = "word "}}\n{strings}@article{{x, title = a59, abstract = {{{TEXT}}}}}\n'
    [record], _, _ = read(write(tmp_path, "a.bib", bib))
    assert record.raw_text.strip() == TEXT.strip()
    assert len(record.title or "") < 30_000


def test_a_parquet_bomb_by_dictionary_is_told(tmp_path: pathlib.Path) -> None:
    """One long value shared by all rows: a few kilobytes on disk, gigabytes as Python strings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), pa.array([TEXT * 500]))
    pq.write_table(pa.table({"abstract": column}), tmp_path / "a.parquet", compression="zstd")
    assert "unpacks_too_large" in {row.rule for row in read(tmp_path / "a.parquet", ExtractOptions(max_ratio=50))[1]}
    assert len(read(tmp_path / "a.parquet", ExtractOptions(max_ratio=10**6))[0]) == 2000


def test_sections_without_end_are_text() -> None:
    raw = "one <!-- two --> <b>three</b> <![CDATA[four]]> <!-- five"
    assert without_tags(raw) == "one  three <![CDATA[four]]> <!-- five"
    tree = Tree(f"<t>{raw}</t>")
    assert tree.plain(tree.root.first("t")) == "one three four <!-- five"


def test_shards_are_full_by_characters_too(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.steps.SHARD_CHARACTERS", 10 * len(TEXT))
    path = write(tmp_path, "x.jsonl", "\n".join(LINES))
    result = extract_unit(ExtractJob((InputFile(path.name, path, 0),), tmp_path / "out", ExtractOptions(), 4096))
    assert sum(shard.rows for shard in result.shards) == len(LINES)
    assert max(shard.rows for shard in result.shards) == 10


def test_feather_without_checks_is_not_read(tmp_path: pathlib.Path) -> None:
    _, [row], _ = read(write(tmp_path, "a.feather", b"FEA1" + b"\0" * 200 + b"FEA1"))
    assert row.rule == "unsupported"


def test_arrow_with_values_out_of_bounds_is_damaged(tmp_path: pathlib.Path) -> None:
    import pyarrow as pa

    offsets = pa.py_buffer(np_int32([0, 200, 100]))
    column = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"x" * 300))
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as sink, pa.ipc.new_file(sink, pa.schema([("abstract", pa.string())])) as out:
        out.write_batch(pa.record_batch([column], names=["abstract"]))
    records, quarantined, _ = read(tmp_path / "a.arrow")
    assert not records
    assert {row.rule for row in quarantined} == {"unreadable_content"}


def np_int32(numbers: list[int]) -> bytes:
    return b"".join(number.to_bytes(4, "little") for number in numbers)
