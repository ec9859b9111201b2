"""The steps of a run for one unit or shard: paths in, paths out, a small result back.

Each is idempotent: it writes under a temporary name and renames, and returns at once when its output is
there already. They run unchanged in this process, in a local process, and on a cluster.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline import reuse
from pipeline.clean.losses import find_losses
from pipeline.clean.stage import clean_table
from pipeline.dedupe.signatures import sign_table
from pipeline.enrich.stage import quads
from pipeline.extract import read_file
from pipeline.jobs import CleaningCounts, CleanJob, ExtractJob, RecordShard, UnitResult
from pipeline.model import CleanText, FileSummary, QuarantineRow, RawRecord
from pipeline.offsets import OffsetMap
from pipeline.state import rename_whole
from schemas import tables
from schemas.as_arrow import arrow_schema, conform
from schemas.as_pandera import check

#: A quarantined text is shown up to this size (CONTRACT: at most 64 KiB).
SHOWN_BYTES = 65_536
#: A shard is full at this much raw text even with few rows: steps hold a shard in memory several times over.
SHARD_CHARACTERS = 32 * 1024 * 1024
#: A clean text shorter than this cannot be an abstract.
MIN_TEXT = 2
_WORK = {"compression": "zstd", "compression_level": 1}


def write_table(data: pa.Table, path: Path) -> None:
    """Write a file of a work folder that has its temporary name still."""
    pq.write_table(data, path, **_WORK)


def read_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a work file without holding it twice (pre-buffering keeps the whole file in memory)."""
    with pq.ParquetFile(path, pre_buffer=False, memory_map=False) as file:
        return file.read(columns=list(columns) if columns is not None else None)


def extract_unit(job: ExtractJob) -> UnitResult:
    """Read the files of a unit: record shards, a quarantine table, and one summary per file."""
    if not job.out.is_dir():
        temporary = job.out.with_name(f"{job.out.name}.{os.getpid()}.tmp")
        temporary.mkdir(parents=True, exist_ok=True)
        _read_unit(job, temporary)
        rename_whole(temporary, job.out)
    return _unit_result(job.out)


def _read_unit(job: ExtractJob, folder: Path) -> None:
    records: list[RawRecord] = []
    quarantined: list[QuarantineRow] = []
    summaries: list[FileSummary] = []
    shards: list[dict[str, object]] = []
    characters = 0

    def flush() -> None:
        nonlocal characters
        characters = 0
        if records:
            shards.append(_write_records(records, folder / f"records-{len(shards):05d}.parquet"))
            records.clear()

    for file in job.files:
        for item in read_file(file, job.options):
            if isinstance(item, RawRecord):
                records.append(item)
                characters += len(item.raw_text)
                if len(records) >= job.shard_rows or characters >= SHARD_CHARACTERS:
                    flush()
            elif isinstance(item, QuarantineRow):
                quarantined.append(item)
            else:
                summaries.append(item)
    flush()
    write_table(quarantine_table(quarantined), folder / "quarantine.parquet")
    text = json.dumps({"shards": shards, "summaries": [asdict(s) for s in summaries]}, ensure_ascii=True)
    (folder / "unit.json").write_text(text, encoding="ascii")


def _write_records(records: Sequence[RawRecord], path: Path) -> dict[str, object]:
    schema = arrow_schema(tables.RECORDS)
    columns = [pa.array([getattr(r, f.name) for r in records], f.type) for f in schema]
    data = check(pa.Table.from_arrays(columns, schema=schema), tables.RECORDS)
    digest = sha256()
    for record in records:
        text = record.raw_text.encode("utf-8", "surrogatepass")
        digest.update(len(text).to_bytes(8, "little") + text)
    write_table(data, path)
    return {"name": path.name, "rows": len(records), "texts": digest.hexdigest()[:20]}


def _unit_result(folder: Path) -> UnitResult:
    told = json.loads((folder / "unit.json").read_text(encoding="ascii"))
    shards = tuple(RecordShard(folder / s["name"], s["rows"], s["texts"]) for s in told["shards"])
    return UnitResult(shards, tuple(FileSummary(**s) for s in told["summaries"]), folder / "quarantine.parquet")


