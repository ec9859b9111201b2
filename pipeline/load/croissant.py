"""croissant.json: the release described for machine-learning tools (Croissant 1.1, MLCommons)."""

from __future__ import annotations

from typing import Any

from pipeline.load.context import ReleaseFacts
from pipeline.load.manifest import as_json
from schemas.fields import Field
from schemas.tables import RELEASE_TABLES, Table

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "key": "cr:key",
    "md5": "cr:md5",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "sc": "https://schema.org/",
    "source": "cr:source",
    "transform": "cr:transform",
}
_TYPES = {"string": "sc:Text", "int16": "sc:Integer", "int32": "sc:Integer", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean"}


def render_croissant(facts: ReleaseFacts) -> str:
    """Croissant metadata: a file set and a record set per table."""
    return as_json(
        {
            "@context": _CONTEXT,
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.1",
            "name": "curated-abstracts",
            "description": "Curated scientific abstracts with methods, results, datasets and URLs.",
            "version": f"1.0.0+{facts.version.replace('-', '.')}",
            "datePublished": facts.build_date.isoformat(),
            "distribution": [_files(table) for table in RELEASE_TABLES],
            "recordSet": [_records(table) for table in RELEASE_TABLES],
        }
    )


def _files(table: Table) -> dict[str, Any]:
    # The registered media type of Parquet validates but mlcroissant 1.1 cannot read it.
    return {
        "@type": "cr:FileSet",
        "@id": f"{table.name}-files",
        "encodingFormat": "application/x-parquet",
        "includes": f"data/{table.name}/train-*.parquet",
    }


def _records(table: Table) -> dict[str, Any]:
    out: dict[str, Any] = {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.meaning,
        "field": [_field(table, field) for field in table.fields],
    }
    if table.key:
        out["key"] = [{"@id": f"{table.name}/{name}"} for name in table.key]
    return out


def _field(table: Table, field: Field) -> dict[str, Any]:
    out: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{table.name}/{field.name}",
        "name": field.name,
        "description": field.meaning,
        "dataType": _TYPES[field.type.removeprefix("list<").removesuffix(">")],
        "source": {"fileSet": {"@id": f"{table.name}-files"}, "extract": {"column": field.name}},
    }
    if field.type.startswith("list"):
        out |= {"isArray": True, "arrayShape": "-1"}
    return out
