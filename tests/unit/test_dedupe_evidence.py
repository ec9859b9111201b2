"""Identifiers and metadata as evidence."""

from __future__ import annotations

import pytest

from pipeline.dedupe.evidence import (
    PUBLISHER,
    evidence_of,
    hash_identifier,
    identify,
    normalise_arxiv,
    normalise_doi,
    surname_key,
)


@pytest.mark.parametrize(
    ("doi", "expected"),
    [
        ("10.1000/ABC", "10.1000/abc"), ("https://doi.org/10.1000/abc", "10.1000/abc"), ("http://dx.doi.org/10.1000/abc", "10.1000/abc"),
        ("doi: 10.1000/abc.", "10.1000/abc"), ("10.1016/S0140-6736(05)67858-7", "10.1016/s0140-6736(05)67858-7"),
        ("NA", ""), ("nan", ""), ("", ""), ("none", ""), ("10.1000", ""),
    ],
)  # fmt: skip
def test_dois_are_normalised_and_placeholders_are_none(doi: str, expected: str) -> None:
    assert normalise_doi(doi) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2101.00001", ("2101.00001", 0)), ("arXiv:2101.00001v3", ("2101.00001", 3)), ("http://arxiv.org/abs/hep-th/9901001v1", ("hep-th/9901001", 1)),
        ("https://arxiv.org/pdf/2101.00001v2.pdf", ("2101.00001", 2)), ("math.GT/0309136", ("math.gt/0309136", 0)), ("NA", ("", 0)), ("", ("", 0)),
    ],
)  # fmt: skip
def test_arxiv_ids_lose_address_and_version(given: str, expected: tuple[str, int]) -> None:
    assert normalise_arxiv(given) == expected


def test_an_arxiv_doi_is_the_arxiv_id_and_registries_are_told_apart() -> None:
    assert identify("10.48550/arXiv.2101.00001", None, None).ids == (("arxiv", "2101.00001"),)
    assert identify("10.1000/x", "2101.00001v2", None) == identify("https://doi.org/10.1000/X", "2101.00001", 2)
    assert identify("10.1101/2020.01.01", None, None).ids == (("10.1101", "10.1101/2020.01.01"),)
    assert identify("10.1000/x", None, None).ids == ((PUBLISHER, "10.1000/x"),)
    assert identify("NA", "NA", None).ids == ()


def test_hashes_are_never_zero_and_fit_a_signed_column() -> None:
    assert all(0 < hash_identifier("doi", str(number)) < 2**63 for number in range(100))


@pytest.mark.parametrize("author", ["Doe, Jane A.", "Jane A. Doe", "Doe JA", "DOE, J", "J. Doe"])
def test_family_names_are_found_in_every_order(author: str) -> None:
    assert surname_key(author) == "doe"


def test_short_family_names_in_capitals_are_no_initials() -> None:
    assert surname_key("LI J") == "li"
    assert surname_key("") == ""


def test_evidence_reads_lists_and_strings_of_authors() -> None:
    names = frozenset(("lee", "ruiz"))
    for authors in (["Ann Lee", "Ruiz, Bo"], "Lee, Ann; Ruiz, Bo", "Ann Lee and Bo Ruiz", ("A. Lee", "B. Ruiz")):
        assert evidence_of({"authors": authors}).authors == names
    assert names <= evidence_of({"authors": "Ann Lee, Bo Ruiz, Cy Oz"}).authors
    assert evidence_of({"title": " ", "authors": None, "year": "2020", "flags": ["boilerplate"]}).year == 2020
    assert evidence_of({"flags": ["boilerplate"]}).boilerplate
