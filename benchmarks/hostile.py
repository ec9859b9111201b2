"""Hostile and broken inputs of 18 groups, each beside a good neighbour with three records: one by one, then all in one run.

`python -m benchmarks.hostile` makes them, runs the pipeline on each as a process of its own, and says which promise broke:
no traceback and a release; the neighbour's three records as they are; the bad input told (a record, skipped by a rule, or
quarantined); no file outside the input read; nothing written outside the output; nothing called; nothing live in what
people look at; time and memory within limits. Exit code 1 if any broke.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hostile_files import FILE_GROUPS
from benchmarks.hostile_texts import TEXT_GROUPS, fill

SECONDS, MEMORY_MIB = 60, 1500
CANARY = "canary5e1f90"
#: Nothing of these is lost when nothing is told.
NOTHING_TO_TELL = {"link-to-here", "link-to-parent", "folder-named-as-file"}
LIVE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
LIVE_MARKUP = re.compile(r"<script>alert|<img src=x|<svg.onload|<iframe|href=\W?javascript", re.IGNORECASE)
LIVE_LINK = re.compile(rf"{LIVE_MARKUP.pattern}|\]\(javascript", re.IGNORECASE)
WORDS = ["oak", "pine", "rope", "salt", "frost", "tar", "joint", "beam", "winter", "river", "load", "crack", "bridge", "timber", "nail", "plank", "arch", "cable", "tower", "pier", "wind", "ice", "rust", "paint", "bolt", "steel"]
VERBS = ["measures", "compares", "weakens", "protects", "explains", "predicts", "replaces", "doubles", "survives", "limits"]


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    code: int
    seconds: float
    peak_mib: int
    told: str


def neighbour(number: int) -> list[str]:
    """Three abstracts that no other neighbour has."""
    rng = random.Random(number)

    def sentence() -> str:
        noun = [f"{rng.choice(WORDS)} {''.join(rng.choices('bdfgklmnprstvz', k=2))}{rng.choice('aeiou')}{rng.choice('bdgklmnrst')}" for _ in range(4)]
        return f"The {noun[0]} {rng.choice(VERBS)} the {noun[1]} where {noun[2]} meets {noun[3]} in {rng.randint(10, 999)} places."

    return [" ".join(sentence() for _ in range(5)) for _ in range(3)]


def make_inputs(base: Path, trap: str, names: Sequence[str]) -> dict[str, Path]:
    """All inputs below `base/in`, a folder each, and the secrets beside them that nobody may read."""
    (base / "secret").mkdir(parents=True)
    secret = json.dumps({"title": CANARY, "abstract": f"{CANARY} {' '.join(WORDS)} is nobody's business, and nothing that a file says may bring it out of here."})
    for path in (base / "secret.jsonl", base / "secret/s.jsonl"):
        path.write_text(secret + "\n", "utf-8")
    made: dict[str, Path] = {}
    for group, inputs in (FILE_GROUPS | TEXT_GROUPS).items():
        for name, make in inputs().items():
            if names and not any(wanted in f"{group}/{name}" for wanted in names):
                continue
            folder = base / "in" / f"{len(made):03}-{group}-{name}"
            folder.mkdir(parents=True)
            make(folder)
            fill(folder, trap, base / "secret.jsonl")
            rows = [{"title": f"Neighbour {len(made)} {n}", "abstract": text} for n, text in enumerate(neighbour(len(made)))]
            (folder / "good.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
            made[f"{group}/{name}"] = folder
    return made


def run(source: Path, output: Path, seconds: float) -> Ended:
    """The command `run` in a process of its own, watched: reading a secret or calling anything ends it with code 99."""
    begin = time.monotonic()
    told = output.with_suffix(".told")
    child = os.fork()
    if child == 0:
        _in_the_child(["run", str(source), "--output", str(output), "--direct", "--workers", "1", "--max-quarantine", "1"], told)
    code, peak = _wait(child, begin + seconds)
    return Ended(code, time.monotonic() - begin, peak, told.read_text("utf-8", "replace"))


def _in_the_child(arguments: list[str], told: Path) -> None:
    code = 98
    try:
        out = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.chdir(told.parent / "cwd")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        sys.addaudithook(_watch)
        from pipeline.cli import main

        code = main(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 97
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("socket.connect", "os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "pickle.find_class"):
        os.write(2, f"TRIPPED: {event}\n".encode())
        os._exit(99)
    if event == "open" and isinstance(arguments[0], str | bytes):
        real = os.path.realpath(os.fsdecode(arguments[0]))
        if "/secret" in real or real in ("/etc/passwd", "/dev/zero", f"/proc/{os.getpid()}/environ"):
            os.write(2, f"TRIPPED: read {real}\n".encode("utf-8", "replace"))
            os._exit(99)


def _wait(child: int, deadline: float) -> tuple[int, int]:
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status), usage.ru_maxrss // 1024
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.02)


def rows_of(release: Path, table: str) -> list[dict[str, str]]:
    """The rows of a table, from its CSV file: no library of the product has a hand in it."""
    csv.field_size_limit(1 << 30)
    with (release / "csv" / f"{table}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


class Released:
    """What a release says of its inputs."""

    def __init__(self, output: Path) -> None:
        self.release = (output / "current").resolve()
        self.sources = rows_of(self.release, "sources")
        self.texts = {row["abstract_id"]: row["text"] for row in rows_of(self.release, "abstracts")}
        self.paths = {row["source_file"] for row in self.sources} | {row["source_file"] for row in rows_of(self.release, "quarantine")}
        manifest = json.loads((self.release / "manifest.json").read_text("utf-8"))
        self.paths |= {entry["path"] for entry in manifest["inputs"] if entry["records"] or entry["skipped"]}

    def broken_by(self, number: int, name: str, prefix: str) -> Iterator[str]:
        """The promises that do not hold for one input."""
        mine = sorted((row for row in self.sources if row["source_file"] == f"{prefix}good.jsonl"), key=lambda row: int(row["ordinal"]))
        if [self.texts.get(row["abstract_id"]) for row in mine] != neighbour(number) or {row["relation"] for row in mine} != {"kept"}:
            yield f"the neighbour has {len(mine)} records, or changed ones"
        if not any(path.startswith(prefix) and path != f"{prefix}good.jsonl" for path in self.paths) and name not in NOTHING_TO_TELL:
            yield "nothing was told of the bad input"

    def live(self) -> Iterator[str]:
        """What of the release is live where people look at it."""
        for name in ("report.html", "README.md", "CHANGES.md", "manifest.json", "CITATION.cff"):
            text = (self.release / name).read_text("utf-8") if (self.release / name).is_file() else ""
            markup = LIVE_MARKUP if name.endswith(".html") else LIVE_LINK if name.endswith(".md") else None
            if found := LIVE.search(text) or (markup and markup.search(text)):
                yield f"{name} has {found[0]!r} in {text[max(found.start() - 60, 0) : found.end() + 20]!r}"
        if any(CANARY in path.read_text("utf-8", "replace") for path in (self.release / "csv").iterdir()):
            yield "a secret was read"


def problems(ended: Ended, limits: tuple[float, int]) -> Iterator[str]:
    """The promises that do not hold for a run."""
    if ended.code:
        yield f"exit code {ended.code} after {ended.seconds:.0f} s: {ended.told[-300:]!r}"
    if "Traceback" in ended.told:
        yield "a traceback"
    if found := LIVE.search(ended.told):
        yield f"{found[0]!r} on the terminal"
    if ended.seconds > limits[0]:
        yield f"{ended.seconds:.0f} s"
    if ended.peak_mib > limits[1]:
        yield f"{ended.peak_mib} MiB"


def outside(base: Path) -> set[str]:
    """All that lies beside inputs and outputs."""
    return {str(p) for folder in (base, base / "cwd", base / "secret", base.parent) for p in folder.iterdir() if not p.name.startswith("out")}


def try_inputs(base: Path, names: Sequence[str], *, singly: bool, say: Callable[[str], None]) -> int:
    """Make the inputs and run on them; returns how many broke a promise."""
    with socket.socket() as trap:
        trap.bind(("127.0.0.1", 0))
        trap.listen(16)
        trap.setblocking(False)
        made = make_inputs(base, f"http://127.0.0.1:{trap.getsockname()[1]}", names)
        (base / "cwd").mkdir()
        before, bad = outside(base), 0
        for number, (name, folder) in enumerate(made.items()) if singly else ():
            ended = run(folder, base / "out", SECONDS)
            found = [*problems(ended, (SECONDS, MEMORY_MIB)), *_looked_at(base, [(number, name.split("/")[1], "")])]
            bad += bool(found)
            say(f"{'BROKEN' if found else 'ok':6} {name:32} {ended.seconds:5.1f} s {ended.peak_mib:5} MiB  {'; '.join(found)}")
            shutil.rmtree(base / "out", ignore_errors=True)
        ended = run(base / "in", base / "out", SECONDS * 20)
        wanted = [(n, name.split("/")[1], f"{folder.name}/") for n, (name, folder) in enumerate(made.items())]
        found = [*problems(ended, (SECONDS * 20, MEMORY_MIB)), *_looked_at(base, wanted)]
        say(f"{'BROKEN' if found else 'ok':6} {'all in one run':32} {ended.seconds:5.1f} s {ended.peak_mib:5} MiB  {'; '.join(found)}")
        found += [f"written outside: {path}" for path in sorted(outside(base) - before)] + _called(trap)
        say(f"{len(made)} inputs in {len(FILE_GROUPS | TEXT_GROUPS)} groups, {bad} broke a promise alone; in one run or afterwards: {'; '.join(found[:9]) or 'none'}")
        return bad + bool(found)


def _looked_at(base: Path, wanted: Sequence[tuple[int, str, str]]) -> list[str]:
    if not (base / "out/current").exists():
        return ["no release"]
    released = Released(base / "out")
    return [f"{prefix}{problem}" for number, name, prefix in wanted for problem in released.broken_by(number, name, prefix)] + list(released.live())


def _called(trap: socket.socket) -> list[str]:
    try:
        trap.accept()[0].close()
    except BlockingIOError:
        return []
    return ["somebody called the address of the trap"]


def main() -> int:
    """Read the arguments, try, say what broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only inputs whose GROUP/NAME contains one of these")
    parser.add_argument("--together", action="store_true", help="only all in one run")
    parser.add_argument("--keep", type=Path, help="make the inputs here and leave them")
    arguments = parser.parse_args()
    import pandas  # noqa: F401 - here, so that no child needs to
    import pandera.pandas  # noqa: F401


    with tempfile.TemporaryDirectory() as folder:
        base = (arguments.keep or Path(folder)) / "hostile"
        return 1 if try_inputs(base, arguments.names, singly=not arguments.together, say=lambda line: print(line, flush=True)) else 0


if __name__ == "__main__":
    sys.exit(main())
