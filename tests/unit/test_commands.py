"""The command line as a whole, in this process: every command once, and what is told when something is wrong."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from pipeline import cli, orchestrate
from pipeline.errors import PipelineError, UsageError
from pipeline.load.validate import validate_release
from pipeline.load.wholeness import looks_whole
from pipeline.progress import Progress
from pipeline.settings import Settings

ONE = "We propose FiX (Fast Index), an index for strings. It lifts accuracy from 63% to 87% on GenEval. The code is at https://github.com/ada/fix and free for all to use."
TWO = "Sparse graphs are hard to cut well. We show that spectral methods find cuts within a factor of 2.5 of the best on three public benchmarks, and we prove that this is tight."
PAPERS = [
    {"title": "A Fast Index", "abstract": ONE, "doi": "10.1000/fix"},
    {"title": "Sparse Cuts", "abstract": TWO, "year": 2021},
    {"title": "A Fast Index", "abstract": ONE.replace("free for all", "open for all"), "doi": "10.1000/fix", "venue": "ICML"},
    {"title": "Nothing", "abstract": "\\newcommand{\\x}{" + "a b c d e f g h i j k l m n o p q r s t u v w x y z " * 4 + "}"},
]
Told = pytest.CaptureFixture[str]


def write(folder: Path, papers: list[dict[str, object]]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "papers.json").write_text(json.dumps(papers), "utf-8")
    return folder


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    """What a command sets for Prefect in the environment goes with it."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases: of all papers, and of those without the second."""
    place = tmp_path_factory.mktemp("work")
    source = write(place / "in", PAPERS)
    for papers in (PAPERS, [*PAPERS[:1], *PAPERS[2:]]):
        write(source, papers)
        assert cli.main(["run", str(source), "--direct", "--workers", "1", "--output", str(place / "out"), "--quiet", "--accept-change", "a test"]) == 0
    return place / "out"


def test_a_run_tells_what_it_made(tmp_path: Path, capsys: Told) -> None:
    source = write(tmp_path / "in", PAPERS)
    words = ["run", str(source), "--direct", "--workers", "1", "--output", str(tmp_path / "out")]
    assert cli.main([*words, "--json"]) == 0
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert (told["outcome"], told["counts"]["abstracts"], told["counts"]["merged"], told["counts"]["quarantined"]) == ("released", 2, 1, 1)
    assert {"extract", "clean", "enrich", "load"} <= {json.loads(line).get("stage") for line in said.err.splitlines()}
    assert cli.main(words) == 0
    assert "Nothing changed" in capsys.readouterr().out
    (kept,) = (row for row in read_table(tmp_path / "out", "abstracts") if row["title"] == "A Fast Index")
    assert (kept["doi"], kept["venue"]) == ("https://doi.org/10.1000/fix", "ICML")
    (lost,) = read_table(tmp_path / "out", "quarantine")
    assert "Nothing is left" in str(lost["message"])


def read_table(output: Path, table: str) -> list[dict[str, object]]:
    import pyarrow.dataset as ds

    rows: list[dict[str, object]] = ds.dataset(output / "current" / "data" / table).to_table().to_pylist()
    return rows


def test_commands_on_releases(out: Path, capsys: Told) -> None:
    place = ["--output", str(out)]
    assert cli.main(["releases", *place]) == 0
    listed = capsys.readouterr().out.splitlines()
    names = [line[2:].split()[0] for line in listed]
    assert len(names) == 2
    assert sorted(line[0] for line in listed) == [" ", "*"]
    current = next(line[2:].split()[0] for line in listed if line[0] == "*")
    other = next(name for name in names if name != current)
    assert cli.main(["diff", other, current, *place]) == 0
    assert "Removed: 1" in capsys.readouterr().out
    assert cli.main(["diff", other, current, "--json", *place]) == 0
    assert len(json.loads(capsys.readouterr().out)["removed"]) == 1
    assert cli.main(["use", other, *place]) == 0
    assert (out / "current").resolve().name == other
    assert cli.main(["validate", *place]) == 0
    assert cli.main(["validate", current, *place]) == 0
    (key,) = (str(row["abstract_id"]) for row in read_table(out, "abstracts") if row["title"] == "A Fast Index")
    capsys.readouterr()
    assert cli.main(["explain", key, *place]) == 0
    assert "near" in capsys.readouterr().out
    assert cli.main(["explain", key, "--html", *place]) == 0
    assert "<html" in capsys.readouterr().out
    assert cli.main(["use", current, *place]) == 0


