"""The enrich stage: a table of abstracts in, the tables of what they name and report out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from pipeline.enrich.text import enrich_text
from pipeline.model import Enrichment, Metric, Name, Span, Url
from pipeline.offsets import OffsetMap, Segment
from schemas import tables
from schemas.as_arrow import arrow_schema
from schemas.as_pandera import check

#: The child tables, in the order in which they are filled.
CHILDREN = (tables.METHODS, tables.DATASETS, tables.METRICS, tables.URLS, tables.MENTIONS)
_LISTS = pa.schema(
    [("abstract_id", pa.string())] + [(n, pa.list_(pa.string())) for n in ("methods", "datasets", "metrics", "urls")]
)


@dataclass
class _Rows:
    """Rows of the child tables, collected as tuples in the order of each table's columns after abstract_id."""

    methods: list[tuple[object, ...]] = field(default_factory=list)
    datasets: list[tuple[object, ...]] = field(default_factory=list)
    metrics: list[tuple[object, ...]] = field(default_factory=list)
    urls: list[tuple[object, ...]] = field(default_factory=list)
    mentions: list[tuple[object, ...]] = field(default_factory=list)
    lists: list[tuple[object, ...]] = field(default_factory=list)


def enrich_table(abstracts: pa.Table) -> dict[str, pa.Table]:
    """Enrich every abstract of a table.

    In: columns abstract_id, text, map, wraps (offset map as in the work table `cleaned`).
    Out: the tables methods, datasets, metrics, urls and mentions, each checked and sorted by its order, and
    `lists` (abstract_id and the distinct names per table in order of first mention), sorted by abstract_id.
    """
    rows = _Rows()
    columns = (abstracts[name].to_pylist() for name in ("abstract_id", "text", "map", "wraps"))
    for abstract_id, text, segments, wraps in sorted(zip(*columns, strict=True), key=lambda row: row[0]):
        to_raw = OffsetMap(quads(segments), quads(wraps)).raw_span
        _collect(rows, abstract_id, enrich_text(text), to_raw)
    out = {table.name: _table(getattr(rows, table.name), arrow_schema(table)) for table in CHILDREN}
    for table in CHILDREN:
        check(out[table.name], table)
    return out | {"lists": _table(rows.lists, _LISTS)}


def quads(flat: Sequence[int]) -> tuple[Segment, ...]:
    """Segments out of the flat list that a table holds."""
    numbers = iter(flat)
    return tuple(zip(numbers, numbers, numbers, numbers, strict=True))


def _table(rows: list[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    columns: Iterable[Sequence[object]] = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pa.Table.from_arrays(
        [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema
    )


def _collect(rows: _Rows, key: str, found: Enrichment, to_raw: Callable[[int, int], Span]) -> None:
    mentions: list[tuple[object, ...]] = []

    def place(kind: str, name: str, spans: Sequence[Span]) -> tuple[int, int, int, int]:
        mentions.extend((key, kind, name, *span, *to_raw(*span)) for span in spans)
        return (*spans[0], *to_raw(*spans[0]))

    def put(kind: str, items: Sequence[Name]) -> Iterator[tuple[object, ...]]:
        for m in items:
            where = place(kind, m.name, m.spans)
            yield key, m.name, m.long_form, m.role, len(m.spans), *where, m.rule, m.confidence

    rows.methods += sorted(put("method", found.methods), key=_by_span(5))
    rows.datasets += sorted(put("dataset", found.datasets), key=_by_span(5))
    rows.metrics += sorted((_metric(key, m, place) for m in found.metrics), key=_metric_order)
    rows.urls += sorted((_url(key, u, place) for u in found.urls), key=_by_span(6))
    rows.mentions += sorted(mentions, key=lambda row: (row[3], row[4], row[1], row[2]))
    rows.lists.append((key, *_name_lists(found)))


def _by_span(index: int) -> Callable[[tuple[object, ...]], tuple[object, ...]]:
    return lambda row: (row[index], row[index + 1], row[1])


def _metric_order(row: tuple[object, ...]) -> tuple[object, ...]:
    """Nulls last, as Arrow sorts them."""
    metric, value = row[1], row[3]
    return row[13], row[14], metric is None, metric or "", value is None, value or 0.0


Place = Callable[[str, str, Sequence[Span]], tuple[int, int, int, int]]


def _metric(key: str, m: Metric, place: Place) -> tuple[object, ...]:
    where = place("metric", m.metric or m.evidence, m.spans)
    return (
        key, m.metric, m.metric_canonical, m.value, m.value_max, m.baseline, m.unit, m.relation, m.value_kind,
        m.uncertainty, m.dataset, m.subject, m.evidence, *where, m.rule, m.confidence,
    )  # fmt: skip


def _url(key: str, u: Url, place: Place) -> tuple[object, ...]:
    return key, u.url, u.kind, u.host, u.repository, u.identifier, *place("url", u.url, u.spans), u.rule, u.confidence


def _name_lists(found: Enrichment) -> tuple[list[str], ...]:
    """Distinct names in order of first mention, as the rows of the child tables are sorted."""
    return (
        _distinct((m.spans[0], m.name) for m in found.methods),
        _distinct((m.spans[0], m.name) for m in found.datasets),
        _distinct((m.spans[0], m.metric) for m in found.metrics if m.metric is not None),
        _distinct((u.spans[0], u.url) for u in found.urls),
    )


def _distinct(named: Iterable[tuple[Span, str]]) -> list[str]:
    return list(dict.fromkeys(name for _, name in sorted(named)))
