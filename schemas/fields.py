"""Every column once: name, type, meaning, unit, example, constraint.

A `Field` is data. Pandera, Arrow, the data dictionary, Croissant and the data package are rendered from it
(`as_pandera.py`, `as_arrow.py`, `as_text.py`); nothing else says what a column is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Type = Literal[
    "string", "int16", "int32", "int64", "float64", "bool", "binary", "list<string>", "list<int32>", "list<int64>"
]


@dataclass(frozen=True, slots=True)
class Field:
    """One column. `allowed`, `pattern`, `minimum`, `maximum` hold for non-null values (list elements included)."""

    name: str
    type: Type
    meaning: str
    nullable: bool = False
    unit: str | None = None
    example: str | None = None
    allowed: tuple[str, ...] | None = None
    pattern: str | None = None
    minimum: float | None = None
    maximum: float | None = None

    def but(self, **changes: object) -> Field:
        """The same column as another table has it (nullable, another meaning)."""
        return replace(self, **changes)  # type: ignore[arg-type]


ROLES = ("proposed", "mentioned")
URL_KINDS = ("code", "data", "model", "demo", "project", "paper", "other")
RELATIONS = ("=", ">=", "<=", "~")
VALUE_KINDS = ("level", "change", "ratio", "count")
SOURCE_RELATIONS = ("kept", "exact", "normalised", "near", "version")
MENTION_KINDS = ("method", "dataset", "metric", "url")
STAGES = ("extract", "clean", "dedupe", "enrich", "load")

ABSTRACT_ID = Field(
    "abstract_id",
    "string",
    "Stable id of the abstract: 20 hex digits of the SHA-256 of the normalised key of its kept text",
    pattern=r"^[0-9a-f]{20}$",
    example="3f0c9a51d2e47b6680aa",
)
TEXT = Field("text", "string", "Clean plain text, NFC; paragraphs are separated by a blank line")
RAW_TEXT = Field("raw_text", "string", "The abstract as it stood in the source, decoded only")
TITLE = Field("title", "string", "Title given by the source", nullable=True)
VENUE = Field("venue", "string", "Venue given by the source", nullable=True, example="ICML 2026")
DOI = Field(
    "doi",
    "string",
    "DOI given by the source, as https://doi.org/ and the DOI in lower case",
    nullable=True,
    example="https://doi.org/10.1162/tacl_a_00001",
)
ARXIV_ID = Field("arxiv_id", "string", "arXiv id given by the source, without version", nullable=True, example="2504.14370")
ARXIV_VERSION = Field("arxiv_version", "int16", "Version of the arXiv record given by the source", nullable=True, minimum=1)
SOURCE_URL = Field("source_url", "string", "Address of the record given by the source", nullable=True)
LICENCE = Field("licence", "string", "Licence of the record given by the source", nullable=True, example="CC-BY-4.0")
AUTHORS = Field("authors", "list<string>", "Authors in the order given by the source; empty if it gives none")
KEYWORDS = Field("keywords", "list<string>", "Keywords given by the source; empty if it gives none")
YEAR = Field("year", "int16", "Year of publication given by the source", nullable=True, minimum=1500, maximum=2200)
LANGUAGE = Field("language", "string", "ISO 639-1 code of the language of the text, `und` if undecidable", pattern=r"^([a-z]{2}|und)$", example="en")
N_WORDS = Field("n_words", "int32", "Words of the text", unit="words", minimum=0)
N_SENTENCES = Field("n_sentences", "int32", "Sentences of the text", unit="sentences", minimum=0)
METHODS = Field("methods", "list<string>", "Distinct names in the table methods, in order of first mention")
DATASETS = Field("datasets", "list<string>", "Distinct names in the table datasets, in order of first mention")
METRICS = Field("metrics", "list<string>", "Distinct measures in the table metrics, in order of first mention")
URLS = Field("urls", "list<string>", "Distinct addresses in the table urls, in order of first mention")
FLAGS = Field("flags", "list<string>", "Warnings about the text or its source, sorted; see the data dictionary", example='["url_lost"]')

NAME = Field("name", "string", "Name as written in the text: the short form if there is one, in the singular", example="FiX")
LONG_FORM = Field("long_form", "string", "Spelled-out form as written in the text", nullable=True, example="Fine-grained Forgetting Transformer")
ROLE = Field("role", "string", "`proposed` if this paper introduces it, otherwise `mentioned`", allowed=ROLES)
MENTIONS = Field("mentions", "int32", "Number of mentions in the text, short and long form together", minimum=1)
CHAR_START = Field("char_start", "int32", "Start of the first mention in `text`", unit="code points", minimum=0)
CHAR_END = Field("char_end", "int32", "End (exclusive) of the first mention in `text`", unit="code points", minimum=1)
RAW_START = Field("raw_start", "int32", "Start of the first mention in `raw_text`, mark-up included", unit="code points", minimum=0)
RAW_END = Field("raw_end", "int32", "End (exclusive) of the first mention in `raw_text`, mark-up included", unit="code points", minimum=1)
RULE = Field("rule", "string", "Name of the rule or model that found the row")
CONFIDENCE = Field("confidence", "float64", "Precision of that rule measured on gold annotations", minimum=0, maximum=1)
SPANS = (CHAR_START, CHAR_END, RAW_START, RAW_END)
FOUND = (*SPANS, RULE, CONFIDENCE)

METRIC = Field("metric", "string", "Measure as named in the text, in the singular", nullable=True, example="execution accuracy")
METRIC_CANONICAL = Field("metric_canonical", "string", "Canonical name of the measure", nullable=True, example="accuracy")
VALUE = Field("value", "float64", "Reported number; null if the measure is named without one", nullable=True, example="65.78")
VALUE_MAX = Field("value_max", "float64", "Upper end where a range is reported", nullable=True)
BASELINE = Field("baseline", "float64", "The number it started from (`from 63% to 87%`)", nullable=True, example="63")
UNIT = Field("unit", "string", "Unit as written; `×` for factors, `points` for percentage points", nullable=True, example="%")
RELATION = Field("relation", "string", "How the number bounds the quantity; null for a measure without number", nullable=True, allowed=RELATIONS)
VALUE_KIND = Field("value_kind", "string", "What the number is: a level, a change, a ratio or a count", nullable=True, allowed=VALUE_KINDS)
UNCERTAINTY = Field("uncertainty", "float64", "The number after ±", nullable=True)
DATASET = Field("dataset", "string", "Dataset or benchmark the result is on, if the text says so", nullable=True)
SUBJECT = Field("subject", "string", "Method, model or setting the result is for, if the text says so", nullable=True)
EVIDENCE = Field("evidence", "string", "Surface text of the number, or of the measure named without one", example="from 63% to 87%")

URL = Field("url", "string", "Absolute address without mark-up and trailing punctuation", pattern=r'^(https?|ftp)://[^\s{}\\^`|"]+$')
KIND = Field("kind", "string", "What the address leads to, judged from host, path and the words around it", allowed=URL_KINDS)
HOST = Field("host", "string", "Host of the address, in lower case", example="github.com")
REPOSITORY = Field("repository", "string", "`owner/name` where the address is a code or data repository", nullable=True)
IDENTIFIER = Field("identifier", "string", "DOI or arXiv id, where the address is one", nullable=True)

SOURCE_FILE = Field("source_file", "string", "Path of the file relative to the input folder; `archive!member` inside archives")
ORDINAL = Field("ordinal", "int32", "Place among the records of its file, from 1", minimum=1)
SOURCE_ID = Field("source_id", "string", "The source's own id (PMID, ACL id, forum, citation key, …)", nullable=True)
BYTE_START = Field("byte_start", "int64", "First byte of the abstract's field in the file (of the record where the format escapes or wraps it)", nullable=True, minimum=0)
BYTE_END = Field("byte_end", "int64", "End (exclusive) of those bytes", nullable=True, minimum=0)
SOURCE_SHA256 = Field("source_sha256", "string", "SHA-256 of the source file", pattern=r"^[0-9a-f]{64}$")
FORMAT = Field("format", "string", "Format the file was read as", example="text/paragraphs")
ENCODING = Field("encoding", "string", "Character encoding of the file", example="utf-8")
SOURCE_RELATION = Field("relation", "string", "What the occurrence is to the kept one", allowed=SOURCE_RELATIONS)
SIMILARITY = Field("similarity", "float64", "Similarity to the kept text, 0–1; null for the kept one", nullable=True, minimum=0, maximum=1)

OTHER_ID = Field("other_id", "string", "The other abstract of the pair, the larger id", pattern=r"^[0-9a-f]{20}$")
REASON = Field("reason", "string", "Why")
OLD_ID = Field("old_id", "string", "Id of an abstract of an earlier release", pattern=r"^[0-9a-f]{20}$")
RELEASE = Field("release", "string", "First release without the old id")

STAGE = Field("stage", "string", "Stage that put the row aside", allowed=STAGES)
QUARANTINE_RULE = Field("rule", "string", "Name of the rule that was broken")
MESSAGE = Field("message", "string", "What is wrong and what a person can do about it")
