"""Single stages as filters: JSON Lines in, JSON Lines out, in the order of the input."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from pipeline.model import FileSummary, Metric, Name, QuarantineRow, Url


class _Lines:
    """Objects read line by line; a line that cannot be read is answered on standard error and counted."""

    def __init__(self, needs: str, stream: TextIO) -> None:
        self.needs = needs
        self.failed = 0
        self._stream = stream

    def __iter__(self) -> Iterator[dict[str, object]]:
        for number, line in enumerate(self._stream, 1):
            if line.strip():
                try:
                    yield self._object(line)
                except (ValueError, RecursionError) as error:
                    self.failed += 1
                    print(json.dumps({"line": number, "error": str(error)}), file=sys.stderr)

    def _object(self, line: str) -> dict[str, object]:
        told = json.loads(line)
        if not isinstance(told, dict):
            raise ValueError("not a JSON object")
        text = told.get(self.needs)
        if "id" not in told or not isinstance(text, str):
            raise ValueError(f'wants "id" and a string "{self.needs}"')
        return told


def _input(needs: str) -> _Lines:
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8", errors="surrogatepass", newline="\n")  # type: ignore[union-attr]
    return _Lines(needs, sys.stdin)


def _print(told: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")


def _each(needs: str, work: Callable[[str], Mapping[str, object]]) -> int:
    lines = _input(needs)
    for told in lines:
        _print({"id": told["id"], **work(str(told[needs]))})
    return 1 if lines.failed else 0


def clean(arguments: Namespace) -> int:  # noqa: ARG001
    """`abstracts clean`."""
    from pipeline.clean import clean_text

    def work(raw: str) -> dict[str, object]:
        done = clean_text(raw)
        return {"text": done.text, "flags": list(done.flags), "map": [list(s) for s in done.map.segments]}

    return _each("raw_text", work)


def enrich(arguments: Namespace) -> int:  # noqa: ARG001
    """`abstracts enrich`."""
    from pipeline.enrich import enrich_text

    def work(text: str) -> dict[str, object]:
        found = enrich_text(text)
        return {
            "methods": [_name_row(m) for m in found.methods],
            "datasets": [_name_row(m) for m in found.datasets],
            "metrics": [_row(m) for m in found.metrics],
            "urls": [_row(u) for u in found.urls],
        }

    return _each("text", work)


def _row(found: Metric | Name | Url) -> dict[str, object]:
    row = asdict(found)
    spans = row.pop("spans")
    return row | {"char_start": spans[0][0], "char_end": spans[0][1], "raw_start": None, "raw_end": None}


def _name_row(found: Name) -> dict[str, object]:
    return _row(found) | {"mentions": len(found.spans)}


def dedupe(arguments: Namespace) -> int:  # noqa: ARG001
    """`abstracts dedupe`."""
    from pipeline.dedupe.records import dedupe_records

    lines = _input("text")
    for told in dedupe_records(list(lines)):
        _print(told)
    return 1 if lines.failed else 0


def extract(arguments: Namespace) -> int:
    """`abstracts extract INPUT…`: records on standard output, quarantine and skipped counts on standard error."""
    from pipeline.extract import ExtractOptions, discover, read_file
    from pipeline.settings import load_settings

    settings = load_settings({}, arguments.config).settings
    options = ExtractOptions(mapping=settings.mapping, max_record_bytes=settings.max_record_bytes)
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # type: ignore[union-attr]
    records = 0
    for file in discover([Path(p) for p in arguments.inputs]):
        for item in read_file(file, options):
            if isinstance(item, QuarantineRow):
                print(json.dumps({"quarantine": asdict(item)}, ensure_ascii=True), file=sys.stderr)
            elif isinstance(item, FileSummary):
                print(json.dumps({"file": asdict(item)}, ensure_ascii=True), file=sys.stderr)
            else:
                records += 1
                _print(asdict(item))
    return 0 if records else 4
