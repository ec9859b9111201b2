"""What a run would do, and why: which units and shards are stale.

`make_plan` looks only at the files, the code and the settings; nothing is written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import NothingUsableError
from pipeline.extract import ExtractOptions, InputFile, discover
from pipeline.jobs import ExtractJob
from pipeline.settings import Settings
from pipeline.state import code_fingerprint, fingerprint, hash_file, units_of


@dataclass(frozen=True, slots=True)
class Plan:
    """The units of extract, the hash of each input file, and one fingerprint of all that decides the data."""

    jobs: tuple[ExtractJob, ...]
    hashes: Mapping[str, str]
    fingerprint: str
    work: Path

    @property
    def stale(self) -> tuple[ExtractJob, ...]:
        """Units whose files changed, are new, or were read by other code or settings."""
        return tuple(job for job in self.jobs if not job.out.is_dir())


def make_plan(settings: Settings) -> Plan:
    """Discover and fingerprint the inputs. Raises UsageError for a missing input, NothingUsableError for none."""
    output = Path(settings.output).resolve()
    files = [f for f in discover([Path(p) for p in settings.inputs]) if not Path(os.path.realpath(f.absolute)).is_relative_to(output)]
    if not files:
        raise NothingUsableError(
            f"No input files in {', '.join(settings.inputs)}.",
            "Put the files with abstracts there, or name another folder: abstracts run FILE-OR-FOLDER …",
        )
    hashes = {f.path: f.refused or hash_file(f.absolute) for f in files}
    options = ExtractOptions(mapping=settings.mapping, max_record_bytes=settings.max_record_bytes)
    work = output / "work"
    jobs = tuple(_job(unit, hashes, options, settings, work) for unit in units_of(files))
    return Plan(jobs, hashes, _run_fingerprint(jobs, settings), work)


def _job(unit: list[InputFile], hashes: Mapping[str, str], options: ExtractOptions, settings: Settings, work: Path) -> ExtractJob:
    told = [(f.path, hashes[f.path], dict(options.mapping_for(f.path))) for f in unit]
    name = fingerprint("extract", code_fingerprint("extract"), told, options.max_record_bytes, settings.shard_rows)
    return ExtractJob(tuple(unit), work / "units" / name, options, settings.shard_rows)


def _run_fingerprint(jobs: tuple[ExtractJob, ...], settings: Settings) -> str:
    code = [code_fingerprint(stage) for stage in ("extract", "clean", "dedupe", "enrich", "load")]
    rights = [hash_file(Path(p)) for p in (settings.takedowns, settings.corrections) if p]
    return fingerprint([job.out.name for job in jobs], code, dict(settings.macros), settings.only_licences, rights)


def describe(plan: Plan) -> dict[str, object]:
    """The plan as JSON: per unit its files, size and whether it is fresh or stale."""
    last = last_run(plan.work)
    return {
        "nothing_to_do": last.get("fingerprint") == plan.fingerprint,
        "units": [
            {
                "files": [f.path for f in job.files],
                "bytes": sum(f.size for f in job.files),
                "state": "fresh" if job.out.is_dir() else "to do",
                "why": "read before with the same content, code and settings" if job.out.is_dir() else _why(job, last),
            }
            for job in plan.jobs
        ],
        "removed_files": sorted(set(last.get("hashes", {})) - set(plan.hashes)),
    }


def _why(job: ExtractJob, last: Mapping[str, Any]) -> str:
    before = last.get("hashes")
    if not isinstance(before, dict):
        return "no earlier run"
    new = [f.path for f in job.files if f.path not in before]
    if new:
        return f"new: {', '.join(new[:3])}{' …' if len(new) > 3 else ''}"
    return "content, reading code or settings changed, or its neighbours did"


def last_run(work: Path) -> dict[str, Any]:
    """What the last successful run noted; empty if there is none or it cannot be read."""
    try:
        told = json.loads((work / "last.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}
