"""Compressed files and archives as streams of members, nested once or twice, never unpacked to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

import zstandard

from pipeline.extract.discover import is_hidden, printable_name
from pipeline.extract.entry import Broken, unpacks_too_large
from pipeline.extract.options import MIB, RATIO_FROM, ExtractOptions

_PEEK = 512
_DAMAGE = (
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
    zipfile.BadZipFile,
    tarfile.TarError,
    NotImplementedError,  # zipfile: a method of compression that it does not know
    RuntimeError,
    ValueError,
)
_WORKBOOK_PARTS = ("[Content_Types].xml", "mimetype", "xl/workbook.xml", "word/document.xml")
_FREE = ("gzip", "bzip2", "xz", "zstd")


@dataclass(slots=True)
class _Budget:
    """What all that is packed in one file may unpack to together, whatever its members say of their sizes."""

    limit: float
    spent: int = 0

    @property
    def is_spent(self) -> bool:
        return self.spent > max(self.limit, 16 * RATIO_FROM)


@dataclass(slots=True)
class Member:
    """One file to read: its place in the archive (empty for the file itself), its bytes, and how they were packed."""

    path: str
    stream: Guarded
    packing: tuple[str, ...] = ()
    source: BinaryIO | None = None


class Guarded(io.RawIOBase):
    """A stream that ends at damage or at a limit instead of raising; `trouble` then says what happened."""

    def __init__(
        self,
        stream: BinaryIO,
        options: ExtractOptions,
        packed_size: Callable[[], int] | None = None,
        budget: _Budget | None = None,
    ) -> None:
        super().__init__()
        self._stream = stream
        self._options = options
        self._packed_size = packed_size
        self._prefix = b""
        self._count = 0
        self.budget = budget or _Budget(float("inf"))
        self.trouble: Broken | None = None

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes; empty at the end, at damage, and beyond the limits."""
        if self._prefix:
            data = self._prefix if size < 0 else self._prefix[:size]
            self._prefix = self._prefix[len(data) :]
            return data
        if self.trouble is not None:
            return b""
        try:
            read1 = getattr(self._stream, "read1", None)
            data = bytes(read1(size) if read1 is not None and size > 0 else self._stream.read(size))
        except _DAMAGE as error:
            self.trouble = Broken(
                "damaged",
                f"the file is cut off or damaged ({_words(error)}): fetch it again; what stands before the damage was read",
                whole_file=True,
            )
            return b""
        if self._packed_size is not None:
            self._count += len(data)
            self.budget.spent += len(data)
            if self._over_limit():
                return b""
        return data

    def peek(self, size: int) -> bytes:
        """The next `size` bytes (fewer at the end), which stay to be read."""
        parts, have = [self._prefix], len(self._prefix)
        self._prefix = b""
        while have < size and (part := self.read(size - have)):
            parts.append(part)
            have += len(part)
        self._prefix = b"".join(parts)
        return self._prefix[:size]

    def _over_limit(self) -> bool:
        assert self._packed_size is not None
        packed = max(self._packed_size(), 1)
        bomb = self._count > RATIO_FROM and self._count / packed > self._options.max_ratio
        if bomb or self._count > self._options.max_unpacked_bytes:
            what = f"unpacks to more than {self._count // MIB} MiB from {packed:,} bytes"
        elif self.budget.is_spent:
            what = f"unpacks, with all that is packed beside it, to more than {self.budget.spent // MIB} MiB, {self._options.max_ratio:,} times the file"
        else:
            return False
        self.trouble = unpacks_too_large(what)
        return True


def _words(error: BaseException) -> str:
    return str(error).strip()[:200] or type(error).__name__


def open_members(stream: BinaryIO, options: ExtractOptions) -> Iterator[Member | Broken]:
    """The members of a file in the order in which they stand; a file that is no archive is its own only member.

    Of members of one name the second gets `#2` behind it, and so on.
    """
    budget = _Budget(options.max_ratio * _size(stream))
    outer = Member("", Guarded(stream, options, budget=budget), (), stream if stream.seekable() else None)
    taken: set[str] = set()
    for member in _expand(outer, options, 0):
        if isinstance(member, Member):
            member.path = _free(member.path, taken)
            taken.add(member.path)
        yield member


def _free(path: str, taken: set[str]) -> str:
    name, number = path, 2
    while name in taken:
        name, number = f"{path}#{number}", number + 1
    return name


def _size(stream: BinaryIO) -> float:
    if not stream.seekable():
        return float("inf")
    here = stream.tell()
    size = stream.seek(0, io.SEEK_END)
    stream.seek(here)
    return size


def packing_of(head: bytes) -> str | None:
    """How bytes are packed, by their signature: gzip, bzip2, xz, zstd, zip, tar or None."""
    for magic, name in (
        (b"\x1f\x8b", "gzip"),
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ\x00", "xz"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"PK\x03\x04", "zip"),
        (b"PK\x05\x06", "zip"),
    ):
        if head.startswith(magic):
            return name
    return "tar" if head[257:262] == b"ustar" else None


def _expand(member: Member, options: ExtractOptions, depth: int) -> Iterator[Member | Broken]:
    kind = packing_of(member.stream.peek(_PEEK))
    if kind is None:
        yield member
        return
    if depth >= options.max_archive_depth + 1 or len(member.packing) > options.max_archive_depth:
        yield _located(
            member,
            Broken(
                "nested_too_deep",
                "archives within archives beyond the limit: unpack the outer ones yourself and give the files",
                whole_file=True,
            ),
        )
        return
    if kind in _FREE:
        yield from _expand(_decompressed(member, kind, options), options, depth)
    elif kind == "tar":
        yield from _tar_members(member, options, depth)
    else:
        yield from _zip_members(member, options, depth)


