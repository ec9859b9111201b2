"""Dedupe of shards on disk: from raw, clean and signature files to a decision for every record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.dedupe.corpus import I64
from pipeline.dedupe.fills import fill_gaps
from pipeline.dedupe.keys import ID_LENGTH, abstract_id, normalised_key
from pipeline.dedupe.shards import Shard, ShardCorpus, open_parquet
from pipeline.dedupe.stars import Resolution, resolve

RELATIONS = ("kept", "exact", "normalised", "near", "version")
DECISIONS = pa.schema(
    [
        pa.field("abstract_id", pa.string()),
        pa.field("relation", pa.string()),
        pa.field("similarity", pa.float64()),
    ]
)
VARIANTS = pa.schema(
    [
        pa.field("abstract_id", pa.string(), nullable=False),
        pa.field("other_id", pa.string(), nullable=False),
        pa.field("similarity", pa.float64(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
    ]
)
_TIES = ("doi", "arxiv_id", "title")
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class DedupeOptions:
    """`memory_mb` bounds the sorts and signature columns in memory; more records make more passes, not more memory."""

    memory_mb: int = 512


@dataclass(frozen=True, slots=True)
class Groups:
    """What grouping wrote: decisions in the order of the shards given, filled metadata, variants.

    `counts`: the records of each relation, and the pairs of `variants`.
    """

    decisions: tuple[Path, ...]
    fills: Path
    variants: Path
    counts: dict[str, int] = field(default_factory=dict)


def _hash_raw(corpus: ShardCorpus, places: I64) -> NDArray[np.uint64]:
    """Hashes of the raw texts at `places`, in an array over all places."""
    hashes = np.zeros(len(corpus.records), dtype=np.uint64)
    for place, row in corpus.read(places, ["raw_text"]):
        data = (row["raw_text"] or "").encode("utf-8", "surrogatepass")
        hashes[place] = int.from_bytes(blake2b(data, digest_size=8).digest(), "little")
    return hashes


def _relate(corpus: ShardCorpus, resolution: Resolution) -> NDArray[np.int8]:
    """The relation of every record to the kept one of its group, as an index into `RELATIONS`."""
    records, kept = corpus.records, resolution.kept
    merged = np.flatnonzero(kept != np.arange(len(kept)))
    heads = kept[merged]
    raw = _hash_raw(corpus, np.union1d(merged, heads))
    mine, its = records[merged], records[heads]
    relation = np.where((mine["arxiv"] != 0) & (mine["arxiv"] == its["arxiv"]), 4, 3)
    relation = np.where(mine["key"] == its["key"], 2, relation)
    relation = np.where(raw[merged] == raw[heads], 1, relation)
    relations = np.zeros(len(kept), dtype=np.int8)
    relations[merged] = relation
    return relations


def _name_kept(corpus: ShardCorpus, kept: I64) -> dict[int, str]:
    """The abstract ids of the kept records at `kept`; those that share a key get their DOI, arXiv id or title added."""
    records = corpus.records[kept]
    ids = {
        place: f"{key:016x}{rest >> 48:04x}"[:ID_LENGTH]
        for place, key, rest in zip(kept.tolist(), records["key"].tolist(), records["key_rest"].tolist(), strict=True)
    }
    times = Counter(ids.values())
    shared = np.array([place for place in kept.tolist() if times[ids[place]] > 1], dtype=np.int64)
    corpus.prepare(shared)
    used: set[str] = set()
    for place, row in sorted(corpus.read(shared, ["source_file", "ordinal", *_TIES]), key=lambda item: item[0]):
        key = normalised_key(corpus.describe([place])[0].text)
        tie = next((row[name] for name in _TIES if row.get(name)), "")
        name = abstract_id(key, tie)
        if name in used:
            name = abstract_id(key, f"{tie}\n{row['source_file']}\n{row['ordinal']}")
        used.add(name)
        ids[place] = name
    return ids


def _write_decisions(
    corpus: ShardCorpus, resolution: Resolution, ids: dict[int, str], work: Path
) -> tuple[dict[str, Path], dict[str, int]]:
    relations = _relate(corpus, resolution)
    paths: dict[str, Path] = {}
    held = {shard.name: places for shard, places in corpus.places_by_shard(np.arange(len(corpus.records)))}
    for shard in corpus.shards:
        places = held.get(shard.name, np.empty(0, np.int64))
        n_rows = open_parquet(shard.raw).metadata.num_rows
        columns: dict[str, list[Any]] = {name: [None] * n_rows for name in DECISIONS.names}
        rows = corpus.row_of[places].tolist()
        for row, place, relation in zip(rows, places.tolist(), relations[places].tolist(), strict=True):
            columns["abstract_id"][row] = ids[int(resolution.kept[place])]
            columns["relation"][row] = RELATIONS[relation]
            if relation:
                columns["similarity"][row] = round(float(resolution.similarity[place]), _DIGITS)
        paths[shard.name] = work / f"decisions-{shard.name}.parquet"
        pq.write_table(pa.table(columns, schema=DECISIONS), paths[shard.name], compression="zstd")
    counts = np.bincount(relations, minlength=len(RELATIONS)).tolist() if len(relations) else [0] * len(RELATIONS)
    return paths, dict(zip(RELATIONS, counts, strict=True))


def _write_variants(resolution: Resolution, ids: dict[int, str], path: Path) -> int:
    rows = []
    for variant in resolution.variants:
        first, second = sorted((ids[variant.first], ids[variant.second]))
        rows.append((first, second, round(variant.similarity, _DIGITS), variant.reason))
    rows.sort()
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(VARIANTS)
    arrays = [pa.array(list(column), kind.type) for column, kind in zip(columns, VARIANTS, strict=True)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=VARIANTS), path, compression="zstd")
    return len(rows)


def group_shards(shards: Sequence[Shard], work: Path, options: DedupeOptions | None = None) -> Groups:
    """Decide for every usable record of `shards` which abstract it is; write the decisions into `work`.

    `work` gets `decisions-<shard name>.parquet` for each shard (row by row: `DECISIONS`; null where not usable),
    `fills.parquet` (`fills.FILLS`: kept records whose gaps merged ones fill) and `variants.parquet` (`VARIANTS`). The
    result does not depend on how the records are spread over the shards, nor on their order.
    """
    options = options or DedupeOptions()
    work.mkdir(parents=True, exist_ok=True)
    corpus = ShardCorpus(shards, work)
    resolution = resolve(corpus, work, max(options.memory_mb, 1) << 20)
    ids = _name_kept(corpus, np.unique(resolution.kept))
    decisions, counts = _write_decisions(corpus, resolution, ids, work)
    fills, variants = work / "fills.parquet", work / "variants.parquet"
    fill_gaps(corpus, resolution.kept, ids, fills)
    counts["variants"] = _write_variants(resolution, ids, variants)
    corpus.close()
    return Groups(tuple(decisions[shard.name] for shard in shards), fills, variants, counts)
