"""Which files are the input: everything below the named folders, in one order on every machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import UsageError


@dataclass(frozen=True, slots=True)
class InputFile:
    """One input file: `path` relative to the INPUT it came from (its name where INPUT is a file), and where it is."""

    path: str
    absolute: Path
    size: int


def discover(inputs: Sequence[Path]) -> list[InputFile]:
    """All input files, sorted by relative path.

    Left out: hidden files and folders, office lock files (`~$x.xlsx`), folders seen before (symbolic link loops).
    A file named twice is read once. Two different files with one relative path get the name of their INPUT
    in front (`b/x.txt`), and a number (`b-2/x.txt`) where that is taken too.
    Raises UsageError, naming every INPUT that does not exist.
    """
    missing = [str(path) for path in inputs if not path.exists()]
    if missing:
        raise UsageError(
            f"no such file or folder: {', '.join(missing)}",
            "check the spelling, or name another INPUT: abstracts run FILE-OR-FOLDER …",
            missing=missing,
        )
    taken: dict[str, Path] = {}
    seen: set[Path] = set()
    for root in inputs:
        for path, absolute in _files(root):
            real = absolute.resolve()
            if real in seen:
                continue
            seen.add(real)
            taken[_free_name(path, root, taken)] = absolute
    return [InputFile(path, absolute, _size(absolute)) for path, absolute in sorted(taken.items())]


def _free_name(path: str, root: Path, taken: dict[str, Path]) -> str:
    if path not in taken:
        return path
    folder = root.resolve() if root.is_dir() else root.resolve().parent
    name, number = f"{folder.name}/{path}", 2
    while name in taken:
        name, number = f"{folder.name}-{number}/{path}", number + 1
    return name


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    if not root.is_dir():
        yield _printable(root.name), root
        return
    visited: set[Path] = set()
    stack = [(root, "")]
    while stack:
        folder, prefix = stack.pop()
        real = folder.resolve()
        if real in visited:
            continue
        visited.add(real)
        entries = _scan(folder)
        if entries is None:
            yield _printable(prefix.rstrip("/") or root.name), folder
            continue
        for entry in sorted(entries, key=lambda e: e.name):
            if is_hidden(entry.name):
                continue
            if entry.is_dir():
                stack.append((Path(entry.path), f"{prefix}{entry.name}/"))
            elif entry.is_file() or entry.is_symlink():
                yield _printable(prefix + entry.name), Path(entry.path)


def is_hidden(name: str) -> bool:
    """True for names that no person keeps abstracts under: `.DS_Store`, `~$lock.xlsx`, `__MACOSX`."""
    return name.startswith((".", "~$")) or name in {"__MACOSX", "Thumbs.db", "desktop.ini"}


def _scan(folder: Path) -> list[os.DirEntry[str]] | None:
    """The entries of a folder; None where it cannot be listed: it then counts as a file, whose reading is quarantined."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _printable(path: str) -> str:
    """The path as text: bytes that are no UTF-8 become `\\xNN`, and `!` becomes `%21`, because `!` parts an archive from its member.

    >>> _printable("wow!.txt")
    'wow%21.txt'
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").replace("!", "%21")
