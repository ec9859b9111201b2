"""Checking any copy of a release: hashes, page checksums, schemas, rules, and that the CSV twins agree."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import UsageError
from pipeline.load.across import check_across
from pipeline.load.csv import header, render_slices
from pipeline.load.disk import sha256_of
from pipeline.load.files import check, groups
from pipeline.load.manifest import read_manifest
from pipeline.load.parquet import read_groups, schema_faults, table_files
from pipeline.load.wholeness import byte_faults
from schemas.as_arrow import arrow_schema
from schemas.broken import merge
from schemas.checks import BY_ABSTRACT
from schemas.tables import QUARANTINE, REDIRECTS, RELEASE_TABLES, SCHEMA_VERSION, SOURCES, TABLES


def validate_release(place: str | Path) -> list[str]:
    """Check the release in a folder, or below a URL that fsspec can read. Returns what is wrong, one sentence each.
    Of an output folder with `current.json`, the current release is checked.

    Files are compared with SHA256SUMS first; only a copy whose bytes are right is then read and checked row by row.
    Raises UsageError where there is no release at all.
    """
    text = str(place)
    if "://" in text:
        with tempfile.TemporaryDirectory(prefix="abstracts-validate-") as copy:
            _download(text, Path(copy))
            return _validate_folder(Path(copy), text)
    folder = Path(place)
    return _validate_folder(folder / _target(_read_pointer(folder / "current.json")), text)


def _read_pointer(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _target(pointer: bytes) -> str:
    """Where a pointer file (`current.json`) leads to; itself when there is none or it cannot be read."""
    try:
        path = str(json.loads(pointer)["path"])
    except (ValueError, KeyError, TypeError):
        return "."
    return path if re.fullmatch(r"releases/[\w.-]+", path) else "."


def _download(url: str, folder: Path) -> None:
    from fsspec.core import url_to_fs

    system, path = url_to_fs(url)
    path = path.rstrip("/")
    with contextlib.suppress(FileNotFoundError):
        path = f"{path}/{_target(system.cat_file(f'{path}/current.json'))}".removesuffix("/.")
    try:
        system.get(f"{path}/", f"{folder}/", recursive=True)
    except FileNotFoundError:
        raise UsageError(f"There is no release at {url}.", "Give the address of the folder that holds manifest.json.") from None


def _validate_folder(folder: Path, name: str) -> list[str]:
    if not (folder / "SHA256SUMS").is_file() and not (folder / "manifest.json").is_file():
        raise UsageError(f"There is no release at {name}.", "Give the folder that holds manifest.json and SHA256SUMS.")
    folder = folder.resolve()
    try:
        return list(byte_faults(folder)) or list(_content_faults(folder))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, pa.ArrowException) as error:
        return [f"The release cannot be checked to its end ({type(error).__name__}: {error}): copy it again."]


def _content_faults(folder: Path) -> Iterator[str]:
    try:
        manifest = read_manifest(folder)
        inputs = manifest["inputs"]
        version = str(manifest["schema_version"])
        listed = {entry["path"]: entry["sha256"] for entry in manifest["files"]}
    except (ValueError, KeyError, TypeError) as error:
        yield f"manifest.json: it lacks what every manifest has ({error!r})."
        return
    if version.split(".")[0] != SCHEMA_VERSION.split(".")[0]:
        yield f"manifest.json: the release has schema version {version}, this program knows {SCHEMA_VERSION}; only its bytes were checked."
        return
    yield from (f"manifest.json: {path} is missing." for path in listed if not (folder / path).is_file())
    yield from (f"manifest.json: wrong hash of {path}." for path, digest in listed.items() if (folder / path).is_file() and sha256_of(folder / path) != digest)
    own = json.loads((folder / "schema.json").read_text("utf-8"))
    faults = list(_earlier_faults(folder, own) if is_earlier(own) else _schema_faults(folder, own))
    yield from faults
    if not faults:
        yield from _row_faults(folder) if not is_earlier(own) else ()
        yield from map(str, check_across(folder, inputs))
        yield from _twin_faults(folder) if not is_earlier(own) else ()


def is_earlier(own: Mapping[str, Any]) -> bool:
    """Whether a release lacks nothing but columns that its schema version has got since."""
    columns = {table["name"]: {column["name"] for column in table["columns"]} for table in own["tables"]}
    ours = {table.name: set(table.columns) for table in RELEASE_TABLES}
    return columns != ours and columns.keys() == ours.keys() and all(columns[name] <= ours[name] for name in ours)


def _earlier_faults(folder: Path, own: Mapping[str, Any]) -> Iterator[str]:
    """What differs between the files of an earlier release and its own schema, and between that and ours: columns are only
    ever added within a schema version. Its rows were checked when it was made; the hashes say that they are the same."""
    for entry in own["tables"]:
        names = [column["name"] for column in entry["columns"]]
        ours = arrow_schema(TABLES[entry["name"]])
        for path in table_files(folder, entry["name"]):
            have = pq.read_schema(path)
            if have.names != names:
                yield f"{entry['name']}: {path.name} has the columns {', '.join(have.names)}; schema.json says {', '.join(names)}."
            yield from (f"{entry['name']}.{field.name}: the type is {field.type}, not {ours.field(field.name).type}." for field in have if field.type != ours.field(field.name).type)


def _schema_faults(folder: Path, own: Mapping[str, Any]) -> Iterator[str]:
    names = {table["name"] for table in own["tables"]}
    for table in RELEASE_TABLES:
        files = table_files(folder, table.name)
        if table.name not in names or not files:
            yield f"{table.name}: the table is missing in schema.json or in data/."
        for index, path in enumerate(files):
            if path.name != f"train-{index:05d}-of-{len(files):05d}.parquet":
                yield f"{table.name}: {path.name} is not the file number {index} of {len(files)}."
            yield from schema_faults(path, table)


def _row_faults(folder: Path) -> Iterator[str]:
    broken = []
    for names in ([table.name for table in BY_ABSTRACT], [SOURCES.name], [QUARANTINE.name], [REDIRECTS.name]):
        try:
            for group in groups({name: table_files(folder, name) for name in names}):
                broken += check(group)
        except (OSError, pa.ArrowException) as error:
            yield f"{', '.join(names)}: a file cannot be read ({error})."
    yield from map(str, merge(broken))


def _twin_faults(folder: Path) -> Iterator[str]:
    """CSV files that do not hold the rows of their Parquet files."""
    for table in RELEASE_TABLES:
        with (folder / "csv" / f"{table.name}.csv").open("rb") as sheet:
            first = header(TABLES[table.name])
            equal = sheet.read(len(first)) == first
            texts = (text for group in read_groups(table_files(folder, table.name)) for text in render_slices(group))
            equal = equal and all(sheet.read(len(text)) == text for text in texts)
            if not equal or sheet.read(1):
                yield f"csv/{table.name}.csv: the rows are not those of data/{table.name}."
