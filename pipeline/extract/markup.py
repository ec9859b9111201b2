"""A tolerant tree of XML or HTML that keeps places: every element knows where it stands in the text.

Our own, because the usual parsers either give no places (lxml) or give up at the first error (expat), and real
exports have undeclared prefixes, unknown entities and unclosed tags. No entity is ever defined or fetched, so
there is nothing to expand; nesting is limited.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pipeline.extract.words import words

_TAG = re.compile(
    r"<(/?)([A-Za-z_][\w:.-]*)((?:[^<>\"']|\"[^\"]{0,100000}\"|'[^']{0,100000}')*?)(/?)>|<!--|<!\[CDATA\[|<[!?]"
)
_ATTRIBUTE = re.compile(r"([^\s=\"'<>/]+)\s*(?:=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>"}
_PLAIN_TAG = re.compile(r"<[/!?]?[A-Za-z_][^<>]*+>")
_SPACE = re.compile(r"\s+")
_VOID = words("area base br col embed hr img input link meta source track wbr")
_RAW = words("script style textarea")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# Elements that end an open one of the first kind without an end tag (HTML, "optional tags").
_CLOSES = {
    "p": words(
        "p div ul ol dl table section article header footer h1 h2 h3 h4 h5 h6 li dt dd blockquote pre form hr main nav aside"
    ),
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "tr": frozenset({"tr", "tbody"}),
    "td": frozenset({"td", "th", "tr"}),
    "th": frozenset({"td", "th", "tr"}),
    "option": frozenset({"option"}),
}


@dataclass(slots=True, eq=False)
class Node:
    """An element: `start` of its tag, `inner_start` and `inner_end` of its content, `end` behind its end tag.

    `name` is the tag without prefix, in lower case. `order` and `last` are its place and that behind its last
    descendant in `nodes`, the elements of the tree in the order in which they stand.
    """

    tag: str
    raw_attributes: str
    start: int
    inner_start: int
    nodes: list[Node]
    inner_end: int = -1
    end: int = -1
    order: int = 0
    last: int = 0
    name: str = ""
    children: list[Node] = field(default_factory=list)

    def attribute(self, name: str) -> str:
        """The value of an attribute, found with or without its prefix; empty where it is missing."""
        for match in _ATTRIBUTE.finditer(self.raw_attributes):
            if match[1].rpartition(":")[2].lower() == name:
                return html.unescape(match[2] or match[3] or match[4] or "")
        return ""

    def walk(self) -> list[Node]:
        """The element and all below it, in the order in which they stand."""
        return self.nodes[self.order : self.last]

    def all(self, *names: str) -> list[Node]:
        """All elements below (and this one) with one of the names."""
        return [node for node in self.walk() if node.name in names]

    def first(self, *names: str) -> Node | None:
        """The first element below (or this one) with one of the names."""
        return next((node for node in self.walk() if node.name in names), None)

    def child(self, *names: str) -> Node | None:
        """The first child with one of the names."""
        return next((node for node in self.children if node.name in names), None)


class Tree:
    """The elements of a text, below a nameless root."""

    def __init__(self, text: str, is_html: bool = False, max_nesting: int = 500) -> None:
        self.text = text
        self.is_html = is_html
        self.nodes: list[Node] = []
        self.root = Node("", "", 0, 0, self.nodes, len(text), len(text))
        self.nodes.append(self.root)
        self._stack = [self.root]
        self._max_nesting = max_nesting
        self._build()

    def _build(self) -> None:
        text, position = self.text, 0
        never: set[str] = set()
        while match := _TAG.search(text, position):
            position = match.end()
            if match[2] is None:
                position = self._skip(match[0], match.start(), position, never)
            elif match[1]:
                self._close(match[2], match.start(), match.end())
            else:
                self._open(match)
                if self.is_html and match[2].lower() in _RAW and not match[4]:
                    position = self._raw_text(match[2], position)
        for node in self._stack[1:]:
            node.inner_end = node.end = len(text)
        for node in self._stack:
            node.last = len(self.nodes)

    def _skip(self, mark: str, start: int, position: int, never: set[str]) -> int:
        end_mark = _ENDS.get(mark, ">")
        if end_mark in never:
            return position
        end = self.text.find(end_mark, position)
        if mark == "<!" and (subset := self.text.find("[", position, end if end >= 0 else None)) >= 0:
            end = self.text.find("]", subset)
            end = self.text.find(">", end) if end >= 0 else -1
        if end < 0:
            never.add(end_mark)
            return max(position, start + 1)
        return end + len(end_mark)

    def _raw_text(self, tag: str, position: int) -> int:
        match = re.compile(rf"</{tag}\s*>", re.I).search(self.text, position)
        return match.start() if match else len(self.text)

    def _open(self, match: re.Match[str]) -> None:
        order = len(self.nodes)
        node = Node(
            match[2],
            match[3],
            match.start(),
            match.end(),
            self.nodes,
            order=order,
            last=order + 1,
            name=match[2].rpartition(":")[2].lower(),
        )
        self.nodes.append(node)
        if self.is_html:
            while len(self._stack) > 1 and node.name in _CLOSES.get(self._stack[-1].name, ()):
                self._pop(match.start(), match.start())
        self._stack[-1].children.append(node)
        if match[4] or (self.is_html and node.name in _VOID):
            node.inner_end = node.end = match.end()
            return
        self._stack.append(node)
        if len(self._stack) > self._max_nesting:
            raise RecursionError("elements nested beyond the limit")

    def _close(self, tag: str, start: int, end: int) -> None:
        wanted = tag.lower()
        for depth in range(len(self._stack) - 1, 0, -1):
            if self._stack[depth].tag.lower() == wanted:
                while len(self._stack) > depth + 1:
                    self._pop(start, start)
                self._pop(start, end)
                return

    def _pop(self, inner_end: int, end: int) -> None:
        node = self._stack.pop()
        node.inner_end, node.end, node.last = inner_end, end, len(self.nodes)

    def inner(self, node: Node) -> str:
        """The content of an element as it stands."""
        return self.text[node.inner_start : node.inner_end]

    def plain(self, node: Node | None) -> str:
        """The text of an element on one line: tags off, entities resolved. For metadata, not for abstracts."""
        if node is None:
            return ""
        raw = "".join(_between(self.inner(node), "<![CDATA["))
        return _SPACE.sub(" ", unescape(without_tags(raw))).strip()

    def prose(self, node: Node | None) -> tuple[str, bool]:
        """The content of an element as raw text of an abstract, and whether it stands so in the file.

        With elements inside, their tags stay, and the entities with them, for clean to resolve both once. Text
        without elements is decoded once; escaped HTML (`&lt;p&gt;`) and CDATA so become mark-up to be resolved.
        """
        if node is None:
            return "", True
        raw = self.inner(node).strip()
        if node.children:
            parts = _between(raw, "<![CDATA[")
            return _joined(parts, lambda part: html.escape(part, quote=False), str), "<![CDATA[" not in raw
        decoded = _joined(_between(raw, "<![CDATA["), str, unescape)
        return decoded.strip(), decoded == raw


def without_tags(text: str) -> str:
    """A text without its comments and tags."""
    return _PLAIN_TAG.sub("", "".join(_between(text, "<!--")[::2]))


def _between(text: str, mark: str) -> list[str]:
    """What stands outside and inside the sections that begin with a mark, in turn; one without end is no section."""
    end_mark, position, parts = _ENDS[mark], 0, []
    while (start := text.find(mark, position)) >= 0 and (end := text.find(end_mark, start + len(mark))) >= 0:
        parts += [text[position:start], text[start + len(mark) : end]]
        position = end + len(end_mark)
    return [*parts, text[position:]]


def _joined(parts: list[str], inside: Callable[[str], str], outside: Callable[[str], str]) -> str:
    return "".join(inside(part) if index % 2 else outside(part) for index, part in enumerate(parts))


def unescape(text: str) -> str:
    """Entities resolved once; what is no complete entity (`AT&T`, `&copy` without semicolon) stays."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text
