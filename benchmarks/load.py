"""What publishing costs: CPU time per abstract and peak memory of building a release, beside two anchors of the same run.

usage: python -m benchmarks.load [ABSTRACTS] [--shard 20000]

Parts are synthetic (170 words each, one method, dataset, result and URL, five mentions, two occurrences). Anchors, both
over the same bytes: SHA-256 of every file that is published, and reading and writing the abstracts with pyarrow.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import resource
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq

from pipeline.load.build import build_release
from pipeline.load.context import LoadOptions
from tests.support.parts import Rows, context_for, make_rows, write_parts


def make_shard(job: tuple[Path, int, int]) -> tuple[dict[str, list[Path]], int]:
    """One shard of every table; the paths, and the number of sources."""
    folder, first, count = job
    rows = make_rows(count, first=first, words=170)
    rows["variants"], rows["quarantine"] = [], []
    return write_parts(rows, folder / f"{first:09d}"), len(rows["sources"])


def build(job: tuple[dict[str, list[Path]], Path, int]) -> dict[str, float]:
    """Build a release; CPU seconds, peak memory in MiB, and the folder's bytes."""
    parts, output, sources = job
    place = {"source_sha256": "0" * 64, "ordinal": None}
    rows: Rows = {"sources": [place] * sources, "quarantine": []}
    context = context_for(rows, output)
    warm_up(output.parent / "warm")
    before = time.process_time()
    staged = build_release(parts, context, LoadOptions())
    seconds = time.process_time() - before
    files = [path for path in staged.folder.rglob("*") if path.is_file()]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu_s": seconds, "peak_mib": peak, **anchors(files, parts["abstracts"], output.parent)}


def warm_up(folder: Path) -> None:
    """Imports and compiled schemas cost once per process, not per abstract."""
    rows = make_rows(3)
    build_release(write_parts(rows, folder), context_for(rows, folder / "out"), LoadOptions())


def anchors(files: list[Path], abstracts: list[Path], folder: Path) -> dict[str, float]:
    """CPU seconds of hashing the published bytes once, and of reading and writing the abstracts."""
    before = time.process_time()
    for path in files:
        with path.open("rb") as file:
            hashlib.file_digest(file, "sha256")
    hashed = time.process_time()
    for path in abstracts:
        pq.write_table(pq.read_table(path), folder / "anchor.parquet", compression="zstd", compression_level=3)
    return {"sha256_s": hashed - before, "read_write_s": time.process_time() - hashed, "bytes": sum(path.stat().st_size for path in files)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", type=int, nargs="?", default=20_000)
    parser.add_argument("--shard", type=int, default=20_000)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="bench-load-"))
    try:
        spawn = multiprocessing.get_context("spawn")
        parts: dict[str, list[Path]] = {}
        sources = 0
        for first in range(0, arguments.abstracts, arguments.shard):
            count = min(arguments.shard, arguments.abstracts - first)
            with ProcessPoolExecutor(1, spawn) as pool:
                made, number = pool.submit(make_shard, (folder / "parts", first, count)).result()
            sources += number
            for name, paths in made.items():
                parts.setdefault(name, []).extend(paths)
        with ProcessPoolExecutor(1, spawn) as pool:
            result = pool.submit(build, (parts, folder / "out", sources)).result()
        per = {f"{name.removesuffix('_s')}_us_per_abstract": round(result[name] / arguments.abstracts * 1e6, 1) for name in ("cpu_s", "sha256_s", "read_write_s")}
        told = {"abstracts": arguments.abstracts, **per, "peak_mib": round(result["peak_mib"]), "bytes_per_abstract": round(result["bytes"] / arguments.abstracts)}
        print(json.dumps(told))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
