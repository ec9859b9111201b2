"""Schemas: defined once, rendered everywhere, checked row by row."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pyarrow as pa
import pytest

from schemas.as_arrow import arrow_schema, conform, empty
from schemas.as_pandera import SchemaError, broken_rules, check
from schemas.as_text import data_dictionary, frictionless_schema, schema_json
from schemas.strings import cut, same_name
from schemas.tables import ABSTRACTS, METHODS, RELEASE_TABLES, SCHEMA_VERSION, TABLES
from tests.support.parts import make_rows


@pytest.fixture(scope="module")
def methods() -> pa.Table:
    return pa.Table.from_pylist(make_rows(5)["methods"], schema=arrow_schema(METHODS))


def changed(data: pa.Table, column: str, values: list[object]) -> pa.Table:
    place = data.column_names.index(column)
    return data.set_column(place, data.schema.field(column), pa.array(values, data.schema.field(column).type))


def test_good_rows_pass(methods: pa.Table) -> None:
    assert check(methods, METHODS) is methods
    for table in TABLES.values():
        assert broken_rules(empty(table), table) == ()


@pytest.mark.parametrize(
    ("column", "value", "rule"),
    [
        ("role", "invented", "is one of"),
        ("abstract_id", "XYZ", "matches"),
        ("mentions", 0, ">= 1"),
        ("confidence", 1.5, "<= 1"),
        ("confidence", float("nan"), "is a finite number"),
        ("name", None, "is never null"),
    ],
)
def test_a_broken_rule_names_column_rows_and_examples(methods: pa.Table, column: str, value: object, rule: str) -> None:
    values = methods[column].to_pylist()
    broken = broken_rules(changed(methods, column, [value, value, *values[2:]]), METHODS)
    mine = next(b for b in broken if b.column == column and rule in b.rule)
    assert (mine.table, mine.rows, len(mine.examples)) == ("methods", 2, 2)


def test_the_key_is_unique(methods: pa.Table) -> None:
    twice = pa.concat_tables([methods, methods.slice(0, 2)])
    with pytest.raises(SchemaError, match="together stand once") as error:
        check(twice, METHODS)
    assert [b.rows for b in error.value.broken] == [2]


def test_lists_are_checked_inside() -> None:
    rows = make_rows(3)["abstracts"]
    rows[1]["authors"] = ["Ada", None]
    broken = broken_rules(pa.Table.from_pylist(rows, schema=arrow_schema(ABSTRACTS)), ABSTRACTS)
    assert [(b.column, b.rule, b.rows) for b in broken] == [("authors", "no null elements", 1)]


def test_a_missing_column_and_a_wrong_type_are_refused(methods: pa.Table) -> None:
    assert "rule" in broken_rules(methods.drop_columns(["rule"]), METHODS)[0].rule
    assert broken_rules(methods.set_column(4, "mentions", methods["mentions"].cast(pa.int64())), METHODS)
    with pytest.raises(KeyError):
        conform(methods.drop_columns(["rule"]), METHODS)


def test_checks_cannot_be_switched_off(methods: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANDERA_VALIDATION_ENABLED", "False")
    with pytest.raises(RuntimeError, match="PANDERA_VALIDATION_ENABLED"):
        check(methods, METHODS)


def test_cut_counts_code_points() -> None:
    texts = pa.array(["naïve 𝔽 x", "", "plain", "ü"])
    import numpy as np

    got = cut(texts, np.array([0, 0, 2, 3]), np.array([2, 6, 1, 0]), np.array([5, 9, 5, 1]))
    assert got.to_pylist() == ["naïve 𝔽 x"[2:5], "naïve 𝔽 x"[6:9], "lain", "ü"]
    assert cut(texts.slice(2), np.array([0]), np.array([0]), np.array([2])).to_pylist() == ["pl"]


def test_same_name_ignores_case_punctuation_and_plural() -> None:
    surface, names = pa.array(["LLMs", "graph-nets", "A", "BERT"]), pa.array(["LLM", "Graph Net", "B", "X"])
    assert same_name(surface, names, pa.array([None, None, None, "bert"])).tolist() == [True, True, False, True]


def test_schema_json_has_every_column() -> None:
    schema = json.loads(schema_json())
    assert schema["schema_version"] == SCHEMA_VERSION
    for entry, table in zip(schema["tables"], RELEASE_TABLES, strict=True):
        assert [column["name"] for column in entry["columns"]] == list(table.columns)
        assert all(column["description"] for column in entry["columns"])


def test_table_schemas_are_valid() -> None:
    kinds = {"string", "integer", "number", "boolean", "array"}
    for table in RELEASE_TABLES:
        for field in frictionless_schema(table)["fields"]:
            jsonschema.validate(field, {"required": ["name", "type", "description"], "properties": {"type": {"enum": sorted(kinds)}}})


def test_the_data_dictionary_is_up_to_date(root: Path) -> None:
    text = (root / "docs/data_dictionary.md").read_text("utf-8")
    assert text == data_dictionary(), "run: python -m schemas.as_text"


def test_released_schema_versions_are_kept(root: Path) -> None:
    """Columns of a released schema version are never renamed, retyped or dropped without a new major version."""
    for path in sorted((root / "schemas/published").glob("*.json")):
        published = json.loads(path.read_text("utf-8"))
        if published["schema_version"].split(".")[0] != SCHEMA_VERSION.split(".")[0]:
            continue
        for entry in published["tables"]:
            columns = {field.name: field for field in TABLES[entry["name"]].fields}
            for column in entry["columns"]:
                assert column["name"] in columns, f"{entry['name']}.{column['name']} is gone"
                assert columns[column["name"]].type == column["type"]
                assert columns[column["name"]].nullable == column["nullable"]
    assert (root / f"schemas/published/{SCHEMA_VERSION}.json").is_file()


def test_the_command_prints_the_dictionary(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "schemas.as_text", str(tmp_path / "d.md")], capture_output=True, text=True, check=True)
    assert (tmp_path / "d.md").read_text("utf-8") == data_dictionary()
    assert done.stdout == ""


def test_closed_lists_name_every_allowed_value() -> None:
    from schemas.tables import DATASETS, METRICS, SOURCES
    from schemas.vocabulary import CLOSED_LISTS

    assert set(CLOSED_LISTS["sources.relation"]) == set(SOURCES.field("relation").allowed or ())
    assert set(CLOSED_LISTS["metrics.relation"]) == set(METRICS.field("relation").allowed or ())
    assert set(CLOSED_LISTS["metrics.value_kind"]) == set(METRICS.field("value_kind").allowed or ())
    assert set(CLOSED_LISTS["methods.role, datasets.role"]) == set(DATASETS.field("role").allowed or ())