def test_a_damaged_release_is_told(out: Path, tmp_path: Path, capsys: Told) -> None:
    import shutil

    copy = tmp_path / "out"
    shutil.copytree(out, copy, symlinks=True)
    damaged = (copy / "current").resolve()
    (damaged / "SHA256SUMS").write_bytes(b"\xff\xfe no sums")
    assert any("SHA256SUMS" in problem for problem in validate_release(str(damaged)))
    assert cli.main(["validate", str(damaged)]) == 5
    (damaged / "SHA256SUMS").write_text("no line of sums", "utf-8")
    assert any("line 1" in problem for problem in validate_release(str(damaged)))
    (damaged / "SHA256SUMS").unlink()
    assert not looks_whole(damaged)
    assert cli.main(["releases", "--output", str(copy)]) == 0
    assert "damaged" in capsys.readouterr().out


def test_a_score_needs_its_gold(out: Path, tmp_path: Path, capsys: Told) -> None:
    assert cli.main(["score", str(out / "current"), str(tmp_path / "none.jsonl")]) == 2
    gold = tmp_path / "gold.jsonl"
    row = next(row for row in read_table(out, "abstracts") if row["title"] == "A Fast Index")
    name = {"name": "FiX", "long_form": "Fast Index", "role": "proposed", "optional": False}
    gold.write_text(json.dumps({"id": "a", "first_words": str(row["text"])[:40], "methods": [name], "datasets": [], "results": [], "urls": [], "metric_names": []}) + "\n\n", "utf-8")
    assert cli.main(["score", str(out / "current"), str(gold)]) == 0
    assert "methods" in capsys.readouterr().out
    assert cli.main(["score", str(out / "current"), str(gold), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_a_plan_says_why(tmp_path: Path, capsys: Told) -> None:
    source = write(tmp_path / "in", PAPERS)
    words = [str(source), "--output", str(tmp_path / "out")]
    assert cli.main(["plan", *words]) == 0
    assert "no earlier run" in capsys.readouterr().out
    assert cli.main(["run", *words, "--direct", "--workers", "1", "--quiet"]) == 0
    assert cli.main(["plan", *words]) == 0
    assert "nothing to do" in capsys.readouterr().out
    (source / "more.txt").write_text(TWO, "utf-8")
    assert cli.main(["plan", *words]) == 0
    assert "new: more.txt" in capsys.readouterr().out
    (source / "papers.json").unlink()
    assert cli.main(["plan", *words]) == 0
    assert "gone since the last run" in capsys.readouterr().out
    assert cli.main(["plan", *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["units"]


def test_settings_and_where_they_come_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Told) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "abstracts.toml").write_text("workers = 3\n", "utf-8")
    assert cli.main(["config"]) == 0
    assert "abstracts.toml" in capsys.readouterr().out
    assert cli.main(["config", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["workers"]["value"] == 3


def test_inspect(tmp_path: Path, capsys: Told) -> None:
    assert cli.main(["inspect", str(write(tmp_path / "in", PAPERS) / "papers.json")]) == 0
    assert "A Fast Index" in capsys.readouterr().out


def as_input(monkeypatch: pytest.MonkeyPatch, *lines: object) -> None:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode("utf-8"))))


def test_stages_as_filters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Told) -> None:
    assert cli.main(["extract", str(write(tmp_path / "in", PAPERS))]) == 0
    said = capsys.readouterr()
    records = [json.loads(line) for line in said.out.splitlines()]
    assert [record["title"] for record in records] == [paper["title"] for paper in PAPERS]
    assert json.loads(said.err)["file"]["records"] == 4

    as_input(monkeypatch, *({"id": n, "raw_text": record["raw_text"]} for n, record in enumerate(records)), "")
    assert cli.main(["clean"]) == 0
    cleaned = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["text"] for row in cleaned[:2]] == [ONE, TWO]

    as_input(monkeypatch, *cleaned)
    assert cli.main(["enrich"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [method["name"] for method in found[0]["methods"]] == ["FiX"]
    assert [(m["baseline"], m["value"]) for m in found[0]["metrics"]] == [(63.0, 87.0)]
    assert [url["url"] for url in found[0]["urls"]] == ["https://github.com/ada/fix"]
    assert {dataset["name"] for dataset in found[0]["datasets"]} == {"GenEval"}

    as_input(monkeypatch, *cleaned[:3])
    assert cli.main(["dedupe"]) == 0
    groups = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert groups[0]["cluster"] == groups[2]["cluster"] != groups[1]["cluster"]


def test_a_filter_answers_each_bad_line_and_goes_on(monkeypatch: pytest.MonkeyPatch, capsys: Told) -> None:
    as_input(monkeypatch, "{", "[1]", {"id": 1}, {"id": 2, "raw_text": ONE})
    assert cli.main(["clean"]) == 1
    said = capsys.readouterr()
    assert [json.loads(line)["line"] for line in said.err.splitlines()] == [1, 2, 3]
    assert json.loads(said.out)["id"] == 2


def test_a_file_that_cannot_be_used_is_told_by_the_filter(tmp_path: Path, capsys: Told) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(range(256)) * 20)
    assert cli.main(["extract", str(tmp_path)]) == 4
    assert "quarantine" in json.loads(capsys.readouterr().err.splitlines()[0])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["run", "nowhere", "--direct", "--json"], 2),
        (["run", "empty", "--direct", "--json"], 4),
        (["use", "v1"], 2),
        (["explain", "00"], 2),
        (["validate", "file:///nowhere/at/all"], 2),
        (["serve", "--cron", "0 3 * * *"], 2),
    ],
)
def test_an_error_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Told, words: list[str], code: int) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.delenv("PREFECT_HOME", raising=False)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "a.txt").write_text("N/A\n", "utf-8")
    assert cli.main(words) == code
    said = capsys.readouterr()
    assert said.err.startswith("abstracts: ") or "--json" in words
    if "--json" in words:
        told = json.loads(said.out.splitlines()[-1])
        assert (told["outcome"], told["exit_code"]) == ("failed", code)
        assert told["do"]
    with pytest.raises(PipelineError):
        cli.main([*words, "--debug"])


