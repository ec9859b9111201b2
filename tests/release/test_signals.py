"""SIGINT and SIGTERM end a run within five seconds, without a traceback, and leave a state from which the next run goes on."""

from __future__ import annotations

import json
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from pipeline.engines import InProcess
from pipeline.load.validate import validate_release
from pipeline.progress import Progress
from pipeline.run import run_pipeline
from pipeline.settings import Settings


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"])
def test_a_signal_ends_the_run_and_the_next_goes_on(tmp_path: pathlib.Path, root: pathlib.Path, number: int, code: int) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out"
    rows = ({"title": f"Paper {n}", "abstract": f"We study bridge {n * 7919} of oak in {n} winters. Salt took {n % 90}% of it, {n * 31} nails rusted."} for n in range(3000))
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    command = [sys.executable, "-m", "pipeline", "run", str(source), "--output", str(output), "--direct", "--workers", "1"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while not (output / "work").is_dir() and running.poll() is None:
            time.sleep(0.01)
        time.sleep(0.3)
        running.send_signal(number)
        begin = time.monotonic()
        _, told = running.communicate(timeout=30)
    assert time.monotonic() - begin < 5
    assert running.returncode == code, told
    assert "Traceback" not in told
    assert not (output / "current").exists()
    source.write_text("".join(source.read_text("utf-8").splitlines(keepends=True)[:40]), "utf-8")
    result = run_pipeline(Settings(inputs=(str(source),), output=str(output), workers=1), InProcess(), Progress(None))
    assert validate_release(result.release) == []
