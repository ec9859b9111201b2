"""Releases that follow each other: versions, redirects, changes, drift, rights, retention."""

from __future__ import annotations

import copy
import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import NothingUsableError, RefusedError, UsageError
from pipeline.load.changes import diff_releases
from pipeline.load.context import Bands, Correction, LoadOptions, Takedown
from pipeline.load.parquet import read_table
from pipeline.load.publish import current_release, list_releases, output_lock, retain_releases, use_release
from pipeline.load.validate import validate_release
from tests.support.parts import Rows, make_rows, release, stage


def without(rows: Rows, abstract_id: str, *, keep_sources: str | None = None) -> Rows:
    """The rows without one abstract; its occurrences go to `keep_sources` as `near`, or vanish."""
    out = {
        name: [row for row in items if name == "sources" or abstract_id not in (row.get("abstract_id"), row.get("other_id"))]
        for name, items in copy.deepcopy(rows).items()
    }
    if keep_sources is None:
        out["sources"] = [row for row in out["sources"] if row["abstract_id"] != abstract_id]
        _renumber(out)
    for row in out["sources"]:
        if row["abstract_id"] == abstract_id:
            row |= {"abstract_id": keep_sources, "relation": "near", "similarity": 0.9}
    return out


def _renumber(rows: Rows) -> None:
    for number, row in enumerate([*rows["sources"], *(q for q in rows["quarantine"] if q["ordinal"])], 1):
        row["ordinal"] = number
        if "source_sha256" in row:
            row["source_sha256"] = f"{len(rows['sources']):064x}"


def redirects(folder: Path) -> dict[str, tuple[str | None, str]]:
    return {row["old_id"]: (row["abstract_id"], row["reason"]) for row in read_table(folder, "redirects").to_pylist()}


def changes(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "changes.json").read_text("utf-8"))
    return value


def test_same_data_publish_nothing(tmp_path: Path) -> None:
    rows = make_rows(5)
    first = release(rows, tmp_path / "out", tmp_path / "1")
    again = release(rows, tmp_path / "out", tmp_path / "2", build_date=dt.date(2027, 1, 1))
    assert again == first
    assert list_releases(tmp_path / "out") == [first]


def test_an_id_that_is_merged_removed_and_back(tmp_path: Path) -> None:
    rows, out = make_rows(6), tmp_path / "out"
    ids = [row["abstract_id"] for row in rows["abstracts"]]
    release(rows, out, tmp_path / "1")
    merged = release(without(rows, ids[3], keep_sources=ids[2]), out, tmp_path / "2")
    assert redirects(merged) == {ids[3]: (ids[2], "merged")}
    assert changes(merged)["merged"] == [{"abstract_id": ids[3], "into": ids[2]}]
    both_gone = without(without(rows, ids[3]), ids[2])
    removed = release(both_gone, out, tmp_path / "3")
    assert redirects(removed) == {ids[3]: (None, "removed"), ids[2]: (None, "removed")}
    back = release(rows, out, tmp_path / "4", build_date=dt.date(2026, 12, 2))
    assert redirects(back) == {}
    assert sorted(changes(back)["added"]) == sorted([ids[2], ids[3]])
    assert validate_release(back) == []


def test_a_changed_text_redirects_and_chains(tmp_path: Path) -> None:
    out = tmp_path / "out"
    versions = [make_rows(4, seed=seed) for seed in (0, 1, 2)]
    ids = [[row["abstract_id"] for row in rows["abstracts"]] for rows in versions]
    for number, rows in enumerate(versions):
        last = release(rows, out, tmp_path / str(number))
    found = redirects(last)
    for old, middle, new in zip(*ids, strict=True):
        assert found[old] == found[middle] == (new, "changed")
    assert changes(last)["redirected"] == sorted(({"abstract_id": m, "to": n} for _, m, n in zip(*ids, strict=True)), key=lambda e: e["abstract_id"])
    assert changes(last)["added"] == []


def test_a_group_that_falls_apart_is_split(tmp_path: Path) -> None:
    rows, out = make_rows(4), tmp_path / "out"
    ids = [row["abstract_id"] for row in rows["abstracts"]]
    release(without(rows, ids[3], keep_sources=ids[2]), out, tmp_path / "1")
    last = release(rows, out, tmp_path / "2", options=LoadOptions())
    assert changes(last)["split"] == [{"abstract_id": ids[3], "from": ids[2]}]
    assert changes(last)["added"] == []


