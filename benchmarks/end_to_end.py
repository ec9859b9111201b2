"""Cost of a whole run: python benchmarks/end_to_end.py INPUT_FOLDER [--workers 1] [--refresh]

Runs `abstracts run INPUT --direct` into a fresh folder in its own process, and prints CPU time per record,
peak memory of any process, wall time and the stages. As the physical limit it then reads and writes the
published abstracts with plain Parquet, in one run, and prints the ratio. --refresh changes 1% of the records, in as
few files as hold them (with --spread every hundredth record, in all files), and measures the second run, then a
third with nothing changed.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import pyarrow.parquet as pq


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(source: pathlib.Path, output: pathlib.Path, workers: int) -> dict[str, object]:
    command = [sys.executable, "-m", "pipeline", "run", str(source), "--output", str(output), "--direct", "--json", "--workers", str(workers)]
    command += ["--accept-change", "benchmark"]
    before, begin = cpu_of_children(), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall, cpu = time.monotonic() - begin, cpu_of_children() - before
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    told = json.loads(done.stdout)
    stages = [json.loads(line) for line in done.stderr.splitlines() if '"stage"' in line]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    return {"outcome": told["outcome"], "counts": told["counts"], "cpu_s": cpu, "wall_s": wall, "peak_mib": peak, "stages": stages}


def limit(release: pathlib.Path) -> float:
    """CPU seconds to read and write the published abstracts with plain Parquet."""
    begin = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((release / "data" / "abstracts").glob("*.parquet")):
            with pq.ParquetFile(path, pre_buffer=False) as file, pq.ParquetWriter(f"{folder}/x", file.schema_arrow, compression="zstd", compression_level=1) as out:
                for batch in file.iter_batches(batch_size=10_000, columns=None, use_threads=False):
                    out.write_batch(batch)
    return time.process_time() - begin


def change(source: pathlib.Path, records: int, *, spread: bool) -> tuple[int, int]:
    """Add a sentence to 1% of the records: the first ones, or (`spread`) every hundredth. Returns records and files changed."""
    left, number, touched = max(records // 100, 1), 0, 0
    for path in sorted(p for p in source.rglob("*.jsonl") if p.is_file()):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        before = left
        for place, line in enumerate(lines):
            number += 1
            if left and (not spread or number % 100 == 0):
                told = json.loads(line)
                lines[place] = json.dumps(told | {"abstract": f"{told['abstract']} This version corrects an error in the second table."}, ensure_ascii=False) + "\n"
                left -= 1
        if left < before:
            path.write_text("".join(lines), "utf-8")
            touched += 1
    return max(records // 100, 1) - left, touched


def show(name: str, told: dict[str, object], records: int) -> None:
    print(f"{name:28} {told['outcome']:10} CPU {told['cpu_s']:.1f} s = {1e6 * float(str(told['cpu_s'])) / records:.0f} us/record, wall {told['wall_s']:.1f} s, peak {told['peak_mib']} MiB")
    for stage in told["stages"]:  # type: ignore[attr-defined]
        print(f"    {stage['stage']:8} {stage['seconds']:8.1f} s  peak {stage['peak_mib']} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--refresh", action="store_true")
    parser.add_argument("--spread", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, output = pathlib.Path(folder) / "in", pathlib.Path(folder) / "out"
        shutil.copytree(arguments.source, source)
        first = run(source, output, arguments.workers)
        records = int(first["counts"]["records"])  # type: ignore[index]
        show("full run", first, records)
        bare = limit((output / "current").resolve())
        print(f"bare Parquet read + write    CPU {bare:.1f} s; the full run costs {float(str(first['cpu_s'])) / bare:.1f} times that")
        if arguments.refresh:
            print("changed {} records in {} files".format(*change(source, records, spread=arguments.spread)))
            second = run(source, output, arguments.workers)
            show("refresh, 1% changed", second, records)
            print(f"    {float(str(second['cpu_s'])) / float(str(first['cpu_s'])):.1%} of the full run's CPU")
            show("refresh, nothing changed", run(source, output, arguments.workers), records)


if __name__ == "__main__":
    main()
