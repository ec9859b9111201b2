"""What each command does, once its arguments are read."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.settings import Effective, Settings, load_settings

if TYPE_CHECKING:
    from pipeline.run import RunResult


def effective(arguments: Namespace) -> Effective:
    """Settings from file, environment and the flags that this command has."""
    names = {f.name for f in fields(Settings)}
    flags = {k: v for k, v in vars(arguments).items() if k in names and v not in (None, [])}
    return load_settings(flags, getattr(arguments, "config", None))


def run(arguments: Namespace) -> int:
    """`abstracts run`."""
    settings = effective(arguments).settings
    from pipeline.progress import Progress

    progress = Progress(None if arguments.quiet else sys.stderr, as_json=arguments.json)
    if arguments.direct:
        from pipeline.engines import open_pool
        from pipeline.run import run_pipeline

        with open_pool(settings) as engine:
            result = run_pipeline(settings, engine, progress)
    else:
        from pipeline.orchestrate import run_flow

        result = run_flow(settings, progress)
    if arguments.json:
        print(json.dumps(_told(result)))
    elif not arguments.quiet:
        print(summary(result, settings))
    return 0


def _told(result: RunResult) -> dict[str, object]:
    told = {"outcome": result.outcome, "version": result.version, "release": str(result.release), "restored": result.restored}
    return told | {"counts": dict(result.counts)}


def summary(result: RunResult, settings: Settings) -> str:
    """The table at the end of a run."""
    counts = result.counts
    shown = [
        ("records", "records read"), ("abstracts", "abstracts kept"), ("merged", "duplicates merged"),
        ("quarantined", "quarantined"), ("unusable", "files not, or not wholly, readable: see the table quarantine"), ("methods", "methods"), ("datasets", "datasets"), ("metrics", "metrics"), ("urls", "URLs"),
    ]  # fmt: skip
    lines = [f"{counts[key]:>10,}  {name}" for key, name in shown if key in counts and (counts[key] or key != "unusable")]
    where = Path(settings.output) / "current"
    return "\n".join([
        f"\n{_headline(result)}", *lines,
        f"\nrelease   {where} -> {result.release}",
        f"look      {where / 'report.html'}",
        f"read      pandas.read_parquet('{where / 'data' / 'methods'}')",
        "next      abstracts explain ID, abstracts diff A B, abstracts publish --to TARGET",
    ])  # fmt: skip


def _headline(result: RunResult) -> str:
    if result.restored:
        return f"The current release is {result.version} again: it had been made of these inputs before, so nothing new was published"
    if result.outcome == "unchanged":
        return f"Nothing changed; the current release is still {result.version}"
    return f"Published {result.version}"


def serve(arguments: Namespace) -> int:
    """`abstracts serve`."""
    settings = effective(arguments).settings
    from pipeline.orchestrate import serve_flow, watch_folder

    if arguments.watch:
        return watch_folder(settings, arguments.watch)
    return serve_flow(settings, cron=arguments.cron, interval=arguments.interval)


def plan(arguments: Namespace) -> int:
    """`abstracts plan`."""
    from pipeline.plan import describe, make_plan

    told = describe(make_plan(effective(arguments).settings))
    if arguments.json:
        print(json.dumps(told))
        return 0
    units = told["units"]
    assert isinstance(units, list)
    for unit in units:
        files = unit["files"]
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        print(f"{unit['state']:6} {files[0]}{more} ({unit['bytes']:,} bytes): {unit['why']}")
    removed = told["removed_files"]
    if removed:
        print(f"gone since the last run: {removed}")
    print("A run would find nothing to do." if told["nothing_to_do"] else "A run would build a new release and publish it if its data differ.")
    return 0


def config(arguments: Namespace) -> int:
    """`abstracts config`."""
    found = effective(arguments)
    values = {f.name: getattr(found.settings, f.name) for f in fields(Settings)}
    if arguments.json:
        print(json.dumps({k: {"value": v, "from": found.origins[k]} for k, v in values.items()}))
        return 0
    for f in fields(Settings):
        print(f"{f.name:17} {values[f.name]!r:24} {found.origins[f.name]:20} {f.metadata['help']}")
    return 0


def inspect(arguments: Namespace) -> int:
    """`abstracts inspect FILE`."""
    from pipeline.extract import ExtractOptions, discover, inspect_file, render_inspection

    settings = load_settings({}, arguments.config).settings
    options = ExtractOptions(mapping=settings.mapping, max_record_bytes=settings.max_record_bytes)
    for file in discover([Path(p) for p in arguments.files]):
        print(render_inspection(inspect_file(file, options)))
    return 0
