"""How long small things take: python benchmarks/startup.py [--prefect] [--times 5]

Prints the shortest wall and CPU time of several starts, each in a process of its own: importing pandas, pyarrow
and Pandera (the floor of a run), `--help`, the seeds with --direct into a fresh folder, the same again with
nothing changed, and with --prefect an empty flow and the seeds through Prefect, in the same setting (the
server of PREFECT_API_URL, or Prefect's own).
"""

from __future__ import annotations

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parent.parent
EMPTY_FLOW = """
import os, sys
from pipeline.orchestrate import prepare_prefect
from pipeline.settings import Settings
prepare_prefect(Settings(output=sys.argv[1]), os.environ)
from prefect import flow
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
    flow(lambda: None, name="empty")()
"""


def start(command: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of a command."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return time.monotonic() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(name: str, command: list[str], times: int, fresh: pathlib.Path | None = None) -> None:
    """The shortest of several starts; `fresh` is removed before each."""
    found = []
    for _ in range(times):
        if fresh is not None:
            shutil.rmtree(fresh, ignore_errors=True)
        found.append(start(command))
    print(f"{name:44} wall {min(wall for wall, _ in found):6.2f} s   CPU {min(cpu for _, cpu in found):6.2f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--prefect", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out, home = pathlib.Path(folder, "out"), pathlib.Path(folder, "flow")
        run = ["-m", "pipeline", "run", "seeds", "--output", str(out), "--quiet"]
        show("import pandas, pyarrow, pandera.pandas", ["-c", "import pandas, pyarrow, pandera.pandas"], arguments.times)
        show("abstracts --help", ["-m", "pipeline", "--help"], arguments.times)
        show("abstracts run seeds --direct", [*run, "--direct"], arguments.times, out)
        show("the same, nothing changed", [*run, "--direct"], arguments.times)
        if arguments.prefect:
            home.mkdir()
            show("an empty flow", ["-c", EMPTY_FLOW, str(home)], arguments.times)
            show("abstracts run seeds", run, arguments.times, out)


if __name__ == "__main__":
    main()
