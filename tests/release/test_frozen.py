"""Releases made by earlier code, one per schema version, frozen: today's code reads, checks, compares and follows them.

`tests/frozen/<schema version>.tar.xz` is never made anew. A new schema version adds a file; within a version columns are
only added, which `schemas/published/` and these files hold together.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tarfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pipeline import cli
from pipeline.load.changes import diff_releases
from pipeline.load.csv import read_csv
from pipeline.load.disk import sha256_of
from pipeline.load.parquet import read_table, table_files
from pipeline.load.publish import current_release, use_release
from pipeline.load.validate import validate_release
from schemas.tables import RELEASE_TABLES, SCHEMA_VERSION
from tests.support.parts import make_rows, release

FROZEN = sorted((Path(__file__).parent.parent / "frozen").glob("*.tar.xz"))
#: Hashes of the frozen files: a file that was made anew proves nothing.
HASHES = {"1.0.tar.xz": "a3864006c6ab35214e8fe6fdd58b93d145810268ee2f6555ff7038b07c8446af"}


@pytest.fixture(params=FROZEN, ids=lambda path: path.name)
def output(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An output folder whose current release is a frozen one."""
    (tmp_path / "out/releases").mkdir(parents=True)
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path / "out/releases", filter="data")
    (folder,) = (tmp_path / "out/releases").iterdir()
    use_release(tmp_path / "out", folder.name)
    return tmp_path / "out"


def test_there_is_one_of_every_schema_version(root: Path) -> None:
    versions = {path.name.removesuffix(".tar.xz") for path in FROZEN}
    assert versions == {path.stem for path in (root / "schemas/published").glob("*.json")}
    assert SCHEMA_VERSION in versions
    assert {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FROZEN} == HASHES


def test_it_validates_and_every_table_is_read(output: Path) -> None:
    frozen = current_release(output)
    assert frozen is not None
    assert validate_release(output) == []
    told = json.loads((frozen / "manifest.json").read_text("utf-8"))["figures"]["rows"]
    assert {name: read_table(frozen, name).num_rows for name in told} == told
    for table in RELEASE_TABLES:
        if (frozen / f"csv/{table.name}.csv").is_file() and set(read_table(frozen, table.name).column_names) == set(table.columns):
            assert read_csv(frozen / f"csv/{table.name}.csv", table).equals(read_table(frozen, table.name))


def test_a_refresh_follows_it(output: Path, tmp_path: Path) -> None:
    """Compared with, its redirects kept, and still there to go back to."""
    frozen = current_release(output)
    assert frozen is not None
    rows = make_rows(4, seed=3)
    made = release(rows, output, tmp_path / "parts")
    changes = diff_releases(frozen, made)[1]
    gone = {entry["abstract_id"] for kind in ("removed", "merged", "redirected") for entry in changes[kind]}
    assert gone == set(read_table(frozen, "abstracts")["abstract_id"].to_pylist())
    old = set(read_table(frozen, "redirects")["old_id"].to_pylist()) | gone
    assert old <= set(read_table(made, "redirects")["old_id"].to_pylist())
    assert use_release(output, frozen.name) == output / "releases" / frozen.name
    assert validate_release(output) == []


def test_the_commands_read_it(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frozen = current_release(output)
    assert frozen is not None
    key = read_table(frozen, "abstracts")["abstract_id"][0].as_py()
    for command in (["releases"], ["validate"], ["explain", key], ["diff", frozen.name, frozen.name]):
        assert cli.main([*command, "--output", str(output)]) == 0, command
    assert key in capsys.readouterr().out


def test_a_release_with_fewer_columns_is_an_earlier_one(output: Path, tmp_path: Path) -> None:
    """A column that is added within a schema version makes no earlier release invalid; a changed type does."""
    frozen = current_release(output)
    assert frozen is not None

    def lie(drop: str, table: str = "metrics") -> list[str]:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(frozen, copy)
        (path,) = table_files(copy, table)
        pq.write_table(pq.read_table(path).drop_columns([drop]), path)
        told = json.loads((copy / "schema.json").read_text("utf-8"))
        for entry in told["tables"]:
            if entry["name"] == table:
                entry["columns"] = [column for column in entry["columns"] if column["name"] != drop]
        (copy / "schema.json").write_text(json.dumps(told), "utf-8")
        manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
        for file in manifest["files"]:
            file["sha256"] = sha256_of(copy / file["path"])
        (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")
        names = sorted(p.relative_to(copy).as_posix() for p in copy.rglob("*") if p.is_file() and p.name != "SHA256SUMS")
        (copy / "SHA256SUMS").write_text("".join(f"{sha256_of(copy / name)}  {name}\n" for name in names), "utf-8")
        return validate_release(copy)

    assert lie("subject") == []
    assert release(make_rows(4, seed=4), output, tmp_path / "parts").is_dir()
