"""Every validation rule: one good value is broken, and the release is refused with the name of table, column and rule."""

from __future__ import annotations

import ast
import copy
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.errors import RefusedError
from pipeline.load.across import check_across
from pipeline.load.build import refuse_broken
from pipeline.load.files import check
from pipeline.load.parquet import table_files
from pipeline.load.validate import _content_faults
from schemas.as_arrow import arrow_schema
from schemas.checks import BY_ABSTRACT
from schemas.fields import Field
from schemas.tables import RELEASE_TABLES, TABLES, Table
from tests.support.parts import Rows, make_rows, release

HOME = Path(__file__).resolve().parents[2]
GOOD = make_rows(4)
GOOD["redirects"] = [{"old_id": f"{n}" * 20, "abstract_id": None, "release": "20260101-00000000", "reason": "removed"} for n in (1, 2)]


def in_order(rows: Rows) -> Rows:
    for name, items in rows.items():
        items.sort(key=lambda row: [(row[c] is None, row[c] or 0 if row[c] is None else row[c]) for c in TABLES[name].order])
    return rows


in_order(GOOD)


def refused(rows: Rows, names: list[str]) -> str:
    """Why a release with these rows is refused; empty if it is not."""
    group = {name: pa.Table.from_pylist(rows[name], schema=arrow_schema(TABLES[name])) for name in names}
    try:
        refuse_broken(check(group))
    except RefusedError as error:
        return str(error)
    return ""


def beside(table: Table) -> list[str]:
    """The tables that are checked together with one."""
    return [t.name for t in BY_ABSTRACT] if table in BY_ABSTRACT else [table.name]


@pytest.mark.parametrize("table", RELEASE_TABLES, ids=lambda t: t.name)
def test_good_rows_are_not_refused(table: Table) -> None:
    assert len(GOOD[table.name]) >= 1
    assert refused(copy.deepcopy(GOOD), beside(table)) == ""


def bad_values(field: Field) -> Iterator[tuple[Any, str]]:
    """Values that break the rules of a column, one each, with what the rule says."""
    listed = field.type.startswith("list")
    if not field.nullable:
        yield None, "is never null"
    if listed:
        yield [None], "no null elements"
    if field.type == "float64":
        yield float("inf"), "is a finite number"
        yield float("nan"), "is a finite number"
    for value, rule in ((field.allowed and "invented", "is one of"), (field.pattern and "Ü x", "matches")):
        if value:
            yield [value] if listed else value, rule
    if field.minimum is not None:
        yield field.minimum - (0.5 if field.type == "float64" else 1), ">= "
    if field.maximum is not None:
        yield field.maximum + (0.5 if field.type == "float64" else 1), "<= "


@pytest.mark.parametrize("table", RELEASE_TABLES, ids=lambda t: t.name)
def test_one_bad_value_in_a_column(table: Table) -> None:
    """One value after the other; those of different columns at once, since each column is checked on its own."""
    waiting = {field: list(bad_values(field)) for field in table.fields}
    assert sum(map(len, waiting.values())) >= 4
    while any(waiting.values()):
        rows = copy.deepcopy(GOOD)
        wanted = []
        for field, values in waiting.items():
            if values:
                value, rule = values.pop()
                number = isinstance(value, float) and field.type.startswith("int")
                rows[table.name][-1][field.name] = int(value) if number else value
                wanted.append(f"{table.name}.{field.name}: “{rule}")
        told = refused(rows, [table.name]).splitlines()
        for start in wanted:
            assert any(line.strip().startswith(start) and "is broken by 1 rows" in line for line in told), (start, told)


@pytest.mark.parametrize("table", [t for t in RELEASE_TABLES if t.key], ids=lambda t: t.name)
def test_a_key_that_stands_twice(table: Table) -> None:
    rows = copy.deepcopy(GOOD)
    rows[table.name].append(dict(rows[table.name][-1]))
    assert "together stand once" in refused(rows, [table.name])


@pytest.mark.parametrize("table", [t for t in RELEASE_TABLES if len(GOOD[t.name]) > 1], ids=lambda t: t.name)
def test_rows_out_of_order(table: Table) -> None:
    rows = copy.deepcopy(GOOD)
    rows[table.name].insert(0, rows[table.name].pop())
    assert "rows are sorted by" in refused(rows, beside(table))


def of(rows: Rows, table: str) -> dict[str, Any]:
    """The first row of a table."""
    return rows[table][0]


