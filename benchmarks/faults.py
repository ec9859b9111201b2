"""Faults at every system call that touches the output: python -m benchmarks.faults [--every 1] [--sample 60]

Runs `abstracts run INPUT --output OUT --direct --workers 1`, as first run and as refresh over a release, with one
fault each time, injected by strace into the n-th system call of its kind:

    KILL    SIGKILL before a call that changes the output
    ENOSPC  a call that may need space: opening for writing, writing, making a folder or link, renaming, synchronising
    EROFS   a call that changes names or opens for writing
    EIO     any call on the output, also reads and looks

After each one: what readers see is the old or the new release whole (`pipeline.load.validate`), a failed run has
ended with exit code 6, a message and no traceback, and the next run publishes the new release by itself and leaves
no litter. The order of synchronising before renaming is read off a log without faults.

Children are forked from a process that has imported everything, and strace is attached to them, so that a point
costs seconds. A first log without faults tells which calls touch the output; its n-th call is the same one in every
run. `--every N` takes each N-th of the calls that are many and alike (writes, reads, looks), `--sample N` at most N points
of each fault and mode, evenly over the run. Exits with 1 when a promise is broken.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAULTS = ("KILL", "ENOSPC", "EROFS", "EIO")
MODES = ("first", "refresh")
NAMING = ("mkdir", "mkdirat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "symlink", "symlinkat", "link", "linkat")
SYNCING = ("fsync", "fdatasync", "ftruncate", "flock")
WRITING = ("write", "pwrite64", "writev")
LOOKING = ("read", "pread64", "newfstatat", "getdents64", "close", "lseek", "statx", "readlink")
CALLS = ("openat", "open", "creat", *NAMING, *SYNCING, *WRITING, *LOOKING)
FOR_WRITING = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC)")
LINE = re.compile(r"(?P<thread>\d+) +(?:<\.\.\. )?(?P<call>\w+)(?P<rest>.*)")
#: Two more abstracts: what a refresh adds.
MORE = [
    {"id": "a", "title": "Grids", "abstract": "We study grids of sensors in cold rooms. A solver named GridWarm reaches an accuracy of 91.5% on the set ColdRooms."},
    {"id": "b", "title": "Ropes", "abstract": "Ropes of hemp are compared with ropes of wire. Over ten years the hemp lost 12% of its strength, the wire none."},
]


@dataclass(frozen=True)
class Point:
    """The `number`-th call named `call` of a run."""

    call: str
    number: int
    text: str


@dataclass(frozen=True)
class Ended:
    """How a child ended: exit code (negative: signal), what it said, and the log of strace."""

    code: int
    told: str
    log: str


def in_child(action: Callable[[], int], home: Path, strace: Sequence[str] = ()) -> Ended:
    """Run `action` in a forked child, under strace where options are given."""
    (home / "log").write_text("")
    gate = os.pipe()
    child = os.fork()
    if not child:
        _be_child(action, home, gate[0])
    tracer = _attach(child, home, strace) if strace else None
    os.write(gate[1], b"x")
    for end in gate:
        os.close(end)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if tracer is not None:
        tracer.wait()
    return Ended(code, (home / "told").read_text("utf-8", "replace"), (home / "log").read_text("utf-8", "replace"))


def _be_child(action: Callable[[], int], home: Path, gate: int) -> None:
    code = 99
    try:
        ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER: anybody, for strace as a sibling
        told = os.open(home / "told", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(told, 1)
        os.dup2(told, 2)
        os.read(gate, 1)
        code = action()
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _attach(child: int, home: Path, options: Sequence[str]) -> subprocess.Popen[str]:
    tracer = subprocess.Popen(["strace", "-f", "-y", "-s", "0", "-o", str(home / "log"), *options, "-p", str(child)], stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    for line in tracer.stderr:
        if "attached" in line:
            return tracer
    sys.exit("strace could not attach to a process of its own user; see /proc/sys/kernel/yama/ptrace_scope.")


class World:
    """A folder with the inputs, a release of the old ones, and an output folder for each point."""

    def __init__(self, home: Path, seeds: Path) -> None:
        self.home, self.out, self.old_out = home, home / "out", home / "base"
        for name in ("old", "new"):
            shutil.copytree(seeds, home / name / "seeds")
        (home / "new/seeds/more.jsonl").write_text("".join(json.dumps(row) + "\n" for row in MORE), "utf-8")
        self.healed: dict[str, str] = {}
        self.known: dict[str, list[str]] = {}
        self.need(self.run("old", self.old_out))
        self.old = self.current(self.old_out)
        self.need(self.run("new", self.out))
        self.new = self.current(self.out)

    def need(self, ended: Ended) -> None:
        if ended.code:
            sys.exit(f"a run without a fault failed:\n{ended.told}")

    def current(self, out: Path) -> str:
        return (out / "current").resolve().name

    def run(self, which: str, out: Path, strace: Sequence[str] = ()) -> Ended:
        """A run over the old or the new inputs."""
        from pipeline.cli import main

        def action() -> int:
            os.chdir(self.home / which)
            return main(["run", "seeds", "--output", str(out), "--direct", "--workers", "1"])

        return in_child(action, self.home, strace)

    def reset(self, mode: str) -> None:
        shutil.rmtree(self.out, ignore_errors=True)
        if mode == "refresh":
            shutil.copytree(self.old_out, self.out, symlinks=True)

    def faults_of(self, release: Path) -> list[str]:
        """What `validate` says of a release, asked once of the same bytes."""
        from pipeline.load.validate import validate_release

        digest = tree_digest(release)
        if digest not in self.known:
            ended = in_child(lambda: print("\n".join(validate_release(release))) or 0, self.home)
            self.known[digest] = [*ended.told.split("\n")] if ended.told.strip() or ended.code else []
        return self.known[digest]


def tree_digest(folder: Path, leave_out: Sequence[str] = ()) -> str:
    """A digest of names, kinds and bytes below a folder; process numbers in names do not count."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.split("/")[0] in leave_out:
            continue
        content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b"/"
        digest.update(re.sub(r"\b\d{2,7}(?=\.tmp|$|/)", "N", name).encode() + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()


def calls(log: str, out: Path) -> Iterator[tuple[str, int, str, bool]]:
    """Name, number and text of every call of the main thread, and whether it touches the output."""
    counts: Counter[str] = Counter()
    main = None
    for line in log.splitlines():
        match = LINE.match(line)
        if match is None or "resumed>" in line or match["call"] not in CALLS:
            continue
        main = main or match["thread"]
        if match["thread"] == main:
            counts[match["call"]] += 1
            yield match["call"], counts[match["call"]], line, str(out) in line


def changes(call: str, text: str) -> bool:
    """Whether a call may change the output."""
    return call in NAMING or call in SYNCING or call in WRITING or (call in ("openat", "open", "creat") and bool(FOR_WRITING.search(text)))


def may_fail(fault: str, call: str, text: str) -> bool:
    """Whether a fault makes sense at a call."""
    if fault == "EIO":
        return call != "flock"
    if not changes(call, text) or (fault != "KILL" and call == "flock"):
        return False
    if fault == "ENOSPC":
        return call not in ("unlink", "unlinkat", "rmdir")
    return fault == "KILL" or (call not in WRITING and call not in SYNCING)


def points(log: str, out: Path, fault: str, every: int) -> list[Point]:
    """Where a fault is injected. `every` thins the calls that are many and alike."""
    found, alike = [], 0
    for call, number, text, touches in calls(log, out):
        if not touches or not may_fail(fault, call, text):
            continue
        if call in WRITING or call in LOOKING or not changes(call, text):
            alike += 1
            if alike % every:
                continue
        found.append(Point(call, number, text))
    return found


def thin(found: list[Point], most: int | None) -> list[Point]:
    """At most so many points, evenly over the run."""
    if most is None or len(found) <= most:
        return found
    return [found[(2 * index + 1) * len(found) // (2 * most)] for index in range(most)]


def try_point(world: World, mode: str, fault: str, point: Point) -> tuple[str, list[str]]:
    """How the run ended that met the fault, and the promises that it broke."""
    world.reset(mode)
    what = "signal=KILL" if fault == "KILL" else f"error={fault}"
    ended = world.run("new", world.out, ["-e", f"trace={point.call}", "-e", f"inject={point.call}:{what}:when={point.number}"])
    if any("(INJECTED)" in line and str(world.out) not in line for line in ended.log.splitlines()):
        return "hit another call", []
    wrong = [*said(ended, fault), *seen(world, mode, ended)]
    state = tree_digest(world.out, ("runs",)) if world.out.exists() else "nothing"
    if state not in world.healed:
        again = world.run("new", world.out)
        world.healed[state] = "; ".join(healed(world, again))
    wrong += [world.healed[state]] if world.healed[state] else []
    return {0: "survived", -signal.SIGKILL: "killed", 6: "failed well"}.get(ended.code, f"exit {ended.code}"), wrong


def said(ended: Ended, fault: str) -> Iterator[str]:
    """What is wrong about the end of a run."""
    if fault == "KILL":
        if ended.code not in (-signal.SIGKILL, 0):
            yield f"exit {ended.code} instead of the kill"
        return
    if ended.code not in (0, 6):
        yield f"exit {ended.code}"
    if "Traceback" in ended.told or "Exception ignored" in ended.told:
        yield "a traceback"
    if ended.code and ("\nabstracts: " not in f"\n{ended.told}" or "Internal error" in ended.told):
        yield "no message that names the fault"


def seen(world: World, mode: str, ended: Ended) -> Iterator[str]:
    """What is wrong about what readers see."""
    current = world.out / "current"
    if not current.exists():
        if mode == "refresh" or ended.code == 0:
            yield "there is no current release"
        return
    version = world.current(world.out)
    if version not in ((world.old, world.new) if mode == "refresh" and ended.code else (world.new,)):
        yield f"the current release is {version}"
    if found := world.faults_of(current.resolve()):
        yield f"the current release is not whole: {found[0]}"
    pointer = world.out / "current.json"
    if pointer.exists() and not (world.out / json.loads(pointer.read_text("utf-8"))["path"] / "SHA256SUMS").is_file():
        yield "current.json leads nowhere"


def healed(world: World, again: Ended) -> Iterator[str]:
    """What is wrong after the next run."""
    if again.code:
        yield f"the next run ends with {again.code}: {again.told.strip()[-300:]}"
        return
    if world.current(world.out) != world.new:
        yield f"the next run made {world.current(world.out)}"
    if found := world.faults_of((world.out / "current").resolve()):
        yield f"the next release is not whole: {found[0]}"
    if json.loads((world.out / "current.json").read_text("utf-8"))["version"] != world.new:
        yield "current.json names another release"
    litter = [str(p.relative_to(world.out)) for p in world.out.rglob("*") if re.search(r"\.(tmp|new|old)$", p.name) or p.parent.name == ".staging"]
    if litter:
        yield f"litter: {', '.join(litter[:3])}"


def order_of_syncs(log: str, out: Path) -> list[str]:
    """What was renamed before it was on the disk, out of a log without faults. Files and folders come before the rename
    of the folder that holds them, a release's place in `releases` before the pointers, and each pointer's place after its
    swap. Reports of runs are not promised."""
    unsafe: set[str] = set()
    wrong = []
    for call, _, text, touches in calls(log, out):
        named = [a for a, _ in re.findall(r'"([^"]*)"|<([^<>]*)>', text) if a]
        path = next((a or b for a, b in re.findall(r'"([^"]*)"|<([^<>]*)>', text) if str(out) in (a or b)), "")
        if not touches or path.startswith(f"{out}/runs"):
            continue
        if call in WRITING or (call == "openat" and "O_CREAT" in text):
            unsafe.add(path)
        elif call.startswith("mkdir") and " = 0" in text:
            unsafe |= {path} if path != str(out / "releases") else set()
        elif call in ("fsync", "fdatasync"):
            unsafe.discard(path)
        elif call.startswith("rename"):
            old, new = named[-2:]
            lost = {name for name in unsafe if name == old or name.startswith(f"{old}/")}
            if new.startswith(str(out / "current")):
                lost |= unsafe & {str(out / "releases"), str(out)}
            wrong += [f"{os.path.relpath(name, out)} was not on the disk before the rename to {os.path.relpath(new, out)}" for name in sorted(lost)]
            unsafe -= lost
            unsafe |= {os.path.dirname(new)} if not new.startswith(f"{out}/work/") else set()
    return wrong + [f"{os.path.relpath(name, out)} was not synchronised at the end" for name in (str(out), str(out / "releases")) if name in unsafe]


def sweep(world: World, mode: str, faults: Sequence[str], limits: tuple[int, int | None]) -> tuple[int, int]:
    """All points of one mode: how many were tried, how many broke a promise."""
    world.reset(mode)
    plain = world.run("new", world.out, ["-e", f"trace={','.join(CALLS)}"])
    world.need(plain)
    tried = broken = 0
    for text in order_of_syncs(plain.log, world.out):
        print(f"{mode:8} order    {text}", flush=True)
        broken += 1
    for fault in faults:
        found = points(plain.log, world.out, fault, limits[0])
        ends: Counter[str] = Counter()
        begun = time.monotonic()
        for point in thin(found, limits[1]):
            end, wrong = try_point(world, mode, fault, point)
            ends[end] += 1
            broken += bool(wrong)
            for text in wrong:
                print(f"{mode:8} {fault:8} {point.call} {point.number}: {text}\n    {point.text[:300]}", flush=True)
        tried += ends.total()
        how = ", ".join(f"{n} {end}" for end, n in sorted(ends.items()))
        print(f"{mode:8} {fault:8} {ends.total()} of {len(found)} points: {how} ({time.monotonic() - begun:.0f} s)", flush=True)
    return tried, broken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=Path, default=ROOT / "seeds", metavar="FOLDER")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th of the calls that are many and alike")
    parser.add_argument("--sample", type=int, metavar="N", help="at most N points of each fault and mode")
    parser.add_argument("--fault", choices=FAULTS, action="append", help="only this fault (may be repeated)")
    parser.add_argument("--mode", choices=MODES, action="append", help="only this mode (may be repeated)")
    arguments = parser.parse_args()
    if not shutil.which("strace"):
        sys.exit("This needs strace (apt-get install strace).")
    os.environ["SOURCE_DATE_EPOCH"] = os.environ.get("SOURCE_DATE_EPOCH", "1764547200")
    from pipeline.process import start_quickly

    start_quickly()
    import pipeline.commands
    import pipeline.load.validate
    import pipeline.run
    import pipeline.stages
    import pipeline.steps  # noqa: F401

    tried = broken = 0
    with tempfile.TemporaryDirectory(prefix="faults-") as home:
        world = World(Path(home).resolve(), arguments.input)
        for mode in arguments.mode or MODES:
            done = sweep(world, mode, arguments.fault or FAULTS, (arguments.every, arguments.sample))
            tried, broken = tried + done[0], broken + done[1]
    print(f"{tried} points, {broken} promises broken")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
