"""The clean stage: a table of records in, their clean texts row by row out. The only module here that knows Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from pipeline.clean.plan import track
from pipeline.offsets import Segment
from pipeline.sentences import count_words, split_sentences

SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("map", pa.list_(pa.int32())),
        ("wraps", pa.list_(pa.int32())),
        ("flags", pa.list_(pa.string())),
        ("language", pa.string()),
        ("n_words", pa.int32()),
        ("n_sentences", pa.int32()),
        ("losses", pa.list_(pa.string())),
        ("unknown_macros", pa.list_(pa.string())),
    ]
)


def clean_table(records: pa.Table, macros: Mapping[str, str] | None = None) -> pa.Table:
    """Clean the column `raw_text` of `records`; other columns are not looked at.

    Out, row by row: text, map and wraps (flattened segments), flags, language, n_words, n_sentences, losses as
    `reason:count`, and the names of unknown macros. A text may come out empty: the caller quarantines it.
    """
    columns: dict[str, list[object]] = {name: [] for name in SCHEMA.names}
    for raw in records["raw_text"].to_pylist():
        for name, value in zip(columns, _row(raw or "", macros), strict=True):
            columns[name].append(value)
    return pa.table(columns, schema=SCHEMA)


def _row(raw: str, macros: Mapping[str, str] | None) -> tuple[object, ...]:
    """The values of one row, in the order of the schema."""
    done = track(raw, macros)
    text = done.text
    return (
        text,
        _flat(done.segments),
        _flat(done.wraps),
        sorted(done.flags),
        done.language,
        count_words(text),
        len(split_sentences(text)),
        [f"{reason}:{count}" for reason, count in sorted(done.losses.items())],
        sorted(set(done.unknown)),
    )


def _flat(segments: Iterable[Segment]) -> list[int]:
    return [number for segment in segments for number in segment]
