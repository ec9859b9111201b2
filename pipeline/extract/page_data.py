"""What a page of HTML holds beside its text: the names of citation metadata, and data in scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

_ASSIGNED = re.compile(r"=\s*+(?=[\[{]\s*+[\[{\"])")
_MAX_ASSIGNED = 20
_DECODER = json.JSONDecoder()
# Names of `<meta>` by canonical field, best first (Highwire, Dublin Core, PRISM, Open Graph).
META = {
    "title": ("citation_title", "dc.title", "dcterms.title", "og:title"),
    "authors": ("citation_author", "citation_authors", "dc.creator", "dc.contributor", "author"),
    "venue": (
        "citation_conference_title",
        "citation_journal_title",
        "citation_inbook_title",
        "citation_conference",
        "prism.publicationname",
    ),
    "year": (
        "citation_publication_date",
        "citation_date",
        "citation_year",
        "citation_online_date",
        "dc.date",
        "article:published_time",
    ),
    "doi": ("citation_doi", "dc.identifier", "prism.doi", "dc.identifier.doi"),
    "arxiv_id": ("citation_arxiv_id",),
    "source_url": (
        "citation_abstract_html_url",
        "citation_fulltext_html_url",
        "og:url",
        "citation_public_url",
        "citation_pdf_url",
    ),
    "licence": ("dc.rights",),
    "keywords": ("citation_keywords", "citation_keyword", "dc.subject", "keywords"),
    "source_id": ("citation_pmid", "citation_id", "citation_arxiv_id"),
}
META_ABSTRACT = (
    "citation_abstract",
    "dc.description.abstract",
    "dcterms.abstract",
    "dc.description",
    "eprints.abstract",
    "og:description",
    "description",
)


def data_of(script: str) -> Iterator[object]:
    """The JSON that a script is, or that it assigns to variables."""
    starts = [0] if script.lstrip()[:1] in ("{", "[") else [m.end() for m in islice(_ASSIGNED.finditer(script), _MAX_ASSIGNED)]
    end = 0
    for start in starts:
        if start >= end:
            try:
                data, end = _DECODER.raw_decode(script, start + len(script[start:]) - len(script[start:].lstrip()))
            except (ValueError, RecursionError):
                continue
            yield data
