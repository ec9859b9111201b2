"""Recall by kind of near duplicate, false merges by kind of hard negative, and time.

    python benchmarks/dedupe_data.py ABSTRACTS.jsonl made.jsonl --share 1.0
    python benchmarks/dedupe_quality.py made.jsonl [--show KIND]

Every derived text of `dedupe_data.SAME` should have the cluster of its abstract, every one of `APART` its own and be a
variant where it is alike. Two distinct abstracts in one cluster are a false merge.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from pathlib import Path

from dedupe_data import APART, SAME

from pipeline.dedupe.records import dedupe_records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("made", type=Path)
    parser.add_argument("--show", help="print the failures of this kind")
    arguments = parser.parse_args()
    records = [json.loads(line) for line in arguments.made.read_text(encoding="utf-8").split("\n") if line]
    started = time.process_time()
    answers = dedupe_records([{"id": r["id"], "text": r["text"]} for r in records])
    seconds = time.process_time() - started
    kind = {record["id"]: record["kind"] for record in records}
    text = {record["id"]: record["text"] for record in records}
    cluster = {str(answer["id"]): str(answer["cluster"]) for answer in answers}
    variant = {str(answer["id"]): answer["variant_of"] for answer in answers}
    right, total, linked = Counter(), Counter(), Counter()
    for made in (r["id"] for r in records if r["kind"] != "original"):
        source = "a" + made[1:]
        together = cluster[source] == cluster[made]
        total[kind[made]] += 1
        good = together == (kind[made] in SAME)
        right[kind[made]] += good
        linked[kind[made]] += variant[made] is not None
        if not good and kind[made] == arguments.show:
            print("---", made, "\n", text[source][:1500], "\n", text[made][:1500])
    for name in (*SAME, *APART):
        print(f"{name:18} right {right[name]:5} of {total[name]:5}  {right[name] / max(total[name], 1):.4f}  variants {linked[name]}")
    members = defaultdict(set)
    for identifier, head in cluster.items():
        if kind[identifier] == "original":
            members[head].add(identifier)
    wrong = [group for group in members.values() if len(group) > 1]
    print(f"clusters with several abstracts: {len(wrong)}", *(sorted(group) for group in wrong[:20]))
    print(f"{len(records)} records, {seconds / len(records) * 1e6:.0f} us CPU a record")


if __name__ == "__main__":
    main()
