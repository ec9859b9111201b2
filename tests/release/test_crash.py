"""Killed, crowded out or out of space at any point: readers see the old or the new release whole, the next run succeeds.

Children are forked, so that a kill costs milliseconds. An audit hook counts every file operation of Python, wrappers
count the ones that raise no audit event; at the chosen one the child is killed, or the operation fails.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.errors import OutputBusyError, OutputError
from pipeline.load.context import LoadOptions, StagedRelease
from pipeline.load.disk import sha256_of
from pipeline.load.publish import current_release, output_lock, publish
from tests.support.parts import make_rows, release, stage

OPERATIONS = ("open", "os.mkdir", "os.rename", "os.symlink", "os.remove", "os.rmdir", "os.truncate")
SUCCEEDED, SURVIVED, FAILED_WELL = 0, 7, 40


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StagedRelease]:
    """An output folder with one release, and a second one that is built but not published."""
    home = tmp_path_factory.mktemp("crash")
    release(make_rows(4), home / "out", home / "1")
    staged = stage(make_rows(8, seed=1), home / "out", home / "2", LoadOptions(rows_per_group=2, groups_per_file=1))
    kept = shutil.move(staged.folder, home / "staged")
    return home, replace(staged, folder=Path(kept))


def in_child(action: Callable[[], object], at: int, happen: Callable[[], None]) -> int:
    """Run `action` in a forked child in which `happen` is called before file operation number `at`; its exit code.

    SUCCEEDED means that there were fewer operations than `at`, SURVIVED that the failure did no harm.
    """
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    count = itertools.count(1)

    def tick(event: str, arguments: tuple[object, ...]) -> None:
        if event in OPERATIONS and "/crash" in str(arguments[0]) and next(count) == at:
            happen()

    def counted(function: Callable[[int], None]) -> Callable[[int], None]:
        def wrapper(descriptor: int) -> None:
            if next(count) == at:
                happen()
            function(descriptor)

        return wrapper

    os.fsync, os.close = counted(os.fsync), counted(os.close)  # type: ignore[assignment]
    sys.addaudithook(tick)
    try:
        action()
    except OutputError as error:
        os._exit(FAILED_WELL if "current release is untouched" in str(error) else 41)
    except BaseException:
        os._exit(42)
    os._exit(SUCCEEDED if next(count) <= at or at < 0 else SURVIVED)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def fresh(world: tuple[Path, StagedRelease], out: Path) -> StagedRelease:
    """`out` as it was after the first release, with the second one staged in it."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(world[0] / "out", out, symlinks=True)
    return restage(world, out)


def restage(world: tuple[Path, StagedRelease], out: Path) -> StagedRelease:
    folder = out / ".staging" / "again"
    folder.parent.mkdir(exist_ok=True)
    shutil.copytree(world[0] / "staged", folder)
    return replace(world[1], folder=folder)


def assert_whole(out: Path, versions: set[str]) -> None:
    """What a reader sees is one of the versions, whole."""
    current = current_release(out)
    assert current is not None
    assert current.name in versions
    lines = (current / "SHA256SUMS").read_text("utf-8").splitlines()
    assert len(lines) > 25
    for line in lines:
        digest, path = line.split("  ")
        assert sha256_of(current / path) == digest
    pointer = json.loads((out / "current.json").read_text("utf-8"))
    assert pointer["version"] in versions
    assert sha256_of(out / pointer["path"] / "manifest.json") == pointer["manifest_sha256"]


def publish_locked(staged: StagedRelease, out: Path) -> None:
    with output_lock(out):
        publish(staged, out)


def points(world: tuple[Path, StagedRelease], out: Path, happen: Callable[[], None]) -> Iterator[int]:
    """Exit codes of publishing with something happening at operation 1, 2, 3, … until it happens no more."""
    staged = fresh(world, out)
    old = current_release(out)
    for at in itertools.count(1):
        if not staged.folder.exists() or current_release(out) != old or (out / "releases" / staged.version).exists():
            staged = fresh(world, out)
        code = in_child(lambda staged=staged: publish(staged, out), at, happen)  # type: ignore[misc]
        yield code
        if code == SUCCEEDED:
            return


