"""Identifiers as the dataset writes them, from the many ways sources write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>\\{}|^`]+", re.I)
_DOI_IS_URL = re.compile(r"^(?:https?://)?(?:dx\.)?doi\.org/", re.I)
_ARXIV_NEW = r"\d{4}\.\d{4,5}"
_ARXIV_OLD = r"(?:astro-ph|cond-mat|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|nlin|nucl-ex|nucl-th|physics|quant-ph|math|cs|q-bio|q-fin|stat|cmp-lg|chao-dyn|solv-int|alg-geom|dg-ga|funct-an|patt-sol|adap-org|comp-gas|acc-phys|ao-sci|atom-ph|bayes-an|chem-ph|mtrl-th|plasm-ph|q-alg|supr-con)(?:\.[A-Z]{2})?/\d{7}"
_ARXIV_BARE = re.compile(
    rf"^\s*(?:arxiv\s*[:.]\s*|oai:arxiv\.org:)?({_ARXIV_NEW}|{_ARXIV_OLD})(?:v(\d{{1,3}}))?(?:\s*\[[^\]]*\])?\s*$", re.I
)
_ARXIV_NUMBER = re.compile(rf"({_ARXIV_NEW})(?:v(\d{{1,3}}))?(?:\s*\[[^\]]*\])?\s*$")
_ARXIV_MARKED = re.compile(
    rf"(?:arxiv\.org/(?:abs|pdf|html|format|e-print)/|oai:arxiv\.org:|10\.48550/arxiv\.|arxiv\s*:\s*)({_ARXIV_NEW}|{_ARXIV_OLD})(?:v(\d{{1,3}}))?(?!\d)",
    re.I,
)
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_MONTH_OK = re.compile(r"(?:0[1-9]|1[0-2])")
_TRAILING = ".,;:)]}'\""


@lru_cache(maxsize=4096)
def normalise_doi(value: str) -> str | None:
    """`https://doi.org/<lower case>`, or None where there is no DOI.

    >>> normalise_doi("doi:10.1103/PhysRevD.76.013009")
    'https://doi.org/10.1103/physrevd.76.013009'
    """
    text = value.replace("%2F", "/").replace("%2f", "/") if "%2" in value else value
    match = _DOI.search(text)
    if match is None:
        return None
    doi = match[0]
    while doi[-1] in _TRAILING and not (
        doi[-1] in ")]" and doi.count(doi[-1]) <= doi.count("(" if doi[-1] == ")" else "[")
    ):
        doi = doi[:-1]
    return "https://doi.org/" + doi.lower()


def is_doi_url(value: str) -> bool:
    """True for a URL of the DOI resolver."""
    return "doi.org/" in value and _DOI_IS_URL.match(value) is not None


def split_arxiv(value: str, is_arxiv_field: bool = False) -> tuple[str, int | None] | None:
    """The bare arXiv id and the version, from an id, a URL or a DOI that says it is arXiv's.

    A bare number (`2503.13531`) counts; a number within other text only behind `arXiv:` or in an arXiv address.

    >>> split_arxiv("http://arxiv.org/abs/2510.14968v1")
    ('2510.14968', 1)
    """
    match = None
    marked = "rxiv" in value.lower()
    if value[:1].isdigit():
        match = _ARXIV_NUMBER.match(value)
    elif len(value) < 60 and (marked or ("/" in value and not value.startswith("http"))):
        match = _ARXIV_BARE.match(value)
    if match is None and marked:
        match = _ARXIV_MARKED.search(value)
    if match is None and is_arxiv_field:
        match = re.search(rf"(?<![\d.])({_ARXIV_NEW}|{_ARXIV_OLD})(?:v(\d{{1,3}}))?(?![\d.]*\d)", value)
    if match is None or (match[1][0].isdigit() and not _MONTH_OK.match(match[1], 2)):
        return None
    return match[1], int(match[2]) if match[2] else None


def find_arxiv(values: Iterable[str]) -> tuple[str, int | None] | None:
    """The first arXiv id in `values`, with the version where any of them names it."""
    best: tuple[str, int | None] | None = None
    for value in values:
        found = split_arxiv(value)
        if found is None:
            continue
        if found[1] is not None and (best is None or best[0] == found[0]):
            return found
        best = best or found
    return best


def find_year(value: object) -> int | None:
    """The year in a number or date: `2018`, `2018 Mar 30`, `20160512`, `4/3/2024`, milliseconds since 1970.

    >>> find_year("Mon, 12 Jun 2023 18:21:23 GMT"), find_year(1540035843524), find_year("4/3/24")
    (2023, 2018, None)
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        if 1500 <= value <= 2099:
            return int(value)
        if 1e11 <= value < 4.1e12:
            return 1970 + int(value / 31_556_952_000)
        value = str(int(value)) if abs(value) < 1e18 else ""
    text = str(value)
    match = _YEAR.search(text)
    if (
        match is None
        and (match := re.match(r"\s*(1[5-9]\d\d|20\d\d)(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?!\d)", text)) is None
    ):
        return None
    return int(match[1])
