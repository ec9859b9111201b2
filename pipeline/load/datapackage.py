"""datapackage.json: the CSV files of the release described for Frictionless Data tools."""

from __future__ import annotations

from typing import Any

from pipeline.load.card_licence import summarise_licences
from pipeline.load.card_sections import AUTHORS, TITLE
from pipeline.load.context import ReleaseFacts
from pipeline.load.manifest import as_json
from schemas.as_text import frictionless_schema
from schemas.tables import RELEASE_TABLES, Table

#: How the CSV files are written, in the words of the specification.
_DIALECT = {"header": True, "delimiter": ",", "lineTerminator": "\n", "quoteChar": '"', "doubleQuote": True, "skipInitialSpace": False}
_CSV_NOTE = (
    "Null is an empty unquoted cell, the empty string is \"\", lists are JSON text. A text cell that starts with ' = + - @ tab, CR or LF has one "
    "leading ' so that no spreadsheet takes it for a formula; take one leading ' away to get the value. The Parquet files in data/ hold the same rows."
)
#: The table that is referred to, and the one whose `abstract_id` may be null.
_NO_REFERENCE = ("abstracts", "redirects")


def render_datapackage(facts: ReleaseFacts) -> str:
    """Data package with one tabular resource per CSV file, with hash, size, dialect and Table Schema."""
    licences = summarise_licences(facts.licences)
    content: dict[str, Any] = {
        "name": "curated-abstracts",
        "title": TITLE,
        "description": f"{facts.rows['abstracts']:,} scientific abstracts as clean text, with the methods, results, datasets and URLs that they name. {_CSV_NOTE}",
        "version": facts.version,
        "created": f"{facts.build_date.isoformat()}T00:00:00Z",
        "keywords": ["scientific abstracts", "information extraction"],
        "contributors": [{"title": AUTHORS, "role": "author"}],
        "licenses": [{"name": name, "path": f"https://spdx.org/licenses/{name}.html"} for name in licences.spdx] if licences.complete else [],
        "resources": [_resource(facts, table) for table in RELEASE_TABLES],
    }
    return as_json({key: value for key, value in content.items() if value != []})


def _resource(facts: ReleaseFacts, table: Table) -> dict[str, Any]:
    path = f"csv/{table.name}.csv"
    file = next(file for file in facts.files if file.path == path)
    return {
        "name": table.name,
        "profile": "tabular-data-resource",
        "type": "table",
        "path": path,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "dialect": _DIALECT,
        "description": f"{table.meaning}. {_CSV_NOTE}",
        "bytes": file.bytes,
        "hash": f"sha256:{file.sha256}",
        "schema": _schema(table),
    }


def _schema(table: Table) -> dict[str, Any]:
    """Table Schema with the patterns of the columns (none of them allows a cell that gets an apostrophe) and foreign keys."""
    schema = frictionless_schema(table)
    for field, given in zip(table.fields, schema["fields"], strict=True):
        if field.pattern and not field.type.startswith("list"):
            given.setdefault("constraints", {})["pattern"] = field.pattern
    if names := references(table):
        schema["foreignKeys"] = [{"fields": [name], "reference": {"resource": "abstracts", "fields": ["abstract_id"]}} for name in names]
    return schema


def references(table: Table) -> list[str]:
    """The columns of a table that name an abstract of the release."""
    return [name for name in ("abstract_id", "other_id") if name in table.columns] if table.name not in _NO_REFERENCE else []
