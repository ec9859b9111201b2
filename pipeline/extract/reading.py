"""One input file in, its records, quarantine rows and summary out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO, cast

from pipeline.extract.assemble import STAGE, Assembler, show_bytes
from pipeline.extract.content import Content, TooLarge
from pipeline.extract.discover import InputFile
from pipeline.extract.entry import Broken, Guess, Item, Reader
from pipeline.extract.options import ExtractOptions
from pipeline.extract.registry import looks_binary, recognise, what_it_is
from pipeline.extract.unpack import Member, open_members
from pipeline.model import FileSummary, QuarantineRow, RawRecord

Row = RawRecord | QuarantineRow | FileSummary


def read_file(file: InputFile, options: ExtractOptions) -> Iterator[Row]:
    """The records and quarantine rows of a file in order, its summary last.

    Streams: memory does not grow with the file. Never raises on bad data: a broken record is a quarantine row
    that takes an ordinal; a file or archive member that cannot be used is one without. A file in which no
    abstract was found gives a row too, so that nothing is lost in silence.
    """
    tally = _Tally()
    sha256 = hashlib.sha256(b"").hexdigest()
    if file.refused:
        yield _file_row(file.path, "not_a_file_here", file.refused)
        yield FileSummary(file.path, sha256, 0, "unknown", "unknown", 0, {})
        return
    try:
        with file.absolute.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            stream.seek(0)
            yield from _read_stream(stream, file, options, tally)
    except OSError as error:
        yield _file_row(
            file.path,
            "unreadable",
            f"cannot be read ({error.strerror or error}): check that it is a file and that you may read it",
        )
    yield FileSummary(
        file.path, sha256, file.size, tally.format, tally.encoding, tally.records, dict(sorted(tally.skipped.items()))
    )


class _Tally:
    def __init__(self) -> None:
        self.records = 0
        self.skipped: Counter[str] = Counter()
        self.formats: dict[str, None] = {}
        self.encodings: dict[str, None] = {}

    @property
    def format(self) -> str:
        return "+".join(self.formats) or "unknown"

    @property
    def encoding(self) -> str:
        return "+".join(self.encodings) or "unknown"

    def add(self, assembler: Assembler, packing: tuple[str, ...]) -> None:
        self.records += assembler.ordinal
        self.skipped += assembler.skipped
        self.formats["/".join((*packing, assembler.format))] = None
        self.encodings[assembler.encoding] = None


def _file_row(source_file: str, rule: str, message: str) -> QuarantineRow:
    return QuarantineRow(source_file, STAGE, rule, message)


def _read_stream(
    stream: BinaryIO, file: InputFile, options: ExtractOptions, tally: _Tally
) -> Iterator[RawRecord | QuarantineRow]:
    is_empty = True
    for member in open_members(stream, options):
        is_empty = False
        if isinstance(member, Broken):
            yield _file_row(file.path, member.rule, member.message)
            continue
        source_file = f"{file.path}!{member.path}" if member.path else file.path
        yield from read_member(member, source_file, options, tally)
    if is_empty:
        yield _file_row(file.path, "empty_file", "the archive holds no file: leave it out of the input, or fetch it again")


def read_member(
    member: Member, source_file: str, options: ExtractOptions, tally: _Tally
) -> Iterator[RawRecord | QuarantineRow]:
    """The rows of one file or archive member; counts go to `tally`."""
    content = Content(source_file, cast(BinaryIO, member.stream), options, member.source)
    readers = recognise(content) if content.head.strip() else []
    name = readers[0][0].name if readers else "unknown"
    assembler = Assembler(
        source_file,
        encoding_name(content, readers),
        name,
        options.max_record_bytes,
        is_plain=content.source is not None,
    )
    if not content.head.strip():
        if member.stream.trouble is None:
            yield _file_row(
                source_file, "empty_file", "the file is empty: leave it out of the input, or fetch it again"
            )
    elif not readers:
        yield _file_row(source_file, "unknown_format", what_it_is(content.head))
    else:
        for _, row in assembled(content, readers[0][0], assembler):
            if row is not None:
                yield row
        if assembler.ordinal == 0 and assembler.file_rows == 0 and member.stream.trouble is None:
            yield _file_row(source_file, "no_abstracts", _no_abstracts(name, assembler))
    if member.stream.trouble is not None:
        yield _file_row(source_file, member.stream.trouble.rule, member.stream.trouble.message)
    tally.add(assembler, member.packing)


def encoding_name(content: Content, readers: list[tuple[Reader, Guess]]) -> str:
    """The encoding to record: `binary` where the format is none of text."""
    if not content.head:
        return "unknown"
    return "binary" if (readers[0][0].is_binary if readers else looks_binary(content)) else content.encoding.name


def assembled(
    content: Content, reader: Reader, assembler: Assembler
) -> Iterator[tuple[Item, RawRecord | QuarantineRow | None]]:
    """Each item that a reader finds, with the row that it becomes (None for what is no record)."""
    variant = ""
    for item in _guarded_items(reader.read(content)):
        if content.variant != variant:
            variant = content.variant
            assembler.format = f"{reader.name}/{variant}"
        yield item, assembler.row(item)


def _guarded_items(items: Iterator[Item]) -> Iterator[Item]:
    """The items of a reader; whatever it raises on bad data becomes a quarantine row, what came before it stays."""
    try:
        yield from items
    except TooLarge as error:
        yield Broken(
            "too_large",
            f"a line or document of {error.size:,} bytes from byte {error.start:,} is beyond the limit: split the file",
            None,
            error.start,
            whole_file=True,
        )
    except RecursionError:
        yield Broken(
            "nested_too_deep",
            "the data are nested beyond the limit: flatten them, or leave the file out of the input",
            whole_file=True,
        )
    except Exception as error:
        words = show_bytes(f"{type(error).__name__}: {error}"[:300])
        yield Broken(
            "unreadable_content",
            f"reading stopped in the middle ({words}): check the file with `abstracts inspect`, or convert it to JSON Lines or CSV",
            whole_file=True,
        )


def _no_abstracts(name: str, assembler: Assembler) -> str:
    counts = (
        ", ".join(f"{count} {rule}" for rule, count in sorted(assembler.skipped.items()))
        or "nothing that looks like one"
    )
    return f"read as {name}, no abstract found ({counts}): run `abstracts inspect` on it, and name the field in the settings (mapping) if it has one"
