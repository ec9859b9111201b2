"""Hold a release against gold annotations: precision, recall and F1 per field, with intervals, misses and extras.

A gold file is JSON Lines; an `id` in it is `<source file name>#<ordinal>` and is looked up in the table `sources`.
Items marked `optional` are neither rewarded nor punished. Intervals are percentiles of a bootstrap over abstracts
(B. Efron, "Bootstrap methods: another look at the jackknife", 1979) with a fixed seed.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.errors import UsageError
from pipeline.score_matching import (
    Item,
    Judgement,
    Same,
    fold,
    judge,
    same_measure_name,
    same_name,
    same_result,
    same_url,
    same_url_and_kind,
    same_value,
)

RESAMPLES = 1000
_SEED = 20_260_101
_TABLES = ("methods", "datasets", "metrics", "urls")
_GOLD_KEYS = ("methods", "datasets", "results", "metric_names", "urls")

Found = Mapping[str, Sequence[Item]]
"""The rows of the tables methods, datasets, metrics and urls of one abstract."""


@dataclass(frozen=True, slots=True)
class _Field:
    """One line of the score: which annotated and which found items are compared, and how an item is shown."""

    name: str
    annotated: Callable[[Item], list[Item]]
    found: Callable[[Found], list[Item]]
    same: Same
    show: Callable[[Item], str]


def _name(item: Item) -> str:
    return str(item["name"])


def _proposed(items: Iterable[Item], *, with_optional: bool) -> list[Item]:
    return [item for item in items if item.get("role") == "proposed" or (with_optional and item.get("optional"))]


def _show_result(item: Item) -> str:
    value = (
        f"{item.get('baseline')}→{item.get('relation')}{item.get('value')}..{item.get('value_max')} {item.get('unit')}"
    )
    return f"{item.get('metric')} {value} on {item.get('dataset')} | {item.get('text') or item.get('evidence')}"


def _valued(items: Iterable[Item]) -> list[Item]:
    return [item for item in items if item.get("value") is not None]


def _annotated_measures(gold: Item) -> list[Item]:
    """Measures that the gold names; those of its results are optional."""
    required = {fold(name): name for name in gold["metric_names"]}
    in_results = {fold(row["metric"]): row["metric"] for row in gold["results"] if row.get("metric")}
    optional = [{"name": name, "optional": True} for key, name in in_results.items() if key not in required]
    return [{"name": name} for name in required.values()] + optional


def _found_measures(found: Found) -> list[Item]:
    rows = {fold(row["metric"]): row for row in found["metrics"] if row.get("metric")}
    return [{"name": row["metric"], "rule": row.get("rule")} for row in rows.values()]


FIELDS = (
    _Field("methods", lambda g: g["methods"], lambda p: list(p["methods"]), same_name, _name),
    _Field(
        "methods_proposed",
        lambda g: _proposed(g["methods"], with_optional=True),
        lambda p: _proposed(p["methods"], with_optional=False),
        same_name,
        _name,
    ),
    _Field("datasets", lambda g: g["datasets"], lambda p: list(p["datasets"]), same_name, _name),
    _Field(
        "datasets_proposed",
        lambda g: _proposed(g["datasets"], with_optional=True),
        lambda p: _proposed(p["datasets"], with_optional=False),
        same_name,
        _name,
    ),
    _Field("results_value", lambda g: _valued(g["results"]), lambda p: _valued(p["metrics"]), same_value, _show_result),
    _Field("results_full", lambda g: _valued(g["results"]), lambda p: _valued(p["metrics"]), same_result, _show_result),
    _Field("metric_names", _annotated_measures, _found_measures, same_measure_name, _name),
    _Field("urls", lambda g: g["urls"], lambda p: list(p["urls"]), same_url, lambda item: str(item["url"])),
    _Field(
        "url_kind",
        lambda g: g["urls"],
        lambda p: list(p["urls"]),
        same_url_and_kind,
        lambda item: f"{item['kind']} {item['url']}",
    ),
)


def score_release(release: Path, gold: Path, *, show: int = 0) -> dict[str, Any]:
    """Score the release in folder `release` against the file `gold`.

    Out: per field `P`, `R`, `F1`, `tp`, `fp`, `fn`, `interval` (of F1, 95%), and up to `show` `misses` and `extras`; under
    `records` how many annotated abstracts the release has; under `spans_wrong` how many spans do not give their name back.
    Raises `UsageError` where release or gold cannot be read.
    """
    annotated = read_gold(gold)
    found, wrong_spans = read_found(release, {row["id"] for row in annotated})
    result = score(annotated, found, show=show)
    return result | {"spans_wrong": len(wrong_spans), "wrong_spans": wrong_spans[:show]}


def score(annotated: Sequence[Item], found: Mapping[str, Found], *, show: int = 0) -> dict[str, Any]:
    """`score_release` for gold rows and found rows by gold id that are in memory."""
    there = [row["id"] in found for row in annotated]
    lost = [row["id"] for row in annotated if row["id"] not in found]
    result: dict[str, Any] = {"records": _row([(int(is_there), 0, int(not is_there)) for is_there in there])}
    result["records"] |= {"misses": lost[:show], "extras": []}
    for field in FIELDS:
        judged = _judged(field, annotated, found)
        row = _row([(len(j.right), len(j.wrong), len(j.missed)) for _, j in judged])
        misses = [f"{key}: {field.show(item)}" for key, j in judged for item in j.missed]
        extras = [f"{key}: {field.show(item)}" for key, j in judged for item in j.wrong]
        result[field.name] = row | {"misses": misses[:show], "extras": extras[:show]}
    return result


def score_rule_precision(release: Path, gold: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Precision of every rule over the gold: field -> rule -> `precision` and `seen`, from which `confidence` comes.

    Rows on optional items count neither way. Raises `UsageError` like `score_release`.
    """
    annotated = read_gold(gold)
    found, _ = read_found(release, {row["id"] for row in annotated})
    return rule_precision(annotated, found)


