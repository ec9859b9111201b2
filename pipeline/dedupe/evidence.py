"""What the metadata of two records say about their being the same abstract: identifiers, titles, authors, years."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from pipeline.dedupe.keys import normalised_key

PUBLISHER = "publisher"
_ARXIV_DOI = re.compile(r"^10\.48550/arxiv\.(.+)$")
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_ARXIV_PREFIX = re.compile(r"^(?:https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/|arxiv:\s*)", re.IGNORECASE)
_DOI = re.compile(r"10\.\d+(?:\.\d+)*/\S+")
_ARXIV = re.compile(r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7}")
_AUTHOR_ENDS = re.compile(r";|&|\band\b|\|")
_REPOSITORIES = frozenset(
    ["10.48550", "10.1101", "10.5281", "10.6084", "10.31219", "10.31234", "10.31235", "10.2139", "10.21203", "10.20944", "10.36227", "10.26434", "10.32388", "10.22541", "10.17605", "10.5061", "10.7910", "10.13140", "10.31224", "10.31222", "10.55458"]
)
"""DOI prefixes of preprint and data repositories (arXiv, bioRxiv, Zenodo, figshare, OSF, SSRN, Research Square …)."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The normalised identifiers of a record: registry -> identifier. Two different ones of a registry conflict."""

    ids: tuple[tuple[str, str], ...] = ()
    version: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a record besides its text and identifiers."""

    title: str = ""
    authors: frozenset[str] = frozenset()
    year: int | None = None
    boilerplate: bool = False


NO_EVIDENCE = Evidence()


def normalise_doi(doi: str) -> str:
    """A DOI without its resolver, in lower case; empty where it is none (`NA`).

    >>> normalise_doi("https://doi.org/10.1000/ABC."), normalise_doi("NA")
    ('10.1000/abc', '')
    """
    plain = _DOI_PREFIX.sub("", doi.strip()).lower().rstrip(".,;")
    return plain if _DOI.fullmatch(plain) else ""


def normalise_arxiv(arxiv_id: str) -> tuple[str, int]:
    """An arXiv id without address and version, and the version (0 where none is given); empty where it is none.

    >>> normalise_arxiv("arXiv:2101.00001v2"), normalise_arxiv("nan")
    (('2101.00001', 2), ('', 0))
    """
    plain = _ARXIV_PREFIX.sub("", arxiv_id.strip()).lower().removesuffix(".pdf")
    hit = re.search(r"v(\d{1,3})$", plain)
    bare, version = (plain[: hit.start()], int(hit.group(1))) if hit else (plain, 0)
    return (bare, version) if _ARXIV.fullmatch(bare) else ("", 0)


def identify(doi: str | None, arxiv_id: str | None, arxiv_version: int | None) -> Identity:
    """The identifiers of a record; an arXiv DOI counts as the arXiv id that it holds."""
    ids: dict[str, str] = {}
    version = arxiv_version or 0
    bare, written = normalise_arxiv(arxiv_id or "")
    if bare:
        ids["arxiv"], version = bare, version or written
    plain = normalise_doi(doi or "")
    hit = _ARXIV_DOI.match(plain)
    if hit:
        ids.setdefault("arxiv", normalise_arxiv(hit.group(1))[0] or hit.group(1))
    elif plain:
        prefix = plain.partition("/")[0]
        ids[prefix if prefix in _REPOSITORIES else PUBLISHER] = plain
    return Identity(tuple(sorted(ids.items())), version)


def hash_identifier(registry: str, identifier: str) -> int:
    """A 63-bit number for an identifier, never 0."""
    digest = blake2b(f"{registry}\n{identifier}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "little") >> 1) or 1


def surname_key(author: str) -> str:
    """The family name of an author, folded: before the comma, else the last word that is no initial.

    >>> surname_key("Doe, Jane A."), surname_key("Jane A. Doe"), surname_key("Doe JA")
    ('doe', 'doe', 'doe')
    """
    family = author.partition(",")[0] if "," in author else author
    words = [word for word in family.replace(".", ". ").split() if word]
    names = [w for w in words if not (w.endswith(".") or (w.isupper() and len(w) <= 3))] or words[:1]
    return normalised_key(names[-1]) if names else ""


def weigh(title: str | None, authors: Iterable[str] | None, year: int | None, flags: Iterable[str] = ()) -> Evidence:
    """The evidence of one record's metadata."""
    if not (title or authors or flags) and year is None:
        return NO_EVIDENCE
    names = frozenset(key for key in (surname_key(author) for author in authors or ()) if len(key) > 1)
    return Evidence(normalised_key(title) if title and title.strip() else "", names, year, "boilerplate" in set(flags))


def evidence_of(record: Mapping[str, object]) -> Evidence:
    """The evidence of a record given as a mapping with title, authors, year and flags, each optional."""
    authors, year, title = record.get("authors"), record.get("year"), record.get("title")
    if isinstance(authors, str):
        listed = _AUTHOR_ENDS.split(authors)
        authors = authors.split(",") if len(listed) == 1 and authors.count(",") > 1 else listed
    names = [str(author) for author in authors] if isinstance(authors, Iterable) else []
    flags = record.get("flags")
    return weigh(
        title if isinstance(title, str) else None,
        names,
        int(year) if isinstance(year, int | float) or (isinstance(year, str) and year.isdecimal()) else None,
        [str(flag) for flag in flags] if isinstance(flags, Iterable) else (),
    )