def _located(member: Member, broken: Broken) -> Broken:
    if member.path:
        broken.message = f"{member.path}: {broken.message}"
    return broken


class _Counter(io.RawIOBase):
    def __init__(self, stream: Guarded) -> None:
        super().__init__()
        self.stream, self.count = stream, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(size)
        self.count += len(data)
        return data

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _decompressed(member: Member, kind: str, options: ExtractOptions) -> Member:
    packed = _Counter(member.stream)
    source = cast(BinaryIO, packed)
    if kind == "gzip":
        stream = cast(BinaryIO, gzip.GzipFile(fileobj=source, mode="rb"))
    elif kind == "bzip2":
        stream = cast(BinaryIO, bz2.BZ2File(source))
    elif kind == "xz":
        stream = cast(BinaryIO, lzma.LZMAFile(source))  # noqa: SIM115 - closed with the member
    else:
        stream = cast(
            BinaryIO, zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(source, read_across_frames=True)
        )
    return Member(member.path, Guarded(stream, options, lambda: packed.count, member.stream.budget), (*member.packing, kind))


def _tar_members(member: Member, options: ExtractOptions, depth: int) -> Iterator[Member | Broken]:
    links = 0
    try:
        with tarfile.open(fileobj=cast(BinaryIO, _Counter(member.stream)), mode="r|") as archive:
            for number, info in enumerate(archive):
                if number >= options.max_members:
                    yield _too_many(member, options)
                    return
                links += not info.isfile() and not info.isdir()
                stream = archive.extractfile(info) if info.isfile() and not _is_hidden_path(info.name) else None
                if stream is not None:
                    inner = Member(
                        _join(member.path, info.name),
                        Guarded(cast(BinaryIO, stream), options, budget=member.stream.budget),
                        (*member.packing, "tar"),
                    )
                    yield from _expand(inner, options, depth + 1)
    except _DAMAGE as error:
        yield _located(
            member,
            Broken(
                "damaged",
                f"the tar archive is cut off or damaged ({_words(error)}): fetch it again; members before the damage were read",
                whole_file=True,
            ),
        )
    if links:
        message = f"{links:,} links, pipes or devices in the archive were not followed: pack the files themselves if they matter"
        yield _located(member, Broken("links_not_followed", message, whole_file=True))
    if member.stream.trouble is not None:
        yield member.stream.trouble


def _too_many(member: Member, options: ExtractOptions) -> Broken:
    return _located(
        member,
        Broken("too_many_members", f"more than {options.max_members:,} members: split the archive", whole_file=True),
    )


def _join(outer: str, inner: str) -> str:
    name = printable_name(inner.removeprefix("./"))
    return f"{outer}!{name}" if outer else name


def _is_hidden_path(name: str) -> bool:
    return any(is_hidden(part) for part in name.removeprefix("./").split("/") if part not in {"", "..", "."})


def _zip_members(member: Member, options: ExtractOptions, depth: int) -> Iterator[Member | Broken]:
    raw = member.source
    if raw is None:
        data = _all_bytes(member.stream, options.max_document_bytes)
        if data is None:
            yield _located(
                member,
                Broken(
                    "archive_too_large",
                    "a zip archive inside an archive too large to be held in memory: unpack the outer one yourself",
                    whole_file=True,
                ),
            )
            return
        raw = io.BytesIO(data)
    try:
        archive = zipfile.ZipFile(raw)
        names = archive.namelist()
    except _DAMAGE as error:
        yield _located(
            member,
            Broken(
                "damaged", f"the zip archive is cut off or damaged ({_words(error)}): fetch it again", whole_file=True
            ),
        )
        return
    if names and (names[0] in _WORKBOOK_PARTS or "[Content_Types].xml" in names):
        raw.seek(0)
        yield Member(member.path, Guarded(raw, options), member.packing, member.source)
        return
    with archive:
        yield from _zip_contents(archive, member, options, depth)


def _zip_contents(
    archive: zipfile.ZipFile, member: Member, options: ExtractOptions, depth: int
) -> Iterator[Member | Broken]:
    total = 0
    for number, info in enumerate(archive.infolist()):
        if member.stream.budget.is_spent:
            return
        if number >= options.max_members:
            yield _too_many(member, options)
            return
        if info.is_dir() or _is_hidden_path(info.filename):
            continue
        path = _join(member.path, info.filename)
        total += info.file_size
        if info.flag_bits & 1:
            yield Broken(
                "encrypted", f"{path}: encrypted: unpack the archive yourself and give the files", whole_file=True
            )
            continue
        if total > options.max_unpacked_bytes:
            yield _located(
                member,
                Broken(
                    "unpacks_too_large",
                    f"the zip archive unpacks to more than {options.max_unpacked_bytes:,} bytes: unpack it yourself and give the files",
                    whole_file=True,
                ),
            )
            return
        try:
            stream = archive.open(info)
        except _DAMAGE as error:
            yield Broken(
                "damaged", f"{path}: damaged member ({_words(error)}): fetch the archive again", whole_file=True
            )
            continue
        size = max(info.compress_size, 1)
        guarded = Guarded(cast(BinaryIO, stream), options, lambda size=size: size, member.stream.budget)  # type: ignore[misc]
        inner = Member(path, guarded, (*member.packing, "zip"))
        yield from _expand(inner, options, depth + 1)


def _all_bytes(stream: Guarded, limit: int) -> bytes | None:
    parts, size = [], 0
    while part := stream.read(MIB):
        size += len(part)
        if size > limit:
            return None
        parts.append(part)
    return b"".join(parts)
