"""Speed, growth, memory, recall and precision of the whole dedupe on many abstracts with known near duplicates.

    python benchmarks/dedupe_speed.py ABSTRACTS.jsonl 10000 100000 [--folder DIR] [--peers rensa gaoya datasketch datatrove]

From the abstracts of ABSTRACTS.jsonl as many are made as each number says: the real ones, then mixtures of 5 to 10
sentences (a quarter of sentences of their own; the others of sentences that two to eight abstracts share, with 12 % of the words
edited); 20 % of all are near duplicates (2, 5, 10 % of words edited, a sentence added or dropped, cut, format). Times are
CPU time of the signatures and of the grouping, each in a process of its own, as microseconds an abstract and as multiples
of the SHA-256 of the same texts (the unit that cancels the machine); peak memory is that of the process. Peers
(`dedupe_peers.py`) read the same texts in the same run, where they are installed.
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
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from dedupe_data import SAME, edit_words, read_texts, split_sentences
from dedupe_peers import PEERS

from pipeline.dedupe.group import DedupeOptions, Shard, group_shards
from pipeline.dedupe.signatures import sign_table

KINDS = ("edits_02", "edits_05", "edits_10", "sentence_added", "sentence_dropped", "cut", "format")
ROWS = 25_000
_STRINGS = pa.list_(pa.string())
Result = TypeVar("Result")


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


def list_shards(folder: Path) -> list[Shard]:
    """The shards in `folder`, in order."""
    names = sorted(path.name.removesuffix("-raw") for path in folder.glob("*-raw"))
    return [Shard(name, folder / f"{name}-raw", folder / f"{name}-clean", folder / f"{name}-signatures") for name in names]


def write_shards(abstracts: Path, count: int, folder: Path) -> None:
    """Made abstracts as shards without signatures; `truth` holds the cluster and kind of each."""
    made = list(make_texts(read_texts(abstracts), count, 7))
    for start in range(0, count, ROWS):
        rows = made[start : start + ROWS]
        texts, name = [text for _, _, text in rows], f"{start // ROWS:05d}"
        raw = {"source_file": ["made.jsonl"] * len(rows), "ordinal": list(range(start + 1, start + len(rows) + 1)), "raw_text": texts}
        clean = {"text": texts, "flags": pa.array([[]] * len(rows), _STRINGS), "usable": [True] * len(rows)}
        pq.write_table(pa.table(raw), folder / f"{name}-raw", row_group_size=5000)
        pq.write_table(pa.table(clean), folder / f"{name}-clean", row_group_size=5000)
    pq.write_table(pa.table({"cluster": [row[0] for row in made], "kind": [row[1] for row in made]}), folder / "truth")


def sign(folder: Path) -> tuple[float, float]:
    """Seconds of CPU for the signatures of all shards, and for the SHA-256 of their texts."""
    signing = hashing = 0.0
    for shard in list_shards(folder):
        column = pq.read_table(shard.clean).column("text")
        data = [text.encode() for text in column.to_pylist()]
        before = time.process_time()
        for text in data:
            hashlib.sha256(text).digest()
        started = time.process_time()
        signatures = sign_table(column)
        signing, hashing = signing + time.process_time() - started, hashing + started - before
        pq.write_table(signatures, shard.signatures, row_group_size=5000, compression="NONE")
    return signing, hashing


def group(folder: Path, memory_mb: int) -> tuple[float, float, dict[str, int]]:
    """Seconds of CPU for grouping, peak memory in MiB, and what was found."""
    started = time.process_time()
    groups = group_shards(list_shards(folder), folder / "work", DedupeOptions(memory_mb=memory_mb))
    seconds = time.process_time() - started
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, groups.counts


def read_decisions(folder: Path) -> list[str]:
    """The cluster of every made abstract, in order."""
    parts = [pq.read_table(folder / "work" / f"decisions-{shard.name}.parquet") for shard in list_shards(folder)]
    return [name for part in parts for name in part["abstract_id"].to_pylist()]


def score(folder: Path, names: list[str], *, kinds: bool) -> str:
    """Recall (of each kind, too) and precision over pairs of a derived text and its original."""
    truth = pq.read_table(folder / "truth")
    rows = list(zip(truth["cluster"].to_pylist(), truth["kind"].to_pylist(), names, strict=True))
    home = {cluster: name for cluster, kind, name in rows if kind == "original"}
    found: dict[str, list[bool]] = defaultdict(list)
    members: dict[str, set[str]] = defaultdict(set)
    for cluster, kind, name in rows:
        members[name].add(cluster)
        if kind != "original":
            found[kind].append(name == home[cluster])
    every = max(sum(map(len, found.values())), 1)
    extra = sum(len(group) - 1 for group in members.values())
    told = [f"{kind} {sum(hits) / len(hits):.4f}" for kind, hits in sorted(found.items())] if kinds else []
    return ", ".join([f"recall {sum(map(sum, found.values())) / every:.4f}", f"precision {1 - extra / every:.4f} ({extra} wrong merges)", *told])


def alone(function: Callable[..., Result], *arguments: object) -> Result:
    """Call in a process of its own, so that its peak memory is told alone."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def run_peer(peer: str, folder: Path) -> tuple[float, float, list[str]]:
    """Seconds of CPU, peak memory and clusters of a peer on all texts of `folder`."""
    texts = [text for shard in list_shards(folder) for text in pq.read_table(shard.clean, columns=["text"])["text"].to_pylist()]
    started = time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    names = PEERS[peer](texts, folder)
    seconds = time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - started
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, names


def measure(arguments: argparse.Namespace, count: int, folder: Path) -> None:
    """Make the shards, dedupe them, print the figures."""
    alone(write_shards, arguments.abstracts, count, folder)
    signing, unit = alone(sign, folder)
    seconds, memory, counts = alone(group, folder, arguments.memory)
    per = 1e6 / count
    print(f"{count} abstracts: signatures {signing * per:.1f} us ({signing / unit:.1f} units), grouping {seconds * per:.1f} us ({seconds / unit:.1f} units), "
          f"together {(signing + seconds) / unit:.1f} units of {unit * per:.2f} us, peak {memory:.0f} MiB, {counts}\n    "
          + score(folder, read_decisions(folder), kinds=True), flush=True)  # fmt: skip
    for peer in arguments.peers:
        taken, peak, names = alone(run_peer, peer, folder)
        print(f"{peer}: {taken * per:.1f} us ({taken / unit:.1f} units, {taken / (signing + seconds):.1f} times ours), peak {peak:.0f} MiB, {score(folder, names, kinds=False)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("counts", type=int, nargs="+")
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), default=[])
    parser.add_argument("--memory", type=int, default=512, help="memory_mb of the dedupe")
    parser.add_argument("--folder", type=Path, help="where the work files go")
    arguments = parser.parse_args()
    for count in arguments.counts:
        folder = Path(tempfile.mkdtemp(prefix="dedupe-speed-", dir=arguments.folder))
        try:
            measure(arguments, count, folder)
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