def test_killed_at_every_operation(world: tuple[Path, StagedRelease], tmp_path: Path) -> None:
    out = tmp_path / "crash"
    old, new = (world[0] / "out/current").resolve().name, world[1].version
    seen = []
    for code in points(world, out, kill):
        assert code in (-signal.SIGKILL, SUCCEEDED)
        assert_whole(out, {old, new})
        seen.append(current_release(out).name)  # type: ignore[union-attr]
        if len(seen) % 10 == 0 or code == SUCCEEDED:
            with output_lock(out):
                assert list((out / "releases").glob(".*")) == []
                assert not (out / ".staging").exists()
                publish(restage(world, out), out)
            assert_whole(out, {new})
    assert len(seen) >= 200
    assert seen == sorted(seen, key=lambda version: version == new), "the swap happens once"
    assert {old, new} == set(seen)


def test_no_space_at_every_operation(world: tuple[Path, StagedRelease], tmp_path: Path) -> None:
    out = tmp_path / "crash"
    old, new = (world[0] / "out/current").resolve().name, world[1].version
    codes = []
    for code in points(world, out, fail):
        assert code in (FAILED_WELL, SURVIVED, SUCCEEDED)
        assert_whole(out, {old, new})
        codes.append(code)
    assert len(codes) >= 200
    publish_locked_again(world, out)


def publish_locked_again(world: tuple[Path, StagedRelease], out: Path) -> None:
    with output_lock(out):
        publish(restage(world, out), out)
    assert_whole(out, {world[1].version})


@pytest.mark.parametrize("share", [0, 0.1, 0.4, 0.9])
def test_no_space_while_building(world: tuple[Path, StagedRelease], tmp_path: Path, share: float) -> None:
    """A limit on the size of files stands in for a full disk: also the writes of the Parquet library fail then."""
    out = tmp_path / "crash"
    old = (world[0] / "out/current").resolve().name
    shutil.copytree(world[0] / "out", out, symlinks=True)
    largest = max(path.stat().st_size for path in (world[0] / "staged").rglob("*") if path.is_file())

    def build() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(largest * share), resource.RLIM_INFINITY))
        with output_lock(out):
            from tests.support import parts

            publish(parts.build_release(written, context, parts.LoadOptions()), out)

    from tests.support import parts

    rows = make_rows(4, seed=1)
    written, context = parts.write_parts(rows, tmp_path / "parts"), parts.context_for(rows, out)
    assert in_child(build, -1, kill) == FAILED_WELL
    assert_whole(out, {old})
    assert_whole_after(release(rows, out, tmp_path / "parts"), out)


def assert_whole_after(made: Path, out: Path) -> None:
    assert_whole(out, {made.name})


@pytest.mark.parametrize("at", [1, 5, 20, 45, 70])
def test_killed_while_building(world: tuple[Path, StagedRelease], tmp_path: Path, at: int) -> None:
    out = tmp_path / "crash"
    old = (world[0] / "out/current").resolve().name
    shutil.copytree(world[0] / "out", out, symlinks=True)
    rows = make_rows(4, seed=1)
    code = in_child(lambda: release(rows, out, tmp_path / "parts"), at, kill)
    assert code == -signal.SIGKILL
    assert_whole(out, {old})
    assert_whole_after(release(rows, out, tmp_path / "parts"), out)


def test_one_run_at_a_time_and_the_lock_dies_with_its_holder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        with output_lock(out):
            os.write(ready[1], b"x")
            os.read(go[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    with pytest.raises(OutputBusyError, match=rf"Another run holds .* \(process {child} on .*, since 20"), output_lock(out):
        pass
    (out / ".lock").write_text("half a", "utf-8")
    with pytest.raises(OutputBusyError, match=r"Another run holds .* \(it has only just begun"), output_lock(out):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with output_lock(out):
        pass


def test_readers_never_see_a_mixture(world: tuple[Path, StagedRelease], tmp_path: Path) -> None:
    """Publish to and fro while another process reads: every reader that resolves `current` once sees one release."""
    out = tmp_path / "crash"
    staged = fresh(world, out)
    old, new = (out / "current").resolve().name, staged.version
    child = os.fork()
    if not child:
        from pipeline.load.publish import use_release

        publish(staged, out)
        for version in (old, new) * 40:
            use_release(out, version)
        os._exit(0)
    reads = 0
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        assert_whole(out, {old, new})
        reads += 1
    assert reads > 3