def put(table: str, **values: Any) -> Callable[[Rows], object]:
    return lambda rows: of(rows, table).update(values)


def drop(table: str) -> Callable[[Rows], object]:
    return lambda rows: rows[table].pop(0)


def text(change: Callable[[str], str]) -> Callable[[Rows], object]:
    return lambda rows: of(rows, "abstracts").update(text=change(of(rows, "abstracts")["text"]))


def stranger(rows: Rows, table: str) -> None:
    """A row whose abstract is not there."""
    rows[table][-1]["abstract_id"] = "f" * 20


def late(text: str) -> int:
    return len(text) + 1


SPANNED = ("methods", "datasets", "metrics", "urls", "mentions")
ACROSS_COLUMNS: list[tuple[str, Callable[[Rows], object]]] = [
    ("abstracts.text: “is at least two characters long", put("abstracts", text="x")),
    ("abstracts.text: “is in Unicode form NFC", text(lambda t: t.replace(" ", " e\u0301", 1))),
    *(("abstracts.text: “holds no hidden or control characters", text(lambda t, c=c: t[:3] + c + t[3:])) for c in "\u200b\u202e\xad\x00\x1b\ufeff\u2028"),
    *(("abstracts.text: “holds no stray white space", text(lambda t, c=c: t[:3] + c + t[3:])) for c in ("  ", "\n", "\n\n\n")),
    *((f"{name}.abstract_id: “stands in abstracts", lambda rows, name=name: stranger(rows, name)) for name in SPANNED),
    ("variants.abstract_id: “stands in abstracts", put("variants", abstract_id="0" * 20)),
    *((f"{name}.char_end: “the span lies within text", put(name, char_end=10_000)) for name in SPANNED),
    *((f"{name}.char_end: “the span lies within text", lambda rows, name=name: of(rows, name).update(char_end=of(rows, name)["char_start"])) for name in SPANNED if name != "urls"),
    *((f"{name}.raw_end: “the span lies within raw_text", put(name, raw_end=10_000)) for name in SPANNED),
    *((f"{name}.name: “or the long form is text[char_start:char_end]", put(name, name="Other")) for name in ("methods", "datasets")),
    ("metrics.evidence: “is text[char_start:char_end]", put("metrics", evidence="12%")),
    *((f"abstracts.{name}: “lists the distinct {name}.", put("abstracts", **{name: []})) for name in ("methods", "datasets", "metrics", "urls")),
    *((f"abstracts.{name}: “lists the distinct {name}.", lambda rows, name=name: of(rows, "abstracts")[name].append("Z")) for name in ("methods", "datasets", "metrics", "urls")),
    *((f"mentions.name: “belongs to a row of {name}", drop(name)) for name in ("methods", "datasets", "metrics", "urls")),
    ("metrics.relation: “is given where there is a value", put("metrics", relation=None)),
    ("metrics.relation: “is null where there is no value", put("metrics", value=None)),
    ("metrics.metric: “and value are null together only for symbolic guarantees", put("metrics", metric=None, value=None, relation=None)),
    ("urls.url: “ends without punctuation", put("urls", url="https://github.com/a.")),
    ("urls.url: “ends without a bracket that it does not open", put("urls", url="https://github.com/a)")),
    ("variants.other_id: “is the larger id", lambda rows: of(rows, "variants").update(other_id=of(rows, "variants")["abstract_id"])),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "change"), ACROSS_COLUMNS, ids=lambda v: v[:60] if isinstance(v, str) else "")
def test_one_bad_value_across_columns_and_tables(rule: str, change: Callable[[Rows], object]) -> None:
    rows = copy.deepcopy(GOOD)
    change(rows)
    told = refused(rows, [t.name for t in BY_ABSTRACT])
    assert rule in told, told


@pytest.mark.parametrize("kind", ["method", "dataset", "metric", "url"])
def test_a_row_that_is_not_mentioned(kind: str) -> None:
    rows = copy.deepcopy(GOOD)
    gone = next(row["abstract_id"] for row in rows["mentions"] if row["kind"] == kind)
    rows["mentions"] = [row for row in rows["mentions"] if (row["kind"], row["abstract_id"]) != (kind, gone)]
    assert f"{kind}s." in (told := refused(rows, [t.name for t in BY_ABSTRACT]))
    assert "is mentioned in mentions" in told


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("rules")
    return release(make_rows(4), home / "out", home / "parts")