def test_changed_columns_are_named(tmp_path: Path) -> None:
    rows, out = make_rows(40), tmp_path / "out"
    first = release(rows, out, tmp_path / "1")
    other = copy.deepcopy(rows)
    other["abstracts"][7]["title"] = "A new title"
    other["abstracts"][8]["keywords"] = ["new"]
    other["metrics"][9]["unit"] = None
    options = LoadOptions(rows_per_group=7, groups_per_file=2)
    second = release(other, out, tmp_path / "2", options)
    want = {other["abstracts"][7]["abstract_id"]: ["title"], other["abstracts"][8]["abstract_id"]: ["keywords"], other["metrics"][9]["abstract_id"]: ["metrics.*"]}
    assert {entry["abstract_id"]: entry["columns"] for entry in changes(second)["changed"]} == want
    text, value = diff_releases(first, second)
    assert value["changed"] == changes(second)["changed"]
    assert "title (1)" in text
    assert diff_releases(first, first)[1]["changed"] == []


def test_drift_stops_with_the_numbers_until_accepted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release(make_rows(200), out, tmp_path / "1")
    few = make_rows(120)
    with pytest.raises(RefusedError, match=r"rows of abstracts: 200 before, 120 now") as refused:
        release(few, out, tmp_path / "2")
    assert "--accept-change" in refused.value.do
    assert list((out / ".staging").iterdir()) == []
    last = release(few, out, tmp_path / "3", LoadOptions(accept_change="half of the source is gone"))
    assert json.loads((last / "manifest.json").read_text("utf-8"))["accepted_change"] == "half of the source is gone"


def test_drift_of_small_releases(tmp_path: Path) -> None:
    """A small release may grow as it likes, but not lose abstracts unless takedowns or the licence filter took them."""
    out = tmp_path / "out"
    release(make_rows(4), out, tmp_path / "1")
    grown = make_rows(20)
    release(grown, out, tmp_path / "2")
    with pytest.raises(RefusedError, match="rows of abstracts: 20 before, 10 now"):
        release(make_rows(10), out, tmp_path / "3")
    release(grown, out, tmp_path / "4", takedowns=tuple(Takedown(row["abstract_id"]) for row in grown["abstracts"][:10]))
    release(grown, out, tmp_path / "5")


