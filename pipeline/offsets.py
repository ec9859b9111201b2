"""The way from clean text back to raw text.

An `OffsetMap` is a list of segments `(char_start, char_end, raw_start, raw_end)` in order that cover every
character of the clean text. Within a segment whose two sides have the same length characters correspond one
to one; otherwise the segment is one replacement and is taken whole. Raw positions rise along the text, but
for the few constructs that print their parts in another order than they are written (`\\href{U}{t}`).
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
        """Raw offsets of the clean characters `start:end` (end > start).

        >>> OffsetMap(((0, 3, 8, 11), (3, 7, 12, 16)), ((0, 3, 0, 12),)).raw_span(0, 7)
        (0, 16)
        """
        raw_start, raw_end = self._raw(start, end)
        for a, b, raw_a, raw_b in self.wraps:
            if start <= a and b <= end:
                raw_start, raw_end = min(raw_start, raw_a), max(raw_end, raw_b)
        return raw_start, raw_end

    def is_cut(self, start: int, end: int) -> bool:
        """Whether one end of the clean characters `start:end` lies inside a construct (a formula, emphasis, a group) that the other
        end is outside of. The raw span then holds one of its two marks, so that by itself it may clean to other text.

        >>> OffsetMap(((0, 3, 8, 11), (3, 7, 12, 16)), ((0, 3, 0, 12),)).is_cut(1, 7)
        True
        """
        return any(a < start < b < end or start < a < end < b for a, b, _, _ in self.wraps)

    def _raw(self, start: int, end: int) -> tuple[int, int]:
        """The smallest raw span that holds the sources of all clean characters `start:end`."""
        first = max(bisect_right(self.segments, start, key=lambda s: s[0]) - 1, 0)
        low, high = -1, -1
        for a, b, raw_a, raw_b in self.segments[first:]:
            if a >= end and low >= 0:
                break
            same = b - a == raw_b - raw_a
            here_a = raw_a + max(start - a, 0) if same else raw_a
            here_b = raw_b - max(b - end, 0) if same else raw_b
            low = here_a if low < 0 else min(low, here_a)
            high = max(high, here_b)
        return low, high