def first(key: str, value: Any) -> Callable[[list[dict[str, Any]]], object]:
    return lambda rows: rows[0].update({key: value})


def redirect(target: int | None) -> Callable[[list[dict[str, Any]]], object]:
    ids = sorted(row["abstract_id"] for row in make_rows(4)["abstracts"])
    row = {"old_id": "1" * 20, "abstract_id": "2" * 20, "release": "x", "reason": "x"}
    return lambda rows: rows.append(row if target is None else row | {"old_id": ids[target], "abstract_id": None})


OVER_ALL: list[tuple[str, str, Callable[[list[dict[str, Any]]], object]]] = [
    ("abstracts.abstract_id: “rises from row to row", "abstracts", lambda rows: rows.append(rows[0])),
    ("sources.abstract_id: “stands in abstracts", "sources", first("abstract_id", "0" * 20)),
    ("sources.relation: “is `kept` at least once", "sources", lambda rows: next(r for r in rows if r["relation"] == "kept").update(relation="exact")),
    ("sources.relation: “is `kept` at most once", "sources", lambda rows: next(r for r in rows if r["relation"] == "exact").update(relation="kept")),
    ("variants.other_id: “stands in abstracts", "variants", first("other_id", "f" * 20)),
    ("redirects.abstract_id: “stands in abstracts", "redirects", redirect(None)),
    ("redirects.old_id: “is no abstract of this release", "redirects", redirect(0)),
    ("sources.source_file: “the ledger balances", "sources", lambda rows: rows.pop()),
    ("sources.source_file: “the ledger balances", "quarantine", lambda rows: rows.pop(0)),
    ("sources.source_file: “the ledger balances", "sources", first("source_file", "unknown.jsonl")),
    ("sources.ordinal: “the records of a file count from 1", "sources", first("ordinal", 99)),
    ("sources.source_sha256: “is the hash of the input file", "sources", first("source_sha256", "f" * 64)),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "table", "change"), OVER_ALL, ids=lambda v: v[:60] if isinstance(v, str) else "")
def test_one_bad_row_in_a_whole_release(made: Path, tmp_path: Path, rule: str, table: str, change: Callable[[list[dict[str, Any]]], object]) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    (path,) = table_files(folder, table)
    rows = pq.read_table(path).to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema(TABLES[table])), path)
    with pytest.raises(RefusedError) as error:
        refuse_broken(check_across(folder, json.loads((folder / "manifest.json").read_text("utf-8"))["inputs"]))
    assert rule in str(error.value)


def test_files_that_are_not_as_the_schema_says(made: Path, tmp_path: Path) -> None:
    """A column less, one of another type, another name of a file, a table that is missing in the schema or wholly."""
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    paths = {name: table_files(folder, name)[0] for name in TABLES if (folder / "data" / name).is_dir()}
    pq.write_table(pq.read_table(paths["methods"]).drop_columns(["role"]), paths["methods"])
    data = pq.read_table(paths["urls"])
    pq.write_table(data.set_column(0, "abstract_id", data["abstract_id"].cast(pa.large_string())), paths["urls"])
    paths["datasets"].rename(paths["datasets"].with_name("train-00001-of-00002.parquet"))
    paths["variants"].unlink()
    told = json.loads((folder / "schema.json").read_text("utf-8"))
    told["tables"] = [table for table in told["tables"] if table["name"] != "metrics"]
    (folder / "schema.json").write_text(json.dumps(told), "utf-8")
    faults = "\n".join(_content_faults(folder))
    for said in ("the columns are", "urls/", "datasets: train-00001-of-00002.parquet is not the file number 0 of 1", "variants: the table is missing", "metrics: the table is missing"):
        assert said.split("/")[0] in faults, faults


def rules_in(path: str) -> set[str]:
    """The rules that a module names when it calls `_broken`."""
    calls = (node for node in ast.walk(ast.parse((HOME / path).read_text("utf-8"))) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_broken")
    texts = (arg for call in calls for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
    return {str(arg.value) for arg in texts if " " in str(arg.value)}


def test_no_rule_is_left_out() -> None:
    """The tests above break every rule that the modules name."""
    rules = rules_in("schemas/checks.py") | rules_in("pipeline/load/across.py")
    assert len(rules) >= 17
    broken = [entry[0].split("“")[1] for entry in (*ACROSS_COLUMNS, *OVER_ALL)] + ["is mentioned in mentions"]
    assert [rule for rule in sorted(rules) if not any(rule.startswith(text) for text in broken)] == []
