"""Texts rendered from the fields: schema.json, the data dictionary, and Frictionless Table Schemas."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from schemas.fields import Field
from schemas.tables import RELEASE_TABLES, SCHEMA_VERSION, Table
from schemas.vocabulary import CLOSED_LISTS

_FRICTIONLESS = {"string": "string", "int16": "integer", "int32": "integer", "int64": "integer", "float64": "number", "bool": "boolean"}

_INTRODUCTION = f"""# Data dictionary

Schema version {SCHEMA_VERSION}. Generated from `schemas/`; do not edit by hand.

Lists are never null, only empty. Keys and spans are never null. Offsets count characters (Unicode code points) from 0;
ends are exclusive. `abstracts` is sorted by `abstract_id`, child tables by it and their span, the other tables by source
file and ordinal. In CSV files a null is an empty cell, an empty string is `""`, lists are JSON text, and a text cell that
starts with `' = + - @`, tab, CR or LF has one more `'` in front.
"""


def schema_json() -> str:
    """schema.json of a release: tables, columns, types, descriptions, constraints, keys, schema version."""
    tables = [
        {
            "name": table.name,
            "description": table.meaning,
            "key": list(table.key),
            "sorted_by": list(table.order),
            "columns": [_column(field) for field in table.fields],
        }
        for table in RELEASE_TABLES
    ]
    return json.dumps({"schema_version": SCHEMA_VERSION, "tables": tables}, ensure_ascii=False, indent=2) + "\n"


def _column(field: Field) -> dict[str, Any]:
    given = {
        "name": field.name,
        "type": field.type,
        "nullable": field.nullable,
        "description": field.meaning,
        "unit": field.unit,
        "example": field.example,
        "allowed": list(field.allowed) if field.allowed else None,
        "pattern": field.pattern,
        "minimum": field.minimum,
        "maximum": field.maximum,
    }
    return {key: value for key, value in given.items() if value is not None}


def data_dictionary() -> str:
    """The data dictionary in Markdown: every column of every table of a release."""
    parts = [_INTRODUCTION]
    for table in RELEASE_TABLES:
        key = f"Key: {', '.join(f'`{name}`' for name in table.key)}. " if table.key else "No key. "
        order = f"Sorted by {', '.join(f'`{name}`' for name in table.order)}."
        rows = "\n".join(_dictionary_row(field) for field in table.fields)
        parts.append(f"## {table.name}\n\n{table.meaning}. {key}{order}\n\n| column | type | meaning |\n|---|---|---|\n{rows}\n")
    lists = "\n".join(f"### {name}\n\n{_meanings(meanings)}\n" for name, meanings in CLOSED_LISTS.items())
    return "\n".join([*parts, f"## Closed lists\n\n{lists}"])


def _meanings(meanings: dict[str, str]) -> str:
    return "\n".join(f"- `{value}`: {meaning}" for value, meaning in meanings.items())


def _dictionary_row(field: Field) -> str:
    notes = [field.meaning]
    if field.unit:
        notes.append(f"Unit: {field.unit}.")
    if field.allowed:
        notes.append(f"One of {', '.join(f'`{value}`' for value in field.allowed)}.")
    if field.example:
        notes.append(f"Example: `{field.example}`.")
    kind = f"{field.type}, nullable" if field.nullable else field.type
    text = " ".join(note if note.endswith(".") else f"{note}." for note in notes).replace("|", "\\|")
    return f"| `{field.name}` | {kind} | {text} |"


def frictionless_schema(table: Table) -> dict[str, Any]:
    """Table Schema of the CSV file of a table."""
    schema: dict[str, Any] = {"fields": [_frictionless_field(field) for field in table.fields], "missingValues": [""]}
    if table.key:
        schema["primaryKey"] = list(table.key)
    return schema


def _frictionless_field(field: Field) -> dict[str, Any]:
    constraints: dict[str, Any] = {} if field.nullable else {"required": True}
    if field.allowed and not field.type.startswith("list"):
        # A cell that a spreadsheet would take for a formula carries one leading apostrophe.
        constraints["enum"] = [f"'{value}" if value[:1] in "'=+-@\t\r\n" else value for value in field.allowed]
    if field.minimum is not None:
        constraints["minimum"] = field.minimum
    if field.maximum is not None:
        constraints["maximum"] = field.maximum
    kind = "array" if field.type.startswith("list") else _FRICTIONLESS[field.type]
    out: dict[str, Any] = {"name": field.name, "type": kind, "description": field.meaning}
    if constraints:
        out["constraints"] = constraints
    return out


def main(arguments: list[str]) -> None:
    """Write the data dictionary: `python -m schemas.as_text [docs/data_dictionary.md]`."""
    path = Path(arguments[0]) if arguments else Path(__file__).parent.parent / "docs" / "data_dictionary.md"
    path.write_text(data_dictionary(), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
