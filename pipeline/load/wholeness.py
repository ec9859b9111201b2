"""Whether a release is still what was published, by its bytes alone: what a run asks of the release that it follows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pipeline.load.disk import sha256_of
from pipeline.load.manifest import read_manifest, release_files

_SUM = re.compile(r"([0-9a-f]{64})  (\S.*)")


def byte_faults(folder: Path) -> Iterator[str]:
    """Files that are missing, not listed, or not as listed."""
    try:
        lines = (folder / "SHA256SUMS").read_text("utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        yield f"SHA256SUMS cannot be read ({error}): copy the release again."
        return
    listed = set()
    for number, line in enumerate(lines, 1):
        match = _SUM.fullmatch(line.removesuffix("\n"))
        if match is None or not line.endswith("\n"):
            yield f"SHA256SUMS, line {number}: this is no line of checksums: copy the release again."
            continue
        digest, path = match.groups()
        listed.add(path)
        if not (folder / path).is_file():
            yield f"{path}: the file is missing: copy it again."
        elif sha256_of(folder / path) != digest:
            yield f"{path}: the bytes are not those that were published: copy it again."
    for path in release_files(folder):
        if path not in listed and path != "SHA256SUMS":
            yield f"{path}: the file is not part of the release: remove it."


def looks_whole(folder: Path) -> bool:
    """Whether every file of a release is there with its size: a look that costs no reading."""
    try:
        files = read_manifest(folder)["files"]
        return (folder / "SHA256SUMS").is_file() and all((folder / file["path"]).stat().st_size == file["bytes"] for file in files)
    except (OSError, ValueError, LookupError, TypeError):
        return False


def fault_of(folder: Path) -> str | None:
    """The first thing that is wrong with the bytes of a release, or None."""
    try:
        return next(byte_faults(folder), None)
    except OSError as error:
        return f"{error.filename or folder}: {error.strerror or error}."