def test_what_was_not_foreseen_is_told_without_a_traceback(monkeypatch: pytest.MonkeyPatch, capsys: Told) -> None:
    monkeypatch.setattr("pipeline.commands.config", Mock(side_effect=KeyError("surprise")))
    assert cli.main(["config"]) == 6
    assert "Internal error: KeyError" in capsys.readouterr().err
    with pytest.raises(KeyError):
        cli.main(["config", "--debug"])
    monkeypatch.setattr("pipeline.commands.config", Mock(side_effect=BrokenPipeError))
    with open("/dev/null", "w", encoding="utf-8") as nowhere:
        monkeypatch.setattr(sys, "stdout", nowhere)
        assert cli.main(["config"]) == 0


GATES = {
    "too much of it is broken": ([PAPERS[3] | {"title": f"T{n}"} for n in range(40)] + PAPERS[:1], {}, 1),
    "a band that nobody knows": (PAPERS, {"drift_bands": {"rows": 0.1}}, 2),
}


@pytest.mark.parametrize("why", GATES)
def test_what_a_gate_refuses_is_not_published(tmp_path: Path, why: str) -> None:
    papers, settings, code = GATES[why]
    config = tmp_path / "abstracts.toml"
    config.write_text("".join(f"[{name}]\n" + "".join(f"{k} = {v}\n" for k, v in table.items()) for name, table in settings.items()), "utf-8")  # type: ignore[attr-defined]
    words = ["run", str(write(tmp_path / "in", papers)), "--direct", "--workers", "1", "--output", str(tmp_path / "out"), "--quiet", "--config", str(config)]
    assert cli.main(words) == code
    assert not (tmp_path / "out" / "current").exists()


