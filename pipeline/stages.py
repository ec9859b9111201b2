"""The stages of a run over all shards: which jobs there are, handed to an engine, and what comes of them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from pipeline import __version__, steps
from pipeline.decisions import read_corrections, read_takedowns
from pipeline.dedupe.group import DedupeOptions, Groups, group_shards
from pipeline.dedupe.shards import Shard
from pipeline.engines import Engine, Map
from pipeline.enrich.stage import CHILDREN
from pipeline.errors import NothingUsableError, QuarantineLimitError, RefusedError, UsageError
from pipeline.jobs import CleanJob, PartJob, RecordShard, UnitResult
from pipeline.load.build import build_release
from pipeline.load.context import Bands, LoadOptions, Moved, ReleaseContext, StagedRelease
from pipeline.load.parts import map_part, read_columns
from pipeline.load.publish import keep_staged, list_releases, publish, retain_releases
from pipeline.model import FileSummary
from pipeline.parts import part_of_shard
from pipeline.plan import Plan
from pipeline.progress import Progress
from pipeline.settings import Settings, build_time
from pipeline.state import code_fingerprint, fingerprint

#: `--max-quarantine` stops a run only beyond this number of records (CONTRACT, exit code 1).
QUARANTINE_FLOOR = 20
#: `max_unaccounted` stops a run only beyond this number of texts.
LOSS_FLOOR = 5
#: From this number of abstracts on a release is built in all processes; starting one costs as much as 5,000 abstracts.
MANY = 10_000
#: So many abstracts are compared with the previous release at once (some 5 KB each).
FEW_MOVED = 40_000
#: How many unknown macros a release tells, the most frequent first.
UNKNOWN_MACROS_TOLD = 100
#: Settings that decide the data, and so are told in the manifest; folders and processes are not.
_TOLD = frozenset({"max_quarantine", "only_licences", "mapping", "macros", "max_record_bytes", "drift_bands"})

Cleaned = Sequence[tuple[RecordShard, Path]]


@dataclass(frozen=True, slots=True)
class LoadJob:
    """The parts of every table, the rows that the stages counted in them, and what the release is made of."""

    parts: Mapping[str, Sequence[Path]]
    rows: Mapping[str, int]
    context: ReleaseContext
    settings: Settings


@dataclass(frozen=True, slots=True)
class Loaded:
    """The release that is current now, and the counts of the run. `restored`: only the pointer moved back to it."""

    release: Path
    counts: Mapping[str, int]
    unchanged: bool
    restored: bool = False


def load(job: LoadJob, engine: Engine, progress: Progress) -> Loaded:
    """Build, check and publish the release."""
    with progress.stage("load") as stage:
        result = engine.lead("load", partial(_load, job))
        stage.counts = {"abstracts": result.counts["abstracts"]}
    return result


def _load(job: LoadJob, map_jobs: Map) -> Loaded:
    """Build, check and publish the release; what can be done range by range goes through `map_jobs`."""
    context, settings = job.context, job.settings
    records, quarantined = sum(summary.records for summary in context.inputs), _quarantined(job.parts)
    many = job.rows["abstracts"] >= MANY
    staged = build_release(job.parts, context, load_options(settings, map_jobs if many else map))
    if quarantined > QUARANTINE_FLOOR and quarantined > settings.max_quarantine * records:
        raise _too_much_quarantined(staged, quarantined, records, settings)
    rows = staged.facts.rows if staged.facts else job.rows
    counts = {"records": records, "quarantined": quarantined, "unusable": _unusable(job.parts), "merged": rows["sources"] - rows["abstracts"]}
    counts |= {name: rows[name] for name in ("abstracts", "methods", "datasets", "metrics", "urls")}
    if staged.unchanged and context.previous is not None:
        return Loaded(context.previous, counts, unchanged=True)
    restored = any(path.name == staged.version for path in list_releases(context.output))
    release = publish(staged, context.output)
    retain_releases(context.output, settings.keep_releases)
    return Loaded(release, counts, unchanged=False, restored=restored)


def _unusable(parts: Mapping[str, Sequence[Path]]) -> int:
    """Whole files of which something could not be read."""
    rows = (read_columns(path, ["stage", "ordinal"]).to_pylist() for path in parts["quarantine"])
    return sum(row["stage"] == "extract" and row["ordinal"] is None for part in rows for row in part)


def _quarantined(parts: Mapping[str, Sequence[Path]]) -> int:
    """Records put aside because they are broken; whole files, takedowns and licences are not counted."""
    ordinals = (read_columns(path, ["ordinal"])["ordinal"] for path in parts["quarantine"])
    return sum(len(column) - column.null_count for column in ordinals)


def _too_much_quarantined(staged: StagedRelease, bad: int, records: int, settings: Settings) -> QuarantineLimitError:
    kept = keep_staged(staged, Path(settings.output))
    return QuarantineLimitError(
        f"{bad} of {records} records are quarantined ({bad / records:.1%}), more than --max-quarantine {settings.max_quarantine:.1%}. "
        f"Nothing was published; the release that was not published is kept at {kept}.",
        "Read its table quarantine for the reasons, mend the files, or raise --max-quarantine.",
    )


def extract(plan: Plan, engine: Engine, progress: Progress) -> list[UnitResult]:
    """Read every unit that is not read yet."""
    with progress.stage("extract") as stage:
        jobs = plan.jobs
        done = engine.map("extract", steps.extract_unit, jobs)
        units = list(progress.count(done, "extract", len(jobs)))
        stage.counts = {"files": sum(len(u.summaries) for u in units), "records": _records(units)}
    if not any(unit.shards for unit in units):
        skipped = Counter[str]()
        for unit in units:
            for summary in unit.summaries:
                skipped.update(summary.skipped)
        told = ", ".join(f"{n} × {rule}" for rule, n in skipped.most_common(4)) or "the files are empty or unreadable"
        raise NothingUsableError(
            f"No abstract was found in {sum(len(u.summaries) for u in units)} files ({told}).",
            "See what a file is taken for: abstracts inspect FILE. Map its fields by hand in abstracts.toml if need be.",
        )
    return units


def _records(units: Iterable[UnitResult]) -> int:
    return sum(summary.records for unit in units for summary in unit.summaries)


def clean(
    shards: Sequence[RecordShard], settings: Settings, work: Path, run: tuple[Engine, Progress]
) -> Cleaned:
    """Clean and sign every shard; each result is cached by its raw texts, the code and the macros."""
    engine, progress = run
    code = fingerprint(code_fingerprint("clean"), code_fingerprint("dedupe"), sorted(settings.macros.items()))
    outs = [work / "clean" / f"{s.texts}.{code}" for s in shards]
    (work / "clean").mkdir(parents=True, exist_ok=True)
    donors = _donors(work / "clean", f".{code}", outs)
    jobs = [CleanJob(s.path, out, settings.macros, () if out.is_dir() else donors) for s, out in zip(shards, outs, strict=True)]
    with progress.stage("clean") as stage:
        folders = list(progress.count(engine.map("clean", steps.clean_shard, jobs), "clean", len(jobs)))
        stage.counts = {"records": sum(s.rows for s in shards)}
    return list(zip(shards, folders, strict=True))


def _donors(folder: Path, suffix: str, wanted: Iterable[Path]) -> tuple[Path, ...]:
    """Folders that earlier runs made with the same code, of shards that this run does not have."""
    names = {path.name for path in wanted}
    return tuple(sorted(path for path in folder.iterdir() if path.name.endswith(suffix) and path.name not in names))


def dedupe(
    cleaned: Cleaned, settings: Settings, work: Path, run: tuple[Engine, Progress]
) -> Groups:
    """Group the occurrences of each abstract over all shards."""
    engine, progress = run
    shards = [
        Shard(f"{index:05d}", shard.path, folder / "cleaned.parquet", folder / "signatures.parquet")
        for index, (shard, folder) in enumerate(cleaned)
    ]
    folder = work / "groups"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with progress.stage("dedupe") as stage:
        job = (shards, folder, DedupeOptions(memory_mb=settings.memory_mb))
        groups = next(iter(engine.map("dedupe", _group, [job])))
        stage.counts = {k: v for k, v in groups.counts.items() if v}
    return groups


def _group(job: tuple[Sequence[Shard], Path, DedupeOptions]) -> Groups:
    return group_shards(*job)


def enrich(
    cleaned: Cleaned, groups: Groups, plan: Plan, run: tuple[Engine, Progress]
) -> tuple[dict[str, list[Path]], dict[str, int]]:
    """Enrich the kept rows of every shard; gives the parts of each release table and the rows in them."""
    engine, progress = run
    cache = plan.work / "enriched"
    for folder in (plan.work / "parts", cache):
        folder.mkdir(parents=True, exist_ok=True)
    code = code_fingerprint("enrich")
    twins = Counter[str]()
    caches = [cache / _cache_name(folder.name, code, twins) for _, folder in cleaned]
    donors = _donors(cache, f".{code}", caches)
    jobs = [
        PartJob(
            records=shard.path,
            cleaned=folder / "cleaned.parquet",
            decisions=decisions,
            fills=groups.fills,
            cache=own,
            parts=plan.work / "parts",
            hashes=plan.hashes,
            code=code,
            donors=() if own.is_dir() else donors,
        )
        for (shard, folder), decisions, own in zip(cleaned, groups.decisions, caches, strict=True)
    ]
    with progress.stage("enrich") as stage:
        made = list(progress.count(engine.map("enrich", part_of_shard, jobs), "enrich", len(jobs)))
        rows = Counter[str]()
        for part in made:
            rows.update(part.rows)
        stage.counts = {name: rows[name] for name in ("abstracts", "methods", "datasets", "metrics", "urls")}
    names = [*(t.name for t in CHILDREN), "abstracts", "sources", "quarantine"]
    return {name: [part.folder / f"{name}.arrow" for part in made] for name in names}, dict(rows)


def _cache_name(cleaned: str, code: str, twins: Counter[str]) -> str:
    """Shards with equal texts share their cleaned folder but not what is kept of them: number them."""
    twins[cleaned] += 1
    return f"{cleaned}.{twins[cleaned]}.{code}"


def release_context(
    settings: Settings, plan: Plan, units: Sequence[UnitResult], made: tuple[Cleaned, Path | None]
) -> ReleaseContext:
    """What the release tells about its making."""
    cleaned, previous = made
    losses, macros, unaccounted = Counter[str](), Counter[str](), 0
    for _, folder in cleaned:
        counts = steps.count_losses(folder / "cleaned.parquet")
        losses.update(counts.losses)
        macros.update(counts.macros)
        unaccounted += counts.unaccounted
    refuse_losses(unaccounted, sum(shard.rows for shard, _ in cleaned), settings)
    summaries: list[FileSummary] = sorted((s for u in units for s in u.summaries), key=lambda s: s.path)
    return ReleaseContext(
        output=Path(settings.output),
        build_date=build_time().date(),
        inputs=tuple(summaries),
        code_version=__version__,
        settings=json.dumps({k: v for k, v in asdict(settings).items() if k in _TOLD}, sort_keys=True),
        fingerprint=plan.fingerprint,
        losses=dict(sorted(losses.items())) | {"unaccounted": unaccounted},
        unknown_macros=dict(macros.most_common(UNKNOWN_MACROS_TOLD)),
        quality=measured_quality(),
        previous=previous,
        only_licences=settings.only_licences,
        takedowns=read_takedowns(settings.takedowns),
        corrections=read_corrections(settings.corrections),
    )


def is_plain(context: ReleaseContext) -> bool:
    """Whether the rows of the parts come into the release as they are."""
    return not (context.takedowns or context.corrections or context.only_licences)


def moved_parts(last: Mapping[str, Any], parts: Mapping[str, Sequence[Path]], context: ReleaseContext) -> Moved | None:
    """Which parts differ between this run and the last one, where that made the current release and few do.

    None where takedowns, corrections or licences stand between parts and release, now or then.
    """
    before, now = last.get("parts"), {path.parent for path in parts["abstracts"]}
    if context.previous is None or last.get("release") != context.previous.name or not is_plain(context) or not isinstance(before, list):
        return None
    old = {next(iter(now)).parent / name for name in before}
    if not all(folder.is_dir() for folder in old):
        return None
    sides = sorted(old - now), sorted(now - old)
    names = ["abstracts", *(table.name for table in CHILDREN)]
    moved = {name: tuple([folder / f"{name}.arrow" for folder in side] for side in sides) for name in names}
    few = sum(map_part(path).num_rows for side in moved["abstracts"] for path in side) <= FEW_MOVED
    return {name: (side[0], side[1]) for name, side in moved.items()} if few else None


def refuse_losses(texts: int, records: int, settings: Settings) -> None:
    """Raise RefusedError when more texts than allowed lost words, numbers, `%` or URLs that nothing accounts for."""
    if texts > LOSS_FLOOR and texts > settings.max_unaccounted * records:
        raise RefusedError(
            f"Cleaning lost words of {texts} of {records} texts without a known reason, more than max_unaccounted {settings.max_unaccounted:.2%}. "
            "Nothing was published.",
            "Look at the column `unaccounted` in the work files under work/clean, report the texts, or raise `max_unaccounted` in abstracts.toml.",
        )


def measured_quality() -> dict[str, Any]:
    """The figures of the extractors on annotated abstracts that they were not made on, as packaged."""
    told: dict[str, Any] = json.loads((resources.files("pipeline") / "quality.json").read_text("utf-8"))
    return told


def load_options(settings: Settings, map_jobs: Map = map) -> LoadOptions:
    """The settings that load needs. Raises UsageError for a band that does not exist."""
    known = {f.name for f in fields(Bands)}
    for name in settings.drift_bands:
        if name not in known:
            raise UsageError(f"Unknown drift band {name!r} in `drift_bands`.", f"Known bands: {', '.join(sorted(known))}.")
    bands: dict[str, Any] = dict(settings.drift_bands)
    return LoadOptions(map=map_jobs, bands=Bands(**bands), accept_change=settings.accept_change or None)
