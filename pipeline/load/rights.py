"""Rights: licence filter, takedowns and corrections, all given as data.

A takedown or a licence that is not wanted removes an abstract with all its occurrences: its rows leave every
table, each occurrence becomes a row of `quarantine` without text, and its id a redirect to nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.errors import RefusedError
from pipeline.load.context import Correction, ReleaseContext
from pipeline.load.parts import read_columns
from schemas.as_arrow import arrow_schema, empty
from schemas.strings import whole
from schemas.tables import ABSTRACTS, QUARANTINE

#: Columns that a correction may change: what the source says about an abstract. Texts and what is found in them
#: are not among them, because spans point into them.
CORRECTABLE = (
    "title", "venue", "doi", "arxiv_id", "arxiv_version", "source_url", "licence", "authors", "keywords", "year", "language",
)  # fmt: skip

MESSAGES = {
    "takedown": "Removed on request; it stays out as long as the takedown list names it.",
    "licence": "Its licence is not among those of --only-licences; build without that option to include it.",
}


@dataclass(frozen=True, slots=True)
class Rights:
    """Ids to leave out, by reason (`takedown`, `licence`), and corrections by id."""

    removed: Mapping[str, pa.Array]
    corrections: tuple[Correction, ...] = ()

    def drop(self, data: pa.Table, column: str = "abstract_id") -> pa.Table:
        """The rows whose id stays."""
        for ids in self.removed.values():
            if len(ids):
                data = data.filter(pc.invert(pc.is_in(data[column], value_set=ids)))
        return data

    def aside(self, sources: pa.Table) -> pa.Table:
        """Rows of quarantine for the occurrences of what is left out; never with text."""
        out = [empty(QUARANTINE)]
        for rule, ids in self.removed.items():
            rows = sources.filter(pc.is_in(sources["abstract_id"], value_set=ids)) if len(ids) else sources.slice(0, 0)
            known = {name: rows[name] for name in ("source_file", "ordinal", "byte_start", "byte_end")}
            given = {"stage": "load", "rule": rule, "message": MESSAGES[rule], "raw_text": None}
            columns = [known.get(f.name, pa.repeat(pa.scalar(given.get(f.name), f.type), rows.num_rows)) for f in arrow_schema(QUARANTINE)]
            out.append(pa.table(columns, schema=arrow_schema(QUARANTINE)))
        return pa.concat_tables(out)

    def correct(self, abstracts: pa.Table) -> pa.Table:
        """`abstracts` with the corrections of their ids; RefusedError where the source has changed since."""
        ids = whole(abstracts["abstract_id"])
        for item in self.corrections:
            row = pc.index(ids, item.abstract_id).as_py()
            if row >= 0:
                abstracts = _corrected(abstracts, row, item)
        return abstracts


def _corrected(abstracts: pa.Table, row: int, item: Correction) -> pa.Table:
    place, kind = abstracts.column_names.index(item.column), abstracts.schema.field(item.column)
    values = abstracts[item.column].to_pylist()
    if values[row] != item.old:
        raise RefusedError(
            f"The correction of {item.column} of {item.abstract_id} does not fit any more: the source says {values[row]!r}, "
            f"the correction expects {item.old!r}.",
            "Look at the new value; then delete the correction from corrections.toml or give the new value as its `old`.",
        )
    values[row] = item.new
    return abstracts.set_column(place, kind, pa.array(values, kind.type))


def find_rights(parts: Mapping[str, Sequence[Path]], context: ReleaseContext, redirects: Mapping[str, str | None]) -> Rights:
    """Which ids the takedown list and the licence filter remove. An id of an earlier release is followed through `redirects`."""
    _refuse_uncorrectable(context.corrections)
    removed: dict[str, list[pa.Array]] = {"takedown": [], "licence": []}
    wanted = _Wanted.of(context, redirects)
    if context.takedowns:
        for path in (*parts["abstracts"], *parts["sources"]):
            removed["takedown"].append(wanted.hits(read_columns(path, wanted.columns)))
    taken = pc.unique(pa.concat_arrays([pa.array([], pa.string()), *removed["takedown"]]))
    if context.only_licences:
        licences = pa.array(sorted({name.casefold() for name in context.only_licences}))
        for path in parts["abstracts"]:
            data = Rights({}, context.corrections).correct(read_columns(path, ["abstract_id", *CORRECTABLE]))
            allowed = pc.is_in(pc.utf8_lower(whole(data["licence"])), value_set=licences)
            removed["licence"].append(whole(data["abstract_id"].filter(pc.invert(allowed))))
    unlicensed = pa.concat_arrays([pa.array([], pa.string()), *removed["licence"]])
    unlicensed = unlicensed.filter(pc.invert(pc.is_in(unlicensed, value_set=taken)))
    return Rights({"takedown": taken.sort(), "licence": unlicensed.sort()}, context.corrections)


def _refuse_uncorrectable(corrections: Sequence[Correction]) -> None:
    for item in corrections:
        if item.column not in CORRECTABLE:
            raise RefusedError(
                f"A correction names the column {item.column!r} of {item.abstract_id}, which cannot be corrected by hand.",
                f"Correct the source file, or name one of {', '.join(CORRECTABLE)}.",
            )


@dataclass(frozen=True, slots=True)
class _Wanted:
    ids: pa.Array
    dois: pa.Array
    hashes: frozenset[str]

    @classmethod
    def of(cls, context: ReleaseContext, redirects: Mapping[str, str | None]) -> _Wanted:
        values = {item.value.strip().casefold() for item in context.takedowns}
        ids = {value for value in values if re.fullmatch("[0-9a-f]{20}", value)}
        ids |= {target for value in sorted(ids) if (target := redirects.get(value))}
        hashes = frozenset(value for value in values if re.fullmatch("[0-9a-f]{64}", value))
        dois = sorted(_bare_doi(value) for value in values - ids - hashes)
        return cls(pa.array(sorted(ids), pa.string()), pa.array(dois, pa.string()), hashes)

    @property
    def columns(self) -> list[str]:
        return ["abstract_id", "doi", *(["text", "raw_text"] if self.hashes else [])]

    def hits(self, data: pa.Table) -> pa.Array:
        doi = pc.replace_substring_regex(pc.utf8_lower(whole(data["doi"])), r"^(https?://(dx\.)?doi\.org/|doi:\s*)", "")
        hit = np.asarray(pc.or_(pc.is_in(whole(data["abstract_id"]), value_set=self.ids), pc.is_in(doi, value_set=self.dois)))
        for name in ("text", "raw_text"):
            if self.hashes and name in data.column_names:
                hit = hit | np.array([_sha256(value) in self.hashes for value in data[name].to_pylist()], dtype=bool)
        return whole(data["abstract_id"]).filter(pa.array(hit, pa.bool_()))


def _sha256(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()


def _bare_doi(value: str) -> str:
    return re.sub(r"^(https?://(dx\.)?doi\.org/|doi:\s*)", "", value)


def correctable_type(column: str) -> str:
    """The type that `old` and `new` of a correction of this column have."""
    return ABSTRACTS.field(column).type
