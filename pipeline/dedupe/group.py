"""Dedupe of shards on disk: from raw, clean and signature files to a decision for every record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

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
_EXACT, _NORMALISED, _NEAR, _VERSION = range(1, 5)
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
_HEX = np.array([list(f"{value:02x}".encode()) for value in range(256)], dtype=np.uint8)


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


def _relate(corpus: ShardCorpus, resolution: Resolution) -> NDArray[np.int8]:
    """The relation of every record to the kept one of its group, as an index into `RELATIONS`."""
    records, kept = corpus.records, resolution.kept
    merged = np.flatnonzero(kept != np.arange(len(kept)))
    mine, its = records[merged], records[kept[merged]]
    relations = np.zeros(len(kept), dtype=np.int8)
    relations[merged] = np.where((mine["arxiv"] != 0) & (mine["arxiv"] == its["arxiv"]), _VERSION, _NEAR)
    equal = merged[mine["key"] == its["key"]]
    raw = np.zeros(len(kept), dtype=np.uint64)
    for place, row in corpus.read(np.union1d(equal, kept[equal]), ["raw_text"]):
        data = (row["raw_text"] or "").encode("utf-8", "surrogatepass")
        raw[place] = int.from_bytes(blake2b(data, digest_size=8).digest(), "little")
    relations[equal] = np.where(raw[equal] == raw[kept[equal]], _EXACT, _NORMALISED)
    return relations


@dataclass(frozen=True, slots=True)
class Names:
    """The abstract ids of the kept records, whose places are sorted."""

    kept: I64
    ids: NDArray[np.bytes_]

    def at(self, places: I64) -> list[str]:
        """The ids of the kept records at `places`."""
        names: list[str] = np.char.decode(self.ids[np.searchsorted(self.kept, places)], "ascii").tolist()
        return names


def _name_kept(corpus: ShardCorpus, kept: I64) -> Names:
    """The abstract ids of the kept records at `kept`; those that share a key get their DOI, arXiv id or title added."""
    records = corpus.records[kept]
    halves = np.empty((len(kept), 2), dtype=">u8")
    halves[:, 0], halves[:, 1] = records["key"], records["key_rest"]
    digits = _HEX[halves.view(np.uint8)[:, : ID_LENGTH // 2]].reshape(len(kept), ID_LENGTH)
    ids = np.ascontiguousarray(digits).view(f"S{ID_LENGTH}").reshape(-1)
    _, first, times = np.unique(ids, return_inverse=True, return_counts=True)
    shared = kept[times[first] > 1]
    corpus.prepare(shared)
    used: set[str] = set()
    for place, row in sorted(corpus.read(shared, ["source_file", "ordinal", *_TIES]), key=lambda item: item[0]):
        key = normalised_key(corpus.describe([place])[0].text)
        tie = next((row[name] for name in _TIES if row.get(name)), "")
        name = abstract_id(key, tie)
        if name in used:
            name = abstract_id(key, f"{tie}\n{row['source_file']}\n{row['ordinal']}")
        used.add(name)
        ids[np.searchsorted(kept, place)] = name
    return Names(kept, ids)


def _write_decisions(
    corpus: ShardCorpus, resolution: Resolution, names: Names, work: Path
) -> tuple[dict[str, Path], dict[str, int]]:
    relations = _relate(corpus, resolution)
    paths: dict[str, Path] = {}
    held = {shard.name: places for shard, places in corpus.places_by_shard(np.arange(len(corpus.records)))}
    for shard in corpus.shards:
        places = held.get(shard.name, np.empty(0, np.int64))
        kinds, rows = relations[places], corpus.row_of[places]
        index = np.full(open_parquet(shard.raw).metadata.num_rows, len(places))
        index[rows] = np.arange(len(places))
        columns = [
            pa.array([*names.at(resolution.kept[places]), None], pa.string()),
            pa.array([*np.array(RELATIONS)[kinds].tolist(), None], pa.string()),
            pa.array(np.append(np.where(kinds != 0, np.round(resolution.similarity[places], _DIGITS), np.nan), np.nan), from_pandas=True),
        ]
        table = pa.Table.from_arrays([column.take(pa.array(index)) for column in columns], schema=DECISIONS)
        paths[shard.name] = work / f"decisions-{shard.name}.parquet"
        pq.write_table(table, paths[shard.name], compression="zstd")
    counts = np.bincount(relations, minlength=len(RELATIONS)).tolist()
    return paths, dict(zip(RELATIONS, counts, strict=True))


def _write_variants(resolution: Resolution, names: Names, path: Path) -> int:
    rows = []
    ends = [names.at(np.array(side, dtype=np.int64)) for side in zip(*((v.first, v.second) for v in resolution.variants), strict=True)]
    for variant, *pair in zip(resolution.variants, *ends, strict=True):
        first, second = sorted(pair)
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
    names = _name_kept(corpus, np.unique(resolution.kept))
    decisions, counts = _write_decisions(corpus, resolution, names, work)
    fills, variants = work / "fills.parquet", work / "variants.parquet"
    fill_gaps(corpus, resolution.kept, names.at, fills)
    counts["variants"] = _write_variants(resolution, names, variants)
    corpus.close()
    return Groups(tuple(decisions[shard.name] for shard in shards), fills, variants, counts)
