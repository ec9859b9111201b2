"""Docs and code agree: generated pages are fresh, links lead somewhere, what the README names exists."""

from __future__ import annotations

import pathlib
import re

import pytest

from pipeline.cli import build_parser
from pipeline.cli_docs import render
from schemas.as_text import data_dictionary
from schemas.tables import RELEASE_TABLES

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "benchmarks/README.md"]


def test_generated_pages_are_fresh() -> None:
    assert (ROOT / "docs/cli.md").read_text("utf-8") == render(), "run make docs"
    assert (ROOT / "docs/data_dictionary.md").read_text("utf-8") == data_dictionary(), "run make docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: pathlib.Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_command_stands_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (commands,) = (a for a in build_parser()._actions if hasattr(a, "choices") and isinstance(a.choices, dict))
    assert commands.choices is not None
    for name in commands.choices:
        if name != "config":
            assert re.search(rf"`(abstracts )?{name}\b", readme), f"the README does not name {name}"
    for command in re.findall(r"`abstracts ([a-z]+)", readme):
        assert command in commands.choices or command.isupper()


def test_every_table_stands_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert all(f"`{table.name}`" in readme for table in RELEASE_TABLES)


def test_the_two_commands_are_make_targets() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    for target in ("run", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_python_examples_of_the_readme_run() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (example,) = (b for b in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "enrich_text" in b)
    scope: dict[str, object] = {}
    exec(example, scope)
    assert scope["clean_text"](r"63\%").text == "63%"  # type: ignore[operator]


def test_every_promise_names_tests_that_exist() -> None:
    promises = re.findall(r"^\| [^|]+ \| (.+) \|$", (ROOT / "docs/promises.md").read_text("utf-8"), re.MULTILINE)[1:]
    for shown_by in promises:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", shown_by)
        assert named, shown_by
        for path, test in named:
            assert f"def {test}(" in (ROOT / path).read_text("utf-8"), f"there is no {path}::{test}"
