"""Publishing: the only place that renames. Readers see the old release whole or the new one whole.

    outputs/.lock            held (flock) while a run may write; the kernel frees it when its holder dies
    outputs/.staging/        what runs are building; belongs to the holder of the lock, the rest is litter
    outputs/releases/        one folder per version, never written again once it is there
    outputs/current          symbolic link to a release; outputs/current.json says the same as a file
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from pipeline.errors import OutputBusyError, UsageError
from pipeline.load import disk
from pipeline.load.context import StagedRelease
from pipeline.load.disk import sha256_of
from pipeline.load.manifest import as_json
from pipeline.load.wholeness import fault_of


@contextmanager
def output_lock(output: Path) -> Iterator[None]:
    """Hold the output folder while the block runs, and remove what dead runs left behind.

    Raises OutputBusyError when another process holds it, OutputError when the folder cannot be written.
    """
    with disk.explain_io(output):
        output.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(output / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        with disk.explain_io(output):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise _busy(output, descriptor) from None
            _sign_lock(descriptor)
            _recover(output)
        yield
    finally:
        os.close(descriptor)


def _sign_lock(descriptor: int) -> None:
    """Say in the lock file who holds it. For people only: what counts is the lock, so a full disk is no obstacle here."""
    holder = {"process": os.getpid(), "host": os.uname().nodename, "since": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"}
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, as_json(holder).encode(), 0)


def _busy(output: Path, descriptor: int) -> OutputBusyError:
    """The error that names the holder, unless it has not signed the lock yet."""
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
        who = f"process {int(holder['process'])} on {holder['host']}, since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        who = "it has only just begun"
    do = "Wait until it has ended, or choose another --output. Nothing was changed."
    return OutputBusyError(f"Another run holds {output} ({who}).", do)


def _recover(output: Path) -> None:
    """Remove staging folders of dead runs, and finish a pointer swap that was cut in two."""
    disk.remove_tree(output / ".staging")
    for name in (".current.new", ".current.json.new"):
        (output / name).unlink(missing_ok=True)
    current = current_release(output)
    if current is not None and not (_pointer(output) == current.name == Path(os.path.realpath(output / "current")).name):
        _point(output, current)


def _pointer(output: Path) -> str | None:
    try:
        version = json.loads((output / "current.json").read_text("utf-8"))["version"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(version)


def current_release(output: Path) -> Path | None:
    """The folder of the current release, resolved; None before the first. `current.json` stands in for a link that a
    copy has lost."""
    for candidate in (output / "current", output / "releases" / (_pointer(output) or "")):
        if (candidate / "manifest.json").is_file():
            return Path(os.path.realpath(candidate))
    return None


def list_releases(output: Path) -> list[Path]:
    """Folders of all published releases, the oldest first: by build date, within a day by the time of writing."""
    folder = output / "releases"
    releases = [path for path in folder.iterdir() if (path / "manifest.json").is_file()] if folder.is_dir() else []
    return sorted(releases, key=lambda path: (path.name[:8], (path / "manifest.json").stat().st_mtime_ns, path.name))


def publish(staged: StagedRelease, output: Path) -> Path:
    """Make a staged release durable, move it into place, and point `current` at it. The caller holds the lock.

    Returns the release's folder. A version that is there already stays as it is, and only the pointer moves, unless the
    disk has damaged it: then it is kept in `outputs/damaged`, and what was built takes its place.
    """
    target = output / "releases" / staged.version
    with disk.explain_io(output):
        if target.exists() and fault_of(target) is not None:
            _set_aside(output, target)
        if not target.parent.exists():
            target.parent.mkdir()
            disk.sync(output)
            disk.sync(output.parent)
        if not target.exists():
            disk.sync_tree(staged.folder)
            os.rename(staged.folder, target)
            disk.sync(target.parent)
        else:
            disk.remove_tree(staged.folder)
        _point(output, target)
    return target


def _set_aside(output: Path, release: Path) -> None:
    grave = output / "damaged" / release.name
    grave.parent.mkdir(exist_ok=True)
    disk.remove_tree(grave)
    os.rename(release, grave)
    disk.sync(grave.parent)
    disk.sync(release.parent)


def newest_whole(output: Path) -> tuple[Path | None, str]:
    """The release that the next one follows: the current one, or where that is damaged the newest that is not, with a
    sentence that says so."""
    current = current_release(output)
    others = [path for path in reversed(list_releases(output)) if path.resolve() != current]
    said = ""
    for path in [*([current] if current else []), *others]:
        if (fault := fault_of(path)) is None:
            return path, f"{said}; the new one follows {path.name} instead" if said else ""
        said = said or f"The current release {path.name} is damaged ({fault.rstrip('.')})"
    return None, f"{said}; none is whole, so the history of ids begins anew" if said else ""


def keep_staged(staged: StagedRelease, output: Path) -> Path:
    """Keep a staged release that is not to be published where a person can look at it: `outputs/staged/<version>`."""
    target = output / "staged" / staged.version
    with disk.explain_io(output):
        target.parent.mkdir(exist_ok=True)
        disk.remove_tree(target)
        os.rename(staged.folder, target)
    return target


def _point(output: Path, release: Path) -> None:
    disk.replace_link(output / "current", f"releases/{release.name}")
    _write_pointer_file(output, release)


def _write_pointer_file(output: Path, release: Path) -> None:
    pointer = {"version": release.name, "path": f"releases/{release.name}", "manifest_sha256": sha256_of(release / "manifest.json")}
    disk.replace_file(output / "current.json", as_json(pointer))


def use_release(output: Path, version: str) -> Path:
    """Make a published release the current one (also an older one: rollback). The caller holds the lock.

    Raises UsageError for a version that is not there.
    """
    releases = {path.name: path for path in list_releases(output)}
    if version not in releases:
        known = ", ".join(releases) or "none"
        raise UsageError(f"There is no release {version!r} in {output}.", f"Published releases: {known}.")
    with disk.explain_io(output):
        _point(output, releases[version])
    return releases[version]


def retain_releases(output: Path, keep: int) -> list[str]:
    """Remove the oldest releases but the newest `keep` and the current one; returns what was removed. The caller holds the lock.

    A release is first renamed out of sight, so that nobody finds half of it.
    """
    current = current_release(output)
    doomed = [path for path in list_releases(output)[:-keep] if path.resolve() != current] if keep > 0 else []
    with disk.explain_io(output):
        for path in doomed:
            grave = output / ".staging" / path.name
            grave.parent.mkdir(exist_ok=True)
            os.rename(path, grave)
            disk.sync(path.parent)
            disk.remove_tree(grave)
    return [path.name for path in doomed]
