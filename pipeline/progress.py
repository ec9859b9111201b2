"""What a person sees while a run goes on, and what the run report keeps of it: stages, counts, seconds, memory."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO, TypeVar

Item = TypeVar("Item")


@dataclass
class Stage:
    """One stage of a run: what it did, how long it took, and the largest memory of any process so far."""

    name: str
    seconds: float = 0.0
    peak_mib: int = 0
    counts: dict[str, int] = field(default_factory=dict)


class Progress:
    """Writes one line per stage to `stream` (None: silent), with a counter while it lasts on a terminal.

    `as_json` writes each line as a JSON object, for log collectors.
    """

    def __init__(self, stream: TextIO | None = sys.stderr, *, as_json: bool = False) -> None:
        self.stages: list[Stage] = []
        self._stream = stream
        self._json = as_json
        self._live = stream is not None and stream.isatty() and not as_json

    @contextmanager
    def stage(self, name: str) -> Iterator[Stage]:
        """Time a stage; its counts are filled by the caller."""
        stage, begin = Stage(name), time.monotonic()
        try:
            yield stage
        finally:
            stage.seconds = round(time.monotonic() - begin, 3)
            stage.peak_mib = peak_mib()
            self.stages.append(stage)
        self._line(stage)

    def count(self, items: Iterable[Item], name: str, total: int) -> Iterator[Item]:
        """Pass items on, showing on a terminal how many of `total` are done."""
        shown = time.monotonic()
        for done, item in enumerate(items, 1):
            if self._live and time.monotonic() - shown > 0.5:
                shown = time.monotonic()
                self._write(f"\r{name:8} {done} of {total}\x1b[K")
            yield item

    def say(self, text: str) -> None:
        """A remark for the person who waits."""
        if self._json:
            self._write(json.dumps({"message": text}) + "\n")
        else:
            self._write(text + "\n")

    def _line(self, stage: Stage) -> None:
        if self._json:
            self._write(json.dumps({"stage": stage.name, "seconds": stage.seconds, "peak_mib": stage.peak_mib, **stage.counts}) + "\n")
            return
        counts = ", ".join(f"{n:,} {what.replace('_', ' ')}" for what, n in stage.counts.items())
        self._write(f"{chr(13) if self._live else ''}{stage.name:8} {counts} ({stage.seconds:.1f} s)" + ("\x1b[K\n" if self._live else "\n"))

    def _write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()


def peak_mib() -> int:
    """Largest resident memory of this process and of its finished children, in MiB (Linux counts in KiB)."""
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) // 1024
