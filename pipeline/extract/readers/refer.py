"""Refer / EndNote export (`%T title`, `%X abstract`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Guess, Item, Reader
from pipeline.extract.tagged import TagFormat, tagged_items

_FIRST = re.compile(r"\s*%[0ATBJ] \S")
_TAGS = re.compile(r"^%[0A-Z@!] ", re.M)

STYLE = TagFormat(
    tag=re.compile(r"%([0-9A-Z@!~&*()+<>\[=F])(?: |$)"),
    abstracts=("X",),
    columns={
        "title": ("T",),
        "authors": ("A", "E"),
        "venue": ("J", "B", "S"),
        "year": ("D", "8"),
        "doi": ("R", "U"),
        "source_url": ("U",),
        "keywords": ("K",),
        "source_id": ("M", "F", "L"),
    },
    starts=frozenset({"0", "T"}),
)


def _sniff(content: Content) -> Guess | None:
    if _FIRST.match(content.sample.lstrip("\ufeff")) is None:
        return None
    count = len(_TAGS.findall(content.sample))
    return Guess(90, f"{count} lines begin with a Refer tag") if count >= 3 else None


def _read(content: Content) -> Iterator[Item]:
    yield from tagged_items(content, STYLE)


READER = Reader("refer", _sniff, _read, ceiling=90)
