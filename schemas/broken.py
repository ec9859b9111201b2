"""A broken rule, as a value: which table and column, how many rows, examples, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from schemas.tables import Table

#: How many examples a broken rule shows, and how much of each.
EXAMPLES, WIDTH = 3, 80


@dataclass(frozen=True, slots=True)
class Broken:
    """`rule` does not hold for `rows` rows of `table`.`column`; `stage` wrote them."""

    table: str
    column: str
    rule: str
    rows: int
    examples: tuple[str, ...] = ()
    stage: str = "load"
    do: str = ""

    def __str__(self) -> str:
        examples = f", e.g. {'; '.join(self.examples)}" if self.examples else ""
        do = self.do or f"Stage `{self.stage}` wrote them: look one up with `abstracts explain`, then correct that stage or its input."
        return f"{self.table}.{self.column}: “{self.rule}” is broken by {self.rows} rows{examples}. {do}"


def show(data: pa.Table, table: Table, rows: Iterable[int], column: str) -> tuple[str, ...]:
    """The given rows as short texts: the key of the row, then the value of `column`."""
    where = [name for name in (table.key or table.order[:1]) if name in data.column_names and name != column]
    out = []
    for row in list(rows)[:EXAMPLES]:
        key = "/".join(str(data[name][int(row)].as_py()) for name in where)
        value = readable(data[column][int(row)].as_py()) if column in data.column_names else ""
        out.append(" ".join(filter(None, (key, value))))
    return tuple(out)


def readable(value: object) -> str:
    """A value as a person reads it, at most WIDTH characters."""
    text = repr(value)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def merge(broken: Iterable[Broken]) -> list[Broken]:
    """The same rule broken in several parts, as one entry: rows added, the first examples kept."""
    by_rule: dict[tuple[str, str, str], Broken] = {}
    for item in broken:
        key = (item.table, item.column, item.rule)
        if (seen := by_rule.get(key)) is None:
            by_rule[key] = item
        else:
            examples = (*seen.examples, *item.examples)[:EXAMPLES]
            by_rule[key] = Broken(*key, seen.rows + item.rows, examples, seen.stage, seen.do)
    return list(by_rule.values())
