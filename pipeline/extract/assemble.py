"""From a reader's items to records, quarantine rows and counts: ordinals are given here and nowhere else."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from pipeline.extract.entry import Broken, Entry, Item, Skip
from pipeline.extract.metadata import Metadata, build_metadata
from pipeline.extract.placeholders import is_truncated, placeholder_rule
from pipeline.model import QuarantineRow, RawRecord

STAGE: Final = "extract"
MAX_RAW_IN_QUARANTINE = 64 * 1024
_BROKEN_BYTE = re.compile("[\udc80-\udcff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Assembler:
    """Turns the items of one file or archive member into rows, in order."""

    def __init__(
        self, source_file: str, encoding: str, format_name: str, max_record_bytes: int, *, is_plain: bool
    ) -> None:
        """`is_plain`: false for what comes out of a packed file, where places in the unpacked bytes would mislead."""
        self.source_file = source_file
        self.encoding = encoding
        self.format = format_name
        self.max_record_bytes = max_record_bytes
        self.is_plain = is_plain
        self.ordinal = 0
        self.file_rows = 0
        self.skipped: Counter[str] = Counter()

    def row(self, item: Item) -> RawRecord | QuarantineRow | None:
        """The row of an item, or None for what is no record (then it is counted)."""
        if isinstance(item, Entry):
            return self._entry(item)
        if isinstance(item, Skip):
            self.skipped[item.rule] += 1
            return None
        return self._broken(item)

    def _entry(self, entry: Entry) -> RawRecord | QuarantineRow | None:
        raw = entry.abstract
        if raw is None:
            self.skipped["no_abstract"] += 1
            return None
        if rule := placeholder_rule(raw):
            self.skipped[rule] += 1
            return None
        size = max(len(raw), (entry.byte_end or 0) - (entry.byte_start or 0))
        if size > self.max_record_bytes:
            return self._broken(
                Broken(
                    "record_too_large", _too_large(size, self.max_record_bytes), raw, entry.byte_start, entry.byte_end
                )
            )
        flags = entry.flags
        if is_truncated(raw):
            flags = (*flags, "truncated")
        if not raw.isascii() and _SURROGATE.search(raw):
            if _BROKEN_BYTE.search(raw):
                return self._broken(
                    Broken("undecodable_bytes", _undecodable(self.encoding), raw, entry.byte_start, entry.byte_end)
                )
            raw, flags = _SURROGATE.sub("\ufffd", raw), (*flags, "lone_surrogate")
        metadata = build_metadata(entry.fields)
        self.ordinal += 1
        return RawRecord(
            self.source_file,
            self.ordinal,
            raw,
            self.format,
            self.encoding,
            byte_start=entry.byte_start if self.is_plain else None,
            byte_end=entry.byte_end if self.is_plain else None,
            flags=flags,
            **_printable(metadata),
        )

    def _broken(self, item: Broken) -> QuarantineRow:
        if item.whole_file:
            self.file_rows += 1
        else:
            self.ordinal += 1
        raw = None if item.raw_text is None else show_bytes(item.raw_text[:MAX_RAW_IN_QUARANTINE])
        start, end = (item.byte_start, item.byte_end) if self.is_plain else (None, None)
        return QuarantineRow(
            self.source_file, STAGE, item.rule, item.message, None if item.whole_file else self.ordinal, start, end, raw
        )


def _printable(metadata: Metadata) -> Metadata:
    """The metadata without lone surrogates: broken bytes as `\\xNN`, others as U+FFFD."""
    joined = "".join(["".join(value) for value in metadata.values() if type(value) is str or type(value) is tuple])
    if joined.isascii() or not _SURROGATE.search(joined):
        return metadata
    for name, value in metadata.items():
        if type(value) is str:
            metadata[name] = show_bytes(value)  # type: ignore[literal-required]
        elif type(value) is tuple:
            metadata[name] = tuple(map(show_bytes, value))  # type: ignore[literal-required]
    return metadata


def show_bytes(text: str) -> str:
    """Text for people: undecodable bytes as `\\xNN`, other lone surrogates as U+FFFD."""
    text = _BROKEN_BYTE.sub(lambda match: f"\\x{ord(match[0]) - 0xDC00:02x}", text)
    text = _SURROGATE.sub("\ufffd", text)
    return text.encode("utf-8")[:MAX_RAW_IN_QUARANTINE].decode("utf-8", "ignore")


def _undecodable(encoding: str) -> str:
    return f"some bytes are no {encoding}: convert the file to UTF-8 (for example with iconv) or correct these bytes, then run again"


def _too_large(size: int, limit: int) -> str:
    return f"the record takes {size:,} bytes, the limit is {limit:,}: split the file, or raise max_record_bytes in the settings"
