"""RIS (Research Information Systems) as reference managers write it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Guess, Item, Reader
from pipeline.extract.tagged import TagFormat, tagged_items

_TYPE = re.compile(r"^\ufeff?TY {1,2}- ?", re.M)

STYLE = TagFormat(
    tag=re.compile(r"\s{0,2}([A-Z][A-Z0-9]) {1,2}-(?: |$)"),
    abstracts=("AB", "N2"),
    long_notes=("N1",),
    columns={
        "title": ("TI", "T1", "CT", "ST"),
        "authors": ("AU", "A1", "A2", "ED"),
        "venue": ("JO", "JF", "T2", "JA", "J1", "J2", "BT", "T3"),
        "year": ("PY", "Y1", "DA", "YR"),
        "doi": ("DO", "DI", "M3", "N1", "UR"),
        "arxiv_id": (),
        "source_url": ("UR", "L2", "LK", "L1"),
        "licence": (),
        "keywords": ("KW",),
        "source_id": ("AN", "ID"),
    },
    starts=frozenset({"TY"}),
    ends=frozenset({"ER"}),
)


def _sniff(content: Content) -> Guess | None:
    if "TY " not in content.sample[:20000]:
        return None
    count = len(_TYPE.findall(content.sample))
    return Guess(95, f"{count} records begin with TY  -") if count and _TYPE.search(content.sample[:20000]) else None


def _read(content: Content) -> Iterator[Item]:
    yield from tagged_items(content, STYLE)


READER = Reader("ris", _sniff, _read, ceiling=95)