def test_the_server_is_found_where_prefect_keeps_it(tmp_path: Path) -> None:
    assert orchestrate.configured_server({"PREFECT_API_URL": "http://a/api"}) == "http://a/api"
    assert orchestrate.configured_server({"PREFECT_HOME": str(tmp_path)}) is None
    (tmp_path / "profiles.toml").write_text('active = "local"\n[profiles.local]\nPREFECT_API_URL = "http://b/api"\n[profiles.other]\n', "utf-8")
    assert orchestrate.configured_server({"PREFECT_HOME": str(tmp_path)}) == "http://b/api"
    assert orchestrate.configured_server({"PREFECT_HOME": str(tmp_path), "PREFECT_PROFILE": "other"}) is None
    environ = {"PREFECT_API_URL": "http://a/api"}
    assert orchestrate.prepare_prefect(Settings(output=str(tmp_path)), environ) == "http://a/api"
    assert "PREFECT_HOME" not in environ


@pytest.mark.parametrize("trouble", [ConnectionError("connect: refused"), RuntimeError("the ephemeral server did not start")])
def test_a_server_that_does_not_answer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: Exception) -> None:
    import pipeline.flows

    monkeypatch.setattr(pipeline.flows, "refresh_once", Mock(side_effect=trouble))
    with pytest.raises(PipelineError, match="Prefect does not answer"):
        orchestrate.run_flow(Settings(output=str(tmp_path)), Progress(None))


def test_a_folder_is_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Told) -> None:
    """First the folder is missing, then there, then unchanged."""
    folder = tmp_path / "in"
    looks: list[int] = []

    def sleep(seconds: float) -> None:
        looks.append(int(seconds))
        write(folder, PAPERS)
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("pipeline.orchestrate.time.sleep", sleep)
    assert cli.main(["serve", str(folder), "--watch", "7", "--workers", "1", "--output", str(tmp_path / "out")]) == 130
    said = capsys.readouterr().err
    assert looks == [7, 7, 7]
    assert said.count("released: ") == 1
    assert str(folder) in said


def test_serving_hands_the_settings_to_prefect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pipeline.flows

    given: dict[str, object] = {}
    monkeypatch.setattr(pipeline.flows.refresh, "serve", lambda **named: given.update(named), raising=False)
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:1/api")
    assert orchestrate.serve_flow(Settings(inputs=("in",), output=str(tmp_path)), cron="0 3 * * *", interval=None) == 0
    assert given["cron"] == "0 3 * * *"
    assert given["parameters"]["settings"]["inputs"] == ["in"]  # type: ignore[index]


def test_dask_without_a_scheduler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    from pipeline.engines import open_pool

    monkeypatch.setattr(distributed, "Client", Mock(side_effect=OSError("refused")))
    with pytest.raises(UsageError, match="No Dask scheduler"), open_pool(Settings(scheduler="tcp://127.0.0.1:1")):
        pass


def test_progress_on_a_terminal_and_as_json() -> None:
    stream = io.StringIO()
    Progress(stream, as_json=True).say("waiting")
    assert json.loads(stream.getvalue()) == {"message": "waiting"}
