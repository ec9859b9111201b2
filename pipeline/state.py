"""Fingerprints of inputs, code and settings: what is stale.

A work folder's name holds the fingerprint of everything that decided its content. It is written under a
temporary name, sealed with checksums, brought to the disk and renamed: a name that exists is whole, and a name that
is needed and missing is stale. What the disk has damaged since is found by the checksums before it is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from zlib import crc32

from pipeline.extract import InputFile
from pipeline.load.disk import sync_tree

#: Modules besides its own folder that decide what a stage makes.
_SHARED = ("model.py", "offsets.py", "sentences.py", "steps.py", "parts.py", "reuse.py")
#: Libraries that decide what a stage makes.
_LIBRARIES = {
    "extract": ("python-calamine", "pyyaml", "pyarrow", "zstandard"),
    "clean": ("ftfy", "py3langid", "pyarrow"),
    "dedupe": ("numpy", "rapidfuzz", "pyarrow"),
    "enrich": ("numpy", "pyarrow"),
    "load": ("pyarrow",),
}
#: Files of one unit of extract: small files are read together up to this size, a larger one is its own unit. A shard costs
#: 0.15 s besides its rows, so it should have some thousand; a change reads its whole unit again, but works out new texts only.
UNIT_BYTES = 4_000_000
#: Folders of the work folder whose entries are sealed; the others are made anew by every run.
SEALED = ("units", "clean", "enriched", "parts")
#: The file of a sealed folder with the CRC-32 of each of the others: against faults, not against people.
_SUMS = "sums.json"


@cache
def code_fingerprint(stage: str) -> str:
    """12 hex digits over the source of a stage, what it shares, its schemas and its libraries."""
    here = Path(__file__).parent
    files = [here / name for name in _SHARED] + sorted((here.parent / "schemas").glob("*.py"))
    files += [p for p in sorted((here / stage).rglob("*")) if p.is_file() and p.suffix not in (".pyc", ".pyo")]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + _file_digest(path))
    for library in _LIBRARIES[stage]:
        digest.update(f"{library}={_version(library)}".encode())
    return digest.hexdigest()[:12]


@cache
def _file_digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


@cache
def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"


def fingerprint(*parts: object) -> str:
    """20 hex digits over JSON-able parts."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def hash_file(path: Path) -> str:
    """SHA-256 of a file; the empty string when it cannot be read (extract then says why)."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def units_of(files: Sequence[InputFile]) -> list[list[InputFile]]:
    """Group small files so that a change, a new or a removed file moves no other file to another unit.

    A unit ends after a file whose path hash is 0 modulo 32 or when it is full (content-defined chunking
    over the sorted paths); a large file stands alone.
    """
    units: list[list[InputFile]] = []
    open_bytes, is_closed = 0, True
    for file in files:
        if is_closed or open_bytes + file.size > UNIT_BYTES:
            units.append([])
            open_bytes = 0
        units[-1].append(file)
        open_bytes += file.size
        is_closed = hashlib.sha256(file.path.encode("utf-8", "surrogateescape")).digest()[0] % 32 == 0
    return units


def keep_only(folder: Path, names: Iterable[str]) -> None:
    """Remove work files that this run did not need, so that the work folder does not grow for ever."""
    wanted = set(names)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name not in wanted:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def rename_whole(temporary: Path, final: Path) -> None:
    """Seal a finished work folder and move it to its name; if another worker was quicker, its equal copy stays."""
    (temporary / _SUMS).write_text(json.dumps(_sums(temporary)), "ascii")
    sync_tree(temporary)
    try:
        os.replace(temporary, final)
    except OSError:
        if not final.exists():
            raise
        shutil.rmtree(temporary, ignore_errors=True)


def _sums(folder: Path) -> dict[str, int]:
    return {path.name: _crc32(path) for path in sorted(folder.iterdir()) if path.name != _SUMS}


def _crc32(path: Path) -> int:
    crc = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            crc = crc32(block, crc)
    return crc


def drop_damaged(work: Path) -> list[str]:
    """Remove work folders whose files are not those that were sealed; returns their names. They are then made anew.
    What a killed run had not finished goes too, but is no damage."""
    damaged = []
    for place in (work, *(work / name for name in (*SEALED, "groups"))):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            place.unlink()
    for folder in sorted(work.glob("*/*")):
        if folder.parent.name in SEALED and not _is_whole(folder):
            shutil.rmtree(folder) if folder.is_dir() and not folder.is_symlink() else folder.unlink()
            damaged += [f"{folder.parent.name}/{folder.name}"] if folder.suffix not in (".tmp", ".old") else []
    return damaged


def _is_whole(folder: Path) -> bool:
    try:
        return bool(json.loads((folder / _SUMS).read_text("ascii")) == _sums(folder))
    except (OSError, ValueError):
        return False
