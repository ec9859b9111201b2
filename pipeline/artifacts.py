"""What a finished run shows on Prefect's page, as plain values; `pipeline.flows` hands them over."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.errors import PipelineError
from pipeline.progress import Stage

Rows = list[dict[str, Any]]
#: Prefect's page shows long Markdown slowly.
_SHOWN = 20_000


def counts_table(counts: Mapping[str, int]) -> Rows:
    """The figures of a run."""
    return [{"figure": name, "number": number} for name, number in counts.items()]


def stages_table(stages: Sequence[Stage]) -> Rows:
    """How long each stage took, its memory, and what it counted."""
    return [{"stage": s.name, "seconds": s.seconds, "peak MiB": s.peak_mib, "counts": json.dumps(dict(s.counts))} for s in stages]


def quality_table(manifest: Mapping[str, Any]) -> Rows:
    """Precision, recall and F1 of the extractors as the release states them."""
    return [{"what": name, **scores} for name, scores in ((manifest.get("quality") or {}).get("fields") or {}).items()]


def drift_table(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> Rows:
    """Rows of each table, and shares of abstracts with each kind of finding: of the previous release and this one."""
    figures = [dict((manifest or {}).get("figures", {})) for manifest in (before, now)]
    names = sorted(figures[1].get("rows", {}))
    rows = [{"figure": f"rows of {name}", **_pair([f.get("rows", {}).get(name) for f in figures])} for name in names]
    shares = sorted(figures[1].get("abstracts_with", {}))
    return rows + [{"figure": f"share of abstracts with {name}", **_pair([_share(f, name) for f in figures])} for name in shares]


def _pair(values: Sequence[float | None]) -> dict[str, Any]:
    return {"before": values[0], "now": values[1]}


def _share(figures: Mapping[str, Any], name: str) -> float | None:
    abstracts = figures.get("rows", {}).get("abstracts", 0)
    return round(figures.get("abstracts_with", {}).get(name, 0) / abstracts, 4) if abstracts else None


def read_manifests(release: Path) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The manifest of the release before this one, where it is still there, and that of this one."""
    now: dict[str, Any] = json.loads((release / "manifest.json").read_text("utf-8"))
    before = release.parent / str(now.get("previous")) / "manifest.json"
    return (json.loads(before.read_text("utf-8")) if before.is_file() else None), now


def changes_text(release: Path) -> str:
    """CHANGES.md of a release, with where its report is."""
    text = (release / "CHANGES.md").read_text("utf-8")[:_SHOWN]
    return f"{text}\n\nReport: {(release / 'report.html').resolve().as_uri()}\n"


def refusal_text(error: PipelineError) -> str:
    """Why nothing was published, and what to do."""
    return f"# Nothing was published\n\n```\n{error.what}\n```\n\n{error.do}\n"
