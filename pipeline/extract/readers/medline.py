"""MEDLINE tagged text (nbib), as PubMed, PMC and Ovid write it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Guess, Item, Reader
from pipeline.extract.tagged import TagFormat, tagged_items

_START = re.compile(r"^\ufeff?PMID ?- ?\d+|^\ufeff?PMC - PMC\d+", re.M)
_TAGS = re.compile(r"^[A-Z]{2,4} {0,2}- ", re.M)

STYLE = TagFormat(
    tag=re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}-(?: |$)"),
    abstracts=("AB", "OAB"),
    columns={
        "title": ("TI", "BTI", "TT"),
        "authors": ("FAU", "AU", "CN"),
        "venue": ("JT", "TA", "SO"),
        "year": ("DP", "DEP", "EDAT", "DA"),
        "doi": ("LID", "AID", "SO"),
        "licence": (),
        "keywords": ("OT", "MH"),
        "source_id": ("PMID", "UI", "PMC"),
    },
    starts=frozenset({"PMID", "PMC", "UI"}),
)


def _sniff(content: Content) -> Guess | None:
    if "PM" not in content.sample[:20000]:
        return None
    if not _START.search(content.sample[:20000]) or len(_TAGS.findall(content.sample)) < 3:
        return None
    return Guess(96, f"{len(_START.findall(content.sample))} records begin with PMID- or PMC -")


def _read(content: Content) -> Iterator[Item]:
    yield from tagged_items(content, STYLE)


READER = Reader("medline", _sniff, _read, ceiling=96)
