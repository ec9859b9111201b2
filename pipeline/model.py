"""The small values that cross boundaries between stages: records, mentions, quarantine rows.

Standard library only, so that value modules and readers can be imported without pandas, pyarrow or Prefect.
Column meanings are defined once, in `schemas/fields.py`; the names here are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pipeline.offsets import OffsetMap

Role = Literal["proposed", "mentioned"]
UrlKind = Literal["code", "data", "model", "demo", "project", "paper", "other"]
Relation = Literal["=", ">=", "<=", "~"]
ValueKind = Literal["level", "change", "ratio", "count"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One abstract as it stands in a source file, decoded but otherwise untouched."""

    source_file: str
    ordinal: int
    raw_text: str
    format: str
    encoding: str
    source_id: str | None = None
    byte_start: int | None = None
    byte_end: int | None = None
    title: str | None = None
    venue: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    arxiv_version: int | None = None
    source_url: str | None = None
    licence: str | None = None
    year: int | None = None
    authors: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuarantineRow:
    """A file (ordinal null) or record that cannot be used: where, which rule, and what a person should do."""

    source_file: str
    stage: str
    rule: str
    message: str
    ordinal: int | None = None
    byte_start: int | None = None
    byte_end: int | None = None
    raw_text: str | None = None


@dataclass(slots=True)
class FileSummary:
    """What reading one input file gave: one entry of `inputs` in the manifest."""

    path: str
    sha256: str
    bytes: int
    format: str
    encoding: str
    records: int = 0
    skipped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CleanText:
    """A cleaned text: plain text, warning flags, the way back to the raw text, and what was dropped by reason."""

    text: str
    flags: tuple[str, ...]
    map: OffsetMap
    losses: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Name:
    """A method or dataset that a text names. `spans`: every mention in order, at least one; the first is the row's span."""

    name: str
    long_form: str | None
    role: Role
    spans: tuple[Span, ...]
    rule: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Metric:
    """A reported result, or (value null) a measure named without a number. `spans[0]` gives `evidence`."""

    metric: str | None
    evidence: str
    spans: tuple[Span, ...]
    rule: str
    confidence: float
    metric_canonical: str | None = None
    value: float | None = None
    value_max: float | None = None
    baseline: float | None = None
    unit: str | None = None
    relation: Relation | None = None
    value_kind: ValueKind | None = None
    uncertainty: float | None = None
    dataset: str | None = None
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Url:
    """A URL, DOI or arXiv identifier as an absolute URL. `spans`: every mention in order."""

    url: str
    kind: UrlKind
    host: str
    spans: tuple[Span, ...]
    rule: str
    confidence: float
    repository: str | None = None
    identifier: str | None = None


@dataclass(frozen=True, slots=True)
class Enrichment:
    """Everything that one text names and reports, each list in order of first mention."""

    methods: tuple[Name, ...]
    datasets: tuple[Name, ...]
    metrics: tuple[Metric, ...]
    urls: tuple[Url, ...]
