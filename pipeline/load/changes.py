"""What changed between two releases, as a value: `changes.json`. `changes_text` makes it CHANGES.md and `abstracts diff`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.load.changes_text import KINDS, SHOWN, render_changes
from pipeline.load.context import Moved
from pipeline.load.files import groups
from pipeline.load.parquet import read_table, table_files
from pipeline.load.parts import map_part, merge
from pipeline.load.redirects import Lineage, trace
from schemas.checks import BY_ABSTRACT
from schemas.strings import whole
from schemas.tables import TABLES

#: Kinds whose ids are those of the earlier release.
_GONE = ("removed", "merged", "redirected")
#: So much of a title, or of a text without one, is shown beside an id.
_NAME = 80


def first_changes(rows: Mapping[str, int]) -> dict[str, Any]:
    """changes.json of a release that has no previous one."""
    return {"previous": None, "rows": {name: [None, number] for name, number in rows.items()}, **{kind: [] for kind in KINDS}, "names": {}}


def compare(folder: Path, previous: Path, lineage: Lineage, names: tuple[str, str], moved: Moved | None = None) -> dict[str, Any]:
    """changes.json: ids that were added, changed (with the columns), removed, merged, split and redirected.

    `names` are the versions, the previous one first. In the value, `names` are titles, or beginnings of texts, of the ids
    that CHANGES.md shows. A row in a child table counts as a change of its abstract.
    With `moved` (see ReleaseContext) only rows of parts that differ are compared.
    """
    gone = sorted(lineage.gone.items())
    changes: dict[str, Any] = {
        "previous": names[0],
        "release": names[1],
        "rows": {table: [_rows(previous, table), _rows(folder, table)] for table in _tables(folder)},
        "added": [i for i in lineage.added if i not in lineage.split and i not in {fate.abstract_id for _, fate in gone}],
        "changed": list(_changed(folder, previous) if moved is None else _changed_in_parts(moved, folder, previous, lineage)),
        "removed": [{"abstract_id": old, "reason": fate.reason} for old, fate in gone if fate.abstract_id is None],
        "merged": [{"abstract_id": old, "into": fate.abstract_id} for old, fate in gone if fate.reason == "merged"],
        "split": [{"abstract_id": new, "from": old} for new, old in sorted(lineage.split.items())],
        "redirected": [{"abstract_id": old, "to": fate.abstract_id} for old, fate in gone if fate.reason == "changed"],
    }
    return changes | {"names": {**_names(folder, changes, [kind for kind in KINDS if kind not in _GONE]), **_names(previous, changes, _GONE)}}


def _names(folder: Path, changes: Mapping[str, Any], kinds: Sequence[str]) -> dict[str, str]:
    """What the first abstracts of some kinds of change are called in a release."""
    shown = [entry for kind in kinds for entry in changes[kind][:SHOWN]]
    ids = sorted({entry if isinstance(entry, str) else entry["abstract_id"] for entry in shown})
    if not ids:
        return {}
    rows = pq.read_table(table_files(folder, "abstracts"), columns=["abstract_id", "title", "text"], filters=pc.field("abstract_id").isin(ids))
    called = {row["abstract_id"]: " ".join((row["title"] or row["text"]).split()) for row in rows.to_pylist()}
    return {key: name if len(name) <= _NAME else f"{name[:_NAME].rstrip()} …" for key, name in sorted(called.items())}


def diff_releases(before: Path, after: Path) -> tuple[str, dict[str, Any]]:
    """What changed from one release folder to another, as text to read and as a value."""
    names = (before.resolve().name, after.resolve().name)
    changes = compare(after, before, trace(after, before), names)
    return render_changes(changes), changes


def _tables(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "data").iterdir())


def _rows(folder: Path, table: str) -> int:
    return sum(pq.read_metadata(path).num_rows for path in table_files(folder, table))


def _changed(folder: Path, previous: Path) -> Iterator[dict[str, Any]]:
    """Abstracts that both releases have and whose rows differ, with the columns and child tables that do."""
    names = [table.name for table in BY_ABSTRACT]
    old = _Reader(previous, names)
    for new in groups({name: table_files(folder, name) for name in names}):
        last = new["abstracts"]["abstract_id"][-1].as_py() if new["abstracts"].num_rows else ""
        yield from _changed_in_group(old.until(last), new)


def _changed_in_parts(moved: Moved, folder: Path, previous: Path, lineage: Lineage) -> Iterator[dict[str, Any]]:
    """The same out of the parts that only one of the two releases has. Variants are few, and of no part: all are compared."""
    old, new = ({name: merge([map_part(path) for path in sides[side]], TABLES[name]) for name, sides in moved.items()} for side in (0, 1))
    columns = {entry["abstract_id"]: entry["columns"] for entry in _changed_in_group(old, new)}
    before, after = (read_table(release, "variants") for release in (previous, folder))
    ids = pc.unique(pa.concat_arrays([whole(data["abstract_id"]) for data in (before, after)]))
    ids = ids.filter(pc.invert(pc.is_in(ids, value_set=pa.array([*lineage.added, *lineage.gone], pa.string()))))
    for row in _rows_differ(before, after, ids):
        columns.setdefault(ids[row].as_py(), []).append("variants.*")
    yield from ({"abstract_id": value, "columns": columns[value]} for value in sorted(columns))


class _Reader:
    """The rows of an earlier release, handed out up to an id."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self._groups = groups({name: table_files(folder, name) for name in names})
        self._held: dict[str, pa.Table] | None = next(self._groups, None)

    def until(self, last: str) -> dict[str, pa.Table]:
        taken: list[dict[str, pa.Table]] = []
        while self._held is not None:
            before = {name: data.filter(pc.less_equal(data["abstract_id"], last)) for name, data in self._held.items()}
            taken.append(before)
            if before["abstracts"].num_rows < self._held["abstracts"].num_rows:
                self._held = {name: data.filter(pc.greater(data["abstract_id"], last)) for name, data in self._held.items()}
                break
            self._held = next(self._groups, None)
        if not taken:
            return {}
        return {name: pa.concat_tables(part[name] for part in taken).combine_chunks() for name in taken[0]}


