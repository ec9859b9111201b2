"""The clean stage: a table of records in, their clean texts row by row out. The only module here that knows Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.clean.language import detect_language, is_foreign
from pipeline.clean.plan import track
from pipeline.offsets import Segment
from pipeline.sentences import count_sentences, count_words

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

# What a text may hold that any step of the plan or any warning looks for. A text without is clean as it is, and most are. Wider
# than `needs_nothing` and the warnings, never narrower.
_SIGNS = (
    r"[^ -~]|[\\${}`~<&*_]|--|''|  |://|URL|TRUNCATED|\.\.\.|\]\(|\]\[|\]:|^[ #>\-=|]| $|^$|^(?i:abstract|res|ria|zus)"
    r"|opyright|eserved|\([cC]\)|Elsevier|PsycI|ookies|JavaScript"
)


def clean_table(records: pa.Table, macros: Mapping[str, str] | None = None) -> pa.Table:
    """Clean the column `raw_text` of `records`; other columns are not looked at.

    Out, row by row: text, map and wraps (flattened segments), flags, language, n_words, n_sentences, losses as
    `reason:count`, and the names of unknown macros. A text may come out empty: the caller quarantines it.
    """
    columns: dict[str, list[object]] = {name: [] for name in SCHEMA.names}
    texts = records["raw_text"].cast(pa.large_string())
    for raw, signs in zip(texts.to_pylist(), hold_signs(texts).to_pylist(), strict=True):
        row = _plain_row(raw) if signs is False else _row(raw or "", macros)
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    return pa.table(columns, schema=SCHEMA)


def hold_signs(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """For each text whether it has to go through the plan; null for null. One pass outside Python."""
    return pc.match_substring_regex(texts, pattern=_SIGNS)


def _plain_row(raw: str) -> tuple[object, ...]:
    """The values of a text that is clean as it is, in the order of the schema."""
    language = detect_language(raw)
    flags = ["not_english"] if is_foreign(language) else []
    return raw, [0, len(raw), 0, len(raw)], [], flags, language, count_words(raw), count_sentences(raw), [], []


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
        count_sentences(text),
        [f"{reason}:{count}" for reason, count in sorted(done.losses.items())],
        sorted(set(done.unknown)),
    )


def _flat(segments: Iterable[Segment]) -> list[int]:
    return [number for segment in segments for number in segment]