def rule_precision(annotated: Sequence[Item], found: Mapping[str, Found]) -> dict[str, dict[str, dict[str, float]]]:
    """`score_rule_precision` for rows that are in memory."""
    out: dict[str, dict[str, dict[str, float]]] = {}
    for field in FIELDS:
        right: dict[str, int] = defaultdict(int)
        seen: dict[str, int] = defaultdict(int)
        for _, judgement in _judged(field, annotated, found):
            for item in judgement.right:
                right[str(item.get("rule"))] += 1
            for item in (*judgement.right, *judgement.wrong):
                seen[str(item.get("rule"))] += 1
        out[field.name] = {rule: {"precision": right[rule] / seen[rule], "seen": seen[rule]} for rule in sorted(seen)}
    return out


def render(result: Mapping[str, Any]) -> str:
    """The score as lines for a console."""
    lines = [f"{'field':17} {'P':>6} {'R':>6} {'F1':>6}  {'95% interval':13} {'tp':>5} {'fp':>5} {'fn':>5}"]
    for name, row in result.items():
        if not isinstance(row, Mapping):
            continue
        low, high = row["interval"]
        shares = f"{row['P']:6.3f} {row['R']:6.3f} {row['F1']:6.3f}  {low:.3f} – {high:.3f}"
        lines.append(f"{name:17} {shares} {row['tp']:5} {row['fp']:5} {row['fn']:5}")
        lines += [f"    missed: {item}" for item in row["misses"]]
        lines += [f"    extra: {item}" for item in row["extras"]]
    lines.append(f"spans that do not give their name back: {result.get('spans_wrong', 0)}")
    lines += [f"    {item}" for item in result.get("wrong_spans", ())]
    missing = result["records"]["fn"]
    if missing:
        lines.append(
            f"{missing} annotated abstracts are not in this release: was it made from other files, or renamed ones?"
        )
    return "\n".join(lines)


def read_gold(gold: Path) -> list[Item]:
    """The rows of a gold file. Raises `UsageError` where it is none."""
    try:
        lines = gold.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The gold file {gold} cannot be read: {error}.", "Give a JSON Lines file of annotations."
        ) from error
    rows = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                row = json.loads(line)
                rows.append({"id": row["id"]} | {key: row[key] for key in _GOLD_KEYS})
            except (ValueError, KeyError, TypeError) as error:
                problem = f"lacks {error}" if isinstance(error, KeyError) else "is no JSON object"
                raise UsageError(
                    f"Line {number} of {gold} {problem}.", f"Every line needs id, {', '.join(_GOLD_KEYS)}."
                ) from error
    return rows


