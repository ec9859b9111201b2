"""A few of the faults of `benchmarks/faults.py`, which tries them at every system call, and damaged work folders."""

from __future__ import annotations

import json
import pathlib
import random
import shutil
import subprocess
import sys

import pytest

from benchmarks.faults import order_of_syncs
from pipeline.engines import InProcess
from pipeline.load.publish import newest_whole
from pipeline.load.validate import validate_release
from pipeline.progress import Progress
from pipeline.run import run_pipeline
from pipeline.settings import Settings
from pipeline.state import SEALED, drop_damaged

ABSTRACTS = [
    "We propose FooNet, a network for a long task. It reaches 91.2% accuracy on CIFAR-10 and is public at https://example.org/foo.",
    "Ropes of hemp are compared with ropes of wire. Over ten years the hemp lost 12% of its strength, the wire lost none of it.",
]


@pytest.fixture
def source(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number, text in enumerate(ABSTRACTS):
        (folder / f"{number}.jsonl").write_text(json.dumps({"title": f"Paper {number}", "abstract": text}) + "\n", "utf-8")
    return folder


def test_six_runs_at_once(source: pathlib.Path, root: pathlib.Path) -> None:
    """One publishes, the others say who holds the output; readers and the run afterwards find all whole."""
    command = [sys.executable, "-m", "benchmarks.starts", "--input", str(source), "--starts", "6"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 promises broken" in done.stdout


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
def test_one_fault_of_each_kind(source: pathlib.Path, root: pathlib.Path) -> None:
    """Killed, disk full, read-only and failing in the middle of a refresh; and nothing is renamed before it is on the disk."""
    command = [sys.executable, "-m", "benchmarks.faults", "--input", str(source), "--mode", "refresh", "--sample", "1"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if "could not attach" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 points, 0 promises broken" in done.stdout


@pytest.mark.parametrize("out", ["/x/out", "/x/work/out"])
def test_a_place_that_is_not_synchronised_is_told(out: str) -> None:
    """Wherever the output stands: also below a folder named like its own work folder."""
    log = f'7 rename("{out}/.staging/v1", "{out}/releases/v1") = 0\n'
    assert order_of_syncs(log, pathlib.Path(out)) == ["releases was not synchronised at the end"]
    assert not order_of_syncs(f'{log}7 fsync(3<{out}/releases>) = 0\n', pathlib.Path(out))


def run(source: pathlib.Path, output: pathlib.Path) -> tuple[pathlib.Path, str]:
    settings = Settings(inputs=(str(source),), output=str(output), workers=1, accept_change="test")
    result = run_pipeline(settings, InProcess(), Progress(None))
    return result.release, result.release.name.split("-")[1]


def spoil(path: pathlib.Path, damage: str, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    if damage == "removed":
        path.unlink()
        return
    if damage == "flipped":
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    elif damage == "zeroed":
        content = bytearray(len(content))
    path.write_bytes(content[: {"cut": len(content) // 2, "emptied": 0}.get(damage, len(content))])


def test_damaged_work_is_made_anew(source: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Whatever the disk does to files that a refresh would use again, the release is that of a rebuild."""
    run(source, tmp_path / "out")
    folders = sorted(p for name in SEALED for p in (tmp_path / "out/work" / name).iterdir())
    assert len(folders) >= 4
    rng = random.Random(9)
    whole = [(folder, sorted(folder.iterdir())) for folder in folders]
    for damage in ("removed", "flipped", "zeroed", "cut", "emptied"):
        for folder, files in whole:
            copy = tmp_path / "copy"
            shutil.copytree(folder, copy)
            assert drop_damaged(tmp_path / "out/work") == []
            spoil(rng.choice(files), damage, rng)
            assert drop_damaged(tmp_path / "out/work") == [f"{folder.parent.name}/{folder.name}"]
            copy.rename(folder)
    for (_, files), damage in zip(whole, ("flipped", "cut", "emptied", "removed"), strict=True):
        spoil(rng.choice(files), damage, rng)
    (source / "2.txt").write_text("Grids of sensors in cold rooms are studied. A solver named GridWarm reaches an accuracy of 91.5% on them.", "utf-8")
    made, version = run(source, tmp_path / "out")
    assert version == run(source, tmp_path / "anew")[1]
    assert validate_release(made) == []


def damage_current(out: pathlib.Path, how: str) -> None:
    current = (out / "current").resolve()
    (data,) = (current / "data/abstracts").glob("*.parquet")
    if how == "flipped":
        spoil(data, "flipped", random.Random(3))
    elif how == "manifest":
        (current / "manifest.json").write_text("{}", "utf-8")
    else:
        shutil.rmtree(current / "data/redirects")


def test_a_damaged_release_is_followed_by_a_whole_one(source: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A run never stumbles over what the disk did to the current release: it follows the newest whole one, and says so."""
    oldest, _ = run(source, tmp_path / "base")
    (source / "2.txt").write_text("Grids of sensors in cold rooms are studied. A solver named GridWarm reaches an accuracy of 91.5% on them.", "utf-8")
    run(source, tmp_path / "base")
    (source / "3.txt").write_text("Lamps of four kinds are compared in a dark room. The best lamp, LampFour, needs 12% less power than any other.", "utf-8")
    for how in ("flipped", "manifest", "removed"):
        out = tmp_path / how
        shutil.copytree(tmp_path / "base", out, symlinks=True)
        damage_current(out, how)
        assert newest_whole(out)[0] == out / "releases" / oldest.name
        assert "is damaged (" in newest_whole(out)[1]
        made, _ = run(source, out)
        assert validate_release(made) == []
        assert json.loads((made / "manifest.json").read_text("utf-8"))["previous"] == oldest.name


def test_a_damaged_release_of_the_same_data_is_made_again(source: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Nothing changed, but a file of the current release is gone: the same version is put in its place."""
    out = tmp_path / "out"
    made, _ = run(source, out)
    damage_current(out, "removed")
    (out / "work/units").rename(tmp_path / "units")
    (out / "work/units").write_text("no folder", "utf-8")
    assert run(source, out)[0] == made
    assert validate_release(made) == []
    assert (out / "damaged" / made.name).is_dir()
    assert newest_whole(out) == (made, "")
