"""The measures that the thresholds of `pipeline/dedupe/judge.py` cut, for pairs whose relation is known.

    python benchmarks/dedupe_data.py ABSTRACTS.jsonl made.jsonl --share 1.0
    python benchmarks/dedupe_thresholds.py made.jsonl

One line for each kind of derived text: 1st, 5th and 50th percentile of similarity, containment and agreement with its
abstract. Then the same measures of the most alike pairs of distinct abstracts (those that share two bins of the sketch).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from pipeline.dedupe.likeness import align, measure_agreement, measure_overlap, word_texts
from pipeline.dedupe.signatures import EMPTY, read_sketches, sign_texts

Measures = tuple[float, float, float]
NAMES = ("similarity", "containment", "agreement")


def measure(left: str, right: str) -> Measures:
    """Similarity, containment and agreement of two texts."""
    a, b = word_texts([left, right])
    overlap = measure_overlap(a, b)
    return overlap.similarity, overlap.containment, measure_agreement(a, b, align(a, b)[0])


def find_pairs(texts: list[str]) -> list[tuple[int, int]]:
    """Pairs of texts that share two bins of their sketches, in buckets of at most 50."""
    sketches = read_sketches(sign_texts(texts).column("sketch"))
    counts: Counter[tuple[int, int]] = Counter()
    for column in sketches.T:
        buckets: dict[int, list[int]] = defaultdict(list)
        for index, value in enumerate(column.tolist()):
            if value != EMPTY:
                buckets[value].append(index)
        for bucket in buckets.values():
            if len(bucket) <= 50:
                counts.update((a, b) for i, b in enumerate(bucket) for a in bucket[:i])
    return sorted(pair for pair, count in counts.items() if count > 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("made", type=Path)
    parser.add_argument("--each", type=int, default=150, help="pairs measured of each kind")
    arguments = parser.parse_args()
    records = [json.loads(line) for line in arguments.made.read_text(encoding="utf-8").split("\n") if line]
    texts = {record["id"]: record["text"] for record in records}
    kinds: dict[str, list[Measures]] = defaultdict(list)
    for record in records:
        kind = record["kind"]
        if kind != "original" and len(kinds[kind]) < arguments.each:
            kinds[kind].append(measure(texts["a" + record["id"][1:]], record["text"]))
    for kind, measures in kinds.items():
        rows = (f"{name} {' '.join(f'{v:.2f}' for v in np.percentile(column, (1, 5, 50)))}" for name, column in zip(NAMES, zip(*measures, strict=True), strict=True))
        print(f"{kind:18}", "   ".join(rows))
    originals = [record["text"] for record in records if record["kind"] == "original"]
    found = [measure(originals[a], originals[b]) for a, b in find_pairs(originals)]
    for name, column in zip(NAMES, zip(*found, strict=True), strict=True):
        print(f"different abstracts, highest {name} of {len(found)} pairs:", " ".join(f"{v:.2f}" for v in sorted(column)[::-1][:12]))


if __name__ == "__main__":
    main()
