"""Pandera schemas, rendered from the fields. Every row of every table is checked at every stage boundary."""

from __future__ import annotations

import os
from functools import cache

import pandas as pd
import pandera.pandas as pp
import pyarrow as pa
import pyarrow.compute as pc

from schemas.as_arrow import arrow_type
from schemas.fields import Field
from schemas.tables import Table


class SchemaError(ValueError):
    """A table that breaks its schema: names table, column, rule, number of rows, examples."""


def _elements(values: pd.Series) -> pa.Array:
    data = pa.array(values, from_pandas=False) if not isinstance(values.dtype, pd.ArrowDtype) else pa.chunked_array(values.array._pa_array)
    return pc.list_flatten(data) if pa.types.is_list(data.type) else data


def _all(mask: pa.ChunkedArray | pa.Array) -> bool:
    return bool(pc.all(mask, skip_nulls=True).as_py() in (True, None))


def _checks(field: Field) -> list[pp.Check]:
    """Vectorised checks of one column, list elements included; nulls are the business of `nullable`."""
    checks = []
    if field.type.startswith("list"):
        checks.append(pp.Check(lambda s: _elements(s).null_count == 0, name="no null elements"))
    if field.allowed is not None:
        allowed = pa.array(field.allowed)
        checks.append(pp.Check(lambda s: _all(pc.is_in(_elements(s).drop_null(), value_set=allowed)), name=f"one of {field.allowed}"))
    if field.pattern is not None:
        pattern = field.pattern
        checks.append(pp.Check(lambda s: _all(pc.match_substring_regex(_elements(s), pattern)), name=f"matches {pattern}"))
    if field.minimum is not None:
        low = field.minimum
        checks.append(pp.Check(lambda s: _all(pc.greater_equal(_elements(s), low)), name=f">= {low}"))
    if field.maximum is not None:
        high = field.maximum
        checks.append(pp.Check(lambda s: _all(pc.less_equal(_elements(s), high)), name=f"<= {high}"))
    return checks


@cache
def pandera_schema(table: Table) -> pp.DataFrameSchema:
    """Strict, ordered Pandera schema over Arrow-backed columns."""
    return pp.DataFrameSchema(
        {
            f.name: pp.Column(pd.ArrowDtype(arrow_type(f)), _checks(f), nullable=f.nullable, description=f.meaning)
            for f in table.fields
        },
        strict=True,
        ordered=True,
        name=table.name,
        unique=list(table.key) or None,
        report_duplicates="exclude_first",
    )


def check(data: pa.Table, table: Table) -> pa.Table:
    """Check every row of `data` against the schema of `table` and return `data` unchanged.

    Raises SchemaError with table, column, rule, number of rows and examples; RuntimeError when Pandera's
    validation has been switched off in the environment, because then nothing would be checked.
    """
    if os.environ.get("PANDERA_VALIDATION_ENABLED", "true").lower() in ("false", "0"):
        raise RuntimeError("PANDERA_VALIDATION_ENABLED is off: unset it, a run must not skip its checks")
    frame = data.to_pandas(types_mapper=pd.ArrowDtype, split_blocks=True)
    try:
        pandera_schema(table).validate(frame, lazy=True)
    except pp.errors.SchemaErrors as broken:
        raise SchemaError(_explain(table, broken)) from None
    return data


def _explain(table: Table, broken: pp.errors.SchemaErrors) -> str:
    lines = []
    for (column, rule), rows in broken.failure_cases.groupby(["column", "check"], dropna=False, sort=False):
        examples = ", ".join(repr(v)[:60] for v in rows["failure_case"].head(3))
        lines.append(f"{table.name}.{column}: {rule} is broken by {len(rows)} rows, e.g. {examples}")
    return "\n".join(lines)
