"""Fixtures that all tests share."""

from __future__ import annotations

import pathlib

import pytest

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
