"""Figures of report.html that need the rows: top names, distributions, reasons, files. Table level, memory bounded.

Counts that were taken while the release was written come from `ReleaseFacts.figures`; only what is not in there is
read here, a few columns at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.load.context import ReleaseFacts
from pipeline.load.parquet import read_table, table_files
from schemas.strings import whole

#: Rows of a list of top names, and of the table of distributions.
TOP, TOP_DISTRIBUTIONS = 15, 12
#: So many different messages of a rule of quarantine are reasons of their own.
MESSAGES = 6
#: Examples per reason of quarantine.
EXAMPLES = 3
#: Bars of a histogram.
BINS = 25
#: Values that span more than this factor are binned by their logarithm.
_LOG_FACTOR = 1_000


@dataclass(frozen=True, slots=True)
class NameCount:
    """A name with the number of abstracts (or rows) in which it plays the first part, and the other."""

    name: str
    first: int
    second: int = 0


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts per bin between `low` and `high`; bins are equal on a logarithmic scale where `log` is set."""

    low: float
    high: float
    log: bool
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """Values of one measure in one unit."""

    measure: str
    unit: str
    kind: str
    count: int
    minimum: float
    median: float
    maximum: float
    histogram: Histogram


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is in quarantine: rows by kind, and the first few of them as (file, ordinal, message, text)."""

    stage: str
    rule: str
    records: int
    files: int
    examples: tuple[tuple[str, int | None, str, str | None], ...]


@dataclass(frozen=True, slots=True)
class ReportFigures:
    """All figures of the report that need the rows."""

    methods: tuple[NameCount, ...]
    datasets: tuple[NameCount, ...]
    measures: tuple[NameCount, ...]
    hosts: tuple[NameCount, ...]
    venues: tuple[NameCount, ...]
    distributions: tuple[Distribution, ...]
    words: Histogram | None
    reasons: tuple[Reason, ...]
    outcomes: Mapping[str, Mapping[str, int]]
    distinct: Mapping[str, int]


def gather_figures(facts: ReleaseFacts) -> ReportFigures:
    """Read the figures from the data files of a release."""
    folder = facts.folder
    methods, datasets = (read_table(folder, name, ["name", "role"]) for name in ("methods", "datasets"))
    metrics = read_table(folder, "metrics", ["metric_canonical", "value", "unit", "value_kind"])
    measures = pa.table({"name": metrics["metric_canonical"], "role": pc.if_else(metrics["value"].is_valid(), "valued", "named")})
    hosts = read_table(folder, "urls", ["host"])
    abstracts = read_table(folder, "abstracts", ["venue", "n_words"])
    return ReportFigures(
        methods=top_names(methods, "proposed"),
        datasets=top_names(datasets, "proposed"),
        measures=top_names(measures, "valued"),
        hosts=_top_values(hosts["host"]),
        venues=_top_values(abstracts["venue"]),
        distributions=tuple(distributions(metrics)),
        words=histogram(np.asarray(whole(abstracts["n_words"]), dtype=np.float64)),
        reasons=tuple(_reasons(folder)),
        outcomes=_outcomes(folder),
        distinct={
            "methods": pc.count_distinct(methods["name"]).as_py(),
            "datasets": pc.count_distinct(datasets["name"]).as_py(),
            "measures": pc.count_distinct(metrics["metric_canonical"]).as_py(),
            "hosts": pc.count_distinct(hosts["host"]).as_py(),
        },
    )


def top_names(rows: pa.Table, first: str, limit: int = TOP) -> tuple[NameCount, ...]:
    """The most frequent values of `name`, split by whether `role` is `first`; ties in order of the names."""
    rows = rows.filter(rows["name"].is_valid())
    data = pa.table({"name": rows["name"], "first": pc.equal(rows["role"], first).cast("int64"), "all": pa.repeat(1, rows.num_rows)})
    sums = data.group_by("name").aggregate([("first", "sum"), ("all", "sum")])
    order = pc.select_k_unstable(sums, min(limit, sums.num_rows), [("all_sum", "descending"), ("name", "ascending")]) if sums.num_rows else []
    top = sums.take(order).to_pylist() if sums.num_rows else []
    return tuple(NameCount(row["name"], row["first_sum"], row["all_sum"] - row["first_sum"]) for row in top)


def _top_values(column: pa.ChunkedArray) -> tuple[NameCount, ...]:
    return top_names(pa.table({"name": column, "role": pa.repeat("", len(column))}), "")


def distributions(metrics: pa.Table) -> Sequence[Distribution]:
    """Distributions of the measures (by canonical name, unit and kind of value) with most values."""
    valued = metrics.filter(pc.and_(metrics["value"].is_valid(), metrics["metric_canonical"].is_valid()))
    if not valued.num_rows:
        return []
    names = [pc.fill_null(valued[column], "") for column in ("metric_canonical", "unit", "value_kind")]
    keys = pc.binary_join_element_wise(*names, "\x1f")
    counts = top_names(pa.table({"name": keys, "role": pa.repeat("", len(keys))}), "", TOP_DISTRIBUTIONS)
    found = []
    for entry in counts:
        values = np.sort(np.asarray(whole(valued["value"].filter(pc.equal(keys, entry.name))), dtype=np.float64))
        values = values[np.isfinite(values)]
        binned = histogram(values, percent="\x1f%\x1flevel" in entry.name)
        if binned is not None:
            measure, unit, kind = entry.name.split("\x1f")
            numbers = float(values[0]), float(np.median(values)), float(values[-1])
            found.append(Distribution(measure, unit, kind, len(values), *numbers, binned))
    return found


def histogram(values: np.ndarray, *, percent: bool = False) -> Histogram | None:
    """Counts in equal bins; `percent` fixes the scale to 0–100 where the values allow it. None without values."""
    if not values.size:
        return None
    low, high = float(values.min()), float(values.max())
    if percent and low >= 0 and high <= 100:
        low, high = 0.0, 100.0
    log = low > 0 and high / low > _LOG_FACTOR
    if low == high:
        return Histogram(low, high, False, (*[0] * (BINS // 2), len(values), *[0] * (BINS // 2)))
    scaled, edges = (np.log10(values), np.log10([low, high])) if log else (values, np.array([low, high]))
    place = np.clip(((scaled - edges[0]) / (edges[1] - edges[0]) * BINS).astype(np.int64), 0, BINS - 1)
    return Histogram(low, high, log, tuple(np.bincount(place, minlength=BINS).tolist()))


def _outcomes(folder: Path) -> dict[str, dict[str, int]]:
    """What became of the records of each input file: rows by relation, quarantined ones under `quarantined`."""
    counts: dict[str, Counter[str]] = {}
    sources = read_table(folder, "sources", ["source_file", "relation"])
    quarantine = read_table(folder, "quarantine", ["source_file", "ordinal"])
    quarantine = quarantine.filter(quarantine["ordinal"].is_valid())
    aside = pa.table({"source_file": quarantine["source_file"], "relation": pa.repeat("quarantined", quarantine.num_rows)})
    for rows in (sources, aside):
        for row in rows.group_by(["source_file", "relation"]).aggregate([([], "count_all")]).to_pylist():
            counts.setdefault(row["source_file"].split("!")[0], Counter())[row["relation"]] += row["count_all"]
    return {path: dict(sorted(counts[path].items())) for path in sorted(counts)}


def _reasons(folder: Path) -> Sequence[Reason]:
    """Reasons of quarantine, the most frequent first. A rule whose rows have a few messages only gives a reason for each of
    them: what to do about a picture is not what to do about a PDF."""
    rows = read_table(folder, "quarantine", ["source_file", "ordinal", "stage", "rule", "message"])
    keys = list(zip(rows["stage"].to_pylist(), rows["rule"].to_pylist(), rows["message"].to_pylist(), strict=True))
    messages = Counter(key[:2] for key in set(keys))
    places: dict[tuple[str, str, str], list[int]] = {}
    numbers: Counter[tuple[tuple[str, str, str], bool]] = Counter()
    for place, ((stage, rule, message), record) in enumerate(zip(keys, rows["ordinal"].is_valid().to_pylist(), strict=True)):
        key = stage, rule, message if messages[stage, rule] <= MESSAGES else ""
        numbers[key, record] += 1
        if len(examples := places.setdefault(key, [])) < EXAMPLES:
            examples.append(place)
    texts = _texts_at(table_files(folder, "quarantine"), sorted(place for found in places.values() for place in found))
    found = []
    for key, own in places.items():
        picked: list[dict[str, Any]] = rows.take(own).to_pylist()
        shown = tuple((row["source_file"], row["ordinal"], row["message"], texts[at]) for row, at in zip(picked, own, strict=True))
        found.append(Reason(*key[:2], numbers[key, True], numbers[key, False], shown))
    return sorted(found, key=lambda reason: (-reason.records - reason.files, reason.stage, reason.rule, reason.examples[0][2]))


def _texts_at(paths: Sequence[Path], places: Sequence[int]) -> dict[int, str | None]:
    """`raw_text` of the rows of quarantine at some places; a text may have 64 KiB, so few are held at a time."""
    texts: dict[int, str | None] = {}
    first = 0
    for path in paths:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=256, columns=["raw_text"]) if places else ():
                texts |= {place: batch["raw_text"][place - first].as_py() for place in places if first <= place < first + len(batch)}
                first += len(batch)
                if first > places[-1]:
                    return texts
    return texts
