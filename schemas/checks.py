"""Rules across columns and tables, checked on a group: some abstracts with all rows of their child tables.

Everything is vectorised over Arrow and NumPy; a rule that does not hold becomes a `Broken`, never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas import tables as t
from schemas.as_pandera import broken_rules, repeats
from schemas.broken import Broken, show
from schemas.strings import cut, not_normalised, same_name, whole
from schemas.tables import Table

Group = Mapping[str, pa.Table]
#: For each child table the rows of the abstracts that its rows belong to, see `parents`.
Owners = Mapping[str, np.ndarray]

#: Child tables with a list column in abstracts, and the column that is listed.
LISTED = ((t.METHODS, "name"), (t.DATASETS, "name"), (t.METRICS, "metric"), (t.URLS, "url"))
#: Tables whose rows belong to one abstract and follow its id.
BY_ABSTRACT = (t.ABSTRACTS, t.METHODS, t.DATASETS, t.METRICS, t.URLS, t.MENTIONS, t.VARIANTS)
#: Tables whose rows follow file and ordinal.
BY_FILE = (t.SOURCES, t.QUARANTINE)

_HIDDEN = r"[\x{200b}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2028}\x{2029}\x{2066}-\x{2069}\x{feff}\x{ad}\x{a0}\x00-\x09\x0b-\x1f\x7f-\x{9f}]"
_STRAY = r"(?s)  |(?:^|[^\n])\n(?:[^\n]|$)|\n\n\n|^\s|\s$"
_RAGGED_URL = r"[.,;:!?'”]$"


def check_group(group: Group) -> list[Broken]:
    """Every rule on one group of abstract-keyed tables: schema of each table first, then the rules across them."""
    broken = [b for table in BY_ABSTRACT if table.name in group for b in broken_rules(group[table.name], table)]
    if broken:
        return broken
    owners = {table.name: parents(group, table) for table in BY_ABSTRACT[1:] if table.name in group}
    for rule in _RULES:
        broken += rule(group, owners)
    return broken


def check_rows(data: pa.Table, table: Table) -> list[Broken]:
    """Schema and order of one table on its own."""
    return [*broken_rules(data, table), *check_order(data, table)]


def check_order(data: pa.Table, table: Table) -> list[Broken]:
    """Rows stand in the order of the table; nulls come last."""
    rows = descents([whole(data[column]) for column in table.order])
    return _broken(data, table, table.order[-1], f"rows are sorted by {', '.join(table.order)}", rows)


def descents(columns: Iterable[pa.Array]) -> np.ndarray:
    """Rows that should stand before the row above them, compared column by column."""
    tie: np.ndarray | None = None
    wrong = np.array([], dtype=np.int64)
    for column in columns:
        if len(column) < 2 or (tie is not None and len(tie) == 0):
            break
        if tie is None:
            tie, above, below = np.arange(len(column) - 1), column[:-1], column[1:]
        else:
            above, below = column.take(pa.array(tie)), column.take(pa.array(tie + 1))
        falls = np.asarray(pc.greater(above, below).fill_null(False)) | np.asarray(pc.and_(above.is_null(), below.is_valid()))
        same = np.asarray(pc.equal(above, below).fill_null(False)) | np.asarray(pc.and_(above.is_null(), below.is_null()))
        wrong = np.concatenate((wrong, tie[falls] + 1))
        tie = tie[same]
    return np.sort(wrong)


def _broken(data: pa.Table, table: Table, column: str, rule: str, rows: np.ndarray) -> list[Broken]:
    if len(rows) == 0:
        return []
    return [Broken(table.name, column, rule, len(rows), show(data, table, rows[:3], column), stage=table.stage)]


def _where(mask: pa.Array | pa.ChunkedArray) -> np.ndarray:
    return np.flatnonzero(np.asarray(pc.fill_null(mask, False)))


def parents(group: Group, table: Table) -> np.ndarray:
    """For each row of a child table the row of its abstract in the group, -1 where there is none."""
    found = pc.index_in(whole(group[table.name]["abstract_id"]), value_set=whole(group["abstracts"]["abstract_id"]))
    return np.asarray(found.fill_null(-1))


def _orders(group: Group, owners: Owners) -> list[Broken]:  # noqa: ARG001
    return [b for table in BY_ABSTRACT if table.name in group for b in check_order(group[table.name], table)]


def _texts(group: Group, owners: Owners) -> list[Broken]:  # noqa: ARG001
    data = group["abstracts"]
    text = whole(data["text"])
    odd = pa.array(_where(pc.match_substring_regex(text, f"{_HIDDEN}|{_STRAY}")))
    at_fault = {
        "is at least two characters long": _where(pc.less(pc.utf8_length(text), 2)),
        "is in Unicode form NFC": not_normalised(text),
    }
    for rule, pattern in (("holds no hidden or control characters", _HIDDEN), ("holds no stray white space", _STRAY)):
        at_fault[rule] = np.asarray(odd.filter(pc.match_substring_regex(text.take(odd), pattern)))
    return [b for rule, rows in at_fault.items() for b in _broken(data, t.ABSTRACTS, "text", rule, rows)]


def _resolves(group: Group, owners: Owners) -> list[Broken]:
    out = []
    for table in BY_ABSTRACT[1:]:
        if table.name in group:
            rows = np.flatnonzero(owners[table.name] < 0)
            out += _broken(group[table.name], table, "abstract_id", "stands in abstracts", rows)
    return out


def _spans(group: Group, owners: Owners) -> list[Broken]:
    """Spans lie within their texts; those of results, methods and datasets give the surface form back."""
    out = []
    chars = np.asarray(pc.utf8_length(whole(group["abstracts"]["text"])))
    raw_chars = np.asarray(pc.utf8_length(whole(group["abstracts"]["raw_text"])))
    for table in (t.METHODS, t.DATASETS, t.METRICS, t.URLS, t.MENTIONS):
        data, parent = group[table.name], owners[table.name]
        start, end, raw_start, raw_end = (np.asarray(whole(data[c])) for c in ("char_start", "char_end", "raw_start", "raw_end"))
        inside = (parent >= 0) & (start < end) & (end <= chars[parent])
        out += _broken(data, table, "char_end", "the span lies within text", np.flatnonzero(~inside & (parent >= 0)))
        raw_inside = (parent < 0) | (raw_start < raw_end) & (raw_end <= raw_chars[parent])
        out += _broken(data, table, "raw_end", "the span lies within raw_text", np.flatnonzero(~raw_inside))
        if ("name" in data.column_names and table is not t.MENTIONS) or table is t.METRICS:
            out += _surfaces(group, table, np.flatnonzero(inside), parent)
    return out


def _surfaces(group: Group, table: Table, rows: np.ndarray, parent: np.ndarray) -> list[Broken]:
    data = group[table.name].take(pa.array(rows))
    surface = cut(whole(group["abstracts"]["text"]), parent[rows], np.asarray(whole(data["char_start"])), np.asarray(whole(data["char_end"])))
    if table is t.METRICS:
        column, rule = "evidence", "is text[char_start:char_end]"
        wrong = _where(pc.not_equal(surface, whole(data["evidence"])))
    else:
        column, rule = "name", "or the long form is text[char_start:char_end], but for case, punctuation and a plural s"
        wrong = np.flatnonzero(~same_name(surface, whole(data["name"]), whole(data["long_form"])))
    return _broken(data, table, column, rule, wrong)


def _lists(group: Group, owners: Owners) -> list[Broken]:
    """List columns of abstracts hold the distinct names of their child table in order of first mention."""
    out = []
    abstracts = group["abstracts"]
    for table, column in LISTED:
        listed = whole(abstracts[table.name])
        have_parent, have = np.asarray(pc.list_parent_indices(listed)), pc.list_flatten(listed)
        want_parent, want = _first_mentions(group[table.name], owners[table.name], column)
        if len(have) == len(want) and np.array_equal(have_parent, want_parent) and have.equals(want):
            continue
        rows = _differing(abstracts.num_rows, (have_parent, have), (want_parent, want))
        out += _broken(abstracts, t.ABSTRACTS, table.name, f"lists the distinct {table.name}.{column} in order of first mention", rows)
    return out


def _first_mentions(data: pa.Table, parent: np.ndarray, column: str) -> tuple[np.ndarray, pa.Array]:
    names = whole(data[column])
    rows = np.flatnonzero((parent >= 0) & np.asarray(names.is_valid()))
    parent, names = parent[rows], names.take(pa.array(rows))
    once = ~repeats([pa.array(parent), names]) if len(rows) else np.array([], dtype=bool)
    return parent[once], names.filter(pa.array(once))


def _differing(count: int, have: tuple[np.ndarray, pa.Array], want: tuple[np.ndarray, pa.Array]) -> np.ndarray:
    lists: list[list[list[str]]] = []
    for parent, names in (have, want):
        rows: list[list[str]] = [[] for _ in range(count)]
        for row, name in zip(parent.tolist(), names.to_pylist(), strict=True):
            rows[row].append(name)
        lists.append(rows)
    return np.array([row for row in range(count) if lists[0][row] != lists[1][row]], dtype=np.int64)


def _mentions(group: Group, owners: Owners) -> list[Broken]:
    """Every row of a child table is mentioned, and every mention belongs to a row."""
    out: list[Broken] = []
    mentions, owner = group["mentions"], owners["mentions"]
    kinds = whole(mentions["kind"])
    for (table, column), kind in zip(LISTED, ("method", "dataset", "metric", "url"), strict=True):
        data, parent = group[table.name], owners[table.name]
        rows = _where(pc.equal(kinds, kind))
        names = whole(data[column])
        names = pc.coalesce(names, whole(data["evidence"])) if table is t.METRICS else names
        both = pa.concat_arrays([names, whole(mentions["name"]).take(pa.array(rows))]).dictionary_encode()
        codes = np.concatenate((parent, owner[rows])).astype(np.int64) * (len(both.dictionary) + 1) + np.asarray(both.indices)
        row_keys, mention_keys = codes[: len(parent)], codes[len(parent) :]
        out += _broken(data, table, column, "is mentioned in mentions", np.flatnonzero(~np.isin(row_keys, mention_keys)))
        strangers = rows[~np.isin(mention_keys, row_keys)]
        out += _broken(mentions, t.MENTIONS, "name", f"belongs to a row of {table.name}", strangers)
    return out


def _values(group: Group, owners: Owners) -> list[Broken]:  # noqa: ARG001
    metrics, urls, variants = group["metrics"], group["urls"], group["variants"]
    valued = metrics["value"].is_valid()
    bare = pc.and_(pc.invert(valued), metrics["metric"].is_null())
    ends = whole(urls["url"])
    brackets = _where(pc.match_substring_regex(ends, r"[)\]]$"))
    odd = [row for row in brackets if _unbalanced(ends[int(row)].as_py())]
    return [
        *_broken(metrics, t.METRICS, "relation", "is given where there is a value", _where(pc.and_(valued, metrics["relation"].is_null()))),
        *_broken(metrics, t.METRICS, "relation", "is null where there is no value", _where(pc.and_(pc.invert(valued), metrics["relation"].is_valid()))),
        *_broken(metrics, t.METRICS, "metric", "and value are null together only for symbolic guarantees", _where(pc.and_(bare, pc.invert(pc.match_substring(metrics["rule"], "symbol"))))),
        *_broken(urls, t.URLS, "url", "ends without punctuation", _where(pc.match_substring_regex(ends, _RAGGED_URL))),
        *_broken(urls, t.URLS, "url", "ends without a bracket that it does not open", np.array(odd, dtype=np.int64)),
        *_broken(variants, t.VARIANTS, "other_id", "is the larger id", _where(pc.less_equal(variants["other_id"], variants["abstract_id"]))),
    ]  # fmt: skip


def _unbalanced(url: str) -> bool:
    return url.count(url[-1]) > url.count({")": "(", "]": "["}[url[-1]])


_RULES: tuple[Callable[[Group, Owners], list[Broken]], ...] = (_orders, _texts, _resolves, _spans, _lists, _mentions, _values)
