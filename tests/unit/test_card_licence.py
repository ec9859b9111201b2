"""Licences in the card and the other metadata files: named only where they are known."""

from __future__ import annotations

import pytest

from pipeline.load.card_licence import spdx, summarise_licences
from pipeline.load.card_sections import inline


@pytest.mark.parametrize(
    ("stated", "identifier"),
    [
        ("CC-BY-4.0", "CC-BY-4.0"),
        ("cc by 4.0", "CC-BY-4.0"),
        ("https://creativecommons.org/licenses/by-nc-sa/4.0/legalcode", "CC-BY-NC-SA-4.0"),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", None),
        ("unknown", None),
        ("© 2024 The Authors", None),
        ("CC-BY-9.9", None),
    ],
)
def test_spdx(stated: str, identifier: str | None) -> None:
    assert spdx(stated) == identifier


@pytest.mark.parametrize(
    ("counts", "front"),
    [
        ({"CC-BY-4.0": 3}, {"license": "cc-by-4.0"}),
        ({"CC-BY-4.0": 3, "cc0-1.0": 1}, {"license": ["cc-by-4.0", "cc0-1.0"]}),
        ({"ODC-By-1.0": 3}, {"license": "odc-by"}),
        ({"CC-BY-4.0": 3, "unknown": 1}, {"license": "other", "license_name": "mixed-see-column-licence"}),
        ({"unknown": 2}, {"license": "other", "license_name": "unknown"}),
        ({}, {"license": "other", "license_name": "unknown"}),
    ],
)
def test_front_matter_never_claims_more_than_is_known(counts: dict[str, int], front: dict[str, object]) -> None:
    assert summarise_licences(counts).hub() == front


def test_values_are_no_markdown() -> None:
    assert inline("a|b\n`x` <b>*y*</b> [t](u) & _z_") == "a\\|b \\`x\\` &lt;b>\\*y\\*&lt;/b> \\[t\\](u) &amp; \\_z\\_"
