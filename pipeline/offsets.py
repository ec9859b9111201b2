"""The way from clean text back to raw text.

An `OffsetMap` is a list of segments `(char_start, char_end, raw_start, raw_end)` in order that cover every
character of the clean text. Within a segment whose two sides have the same length characters correspond one
to one; otherwise the segment is one replacement and is taken whole.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

Segment = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Segments of a clean text. `wraps` are mark-up constructs, `(char_start, char_end, raw_start, raw_end)`:
    a span that covers the clean side of one covers its mark-up in the raw text too."""

    segments: tuple[Segment, ...]
    wraps: tuple[Segment, ...] = ()

    @classmethod
    def identity(cls, length: int, raw_start: int = 0) -> OffsetMap:
        """The map of a text that stands unchanged in the raw text from `raw_start`."""
        return cls(((0, length, raw_start, raw_start + length),) if length else ())

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Raw offsets of the clean characters `start:end` (end > start)."""
        raw_start = self._raw(start, at_end=False)
        raw_end = self._raw(end - 1, at_end=True)
        for a, b, raw_a, raw_b in self.wraps:
            if start <= a and b <= end:
                raw_start, raw_end = min(raw_start, raw_a), max(raw_end, raw_b)
        return raw_start, raw_end

    def _raw(self, position: int, *, at_end: bool) -> int:
        index = bisect_right(self.segments, position, key=lambda s: s[0]) - 1
        a, b, raw_a, raw_b = self.segments[max(index, 0)]
        if b - a == raw_b - raw_a:
            return raw_a + position - a + at_end
        return raw_b if at_end else raw_a
