"""What travels between a run and the processes that do its steps: paths and small values, never rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.extract import ExtractOptions, InputFile
from pipeline.model import FileSummary


@dataclass(frozen=True, slots=True)
class ExtractJob:
    """Read `files` into the folder `out`, in shards of `shard_rows` records."""

    files: tuple[InputFile, ...]
    out: Path
    options: ExtractOptions
    shard_rows: int


@dataclass(frozen=True, slots=True)
class RecordShard:
    """A Parquet file of records. `texts` is a hash of its raw texts: what decides how they clean."""

    path: Path
    rows: int
    texts: str


@dataclass(frozen=True, slots=True)
class UnitResult:
    """What reading a unit gave."""

    shards: tuple[RecordShard, ...]
    summaries: tuple[FileSummary, ...]
    quarantine: Path


@dataclass(frozen=True, slots=True)
class CleanJob:
    """Clean the records of one shard into the folder `out`; `donors` are such folders of shards that are no more."""

    records: Path
    out: Path
    macros: Mapping[str, str]
    donors: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class CleaningCounts:
    """What cleaning dropped by reason, unknown macros by name, and the number of texts with unaccounted losses."""

    losses: Mapping[str, int]
    macros: Mapping[str, int]
    unaccounted: int


@dataclass(frozen=True, slots=True)
class PartJob:
    """Write the part of every release table that one shard gives, below the folder `parts`.

    `cache` holds what was enriched before, of this shard, and `donors` what of shards that are no more; `hashes` is
    the SHA-256 of each source file; `code` decides with the rows.
    """

    records: Path
    cleaned: Path
    decisions: Path
    fills: Path
    cache: Path
    parts: Path
    hashes: Mapping[str, str]
    code: str
    donors: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A folder with one file per table, and the rows in each."""

    folder: Path
    rows: Mapping[str, int]
