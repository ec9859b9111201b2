"""Durable file operations: nothing counts as written before it is synchronised, nothing is seen half."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import OutputError


@contextmanager
def explain_io(folder: Path) -> Iterator[None]:
    """Turn an OSError into an OutputError that says what to do."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        what = "The disk is full" if full else f"Writing failed ({error.strerror or error})"
        do = "Free space, then run again" if full else "Check that the folder is there, writable and healthy, then run again"
        raise OutputError(
            f"{what}: {error.filename or folder}.", f"{do}; the current release is untouched.", path=str(folder)
        ) from error


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file whole (not yet synchronised)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def sync(path: Path) -> None:
    """Bring a file or the entries of a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Bring every file and folder below `folder`, and itself, to the disk."""
    for path in sorted(folder.rglob("*"), reverse=True):
        sync(path)
    sync(folder)


def replace_file(path: Path, content: str) -> None:
    """Put a new content in place of a file in one step, durably."""
    temporary = path.with_name(f".{path.name}.new")
    write_file(temporary, content)
    sync(temporary)
    os.replace(temporary, path)
    sync(path.parent)


def replace_link(path: Path, target: str) -> None:
    """Point a symbolic link elsewhere in one step, durably."""
    if path.is_dir() and not path.is_symlink():
        raise OutputError(f"{path} is a folder where a link has to be.", "Move it away, then run again; the releases are untouched.")
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    os.symlink(target, temporary)
    os.replace(temporary, path)
    sync(path.parent)


def remove_tree(folder: Path) -> None:
    """Remove a folder; one that is not there is no error."""
    if folder.exists():
        shutil.rmtree(folder)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
