"""Engines: order, and what a dying worker does."""

from __future__ import annotations

import os
import pathlib
import signal
import time

import pytest

from pipeline.engines import InProcess, LocalProcesses
from pipeline.errors import OutputError


def square(number: int) -> int:
    return number * number


def die_once(marker: str) -> str:
    """Kill this worker on the first call, succeed on the next."""
    path = pathlib.Path(marker)
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return path.name


def die(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_results_come_in_the_order_of_the_jobs() -> None:
    assert list(InProcess().map("x", square, [3, 1, 2])) == [9, 1, 4]
    with LocalProcesses(2) as engine:
        assert list(engine.map("x", square, [3, 1, 2])) == [9, 1, 4]
        assert engine.call("x", square, 5) == 25


def test_one_worker_needs_no_pool() -> None:
    with LocalProcesses(1) as engine:
        assert list(engine.map("x", square, [3, 1])) == [9, 1]
        assert engine._pool is None


def test_little_work_needs_no_pool() -> None:
    with LocalProcesses(2) as engine:
        engine.expect(1000)
        assert list(engine.map("x", square, [3, 1])) == [9, 1]
        assert engine.call("x", square, 4) == 16
        assert engine._pool is None
        engine.expect(LocalProcesses.LEAST)
        assert list(engine.map("x", square, [3, 1])) == [9, 1]
        assert engine._pool is not None


def test_a_killed_worker_costs_only_its_work(tmp_path: pathlib.Path) -> None:
    markers = [str(tmp_path / name) for name in "abc"]
    pathlib.Path(markers[0]).touch()
    with LocalProcesses(2) as engine:
        assert list(engine.map("x", die_once, [markers[0], markers[1], markers[0]])) == ["a", "b", "a"]


def test_workers_that_always_die_end_the_run() -> None:
    with LocalProcesses(2) as engine, pytest.raises(OutputError, match="during enrich"):
        list(engine.map("enrich", die, [1, 2]))


def sleep_long(_: int) -> None:
    time.sleep(60)


def test_a_signal_ends_the_workers_at_once() -> None:
    """SIGTERM becomes SystemExit in the process that waits: it must not wait for jobs that last."""

    def terminate(*_: object) -> None:
        raise SystemExit(143)

    before = signal.signal(signal.SIGALRM, terminate)
    begun = time.monotonic()
    signal.alarm(2)
    try:
        with pytest.raises(SystemExit), LocalProcesses(2) as engine:
            list(engine.map("x", sleep_long, [1, 2, 3]))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begun < 30
