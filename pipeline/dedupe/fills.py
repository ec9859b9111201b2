"""Metadata that a kept record lacks, taken from the records merged into it, and whose it was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.dedupe.corpus import I64
from pipeline.dedupe.metadata import METADATA
from pipeline.dedupe.shards import ShardCorpus, metadata_of
from pipeline.dedupe.strong import rank_records

FILLS = pa.schema(
    [
        pa.field("abstract_id", pa.string(), nullable=False),
        *METADATA,
        pa.field("filled", pa.list_(pa.string()), nullable=False),
        pa.field("filled_file", pa.list_(pa.string()), nullable=False),
        pa.field("filled_ordinal", pa.list_(pa.int64()), nullable=False),
    ]
)
"""All metadata of a kept record after filling; the fields that were filled, and source file and ordinal of each donor."""

NameKept = Callable[[I64], list[str]]
"""The abstract ids of kept records, given their places."""

_BATCH = 50_000
_ARXIV_ID, _ARXIV_VERSION = METADATA.get_field_index("arxiv_id"), METADATA.get_field_index("arxiv_version")


def _find_donors(corpus: ShardCorpus, kept: I64) -> dict[int, dict[int, int]]:
    """Kept record -> field -> the record that fills it: the one that would be kept next among those that have it."""
    records = corpus.records
    merged = np.flatnonzero(kept != np.arange(len(kept)))
    lacking = records["metadata"][merged] & ~records["metadata"][kept[merged]]
    lacking &= np.uint16(~(1 << _ARXIV_VERSION) & 0xFFFF)
    merged = merged[lacking != 0]
    donors: dict[int, dict[int, int]] = defaultdict(dict)
    for place in rank_records(records, merged).tolist():
        head = int(kept[place])
        bits = int(records["metadata"][place]) & ~int(records["metadata"][head])
        for index in range(len(METADATA)):
            if bits >> index & 1 and index != _ARXIV_VERSION:
                donors[head].setdefault(index, place)
        if donors[head].get(_ARXIV_ID) == place and bits >> _ARXIV_VERSION & 1:
            donors[head][_ARXIV_VERSION] = place
    return donors


def _fill_batch(corpus: ShardCorpus, heads: list[int], donors: dict[int, dict[int, int]], name: NameKept) -> pa.Table:
    needed = {place for head in heads for place in (head, *donors[head].values())}
    columns = ["source_file", "ordinal", *METADATA.names]
    rows = dict(corpus.read(np.array(sorted(needed), dtype=np.int64), columns))
    filled: list[dict[str, Any]] = []
    for head, identifier in zip(heads, name(np.array(heads, dtype=np.int64)), strict=True):
        values = metadata_of(rows[head])
        gaps = sorted(donors[head].items())
        for index, place in gaps:
            field = METADATA.names[index]
            values[field] = metadata_of(rows[place])[field]
        givers = [rows[place] for _, place in gaps]
        filled.append(
            {
                "abstract_id": identifier,
                **values,
                "filled": [METADATA.names[index] for index, _ in gaps],
                "filled_file": [row["source_file"] for row in givers],
                "filled_ordinal": [row["ordinal"] for row in givers],
            }
        )
    return pa.Table.from_pylist(filled, schema=FILLS)


def fill_gaps(corpus: ShardCorpus, kept: I64, name: NameKept, path: Path) -> None:
    """Write the kept records whose metadata change by filling (`FILLS`), sorted by abstract id."""
    donors = _find_donors(corpus, kept)
    heads = [head for _, head in sorted(zip(name(np.array(list(donors), dtype=np.int64)), donors, strict=True))]
    with pq.ParquetWriter(path, FILLS, compression="zstd") as writer:
        for start in range(0, len(heads), _BATCH):
            writer.write_table(_fill_batch(corpus, heads[start : start + _BATCH], donors, name))
        if not heads:
            writer.write_table(FILLS.empty_table())
