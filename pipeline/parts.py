"""One shard's part of every release table: what its kept rows name, put together with its records and decisions.

Like the steps it takes paths and gives paths, and is idempotent. A part is named by all that decides it, so that
a refresh writes only the parts of shards whose texts or decisions changed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from pipeline import reuse
from pipeline.enrich.stage import CHILDREN, enrich_table
from pipeline.jobs import Part, PartJob
from pipeline.load.digest import checksum
from pipeline.load.parts import write_part
from pipeline.model import QuarantineRow
from pipeline.state import fingerprint, rename_whole
from pipeline.steps import quarantine_table, read_table, write_table
from schemas import tables
from schemas.as_arrow import conform, empty
from schemas.as_pandera import check

#: Columns of `cleaned` that no release table holds.
_INNER = ("map", "wraps", "losses", "unknown_macros", "unaccounted")
#: What is kept of enriching a shard: the child tables, and `lists` with the hash of each text.
_CACHED = (*(table.name for table in CHILDREN), "lists")


def part_of_shard(job: PartJob) -> Part:
    """The part of a shard: that of an earlier run where nothing changed, else written now."""
    decisions = read_table(job.decisions)
    kept = pc.fill_null(pc.equal(decisions["relation"], "kept"), False)
    ids = decisions["abstract_id"].filter(kept)
    fills = read_table(job.fills)
    fills = fills.filter(pc.is_in(fills["abstract_id"], value_set=ids))
    files = sorted({name.split("!")[0] for name in pc.unique(read_table(job.records, ["source_file"])["source_file"]).to_pylist()})
    hashes = {name: job.hashes[name] for name in files}
    own = (job.records.parent.name, job.records.name, job.cleaned.parent.name, checksum(decisions), checksum(fills))
    folder = job.parts / fingerprint(job.code, own, hashes)
    if not folder.is_dir():
        temporary = folder.with_name(f"{folder.name}.{os.getpid()}.tmp")
        temporary.mkdir(parents=True, exist_ok=True)
        _write(job, temporary, (decisions, kept, ids, fills))
        rename_whole(temporary, folder)
    return Part(folder, json.loads((folder / "rows.json").read_text("ascii")))


def _write(job: PartJob, folder: Path, decided: tuple[pa.Table, pa.ChunkedArray, pa.ChunkedArray, pa.Table]) -> None:
    decisions, kept, ids, fills = decided
    found = _enriched(job, kept, ids)
    records = read_table(job.records)
    cleaned = read_table(job.cleaned, [c for c in tables.CLEANED.columns if c not in _INNER])
    own = {
        "abstracts": _abstracts((records, cleaned), kept, ids, found["lists"], fills),
        "sources": _sources(records, decisions, job.hashes),
        "quarantine": _unusable(records, cleaned),
    }
    made = {table.name: conform(found[table.name], table) for table in CHILDREN}  # `enrich_table` has checked these
    made |= {name: check(conform(data, tables.TABLES[name]), tables.TABLES[name]) for name, data in own.items()}
    for name, data in made.items():
        write_part(data, folder / f"{name}.arrow")
    (folder / "rows.json").write_text(json.dumps({name: data.num_rows for name, data in made.items()}), "ascii")


def _enriched(job: PartJob, kept: pa.ChunkedArray, ids: pa.ChunkedArray) -> dict[str, pa.Table]:
    """What the kept rows name: from the cache or a donor where the same text was enriched before, else worked out now."""
    keys = pa.table({"abstract_id": ids, "text": reuse.read_hashes(job.cleaned.parent).filter(kept.combine_chunks())})
    own = job.cache.is_dir()
    pieces = list(_known(keys, [job.cache] if own else job.donors))
    known = pa.concat_tables([piece["lists"].select(["abstract_id"]) for piece in pieces])["abstract_id"] if pieces else pa.array([], pa.string())
    wanted = pc.invert(pc.is_in(ids, value_set=known))
    if pc.any(wanted).as_py() or not pieces:
        texts = read_table(job.cleaned, ["text", "map", "wraps"]).filter(kept)
        fresh = enrich_table(texts.append_column("abstract_id", ids).filter(wanted))
        where = pc.index_in(fresh["lists"]["abstract_id"], value_set=ids)
        pieces.append(fresh | {"lists": fresh["lists"].append_column("text", keys["text"].take(where))})
    found = {name: _merged(name, [piece[name] for piece in pieces]) for name in _CACHED}
    if not own or len(pieces) > 1:
        temporary = job.cache.with_name(f"{job.cache.name}.{os.getpid()}.tmp")
        temporary.mkdir(parents=True, exist_ok=True)
        for name, data in found.items():
            write_table(data, temporary / f"{name}.parquet")
        _replace_folder(temporary, job.cache)
    return found


def _known(keys: pa.Table, folders: Sequence[Path]) -> Iterator[dict[str, pa.Table]]:
    """From each folder the rows of the abstracts in `keys` that were enriched out of the same text; each abstract once."""
    for folder in folders:
        lists = read_table(folder / "lists.parquet")
        where = pc.index_in(lists["abstract_id"], value_set=keys["abstract_id"].combine_chunks())
        same = pc.fill_null(pc.equal(lists["text"], keys["text"].take(where)), False)
        ids = lists["abstract_id"].filter(same)
        if len(ids):
            found = {name: lists if name == "lists" else read_table(folder / f"{name}.parquet") for name in _CACHED}
            yield {name: data.filter(pc.is_in(data["abstract_id"], value_set=ids.combine_chunks())) for name, data in found.items()}
            keys = keys.filter(pc.invert(pc.is_in(keys["abstract_id"], value_set=ids.combine_chunks())))


def _replace_folder(temporary: Path, final: Path) -> None:
    if final.is_dir():
        old = final.with_name(f"{final.name}.{os.getpid()}.old")
        os.rename(final, old)
        rename_whole(temporary, final)
        for path in old.iterdir():
            path.unlink()
        old.rmdir()
    else:
        rename_whole(temporary, final)


def _merged(name: str, pieces: Sequence[pa.Table]) -> pa.Table:
    if len(pieces) == 1:
        return pieces[0]
    order = tables.TABLES[name].order if name in tables.TABLES else ("abstract_id",)
    return pa.concat_tables(pieces).sort_by([(column, "ascending") for column in order])


def _abstracts(rows: tuple[pa.Table, pa.Table], kept: pa.ChunkedArray, ids: pa.ChunkedArray, lists: pa.Table, fills: pa.Table) -> pa.Table:
    records, cleaned = rows
    records, cleaned = records.filter(kept), cleaned.filter(kept)
    columns = {name: records[name] for name in tables.RECORDS.columns if name in tables.ABSTRACTS.columns}
    columns |= {name: cleaned[name] for name in tables.CLEANED.columns if name in tables.ABSTRACTS.columns}
    columns |= {"abstract_id": ids, "flags": _union(records["flags"], cleaned["flags"])}
    where = pc.index_in(ids, value_set=lists["abstract_id"].combine_chunks())
    columns |= {name: lists[name].take(where) for name in ("methods", "datasets", "metrics", "urls")}
    data = pa.table({name: columns[name] for name in tables.ABSTRACTS.columns})
    return _fill(data, fills).sort_by("abstract_id")


def _union(one: pa.ChunkedArray, other: pa.ChunkedArray) -> pa.Array:
    """Row by row the sorted union of two lists of flags; most rows have none."""
    pairs = zip(one.to_pylist(), other.to_pylist(), strict=True)
    return pa.array([sorted({*a, *b}) if a or b else [] for a, b in pairs], pa.list_(pa.string()))


def _fill(data: pa.Table, fills: pa.Table) -> pa.Table:
    """Put the metadata that merged copies give into the gaps of kept records."""
    where = pc.index_in(data["abstract_id"], value_set=fills["abstract_id"].combine_chunks())
    if where.null_count == len(where):
        return data
    has = pc.is_valid(where)
    for name in fills.column_names:
        if name in data.column_names and name != "abstract_id":
            values = fills[name].take(where).cast(data.schema.field(name).type)
            data = data.set_column(data.column_names.index(name), name, pc.if_else(has, values, data[name]))
    return data


def _sources(records: pa.Table, decisions: pa.Table, hashes: Mapping[str, str]) -> pa.Table:
    used = pc.is_valid(decisions["abstract_id"])
    records, decisions = records.filter(used), decisions.filter(used)
    same = pc.is_in(decisions["relation"], value_set=pa.array(["kept", "exact"]))
    columns = {name: records[name] for name in tables.RECORDS.columns if name in tables.SOURCES.columns}
    columns |= {name: decisions[name] for name in ("abstract_id", "relation", "similarity")}
    columns["raw_text"] = pc.if_else(same, pa.scalar(None, pa.string()), records["raw_text"])
    columns["source_sha256"] = pa.array([hashes[f.split("!")[0]] for f in records["source_file"].to_pylist()], pa.string())
    data = pa.table({name: columns[name] for name in tables.SOURCES.columns})
    return data.sort_by([(c, "ascending") for c in tables.SOURCES.order])


def _unusable(records: pa.Table, cleaned: pa.Table) -> pa.Table:
    rows = records.filter(pc.invert(cleaned["usable"]))
    if not rows.num_rows:
        return empty(tables.QUARANTINE)
    message = "Nothing is left of this record after cleaning. Check the file; if it holds no abstract here, remove the entry."
    return quarantine_table([
        QuarantineRow(r["source_file"], "clean", "no_text_left", message, r["ordinal"], r["byte_start"], r["byte_end"], r["raw_text"])
        for r in rows.to_pylist()
    ])  # fmt: skip
