"""The flow `refresh` and its tasks extract, clean, dedupe, enrich and load. The only module that imports Prefect.

Tasks are coarse and carry paths and small values. The work below them is that of `pipeline.steps`, in local
processes, or on a Dask cluster when a scheduler is given.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, TypeVar, cast

from prefect import Flow, flow, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.futures import PrefectFuture
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.states import Completed, Failed
from prefect.task_runners import ThreadPoolTaskRunner

from pipeline import artifacts
from pipeline.engines import Map, Pool, open_pool
from pipeline.errors import OutputBusyError, PipelineError, RefusedError
from pipeline.progress import Progress
from pipeline.run import RunResult, run_pipeline
from pipeline.settings import Settings, cores, load_settings

Job = TypeVar("Job")
Result = TypeVar("Result")
#: Task runs per stage at most: each costs the server some 5 ms and 14 kB.
TASKS_PER_STAGE = 32


def _may_pass_by_itself(task: object, run: object, state: State[Any]) -> bool:  # noqa: ARG001
    """Retry what can pass by itself (a full disk, a network file system), not what our own checks refuse."""
    error = state.result(raise_on_failure=False) if state.is_failed() else None
    return isinstance(error, OSError)


class PrefectTasks:
    """An engine whose every batch of jobs is a task run of the flow."""

    def __init__(self, below: Pool, *, everywhere: bool) -> None:
        """`everywhere`: also a single job goes to `below`, because that may be another machine."""
        self.below = below
        self.everywhere = everywhere

    def expect(self, size: int) -> None:
        self.below.expect(size)

    def map(self, stage: str, function: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[Result]:
        size = max(1, -(-len(jobs) // TASKS_PER_STAGE))
        batches = [jobs[i : i + size] for i in range(0, len(jobs), size)]
        stage_task = task(
            name=stage, cache_policy=NO_CACHE, persist_result=False, retries=2, retry_delay_seconds=5,
            retry_condition_fn=_may_pass_by_itself,
        )(_run_batch)  # fmt: skip
        futures: list[PrefectFuture[list[Result]]] = [
            stage_task.submit(_Batch(stage, function, batch, self.below if self.everywhere or len(jobs) > 1 else None)) for batch in batches
        ]
        for future in futures:
            yield from future.result()


    def lead(self, stage: str, function: Callable[[Map], Result]) -> Result:
        """One task run, which hands its jobs to the processes below."""
        lead_task = task(
            name=stage, cache_policy=NO_CACHE, persist_result=False, retries=2, retry_delay_seconds=5,
            retry_condition_fn=_may_pass_by_itself,
        )(_lead)  # fmt: skip
        future: PrefectFuture[Result] = lead_task.submit(_Lead(stage, function, self.below))
        return future.result()


class _Lead:
    """A stage that hands out its jobs itself. A plain class, as `_Batch` is."""

    def __init__(self, stage: str, function: Callable[[Map], Any], pool: Pool) -> None:
        self.stage, self.function, self.pool = stage, function, pool

    def __repr__(self) -> str:
        return self.stage


def _lead(lead: _Lead) -> Any:
    return lead.pool.lead(lead.stage, lead.function)


class _Batch:
    """The jobs of one task run. A plain class: Prefect does not look into it for futures to wait for."""

    def __init__(self, stage: str, function: Callable[[Any], Any], jobs: Sequence[Any], pool: Pool | None) -> None:
        self.stage, self.function, self.jobs, self.pool = stage, function, jobs, pool

    def __repr__(self) -> str:
        return f"{len(self.jobs)} jobs of {self.stage}"


def _run_batch(batch: _Batch) -> list[Any]:
    if batch.pool is None:
        return [batch.function(job) for job in batch.jobs]
    return [batch.pool.call(batch.stage, batch.function, job) for job in batch.jobs]


_ended: dict[str, RunResult | BaseException] = {}


@flow(name="refresh", persist_result=False, validate_parameters=False)
def refresh(settings: dict[str, Any] | None = None) -> State[Any]:
    """Read the inputs and publish a release if their data changed.

    `settings` are those of `abstracts.toml`, by name; what they leave open comes from that file, the
    environment, and the defaults. The state of the run is Released, Unchanged, Refused, Busy or Failed.
    """
    found = load_settings(settings or {}).settings
    return _refresh(found, Progress())


def _flow(settings: Settings, progress: Progress) -> Flow[[], Any]:
    """The flow with these settings in it: a run from the console has no parameters to pass through the server."""

    runner: Any = ThreadPoolTaskRunner(max_workers=(settings.workers or cores()) + 1)

    @flow(name="refresh", persist_result=False, task_runner=runner)
    def refresh_now() -> State[Any]:
        return _refresh(settings, progress)

    return refresh_now


def _run_to_state(prepared: Flow[[], Any]) -> State[Any]:
    return cast(State[Any], prepared(return_state=True))


def _refresh(settings: Settings, progress: Progress) -> State[Any]:
    _ended.clear()
    try:
        with open_pool(settings) as below:
            result = run_pipeline(settings, PrefectTasks(below, everywhere=bool(settings.scheduler)), progress)
    except PipelineError as error:
        _ended["end"] = error
        name = "Refused" if isinstance(error, RefusedError) else "Busy" if isinstance(error, OutputBusyError) else "Failed"
        create_markdown_artifact(artifacts.refusal_text(error), key="failure", description=name)
        return Failed(name=name, message=f"{error.what} {error.do}")
    except Exception as error:
        # Raised on, Prefect would print its traceback; who called us decides whether anybody is to see it.
        _ended["end"] = error
        return Failed(name="Failed", message=f"Internal error: {type(error).__name__}: {error}")
    _ended["end"] = result
    _show(result, progress)
    return Completed(name=result.outcome.capitalize(), message=f"{result.outcome}: {result.version}")


def _show(result: RunResult, progress: Progress) -> None:
    """Artifacts for Prefect's page: counts, stages, and of a new release drift, quality and changes."""
    about = f"Release {result.version}"
    create_table_artifact(artifacts.counts_table(result.counts), key="counts", description=about)
    if progress.stages:
        create_table_artifact(artifacts.stages_table(progress.stages), key="stages", description="Stages of this run")
    if result.outcome == "released" and not result.restored:
        before, now = artifacts.read_manifests(result.release)
        create_table_artifact(artifacts.drift_table(before, now), key="drift", description=f"{about} and the one before it")
        create_table_artifact(artifacts.quality_table(now), key="quality", description="The extractors on annotated abstracts")
        create_markdown_artifact(artifacts.changes_text(result.release), key="changes", description=about)


