"""Bits flipped at random places of a release: python -m benchmarks.flips [--release outputs/current] [--flips 1000]

Each flip is made in a copy, alone; `validate` must find it, and must not find anything once it is undone. Files are
drawn by their size, so that every bit of the release is as likely as any other; a fifth of the flips are drawn by
file instead, so that small files have their share. Without a release the seeds are published first.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def flip(path: Path, place: int) -> None:
    """Turn one bit of a file over."""
    with path.open("r+b") as file:
        file.seek(place // 8)
        byte = file.read(1)[0] ^ 1 << place % 8
        file.seek(place // 8)
        file.write(bytes([byte]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", type=Path)
    parser.add_argument("--flips", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    from pipeline.load.validate import validate_release

    rng = random.Random(arguments.seed)
    missed: list[str] = []
    by_kind: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="flips-") as home:
        release = arguments.release
        if release is None:
            release = Path(home, "out/current")
            subprocess.run([sys.executable, "-m", "pipeline", "run", "seeds", "--output", f"{home}/out", "--direct", "--quiet"], cwd=ROOT, check=True)
        copy = Path(home, "copy")
        shutil.copytree(release.resolve(), copy)
        files = sorted(path for path in copy.rglob("*") if path.is_file())
        sizes = [path.stat().st_size for path in files]
        for number in range(arguments.flips):
            path = rng.choice(files) if number % 5 == 0 else rng.choices(files, sizes)[0]
            place = rng.randrange(path.stat().st_size * 8)
            flip(path, place)
            if not validate_release(copy):
                missed.append(f"bit {place} of {path.relative_to(copy)}")
            flip(path, place)
            by_kind[path.suffix or path.name] += 1
        left = validate_release(copy)
    print("\n".join([*missed, *left]))
    print(f"{arguments.flips} flips ({', '.join(f'{n} in {kind}' for kind, n in by_kind.most_common())}): {arguments.flips - len(missed)} found")
    sys.exit(bool(missed or left))


if __name__ == "__main__":
    main()
