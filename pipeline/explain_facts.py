"""All that a release knows about one abstract: its rows, mentions, occurrences, and how these differ in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet as pq

from pipeline.clean import clean_text
from pipeline.errors import UsageError

Row = dict[str, Any]
Change = tuple[Literal["same", "gone", "new", "gap"], str]

ROW_TABLES = ("methods", "datasets", "metrics", "urls")
HEADINGS = {"methods": "Methods", "datasets": "Datasets", "metrics": "Results and measures", "urls": "URLs"}
KIND_OF_TABLE = {"methods": "method", "datasets": "dataset", "metrics": "metric", "urls": "url"}
_ID = re.compile(r"[0-9a-f]{1,20}")
_LONGEST_COMPARED = 5_000
"""Words. Comparing takes the product of both lengths; an abstract has some 200."""
_CONTEXT = 4
_OFFERED = 10


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One row of `sources`, and its words against the kept text: None where the texts are equal or cannot be compared."""

    row: Row
    changes: list[Change] | None
    note: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What a release says about one abstract."""

    abstract: Row
    rows: dict[str, list[Row]]
    mentions: list[Row]
    occurrences: list[Occurrence]
    variants: list[Row]


def read_facts(release: Path, abstract_id: str) -> Facts:
    """The facts of the abstract whose id is, or starts with, `abstract_id`.

    Raises `UsageError` if `release` is no release, or if no abstract or several match.
    """
    abstract = _find(release, abstract_id.strip().lower())
    key = abstract["abstract_id"]
    mine = [("abstract_id", "=", key)]
    sources = _read(release, "sources", mine)
    order = {"kept": 0, "exact": 1, "normalised": 2, "version": 3, "near": 4}
    sources.sort(key=lambda row: (order.get(row["relation"], 9), row["source_file"], row["ordinal"]))
    variants = _read(release, "variants", mine) + [
        row | {"other_id": row["abstract_id"]} for row in _read(release, "variants", [("other_id", "=", key)])
    ]
    return Facts(
        abstract=abstract,
        rows={table: _read(release, table, mine) for table in ROW_TABLES},
        mentions=_read(release, "mentions", mine),
        occurrences=[_occurrence(row, abstract["text"]) for row in sources],
        variants=variants,
    )


def compare_words(kept: str, other: str) -> list[Change] | None:
    """What `other` has instead of `kept`, word by word with a few words around each change; None if both are too long."""
    a, b = kept.split(), other.split()
    if len(a) > _LONGEST_COMPARED or len(b) > _LONGEST_COMPARED:
        return None
    changes: list[Change] = []
    end = 0
    for group in SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(_CONTEXT):
        if group[0][1] > end:
            changes.append(("gap", "…"))
        for operation, a1, a2, b1, b2 in group:
            if operation == "equal":
                changes.append(("same", " ".join(a[a1:a2])))
                continue
            changes += [("gone", " ".join(a[a1:a2]))] if a2 > a1 else []
            changes += [("new", " ".join(b[b1:b2]))] if b2 > b1 else []
        end = group[-1][2]
    return [*changes, ("gap", "…")] if changes and end < len(a) else changes


def marked_spans(mentions: Sequence[Row]) -> list[tuple[int, int, str, str]]:
    """Mentions as (start, end, kind, name) in order; of those that overlap the first and longest."""
    spans = sorted(
        (row["char_start"], -row["char_end"], row["kind"], row["name"])
        for row in mentions
        if row["char_end"] > row["char_start"]
    )
    chosen: list[tuple[int, int, str, str]] = []
    for start, minus_end, kind, name in spans:
        if not chosen or start >= chosen[-1][1]:
            chosen.append((start, -minus_end, kind, name))
    return chosen


def _occurrence(row: Row, kept: str) -> Occurrence:
    raw = row["raw_text"]
    if row["relation"] == "kept":
        return Occurrence(row, None, "")
    if raw is None:
        return Occurrence(row, None, "the same raw text")
    other = clean_text(raw).text
    if other == kept:
        return Occurrence(row, None, "differs in mark-up only")
    changes = compare_words(kept, other)
    if changes is None:
        return Occurrence(row, None, f"too long to compare word by word (over {_LONGEST_COMPARED} words)")
    return Occurrence(row, changes, "" if changes else "differs in spacing only")


def _find(release: Path, prefix: str) -> Row:
    if not _ID.fullmatch(prefix):
        raise UsageError(
            f"{prefix!r} is no abstract id.", "Give an abstract_id: 20 hex digits, or the first few of them."
        )
    # "g" sorts right behind the hex digits, so these bounds hold all ids with the prefix.
    ids = _read(
        release, "abstracts", [("abstract_id", ">=", prefix), ("abstract_id", "<", f"{prefix}g")], ["abstract_id"]
    )
    if len(ids) > 1:
        some = ", ".join(row["abstract_id"] for row in ids[:_OFFERED])
        more = f" and {len(ids) - _OFFERED} more" if len(ids) > _OFFERED else ""
        raise UsageError(f"{len(ids)} abstracts start with {prefix}: {some}{more}.", "Give more digits.")
    if not ids:
        raise _unknown(release, prefix)
    return _read(release, "abstracts", [("abstract_id", "=", ids[0]["abstract_id"])])[0]


def _unknown(release: Path, prefix: str) -> UsageError:
    moved = _read(release, "redirects", [("old_id", ">=", prefix), ("old_id", "<", f"{prefix}g")])
    if len(moved) == 1 and moved[0]["abstract_id"]:
        target = moved[0]["abstract_id"]
        return UsageError(
            f"{moved[0]['old_id']} is now part of {target} ({moved[0]['reason']}).", f"abstracts explain {target}"
        )
    if len(moved) == 1:
        return UsageError(
            f"{moved[0]['old_id']} was removed ({moved[0]['reason']}).",
            "See CHANGES.md of the release that removed it.",
        )
    return UsageError(
        f"No abstract of {release.name} starts with {prefix}.",
        "Look it up in the column abstract_id of data/abstracts or csv/abstracts.csv.",
    )


def _read(release: Path, table: str, keep: list[tuple[str, str, str]], columns: list[str] | None = None) -> list[Row]:
    folder = release / "data" / table
    if not folder.is_dir():
        raise UsageError(
            f"{release} is no release: it has no table {table}.",
            "Name a folder in outputs/releases, or outputs/current.",
        )
    rows: list[Row] = pq.read_table(folder, columns=columns, filters=keep, partitioning=None).to_pylist()
    return rows
