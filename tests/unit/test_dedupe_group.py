"""Grouping of shards on disk: decisions, fills, variants, and that nothing depends on how records are spread."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.dedupe.group import DECISIONS, VARIANTS, DedupeOptions, Groups, Shard, group_shards
from pipeline.dedupe.keys import abstract_id, normalised_key
from pipeline.dedupe.metadata import METADATA
from pipeline.dedupe.signatures import sign_table

WORDS = ["stone", "river", "network", "patient", "method", "graph", "light", "model", "water", "protein", "theory", "signal", "market", "forest", "learning", "cell"]
RAW = pa.schema(
    [
        pa.field("source_file", pa.string()), pa.field("ordinal", pa.int64()), pa.field("raw_text", pa.string()),
        pa.field("source_id", pa.string()), pa.field("format", pa.string()), pa.field("flags", pa.list_(pa.string())), *METADATA,
    ]
)  # fmt: skip


def write(folder: Path, records: list[dict[str, Any]], parts: int) -> list[Shard]:
    """The records spread over `parts` shards; `raw_text` is also the clean text, `usable` defaults to true."""
    shards = []
    for part in range(parts):
        rows = records[part::parts]
        home = folder / f"shard-{part}"
        home.mkdir(parents=True)
        full = [{"flags": [], "authors": [], "keywords": [], "format": "json", **row} for row in rows]
        clean = {
            "text": pa.array([row["raw_text"] for row in rows], pa.string()),
            "flags": pa.array([row.get("clean_flags", []) for row in rows], pa.list_(pa.string())),
            "usable": pa.array([row.get("usable", True) for row in rows], pa.bool_()),
        }
        shard = Shard(f"s{part:03d}", home / "raw.parquet", home / "clean.parquet", home / "signatures.parquet")
        pq.write_table(pa.Table.from_pylist(full, schema=RAW), shard.raw, row_group_size=7)
        pq.write_table(pa.table(clean), shard.clean, row_group_size=5)
        pq.write_table(sign_table(clean["text"]), shard.signatures, row_group_size=6)
        shards.append(shard)
    return shards


def read(shards: list[Shard], groups: Groups) -> tuple[list[Any], list[Any], list[Any]]:
    """Decisions by record in order of place, fills, variants."""
    rows = []
    for shard, path in zip(shards, groups.decisions, strict=True):
        places = pq.read_table(shard.raw, columns=["source_file", "ordinal"]).to_pylist()
        decisions = pq.read_table(path)
        assert decisions.schema == DECISIONS
        rows += [(place["source_file"], place["ordinal"], *d.values()) for place, d in zip(places, decisions.to_pylist(), strict=True)]
    return sorted(rows), pq.read_table(groups.fills).to_pylist(), pq.read_table(groups.variants).to_pylist()


def run(folder: Path, records: list[dict[str, Any]], parts: int = 1, memory_mb: int = 64) -> tuple[list[Any], list[Any], list[Any]]:
    shards = write(folder, records, parts)
    return read(shards, group_shards(shards, folder / "work", DedupeOptions(memory_mb=memory_mb)))


def record(number: int, text: str, file: str = "a.json", **more: object) -> dict[str, Any]:
    return {"source_file": file, "ordinal": number, "raw_text": text, **more}


def make_text(seed: int, words: int = 60) -> str:
    random_ = random.Random(seed)
    return " ".join(f"{random_.choice(WORDS)}{random_.randrange(300)}x" for _ in range(words)) + "."


def corpus(count: int) -> list[dict[str, Any]]:
    """Records of which some repeat others: exactly, in capitals, with edits, with other numbers, under one DOI."""
    random_ = random.Random(5)
    records = []
    for number in range(count):
        text = make_text(number % (count // 2)) + f" We find {number % (count // 2)} of them."
        way = number % 7
        if way == 1:
            text = text.upper()
        elif way == 2:
            words = text.split()
            words[random_.randrange(len(words))] = "other"
            words[random_.randrange(len(words))] = "thing"
            text = " ".join(words)
        elif way == 3:
            text = text.replace("find ", "find 9")
        more = {"doi": f"https://doi.org/10.1/{number % 9}"} if number % 11 == 0 else {}
        records.append(record(number + 1, text, f"{number % 3}.json", title=f"Title {number}" if number % 2 else None, **more))
    return records


def test_every_row_of_a_shard_gets_its_decision(tmp_path: Path) -> None:
    text = make_text(1)
    rows, fills, variants = run(
        tmp_path, [record(1, text), record(2, text), record(3, "", usable=False), record(4, text.upper()), record(5, text + " more")]
    )
    name = abstract_id(normalised_key(text + " more"))
    assert [row[2:] for row in rows] == [
        (name, "near", pytest.approx(0.99, abs=0.01)), (name, "near", pytest.approx(0.99, abs=0.01)), (None, None, None),
        (name, "near", pytest.approx(0.99, abs=0.01)), (name, "kept", None),
    ]  # fmt: skip
    assert (fills, variants) == ([], [])


def test_gaps_are_filled_from_the_best_copy_that_has_the_value(tmp_path: Path) -> None:
    text = make_text(2)
    rows, fills, _ = run(
        tmp_path,
        [
            record(1, text, title="T", year=2020, authors=["Ann Lee"], venue="V"),
            record(2, text, doi="https://doi.org/10.1/x"),
            record(3, text, doi="https://doi.org/10.1/x", keywords=["k"], arxiv_id="2101.00001", arxiv_version=2),
        ],
    )
    assert [row[3] for row in rows] == ["kept", "exact", "exact"]
    (fill,) = fills
    assert (fill["title"], fill["doi"], fill["arxiv_id"], fill["arxiv_version"]) == ("T", "https://doi.org/10.1/x", "2101.00001", 2)
    assert (fill["authors"], fill["keywords"], fill["licence"]) == (["Ann Lee"], ["k"], None)
    assert dict(zip(fill["filled"], fill["filled_ordinal"], strict=True)) == {"doi": 3, "arxiv_id": 3, "arxiv_version": 3, "keywords": 3}


def test_kept_records_that_share_a_key_are_named_with_their_doi(tmp_path: Path) -> None:
    text = make_text(3)
    rows, _, variants = run(tmp_path, [record(1, text, doi="https://doi.org/10.1/a"), record(2, text, doi="https://doi.org/10.1/b")])
    names = [abstract_id(normalised_key(text), f"https://doi.org/10.1/{end}") for end in "ab"]
    assert [row[2] for row in rows] == names
    assert variants == [{"abstract_id": min(names), "other_id": max(names), "similarity": 1.0, "reason": "identifiers"}]


def test_row_numbers_are_no_identifiers_but_long_source_ids_are(tmp_path: Path) -> None:
    one, two = make_text(4), make_text(5)
    weak, _, _ = run(tmp_path / "weak", [record(1, one, source_id="7"), record(1, two, "b.json", source_id="7")])
    assert len({row[2] for row in weak}) == 2
    borne_out, _, _ = run(tmp_path / "same", [record(1, one, source_id="7", title="A long title"), record(1, two, "b.json", source_id="7", title="A long title")])
    assert len({row[2] for row in borne_out}) == 1
    strong, _, _ = run(tmp_path / "strong", [record(1, one, source_id="31415926"), record(1, two, "b.json", source_id="31415926")])
    assert len({row[2] for row in strong}) == 1


def test_damaged_copies_lose(tmp_path: Path) -> None:
    text = make_text(6)
    rows, _, _ = run(tmp_path, [record(1, text + " a b c", title="T", clean_flags=["url_lost"]), record(2, text)])
    assert [row[3] for row in rows] == ["near", "kept"]


def test_variants_are_written_in_order_with_the_larger_id_last(tmp_path: Path) -> None:
    text = make_text(7)
    _, _, variants = run(tmp_path, [record(n, f"{text} We count {n * 111} of them.") for n in (1, 2, 3)])
    assert variants
    assert variants == sorted(variants, key=lambda v: (v["abstract_id"], v["other_id"]))
    assert all(v["abstract_id"] < v["other_id"] and v["reason"] == "numbers" for v in variants)


def test_nothing_in_gives_empty_tables(tmp_path: Path) -> None:
    groups = group_shards([], tmp_path / "none")
    assert pq.read_table(groups.variants).schema == VARIANTS
    assert len(pq.read_table(groups.fills)) == 0
    rows, fills, variants = run(tmp_path, [record(1, "", usable=False)])
    assert (rows[0][2:], fills, variants) == ((None, None, None), [], [])


@pytest.mark.parametrize(("parts", "seed", "memory_mb"), [(1, 1, 512), (2, 2, 64), (7, 3, 0), (50, 4, 64)])
def test_the_tables_do_not_depend_on_order_shards_or_memory(tmp_path: Path, parts: int, seed: int, memory_mb: int) -> None:
    records = corpus(138)
    expected = run(tmp_path / "plain", records)
    assert {row[3] for row in expected[0]} == {"kept", "exact", "normalised", "near"}
    random.Random(seed).shuffle(records)
    assert run(tmp_path / "mixed", records, parts, memory_mb) == expected


def test_decisions_come_in_the_order_of_the_shards_given(tmp_path: Path) -> None:
    shards = write(tmp_path, corpus(30), 3)[::-1]
    groups = group_shards(shards, tmp_path / "work")
    assert [path.name for path in groups.decisions] == [f"decisions-{shard.name}.parquet" for shard in shards]
    assert sum(groups.counts[relation] for relation in ("kept", "exact", "normalised", "near", "version")) == 30
    assert [path.name for path in (tmp_path / "work").iterdir() if path.suffix == ".bin"] == []
