"""A refresh after any history of added, changed and removed files gives the bytes of a rebuild."""

from __future__ import annotations

import hashlib
import json
import pathlib
import random

import pytest

from pipeline import parts, steps
from pipeline.engines import InProcess
from pipeline.load.changes import diff_releases
from pipeline.load.publish import current_release, use_release
from pipeline.progress import Progress
from pipeline.run import RunResult, run_pipeline
from pipeline.settings import Settings


def abstract(number: int, edit: str = "") -> str:
    return (
        f"We propose Foo{number}Net, a network for task number {number} of a long series in which every sentence counts. {edit}"
        f"It reaches {50 + number % 50}.{number % 10}% accuracy on CIFAR-10 and on the Bar{number} dataset, which we release with the code.\n\n"
    )


def change(folder: pathlib.Path, rng: random.Random) -> None:
    """Add, change or remove a file; contents overlap between files, so that groups and kept copies move."""
    files = sorted(folder.iterdir())
    action = rng.choice(["add", "add", "change", "remove"]) if len(files) > 2 else "add"
    if action == "remove":
        rng.choice(files).unlink()
        return
    path = folder / f"f{rng.randrange(30):02d}.txt" if action == "add" else rng.choice(files)
    numbers = [rng.randrange(40) for _ in range(rng.randint(2, 8))]
    path.write_text("".join(abstract(n, rng.choice(["", "", "Our code is public. "])) for n in numbers), "utf-8")


def run(source: pathlib.Path, output: pathlib.Path) -> RunResult:
    settings = Settings(inputs=(str(source),), output=str(output), workers=1, shard_rows=5, accept_change="test", keep_releases=3)
    return run_pipeline(settings, InProcess(), Progress(None))


def data(release: pathlib.Path) -> dict[str, str]:
    """Hashes of the data files; `redirects` is history, which a rebuild does not have."""
    paths = [p for p in (*release.glob("data/**/*.parquet"), *release.glob("csv/*.csv")) if "redirects" not in p.as_posix()]
    return {p.relative_to(release).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}


@pytest.mark.parametrize("seed", range(3))
def test_refresh_equals_rebuild(seed: int, tmp_path: pathlib.Path) -> None:
    rng = random.Random(seed)
    source = tmp_path / "in"
    source.mkdir()
    for _ in range(4):
        change(source, rng)
    for step in range(4):
        refreshed = run(source, tmp_path / "out")
        rebuilt = run(source, tmp_path / f"rebuilt{step}")
        told = json.loads((refreshed.release / "changes.json").read_text("utf-8"))
        if told["previous"]:
            before = refreshed.release.parent / told["previous"]
            assert told == diff_releases(before, refreshed.release)[1] | {"removed": told["removed"]}
        assert data(refreshed.release) == data(rebuilt.release)
        assert refreshed.release.name.split("-")[1] == rebuilt.release.name.split("-")[1]
        change(source, rng)


def test_refresh_works_out_new_texts_only(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One text of twelve in a file is replaced, which moves the others to other rows and shards."""
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.txt").write_text("".join(abstract(n) for n in range(12)), "utf-8")
    run(source, tmp_path / "out")
    (source / "a.txt").write_text("".join(abstract(n) for n in (0, 20, *range(2, 12))), "utf-8")
    seen: dict[str, list[int]] = {"clean": [], "enrich": []}
    clean, enrich = steps.clean_table, parts.enrich_table
    monkeypatch.setattr(steps, "clean_table", lambda data, macros: seen["clean"].append(data.num_rows) or clean(data, macros))
    monkeypatch.setattr(parts, "enrich_table", lambda data: seen["enrich"].append(data.num_rows) or enrich(data))
    refreshed = run(source, tmp_path / "out")
    assert (sum(seen["clean"]), sum(seen["enrich"])) == (1, 1)
    monkeypatch.undo()
    assert data(refreshed.release) == data(run(source, tmp_path / "rebuilt").release)


def test_run_after_a_rollback_publishes_what_its_inputs_say(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.txt").write_text(abstract(1) + abstract(2), "utf-8")
    old = run(source, tmp_path / "out")
    (source / "b.txt").write_text(abstract(3), "utf-8")
    new = run(source, tmp_path / "out")
    use_release(tmp_path / "out", old.version)
    again = run(source, tmp_path / "out")
    assert (again.outcome, again.version, current_release(tmp_path / "out")) == ("released", new.version, new.release)
    assert run(source, tmp_path / "out").outcome == "unchanged"
