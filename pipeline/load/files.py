"""Writing one set of data files: range by range through all checks, then reading it all back."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.load.context import DataFile, page_path
from pipeline.load.csv import render_slices
from pipeline.load.digest import checksum
from pipeline.load.disk import sha256_of
from pipeline.load.figures import Counts, count
from pipeline.load.parquet import open_writer, read_groups, schema_faults
from pipeline.load.ranges import Ranges
from pipeline.load.rights import Rights
from schemas.as_arrow import arrow_schema
from schemas.broken import Broken
from schemas.checks import check_group, check_rows
from schemas.tables import TABLES

FAULTY = "The disk or memory may be faulty: run again."


@dataclass(frozen=True, slots=True)
class FileTask:
    """File `index` of `count` of each table in `ranges`, made of the given range numbers."""

    index: int
    count: int
    numbers: range
    ranges: Mapping[str, Ranges]
    release: Path
    work: Path
    rights: Rights


@dataclass(frozen=True, slots=True)
class CsvPart:
    """Rows of a CSV file in a file of their own, with the CRC-32 of the text as it was rendered."""

    path: Path
    crc32: int


@dataclass(frozen=True, slots=True)
class FileResult:
    """What one task wrote: data files, CSV parts by table, figures, broken rules, rows set aside."""

    files: tuple[DataFile, ...]
    csv_parts: Mapping[str, CsvPart]
    counts: Counts
    broken: tuple[Broken, ...]
    aside: Path | None = None


def write_files(task: FileTask) -> FileResult:
    """Write, check and read back one file of every table in the task."""
    paths = {name: task.release / page_path(name, task.index, task.count) for name in task.ranges}
    parts = {name: task.work / f"{name}-{task.index:05d}.csv" for name in task.ranges}
    aside: list[pa.Table] = []
    broken: list[Broken] = []
    counts: Counts = Counter()
    told: dict[str, _Told] = {name: _Told() for name in paths}
    with ExitStack() as stack:
        writers = {name: stack.enter_context(open_writer(path, TABLES[name])) for name, path in paths.items()}
        sheets = {name: stack.enter_context(path.open("wb")) for name, path in parts.items()}
        for number in task.numbers:
            group = _load(task, number, aside)
            broken += check(group)
            counts += count(group)
            for name, data in group.items():
                for text in render_slices(data):
                    told[name].sheet = crc32(text, told[name].sheet)
                    sheets[name].write(text)
                if data.num_rows:
                    told[name].groups.append(checksum(data))
                    writers[name].write_table(data, row_group_size=data.num_rows)
            del group, data
            release_memory()
    broken += read_back(paths, told)
    files = tuple(_describe(task.release, path) for path in paths.values())
    sheets_made = {name: CsvPart(path, told[name].sheet) for name, path in parts.items()}
    return FileResult(files, sheets_made, counts, tuple(broken), _keep_aside(task, aside))


def release_memory() -> None:
    """Give memory that Arrow has freed back to the system: it keeps it otherwise."""
    pa.default_memory_pool().release_unused()


def check(group: Mapping[str, pa.Table]) -> list[Broken]:
    """All rules that can be checked on these tables alone."""
    if "abstracts" in group:
        return check_group(group)
    return [b for name, data in group.items() for b in check_rows(data, TABLES[name])]


def _load(task: FileTask, number: int, aside: list[pa.Table]) -> dict[str, pa.Table]:
    group = {name: ranges.load(number) for name, ranges in task.ranges.items()}
    if "sources" in group:
        aside.append(task.rights.aside(group["sources"]))
    if "quarantine" not in group:
        group = {name: task.rights.drop(data) for name, data in group.items()}
    if "variants" in group:
        group["variants"] = task.rights.drop(group["variants"], "other_id")
    if "abstracts" in group:
        group["abstracts"] = task.rights.correct(group["abstracts"])
    return {name: data.combine_chunks() for name, data in group.items()}


def _keep_aside(task: FileTask, aside: Sequence[pa.Table]) -> Path | None:
    rows = pa.concat_tables(aside) if aside else None
    if rows is None or rows.num_rows == 0:
        return None
    path = task.work / f"aside-{task.index:05d}.parquet"
    pq.write_table(rows, path)
    return path


@dataclass(slots=True)
class _Told:
    """What was written of a table: a checksum of the rows of each row group, and one of its CSV text."""

    groups: list[int] = field(default_factory=list)
    sheet: int = 0


def read_back(paths: Mapping[str, Path], told: Mapping[str, _Told]) -> list[Broken]:
    """Read what was written, page checksums verified, and compare it with the rows that passed every check."""
    broken = []
    for name, path in paths.items():
        broken += [Broken(name, "*", fault, 1) for fault in schema_faults(path, TABLES[name])]
        if [checksum(group) for group in read_groups([path])] != told[name].groups:
            broken.append(Broken(name, "*", "the Parquet rows are those that were checked", 1, do=FAULTY))
    return broken


def groups(paths: Mapping[str, Path | Sequence[Path]]) -> Iterator[dict[str, pa.Table]]:
    """Rows of some files of one release in groups: a row group of the first table with the child rows of its ids.

    Works for any layout of row groups; child rows that come before or after all ids go to the nearest group.
    """
    first, *rest = ((name, [path] if isinstance(path, Path) else path) for name, path in paths.items())
    children = {name: _Cursor(read_groups(files), arrow_schema_of(name)) for name, files in rest}
    held: pa.Table | None = None
    for data in read_groups(first[1]):
        if held is not None:
            last = held["abstract_id"][-1].as_py() if children else ""
            yield {first[0]: held, **{name: cursor.until(last) for name, cursor in children.items()}}
        held = data
    held = arrow_schema_of(first[0]).empty_table() if held is None else held
    yield {first[0]: held, **{name: cursor.until(None) for name, cursor in children.items()}}


def arrow_schema_of(name: str) -> pa.Schema:
    """Arrow schema of a table by its name."""
    return arrow_schema(TABLES[name])


class _Cursor:
    """Rows of a child table, handed out up to an id."""

    def __init__(self, row_groups: Iterator[pa.Table], schema: pa.Schema) -> None:
        self._row_groups = row_groups
        self._rest = schema.empty_table()

    def until(self, last: str | None) -> pa.Table:
        """The next rows up to and with the id `last`; all that are left for None."""
        taken = []
        while True:
            ids = self._rest["abstract_id"]
            if last is None or not len(ids) or ids[-1].as_py() <= last:
                taken.append(self._rest)
                following = next(self._row_groups, None)
                self._rest = self._rest.slice(0, 0) if following is None else following
                if following is None:
                    break
                continue
            place = _after(ids, last)
            taken.append(self._rest.slice(0, place))
            self._rest = self._rest.slice(place)
            break
        return pa.concat_tables(taken).combine_chunks()


def _after(ids: pa.ChunkedArray, last: str) -> int:
    return bisect.bisect_right(range(len(ids)), last, key=lambda row: ids[row].as_py())


def _describe(release: Path, path: Path) -> DataFile:
    rows = pq.read_metadata(path).num_rows
    return DataFile(path.relative_to(release).as_posix(), sha256_of(path), path.stat().st_size, rows)
