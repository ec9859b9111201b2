"""Fingerprints and units of work."""

from __future__ import annotations

import pathlib

from pipeline.extract import InputFile
from pipeline.state import UNIT_BYTES, code_fingerprint, fingerprint, hash_file, keep_only, units_of


def files(names: list[str], size: int = 1000) -> list[InputFile]:
    return [InputFile(name, pathlib.Path(name), size) for name in sorted(names)]


def test_a_new_file_leaves_most_units_alone() -> None:
    names = [f"f{i:04d}.txt" for i in range(2000)]
    before = {tuple(f.path for f in unit) for unit in units_of(files(names))}
    after = {tuple(f.path for f in unit) for unit in units_of(files([*names, "f0777b.txt"]))}
    assert len(before) > 20
    assert len(before - after) == 1


def test_a_large_file_stands_alone() -> None:
    listed = files(["a", "c"]) + files(["b"], UNIT_BYTES * 3)
    units = units_of(sorted(listed, key=lambda f: f.path))
    assert ["b"] in [[f.path for f in unit] for unit in units]
    assert sorted(f.path for unit in units for f in unit) == ["a", "b", "c"]


def test_an_empty_file_begins_a_unit() -> None:
    names = ["a_empty.txt", "b.txt"]
    assert [f.path for unit in units_of(files(names, 0)) for f in unit] == names
    assert units_of(files(["only.txt"], 0)) == [files(["only.txt"], 0)]


def test_fingerprints_are_stable_and_tell_things_apart() -> None:
    assert fingerprint("a", 1) == fingerprint("a", 1) != fingerprint("a", 2)
    assert len({code_fingerprint(stage) for stage in ("extract", "clean", "dedupe", "enrich", "load")}) == 5


def test_unreadable_file_has_no_hash(tmp_path: pathlib.Path) -> None:
    assert hash_file(tmp_path / "none") == ""


def test_keep_only_removes_the_rest(tmp_path: pathlib.Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").touch()
    keep_only(tmp_path, ["b"])
    assert [p.name for p in tmp_path.iterdir()] == ["b"]
