"""What a reader yields: entries that may be records, things left out, and things that are broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.extract.content import Content


@dataclass(slots=True)
class Entry:
    """One entry of a file as its reader found it.

    `fields` maps canonical names (see `fields.py`) to whatever the source holds: text, numbers, lists, objects;
    `abstract` may be None (an entry without abstract). `variant` is added to the format name (`text/paragraphs`).
    """

    abstract: str | None
    fields: Mapping[str, Sequence[object]] = field(default_factory=dict)
    byte_start: int | None = None
    byte_end: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(slots=True)
class Skip:
    """Something that is no record: the rule that says so, and how it begins."""

    rule: str
    sample: str = ""


@dataclass(slots=True)
class Broken:
    """A broken record, or (`whole_file`) a file that cannot be used: which rule, and what a person should do."""

    rule: str
    message: str
    raw_text: str | None = None
    byte_start: int | None = None
    byte_end: int | None = None
    whole_file: bool = False


Item = Entry | Skip | Broken


def unpacks_too_large(what: str) -> Broken:
    """The verdict on a file that holds out of all proportion to its size; `what` says what it does."""
    message = f"{what}, which looks like a bomb: if it is not, unpack it yourself and give the files"
    return Broken("unpacks_too_large", message, whole_file=True)


@dataclass(frozen=True, slots=True)
class Guess:
    """How sure a reader is (0 to 100) that a file is in its format, and why."""

    score: int
    reason: str


@dataclass(frozen=True, slots=True)
class Reader:
    """A format: its name, how to recognise it by content, how to read it, the highest score that its sniff gives
    (the others need not be asked once a surer one has answered), and whether it is binary."""

    name: str
    sniff: Callable[[Content], Guess | None]
    read: Callable[[Content], Iterator[Item]]
    ceiling: int = 100
    is_binary: bool = False