def _changed_in_group(old: dict[str, pa.Table], new: dict[str, pa.Table]) -> Iterator[dict[str, Any]]:
    if not old:
        return
    ids = whole(new["abstracts"]["abstract_id"])
    both = ids.filter(pc.is_in(ids, value_set=whole(old["abstracts"]["abstract_id"])))
    columns: dict[int, list[str]] = {}
    before, after = (t["abstracts"].take(pc.index_in(both, value_set=whole(t["abstracts"]["abstract_id"]))) for t in (old, new))
    for name in after.column_names:
        for row in _unequal(whole(before[name]), whole(after[name])) if name in before.column_names else ():
            columns.setdefault(row, []).append(name)
    for name in new:
        for row in _rows_differ(old.get(name), new[name], both) if name != "abstracts" else ():
            columns.setdefault(row, []).append(f"{name}.*")
    for row in sorted(columns):
        yield {"abstract_id": both[row].as_py(), "columns": columns[row]}


def _unequal(before: pa.Array, after: pa.Array) -> list[int]:
    if before.equals(after):
        return []
    if not pa.types.is_list(after.type):
        same = np.asarray(pc.equal(before, after).fill_null(False)) | np.asarray(pc.and_(before.is_null(), after.is_null()))
        return np.flatnonzero(~same).tolist()
    return [row for row, (a, b) in enumerate(zip(before.to_pylist(), after.to_pylist(), strict=True)) if a != b]


def _rows_differ(before: pa.Table | None, after: pa.Table, ids: pa.Array) -> list[int]:
    """Positions in `ids` whose rows in a child table differ."""
    if before is None:
        return []
    before, after = (t.filter(pc.is_in(t["abstract_id"], value_set=ids)).combine_chunks() for t in (before, after))
    if before.equals(after):
        return []
    rows: list[dict[str, list[tuple[Any, ...]]]] = []
    for data in (before, after):
        by_id: dict[str, list[tuple[Any, ...]]] = {}
        for values in zip(*(column.to_pylist() for column in data.columns), strict=True):
            by_id.setdefault(values[0], []).append(values)
        rows.append(by_id)
    return [row for row, value in enumerate(ids.to_pylist()) if rows[0].get(value) != rows[1].get(value)]
