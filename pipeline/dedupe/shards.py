"""Records that lie in Parquet shards: their arrays in order of source file and ordinal, their texts spilled for random reading."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.dedupe.corpus import I64, RECORD, Corpus, Described, hash_source, hash_title, identity_columns
from pipeline.dedupe.evidence import NO_EVIDENCE, Evidence, identify, weigh
from pipeline.dedupe.metadata import METADATA, column_or_null, find_damage, find_metadata
from pipeline.dedupe.signatures import read_keys, read_sketches

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


def _iterate_values(path: Path, rows: I64, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The values of the given rows (sorted), null where the file lacks a column."""
    for table in read_rows(path, rows, columns):
        held = [column_or_null(table, name, pa.string()).to_pylist() for name in columns]
        yield from zip(*held, strict=True)


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
    halves = read_keys(signed.column("key_hash"))
    records["key"], records["key_rest"] = halves[:, 0], halves[:, 1]
    records["size"] = signed.column("n_tokens").to_numpy()
    records["metadata"] = find_metadata(raw)
    records["damage"] = find_damage(column_or_null(raw, "flags", _STRINGS), column_or_null(clean, "flags", _STRINGS))
    _fill_identifiers(records, raw)
    files = raw.column("source_file").combine_chunks().take(pa.array(rows))
    return records[rows], rows, files, raw.column("ordinal").to_numpy()[rows].astype(np.int64)


def _rows_with(mask: pa.ChunkedArray, *columns: pa.ChunkedArray) -> Iterator[tuple[Any, ...]]:
    """Row and values of the columns where `mask` is true."""
    rows = pc.indices_nonzero(mask)
    return zip(rows.to_pylist(), *(column.take(rows).to_pylist() for column in columns), strict=True)


def _fill_identifiers(records: NDArray[Any], raw: pa.Table) -> None:
    names = ("doi", "arxiv_id", "arxiv_version", "source_id", "format", "title")
    dois, arxiv_ids, versions, source_ids, forms, titles = (column_or_null(raw, name, pa.string()) for name in names)
    identified = pc.or_(pc.is_valid(dois), pc.is_valid(arxiv_ids))
    for row, doi, arxiv_id, version in _rows_with(identified, dois, arxiv_ids, versions):
        identity = identify(doi, arxiv_id, version)
        records["arxiv"][row], records["doi"][row], records["registry"][row] = identity_columns(identity)
        records["version"][row] = identity.version
    for row, source_id, form in _rows_with(pc.is_valid(source_ids), source_ids, forms):
        records["source"][row] = hash_source(form, source_id)
    for row, title in _rows_with(pc.is_valid(titles), titles):
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
        self._evidence = np.full(len(order), -1, dtype=np.int64)
        self._lengths = np.zeros(len(order), dtype=np.int64)
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

    def read(self, places: I64, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Columns of the raw records at `places`, a shard after the other."""
        for shard, chosen in self.places_by_shard(places):
            here = iter(chosen.tolist())
            for table in read_rows(shard.raw, self.row_of[chosen], columns):
                for row in table.to_pylist():
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
            for shard, chosen in self.places_by_shard(new):
                rows = self.row_of[chosen]
                done = 0
                told = _iterate_values(shard.raw, rows, ("ordinal", "title", "authors", "year"))
                for table in read_rows(shard.clean, rows, ("text", "flags")):
                    here = chosen[done : done + len(table)]
                    done += len(table)
                    self._spill_texts(here, table.column("text"), file)
                    flags = column_or_null(table, "flags", _STRINGS).to_pylist()
                    evidence = [weigh(title, authors, year, marks) for marks, (_, title, authors, year) in zip(flags, told, strict=False)]
                    self._spill_evidence(here, evidence, file)

    def _spill_texts(self, places: I64, texts: pa.ChunkedArray, file: BinaryIO) -> None:
        data = texts.cast(pa.large_binary()).combine_chunks()
        borders = np.frombuffer(data.buffers()[1], np.int64)[data.offset : data.offset + len(data) + 1]
        self._offsets[places] = borders[:-1] - borders[0] + file.tell()
        self._lengths[places] = np.diff(borders)
        file.write(memoryview(data.buffers()[2] or b"")[borders[0] : borders[-1]])

    def _spill_evidence(self, places: I64, evidence: list[Evidence], file: BinaryIO) -> None:
        for place, item in zip(places.tolist(), evidence, strict=True):
            if item != NO_EVIDENCE:
                self._evidence[place] = file.tell()
                pickle.dump((item.title, sorted(item.authors), item.year, item.boilerplate), file, protocol=5)

    def describe(self, places: Sequence[int]) -> list[Described]:
        described = []
        with self._spill.open("rb") as file:
            number = file.fileno()
            chosen = np.asarray(places, dtype=np.int64)
            columns = (self._offsets[chosen].tolist(), self._lengths[chosen].tolist(), self._evidence[chosen].tolist())
            for offset, length, told in zip(*columns, strict=True):
                text = os.pread(number, length, offset).decode("utf-8", "surrogatepass")
                evidence = NO_EVIDENCE
                if told >= 0:
                    file.seek(told)
                    title, authors, year, boilerplate = pickle.load(file)
                    evidence = Evidence(title, frozenset(authors), year, boilerplate)
                described.append(Described(text, evidence))
        return described

    def close(self) -> None:
        """Remove the work files."""
        self._spill.unlink(missing_ok=True)


def metadata_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata columns of a row that was read, missing ones null and lists never null."""
    return {
        field.name: row.get(field.name) or ([] if pa.types.is_list(field.type) else None) for field in METADATA
    }
