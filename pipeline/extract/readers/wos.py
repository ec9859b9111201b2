"""Web of Science tagged text (ISI export, `.ciw`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Guess, Item, Reader
from pipeline.extract.tagged import TagFormat, tagged_items

_PT = re.compile(r"^\ufeff?PT [A-Z]\w{0,20}[^\S\n]*$", re.M)
_FN = re.compile(r"^\ufeff?FN .{3,80}$", re.M)
_ER = re.compile(r"^ER[^\S\n]*$", re.M)

STYLE = TagFormat(
    tag=re.compile(r"([A-Z][A-Z0-9])(?: |$)"),
    abstracts=("AB",),
    columns={
        "title": ("TI",),
        "authors": ("AF", "AU", "BE"),
        "venue": ("SO", "JI", "J9", "CT"),
        "year": ("PY", "PD", "EA"),
        "doi": ("DI", "D2"),
        "arxiv_id": ("AR",),
        "source_url": ("UR", "DL"),
        "keywords": ("DE", "ID"),
        "source_id": ("UT", "AN", "PM"),
    },
    starts=frozenset({"PT"}),
    ends=frozenset({"ER", "EF"}),
)


def _sniff(content: Content) -> Guess | None:
    if "PT " not in content.sample:
        return None
    records = len(_PT.findall(content.sample))
    if not records or not (_ER.search(content.sample) or _FN.search(content.sample[:2000])):
        return None
    return Guess(94, f"{records} records begin with PT")


def _read(content: Content) -> Iterator[Item]:
    yield from tagged_items(content, STYLE)


READER = Reader("wos", _sniff, _read, ceiling=94)
