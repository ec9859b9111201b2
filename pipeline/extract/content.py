"""The opened content of one file or archive member: bytes once, in order, with the place of every line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, BinaryIO, NamedTuple, TypeVar

from pipeline.extract.encoding import Encoding, detect_encoding
from pipeline.extract.options import MIB, ExtractOptions

T = TypeVar("T")

HEAD_BYTES = 8 * MIB
CHUNK_BYTES = 1 * MIB
_KEPT_OF_LONG_LINE = 64 * 1024
SNIFF_CHARS = 256 * 1024


class Line(NamedTuple):
    """A line without its line feed, and the bytes that it takes (line feed excluded)."""

    text: str
    start: int
    end: int


class TooLarge(Exception):
    """A line, record or document beyond the limits."""

    def __init__(self, start: int, size: int) -> None:
        super().__init__(f"{size} bytes from byte {start}")
        self.start = start
        self.size = size


@dataclass(slots=True, weakref_slot=True)
class _Feed:
    stream: BinaryIO
    buffered: list[bytes] = field(default_factory=list)

    def read(self) -> bytes:
        return self.buffered.pop() if self.buffered else self.stream.read(CHUNK_BYTES)


class Content:
    """What a reader reads. `head` is the first 8 MiB (everything where `complete`); the rest is read once.

    A reader may set `variant` before its first item: the layout that it found, part of the format's name; and
    `columns`: which names in the file it takes for which field, for people to see.
    """

    def __init__(self, path: str, stream: BinaryIO, options: ExtractOptions, source: BinaryIO | None = None) -> None:
        """`source` is the file itself where the stream is neither packed nor in an archive."""
        self.path = path
        self.options = options
        self.source = source
        self.variant = ""
        self.columns: dict[str, tuple[str, ...]] = {}
        self._memory: dict[str, Any] = {}
        parts, size = [], 0
        while size < HEAD_BYTES and (part := stream.read(min(CHUNK_BYTES, HEAD_BYTES - size))):
            parts.append(part)
            size += len(part)
        self.head = b"".join(parts)
        self.complete = size < HEAD_BYTES
        self._feed = _Feed(stream, [self.head])

    @cached_property
    def encoding(self) -> Encoding:
        """The encoding, from a byte order mark, the bytes or a declaration."""
        return detect_encoding(self.head, self.complete)

    @cached_property
    def sample(self) -> str:
        """The beginning as text, for sniffing: line ends as `\\n`, broken bytes as U+FFFD."""
        end = SNIFF_CHARS * (4 if self.encoding.is_wide else 1)
        raw = self.head[self.encoding.bom : end]
        text = codecs.getincrementaldecoder(self.encoding.codec)("replace").decode(raw)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def remember(self, key: str, make: Callable[[], T]) -> T:
        """A value that several sniffers ask for, made once."""
        if key not in self._memory:
            self._memory[key] = make()
        value: T = self._memory[key]
        return value

    @property
    def mapping(self) -> Mapping[str, str]:
        """The mapping by hand for this file, empty without one."""
        return self.options.mapping_for(self.path)

    def chunks(self) -> Iterator[bytes]:
        """The bytes in order, without a byte order mark."""
        skip = self.encoding.bom
        while part := self._feed.read():
            yield part[skip:]
            skip = 0

    def whole(self) -> bytes:
        """All bytes; raises TooLarge beyond the document limit."""
        parts, size = [], 0
        while part := self._feed.read():
            size += len(part)
            if size > self.options.max_document_bytes:
                raise TooLarge(0, size)
            parts.append(part)
        return b"".join(parts)

    def seekable(self) -> BinaryIO:
        """The whole content for readers that jump about in it: the file itself, or a copy in memory; raises TooLarge."""
        if self.source is None:
            return io.BytesIO(self.whole())
        self.source.seek(0)
        return self.source

    def text(self) -> str:
        """All text, undecodable bytes as lone surrogates (PEP 383), so that places can be counted in bytes."""
        return self.whole()[self.encoding.bom :].decode(self.encoding.codec, self.encoding.errors)

    def text_chunks(self) -> Iterator[str]:
        """The text in order, undecodable bytes as lone surrogates (PEP 383)."""
        decoder = codecs.getincrementaldecoder(self.encoding.codec)(self.encoding.errors)
        for part in self.chunks():
            if text := decoder.decode(part):
                yield text
        if text := decoder.decode(b"", final=True):
            yield text

    def lines(self) -> Iterator[Line]:
        """Lines split at line feeds only (at carriage returns where the file has no line feed), each with its byte
        range. Of a line beyond the record limit only the beginning is kept, which its range shows."""
        return self._wide_lines() if self.encoding.is_wide else self._byte_lines()

    def head_lines(self) -> list[Line]:
        """The lines of `head`, which stay to be read; the last one may be cut where the file is longer."""
        twin = Content(self.path, io.BytesIO(self.head), self.options)
        return list(twin.lines())

    @cached_property
    def _feed_byte(self) -> bytes:
        """Old Macintosh files end lines with a carriage return."""
        return b"\r" if b"\n" not in self.head and self.head.count(b"\r") > 1 else b"\n"

    def _byte_lines(self) -> Iterator[Line]:
        codec, errors = self.encoding.codec, self.encoding.errors
        start, pending, dropped = self.encoding.bom, b"", 0
        limit, feed = self.options.max_record_bytes, self._feed_byte
        for part in self.chunks():
            if feed not in part:
                pending += part
                if len(pending) > limit:
                    dropped += len(pending) - _KEPT_OF_LONG_LINE
                    pending = pending[:_KEPT_OF_LONG_LINE]
                continue
            *whole, pending = (pending + part).split(feed) if pending else part.split(feed)
            for raw in whole:
                end = start + len(raw) + dropped
                yield Line((raw[:_KEPT_OF_LONG_LINE] if dropped else raw).decode(codec, errors), start, end)
                start, dropped = end + 1, 0
        if pending:
            yield Line(
                (pending[:_KEPT_OF_LONG_LINE] if dropped else pending).decode(codec, errors),
                start,
                start + len(pending) + dropped,
            )

    def _wide_lines(self) -> Iterator[Line]:
        codec, errors = self.encoding.codec, self.encoding.errors
        start, pending = self.encoding.bom, ""
        feed = len("\n".encode(codec))
        for part in self.text_chunks():
            *whole, pending = (pending + part).split("\n")
            for text in whole:
                end = start + len(text.encode(codec, errors))
                yield Line(text, start, end)
                start = end + feed
            if len(pending) >= self.options.max_record_bytes:
                raise TooLarge(start, len(pending))
        if pending:
            yield Line(pending, start, start + len(pending.encode(codec, errors)))


def byte_length(text: str, encoding: Encoding) -> int:
    """Bytes that `text` takes in a file of this encoding."""
    if text.isascii() and not encoding.is_wide:
        return len(text)
    return len(text.encode(encoding.codec, encoding.errors))
