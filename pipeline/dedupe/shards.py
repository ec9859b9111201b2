"""Records that lie in Parquet shards: their arrays in order of source file and ordinal, their texts spilled for random reading."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.dedupe.corpus import I64, RECORD, Corpus, Described, hash_source, hash_title, identity_columns
from pipeline.dedupe.evidence import Evidence, identify, weigh
from pipeline.dedupe.metadata import METADATA, column_or_null, find_damage, find_metadata
from pipeline.dedupe.signatures import read_sketches

_RAW = ["source_file", "ordinal", "source_id", "format", "flags", *METADATA.names]
_CLEAN = ["usable", "flags"]
_STRINGS = pa.list_(pa.string())


@dataclass(frozen=True, slots=True)
class Shard:
    """Three Parquet files of one shard, row by row of the same records."""

    name: str
    raw: Path
    clean: Path
    signatures: Path


def open_parquet(path: Path) -> pq.ParquetFile:
    """A Parquet file that is not read ahead: reading ahead makes memory grow with the file."""
    return pq.ParquetFile(path, pre_buffer=False)


def iterate_groups(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, pa.Table]]:
    """The row groups of a file with the first row of each; columns that the file lacks are left out."""
    file = open_parquet(path)
    held = [name for name in columns if name in file.schema_arrow.names]
    start = 0
    for index in range(file.num_row_groups):
        table = file.read_row_group(index, columns=held)
        yield start, table
        start += len(table)


def read_rows(path: Path, rows: I64, columns: Sequence[str]) -> Iterator[pa.Table]:
    """The given rows (sorted) of a file, by row group; row groups without any are not read."""
    file = open_parquet(path)
    held = [name for name in columns if name in file.schema_arrow.names]
    start = 0
    for index in range(file.num_row_groups):
        end = start + file.metadata.row_group(index).num_rows
        low, high = np.searchsorted(rows, (start, end))
        if low < high:
            yield file.read_row_group(index, columns=held).take(pa.array(rows[low:high] - start))
        start = end


def _read_whole(path: Path, columns: Sequence[str]) -> pa.Table:
    file = open_parquet(path)
    return file.read(columns=[name for name in columns if name in file.schema_arrow.names])


def _describe_shard(shard: Shard) -> tuple[NDArray[Any], I64, pa.Array, I64]:
    """Records, rows, source files and ordinals of the usable rows of a shard."""
    clean = _read_whole(shard.clean, _CLEAN)
    raw = _read_whole(shard.raw, _RAW)
    signed = _read_whole(shard.signatures, ["key_hash", "n_tokens"])
    rows = np.flatnonzero(column_or_null(clean, "usable", pa.bool_()).fill_null(False).to_numpy())
    records = np.zeros(len(raw), dtype=RECORD)
    keys = np.array(signed.column("key_hash").to_pylist() or [b""], dtype="S16")[: len(raw)]
    halves = np.frombuffer(keys.tobytes(), dtype=">u8").reshape(-1, 2)
    records["key"], records["key_rest"] = halves[:, 0], halves[:, 1]
    records["size"] = signed.column("n_tokens").to_numpy()
    records["metadata"] = find_metadata(raw)
    records["damage"] = find_damage(column_or_null(raw, "flags", _STRINGS), column_or_null(clean, "flags", _STRINGS))
    _fill_identifiers(records, raw)
    files = raw.column("source_file").combine_chunks().take(pa.array(rows))
    return records[rows], rows, files, raw.column("ordinal").to_numpy()[rows].astype(np.int64)


def _fill_identifiers(records: NDArray[Any], raw: pa.Table) -> None:
    names = ("doi", "arxiv_id", "arxiv_version", "source_id", "format", "title")
    columns = [column_or_null(raw, name, pa.string()).to_pylist() for name in names]
    for row, (doi, arxiv_id, version, source_id, form, title) in enumerate(zip(*columns, strict=True)):
        if doi or arxiv_id:
            identity = identify(doi, arxiv_id, version)
            records["arxiv"][row], records["doi"][row], records["registry"][row] = identity_columns(identity)
            records["version"][row] = identity.version
        records["source"][row] = hash_source(form, source_id)
        records["title"][row] = hash_title(title)


class ShardCorpus(Corpus):
    """The usable records of all shards. Work files go to `folder`."""

    def __init__(self, shards: Sequence[Shard], folder: Path) -> None:
        self.shards = sorted(shards, key=lambda shard: shard.name)
        parts = [_describe_shard(shard) for shard in self.shards]
        sizes = [len(part[0]) for part in parts]
        files = pa.chunked_array([part[2] for part in parts], pa.string()).dictionary_encode().unify_dictionaries()
        names = files.chunk(0).dictionary.to_pylist() if files.num_chunks else []
        order_of = np.empty(len(names), dtype=np.int64)
        order_of[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        codes = [order_of[chunk.indices.to_numpy()] for chunk in files.chunks]
        empty = [np.empty(0, np.int64)]
        order = np.lexsort((np.concatenate([part[3] for part in parts] + empty), np.concatenate(codes + empty)))
        self.records = np.concatenate([part[0] for part in parts] + [np.zeros(0, dtype=RECORD)])[order]
        self.shard_of = np.repeat(np.arange(len(parts), dtype=np.int32), sizes)[order]
        self.row_of = np.concatenate([part[1] for part in parts] + empty)[order]
        self._offsets = np.full(len(order), -1, dtype=np.int64)
        self._spill = folder / "described.bin"
        self._spill.write_bytes(b"")

    def places_by_shard(self, places: I64) -> Iterator[tuple[Shard, I64]]:
        """`places` a shard at a time, in order of row."""
        order = np.lexsort((self.row_of[places], self.shard_of[places]))
        places = places[order]
        borders = np.searchsorted(self.shard_of[places], np.arange(len(self.shards) + 1))
        for shard, low, high in zip(self.shards, borders[:-1], borders[1:], strict=True):
            if low < high:
                yield shard, places[low:high]

    def read(self, places: I64, raw: Sequence[str], clean: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
        """Columns of the records at `places`, a shard after the other; those of `clean` are named `clean_…`."""
        for shard, chosen in self.places_by_shard(places):
            rows = self.row_of[chosen]
            here = iter(chosen.tolist())
            tables = read_rows(shard.raw, rows, raw)
            others = (row for table in read_rows(shard.clean, rows, clean) for row in table.to_pylist()) if clean else None
            for table in tables:
                for row in table.to_pylist():
                    if others is not None:
                        row |= {f"clean_{name}": value for name, value in next(others).items()}
                    yield next(here), row

    def read_bins(self, places: I64, start: int, end: int) -> NDArray[np.uint32]:
        bins = np.empty((end - start, len(places)), dtype=np.uint32)
        rank_of = np.full(len(self.records), -1, dtype=np.int64)
        rank_of[places] = np.arange(len(places))
        for shard, chosen in self.places_by_shard(places):
            ranks, rows = rank_of[chosen], self.row_of[chosen]
            for first, table in iterate_groups(shard.signatures, ["sketch"]):
                low, high = np.searchsorted(rows, (first, first + len(table)))
                sketches = read_sketches(table.column("sketch"))
                bins[:, ranks[low:high]] = sketches[rows[low:high] - first, start:end].T
        return bins

    def prepare(self, places: I64) -> None:
        new = places[self._offsets[places] < 0]
        with self._spill.open("ab") as file:
            for place, row in self.read(new, ["ordinal", "title", "authors", "year"], ["text", "flags"]):
                evidence = weigh(row.get("title"), row.get("authors"), row.get("year"), row.get("clean_flags") or ())
                parts = (row["clean_text"], evidence.title, sorted(evidence.authors), evidence.year, evidence.boilerplate)
                data = pickle.dumps(parts, protocol=5)
                self._offsets[place] = file.tell()
                file.write(len(data).to_bytes(8, "little") + data)

    def describe(self, places: Sequence[int]) -> list[Described]:
        described = []
        with self._spill.open("rb") as file:
            number = file.fileno()
            for place in places:
                offset = int(self._offsets[place])
                head = os.pread(number, 4096, offset)
                size = int.from_bytes(head[:8], "little")
                data = head[8 : 8 + size] if size <= 4088 else os.pread(number, size, offset + 8)
                text, title, authors, year, boilerplate = pickle.loads(data)
                described.append(Described(text, Evidence(title, frozenset(authors), year, boilerplate)))
        return described

    def close(self) -> None:
        """Remove the work files."""
        self._spill.unlink(missing_ok=True)


def metadata_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata columns of a row that was read, missing ones null and lists never null."""
    return {
        field.name: row.get(field.name) or ([] if pa.types.is_list(field.type) else None) for field in METADATA
    }
