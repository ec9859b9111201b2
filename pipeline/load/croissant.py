"""croissant.json: the release described for machine-learning tools (Croissant 1.1, MLCommons).

What mlcroissant 1.1 needs and the specification does not say: the media type `application/x-parquet` (the registered
`application/vnd.apache.parquet` validates but cannot be read), and file sets without `containedIn`.
"""

from __future__ import annotations

from typing import Any

from pipeline.load.card_licence import summarise_licences
from pipeline.load.card_sections import AUTHORS, TITLE
from pipeline.load.context import ReleaseFacts
from pipeline.load.datapackage import references
from pipeline.load.manifest import as_json
from schemas.fields import Field
from schemas.tables import RELEASE_TABLES, Table

#: The context that mlcroissant writes itself; another one is taken for a mistake.
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES = {"string": "sc:Text", "int16": "sc:Integer", "int32": "sc:Integer", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean"}


def render_croissant(facts: ReleaseFacts) -> str:
    """Croissant metadata: a file set and a record set per table."""
    licences = summarise_licences(facts.licences)
    addresses = [f"https://spdx.org/licenses/{name}.html" for name in licences.spdx] if licences.complete else []
    content: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": "curated-abstracts",
        "alternateName": TITLE,
        "description": f"{facts.rows['abstracts']:,} scientific abstracts as clean text, with the methods, results, datasets and URLs that they name, each with its place in the text and in the source.",
        "version": f"1.0.0+{facts.version.replace('-', '.')}",
        "datePublished": facts.build_date.isoformat(),
        "creator": {"@type": "sc:Organization", "name": AUTHORS},
        "citeAs": f"{AUTHORS}. {TITLE}, release {facts.version}. {facts.build_date.year}.",
        "keywords": ["scientific abstracts", "information extraction", "deduplication", "provenance"],
        "inLanguage": sorted(code for code in facts.figures.get("languages", {}) if code != "und"),
        "isLiveDataset": False,
        "license": (addresses[0] if len(addresses) == 1 else addresses) or "The column `licence` of the table abstracts gives the licence of each record, where it is known.",
        "distribution": [_files(table) for table in RELEASE_TABLES],
        "recordSet": [_records(table) for table in RELEASE_TABLES],
    }
    return as_json({key: value for key, value in content.items() if value != []})


def _files(table: Table) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{table.name}-files",
        "name": f"{table.name}-files",
        "description": f"Parquet files of the table {table.name}; SHA256SUMS has their hashes.",
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
        keys = [{"@id": f"{table.name}/{name}"} for name in table.key]
        out["key"] = keys[0] if len(keys) == 1 else keys
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
    if field.name in references(table):
        out["references"] = {"field": {"@id": "abstracts/abstract_id"}}
    return out
