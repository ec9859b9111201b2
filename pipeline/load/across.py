"""Rules that need a whole release: ids, occurrences and the ledger. Reads single columns of the written files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.load.parquet import read_table
from schemas.broken import EXAMPLES, Broken
from schemas.strings import whole

Ids = npt.NDArray[np.bytes_]

_ENTRIES = "Stage `extract` counted the records and `dedupe` accounts for them: run one of the named files alone to see which loses it."


def id_array(column: pa.ChunkedArray | pa.Array) -> Ids:
    """Ids of 20 hex digits as an array of fixed-width byte strings that NumPy compares and sorts."""
    flat = whole(pc.cast(column, pa.binary(20)))
    data = np.frombuffer(flat.buffers()[1] or b"", dtype="S20")
    return data[flat.offset : flat.offset + len(flat)]


def check_across(folder: Path, inputs: Iterable[Mapping[str, Any]]) -> list[Broken]:
    """Rules across all tables and partitions of a release; `inputs` are the entries of the manifest."""
    entries = list(inputs)
    ids = id_array(read_table(folder, "abstracts", ["abstract_id"])["abstract_id"])
    coded = ["source_file", "relation", "source_sha256"]
    sources = read_table(folder, "sources", ["abstract_id", "ordinal", *coded], coded).combine_chunks()
    quarantine = read_table(folder, "quarantine", ["source_file", "ordinal"], ["source_file"]).combine_chunks()
    places = _Places.of(sources, quarantine)
    return [
        *_ids_once(ids),
        *_kept_once(ids, sources),
        *_resolve(folder, ids),
        *_ledger(places, entries),
        *_ordinals(places),
        *_hashes(sources, entries),
    ]


def _broken(table: str, column: str, rule: str, found: Iterable[object], do: str = "") -> list[Broken]:
    examples = list(found)
    return [Broken(table, column, rule, len(examples), tuple(map(str, examples[:EXAMPLES])), do=do)] if examples else []


def _texts(ids: Ids) -> list[str]:
    return [value.decode() for value in ids.tolist()]


def _ids_once(ids: Ids) -> list[Broken]:
    return _broken("abstracts", "abstract_id", "rises from row to row over all files", _texts(ids[1:][ids[1:] <= ids[:-1]]))


def _kept_once(ids: Ids, sources: pa.Table) -> list[Broken]:
    owner = id_array(sources["abstract_id"])
    kept = np.sort(owner[np.asarray(pc.equal(sources["relation"], "kept"))])
    twice = kept[1:][kept[1:] == kept[:-1]]
    return [
        *_broken("sources", "abstract_id", "stands in abstracts", _texts(np.setdiff1d(owner, ids))),
        *_broken("sources", "relation", "is `kept` at least once per abstract", _texts(np.setdiff1d(ids, kept))),
        *_broken("sources", "relation", "is `kept` at most once per abstract", _texts(twice)),
    ]


def _resolve(folder: Path, ids: Ids) -> list[Broken]:
    variants = read_table(folder, "variants", ["abstract_id", "other_id"])
    redirects = read_table(folder, "redirects", ["old_id", "abstract_id"])
    targets = redirects["abstract_id"].drop_null()
    return [
        *_broken("variants", "other_id", "stands in abstracts", _texts(np.setdiff1d(id_array(variants["other_id"]), ids))),
        *_broken("redirects", "abstract_id", "stands in abstracts", _texts(np.setdiff1d(id_array(targets), ids))),
        *_broken("redirects", "old_id", "is no abstract of this release", _texts(np.intersect1d(id_array(redirects["old_id"]), ids))),
    ]


@dataclass(frozen=True, slots=True)
class _Places:
    """Where every record went: file (as a code into `names`) and ordinal; the first `kept` of them are sources."""

    names: list[str]
    files: npt.NDArray[np.int64]
    ordinals: npt.NDArray[np.int64]

    @classmethod
    def of(cls, sources: pa.Table, quarantine: pa.Table) -> _Places:
        records = quarantine.filter(quarantine["ordinal"].is_valid())
        both = whole(pa.chunked_array([*sources["source_file"].chunks, *records["source_file"].chunks], pa.dictionary(pa.int32(), pa.string())))
        ordinals = np.concatenate([np.asarray(whole(t["ordinal"]), dtype=np.int64) for t in (sources, records)])
        return cls(both.dictionary.to_pylist(), np.asarray(both.indices, dtype=np.int64), ordinals)


def _ledger(places: _Places, entries: list[Mapping[str, Any]]) -> list[Broken]:
    """records = kept + merged + quarantined for every input file; members of an archive count for the archive."""
    wanted = {entry["path"]: int(entry["records"]) for entry in entries}
    have = dict.fromkeys(wanted, 0)
    counts = np.bincount(places.files, minlength=len(places.names)).tolist()
    for name, number in zip(places.names, counts, strict=True):
        path = name if name in wanted else name.split("!")[0]
        have[path] = have.get(path, 0) + number
    wrong = [f"{path}: {wanted.get(path, 0)} records read, {n} accounted for" for path, n in have.items() if n != wanted.get(path, 0)]
    return _broken("sources", "source_file", "the ledger balances: records = kept + merged + quarantined", wrong, _ENTRIES)


def _ordinals(places: _Places) -> list[Broken]:
    order = np.lexsort((places.ordinals, places.files))
    files, ordinals = places.files[order], places.ordinals[order]
    starts = np.concatenate(([True], files[1:] != files[:-1])) if len(files) else np.array([], dtype=bool)
    run = np.arange(len(files)) - np.maximum.accumulate(np.where(starts, np.arange(len(files)), 0)) + 1
    wrong = [f"{places.names[file]}#{ordinal}" for file, ordinal in zip(files[ordinals != run], ordinals[ordinals != run], strict=True)]
    return _broken("sources", "ordinal", "the records of a file count from 1 without gaps, quarantined ones included", wrong, _ENTRIES)


def _hashes(sources: pa.Table, entries: list[Mapping[str, Any]]) -> list[Broken]:
    pairs = sources.select(["source_file", "source_sha256"]).group_by(["source_file", "source_sha256"], use_threads=False).aggregate([])
    known = {entry["path"]: entry["sha256"] for entry in entries}
    wrong = [row["source_file"] for row in pairs.to_pylist() if known.get(row["source_file"], row["source_sha256"]) != row["source_sha256"]]
    return _broken("sources", "source_sha256", "is the hash of the input file", wrong)
