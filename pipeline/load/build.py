"""Building a release in a staging folder, from Parquet parts to SHA256SUMS. Nothing here is seen by readers."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import pyarrow as pa

from pipeline.errors import NothingUsableError, RefusedError
from pipeline.load import disk
from pipeline.load.across import check_across
from pipeline.load.changes import compare, first_changes
from pipeline.load.context import DataFile, LoadOptions, ReleaseContext, ReleaseFacts, StagedRelease, hidden, page_path
from pipeline.load.csv import header, render_rows
from pipeline.load.disk import sha256_of
from pipeline.load.documents import write_documents
from pipeline.load.drift import drifts, refuse_drift
from pipeline.load.figures import Counts, as_figures
from pipeline.load.files import FAULTY, CsvPart, FileResult, FileTask, write_files
from pipeline.load.ledger import row_ledger
from pipeline.load.manifest import data_hash, read_manifest, release_files, render_manifest, render_sums
from pipeline.load.parquet import open_writer
from pipeline.load.parts import Sorting, map_part, sort_part
from pipeline.load.ranges import Ranges, file_edges, id_edges
from pipeline.load.redirects import Lineage, earlier_redirects, redirects, trace
from pipeline.load.rights import Rights, find_rights
from schemas.as_pandera import ChecksOffError
from schemas.as_text import schema_json
from schemas.broken import Broken, merge
from schemas.checks import BY_ABSTRACT
from schemas.tables import QUARANTINE, REDIRECTS, RELEASE_TABLES, SOURCES, TABLES, Table

Parts = Mapping[str, Sequence[Path]]


def build_release(parts: Parts, context: ReleaseContext, options: LoadOptions) -> StagedRelease:
    """Build a release from `parts`: for every table but redirects the files of its rows (see `pipeline.load.parts`), in
    any sharding that keeps the rows of one abstract together.

    Raises RefusedError when a check is broken or the figures drift, NothingUsableError when no abstract is left,
    OutputError when writing fails; the staging folder is then removed. The caller holds the output's lock.
    """
    build = _Build(context, options, hidden(context.output, "release"), hidden(context.output, "work"))
    try:
        with disk.explain_io(context.output):
            return build.run(parts)
    except ChecksOffError as error:
        disk.remove_tree(build.folder)
        raise RefusedError("Nothing was checked, so nothing is published.", f"{error}.") from None
    except BaseException:
        disk.remove_tree(build.folder)
        raise
    finally:
        disk.remove_tree(build.work)


@dataclass(frozen=True, slots=True)
class _Build:
    context: ReleaseContext
    options: LoadOptions
    folder: Path
    work: Path

    def run(self, parts: Parts) -> StagedRelease:
        for table in RELEASE_TABLES:
            (self.folder / "data" / table.name).mkdir(parents=True)
        (self.folder / "csv").mkdir()
        self.work.mkdir(parents=True)
        parts = self._sorted(parts)
        rights = find_rights(parts, self.context, earlier_redirects(self.context.previous))
        results = self._write_tables(parts, rights)
        sheets = list(self._join_csv(results))
        files = [*(file for result in results for file in result.files), *(file for file, _ in sheets)]
        broken = [*(item for result in results for item in result.broken), *(item for _, found in sheets for item in found)]
        disk.write_file(self.folder / "schema.json", schema_json())
        files.append(describe(self.folder, "schema.json"))
        counts: Counts = sum((result.counts for result in results), Counter())
        if not counts["rows", "abstracts"]:
            raise NothingUsableError("No abstract is left to publish.", "Look at the quarantine, the takedown list and --only-licences.")
        counts["left_out", "abstracts"] = sum(map(len, rights.removed.values()))
        counts["left_out", "sources"] = sum(counts["quarantined", f"load/{rule}"] for rule in rights.removed)
        return self._finish(files, counts, rights, broken)

    def _write_tables(self, parts: Parts, rights: Rights) -> list[FileResult]:
        edges = id_edges(sum(map_part(path).num_rows for path in parts["abstracts"]), self.options)
        results = self._write({table.name: Ranges.of(table, edges, parts[table.name]) for table in BY_ABSTRACT}, rights)
        sources = self._write(self._by_file(SOURCES, parts[SOURCES.name]), rights)
        aside = self._sorted({QUARANTINE.name: [result.aside for result in sources if result.aside]})
        quarantine = self._write(self._by_file(QUARANTINE, [*parts[QUARANTINE.name], *aside[QUARANTINE.name]]), rights)
        return [*results, *sources, *quarantine]

    def _by_file(self, table: Table, parts: Sequence[Path]) -> dict[str, Ranges]:
        return {table.name: Ranges.of(table, file_edges(table, parts, self.options), parts)}

    def _sorted(self, parts: Parts) -> dict[str, list[Path]]:
        """The same parts, those that are Parquet files as sorted Arrow files."""
        jobs = {
            path: Sorting(path, name, self.work / f"{name}-{path.stem}-{index:05d}.arrow")
            for name, paths in parts.items()
            for index, path in enumerate(paths)
            if path.suffix == ".parquet"
        }
        done = dict(zip(jobs, self.options.map(sort_part, list(jobs.values())), strict=True))
        return {name: [done.get(path, path) for path in paths] for name, paths in parts.items()}

    def _write(self, ranges: Mapping[str, Ranges], rights: Rights) -> list[FileResult]:
        numbers = next(iter(ranges.values())).count
        step = self.options.groups_per_file
        count = -(-numbers // step)
        tasks = [
            FileTask(i, count, range(i * step, min((i + 1) * step, numbers)), ranges, self.folder, self.work, rights) for i in range(count)
        ]
        return list(self.options.map(write_files, tasks))

    def _join_csv(self, results: Sequence[FileResult]) -> Iterable[tuple[DataFile, list[Broken]]]:
        """One CSV file per table out of the parts."""
        for name in (table.name for table in RELEASE_TABLES if table is not REDIRECTS):
            yield join_csv(self.folder, name, [result.csv_parts[name] for result in results if name in result.csv_parts])

    def _finish(self, files: list[DataFile], counts: Counts, rights: Rights, broken: list[Broken]) -> StagedRelease:
        """What comes after the data: version, redirects, checks over everything, changes, documents, manifest, sums."""
        digest = data_hash(files)
        version = f"{self.context.build_date:%Y%m%d}-{digest[:8]}"
        previous = self.context.previous
        if previous is not None and previous.name.endswith(f"-{digest[:8]}") and not broken:
            disk.remove_tree(self.folder)
            return StagedRelease(previous.name, previous, unchanged=True)
        lineage = Lineage({}, (), {}) if previous is None else trace(self.folder, previous, rights)
        files += self._write_redirects(redirects(self.folder, previous, lineage, version), counts)
        inputs = [dataclasses.asdict(entry) for entry in self.context.inputs]
        refuse_broken([*broken, *(() if broken else check_across(self.folder, inputs))])
        facts = self._facts(files, counts, version, lineage)
        if previous is not None:
            refuse_drift(drifts(read_manifest(previous)["figures"], facts.figures, self.options.bands), self.options.accept_change)
        write_documents(facts)
        seal(facts, digest)
        return StagedRelease(version, self.folder, unchanged=False, facts=facts)

    def _write_redirects(self, rows: pa.Table, counts: Counts) -> Iterable[DataFile]:
        path = page_path(REDIRECTS.name, 0, 1)
        with open_writer(self.folder / path, REDIRECTS) as writer:
            if rows.num_rows:
                writer.write_table(rows, row_group_size=rows.num_rows)
        disk.write_file(self.folder / "csv/redirects.csv", header(REDIRECTS) + bytes(render_rows(rows)))
        counts["rows", REDIRECTS.name] = rows.num_rows
        return describe(self.folder, path, rows.num_rows), describe(self.folder, "csv/redirects.csv")

    def _facts(self, files: Sequence[DataFile], counts: Counts, version: str, lineage: Lineage) -> ReleaseFacts:
        context = self.context
        rows = {table.name: counts["rows", table.name] for table in RELEASE_TABLES}
        names = (context.previous.name if context.previous else "", version)
        changes = first_changes(rows) if context.previous is None else compare(self.folder, context.previous, lineage, names, context.moved)
        figures = as_figures(counts)
        return ReleaseFacts(
            version=version, folder=self.folder, build_date=context.build_date, code_version=context.code_version, rows=rows,
            files=tuple(files), figures=figures, inputs=context.inputs, ledger=row_ledger(counts, context.inputs),
            losses=context.losses, unknown_macros=context.unknown_macros, licences=figures.get("licences", {}), changes=changes,
            settings=context.settings, fingerprint=context.fingerprint, quality=context.quality,
            previous_version=names[0] or None, accepted_change=self.options.accept_change,
        )  # fmt: skip


def describe(folder: Path, path: str, rows: int = 0) -> DataFile:
    """A file of a release with its hash and size."""
    return DataFile(path, sha256_of(folder / path), (folder / path).stat().st_size, rows)


def join_csv(folder: Path, table: str, parts: Sequence[CsvPart]) -> tuple[DataFile, list[Broken]]:
    """Join the CSV parts of a table below one header, and remove them. A part that is read differently from what was
    rendered is a broken rule."""
    path = f"csv/{table}.csv"
    head = header(TABLES[table])
    digest, size, broken = hashlib.sha256(head), len(head), []
    with (folder / path).open("wb") as file:
        file.write(head)
        for part in parts:
            crc = 0
            with part.path.open("rb") as source:
                while block := source.read(1 << 20):
                    crc = crc32(block, crc)
                    digest.update(block)
                    size += file.write(block)
            if crc != part.crc32:
                broken.append(Broken(table, "*", "the CSV rows are the Parquet rows", 1, do=FAULTY))
            part.path.unlink()
    return DataFile(path, digest.hexdigest(), size, 0), broken


def seal(facts: ReleaseFacts, digest: str) -> None:
    """Write manifest.json and SHA256SUMS: no file changes any more. Hashes of data files are known already."""
    known = {file.path: file for file in facts.files}
    files = [known.get(path) or describe(facts.folder, path) for path in release_files(facts.folder)]
    disk.write_file(facts.folder / "manifest.json", render_manifest(facts, digest, files))
    disk.write_file(facts.folder / "SHA256SUMS", render_sums([*files, describe(facts.folder, "manifest.json")]))


def refuse_broken(broken: Sequence[Broken]) -> None:
    """Raise RefusedError that names every broken rule once."""
    if broken:
        found = merge(broken)
        raise RefusedError(
            f"Validation refused the release; {len(found)} rules are broken:\n" + "\n".join(f"  {item}" for item in found),
            "Nothing was published; the current release is untouched.",
            broken=[str(item) for item in found],
        )
