"""Takedowns and corrections read from files."""

from __future__ import annotations

import pathlib

import pytest

from pipeline.decisions import read_corrections, read_takedowns
from pipeline.errors import UsageError


def test_no_file_no_decisions() -> None:
    assert read_takedowns("") == ()
    assert read_corrections("") == ()


def test_entries_are_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('[[takedown]]\nvalue = "10.1/x"\nreason = "asked"\n')
    assert read_takedowns(str(path))[0].value == "10.1/x"
    path.write_text('[[correction]]\nid = "a"\ncolumn = "year"\nold = 2001\nnew = 2010\nreason = "misprint"\nwho = "me"\n')
    assert (read_corrections(str(path))[0].old, read_corrections(str(path))[0].new) == (2001, 2010)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[takedown]]\nreason = 'x'\n", "Entry 1"),
        ("[[takedwn]]\nvalue = 'x'\n", "takedwn"),
        ("takedown = 3\n", "takedown"),
        ("[[takedown]\n", "TOML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: pathlib.Path, text: str, said: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        read_takedowns(str(path))
    with pytest.raises(UsageError, match="cannot be read"):
        read_corrections(str(tmp_path / "none.toml"))


def test_correction_with_unknown_or_missing_keys(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('[[correction]]\nid = "a"\ncolumn = "year"\nreason = "r"\n')
    with pytest.raises(UsageError, match="wants who"):
        read_corrections(str(path))
    path.write_text('[[correction]]\nid = "a"\ncolumn = "year"\nreason = "r"\nwho = "w"\nnwe = 1\n')
    with pytest.raises(UsageError, match="nwe"):
        read_corrections(str(path))
