"""Many runs started at once on one output: python -m benchmarks.starts [--starts 24]

Every run reads inputs of its own, so that each would publish another release. While they run, a reader follows
`current` again and again. Promised: each run publishes (exit code 0) or says who holds the output (3); one holds it
at a time; every release that is there afterwards, and every one that the reader met, is whole; a run after all of them
succeeds. Prints how the runs ended and exits with 1 when a promise is broken.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOLD = re.compile(r"abstracts: Another run holds .+ \((process (?P<process>\d+) on \S+, since [^)]+|it has only just begun)\)\.\n  \S")


def command(home: Path, number: int) -> subprocess.Popen[str]:
    """A run over the inputs `number`."""
    line = [sys.executable, "-m", "pipeline", "run", "in", "--output", str(home / "out"), "--direct", "--quiet", "--workers", "1"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(line, cwd=home / str(number), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def faults_of(release: Path) -> list[str]:
    """What is wrong with the hashes of a release; none of its files may change while it is there."""
    from pipeline.load.disk import sha256_of

    lines = (release / "SHA256SUMS").read_text("utf-8").splitlines()
    return [path for digest, path in (line.split("  ") for line in lines) if sha256_of(release / path) != digest]


def read(out: Path, seen: Counter[str]) -> Iterator[str]:
    """One look of a reader at the current release."""
    if (out / "current").exists():
        release = (out / "current").resolve()
        seen[release.name] += 1
        yield from (f"a reader met a wrong {path} in {release.name}" for path in faults_of(release))


def ended(runs: dict[int, tuple[int, str, str]]) -> Iterator[str]:
    """What is wrong about how the runs ended: process number to exit code and output."""
    if not any(code == 0 for code, *_ in runs.values()):
        yield "no run published"
    for code, told, error in runs.values():
        match = TOLD.search(error)
        if code == 3 and (match is None or (match["process"] and int(match["process"]) not in runs)):
            yield f"a run did not say who holds the output: {error}"
        if code not in (0, 3) or "Traceback" in error:
            yield f"a run ended with {code}: {told}{error}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=24, metavar="N")
    parser.add_argument("--input", type=Path, default=ROOT / "seeds", metavar="FOLDER")
    arguments = parser.parse_args()
    from pipeline.load.validate import validate_release

    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="starts-") as folder:
        home = Path(folder)
        for number in range(arguments.starts + 1):
            shutil.copytree(arguments.input, home / str(number) / "in")
            row = {"abstract": f"Run {number} of many is studied. A solver named Grid{number}Warm reaches an accuracy of {number + 10}.5% on ColdRooms."}
            (home / str(number) / "in/more.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
        started = [command(home, number) for number in range(arguments.starts)]
        wrong = []
        while any(run.poll() is None for run in started):
            wrong += read(home / "out", seen)
        runs = {run.pid: (run.returncode, *run.communicate()) for run in started}
        wrong += ended(runs)
        last = command(home, arguments.starts)
        said = last.communicate()
        if last.returncode:
            wrong.append(f"the run afterwards ended with {last.returncode}: {said[1]}")
        releases = sorted((home / "out/releases").iterdir())
        wrong += [f"{release.name}: {text}" for release in releases for text in validate_release(release)]
        if len(releases) != 1 + sum(code == 0 for code, *_ in runs.values()):
            wrong.append(f"{len(releases)} releases")
    codes = Counter(code for code, *_ in runs.values())
    print("\n".join(wrong[:20]))
    print(f"{arguments.starts} starts at once: {codes[0]} published, {codes[3]} told who holds the output; {seen.total()} reads of {len(seen)} releases; {len(wrong)} promises broken")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
