"""Damaged copies of real files through every reader, and what they hold through clean and enrich:
python -m benchmarks.fuzz [--minutes 10] [--files tests/cases/raw …] [--first 0]

Case N is made from N alone: one of the files, or two spliced, with bytes flipped, dropped, doubled, swapped for
tokens of the formats, numbers blown up, packed anew or cut. Promised for each: rows come out, no exception; records and
quarantine add up; text and enrichments are there for every record, spans inside it; it takes less than --seconds. Cases
run in children, 50 at a time, so that a crash or a hang of a library is caught too. A case that breaks a promise is
written to --keep and ends in exit code 1: `--first N --cases 1` runs it again.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import lzma
import os
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BATCH = 50
#: Of the records of a case so many go through clean and enrich, and so much of each.
TEXTS, CHARACTERS = 3, 3_000
TOKENS = [
    b"", b"\x00", b"\xff", b"\xef\xbb\xbf", b"{", b"}", b"[", b"]", b'"', b"'", b"\\", b"<", b">", b"&", b"&#x110000;", b"<!--", b"<![CDATA[", b"]]>", b"<abstract>",
    b"\n", b"\r", b"\n\n", b"\t", b",", b":", b"---\n", b"TY  - JOUR\n", b"AB  - ", b"ER  - \n", b"PMID- 1\n", b"@article{", b"abstract = {", b"Abstract: ", b"# ", b"```", b"$", b"$$",
    b"\\begin{abstract}", b"\\end{abstract}", b"\\newcommand{\\a}{\\a}", b"\xed\xa0\x80", b"\\ud800", b"\xc3\x28", "‮".encode(), b"1e999", b"NaN", b"-0", b"9" * 40, b"(" * 300, b"{" * 300,
]  # fmt: skip


def damage(data: bytes, rng: random.Random) -> bytes:
    """Some small changes anywhere."""
    content = bytearray(data)
    for _ in range(rng.choice([1, 2, 4, 16, 64])):
        place, length = rng.randrange(len(content) + 1), rng.choice([0, 1, 2, 16, 200])
        action = rng.randrange(5)
        if action == 0 and content:
            content[place % len(content)] ^= 1 << rng.randrange(8)
        elif action == 1:
            del content[place : place + length]
        elif action == 2:
            content[place:place] = content[place : place + length] * rng.choice([1, 2, 50])
        elif action == 3:
            content[place : place + length] = rng.choice(TOKENS)
        else:
            content[place : place + length] = bytes(rng.randrange(256) for _ in range(length))
    return bytes(content)


def packed(data: bytes, rng: random.Random) -> bytes:
    """The same in a container, now and then with a damaged one."""
    kind = rng.randrange(12)
    if kind > 3:
        return data
    if kind == 3:
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(rng.choice(["a.txt", "../a.txt", "/etc/a", "a/b.json"]), data)
        data = held.getvalue()
    else:
        data = [gzip.compress, bz2.compress, lzma.compress][kind](data)
    return damage(data, rng) if rng.random() < 0.5 else data


def case(number: int, files: list[Path]) -> tuple[str, bytes]:
    """The file that case `number` is made of, and its bytes."""
    rng = random.Random(number)
    path = rng.choice(files)
    data = path.read_bytes()[:200_000]
    if rng.random() < 0.2:
        other = rng.choice(files).read_bytes()[:200_000]
        data = data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]
    if rng.random() < 0.15:
        data = data[: rng.randrange(len(data) + 1)]
    if rng.random() < 0.1:
        data = re.sub(rb"\d+", lambda match: rng.choice([match[0], match[0] * 20, b"-1", b"0"]), data)
    return path.name, packed(damage(data, rng), rng)


def look(path: Path, counts: Counter[str]) -> None:
    """Read a file to its end and check what came out."""
    from pipeline import clean_text, enrich_text
    from pipeline.extract import ExtractOptions, InputFile, read_file
    from pipeline.model import FileSummary, RawRecord

    *rows, summary = read_file(InputFile(path.name, path, path.stat().st_size), ExtractOptions())
    assert isinstance(summary, FileSummary), "the last row is no summary"
    records = [row for row in rows if isinstance(row, RawRecord)]
    aside = [row for row in rows if not isinstance(row, RawRecord)]
    assert len(records) + sum(row.ordinal is not None for row in aside) == summary.records, "records do not add up"
    assert records or aside, "neither a record nor a reason"
    counts.update(records=len(records), quarantined=len(aside), **{"files read": bool(records)})
    for record in records[:TEXTS]:
        clean = clean_text(record.raw_text[:CHARACTERS])
        clean.text.encode("utf-8")
        found = enrich_text(clean.text)
        for kind in ("methods", "datasets", "metrics", "urls"):
            for start, end in (span for row in getattr(found, kind) for span in row.spans):
                assert 0 <= start < end <= len(clean.text), f"{kind}: a span outside the text"


def child(numbers: range, files: list[Path], folder: Path, seconds: int) -> None:
    """Some cases in this process; the number of the one at hand is in `folder`, and what went wrong."""
    counts: Counter[str] = Counter()
    for number in numbers:
        name, data = case(number, files)
        path = folder / name
        path.write_bytes(data)
        (folder / ".case").write_text(str(number))
        signal.alarm(seconds)
        begun = time.process_time()
        try:
            look(path, counts)
        except BaseException:
            (folder / ".wrong").write_text(traceback.format_exc())
            os._exit(1)
        signal.alarm(0)
        counts[".slowest, ms"] = max(counts[".slowest, ms"], round(1000 * (time.process_time() - begun)))
        path.unlink()
    (folder / ".counts").write_text(repr(dict(counts)))
    os._exit(0)


def batch(numbers: range, files: list[Path], seconds: int, keep: Path) -> tuple[Counter[str], int | None]:
    """Run cases in a child; their counts, and the number of the case that broke a promise."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        folder = Path(home)
        process = os.fork()
        if not process:
            child(numbers, files, folder, seconds)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code == 0:
            return Counter(eval((folder / ".counts").read_text(), {"__builtins__": {}})), None
        number = int((folder / ".case").read_text())
        name, data = case(number, files)
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{number}-{name}").write_bytes(data)
        wrong = folder / ".wrong"
        print(f"case {number}, made of {name}: {'took too long' if code == -signal.SIGALRM else f'ended with {code}'}")
        print(wrong.read_text()[-3000:] if wrong.exists() else "", flush=True)
        return Counter(), number


