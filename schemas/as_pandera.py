"""Pandera schemas, rendered from the fields. Every row of every table is checked at every stage boundary."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache

import numpy as np
import pandas as pd
import pandera.pandas as pp
import pyarrow as pa
import pyarrow.compute as pc

from schemas.as_arrow import arrow_type
from schemas.broken import Broken, show
from schemas.fields import Field
from schemas.tables import Table


class ChecksOffError(RuntimeError):
    """Pandera's validation is switched off in the environment, so that nothing would be checked."""

    def __init__(self) -> None:
        super().__init__("PANDERA_VALIDATION_ENABLED is off: unset it, a run must not skip its checks")


Test = Callable[[pa.Array], pa.Array]


class SchemaError(ValueError):
    """A table that breaks its schema: `broken` names table, column, rule, number of rows and examples."""

    def __init__(self, broken: tuple[Broken, ...]) -> None:
        super().__init__(broken)
        self.broken = broken

    def __str__(self) -> str:
        return "\n".join(map(str, self.broken))


def _arrow(values: pd.Series) -> pa.Array:
    data = pa.chunked_array(values.array._pa_array) if isinstance(values.dtype, pd.ArrowDtype) else pa.array(values)
    return data.combine_chunks() if isinstance(data, pa.ChunkedArray) else data


def _elements(data: pa.Array) -> pa.Array:
    return pc.list_flatten(data) if pa.types.is_list(data.type) else data


def _check(test: Test, name: str) -> pp.Check:
    """A vectorised check of a column or its list elements: True where all is well, else one verdict per row."""

    def verdict(values: pd.Series) -> bool | pd.Series:
        data = _arrow(values)
        nested = pa.types.is_list(data.type)
        good = test(_elements(data)).fill_null(True)
        if good.false_count == 0:
            return True
        mask = np.asarray(good)
        if nested:
            parents = np.asarray(pc.list_parent_indices(data))
            mask = np.ones(len(data), dtype=bool)
            mask[parents[~np.asarray(good)]] = False
        return pd.Series(mask, index=values.index)

    return pp.Check(verdict, name=name, ignore_na=False, n_failure_cases=3)


def _tests(field: Field) -> list[tuple[Test, str]]:
    """Tests of one column, list elements included, with their names; nulls are the business of `nullable`."""
    checks: list[tuple[Test, str]] = []
    if field.type.startswith("list"):
        checks.append((pc.is_valid, "no null elements"))
    if field.type == "float64":
        checks.append((pc.is_finite, "is a finite number"))
    if field.allowed is not None:
        allowed = pa.array(field.allowed)
        checks.append((lambda s: pc.if_else(pc.is_valid(s), pc.is_in(s, value_set=allowed), True), f"is one of {field.allowed}"))
    if field.pattern is not None:
        pattern = field.pattern
        checks.append((lambda s: pc.match_substring_regex(s, pattern), f"matches {pattern}"))
    if field.minimum is not None:
        low = field.minimum
        checks.append((lambda s: pc.greater_equal(s, low), f">= {low}"))
    if field.maximum is not None:
        high = field.maximum
        checks.append((lambda s: pc.less_equal(s, high), f"<= {high}"))
    return checks


