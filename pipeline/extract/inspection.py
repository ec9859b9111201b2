"""What extract thinks a file is: for `abstracts inspect FILE`, so that a person can check before a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, cast

from pipeline.extract.assemble import Assembler, show_bytes
from pipeline.extract.content import Content
from pipeline.extract.discover import InputFile
from pipeline.extract.entry import Broken, Entry, Item, Skip
from pipeline.extract.options import ExtractOptions
from pipeline.extract.reading import assembled, encoding_name
from pipeline.extract.registry import recognise, what_it_is
from pipeline.extract.unpack import Member, open_members
from pipeline.model import QuarantineRow, RawRecord

_EXAMPLES = 3
_MAX_PARTS = 20
_FILLED = ("title", "authors", "venue", "year", "doi", "arxiv_id", "source_url", "licence", "keywords", "source_id")


@dataclass(slots=True)
class Part:
    """One file or archive member: format with score (0 to 100) and reason, other candidates, encoding, mapping, counts."""

    source_file: str
    format: str
    score: int
    reason: str
    candidates: tuple[tuple[str, int, str], ...]
    encoding: str
    encoding_reason: str
    mapping: dict[str, tuple[str, ...]] = field(default_factory=dict)
    records: int = 0
    filled: Counter[str] = field(default_factory=Counter)
    examples: list[RawRecord] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    skip_examples: dict[str, str] = field(default_factory=dict)
    quarantined: list[QuarantineRow] = field(default_factory=list)
    quarantined_count: int = 0


@dataclass(slots=True)
class Inspection:
    """What a file holds; an archive has one part per member."""

    path: str
    size: int
    parts: list[Part] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def records(self) -> int:
        """All records, quarantined ones included."""
        return sum(part.records for part in self.parts)


def inspect_file(file: InputFile, options: ExtractOptions) -> Inspection:
    """Read a file as a run would, and say what it is taken for and what would become of it. Never raises on bad data."""
    inspection = Inspection(file.path, file.size)
    if file.refused:
        inspection.problems.append(file.refused)
        return inspection
    try:
        with file.absolute.open("rb") as stream:
            for member in open_members(stream, options):
                if isinstance(member, Broken):
                    inspection.problems.append(member.message)
                    continue
                source = f"{file.path}!{member.path}" if member.path else file.path
                inspection.parts.append(_inspect_member(member, source, options))
                if member.stream.trouble is not None:
                    inspection.problems.append(member.stream.trouble.message)
    except OSError as error:
        inspection.problems.append(
            f"cannot be read ({error.strerror or error}): check that it is a file and that you may read it"
        )
    return inspection


def _inspect_member(member: Member, source_file: str, options: ExtractOptions) -> Part:
    content = Content(source_file, cast(BinaryIO, member.stream), options, member.source)
    readers = recognise(content) if content.head.strip() else []
    candidates = tuple((reader.name, guess.score, guess.reason) for reader, guess in readers)
    name, score, reason = (
        candidates[0]
        if candidates
        else ("unknown", 0, what_it_is(content.head) if content.head.strip() else "the file is empty")
    )
    part = Part(
        source_file, name, score, reason, candidates[1:], encoding_name(content, readers), content.encoding.reason
    )
    if readers:
        assembler = Assembler(
            source_file, part.encoding, name, options.max_record_bytes, is_plain=content.source is not None
        )
        for item, row in assembled(content, readers[0][0], assembler):
            _note(part, item, row, assembler)
        part.format, part.records = assembler.format, assembler.ordinal
        part.skipped, part.mapping = assembler.skipped, dict(content.columns)
    return part


def _note(part: Part, item: Item, row: RawRecord | QuarantineRow | None, assembler: Assembler) -> None:
    if isinstance(row, RawRecord):
        part.filled.update(name for name in _FILLED if getattr(row, name))
        if len(part.examples) < _EXAMPLES:
            part.examples.append(row)
    elif isinstance(row, QuarantineRow):
        part.quarantined_count += 1
        if len(part.quarantined) < _EXAMPLES:
            part.quarantined.append(row)
    else:
        for rule in assembler.skipped.keys() - part.skip_examples.keys():
            part.skip_examples[rule] = _sample(item)


def _sample(item: Item) -> str:
    if isinstance(item, Skip):
        return item.sample
    if isinstance(item, Entry):
        title = item.fields.get("title") or [""]
        return item.abstract[:80] if item.abstract and item.abstract.strip() else str(title[0])[:80] if title else ""
    return ""


def render_inspection(inspection: Inspection) -> str:
    """The inspection as lines for a person."""
    lines = [f"{inspection.path}: {inspection.size:,} bytes, {inspection.records:,} records"]
    for part in inspection.parts[:_MAX_PARTS]:
        lines += _part_lines(part, is_member=part.source_file != inspection.path)
    if len(inspection.parts) > _MAX_PARTS:
        lines.append(f"… and {len(inspection.parts) - _MAX_PARTS} more members")
    lines += [f"problem: {problem}" for problem in inspection.problems]
    return show_bytes("\n".join(lines)) + "\n"


def _part_lines(part: Part, *, is_member: bool) -> Iterator[str]:
    if is_member:
        yield f"\n{part.source_file}"
    yield f"  format    {part.format} ({part.score}/100: {part.reason})"
    for name, score, reason in part.candidates[:3]:
        yield f"            rather than {name} ({score}/100: {reason})"
    yield f"  encoding  {part.encoding}" + (
        f" ({part.encoding_reason})" if part.encoding_reason and part.encoding != "binary" else ""
    )
    yield f"  records   {part.records:,}"
    if part.mapping:
        yield "  fields    " + "; ".join(f"{name} = {', '.join(names)}" for name, names in part.mapping.items())
    if part.filled:
        yield "  filled    " + ", ".join(f"{name} {part.filled[name]:,}" for name in _FILLED if part.filled[name])
    for rule, count in sorted(part.skipped.items()):
        sample = f", e.g. {_short(part.skip_examples[rule])!r}" if part.skip_examples.get(rule) else ""
        yield f"  skipped   {count:,} by rule {rule}{sample}"
    if part.quarantined_count:
        yield f"  broken    {part.quarantined_count:,}"
    for row in part.quarantined:
        yield f"            {row.rule}: {row.message}"
    for record in part.examples:
        place = f", bytes {record.byte_start}–{record.byte_end}" if record.byte_start is not None else ""
        yield f"  {record.ordinal}. {_short(record.title or '(no title)')}{place}"
        yield f"     {_short(record.raw_text)}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 100 else flat[:99] + "…"
