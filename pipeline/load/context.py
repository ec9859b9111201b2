"""The values that go into a release build and come out of it."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.model import FileSummary

#: By table: parts of the previous release only, parts of the new one only.
Moved = Mapping[str, tuple[Sequence[Path], Sequence[Path]]]
MapFunction = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Bands:
    """How far a release may move from the previous one before a person has to say that it is meant.

    Shares and rates are absolute differences (0.10: ten percentage points), rows a relative one. With few rows a share
    jumps by chance and a corpus multiplies as it is put together, so below `smallest` rows only a loss of abstracts is
    looked at, and that only from `few` on. The defaults let a corpus grow by half or lose a twentieth between two
    refreshes. What takedowns and the licence filter leave out is meant, and no loss.
    """

    fewer_rows: float = 0.05
    more_rows: float = 0.5
    null_share: float = 0.10
    extraction_rate: float = 0.10
    language_share: float = 0.05
    quarantined_share: float = 0.05
    smallest: int = 100
    few: int = 3


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to build: `map` runs a picklable function over picklable values (a process pool's map, for instance).

    Row groups hold about `rows_per_group` abstracts, files `groups_per_file` row groups; both shape the bytes.
    """

    map: MapFunction = map
    rows_per_group: int = 8_192
    groups_per_file: int = 4
    bands: Bands = field(default_factory=Bands)
    accept_change: str | None = None


@dataclass(frozen=True, slots=True)
class Takedown:
    """What must not be in a release: an abstract id, a DOI, or the SHA-256 of a clean or raw text."""

    value: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """A change to one value, made by a person: `column` of an abstract goes from `old` to `new`."""

    abstract_id: str
    column: str
    old: object
    new: object
    reason: str
    who: str


@dataclass(frozen=True, slots=True)
class ReleaseContext:
    """What a release is made of and compared with; everything that is not a row.

    `losses` counts what cleaning dropped by reason, `quality` gives figures measured on gold annotations, `previous` is
    the folder of the release that is current (resolved), `settings` the settings as text. `moved` gives for each
    table the parts of the previous release that this one has not, and the parts that only this one has; None: not known.
    """

    output: Path
    build_date: dt.date
    inputs: Sequence[FileSummary]
    code_version: str
    settings: str = ""
    fingerprint: str = ""
    losses: Mapping[str, int] = field(default_factory=dict)
    unknown_macros: Mapping[str, int] = field(default_factory=dict)
    quality: Mapping[str, Any] | None = None
    previous: Path | None = None
    only_licences: tuple[str, ...] = ()
    takedowns: tuple[Takedown, ...] = ()
    corrections: tuple[Correction, ...] = ()
    moved: Moved | None = None


@dataclass(frozen=True, slots=True)
class StagedRelease:
    """A built release. `unchanged`: the data equal the previous release's, nothing is to be published."""

    version: str
    folder: Path
    unchanged: bool
    facts: ReleaseFacts | None = None


@dataclass(frozen=True, slots=True)
class DataFile:
    """One written file: path relative to the release, SHA-256, bytes, rows."""

    path: str
    sha256: str
    bytes: int
    rows: int


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """What the documents of a release are rendered from: counts and paths, and where the data lie.

    `rows` per table; `figures` as in the manifest (see `figures.py`); `files` are the data files;
    `changes` is the content of changes.json.
    """

    version: str
    folder: Path
    build_date: dt.date
    code_version: str
    rows: Mapping[str, int]
    files: Sequence[DataFile]
    figures: Mapping[str, Any]
    inputs: Sequence[FileSummary]
    ledger: Mapping[str, Mapping[str, int]]
    losses: Mapping[str, int]
    unknown_macros: Mapping[str, int]
    licences: Mapping[str, int]
    changes: Mapping[str, Any]
    settings: str
    fingerprint: str
    quality: Mapping[str, Any] | None = None
    previous_version: str | None = None
    accepted_change: str | None = None


def page_path(table: str, index: int, count: int) -> str:
    """Path of a data file relative to the release."""
    return f"data/{table}/train-{index:05d}-of-{count:05d}.parquet"


def hidden(folder: Path, name: str) -> Path:
    """A working folder of this process inside the output folder, on the same file system as the releases."""
    return folder / ".staging" / f"{name}-{os.getpid()}"
