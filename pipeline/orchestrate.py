"""Getting Prefect ready before it is imported: which server, where its files go, what it may say.

Prefect reads its settings when it is imported, so they are set here, in the environment, and only where the
person has not set them.
"""

from __future__ import annotations

import os
import sys
import time
import tomllib
from collections.abc import MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import OutputError, PipelineError, UsageError
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.progress import Progress
    from pipeline.run import RunResult


def configured_server(environ: MutableMapping[str, str]) -> str | None:
    """The API address that the environment or the active Prefect profile names; None: there is none."""
    if environ.get("PREFECT_API_URL"):
        return environ["PREFECT_API_URL"]
    home = Path(environ.get("PREFECT_HOME") or Path.home() / ".prefect")
    try:
        told = tomllib.loads((home / "profiles.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    active = environ.get("PREFECT_PROFILE") or told.get("active", "")
    address = told.get("profiles", {}).get(active, {}).get("PREFECT_API_URL")
    return str(address) if address else None


def prepare_prefect(settings: Settings, environ: MutableMapping[str, str]) -> str | None:
    """Set what Prefect needs and return the address of the configured server, None for its own.

    Without a server its files go below the output folder: a home that cannot be written, or an older
    database in it, is no obstacle then.
    """
    server = configured_server(environ)
    quiet = {
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_LOGGING_LEVEL": "WARNING",
        "PREFECT_LOGGING_SERVER_LEVEL": "ERROR",
        "PREFECT_CLI_PROMPT": "false",
    }
    if server is None:
        quiet |= {
            "PREFECT_HOME": str(Path(settings.output).resolve() / ".prefect"),
            "PREFECT_SERVER_EPHEMERAL_ENABLED": "true",
            "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": str(settings.server_timeout),
        }
    for name, value in quiet.items():
        environ.setdefault(name, value)
    return server


def run_flow(settings: Settings, progress: Progress) -> RunResult:
    """Run the flow `refresh` and return what it published; raises the exceptions of `pipeline.errors`."""
    server = prepare_prefect(settings, os.environ)
    where = f"the Prefect server at {server}" if server else "Prefect's own server (10–40 s; --direct runs without it)"
    progress.say(f"waiting for {where}")
    try:
        Path(settings.output).mkdir(parents=True, exist_ok=True)
        from pipeline.flows import refresh_once
    except OSError as error:
        raise OutputError(f"Prefect cannot be loaded: {error}.", "Check the permissions of the output folder, or run with --direct.") from error
    try:
        return refresh_once(settings, progress)
    except PipelineError:
        raise
    except (RuntimeError, ConnectionError, ValueError) as error:
        if server is None and "ephemeral" not in str(error) and "connect" not in str(error).lower():
            raise
        raise OutputError(f"Prefect does not answer: {error}.", "Check PREFECT_API_URL, raise `server_timeout`, or run with --direct.") from error


def serve_flow(settings: Settings, *, cron: str | None, interval: int | None) -> int:
    """Serve `refresh` on a schedule through Prefect, until interrupted. Needs a Prefect server."""
    server = prepare_prefect(settings, os.environ)
    if server is None:
        raise UsageError(
            "A schedule needs a Prefect server that keeps running, and none is configured.",
            "Start one (prefect server start), set PREFECT_API_URL=http://127.0.0.1:4200/api, and run this again. "
            "Without a server: abstracts serve --watch 60, or a system timer with abstracts run --direct.",
        )
    from pipeline.flows import serve

    serve(settings, cron=cron, interval=interval)
    return 0


def watch_folder(settings: Settings, seconds: int) -> int:
    """Look at the inputs every so many seconds and refresh, without Prefect, when they changed."""
    from pipeline.engines import open_pool
    from pipeline.plan import last_run, make_plan
    from pipeline.progress import Progress
    from pipeline.run import run_pipeline

    while True:
        try:
            plan = make_plan(settings)
            if last_run(plan.work).get("fingerprint") != plan.fingerprint:
                with open_pool(settings) as engine:
                    result = run_pipeline(settings, engine, Progress())
                print(f"{result.outcome}: {result.version}", file=sys.stderr)
        except PipelineError as error:
            print(f"abstracts: {error.what}\n  {error.do}", file=sys.stderr)
        time.sleep(max(seconds, 1))
