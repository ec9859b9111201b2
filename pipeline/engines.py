"""Where the same step functions run: in this process, in local processes, or on a cluster.

An engine has one method, `map(stage, function, jobs)`: results in the order of the jobs. Functions are
importable, jobs and results are small and picklable; data travel as paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar
from uuid import uuid4

from pipeline.errors import OutputError, UsageError
from pipeline.process import start_quickly
from pipeline.settings import Settings, cores

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
Job = TypeVar("Job")
Result = TypeVar("Result")


class Engine(Protocol):
    """Runs jobs of one stage."""

    def expect(self, size: int) -> None:
        """Told before the first job how many bytes of input there are."""

    def map(self, stage: str, function: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[Result]: ...

    def lead(self, stage: str, function: Callable[[Map], Result]) -> Result:
        """Run `function` here as the one piece of work of a stage; with the map that it is given it hands out jobs."""


class Pool(Engine, Protocol):
    """An engine that holds processes: a context manager that also runs single jobs, from several threads."""

    def call(self, stage: str, function: Callable[[Job], Result], job: Job) -> Result: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...


def _hand_out(engine: Engine, stage: str, function: Callable[[Any], Any], jobs: Iterable[Any]) -> Iterator[Any]:
    return engine.map(stage, function, list(jobs))


class InProcess:
    """One job after the other, here."""

    def expect(self, size: int) -> None:
        """Nothing to prepare."""

    def map(self, stage: str, function: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[Result]:  # noqa: ARG002
        return map(function, jobs)

    def lead(self, stage: str, function: Callable[[Map], Result]) -> Result:  # noqa: ARG002
        return function(map)


class LocalProcesses:
    """A pool of processes on this machine, started when there is work for more than one.

    Processes are spawned, not forked: threads of Arrow and locks of libraries do not survive a fork. When one
    dies (killed, out of memory) the pool is made anew and what was not finished runs again; jobs are idempotent.
    """

    ATTEMPTS = 3
    LEAST = 4_000_000
    """Bytes of input from which a pool pays: below, all work takes less time than the start of a process, which imports Arrow and pandas."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._alone = workers < 2
        self._pool: ProcessPoolExecutor | None = None
        self._lock = Lock()

    def expect(self, size: int) -> None:
        """Stay in this process for little input."""
        self._alone = self.workers < 2 or size < self.LEAST

    def map(self, stage: str, function: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[Result]:
        if self._alone or len(jobs) < 2:
            yield from map(function, jobs)
            return
        from concurrent.futures.process import BrokenProcessPool

        done = 0
        for attempt in range(self.ATTEMPTS):
            pool = self.pool()
            try:
                for result in pool.map(function, jobs[done:]):
                    yield result
                    done += 1
                return
            except BrokenProcessPool:
                self._drop(pool)
                if attempt == self.ATTEMPTS - 1:
                    raise self._worker_died(stage) from None

    def lead(self, stage: str, function: Callable[[Map], Result]) -> Result:
        return function(partial(_hand_out, self, stage))

    def call(self, stage: str, function: Callable[[Job], Result], job: Job) -> Result:
        """Run one job in the pool and wait for it; safe to call from several threads."""
        from concurrent.futures.process import BrokenProcessPool

        if self._alone:
            with self._lock:
                return function(job)
        for _ in range(self.ATTEMPTS):
            pool = self.pool()
            try:
                return pool.submit(function, job).result()
            except BrokenProcessPool:
                self._drop(pool)
        raise self._worker_died(stage)

    @staticmethod
    def _worker_died(stage: str) -> OutputError:
        return OutputError(
            f"A worker process died again and again during {stage}, probably for want of memory.",
            "Run again: finished work is kept. If it dies again, use --workers 1 or lower `shard_rows`.",
        )

    def pool(self) -> ProcessPoolExecutor:
        """The pool, started on first use."""
        with self._lock:
            if self._pool is None:
                import multiprocessing
                from concurrent.futures import ProcessPoolExecutor

                self._pool = ProcessPoolExecutor(self.workers, multiprocessing.get_context("spawn"), start_quickly)
            return self._pool

    def _drop(self, broken: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._pool is broken:
                self._pool = None
        broken.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None and not isinstance(error, Exception):
            self._kill()
        self.close()

    def _kill(self) -> None:
        """End the workers at once, after a signal: a job may last a minute, and half of one leaves only litter that the
        next run removes."""
        import multiprocessing

        for process in multiprocessing.active_children() if self._pool is not None else ():
            process.kill()


class DaskCluster:
    """The workers of a running Dask scheduler. A task whose worker dies runs again on another."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise UsageError("Dask is not installed.", "Install it: pip install 'curated-abstracts[dask]'") from None
        try:
            self._client = Client(address, timeout=30)  # type: ignore[no-untyped-call]
        except OSError as error:
            raise UsageError(f"No Dask scheduler answers at {address}: {error}.", "Check --scheduler, and that `dask scheduler` runs there.") from None

    def expect(self, size: int) -> None:
        """Nothing to prepare: the workers run already."""

    def map(self, stage: str, function: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[Result]:
        futures = self._client.map(function, list(jobs), pure=False, key=stage)
        for future in futures:
            yield future.result()

    def lead(self, stage: str, function: Callable[[Map], Result]) -> Result:
        return function(partial(_hand_out, self, stage))

    def call(self, stage: str, function: Callable[[Job], Result], job: Job) -> Result:
        future = self._client.submit(function, job, pure=False, key=f"{stage}-{uuid4().hex}")
        result: Result = future.result()
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._client.close()  # type: ignore[no-untyped-call]


def open_pool(settings: Settings) -> Pool:
    """The processes that the settings ask for: those of a Dask scheduler, or local ones."""
    return DaskCluster(settings.scheduler) if settings.scheduler else LocalProcesses(settings.workers or cores())