def quarantine_table(rows: Sequence[QuarantineRow]) -> pa.Table:
    """Quarantine rows as a checked table; texts cut at SHOWN_BYTES, characters that UTF-8 cannot hold as \\xNN."""
    schema = arrow_schema(tables.QUARANTINE)
    columns = {f.name: [getattr(r, f.name) for r in rows] for f in fields(QuarantineRow)}
    columns["raw_text"] = [_shown(text) for text in columns["raw_text"]]
    data = pa.Table.from_arrays([pa.array(columns[f.name], f.type) for f in schema], schema=schema)
    return check(data, tables.QUARANTINE)


def _shown(text: str | None) -> str | None:
    if text is None:
        return None
    return text.encode("utf-8", "backslashreplace")[:SHOWN_BYTES].decode("utf-8", "ignore")


def clean_shard(job: CleanJob) -> Path:
    """Clean a shard: `cleaned.parquet` and `signatures.parquet` in `out`, row-aligned with its records.

    Rows whose raw text a donor has are taken from there; which donors there are changes no row.
    """
    if not job.out.is_dir():
        temporary = job.out.with_name(f"{job.out.name}.{os.getpid()}.tmp")
        temporary.mkdir(parents=True, exist_ok=True)
        records = read_table(job.records, ["raw_text"])
        hashes = reuse.hash_texts(records["raw_text"])
        pieces = [
            (places, *(read_table(folder / name).take(rows) for name in ("cleaned.parquet", "signatures.parquet")))
            for folder, places, rows in reuse.find_rows(hashes, job.donors)
        ]
        rest = reuse.left_over(len(hashes), [places for places, *_ in pieces])
        if len(rest) or not pieces:
            pieces.append((rest, *_clean_rows(records.take(pa.array(rest)), job.macros)))
        cleaned = reuse.put_together([(places, data) for places, data, _ in pieces])
        write_table(check(conform(cleaned, tables.CLEANED), tables.CLEANED), temporary / "cleaned.parquet")
        write_table(reuse.put_together([(places, data) for places, _, data in pieces]), temporary / "signatures.parquet")
        reuse.write_hashes(hashes, temporary)
        rename_whole(temporary, job.out)
    return job.out


def _clean_rows(records: pa.Table, macros: Mapping[str, str]) -> tuple[pa.Table, pa.Table]:
    """The clean texts with what goes with them, and their signatures."""
    cleaned = clean_table(records, macros or None)
    usable = pc.greater_equal(pc.utf8_length(cleaned["text"]), MIN_TEXT)
    cleaned = cleaned.append_column("usable", usable).append_column("unaccounted", _unaccounted(records, cleaned))
    return conform(cleaned, tables.CLEANED), sign_table(cleaned["text"])


def _unaccounted(records: pa.Table, cleaned: pa.Table) -> pa.Array:
    """How many words, numbers, `%` and URLs of each raw text are missing without a reason. A text that was only
    cut out of its raw text (one segment, no mark-up) cannot have lost any within it."""
    counts = [0] * cleaned.num_rows
    touched = pc.or_(pc.greater(pc.list_value_length(cleaned["map"]), 4), pc.not_equal(pc.utf8_length(cleaned["text"]), pc.utf8_length(records["raw_text"])))
    rows = pc.indices_nonzero(touched)
    columns = (cleaned[name].take(rows).to_pylist() for name in ("text", "flags", "map", "wraps"))
    for row, raw, text, flags, *maps in zip(rows.to_pylist(), records["raw_text"].take(rows).to_pylist(), *columns, strict=True):
        counts[row] = len(find_losses(raw, CleanText(text, tuple(flags), OffsetMap(*map(quads, maps)))))
    return pa.array(counts, pa.int32())


def count_losses(cleaned: Path) -> CleaningCounts:
    """What cleaning a shard dropped by reason, the macros it did not know, and the texts that lost something without a reason."""
    data = read_table(cleaned, ["losses", "unknown_macros", "unaccounted"])
    losses = Counter[str]()
    for entry in pc.list_flatten(data["losses"]).to_pylist():
        reason, _, count = entry.rpartition(":")
        losses[reason] += int(count)
    macros = Counter(pc.list_flatten(data["unknown_macros"]).to_pylist())
    return CleaningCounts(losses, macros, pc.sum(pc.greater(data["unaccounted"], 0)).as_py() or 0)
