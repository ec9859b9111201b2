"""Refreshes without end over inputs that change: python -m benchmarks.soak [--minutes 10] [--seed 1]

Every round adds, changes or removes files; every third round a run is started as a process of its own and killed after a
random time. Then a run in this process must succeed, its release must validate, and every tenth must have the data of a
rebuild from nothing. Over the rounds neither open files nor work folders nor memory may grow: prints them, and exits
with 1 when a promise is broken. With `keep_releases` of 3.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Rounds before memory counts: caches fill, and the allocator finds its size.
WARM = 10
#: Growth of memory after that, in MiB, that is a leak.
GROWTH = 150


def abstract(number: int) -> str:
    """A text that is like no other, now and then with what readers and cleaners must think about."""
    rng = random.Random(number)
    extra = rng.choice(["", " It costs $O(n^2)$ time.", " \\textbf{Bold} words \\unknown{stay}.", " Code: https://github.com/lab/foo.", " Größe & Maß, 5 < 7."])
    return f"We propose Foo{number}Net, model {number} of a series in which no sentence is empty. It reaches {50 + number % 50}.{number % 10}% accuracy on CIFAR-{number % 97}.{extra}\n\n"


def change(folder: Path, rng: random.Random) -> None:
    """Add, change or remove one file of up to 40."""
    files = sorted(folder.iterdir())
    if files and (len(files) > 40 or rng.random() < 0.3):
        rng.choice(files).unlink()
    path = folder / f"f{rng.randrange(60):02d}.txt"
    path.write_text("".join(abstract(rng.randrange(500)) for _ in range(rng.randint(1, 12))), "utf-8")


def killed(source: Path, out: Path, rng: random.Random) -> None:
    """Start a run as a process and kill it somewhere."""
    line = [sys.executable, "-m", "pipeline", "run", str(source), "--output", str(out), "--direct", "--quiet", "--accept-change", "soak"]
    run = subprocess.Popen(line, env=os.environ | {"PYTHONPATH": str(ROOT)}, cwd=source.parent)
    try:
        run.wait(rng.uniform(0.2, 6))
    except subprocess.TimeoutExpired:
        run.kill()
        run.wait()


def state(out: Path) -> tuple[int, int, int]:
    """Open files, entries of the work folder, and resident memory in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return len(os.listdir("/proc/self/fd")), sum(1 for _ in (out / "work").rglob("*")), pages * resource.getpagesize() >> 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    from pipeline.engines import InProcess
    from pipeline.load.validate import validate_release
    from pipeline.progress import Progress
    from pipeline.run import RunResult, run_pipeline
    from pipeline.settings import Settings

    def run(source: Path, out: Path) -> RunResult:
        settings = Settings(inputs=(str(source),), output=str(out), workers=1, accept_change="soak", keep_releases=3)
        return run_pipeline(settings, InProcess(), Progress(None))

    rng = random.Random(arguments.seed)
    end, rounds, wrong = time.monotonic() + 60 * arguments.minutes, 0, []
    seen: list[tuple[int, int, int]] = []
    with tempfile.TemporaryDirectory(prefix="soak-") as home:
        source, out = Path(home, "in"), Path(home, "out")
        source.mkdir()
        while time.monotonic() < end:
            rounds += 1
            change(source, rng)
            if rounds % 3 == 0:
                killed(source, out, rng)
            made = run(source, out)
            wrong += [f"round {rounds}: {text}" for text in validate_release(made.release)]
            if rounds % 10 == 0:
                rebuilt = run(source, Path(home, "rebuilt"))
                if rebuilt.version.split("-")[1] != made.version.split("-")[1]:
                    wrong.append(f"round {rounds}: the rebuild is {rebuilt.version}, the refresh {made.version}")
                shutil.rmtree(Path(home, "rebuilt"))
            seen.append(state(out))
        releases = len(list((out / "releases").iterdir()))
    first, last = seen[min(WARM, len(seen) - 1)], seen[-1]
    wrong += [f"open files grew from {first[0]} to {last[0]}"] if last[0] > first[0] + 5 else []
    wrong += [f"memory grew from {first[2]} to {last[2]} MiB"] if last[2] > first[2] + GROWTH else []
    wrong += [f"{releases} releases are kept, not 3"] if rounds > 5 and releases != 3 else []
    print("\n".join(wrong[:20]))
    print(f"{rounds} rounds, {rounds // 3} kills; open files {first[0]} to {last[0]}, work entries at most {max(s[1] for s in seen):,}, memory {first[2]} to {last[2]} MiB; {len(wrong)} promises broken")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