@contextmanager
def _no_heartbeat() -> Iterator[None]:
    """A flow run waits up to a second for its heartbeat thread; a run from the console needs none."""
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        yield


@contextmanager
def _told_once() -> Iterator[None]:
    """Keep Prefect's console from printing what failed, with its traceback: the command says it in words, and the server
    has it all."""

    def is_news(record: logging.LogRecord) -> bool:
        return not record.name.startswith(("prefect.task_runs", "prefect.flow_runs")) or record.levelno < logging.ERROR

    handlers = {handler for name in ("prefect", "prefect.task_runs", "prefect.flow_runs", "") for handler in logging.getLogger(name).handlers}
    consoles = [handler for handler in handlers if isinstance(handler, logging.StreamHandler)]
    for handler in consoles:
        handler.addFilter(is_news)
    try:
        yield
    finally:
        for handler in consoles:
            handler.removeFilter(is_news)


def refresh_once(settings: Settings, progress: Progress) -> RunResult:
    """Run the flow now, in this process. Raises what the pipeline raised."""
    with _no_heartbeat(), _told_once():
        state = _run_to_state(_flow(settings, progress))
    end = _ended.get("end")
    if isinstance(end, BaseException):
        raise end
    if end is None:
        state.result()
        raise RuntimeError(f"the flow ended as {state.name}: {state.message}")
    return end


def serve(settings: Settings, *, cron: str | None, interval: int | None) -> None:
    """Serve `refresh` until interrupted; one run at a time, a late one waits for none."""
    given = {f.name: _plain(getattr(settings, f.name)) for f in fields(Settings)}
    refresh.serve(name="abstracts", cron=cron, interval=interval, parameters={"settings": given}, limit=1, pause_on_shutdown=True)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
