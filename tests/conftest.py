"""Fixtures that all tests share."""

from __future__ import annotations

import pathlib

import pytest
from hypothesis import settings

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> pathlib.Path:
    """The folder of acceptance data beside the checkout; tests that need it are skipped where it is missing."""
    folder = ROOT.parent / "shared"
    if not (folder / "CONTRACT.md").is_file():
        pytest.skip("the acceptance data beside the checkout are not here")
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--examples N`: properties are tried with N times as many examples, other ones each time (`make fuzz`); `--renew`: snapshots are written anew."""
    parser.addoption("--renew", action="store_true", help="write the snapshots of tests/golden anew")
    parser.addoption("--examples", type=int, default=1, metavar="N", help="N times as many examples of each property")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Raise the number of examples of every property."""
    times = config.getoption("--examples")
    for item in items if times > 1 else ():
        function = getattr(item, "obj", None)
        chosen = getattr(function, "_hypothesis_internal_use_settings", None)
        if chosen is not None:
            more = settings(chosen, max_examples=chosen.max_examples * times, deadline=None, derandomize=False)
            function._hypothesis_internal_use_settings = more  # type: ignore[union-attr]