def test_a_lost_link_is_mended(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = release(make_rows(2), out, tmp_path / "1")
    (out / "current").unlink()
    assert current_release(out) == made
    with output_lock(out):
        assert (out / "current").resolve() == made


def test_drift_of_shares(tmp_path: Path) -> None:
    out = tmp_path / "out"
    rows = make_rows(150)
    release(rows, out, tmp_path / "1")
    for row in rows["abstracts"]:
        row["title"], row["language"] = None, "fr"
    with pytest.raises(RefusedError) as refused:
        release(rows, out, tmp_path / "2")
    assert "nulls abstracts.title" in refused.value.what
    assert "languages fr" in refused.value.what
    release(rows, out, tmp_path / "3", LoadOptions(bands=Bands(null_share=1, language_share=1)))


def test_takedown_by_id_doi_and_hash(tmp_path: Path) -> None:
    import hashlib

    rows, out = make_rows(8), tmp_path / "out"
    release(rows, out, tmp_path / "1")
    kept = rows["abstracts"]
    listed = (
        Takedown(kept[0]["abstract_id"]),
        Takedown("10.1/1"),
        Takedown(hashlib.sha256(kept[2]["raw_text"].encode()).hexdigest()),
    )
    last = release(rows, out, tmp_path / "2", takedowns=listed)
    gone = {kept[number]["abstract_id"] for number in (0, 1, 2)}
    assert redirects(last) == dict.fromkeys(gone, (None, "takedown"))
    rules = [row for row in read_table(last, "quarantine").to_pylist() if row["stage"] == "load"]
    assert len(rules) == 6
    assert all(row["raw_text"] is None and row["rule"] == "takedown" for row in rules)
    for table in ("abstracts", "methods", "datasets", "metrics", "urls", "mentions", "sources", "variants"):
        assert not gone & set(read_table(last, table)["abstract_id"].to_pylist())
    assert validate_release(last) == []
    text = b"".join(path.read_bytes() for path in last.rglob("*") if path.suffix in (".csv", ".html", ".md", ".json"))
    assert not [row["text"] for row in kept[:3] if row["text"].encode() in text]


def test_a_takedown_follows_redirects(tmp_path: Path) -> None:
    out = tmp_path / "out"
    old, new = make_rows(4), make_rows(4, seed=1)
    release(old, out, tmp_path / "1")
    release(new, out, tmp_path / "2")
    last = release(new, out, tmp_path / "3", takedowns=(Takedown(old["abstracts"][0]["abstract_id"]),))
    assert new["abstracts"][0]["abstract_id"] not in read_table(last, "abstracts")["abstract_id"].to_pylist()
    assert redirects(last)[old["abstracts"][0]["abstract_id"]] == (None, "takedown")


def test_only_licences(tmp_path: Path) -> None:
    rows = make_rows(10)
    last = release(rows, tmp_path / "out", tmp_path / "1", only_licences=("cc-by-4.0",))
    assert read_table(last, "abstracts")["licence"].to_pylist() == ["CC-BY-4.0"] * 5
    assert {row["rule"] for row in read_table(last, "quarantine").to_pylist()} == {"licence", "empty_text", "unreadable"}
    with pytest.raises(NothingUsableError):
        release(rows, tmp_path / "out2", tmp_path / "2", only_licences=("MIT",))


def test_corrections(tmp_path: Path) -> None:
    rows = make_rows(4)
    abstract_id, title = rows["abstracts"][1]["abstract_id"], rows["abstracts"][1]["title"]
    fix = Correction(abstract_id, "title", title, "The right title", "typing error", "Ada")
    last = release(rows, tmp_path / "out", tmp_path / "1", corrections=(fix,))
    titles = dict(zip(*read_table(last, "abstracts", ["abstract_id", "title"]).to_pydict().values(), strict=True))
    assert titles[abstract_id] == "The right title"
    stale = Correction(abstract_id, "title", "something else", "The right title", "typing error", "Ada")
    with pytest.raises(RefusedError, match="does not fit any more"):
        release(rows, tmp_path / "out2", tmp_path / "2", corrections=(stale,))
    with pytest.raises(RefusedError, match="cannot be corrected"):
        release(rows, tmp_path / "out2", tmp_path / "3", corrections=(Correction(abstract_id, "text", "a", "b", "", ""),))


def test_rollback_and_retention(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = [release(make_rows(3, seed=seed), out, tmp_path / str(seed), build_date=dt.date(2026, 12, 1 + seed)) for seed in range(4)]
    assert list_releases(out) == made
    with output_lock(out):
        assert use_release(out, made[0].name) == made[0]
        assert current_release(out) == made[0]
        assert json.loads((out / "current.json").read_text("utf-8"))["version"] == made[0].name
        with pytest.raises(UsageError, match="no release"):
            use_release(out, "20990101-00000000")
        assert retain_releases(out, 0) == []
        assert retain_releases(out, 2) == [made[1].name]
    assert list_releases(out) == [made[0], made[2], made[3]]


def test_a_version_never_changes(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = release(make_rows(3), out, tmp_path / "1")
    release(make_rows(3, seed=1), out, tmp_path / "2")
    before = (first / "SHA256SUMS").read_bytes()
    back = release(make_rows(3), out, tmp_path / "3")
    assert back == first == current_release(out)
    assert (first / "SHA256SUMS").read_bytes() == before


def test_broken_rules_are_named_together(tmp_path: Path) -> None:
    rows = make_rows(6)
    rows["metrics"][0]["evidence"] = "12"
    rows["abstracts"][1]["methods"] = ["Else"]
    rows["sources"][2]["relation"] = "exact"
    with pytest.raises(RefusedError) as refused:
        stage(rows, tmp_path / "out", tmp_path / "1")
    assert "metrics.evidence" in refused.value.what
    assert "abstracts.methods" in refused.value.what
    rows = make_rows(6)
    rows["sources"][2]["relation"] = "exact"
    with pytest.raises(RefusedError, match="kept` at least once"):
        stage(rows, tmp_path / "out", tmp_path / "2")
    assert not any((tmp_path / "out" / ".staging").iterdir())


def test_the_ledger_balances_per_stage_and_in_total(tmp_path: Path) -> None:
    rows = make_rows(8)
    last = release(rows, tmp_path / "out", tmp_path / "1", takedowns=(Takedown(rows["abstracts"][0]["abstract_id"]),))
    ledger = json.loads((last / "manifest.json").read_text("utf-8"))["ledger"]
    assert ledger["total"] == {"records": 17, "kept": 7, "merged": 7, "quarantined": 3}
    assert ledger["clean"] == {"in": 17, "out": 16, "quarantined": 1}
    assert ledger["load"] == {"in": 9, "out": 7, "quarantined": 2}
    for name in ("extract", "clean", "dedupe", "enrich", "load"):
        entry = ledger[name]
        assert entry["in"] == entry["out"] + entry["quarantined"] + entry.get("merged", 0)
