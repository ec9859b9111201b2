"""What the console says: unknown words, what changed, what was published where."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline import cli
from pipeline.commands import summary
from pipeline.load.changes import diff_releases
from pipeline.load.report_figures import _reasons
from pipeline.run import RunResult
from pipeline.settings import Settings
from tests.support.parts import make_rows, release


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "--direkt"], "unknown option '--direkt'; did you mean --direct?"),
        (["run", "--outptu=x", "seeds"], "unknown option '--outptu=x'; did you mean --output?"),
        (["rnu"], "there is no command 'rnu'; did you mean run?"),
        (["nothing-like-it"], "there is no command 'nothing-like-it'; see abstracts --help"),
        (["diff", "a", "b", "c"], "unknown argument 'c'; see abstracts diff --help"),
    ],
)
def test_an_unknown_word_gets_a_suggestion(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    assert end.value.code == 2
    assert told in capsys.readouterr().err


def test_diff_names_abstracts_and_leaves_out_what_did_not_happen(tmp_path: Path) -> None:
    rows = make_rows(6)
    rows["abstracts"][5]["title"] = "A [link](http://x) and\na *star*"
    rows["abstracts"][4]["title"] = None
    lost, untitled = rows["abstracts"][5], rows["abstracts"][4]
    old = release(rows, tmp_path / "out", tmp_path / "1")
    rows = make_rows(5)
    rows["abstracts"][4]["title"] = None
    rows["abstracts"][4]["year"] = 1999
    new = release(rows, tmp_path / "out", tmp_path / "2")
    text, value = diff_releases(old, new)
    assert f"- `{lost['abstract_id']}` A \\[link\\](http://x) and a \\*star\\*: reason `removed`" in text
    assert f"- `{untitled['abstract_id']}` {untitled['text'][:60]}" in text
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## Changed: 1", "## Removed: 1"]
    assert sorted(value["names"]) == sorted([lost["abstract_id"], untitled["abstract_id"]])
    assert (new / "CHANGES.md").read_text("utf-8") == text
    assert "## Added: 1" in diff_releases(new, old)[0]
    assert "No abstract was added, changed or removed." in diff_releases(new, new)[0]


def test_the_last_lines_say_what_happened(tmp_path: Path) -> None:
    settings = Settings(output=str(tmp_path))
    told = {(o, r): summary(RunResult(o, "v1", tmp_path, restored=r), settings).split("\n")[1] for o, r in (("released", False), ("released", True), ("unchanged", False))}  # type: ignore[arg-type]
    assert told["released", False] == "Published v1"
    assert told["unchanged", False] == "Nothing changed; the current release is still v1"
    assert told["released", True].startswith("The current release is v1 again")


def test_publish_refuses_what_is_read_and_says_when_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release(make_rows(3), tmp_path / "out", tmp_path / "parts")
    for name in ("seeds", "mine"):
        (tmp_path / name).mkdir()
    (tmp_path / "out/work").mkdir()
    (tmp_path / "out/work/last.json").write_text(f'{{"inputs": ["{tmp_path / "mine"}"]}}', "utf-8")
    monkeypatch.chdir(tmp_path)
    for target in ("seeds", "seeds/deep/er", f"file://{tmp_path}/mine", "mine", "out", "out/releases"):
        assert cli.main(["publish", "--output", "out", "--to", target, "--execute"]) == 2
        assert "Name another folder" in capsys.readouterr().err
    assert not list((tmp_path / "seeds").iterdir())
    assert cli.main(["publish", "--output", "out", "--to", "copy"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Nothing was sent. Send it: the same command with --execute"
    assert cli.main(["publish", "--output", "out", "--to", "copy", "--execute"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("Done: release ")
    assert cli.main(["validate", "copy"]) == 0


def test_the_report_tells_pictures_from_pdf_files(tmp_path: Path) -> None:
    """Two messages of one rule are two reasons; a rule with a message for each row stays one."""
    rows = make_rows(3)
    kinds = ["this is a PDF: export its text", "this is a picture: leave it out", "this is a picture: leave it out"]
    rows["quarantine"] = [
        *(dict(rows["quarantine"][1], source_file=f"f{n}", rule="unknown_format", message=message) for n, message in enumerate(kinds)),
        *(dict(rows["quarantine"][1], source_file=f"g{n}", rule="unreadable", message=f"line {n} is broken") for n in range(9)),
    ]
    reasons = _reasons(release(rows, tmp_path / "out", tmp_path / "parts"))
    assert [(reason.rule, reason.files, reason.examples[0][2]) for reason in reasons] == [
        ("unreadable", 9, "line 0 is broken"), ("unknown_format", 2, kinds[1]), ("unknown_format", 1, kinds[0])
    ]  # fmt: skip