def read_found(release: Path, ids: set[str]) -> tuple[dict[str, dict[str, list[Item]]], list[str]]:
    """The rows of the annotated abstracts by gold id, and the spans among them that do not give their name back."""
    ordinals = sorted({int(number) for number in (key.rpartition("#")[2] for key in ids) if number.isdecimal()})
    sources = _read(release, "sources", ["source_file", "ordinal", "abstract_id"], ("ordinal", ordinals))
    wanted = {}
    for row in sources:
        key = f"{PurePosixPath(row['source_file']).name}#{row['ordinal']}"
        if key in ids:
            wanted[key] = row["abstract_id"]
    keep = ("abstract_id", sorted(set(wanted.values())))
    texts = {row["abstract_id"]: row["text"] for row in _read(release, "abstracts", ["abstract_id", "text"], keep)}
    rows: dict[str, dict[str, list[Item]]] = {table: defaultdict(list) for table in _TABLES}
    wrong = []
    for table in _TABLES:
        for row in _read(release, table, None, keep):
            rows[table][row["abstract_id"]].append(row)
            surface = texts[row["abstract_id"]][row["char_start"] : row["char_end"]]
            if not _gives_name(table, row, surface):
                name = row.get("name") or row.get("evidence") or row.get("url")
                wrong.append(f"{table} {row['abstract_id']} {name!r}: the span gives {surface!r}")
    return {key: {table: rows[table][name] for table in _TABLES} for key, name in wanted.items()}, wrong


def _read(release: Path, table: str, columns: list[str] | None, keep: tuple[str, list[Any]]) -> list[Item]:
    folder = release / "data" / table
    if not folder.is_dir():
        raise UsageError(
            f"{release} is no release: it has no table {table}.",
            "Name a folder in outputs/releases, or outputs/current.",
        )
    if not keep[1]:
        return []
    rows: list[Item] = pq.read_table(
        folder, columns=columns, filters=[(keep[0], "in", keep[1])], partitioning=None
    ).to_pylist()
    return rows


def _gives_name(table: str, row: Item, surface: str) -> bool:
    if not surface or table not in ("methods", "datasets"):
        return bool(surface)
    name, there = fold(row["name"]), fold(surface)
    return not row["name"] or name in there or there in fold(row.get("long_form"))


def _judged(field: _Field, annotated: Sequence[Item], found: Mapping[str, Found]) -> list[tuple[str, Judgement]]:
    nothing: Found = dict.fromkeys(_TABLES, ())
    return [
        (gold["id"], judge(field.annotated(gold), field.found(found.get(gold["id"], nothing)), field.same))
        for gold in annotated
    ]


def _row(counts: Sequence[tuple[int, int, int]]) -> dict[str, Any]:
    tp, fp, fn = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0)
    precision, recall = tp / (tp + fp) if tp + fp else 1.0, tp / (tp + fn) if tp + fn else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"P": precision, "R": recall, "F1": f1, "tp": tp, "fp": fp, "fn": fn, "interval": _interval(counts)}


def _interval(counts: Sequence[tuple[int, int, int]]) -> list[float]:
    """The 2.5th and 97.5th percentile of F1 when abstracts are drawn anew, with replacement."""
    if not counts:
        return [0.0, 1.0]
    tp, fp, fn = (_draws(len(counts)) @ np.array(counts, dtype=float)).T
    total = 2 * tp + fp + fn
    f1 = np.sort(np.divide(2 * tp, total, out=np.ones_like(total), where=total > 0))
    return [float(f1[int(RESAMPLES * 0.025)]), float(f1[int(RESAMPLES * 0.975) - 1])]


@cache
def _draws(size: int) -> NDArray[np.float64]:
    """How often each of `size` abstracts is drawn in each resample."""
    draw = random.Random(_SEED)
    rows = [np.bincount(draw.choices(range(size), k=size), minlength=size) for _ in range(RESAMPLES)]
    return np.array(rows, dtype=np.float64)
