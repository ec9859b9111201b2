"""The same release from local processes and from a Dask cluster on loopback, also when a worker is killed."""

from __future__ import annotations

import hashlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("distributed")
ROOT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.server, pytest.mark.slow]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    address = f"tcp://127.0.0.1:{free_port()}"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", address.rsplit(":", 1)[1], "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
    running = [subprocess.Popen(dask, stderr=subprocess.DEVNULL, cwd=ROOT)]
    running += [subprocess.Popen(worker, stderr=subprocess.DEVNULL, cwd=ROOT, start_new_session=True) for _ in range(2)]
    try:
        wait_for_workers(address, 2)
        yield address, running
    finally:
        for process in reversed(running):
            process.terminate()
        for process in running:
            process.wait(30)


def wait_for_workers(address: str, number: int) -> None:
    from distributed import Client

    with Client(address, timeout=90) as client:
        client.wait_for_workers(number, timeout=90)


@pytest.fixture
def source(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for k in range(6):
        lines = (
            f"We propose FooNet{k}x{i}, a network for the task number {i} of series {k}, in which every sentence is long enough. "
            f"It reaches {50 + i}.{k}% accuracy on CIFAR-10, and its code is at https://github.com/foo/net{k}x{i}.\n\n"
            for i in range(25)
        )
        (folder / f"part{k}.txt").write_text("".join(lines), "utf-8")
    return folder


def run(source: pathlib.Path, output: pathlib.Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pipeline", "run", str(source), "--output", str(output), "--quiet", *options]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, "ABSTRACTS_SHARD_ROWS": "11"})


def data(output: pathlib.Path) -> dict[str, str]:
    release = (output / "current").resolve()
    paths = [*release.glob("data/**/*.parquet"), *release.glob("csv/*.csv")]
    return {p.relative_to(release).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}


def test_a_killed_worker_changes_no_byte(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], source: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    address, processes = cluster
    assert run(source, tmp_path / "local", "--direct", "--workers", "2").wait(200) == 0
    running = run(source, tmp_path / "dask", "--direct", "--scheduler", address)
    deadline = time.monotonic() + 150
    while time.monotonic() < deadline and not any((tmp_path / "dask" / "work").glob("clean/*")):
        time.sleep(0.05)
    os.killpg(processes[1].pid, signal.SIGKILL)
    assert running.wait(240) == 0
    assert data(tmp_path / "dask") == data(tmp_path / "local")
    assert len(data(tmp_path / "local")) == 20
