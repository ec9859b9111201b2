"""A JSON document read value by value from a sliding window of text, each value with its byte range."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json import JSONDecodeError

from pipeline.extract.content import Content, byte_length

_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[\s\ufeff\x00]*")
_NEXT_ELEMENT = re.compile(r"[}\]\"]\s*+,\s*+(?=\{)|\n[^\S\n]*+(?=\{\")")
WINDOW = 4 << 20


class Cursor:
    """A place in the text. `decode` gives the value there; what lies behind is dropped from memory."""

    def __init__(self, content: Content) -> None:
        self._chunks: Iterator[str] = content.text_chunks()
        self._encoding = content.encoding
        self._limit = content.options.max_record_bytes
        self.buffer = ""
        self.position = 0
        self.at_end = False
        self._mark = 0
        self._mark_byte = content.encoding.bom

    def fill(self) -> bool:
        """More text, if there is any; doubles the window, so that a long value is tried a few times only."""
        wanted = max(1 << 16, len(self.buffer) - self.position)
        parts, size = [self.buffer], 0
        while size < wanted:
            part = next(self._chunks, "")
            if not part:
                self.at_end = True
                break
            parts.append(part)
            size += len(part)
        self.buffer = "".join(parts)
        return size > 0

    def byte_at(self, position: int) -> int:
        """The byte at a position of the buffer, which must not lie before the one asked for last."""
        if position < self._mark:
            return self._mark_byte - byte_length(self.buffer[position : self._mark], self._encoding)
        self._mark_byte += byte_length(self.buffer[self._mark : position], self._encoding)
        self._mark = position
        return self._mark_byte

    def trim(self) -> None:
        """Forget the text before the position."""
        if self.position > 1 << 18:
            self.byte_at(self.position)
            self.buffer = self.buffer[self.position :]
            self._mark -= self.position
            self.position = 0

    def peek(self) -> str:
        """The next character that is no white space, empty at the end."""
        while True:
            match = _SPACE.match(self.buffer, self.position)
            self.position = match.end() if match else self.position
            if self.position < len(self.buffer):
                return self.buffer[self.position]
            if self.at_end or not self.fill():
                return ""

    def decode(self, limit: int = 0) -> tuple[object, int, int] | None:
        """The value at the position and its place in the buffer; None where it takes more than `limit` characters.

        Raises JSONDecodeError where the text is no JSON.
        """
        limit = limit or self._limit
        while True:
            try:
                value, end = _DECODER.raw_decode(self.buffer, self.position)
            except JSONDecodeError as error:
                cut = error.pos >= len(self.buffer) - 16 or error.msg.startswith("Unterminated string")
                if not cut or self.at_end:
                    raise
            else:
                if end < len(self.buffer) or self.at_end:
                    start, self.position = self.position, end
                    return value, start, end
            if len(self.buffer) - self.position > limit:
                return None
            self.fill()

    def resynchronise(self, start: int) -> bool:
        """Move to the next place after `start` where an object begins behind a comma; False where there is none."""
        match = _NEXT_ELEMENT.search(self.buffer, start)
        while match is None:
            start = max(len(self.buffer) - 64, 0)
            if self.at_end or not self.fill():
                return False
            match = _NEXT_ELEMENT.search(self.buffer, start)
        self.position = match.end()
        return True