def repeats(columns: list[pa.Array]) -> np.ndarray:
    """For each row whether an earlier row has the same values in all `columns`."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        encoded = column.dictionary_encode(null_encoding="encode")
        codes = codes * (len(encoded.dictionary) + 1) + np.asarray(encoded.indices)
        codes = np.unique(codes, return_inverse=True)[1] if len(columns) > 2 else codes
    first = np.zeros(len(codes), dtype=bool)
    first[np.unique(codes, return_index=True)[1]] = True
    return ~first


def _all_is_well(table: Table) -> pp.Check:
    """One check for all tests of all columns and the key: whether there is anything to look for at all."""
    tests = {field.name: [test for test, _ in _tests(field)] for field in table.fields}

    def verdict(frame: pd.DataFrame) -> bool:
        columns = {field.name: _arrow(frame[field.name]) for field in table.fields}
        if any(columns[field.name].null_count for field in table.fields if not field.nullable):
            return False
        if any(test(_elements(columns[name])).false_count for name, several in tests.items() for test in several):
            return False
        return not table.key or not repeats([columns[name] for name in table.key]).any()

    return pp.Check(verdict, name="all is well", ignore_na=False, n_failure_cases=3)


def _unique(key: tuple[str, ...]) -> pp.Check:
    def verdict(frame: pd.DataFrame) -> bool | pd.Series:
        again = repeats([_arrow(frame[column]) for column in key])
        return pd.Series(~again, index=frame.index) if again.any() else True

    return pp.Check(verdict, name=f"{' and '.join(key)} together stand once", ignore_na=False, n_failure_cases=3)


@cache
def _quick_schema(table: Table) -> pp.DataFrameSchema:
    """Types and order of `pandera_schema`, and its checks as one: what it passes, the other passes too.

    Pandera spends a millisecond per column on each of its own parts, which small tables notice.
    """
    columns = {f.name: pp.Column(pd.ArrowDtype(arrow_type(f)), nullable=True) for f in table.fields}
    return pp.DataFrameSchema(columns, checks=_all_is_well(table), strict=True, ordered=True, name=table.name)


@cache
def pandera_schema(table: Table) -> pp.DataFrameSchema:
    """Strict, ordered Pandera schema over Arrow-backed columns; the key is unique."""
    return pp.DataFrameSchema(
        {
            f.name: pp.Column(pd.ArrowDtype(arrow_type(f)), [_check(*test) for test in _tests(f)], nullable=f.nullable, description=f.meaning)
            for f in table.fields
        },
        checks=[_unique(table.key)] if table.key else None,
        strict=True,
        ordered=True,
        name=table.name,
    )


def check(data: pa.Table, table: Table) -> pa.Table:
    """Check every row of `data` against the schema of `table` and return `data` unchanged.

    Raises SchemaError with table, column, rule, number of rows and examples; ChecksOffError when Pandera's
    validation has been switched off in the environment, because then nothing would be checked.
    """
    if broken := broken_rules(data, table):
        raise SchemaError(broken)
    return data


def broken_rules(data: pa.Table, table: Table) -> tuple[Broken, ...]:
    """What `check` would raise, as values: one entry per broken rule."""
    if os.environ.get("PANDERA_VALIDATION_ENABLED", "true").lower() in ("false", "0"):
        raise ChecksOffError
    frame = data.to_pandas(types_mapper=pd.ArrowDtype, split_blocks=True)
    with suppress(pp.errors.SchemaError):
        _quick_schema(table).validate(frame)
        return ()
    try:
        pandera_schema(table).validate(frame, lazy=True)
    except pp.errors.SchemaErrors as errors:
        return tuple(_explain(table, data, error) for error in errors.schema_errors)
    return ()


def _explain(table: Table, data: pa.Table, error: pp.errors.SchemaError) -> Broken:
    """One broken rule. Rows and examples come from the check's verdict where it gave one per row."""
    name = str(getattr(error.schema, "name", None))
    column = name if name in data.column_names else " and ".join(table.key) if name == table.name else name
    rule = str(error.check.name if isinstance(error.check, pp.Check) else error.check)
    if isinstance(error.check_output, pd.Series):
        rows = np.flatnonzero(~error.check_output.to_numpy(dtype=bool, na_value=True))
    elif rule == "not_nullable" and column in data.column_names:
        rule, rows = "is never null", np.flatnonzero(np.asarray(data[column].is_null()))
    else:
        return Broken(table.name, "*" if name == table.name else name, str(error)[:300], data.num_rows, stage=table.stage)
    return Broken(table.name, column, rule, len(rows), show(data, table, rows[:3], column), stage=table.stage)
