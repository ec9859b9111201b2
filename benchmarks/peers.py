"""The whole run beside chains of other tools on the same texts: python benchmarks/peers.py INPUT_FOLDER --peers PYTHON

PYTHON is the interpreter of an environment of its own with the peers in it:
`pip install 'datatrove[processing]' spacy pylatexenc quantulum3 urlextract gaoya linkify-it-py`.

Peers read, remove near duplicates, resolve LaTeX, find quantities and find URLs; they validate and publish nothing.
Each is timed in a process of its own, one thread, start-up left out, on the first --sample records (the slow ones
on a tenth of them); ours is `abstracts run --direct --workers 1` over all records, start-up and all checks included.
Printed are microseconds of CPU per record and how many times ours each chain takes.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable

CHAINS = {
    "datatrove + pylatexenc + quantulum3 + urlextract": ("datatrove", "pylatexenc", "quantulum3", "urlextract"),
    "gaoya + gated pylatexenc + compiled re + linkify-it-py": ("gaoya", "pylatexenc_gated", "regex", "linkify"),
}
#: These take 20 to 60 ms a record; a tenth of the sample says enough.
SLOW = ("quantulum3", "urlextract", "pylatexenc")
PATTERNS = [
    r"\d+(?:\.\d+)?\s?%", r"\b(?:accuracy|precision|recall|F1|BLEU|ROUGE|AUC|mAP|PSNR|SSIM)\b", r"https?://\S+|www\.\S+",
    r"\(([A-Z][A-Za-z0-9-]{1,9})\)", r"\b[Ww]e (?:propose|present|introduce) ([A-Z]\w+)", r"\b[A-Z][a-z]+[A-Z]\w*\b",
]  # fmt: skip


def texts_of(folder: pathlib.Path) -> Iterable[str]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.open(encoding="utf-8"):
            yield json.loads(line)["abstract"]


def each(function: Callable[[str], object], texts: list[str]) -> float:
    """CPU seconds of a function over all texts, after some to warm up; exceptions are the tool's way to say no."""

    def once(text: str) -> None:
        try:
            function(text)
        except Exception:
            return

    for text in texts[:5]:
        once(text)
    before = time.process_time()
    for text in texts:
        once(text)
    return time.process_time() - before


def run_datatrove(texts: list[str]) -> float:
    """Read, sign, bucket, cluster, filter and write, with shingles of three words and 32 x 4 hashes, which find 10% edits."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
        MinhashDedupSignature,
    )
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    config = MinhashConfig(n_grams=3, num_buckets=32, hashes_per_bucket=4)
    with tempfile.TemporaryDirectory() as name:
        source = pathlib.Path(name, "in")
        source.mkdir()
        (source / "a.jsonl").write_text("".join(json.dumps({"text": t, "id": str(i)}) + "\n" for i, t in enumerate(texts)), "utf-8")
        read = JsonlReader(str(source))
        steps = [
            [read, MinhashDedupSignature(f"{name}/signatures", config=config)],
            [MinhashDedupBuckets(f"{name}/signatures", f"{name}/buckets", config=config)],
            [MinhashDedupCluster(f"{name}/buckets", f"{name}/removed", config=config)],
            [read, MinhashDedupFilter(f"{name}/removed"), JsonlWriter(f"{name}/out")],
        ]
        before = time.process_time()
        for number, step in enumerate(steps):
            LocalPipelineExecutor(step, tasks=config.num_buckets if number == 1 else 1, workers=1, logging_dir=f"{name}/log{number}").run()
        return time.process_time() - before


def run_gaoya(texts: list[str]) -> float:
    from gaoya.minhash import MinHashStringIndex

    before = time.process_time()
    index = MinHashStringIndex(jaccard_threshold=0.5, num_bands=32, band_size=4, analyzer="word", lowercase=True, ngram_range=(3, 3))
    for number, text in enumerate(texts):
        index.insert_document(number, text)
    for text in texts:
        index.query(text)
    return time.process_time() - before


def run_pylatexenc(texts: list[str], *, gated: bool = False) -> float:
    from pylatexenc.latex2text import LatexNodes2Text

    convert = LatexNodes2Text().latex_to_text
    gate = re.compile(r"[\\${}]")
    return each(lambda text: convert(text) if not gated or gate.search(text) else text, texts)


def run_quantulum3(texts: list[str]) -> float:
    from quantulum3 import parser

    return each(parser.parse, texts)


def run_urlextract(texts: list[str]) -> float:
    from urlextract import URLExtract

    return each(URLExtract().find_urls, texts)


def run_linkify(texts: list[str]) -> float:
    from linkify_it import LinkifyIt

    return each(LinkifyIt().match, texts)


def run_regex(texts: list[str]) -> float:
    compiled = [re.compile(pattern) for pattern in PATTERNS]
    return each(lambda text: [list(pattern.finditer(text)) for pattern in compiled], texts)


TOOLS: dict[str, Callable[[list[str]], float]] = {
    "datatrove": run_datatrove, "gaoya": run_gaoya, "pylatexenc": run_pylatexenc, "pylatexenc_gated": lambda texts: run_pylatexenc(texts, gated=True),
    "quantulum3": run_quantulum3, "urlextract": run_urlextract, "linkify": run_linkify, "regex": run_regex,
}  # fmt: skip


def measure_tool(name: str, folder: pathlib.Path, sample: int) -> None:
    """Print microseconds per record; runs in the environment of the peers."""
    count = max(sample // 10, 50) if name in SLOW else sample
    texts = [text for text, _ in zip(texts_of(folder), range(count), strict=False)]
    print(TOOLS[name](texts) / len(texts) * 1e6)


def measure_ours(folder: pathlib.Path) -> float:
    with tempfile.TemporaryDirectory() as output:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "pipeline", "run", str(folder), "--output", output, "--direct", "--json", "--workers", "1"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            sys.exit(done.stderr[-2000:])
        counts = json.loads(done.stdout)["counts"]
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(used / counts["records"] * 1e6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--peers", help="interpreter of the environment with the peers")
    parser.add_argument("--sample", type=int, default=2000)
    parser.add_argument("--tool", choices=TOOLS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.tool:
        measure_tool(arguments.tool, arguments.source, arguments.sample)
        return
    environment = os.environ | {"OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
    environment.pop("PYTHONPATH", None)
    cost: dict[str, float] = {}
    for name in TOOLS:
        command = [arguments.peers or sys.executable, __file__, str(arguments.source), "--sample", str(arguments.sample), "--tool", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        cost[name] = float(done.stdout.split()[-1]) if done.returncode == 0 else float("nan")
        print(f"{name:56} {cost[name]:10,.0f} us/record" if done.returncode == 0 else f"{name}: {done.stderr[-300:]}", flush=True)
    ours = measure_ours(arguments.source)
    print(f"{'abstracts run --direct --workers 1':56} {ours:10,.0f} us/record")
    for chain, parts in CHAINS.items():
        total = sum(cost[name] for name in parts)
        print(f"{chain:56} {total:10,.0f} us/record = {total / ours:6.1f} x ours")


if __name__ == "__main__":
    main()
