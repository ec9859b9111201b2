"""manifest.json, SHA256SUMS and the version: what a release says about its own bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pipeline.load.context import DataFile, ReleaseFacts
from schemas.tables import SCHEMA_VERSION

#: Files that the manifest cannot list: itself, and the list that lists it.
UNLISTED = ("manifest.json", "SHA256SUMS")


def data_hash(files: Iterable[DataFile]) -> str:
    """SHA-256 over the paths and hashes of the data files. Redirects are history, not data: two releases with the
    same abstracts have the same hash whatever came before them."""
    lines = sorted(f"{f.sha256}  {f.path}\n" for f in files if "redirects" not in f.path)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def as_json(value: Any) -> str:
    """JSON as the files of a release have it: UTF-8, indented, in the given order."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def render_manifest(facts: ReleaseFacts, digest: str, files: Iterable[DataFile]) -> str:
    """manifest.json. `files` are all files of the release but itself and SHA256SUMS, `digest` the hash of the data."""
    return as_json(
        {
            "version": facts.version,
            "schema_version": SCHEMA_VERSION,
            "data_sha256": digest,
            "build_date": facts.build_date.isoformat(),
            "code_version": facts.code_version,
            "settings": facts.settings,
            "fingerprint": facts.fingerprint,
            "previous": facts.previous_version,
            "accepted_change": facts.accepted_change,
            "inputs": [_input(dataclasses.asdict(entry)) for entry in facts.inputs],
            "ledger": facts.ledger,
            "losses": facts.losses,
            "unknown_macros": facts.unknown_macros,
            "figures": facts.figures,
            "quality": facts.quality,
            "files": [{"path": file.path, "sha256": file.sha256, "bytes": file.bytes} for file in files],
        }
    )


def _input(entry: dict[str, Any]) -> dict[str, Any]:
    return entry | {"skipped": dict(sorted(entry["skipped"].items()))}


def release_files(folder: Path) -> list[str]:
    """Paths of all files of a release, relative to it, in order."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() or path.is_symlink())


def render_sums(files: Iterable[DataFile]) -> str:
    """SHA256SUMS as `sha256sum --check` reads it."""
    return "".join(f"{file.sha256}  {file.path}\n" for file in sorted(files, key=lambda file: file.path))


def read_manifest(folder: Path) -> Mapping[str, Any]:
    """manifest.json of a release."""
    manifest: Mapping[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return manifest
