"""Parquet, and Arrow IPC in files and streams, batch by batch; nested columns are searched like JSON objects."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from pipeline.extract.content import Content
from pipeline.extract.entry import Broken, Entry, Guess, Item, Reader, unpacks_too_large
from pipeline.extract.objects import entry_of, find_entries, mapped_entry, plan_for
from pipeline.extract.options import MIB, RATIO_FROM

_PARQUET, _ARROW, _FEATHER1 = b"PAR1", b"ARROW1", b"FEA1"
_STREAM = b"\xff\xff\xff\xff"
_BATCH_ROWS = 1024
# Rows turned into Python objects at once: a dictionary shares one long value among all rows, copies do not.
_SLICE_ROWS = 64


def _sniff(content: Content) -> Guess | None:
    for magic, words in ((_PARQUET, "Parquet"), (_ARROW, "an Arrow file"), (_FEATHER1, "a Feather file")):
        if content.head.startswith(magic):
            return Guess(98, f"begins with the signature of {words}")
    return Guess(70, "begins as an Arrow stream") if content.head.startswith(_STREAM) else None


def _batches(content: Content, data: BinaryIO) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    head = content.head
    if head.startswith(_PARQUET):
        yield from pq.ParquetFile(data, pre_buffer=False).iter_batches(batch_size=_BATCH_ROWS)
    elif head.startswith(_ARROW):
        with pa.ipc.open_file(data) as reader:
            yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
    else:
        with pa.ipc.open_stream(data) as reader:
            yield from reader


def _rows(batch: Any) -> Iterator[dict[str, Any]]:
    for start in range(0, batch.num_rows, _SLICE_ROWS):
        yield from batch.slice(start, _SLICE_ROWS).to_pylist(maps_as_pydicts="lossy")


def _text_size(value: object) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        return sum(_text_size(v) for v in value.values())
    return sum(map(_text_size, value)) if isinstance(value, list) else 0


def _read(content: Content) -> Iterator[Item]:
    content.variant = "" if content.head.startswith(_PARQUET) else "arrow"
    rows = found = 0
    names: list[str] = []
    if content.head.startswith(_FEATHER1):
        yield Broken("unsupported", "Feather version 1 has no checks against damage and cannot be read safely: save it as Parquet", whole_file=True)
        return
    data = content.seekable()
    file_size = data.seek(0, io.SEEK_END)
    data.seek(0)
    limit, size = max(RATIO_FROM, content.options.max_ratio * file_size), 0
    for batch in _batches(content, data):
        # What the file says of its own buffers is not trusted: values out of their bounds would crash the process.
        batch.validate(full=True)
        names = list(batch.schema.names)
        for row in _rows(batch):
            rows += 1
            size += _text_size(row)
            if size > limit:
                yield unpacks_too_large(f"holds more than {size // MIB} MiB of text in {file_size:,} bytes")
                return
            entry = mapped_entry(row, content.mapping) if content.mapping else entry_of(row)
            if entry is not None:
                found += 1
                content.columns = content.columns or dict(plan_for(row))
                yield entry
            else:
                for inner in find_entries(row, content.options.max_nesting):
                    found += 1
                    yield inner
    if rows and not found:
        yield Broken(
            "no_abstract_column",
            f"no column holds abstracts (columns: {', '.join(names)[:300]}): name it in the settings (mapping)",
            whole_file=True,
        )
    elif not rows:
        yield Entry(None)


READER = Reader("parquet", _sniff, _read, ceiling=98, is_binary=True)
