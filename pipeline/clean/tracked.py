"""A text that knows where each of its characters comes from, and the edits that a cleaning step wants made.

A step is a pure function `str -> Draft`. A draft lists pieces in output order: `keep(a, b)` takes characters of
the input as they are, `put(a, b, text)` writes `text` in place of them; what no piece mentions is dropped.
`Tracked.apply` makes the new text and carries the way back to the raw text along.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from operator import gt

from pipeline.clean.literals import show
from pipeline.model import CleanText
from pipeline.offsets import OffsetMap, Segment

Piece = tuple[int, int, str | None]


class Draft:
    """The outcome of one step over `text`: pieces in output order, constructs, warnings, and losses by reason; or a text
    `alike`, which stands for the old one character for character."""

    __slots__ = ("alike", "flags", "losses", "pieces", "text", "unknown", "wraps")

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[Piece] = []
        self.wraps: list[tuple[int, int, int, int]] = []
        self.flags: set[str] = set()
        self.losses: defaultdict[str, int] = defaultdict(int)
        self.unknown: list[str] = []
        self.alike: str | None = None

    def keep(self, start: int, end: int) -> None:
        """Take the characters `start:end` unchanged."""
        if end > start:
            self.pieces.append((start, end, None))

    def put(self, start: int, end: int, text: str) -> None:
        """Write `text` for the characters `start:end`."""
        if text:
            self.pieces.append((start, end, text))

    def wrap(self, first: int, start: int, end: int) -> None:
        """All pieces from number `first` on came from the construct that stands at `start:end`."""
        if len(self.pieces) > first:
            self.wraps.append((first, len(self.pieces), start, end))

    def since(self, first: int) -> str:
        """The output of the pieces from number `first` on."""
        return "".join(self.text[a:b] if t is None else t for a, b, t in self.pieces[first:])

    def result(self) -> str:
        """The text after the step."""
        return self.since(0) if self.alike is None else self.alike


def exchange(text: str, alike: str) -> Draft:
    """A draft that sets a text of the same length, character for character."""
    draft = Draft(text)
    draft.alike = alike
    return draft


Step = Callable[[str], Draft]


def substitute(text: str, edits: Iterable[tuple[int, int, str]], reason: str | None = None) -> Draft:
    """A draft that makes the `edits` (start, end, new text), given in order, and keeps all else."""
    draft, position = Draft(text), 0
    for start, end, new in edits:
        draft.keep(position, start)
        draft.put(start, end, new)
        position = end
        if reason:
            draft.losses[reason] += 1
    draft.keep(position, len(text))
    return draft


def after(step: Step, text: str) -> str:
    """The text after one step: for doctests and for looking at a step by itself."""
    return step(text).result()


class Tracked:
    """A text on its way through the steps: the text, its segments and constructs in raw offsets, flags, losses."""

    __slots__ = ("flags", "language", "losses", "resolved", "segments", "text", "unknown", "wraps")

    def __init__(self, raw: str) -> None:
        self.text = raw
        self.language = "und"
        self.resolved = False
        self.segments: list[Segment] = [(0, len(raw), 0, len(raw))] if raw else []
        self.wraps: list[Segment] = []
        self.flags: set[str] = set()
        self.losses: defaultdict[str, int] = defaultdict(int)
        self.unknown: list[str] = []

    def apply(self, draft: Draft) -> None:
        """Make the edits of `draft`, which was made for the present text."""
        self.flags |= draft.flags
        for reason, count in draft.losses.items():
            self.losses[reason] += count
        self.unknown += draft.unknown
        if draft.alike is not None:
            self.text = draft.alike
            return
        if draft.pieces == [(0, len(self.text), None)]:
            return
        firsts = [segment[0] for segment in self.segments]
        whole = len(firsts) == 1 and self.segments[0][3] - self.segments[0][2] == len(self.text)
        starts, segments, texts = self._made(draft.pieces, self.segments[0][2]) if whole else self._composed(draft.pieces, firsts)
        wraps = self._moved_wraps(draft.pieces, starts) if self.wraps else []
        for first, last, start, end in draft.wraps:
            if starts[first] < starts[last]:
                wraps.append((starts[first], starts[last], *self._span(start, end, firsts)))
        self.wraps = wraps
        self.segments = segments
        self.text = "".join(texts)

    def _made(self, pieces: list[Piece], shift: int) -> tuple[list[int], list[Segment], list[str]]:
        """Where each piece starts, the segments and the texts, where the text is one stretch of the raw text from `shift` on."""
        text, position = self.text, 0
        starts: list[int] = []
        segments: list[Segment] = []
        texts: list[str] = []
        run = run_start = run_end = -1  # the copied stretch that is not yet a segment: its place, and where it starts and ends in `text`
        for start, end, new in pieces:
            starts.append(position)
            if new is None or _is_copy(text, start, end, new):
                if run_end != start:
                    if run_end > run_start:
                        segments.append((run, position, run_start + shift, run_end + shift))
                    run, run_start = position, start
                run_end = end
                texts.append(text[start:end] if new is None else new)
                position += end - start
            elif new:
                if run_end > run_start:
                    segments.append((run, position, run_start + shift, run_end + shift))
                run_start = run_end = -1
                _add(segments, position, len(new), start + shift, max(start, end) + shift)
                texts.append(new)
                position += len(new)
        if run_end > run_start:
            segments.append((run, position, run_start + shift, run_end + shift))
        starts.append(position)
        return starts, segments, texts

    def _composed(self, pieces: list[Piece], firsts: list[int]) -> tuple[list[int], list[Segment], list[str]]:
        """The same where the text has been changed before. `firsts` holds where each of its segments starts."""
        text, position = self.text, 0
        starts: list[int] = []
        segments: list[Segment] = []
        texts: list[str] = []
        for start, end, new in pieces:
            starts.append(position)
            if new is None or _is_copy(text, start, end, new):
                self._copy((start, end), position, firsts, segments)
                texts.append(text[start:end] if new is None else new)
                position += end - start
            elif new:
                _add(segments, position, len(new), *self._span(start, end, firsts))
                texts.append(new)
                position += len(new)
        starts.append(position)
        return starts, segments, texts

    def finish(self) -> CleanText:
        """The outcome as the value that leaves this stage."""
        offsets = OffsetMap(tuple(self.segments), tuple(self.wraps))
        return CleanText(self.text, tuple(sorted(self.flags)), offsets, dict(sorted(self.losses.items())))

    def _copy(self, span: tuple[int, int], position: int, firsts: list[int], out: list[Segment]) -> None:
        """Append the segments of the characters of `span`, which move to `position`."""
        start, end = span
        index = bisect_right(firsts, start) - 1
        shift = position - start
        while index < len(self.segments):
            a, b, raw_a, raw_b = self.segments[index]
            if a >= end:
                break
            if b - a == raw_b - raw_a:
                low, high = max(a, start), min(b, end)
                raw_a, raw_b, a, b = raw_a + low - a, raw_a + high - a, low, high
                if out and _continues(out[-1], raw_a):
                    a, raw_a = out[-1][0] - shift, out[-1][2]
                    out.pop()
                out.append((a + shift, b + shift, raw_a, raw_b))
            else:
                _add(out, max(a, start) + shift, min(b, end) - max(a, start), raw_a, raw_b)
            index += 1

    def _span(self, start: int, end: int, firsts: list[int]) -> tuple[int, int]:
        """Raw offsets of the characters `start:end`; of the place before `start` if there are none."""
        if not self.segments:
            return 0, 0
        first = max(bisect_right(firsts, start) - 1, 0)
        a, b, raw_a, raw_b = self.segments[first]
        low = raw_a + min(start, b) - a if b - a == raw_b - raw_a else (raw_a if start < b else raw_b)
        if end <= start:
            return low, low
        if end > b:
            last = bisect_right(firsts, end - 1) - 1
            a, b, raw_a, raw_b = self.segments[last]
        high = raw_a + end - a if b - a == raw_b - raw_a else raw_b
        return (low, high) if low <= high else (high, low)

    def _moved_wraps(self, pieces: list[Piece], starts: list[int]) -> list[Segment]:
        """The constructs of earlier steps in offsets of the new text; those that lost all their text are left out."""
        firsts = [piece[0] for piece in pieces]
        order: Sequence[int] = range(len(pieces))
        if any(map(gt, firsts, firsts[1:])):
            order = sorted(order, key=firsts.__getitem__)
            firsts.sort()
        moved = []
        for a, b, raw_a, raw_b in self.wraps:
            low, high = _place(a, order, firsts, pieces, starts), _place(b, order, firsts, pieces, starts)
            if low < high:
                moved.append((low, high, raw_a, raw_b))
        return moved


def _place(position: int, order: Sequence[int], firsts: list[int], pieces: list[Piece], starts: list[int]) -> int:
    """Where the border before character `position` stands in the new text."""
    found = bisect_right(firsts, position) - 1
    if found < 0:
        return starts[order[0]] if order else 0
    index = order[found]
    start, end, new = pieces[index]
    if new is None:
        return starts[index] + min(position, end) - start
    return starts[index] if position <= start else starts[index + 1]


def _is_copy(text: str, start: int, end: int, new: str) -> bool:
    """Whether `new` stands for the characters `start:end` one by one."""
    return end - start == len(new) and (len(new) == 1 or (new != "" and (new == (old := text[start:end]) or show(new) == show(old))))


def _continues(last: Segment, raw_start: int) -> bool:
    return last[3] == raw_start and last[1] - last[0] == last[3] - last[2]


def _add(out: list[Segment], position: int, length: int, raw_start: int, raw_end: int) -> None:
    """Append a replacement. One that happens to be as long as its source is cut in two: it is no copy."""
    if length == raw_end - raw_start and length > 1:
        out.append((position, position + 1, raw_start, raw_end))
        position, length = position + 1, length - 1
    if length:
        out.append((position, position + length, raw_start, raw_end))
