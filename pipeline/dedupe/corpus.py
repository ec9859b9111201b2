"""The records of a dedupe run as arrays, and the way to their texts: what grouping needs to know, wherever they lie."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.dedupe.evidence import Evidence, Identity, hash_identifier
from pipeline.dedupe.keys import normalised_key

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

_GLOBAL_DIGITS = 6
_TELLING_TITLE = 12

RECORD = np.dtype(
    [
        ("key", "<u8"),
        ("key_rest", "<u8"),
        ("arxiv", "<i8"),
        ("doi", "<i8"),
        ("registry", "<i8"),
        ("source", "<i8"),
        ("title", "<i8"),
        ("version", "<i4"),
        ("size", "<i4"),
        ("metadata", "<u2"),
        ("damage", "u1"),
    ]
)
"""One record: hash of the key in two halves, hashes of its identifiers and of its
title (0: none; a source id below 0 is one that every file may have), its arXiv version, length of its text in words,
bits of the metadata that it has, and how damaged its text is."""


def identity_columns(identity: Identity) -> tuple[int, int, int]:
    """Hashes of the arXiv id, the DOI and the DOI's registry; 0 where there is none."""
    arxiv = doi = registry = 0
    for name, identifier in identity.ids:
        if name == "arxiv":
            arxiv = hash_identifier("arxiv", identifier)
        else:
            doi, registry = hash_identifier("doi", identifier), hash_identifier("registry", name)
    return arxiv, doi, registry


def hash_source(form: str | None, source_id: str | None) -> int:
    """Hash of a source's own id, 0 where there is none; below 0 for a number of a few digits, as rows are counted by."""
    if not source_id:
        return 0
    number = hash_identifier(f"source {form}", source_id)
    return -number if source_id.isdecimal() and len(source_id) < _GLOBAL_DIGITS else number


def hash_title(title: object) -> int:
    """Hash of the normalised title, 0 where there is none or it is too short to tell papers apart (`Editorial`)."""
    key = normalised_key(title) if isinstance(title, str) and title.strip() else ""
    return hash_identifier("title", key) if len(key) >= _TELLING_TITLE else 0


@dataclass(frozen=True, slots=True)
class Described:
    """A record's text and what its metadata say."""

    text: str
    evidence: Evidence


class Corpus(ABC):
    """All usable records, numbered by place: their order by source file and ordinal (or by id)."""

    records: NDArray[Any]

    @abstractmethod
    def read_bins(self, places: I64, start: int, end: int) -> NDArray[np.uint32]:
        """Bins `start:end` of the sketches of `places`, as an array of shape (end - start, len(places))."""

    @abstractmethod
    def prepare(self, places: I64) -> None:
        """Make the records at `places` (sorted) ready for `describe`."""

    @abstractmethod
    def describe(self, places: Sequence[int]) -> list[Described]:
        """Text and evidence of prepared records."""
