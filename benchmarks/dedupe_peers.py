"""Other near-duplicate finders on the same texts, tuned to find texts with a tenth of their words edited.

All get word 3-grams, 128 permutations and 32 bands of 4 (their defaults, 5-grams at a threshold of .7 to .8, find
half or none of those). None compares the texts of the pairs that it finds. Run by `dedupe_speed.py --peers`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

PERMUTATIONS, BANDS, ROWS = 128, 32, 4


def shingle(text: str) -> list[str]:
    """The word 3-grams of a text."""
    words = text.lower().split()
    return [" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))]


def name_components(size: int, pairs: Iterable[tuple[int, int]]) -> list[str]:
    """The name of the component that each text is in, given pairs of texts."""
    parents = list(range(size))

    def find(place: int) -> int:
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    for a, b in pairs:
        left, right = find(a), find(b)
        parents[max(left, right)] = min(left, right)
    return [str(find(place)) for place in range(size)]


def run_rensa(texts: list[str], folder: Path) -> list[str]:  # noqa: ARG001
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(threshold=0.5, num_perm=PERMUTATIONS, num_bands=BANDS)
    pairs: list[tuple[int, int]] = []
    for number, text in enumerate(texts):
        sketch = RMinHash(num_perm=PERMUTATIONS, seed=1)
        sketch.update(shingle(text))
        pairs += [(number, other) for other in index.query(sketch)]
        index.insert(number, sketch)
    return name_components(len(texts), pairs)


def run_gaoya(texts: list[str], folder: Path) -> list[str]:  # noqa: ARG001
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32, jaccard_threshold=0.35, num_bands=BANDS, band_size=ROWS, analyzer="word", lowercase=True, ngram_range=(3, 3)
    )
    pairs: list[tuple[int, int]] = []
    for number, text in enumerate(texts):
        pairs += [(number, other) for other in index.query(text)]
        index.insert_document(number, text)
    return name_components(len(texts), pairs)


def run_datasketch(texts: list[str], folder: Path) -> list[str]:  # noqa: ARG001
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, ROWS))
    pairs: list[tuple[int, int]] = []
    for number, text in enumerate(texts):
        sketch = MinHash(num_perm=PERMUTATIONS)
        sketch.update_batch([part.encode() for part in shingle(text)])
        pairs += [(number, int(other)) for other in index.query(sketch)]
        index.insert(str(number), sketch, check_duplication=False)
    return name_components(len(texts), pairs)


def run_datatrove(texts: list[str], folder: Path) -> list[str]:
    from datatrove.data import Document
    from datatrove.pipeline.dedup.minhash import (
        MinhashConfig,
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupSignature,
    )
    from datatrove.utils.hashing import HashConfig

    base = folder / "datatrove"
    config = MinhashConfig(n_grams=3, num_buckets=BANDS, hashes_per_bucket=ROWS, hash_config=HashConfig(precision=64))
    documents = (Document(text=text, id=str(number)) for number, text in enumerate(texts))
    MinhashDedupSignature(output_folder=str(base / "signatures"), config=config).run(documents, rank=0, world_size=1)
    buckets = MinhashDedupBuckets(input_folder=str(base / "signatures"), output_folder=str(base / "buckets"), config=config)
    for rank in range(BANDS):
        buckets.run(None, rank=rank, world_size=BANDS)
    cluster = MinhashDedupCluster(str(base / "buckets"), str(base / "removed"), config, save_cluster_id=True, ignore_index_matches=True)
    cluster.run(None, 0, 1)
    names = _read_clusters(base / "removed" / "000000.clusters", len(texts))
    shutil.rmtree(base)
    return names


def _read_clusters(path: Path, size: int) -> list[str]:
    """The clusters that datatrove wrote as pairs of a document and its cluster, 4 bytes each."""
    import numpy as np

    names = [f"alone {place}" for place in range(size)]
    for place, cluster in np.fromfile(path, "<u4").reshape(-1, 2).tolist():
        names[place] = str(cluster)
    return names


PEERS: dict[str, Callable[[list[str], Path], list[str]]] = {
    "rensa": run_rensa, "gaoya": run_gaoya, "datasketch": run_datasketch, "datatrove": run_datatrove,
}  # fmt: skip
