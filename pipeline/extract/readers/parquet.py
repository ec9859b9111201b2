"""Parquet, and Arrow IPC in files and streams, batch by batch; nested columns are searched like JSON objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.extract.content import Content
from pipeline.extract.entry import Broken, Entry, Guess, Item, Reader
from pipeline.extract.objects import entry_of, find_entries, mapped_entry, plan_for

_PARQUET, _ARROW, _FEATHER1 = b"PAR1", b"ARROW1", b"FEA1"
_STREAM = b"\xff\xff\xff\xff"
_BATCH_ROWS = 1024


def _sniff(content: Content) -> Guess | None:
    for magic, words in ((_PARQUET, "Parquet"), (_ARROW, "an Arrow file"), (_FEATHER1, "a Feather file")):
        if content.head.startswith(magic):
            return Guess(98, f"begins with the signature of {words}")
    return Guess(70, "begins as an Arrow stream") if content.head.startswith(_STREAM) else None


def _batches(content: Content) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = content.seekable()
    head = content.head
    if head.startswith(_PARQUET):
        yield from pq.ParquetFile(data, pre_buffer=False).iter_batches(batch_size=_BATCH_ROWS)
    elif head.startswith(_ARROW):
        with pa.ipc.open_file(data) as reader:
            yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
    else:
        with pa.ipc.open_stream(data) as reader:
            yield from reader


def _read(content: Content) -> Iterator[Item]:
    content.variant = "" if content.head.startswith(_PARQUET) else "arrow"
    rows = found = 0
    names: list[str] = []
    if content.head.startswith(_FEATHER1):
        yield Broken("unsupported", "Feather version 1 has no checks against damage and cannot be read safely: save it as Parquet", whole_file=True)
        return
    for batch in _batches(content):
        # What the file says of its own buffers is not trusted: values out of their bounds would crash the process.
        batch.validate(full=True)
        names = list(batch.schema.names)
        for row in batch.to_pylist(maps_as_pydicts="lossy"):
            rows += 1
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
