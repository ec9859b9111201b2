"""XML records one by one from a sliding window: constant memory, exact bytes, and one broken record costs only itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pipeline.extract.content import Content, byte_length
from pipeline.extract.entry import Broken, Entry, Item
from pipeline.extract.markup import Node, Tree

_DROP = 1 << 20
_SNIFFED = re.compile(r"<(?![/!?])(?:[\w.-]+:)?([A-Za-z_][\w.-]*)[\s/>]")


@dataclass(frozen=True, slots=True)
class Element:
    """An element cut out of the file: its name, its text, its bytes. `is_open`: only the tag of an outer element."""

    name: str
    text: str
    start: int
    end: int
    is_open: bool = False
    is_complete: bool = True


class _Window:
    """The part of the text at hand. What lies before `position` is dropped, not for each record but a mebibyte at a time."""

    def __init__(self, content: Content) -> None:
        self._chunks = content.text_chunks()
        self._encoding = content.encoding
        self.text = ""
        self.position = 0
        self._mark, self._mark_byte = 0, content.encoding.bom

    def fill(self) -> bool:
        """More text, if there is any."""
        part = next(self._chunks, "")
        self.text += part
        return bool(part)

    def advance(self, position: int) -> None:
        """Go on from `position`."""
        self.position = position
        if position > _DROP:
            self.byte_at(position)
            self.text = self.text[position:]
            self.position = self._mark = 0

    def byte_at(self, position: int) -> int:
        """The byte of a position not before the one asked for last."""
        self._mark_byte += byte_length(self.text[self._mark : position], self._encoding)
        self._mark = position
        return self._mark_byte


def elements(content: Content, records: Iterable[str], outer: Iterable[str] = ()) -> Iterator[Element]:
    """The elements named `records`, and the tags of those named `outer`, in order. Elements inside a record are part of it."""
    names = "|".join(map(re.escape, [*records, *outer]))
    opening = re.compile(rf"<(?:[\w.-]+:)?({names})(?=[\s/>])", re.I)
    outer_names = {name.lower() for name in outer}
    window, limit = _Window(content), content.options.max_record_bytes
    while True:
        match = opening.search(window.text, window.position)
        if match is None:
            window.advance(max(len(window.text) - 200, window.position))
            if not window.fill():
                return
            continue
        if match.start() > _DROP:
            window.advance(match.start())
            continue
        name = match[1].lower()
        if name in outer_names:
            end, complete = _find_end(window, re.compile(">"), match.end(), limit)
        else:
            end, complete = _element_end(window, match, limit)
        start_byte = window.byte_at(match.start())
        yield Element(
            name, window.text[match.start() : end], start_byte, window.byte_at(end), name in outer_names, complete
        )
        window.advance(end)


def _find_end(window: _Window, pattern: re.Pattern[str], position: int, limit: int) -> tuple[int, bool]:
    start = position
    while (match := pattern.search(window.text, position)) is None:
        position = max(start, len(window.text) - 200)
        if len(window.text) - start > limit or not window.fill():
            return len(window.text), False
    return match.end(), True


def _element_end(window: _Window, match: re.Match[str], limit: int) -> tuple[int, bool]:
    """Where the element ends: at its own end tag, elements of the same name inside counted."""
    tag = match[0][1:]
    boundary = re.compile(rf"<(/?){re.escape(tag)}(?=[\s/>])[^<>]*?(/?)>", re.I)
    depth, position, start = 0, match.start(), match.start()
    while True:
        found = boundary.search(window.text, position)
        if found is None:
            resume = max(position, len(window.text) - 4096)
            if len(window.text) - start > limit or not window.fill():
                return len(window.text), False
            position = min(position, resume) if resume < position else resume
            continue
        position = found.end()
        if found[1]:
            depth -= 1
        elif not found[2]:
            depth += 1
        if depth <= 0:
            return position, True


def read_records(
    content: Content, records: Iterable[str], entries: Callable[[Tree, Node], Iterable[Entry]]
) -> Iterator[Item]:
    """The entries of each record element; a record whose end is missing or that is nested too deep is broken."""
    for element in elements(content, records):
        yield from element_items(element, content, entries)


def element_items(
    element: Element, content: Content, entries: Callable[[Tree, Node], Iterable[Entry]]
) -> Iterator[Item]:
    """The entries of one record element, with its bytes where the reader gave none."""
    try:
        tree = Tree(element.text, max_nesting=content.options.max_nesting + 100)
    except RecursionError:
        yield Broken(
            "nested_too_deep",
            "elements nested beyond the limit: flatten them",
            element.text[:1000],
            element.start,
            element.end,
        )
        return
    if not element.is_complete:
        yield Broken(
            "broken_xml",
            f"the element <{element.name}> has no end: the file is cut off, or a tag is missing; fetch it again",
            element.text[:65536],
            element.start,
            element.end,
        )
        return
    for entry in entries(tree, tree.root.children[0]):
        entry.byte_start, entry.byte_end = element.start, element.end
        yield entry


def element_names(content: Content) -> set[str]:
    """The names, without prefix and in lower case, of the elements at the beginning of the file."""
    return content.remember("element_names", lambda: {name.lower() for name in _SNIFFED.findall(content.sample)})


def looks_like_xml(content: Content) -> bool:
    """True where the file begins as XML does, and not as HTML."""
    start = content.sample.lstrip("\ufeff \t\r\n\x00")[:600]
    if re.match(r"<!doctype html|<html[\s>]", start, re.I):
        return False
    return start.startswith("<?xml") or re.match(r"<(?:!--|!DOCTYPE|[A-Za-z_][\w:.-]*[\s/>])", start) is not None
