"""datapackage.json: the CSV files of the release described for Frictionless Data tools."""

from __future__ import annotations

from typing import Any

from pipeline.load.context import ReleaseFacts
from pipeline.load.manifest import as_json
from schemas.as_text import frictionless_schema
from schemas.tables import RELEASE_TABLES, Table


def render_datapackage(facts: ReleaseFacts) -> str:
    """Data package with one tabular resource per CSV file, with hash, size and Table Schema."""
    resources = [_resource(facts, table) for table in RELEASE_TABLES]
    return as_json({"name": "curated-abstracts", "title": "Curated abstracts", "version": facts.version, "resources": resources})


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
        "description": table.meaning,
        "bytes": file.bytes,
        "hash": f"sha256:{file.sha256}",
        "schema": frictionless_schema(table),
    }
