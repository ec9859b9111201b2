"""Publishing a release elsewhere: a folder, any URL that fsspec can write, or a dataset repository of the Hugging Face hub.

Folders and object stores get `releases/<version>/…` first and `current.json` last, so that whoever follows the
pointer finds a whole release; files that are there already with the right hash are kept, so an upload that broke off
is resumed by starting it again. The hub gets one commit, which is all or nothing. Either way every file is compared
by hash with what arrived. Nothing is deleted in folders and stores; a repository of the hub loses the data and CSV
files that the release does not have.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import OutputError, PipelineError, UsageError
from pipeline.load.disk import sha256_of
from pipeline.load.manifest import as_json, release_files
from pipeline.load.validate import validate_release

_HUB = "hf://datasets/"
_BLOCK = 1 << 20
#: They have no folders; making one would make a bucket where the name of the bucket is misspelt.
_OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "oss", "oci"})


@dataclass(frozen=True, slots=True)
class Transfer:
    """One file and what happens to it: `upload`, `keep` (is there already, same hash) or `point` (the pointer)."""

    action: str
    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Publication:
    """What was, or in a dry run would be, transferred, in order."""

    target: str
    version: str
    transfers: tuple[Transfer, ...]
    dry_run: bool

    def __str__(self) -> str:
        todo = [t for t in self.transfers if t.action != "keep"]
        verb = "Would transfer" if self.dry_run else "Transferred and verified"
        lines = [f"  {t.action:<6} {t.bytes:>14,}  {t.path}" for t in self.transfers]
        total = sum(t.bytes for t in todo)
        return "\n".join([f"{verb} {len(todo)} files, {total:,} bytes, release {self.version} to {self.target}:", *lines])


def publish_to(release: Path, target: str, *, dry_run: bool = True) -> Publication:
    """Publish the release in a folder to `target`: a folder, an fsspec URL, or `hf://datasets/owner/name`.

    Raises UsageError for a release that is not whole or a target that makes no sense, OutputError when the target
    cannot be written to or what arrived differs from what was sent.
    """
    release = release.resolve()
    if faults := validate_release(release):
        raise UsageError(f"The release {release.name} is not whole: {faults[0]}", f"See all with `abstracts validate {release}`.")
    try:
        return (_to_hub if target.startswith(_HUB) else _to_store)(release, target, dry_run)
    except PipelineError:
        raise
    except Exception as error:  # Every store has its own exceptions, and none of them is ours to know.
        raise OutputError(
            f"{target} could not be written to: {type(error).__name__}: {error}",
            "Look at the address, the rights and the network, then publish again; what arrived whole is kept.",
        ) from error


def _to_store(release: Path, target: str, dry_run: bool) -> Publication:
    from fsspec.core import url_to_fs

    try:
        system, root = url_to_fs(target)
    except (ValueError, ImportError) as error:
        raise UsageError(f"{target} cannot be written to: {error}.", "Name a folder, or a URL of a kind that fsspec knows.") from None
    home = posixpath.join(root, "releases", release.name)
    transfers = []
    for path in release_files(release):
        place, digest = posixpath.join(home, path), sha256_of(release / path)
        there = _remote_sha256(system, place) == digest
        transfers.append(Transfer("keep" if there else "upload", f"releases/{release.name}/{path}", (release / path).stat().st_size))
        if not there and not dry_run:
            if not _protocols(system) & _OBJECT_STORES:
                system.makedirs(posixpath.dirname(place), exist_ok=True)
            system.put_file(str(release / path), place)
            _verify(place, _remote_sha256(system, place), digest)
    pointer = _pointer(release)
    transfers.append(Transfer("point", "current.json", len(pointer)))
    if not dry_run:
        _swap_pointer(system, root, pointer)
    return Publication(target, release.name, tuple(transfers), dry_run)


def _protocols(system: Any) -> set[str]:
    return {system.protocol} if isinstance(system.protocol, str) else set(system.protocol)


def _pointer(release: Path) -> bytes:
    digest = sha256_of(release / "manifest.json")
    return as_json({"version": release.name, "path": f"releases/{release.name}", "manifest_sha256": digest}).encode()


def _swap_pointer(system: Any, root: str, pointer: bytes) -> None:
    """Replace the pointer in one step: by a rename where there are renames; a put of one object is one step anyway."""
    place = posixpath.join(root, "current.json")
    if "file" in _protocols(system):
        system.pipe_file(f"{place}.new", pointer)
        system.mv(f"{place}.new", place)
    else:
        system.pipe_file(place, pointer)
    _verify(place, _remote_sha256(system, place), hashlib.sha256(pointer).hexdigest())


def _remote_sha256(system: Any, place: str) -> str | None:
    digest = hashlib.sha256()
    try:
        with system.open(place, "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except FileNotFoundError:
        return None
    return digest.hexdigest()


def _verify(place: str, found: str | None, digest: str) -> None:
    if found != digest:
        raise _differs(place)


def _differs(place: str) -> OutputError:
    return OutputError(f"{place} arrived with other bytes than were sent.", "Publish again; files that are right are kept.")


def _to_hub(release: Path, target: str, dry_run: bool) -> Publication:
    """One commit that makes the repository hold exactly the files of the release."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    repository = target.removeprefix(_HUB).strip("/")
    if repository.count("/") != 1:
        raise UsageError(f"{target} is no dataset repository.", f"Write {_HUB}owner/name.")
    api = HfApi()
    there = {} if dry_run and not api.repo_exists(repository, repo_type="dataset") else _hub_hashes(api, repository, create=not dry_run)
    paths = release_files(release)
    keep = {path for path in paths if there.get(path) in (sha256_of(release / path), _git_hash(release / path))}
    transfers = [Transfer("keep" if path in keep else "upload", path, (release / path).stat().st_size) for path in paths]
    stale = sorted(path for path in there if path not in paths and path.split("/")[0] in ("data", "csv"))
    transfers += [Transfer("remove", path, 0) for path in stale]
    if not dry_run:
        operations: list[Any] = [CommitOperationAdd(path_in_repo=path, path_or_fileobj=release / path) for path in paths if path not in keep]
        operations += [CommitOperationDelete(path_in_repo=path) for path in stale]
        if operations:
            api.create_commit(repository, operations, commit_message=f"Release {release.name}", repo_type="dataset")
        arrived = _hub_hashes(api, repository)
        for path in paths:
            if arrived.get(path) not in (sha256_of(release / path), _git_hash(release / path)):
                raise _differs(path)
    return Publication(target, release.name, tuple(transfers), dry_run)


def _hub_hashes(api: Any, repository: str, *, create: bool = False) -> dict[str, str]:
    """Hash of each file in a repository: SHA-256 of large files, the Git blob id of the others."""
    if create:
        api.create_repo(repository, repo_type="dataset", exist_ok=True)
    entries: Iterable[Any] = api.list_repo_tree(repository, recursive=True, repo_type="dataset")
    return {entry.path: entry.lfs.sha256 if entry.lfs else entry.blob_id for entry in entries if hasattr(entry, "blob_id")}


def _git_hash(path: Path) -> str:
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
