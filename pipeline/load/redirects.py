"""Redirects: what became of the ids of earlier releases.

An id that is gone leads to the abstract that the same occurrence (same place in a file with the same content, else
the same source id, DOI or arXiv id) belongs to now; failing that, to nothing. Redirects of the previous release are
carried over and follow their target on. An id that comes back loses its redirect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.load.across import id_array
from pipeline.load.parquet import read_groups, read_table, table_files
from pipeline.load.rights import Rights
from schemas.as_arrow import arrow_schema, empty
from schemas.strings import whole
from schemas.tables import REDIRECTS

#: What tells that two occurrences are the same, the surest first.
CLUES = (("source_sha256", "source_file", "ordinal"), ("source_file", "source_id"), ("doi",), ("arxiv_id",))


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of an id: the abstract it belongs to now (None: removed) and why."""

    abstract_id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Lineage:
    """Ids of two releases: `gone` and what became of them, `added`, and `split` (added id to the id it came out of)."""

    gone: Mapping[str, Fate]
    added: tuple[str, ...]
    split: Mapping[str, str]


def earlier_redirects(previous: Path | None) -> dict[str, str | None]:
    """Redirects of the previous release: old id to the id it led to."""
    if previous is None:
        return {}
    table = read_table(previous, "redirects", ["old_id", "abstract_id"])
    return dict(zip(table["old_id"].to_pylist(), table["abstract_id"].to_pylist(), strict=True))


def trace(folder: Path, previous: Path, rights: Rights | None = None) -> Lineage:
    """Compare the ids of the release in `folder` with those of the previous one."""
    old, new = (id_array(read_table(release, "abstracts", ["abstract_id"])["abstract_id"]) for release in (previous, folder))
    gone, added = _ids(np.setdiff1d(old, new)), _ids(np.setdiff1d(new, old))
    fresh = set(added.to_pylist())
    fates = {value: Fate(None, "removed") for value in gone.to_pylist()}
    for old_id, now in follow(gone, previous, folder).items():
        fates[old_id] = Fate(now, "changed" if now in fresh else "merged")
    for rule, ids in (rights.removed if rights else {}).items():
        fates |= {value: Fate(None, rule) for value in gone.filter(pc.is_in(gone, value_set=ids)).to_pylist()}
    before = follow(added, folder, previous, CLUES[:2])
    heirs = {fate.abstract_id for fate in fates.values()}
    split = {now: came for now, came in before.items() if now not in heirs}
    return Lineage(fates, tuple(added.to_pylist()), split)


def _ids(values: np.ndarray) -> pa.Array:
    return pa.array([value.decode() for value in values.tolist()], pa.string())


def follow(ids: pa.Array, here: Path, there: Path, clues: tuple[tuple[str, ...], ...] = CLUES) -> dict[str, str]:
    """For ids of the release `here` the id that the same occurrence has in the release `there`."""
    found: dict[str, str] = {}
    for columns in clues:
        left = ids.filter(pc.invert(pc.is_in(ids, value_set=pa.array(sorted(found), pa.string()))))
        if len(left) == 0:
            break
        own = _occurrences(here, columns, "abstract_id", left)
        other = dict(zip(*_occurrences(there, columns, "key", pc.unique(pa.array(own[0], pa.string()))), strict=True))
        for key, value in zip(*own, strict=True):
            if key in other:
                found.setdefault(value, other[key])
    return found


def _occurrences(release: Path, columns: tuple[str, ...], by: str, wanted: pa.Array) -> tuple[list[str], list[str]]:
    """Keys made of `columns` and ids of the occurrences whose id or key (`by`) is wanted."""
    keys, ids = [], []
    for group in read_groups(table_files(release, "sources"), ["abstract_id", *columns]):
        key = pc.binary_join_element_wise(*(pc.cast(whole(group[c]), pa.string()) for c in columns), "\0")
        rows = pa.table({"abstract_id": group["abstract_id"], "key": key}).filter(key.is_valid())
        rows = rows.filter(pc.is_in(rows[by], value_set=wanted))
        keys += rows["key"].to_pylist()
        ids += rows["abstract_id"].to_pylist()
    return keys, ids


def redirects(folder: Path, previous: Path | None, lineage: Lineage, release: str) -> pa.Table:
    """The table of redirects of the release in `folder`: earlier ones, brought up to date, and new ones."""
    if previous is None:
        return empty(REDIRECTS)
    rows = {row["old_id"]: row for row in read_table(previous, "redirects").to_pylist()}
    for row in rows.values():
        fate = lineage.gone.get(row["abstract_id"])
        if fate is not None:
            row["abstract_id"] = fate.abstract_id
            row["reason"] = row["reason"] if fate.abstract_id else fate.reason
    for old_id, fate in lineage.gone.items():
        rows[old_id] = {"old_id": old_id, "abstract_id": fate.abstract_id, "release": release, "reason": fate.reason}
    table = pa.Table.from_pylist([rows[key] for key in sorted(rows)], schema=arrow_schema(REDIRECTS))
    ids = read_table(folder, "abstracts", ["abstract_id"])["abstract_id"]
    return table.filter(pc.invert(pc.is_in(table["old_id"], value_set=whole(ids))))
