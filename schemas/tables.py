"""Which fields make a table: its columns, key, order, and the stage it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from schemas import fields as f

#: Rises when a column is renamed or its meaning changes; added columns do not raise it.
SCHEMA_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class Table:
    """A table: `key` is unique (empty: no key), `order` is how rows are sorted, `stage` is who makes it."""

    name: str
    meaning: str
    fields: tuple[f.Field, ...]
    key: tuple[str, ...]
    order: tuple[str, ...]
    stage: str

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    def field(self, name: str) -> f.Field:
        return next(field for field in self.fields if field.name == name)


ABSTRACTS = Table(
    "abstracts",
    "One row per distinct abstract",
    (
        f.ABSTRACT_ID, f.TEXT, f.RAW_TEXT.but(meaning="The kept occurrence as it stood in the source, decoded only"),
        f.TITLE, f.VENUE, f.DOI, f.ARXIV_ID, f.SOURCE_URL, f.LICENCE, f.ARXIV_VERSION, f.AUTHORS, f.KEYWORDS, f.YEAR,
        f.LANGUAGE, f.N_WORDS, f.N_SENTENCES, f.METHODS, f.DATASETS, f.METRICS, f.URLS, f.FLAGS,
    ),
    key=("abstract_id",), order=("abstract_id",), stage="load",
)  # fmt: skip
METHODS = Table(
    "methods",
    "One row per method that an abstract names",
    (f.ABSTRACT_ID, f.NAME, f.LONG_FORM, f.ROLE, f.MENTIONS, *f.FOUND),
    key=("abstract_id", "name"), order=("abstract_id", "char_start", "char_end", "name"), stage="enrich",
)  # fmt: skip
DATASETS = Table(
    "datasets",
    "One row per dataset, benchmark, corpus, simulator or environment that an abstract names",
    (f.ABSTRACT_ID, f.NAME, f.LONG_FORM, f.ROLE, f.MENTIONS, *f.FOUND),
    key=("abstract_id", "name"), order=("abstract_id", "char_start", "char_end", "name"), stage="enrich",
)  # fmt: skip
METRICS = Table(
    "metrics",
    "One row per reported result, and per measure named without a number",
    (
        f.ABSTRACT_ID, f.METRIC, f.METRIC_CANONICAL, f.VALUE, f.VALUE_MAX, f.BASELINE, f.UNIT, f.RELATION,
        f.VALUE_KIND, f.UNCERTAINTY, f.DATASET, f.SUBJECT, f.EVIDENCE, *f.FOUND,
    ),
    key=(), order=("abstract_id", "char_start", "char_end", "metric", "value"), stage="enrich",
)  # fmt: skip
URLS = Table(
    "urls",
    "One row per distinct URL, DOI or arXiv identifier in an abstract",
    (f.ABSTRACT_ID, f.URL, f.KIND, f.HOST, f.REPOSITORY, f.IDENTIFIER, *f.FOUND),
    key=("abstract_id", "url"), order=("abstract_id", "char_start", "char_end", "url"), stage="enrich",
)  # fmt: skip
MENTIONS = Table(
    "mentions",
    "Every mention of the rows of methods, datasets, metrics and urls",
    (
        f.ABSTRACT_ID, f.KIND.but(allowed=f.MENTION_KINDS, meaning="Table the name belongs to"),
        f.NAME.but(meaning="Name, measure or address of the row it belongs to (of a result without measure its evidence)"),
        f.CHAR_START.but(meaning="Start of the mention in `text`"), f.CHAR_END.but(meaning="End (exclusive) of the mention in `text`"),
        f.RAW_START.but(meaning="Start of the mention in `raw_text`, mark-up included"),
        f.RAW_END.but(meaning="End (exclusive) of the mention in `raw_text`, mark-up included"),
    ),
    key=(), order=("abstract_id", "char_start", "char_end", "kind", "name"), stage="enrich",
)  # fmt: skip
SOURCES = Table(
    "sources",
    "One row per occurrence of an abstract in the input",
    (
        f.ABSTRACT_ID.but(meaning="The abstract that the occurrence became part of"), f.SOURCE_FILE, f.ORDINAL, f.SOURCE_ID,
        f.BYTE_START, f.BYTE_END, f.SOURCE_SHA256, f.FORMAT, f.ENCODING, f.SOURCE_RELATION, f.SIMILARITY, f.TITLE, f.DOI,
        f.ARXIV_ID, f.ARXIV_VERSION,
        f.RAW_TEXT.but(nullable=True, meaning="The occurrence as it stands in the source, only where it differs from the kept one"),
    ),
    key=("source_file", "ordinal"), order=("source_file", "ordinal"), stage="load",
)  # fmt: skip
VARIANTS = Table(
    "variants",
    "Pairs of abstracts that look alike but are kept apart",
    (
        f.ABSTRACT_ID.but(meaning="The abstract of the pair with the smaller id"), f.OTHER_ID,
        f.SIMILARITY.but(nullable=False, meaning="Similarity of the two texts, 0–1"), f.REASON.but(meaning="Why they are kept apart"),
    ),
    key=("abstract_id", "other_id"), order=("abstract_id", "other_id"), stage="load",
)  # fmt: skip
REDIRECTS = Table(
    "redirects",
    "What became of ids of earlier releases",
    (
        f.OLD_ID, f.ABSTRACT_ID.but(nullable=True, meaning="The abstract it is part of now; null when it was removed"),
        f.RELEASE, f.REASON.but(meaning="What happened to it"),
    ),
    key=("old_id",), order=("old_id",), stage="load",
)  # fmt: skip
QUARANTINE = Table(
    "quarantine",
    "Files and records that could not be used, with the reason",
    (
        f.SOURCE_FILE, f.ORDINAL.but(nullable=True, meaning="Place among the records of its file; null for a whole file"),
        f.BYTE_START, f.BYTE_END, f.STAGE, f.QUARANTINE_RULE, f.MESSAGE,
        f.RAW_TEXT.but(nullable=True, meaning="What stands there, at most 64 KiB, undecodable bytes as \\xNN; null for takedowns"),
    ),
    key=(), order=("source_file", "ordinal", "stage", "rule"), stage="load",
)  # fmt: skip

#: The tables of a release, in the order in which people read them.
RELEASE_TABLES = (ABSTRACTS, METHODS, DATASETS, METRICS, URLS, MENTIONS, SOURCES, VARIANTS, REDIRECTS, QUARANTINE)

#: Work tables, between stages. `records` and `cleaned` are row-aligned per shard.
RECORDS = Table(
    "records",
    "What extract reads: one row per record",
    (
        f.SOURCE_FILE, f.ORDINAL, f.SOURCE_ID, f.BYTE_START, f.BYTE_END, f.FORMAT, f.ENCODING, f.RAW_TEXT, f.TITLE, f.VENUE,
        f.DOI, f.ARXIV_ID, f.ARXIV_VERSION, f.SOURCE_URL, f.LICENCE, f.YEAR, f.AUTHORS, f.KEYWORDS, f.FLAGS,
    ),
    key=("source_file", "ordinal"), order=(), stage="extract",
)  # fmt: skip
CLEANED = Table(
    "cleaned",
    "What clean makes of a shard of records, row by row",
    (
        f.TEXT, f.Field("usable", "bool", "Whether the text can become an abstract; else it is quarantined"),
        f.Field("map", "list<int32>", "Segments char_start, char_end, raw_start, raw_end that cover the text"),
        f.Field("wraps", "list<int32>", "Mark-up constructs as char_start, char_end, raw_start, raw_end"),
        f.FLAGS, f.LANGUAGE, f.N_WORDS, f.N_SENTENCES,
        f.Field("losses", "list<string>", "What cleaning dropped, as reason:count"),
        f.Field("unknown_macros", "list<string>", "Macros of the text whose meaning is not known"),
        f.Field("unaccounted", "int32", "Words, numbers, percent signs and URLs missing from the text without a reason", minimum=0),
    ),
    key=(), order=(), stage="clean",
)  # fmt: skip
WORK_TABLES = (RECORDS, CLEANED)
TABLES = {table.name: table for table in (*RELEASE_TABLES, *WORK_TABLES)}
