"""A release as its users meet it: many readers, same bytes, checked copies, other places."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import duckdb
import fsspec
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.errors import UsageError
from pipeline.load.context import LoadOptions
from pipeline.load.csv import read_csv
from pipeline.load.disk import sha256_of
from pipeline.load.parquet import read_table, table_files
from pipeline.load.remote import publish_to
from pipeline.load.validate import validate_release
from schemas.as_arrow import arrow_schema
from schemas.tables import RELEASE_TABLES
from tests.support.parts import make_rows, release, stage

NAMES = [table.name for table in RELEASE_TABLES]
SMALL = LoadOptions(rows_per_group=7, groups_per_file=2)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("release")
    return release(make_rows(40), home / "out", home / "parts", SMALL, shards=3)


def hashes(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def test_acceptance(made: Path, shared: Path) -> None:
    done = subprocess.run([sys.executable, shared / "check_release.py", made], capture_output=True, text=True)
    assert done.stdout.strip() == "0 problems"


def test_it_validates(made: Path) -> None:
    assert validate_release(made) == []
    assert validate_release(f"file://{made}") == []


@pytest.mark.parametrize("name", NAMES)
def test_every_reader_gives_the_same_rows(made: Path, name: str) -> None:
    pattern = str(made / "data" / name / "*.parquet")
    rows = read_table(made, name).to_pylist()
    assert pl.read_parquet(pattern).to_dicts() == rows
    frame = pd.read_parquet(made / "data" / name, dtype_backend="pyarrow")
    assert pa.Table.from_pandas(frame, schema=arrow_schema(next(t for t in RELEASE_TABLES if t.name == name))).to_pylist() == rows
    relation = duckdb.sql(f"select * from read_parquet('{pattern}')")
    assert [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()] == rows


@pytest.mark.slow
def test_datasets_reads_every_table_offline(made: Path, tmp_path: Path) -> None:
    """Tables without rows only as a stream: `datasets` refuses to make a split without examples."""
    code = (
        "import sys, json, datasets\n"
        "folder, counts = sys.argv[1], json.loads(sys.argv[2])\n"
        "load = lambda n: datasets.load_dataset(folder, n, split='train', streaming=not counts[n])\n"
        "print(json.dumps({n: sum(1 for _ in load(n)) for n in counts}))"
    )
    counts = {name: read_table(made, name).num_rows for name in NAMES}
    environment = os.environ | {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "-c", code, made, json.dumps(counts)], capture_output=True, text=True, env=environment, check=True)
    assert json.loads(done.stdout) == counts


def test_parquet_is_as_readers_like_it(made: Path) -> None:
    for table in RELEASE_TABLES:
        for path in table_files(made, table.name):
            metadata = pq.read_metadata(path)
            schema = pq.read_schema(path)
            assert b"pandas" not in (schema.metadata or {})
            assert all(field.metadata[b"description"] for field in schema)
            for group in range(metadata.num_row_groups):
                columns = [metadata.row_group(group).column(i) for i in range(metadata.num_columns)]
                assert {column.compression for column in columns} == {"ZSTD"}
                assert all(column.has_offset_index for column in columns)
                assert metadata.row_group(group).sorting_columns
    # 40 abstracts in row groups of about 7, two to a file.
    assert [pq.read_metadata(path).num_row_groups for path in table_files(made, "abstracts")] == [2, 2, 2]


@pytest.mark.parametrize("name", NAMES)
def test_csv_files_hold_the_same_rows(made: Path, name: str) -> None:
    table = next(table for table in RELEASE_TABLES if table.name == name)
    assert read_csv(made / "csv" / f"{name}.csv", table).equals(read_table(made, name))


@pytest.mark.slow
def test_bytes_do_not_depend_on_shards_workers_or_folder(made: Path, tmp_path: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        options = LoadOptions(rows_per_group=7, groups_per_file=2, map=pool.map)
        again = release(make_rows(40), tmp_path / "elsewhere", tmp_path / "parts", options, shards=5)
    assert hashes(again) == hashes(made)


@pytest.mark.slow
def test_bytes_do_not_depend_on_the_surroundings(made: Path, tmp_path: Path, root: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.support.parts import *\n"
        "home = Path(sys.argv[1]); print(release(make_rows(40), home / 'out', home / 'parts', LoadOptions(rows_per_group=7, groups_per_file=2)))"
    )
    surroundings = {"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "77", "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True, env=os.environ | surroundings)
    assert hashes(Path(done.stdout.strip())) == hashes(made)


def test_every_flipped_bit_is_found(made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    rng = random.Random(7)
    files = sorted(path for path in copy.rglob("*") if path.is_file())
    for _ in range(60):
        path = rng.choice(files)
        content = bytearray(path.read_bytes())
        place = rng.randrange(len(content) * 8)
        content[place // 8] ^= 1 << place % 8
        path.write_bytes(content)
        assert validate_release(copy), f"bit {place} of {path.name}"
        content[place // 8] ^= 1 << place % 8
        path.write_bytes(content)
    assert validate_release(copy) == []


def test_missing_and_foreign_files_are_found(made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    (copy / "csv/urls.csv").unlink()
    (copy / "data/urls/extra.txt").write_text("x")
    faults = validate_release(copy)
    assert any("csv/urls.csv: the file is missing" in fault for fault in faults)
    assert any("extra.txt: the file is not part of the release" in fault for fault in faults)
    with pytest.raises(UsageError, match="There is no release"):
        validate_release(tmp_path)


def test_a_release_that_lies_consistently_is_found_by_its_rows(made: Path, tmp_path: Path) -> None:
    """Rows changed and every hash made to fit: the rules across tables still find it."""
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    path = table_files(copy, "metrics")[0]
    table = pq.read_table(path)
    place = table.column_names.index("evidence")
    pq.write_table(table.set_column(place, table.schema.field(place), pa.array(["lie"] * table.num_rows)), path)
    sums = {name: digest for name, digest in hashes(copy).items() if name != "SHA256SUMS"}
    manifest = (copy / "manifest.json").read_text("utf-8")
    old = sha256_of(table_files(made, "metrics")[0])
    (copy / "manifest.json").write_text(manifest.replace(old, sha256_of(path)), "utf-8")
    sums = {name: digest for name, digest in hashes(copy).items() if name != "SHA256SUMS"}
    (copy / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()), "utf-8")
    faults = validate_release(copy)
    assert any("metrics.evidence" in fault for fault in faults)
    assert any("csv/metrics.csv" in fault for fault in faults)


def test_publishing_to_a_folder_and_a_store(made: Path, tmp_path: Path) -> None:
    for target in (str(tmp_path / "mirror"), "memory://bucket/mirror"):
        plan = publish_to(made, target)
        assert plan.dry_run
        assert {t.action for t in plan.transfers} == {"upload", "point"}
        assert plan.transfers[-1].path == "current.json"
        system, root = fsspec.core.url_to_fs(target)
        assert not system.exists(root)
        publish_to(made, target, dry_run=False)
        assert validate_release(f"{target}/releases/{made.name}") == []
        # Broken off half-way: what is missing or damaged is sent again, the rest is kept.
        system.rm(f"{root}/releases/{made.name}/schema.json")
        system.pipe_file(f"{root}/releases/{made.name}/README.md", b"half")
        again = publish_to(made, target, dry_run=False)
        assert [t.path.split("/")[-1] for t in again.transfers if t.action == "upload"] == ["README.md", "schema.json"]
    mirrored = tmp_path / "mirror/releases" / made.name
    (mirrored / "schema.json").write_text("{}", "utf-8")
    with pytest.raises(UsageError, match=r"not whole: schema\.json"):
        publish_to(mirrored, str(tmp_path / "other"))


def test_many_row_groups_equal_one(tmp_path: Path) -> None:
    """Where files and row groups are cut changes the layout, never the rows."""
    rows = make_rows(30)
    one = stage(rows, tmp_path / "a", tmp_path / "1", LoadOptions())
    many = stage(rows, tmp_path / "b", tmp_path / "2", LoadOptions(rows_per_group=3, groups_per_file=1), shards=4)
    for name in NAMES:
        assert read_table(one.folder, name).equals(read_table(many.folder, name))
        assert (one.folder / f"csv/{name}.csv").read_bytes() == (many.folder / f"csv/{name}.csv").read_bytes()