def files_below(places: list[Path]) -> list[Path]:
    """All files in some places that are not empty."""
    found = [path for place in places for path in (sorted(place.rglob("*")) if place.is_dir() else [place])]
    return [path for path in found if path.is_file() and path.stat().st_size]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=30, help="of a case, at most")
    parser.add_argument("--files", type=Path, nargs="+", default=[ROOT / "tests/cases/raw", ROOT / "seeds"])
    parser.add_argument("--keep", type=Path, default=Path("fuzz"), help="folder for the cases that broke a promise")
    arguments = parser.parse_args()
    import pipeline.clean
    import pipeline.enrich
    import pipeline.extract.registry

    pipeline.extract.registry.all_readers()
    files = files_below(arguments.files)
    clock: Callable[[], float] = time.monotonic
    end = clock() + 60 * arguments.minutes
    number, last, broken = arguments.first, arguments.first + arguments.cases, 0
    counts: Counter[str] = Counter()
    while number < last and clock() < end and broken < 20:
        numbers = range(number, min(number + BATCH, last))
        found, bad = batch(numbers, files, arguments.seconds, arguments.keep)
        slowest = max(counts[".slowest, ms"], found.pop(".slowest, ms", 0))
        counts.update(found)
        counts[".slowest, ms"] = slowest
        broken += bad is not None
        number = numbers.stop if bad is None else bad + 1
    told = ", ".join(f"{count:,} {name.lstrip('.')}" for name, count in sorted(counts.items()))
    print(f"{number - arguments.first:,} cases of {len(files)} files: {told}; {broken} promises broken")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
