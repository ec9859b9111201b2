"""The whole pipeline as one readable function: extract, clean, dedupe, enrich, load.

What the stages need is imported when there is something to do: to find that nothing changed takes files and hashes only.
"""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from pipeline import __version__
from pipeline.engines import Engine
from pipeline.errors import OutputError, PipelineError
from pipeline.jobs import RecordShard
from pipeline.load.disk import replace_file
from pipeline.load.publish import current_release, newest_whole, output_lock, use_release
from pipeline.load.wholeness import looks_whole
from pipeline.plan import Plan, last_run, make_plan
from pipeline.progress import Progress
from pipeline.settings import Settings, build_time
from pipeline.state import drop_damaged, keep_only

Outcome = Literal["released", "unchanged"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended: where the current release is, and its counts. `restored`: it had been published before, and
    only the pointer moved."""

    outcome: Outcome
    version: str
    release: Path
    counts: Mapping[str, int] = field(default_factory=dict)
    restored: bool = False


def run_pipeline(settings: Settings, engine: Engine, progress: Progress) -> RunResult:
    """Read the inputs and publish a release, or find that nothing changed.

    A report of the run is always written to `<output>/runs/`. Raises the exceptions of `pipeline.errors`;
    whatever happens, the current release stays whole.
    """
    started = build_time()
    report: dict[str, object] = {"version": __version__, "settings": asdict(settings)}
    output = Path(settings.output).resolve()
    settings = replace(settings, output=str(output))
    try:
        with output_lock(output):
            result = _run(settings, engine, progress)
        report |= {"outcome": result.outcome, "release": result.version, "counts": dict(result.counts)}
        return result
    except PipelineError as error:
        report |= {"outcome": "failed", "error": type(error).__name__, "what": error.what, "do": error.do}
        raise
    except OSError as error:
        report |= {"outcome": "failed", "error": type(error).__name__, "what": str(error)}
        raise OutputError(
            f"Reading or writing failed: {error.strerror or error} ({error.filename or 'no file named'}).",
            "The current release is untouched. Check free space and permissions, then run again: finished work is kept.",
        ) from error
    except Exception:
        report |= {"outcome": "failed", "what": traceback.format_exc()}
        raise
    finally:
        report["stages"] = [asdict(stage) for stage in progress.stages]
        _write_report(output, f"{started:%Y%m%dT%H%M%S}-{os.getpid()}.json", report)


def _write_report(output: Path, name: str, report: Mapping[str, object]) -> None:
    """Best effort: a full disk or a missing output folder must not hide how the run ended."""
    try:
        (output / "runs").mkdir(parents=True, exist_ok=True)
        (output / "runs" / name).write_text(json.dumps(report, indent=1, default=str), "utf-8")
    except OSError:
        return


def _run(settings: Settings, engine: Engine, progress: Progress) -> RunResult:
    plan = make_plan(settings)
    output = Path(settings.output)
    previous, known = current_release(output), _made_before(plan, output)
    if known is not None and known == previous:
        return RunResult("unchanged", known.name, known, _last_counts(plan))
    if known is not None:
        return RunResult("released", known.name, use_release(output, known.name), _last_counts(plan), restored=True)
    from pipeline import stages

    previous, warning = newest_whole(output)
    if warning:
        progress.say(warning)
    if damaged := drop_damaged(plan.work):
        progress.say(f"{len(damaged)} damaged work folders are made anew: {', '.join(damaged[:3])}")
    engine.expect(sum(f.size for job in plan.jobs for f in job.files))
    units = stages.extract(plan, engine, progress)
    cleaned = stages.clean([s for u in units for s in u.shards], settings, plan.work, (engine, progress))
    groups = stages.dedupe(cleaned, settings, plan.work, (engine, progress))
    parts, rows = stages.enrich(cleaned, groups, plan, (engine, progress))
    parts["quarantine"] += [unit.quarantine for unit in units]
    parts["variants"] = [groups.variants]
    context = stages.release_context(settings, plan, units, (cleaned, previous))
    context = replace(context, moved=stages.moved_parts(last_run(plan.work), parts, context))
    loaded = stages.load(stages.LoadJob(parts, rows, context, settings), engine, progress)
    outcome: Outcome = "unchanged" if loaded.unchanged else "released"
    result = RunResult(outcome, loaded.release.name, loaded.release, loaded.counts, restored=loaded.restored)
    _finish(plan, settings, result, cleaned, {path.parent.name: stages.is_plain(context) for path in parts["abstracts"]})
    return result


def _made_before(plan: Plan, output: Path) -> Path | None:
    """The release that the last run made of the same inputs, code and settings, if it is still there with all its files.

    A run publishes what its inputs say: where `abstracts use` has made another release the current one since, this
    one becomes current again.
    """
    last = last_run(plan.work)
    release = output / "releases" / str(last.get("release"))
    return release if last.get("fingerprint") == plan.fingerprint and looks_whole(release) else None


def _finish(plan: Plan, settings: Settings, result: RunResult, cleaned: Sequence[tuple[RecordShard, Path]], parts: Mapping[str, bool]) -> None:
    """Note what was done, and drop work that this run did not use. `parts` says of each whether the release has its rows as they are."""
    known = sorted(parts) if all(parts.values()) else None
    note = {"fingerprint": plan.fingerprint, "release": result.version, "parts": known, "hashes": dict(plan.hashes), "counts": dict(result.counts), "inputs": [str(Path(p).resolve()) for p in settings.inputs]}
    replace_file(plan.work / "last.json", json.dumps(note))
    folders = {folder.name for _, folder in cleaned}
    keep_only(plan.work / "units", (job.out.name for job in plan.jobs))
    keep_only(plan.work / "clean", folders)
    enriched = plan.work / "enriched"
    keep_only(enriched, (p.name for p in enriched.iterdir() if p.name.rsplit(".", 2)[0] in folders))
    keep_only(plan.work / "parts", parts)


def _last_counts(plan: Plan) -> dict[str, int]:
    counts = last_run(plan.work).get("counts")
    return counts if isinstance(counts, dict) else {}
