"""Which files are the input: everything below the named folders, in one order on every machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import UsageError, show_unseen

_OUTSIDE = "is a link to something outside the input, which is not followed: name its target as an INPUT too, or put a copy in its place"
_SPECIAL = "is a pipe, socket or device, not a file: leave it out of the input"


@dataclass(frozen=True, slots=True)
class InputFile:
    """One input file: `path` relative to the INPUT it came from (its name where INPUT is a file), and where it is.
    `refused` says why it must not even be opened; empty for files."""

    path: str
    absolute: Path
    size: int
    refused: str = ""


def discover(inputs: Sequence[Path]) -> list[InputFile]:
    """All input files, sorted by relative path.

    Left out: hidden files and folders, office lock files (`~$x.xlsx`), folders seen before (symbolic link loops).
    Links that lead out of the inputs, pipes, sockets and devices come as refused files.
    A file named twice is read once. Two different files with one relative path get the name of their INPUT
    in front (`b/x.txt`), and a number (`b-2/x.txt`) where that is taken too.
    Raises UsageError, naming every INPUT that does not exist.
    """
    missing = [str(path) for path in inputs if not path.exists()]
    if missing:
        raise UsageError(
            f"no such file or folder: {', '.join(map(printable_name, missing))}",
            "check the spelling, or name another INPUT: abstracts run FILE-OR-FOLDER …",
            missing=missing,
        )
    roots = [os.path.realpath(root) for root in inputs]
    taken: dict[str, InputFile] = {}
    seen: set[str] = set()
    for root in inputs:
        for path, absolute in _files(root, roots):
            refused = _why_refused(absolute, roots)
            real = str(absolute) if refused else os.path.realpath(absolute)
            if real not in seen:
                seen.add(real)
                name = _free_name(path, root, taken)
                taken[name] = InputFile(name, absolute, 0 if refused else _size(absolute), refused)
    return [taken[name] for name in sorted(taken)]


def _why_refused(path: Path, roots: Sequence[str]) -> str:
    if not _is_inside(path, roots):
        return _OUTSIDE
    mode = _mode(path)
    return _SPECIAL if mode and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode) else ""


def _is_inside(path: Path, roots: Sequence[str]) -> bool:
    real = os.path.realpath(path)
    return any(real == root or real.startswith(os.path.join(root, "")) for root in roots)


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _free_name(path: str, root: Path, taken: Mapping[str, InputFile]) -> str:
    if path not in taken:
        return path
    folder = root.resolve() if root.is_dir() else root.resolve().parent
    name, number = f"{folder.name}/{path}", 2
    while name in taken:
        name, number = f"{folder.name}-{number}/{path}", number + 1
    return name


def _files(root: Path, roots: Sequence[str]) -> Iterator[tuple[str, Path]]:
    if not root.is_dir():
        yield printable_name(root.name), root
        return
    visited: set[str] = set()
    stack = [(root, "")]
    while stack:
        folder, prefix = stack.pop()
        real = os.path.realpath(folder)
        if real in visited:
            continue
        visited.add(real)
        entries = _scan(folder)
        if entries is None:
            yield printable_name(prefix.rstrip("/") or root.name), folder
            continue
        for entry in sorted(entries, key=lambda e: e.name):
            if is_hidden(entry.name):
                continue
            path = Path(entry.path)
            if stat.S_ISDIR(_mode(path)) and _is_inside(path, roots):
                stack.append((path, f"{prefix}{entry.name}/"))
            else:
                yield printable_name(prefix + entry.name), path


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


def printable_name(path: str) -> str:
    """The path as text that shows all it has: bytes that are no UTF-8 become `\\xNN`, control characters and those
    that are not seen or turn the text around become `\\xNN` or `\\uNNNN`, and `!` becomes `%21`, because `!` parts
    an archive from its member.

    >>> printable_name("wow!.txt"), printable_name("red\\x1b[31m")
    ('wow%21.txt', 'red\\\\x1b[31m')
    """
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").replace("!", "%21")
    return show_unseen(text).replace("\n", "\\x0a")
