"""Speed, growth, memory, recall and precision of the whole dedupe on many abstracts with known near duplicates.

    python benchmarks/dedupe_speed.py ABSTRACTS.jsonl 10000 100000 [--rensa] [--folder DIR]

From the abstracts of ABSTRACTS.jsonl as many are made as each number says: the real ones, then mixtures of 5 to 10 of
their sentences with 12 % of the words edited; 20 % of all are near duplicates (2, 5, 10 % of words edited, a sentence
added or dropped, cut, format). Times are CPU time of the signatures and of the grouping of one process, as
microseconds an abstract and as multiples of the SHA-256 of the same texts (the unit that cancels the machine).
"""

from __future__ import annotations

import argparse
import hashlib
import random
import resource
import shutil
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from dedupe_data import SAME, edit_words, read_texts, split_sentences

from pipeline.dedupe.group import DedupeOptions, Shard, group_shards
from pipeline.dedupe.signatures import sign_table

KINDS = ("edits_02", "edits_05", "edits_10", "sentence_added", "sentence_dropped", "cut", "format")
ROWS = 25_000
_STRINGS = pa.list_(pa.string())


def splice(random_: random.Random, sentences: list[str]) -> str:
    """The first half of one sentence and the second half of another: real words, and many distinct sentences."""
    left, right = random_.choice(sentences).split(), random_.choice(sentences).split()
    return " ".join(left[: len(left) // 2] + right[len(right) // 2 :])


def make_texts(texts: list[str], count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """(cluster, kind, text): distinct abstracts and their near duplicates. First the real ones, then of every four one of
    sentences of its own and three of sentences that two to eight abstracts share, each with 12 % of its words edited."""
    random_ = random.Random(seed)
    texts = [text for text in texts if len(text.split()) >= 25]
    sentences = [s for text in texts for s in split_sentences(text) if 5 <= len(s.split()) <= 50]
    shared = [splice(random_, sentences) for _ in range(2 * count)]
    recent: deque[tuple[str, str]] = deque(maxlen=2000)
    for number in range(count):
        if recent and random_.random() < 0.2:
            cluster, text = random_.choice(recent)
            kind = random_.choice(KINDS)
            yield cluster, kind, SAME[kind](random_, text, random_.choice(texts))
            continue
        if number < len(texts):
            text = texts[number]
        elif number % 4 == 0:
            text = " ".join(splice(random_, sentences) for _ in range(random_.randrange(5, 11)))
        else:
            text = edit_words(0.12)(random_, " ".join(random_.choices(shared, k=random_.randrange(5, 11))), random_.choice(texts))
        recent.append((str(number), text))
        yield str(number), "original", text


def write_shard(folder: Path, name: str, start: int, rows: list[tuple[str, str, str]]) -> tuple[Shard, float, float]:
    """A shard, the seconds for its signatures, and for the unit."""
    texts = [text for _, _, text in rows]
    empty = pa.array([[]] * len(rows), _STRINGS)
    raw = {"source_file": ["made.jsonl"] * len(rows), "ordinal": list(range(start + 1, start + len(rows) + 1)), "raw_text": texts}
    shard = Shard(name, folder / f"{name}-raw", folder / f"{name}-clean", folder / f"{name}-signatures")
    pq.write_table(pa.table(raw), shard.raw, row_group_size=5000)
    pq.write_table(pa.table({"text": texts, "flags": empty, "usable": [True] * len(rows)}), shard.clean, row_group_size=5000)
    column = pq.read_table(shard.clean).column("text")
    started = time.process_time()
    signatures = sign_table(column)
    signed = time.process_time()
    pq.write_table(signatures, shard.signatures, row_group_size=5000, compression="NONE")
    data = [text.encode() for text in texts]
    before = time.process_time()
    for text in data:
        hashlib.sha256(text).digest()
    return shard, signed - started, time.process_time() - before


def score(shards: list[Shard], decisions: tuple[Path, ...], truth: list[tuple[str, str]]) -> None:
    """Print recall by kind and precision over pairs of a record and the kept one of its group."""
    names: list[str | None] = [None] * len(truth)
    for shard, path in zip(shards, decisions, strict=True):
        for ordinal, name in zip(pq.read_table(shard.raw)["ordinal"].to_pylist(), pq.read_table(path)["abstract_id"].to_pylist(), strict=True):
            names[ordinal - 1] = name
    home = {cluster: names[i] for i, (cluster, kind) in enumerate(truth) if kind == "original"}
    found: dict[str, list[bool]] = defaultdict(list)
    members: dict[str | None, set[str]] = defaultdict(set)
    for (cluster, kind), name in zip(truth, names, strict=True):
        members[name].add(cluster)
        if kind != "original":
            found[kind].append(name == home[cluster])
    for kind, hits in sorted(found.items()):
        print(f"    {kind:18} {sum(hits) / len(hits):.4f} of {len(hits)}")
    extra = sum(len(group) - 1 for group in members.values())
    every = sum(map(len, found.values()))
    print(f"    recall {sum(map(sum, found.values())) / max(every, 1):.4f}  wrong merges {extra} ({1 - extra / max(every, 1):.4f} precision)")


def measure(texts: list[str], count: int, folder: Path, memory_mb: int) -> None:
    """Make the shards, dedupe them, print the figures."""
    shards, truth, rows = [], [], []
    sign = unit = 0.0
    for number, row in enumerate(make_texts(texts, count, 7), start=1):
        rows.append(row)
        truth.append(row[:2])
        if len(rows) == ROWS or number == count:
            shard, signed, hashed = write_shard(folder, f"{len(shards):05d}", number - len(rows), rows)
            shards.append(shard)
            sign, unit, rows = sign + signed, unit + hashed, []
    started = time.process_time()
    groups = group_shards(shards, folder / "work", DedupeOptions(memory_mb=memory_mb))
    seconds = time.process_time() - started
    per = 1e6 / count
    print(f"{count} abstracts: sign {sign * per:.1f} us ({sign / unit:.1f} units), group {seconds * per:.1f} us ({seconds / unit:.1f} units), "
          f"unit {unit * per:.2f} us, peak RSS {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB  {groups.counts}")  # fmt: skip
    score(shards, groups.decisions, truth)


def measure_rensa(texts: list[str], count: int) -> None:
    """The same texts through rensa's MinHash and LSH on word 3-grams made in Python, nothing verified."""
    from rensa import RMinHash, RMinHashLSH

    made = [text for _, _, text in make_texts(texts, count, 7)]
    started = time.process_time()
    index = RMinHashLSH(threshold=0.5, num_perm=128, num_bands=32)
    hits = 0
    for number, text in enumerate(made):
        words = text.lower().split()
        sketch = RMinHash(num_perm=128, seed=1)
        sketch.update([" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))])
        hits += len(index.query(sketch))
        index.insert(number, sketch)
    seconds = time.process_time() - started
    data = [text.encode() for text in made]
    before = time.process_time()
    for item in data:
        hashlib.sha256(item).digest()
    unit = time.process_time() - before
    print(f"rensa, {count} abstracts: {seconds / count * 1e6:.1f} us ({seconds / unit:.1f} units), {hits} candidates")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("counts", type=int, nargs="+")
    parser.add_argument("--rensa", action="store_true", help="measure rensa, where it is installed, on the smallest count")
    parser.add_argument("--memory", type=int, default=512, help="memory_mb of the dedupe")
    parser.add_argument("--folder", type=Path, help="where the work files go")
    arguments = parser.parse_args()
    texts = read_texts(arguments.abstracts)
    for count in sorted(arguments.counts):
        folder = Path(tempfile.mkdtemp(prefix="dedupe-speed-", dir=arguments.folder))
        try:
            measure(texts, count, folder, arguments.memory)
        finally:
            shutil.rmtree(folder)
    if arguments.rensa:
        measure_rensa(texts, min(arguments.counts))


if __name__ == "__main__":
    main()
