"""HTML pages: one paper with citation metadata, or lists, cards, tables and digests of many."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content, byte_length
from pipeline.extract.entry import Entry, Guess, Item, Reader
from pipeline.extract.markup import Node, Tree, unescape
from pipeline.extract.objects import entry_of, find_entries
from pipeline.extract.page_data import META, META_ABSTRACT, data_of
from pipeline.extract.table import Columns, header_score
from pipeline.extract.words import words

_START = re.compile(
    r"\ufeff?\s*+(?:<\?xml[^>]*+>\s*+)?+(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body|article|div|section|table|ul|ol|dl|main|h[1-6]|p|meta|header|nav|script|style|link)\b",
    re.I | re.S,
)
_ABSTRACT_CLASS = re.compile(
    r"(?:^|[\s_-])abs(?:tract)?s?(?:$|[\s_-]|text|content|body|full|section|infull|example|short|long)|[a-z]abstract(?:$|[\s_-])",
    re.I,
)
_NOT_ABSTRACT_CLASS = re.compile(
    r"toggle|button|btn|link|label|icon|title|heading|header|graphical|collapse-toggle|nav", re.I
)
_SUMMARY_CLASS = re.compile(r"(?:^|[\s_-])(?:summary|mathjax|description|descr)(?:$|[\s_-])", re.I)
_TITLE_CLASS = re.compile(r"(?:^|[\s_-])(?:title|paper-?title|name|headline)(?:$|[\s_-])|list-title|papertitle|card-?body$", re.I)
_AUTHOR_CLASS = re.compile(r"author|byline|contrib|creator|speaker|maincardfooter", re.I)
_LABEL = re.compile(r"\s*+(?:abstract|summary|摘要)\s*+[:：.—–-]?\s*+", re.I)
_LABEL_TEXT = re.compile(r"\W*(?:abstract|摘要)\W*", re.I)
_LABEL_TAGS = words("summary h1 h2 h3 h4 h5 h6 strong b dt span th p div em i legend button label td")
_HEADINGS = words("h1 h2 h3 h4 h5 h6")
_TITLE_LEAD = re.compile(r"^(?:title|题目)\s*:\s*|^\[?\d+\]?[.)]\s+", re.I)
_AUTHOR_LEAD = re.compile(r"^(?:authors?|by)\s*:?\s+", re.I)
_IDENTIFIER = re.compile(r"arxiv\.org/(?:abs|pdf)/|doi\.org/10\.|aclanthology\.org/|openreview\.net/forum", re.I)
_MIN_TEXT = 60
_MIN_PROSE = 150
_PROSE_TAGS = words("p pre div dd td li span blockquote section article")
_NEAR = 8


def _sniff(content: Content) -> Guess | None:
    if _START.match(content.sample[:5000]) is None:
        return None
    tags = len(re.findall(r"</(?:p|div|li|h[1-6]|td|span|a|body|html)>", content.sample))
    return (
        Guess(82, f"HTML with {tags} closing tags") if tags >= 3 or "<html" in content.sample[:2000].lower() else None
    )


def _read(content: Content) -> Iterator[Item]:
    text = content.text()
    page = _Page(Tree(text, is_html=True, max_nesting=2000), content)
    yield from page.items()


class _Page:
    def __init__(self, tree: Tree, content: Content) -> None:
        self.tree = tree
        self.content = content
        self.nodes = tree.root.walk()[1:]
        self.parents = {id(child): node for node in [tree.root, *self.nodes] for child in node.children}
        self.places = {id(child): i for node in [tree.root, *self.nodes] for i, child in enumerate(node.children)}
        self.mark, self.mark_byte = 0, content.encoding.bom
        self.meta = self._meta()

    def items(self) -> Iterator[Item]:
        """One entry for a page about one paper; else one for each abstract that the page holds."""
        holders = self._holders()
        if self.meta.get("citation_title") or (
            len(holders) <= 1 and any(self.meta.get(name) for name in META_ABSTRACT[:5])
        ):
            yield self._single(holders)
            return
        if rows := self._table_rows():
            yield from rows
            return
        linked = list(self._linked_data()) if not holders else []
        holders = holders or ([] if linked else self._repeated())
        known = {id(holder) for holder in holders}
        for index, holder in enumerate(holders):
            yield self._entry(holder, holders[index - 1] if index else None, known)
        yield from linked

    def _meta(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for node in self.nodes:
            if node.name == "meta":
                name = (node.attribute("name") or node.attribute("property") or node.attribute("itemprop")).lower()
                value = node.attribute("content").strip()
                if name and value:
                    found.setdefault(name, []).append(value)
        return found

    def _holders(self) -> list[Node]:
        """The elements whose content is an abstract: by label, else by class or id, else by a class for summaries."""
        candidates = [node for node in self.nodes if self._is_named(node, _ABSTRACT_CLASS)] + self._labelled()
        chosen = self._innermost(candidates)
        if not chosen:
            chosen = self._innermost([node for node in self.nodes if self._is_named(node, _SUMMARY_CLASS)])
        return chosen

    def _repeated(self) -> list[Node]:
        """Without any label: prose in elements of one kind, each with a title of its own above it."""
        groups: dict[tuple[str, ...], list[Node]] = {}
        for node in self.nodes:
            if node.name in _PROSE_TAGS and self._is_prose(node):
                parent = self.parents[id(node)]
                kind = (node.name, node.attribute("class"), parent.name, parent.attribute("class"))
                groups.setdefault(kind, []).append(node)
        best: list[Node] = []
        for nodes in groups.values():
            if len(nodes) > len(best) and self._are_titled(nodes):
                best = nodes
        return best

    def _is_prose(self, node: Node) -> bool:
        """An element with the text of an abstract and no element inside that is a paragraph of its own."""
        if any(inner.name in _PROSE_TAGS | _HEADINGS and inner.name != "span" for inner in node.walk()[1:]):
            return False
        text = self.tree.plain(node)
        linked = sum(len(self.tree.plain(link)) for link in node.all("a"))
        return len(text) >= _MIN_PROSE and text.count(" ") >= _MIN_PROSE // 8 and ". " in text + " " and 3 * linked < len(text)

    def _are_titled(self, nodes: list[Node]) -> bool:
        """True where nearly all of several elements have a title of some words between the one before and themselves."""
        known = {id(node) for node in nodes}
        titled = 0
        for index, node in enumerate(nodes):
            title = self._fields(node, nodes[index - 1] if index else None, known).get("title")
            titled += bool(title) and len(str(title[0]).split()) >= 2 if title else 0
        return len(nodes) >= 2 and titled >= 0.8 * len(nodes)

    def _is_named(self, node: Node, pattern: re.Pattern[str]) -> bool:
        if (
            node.name
            in {
                "a",
                "button",
                "body",
                "html",
                "main",
                "input",
                "label",
                "script",
                "style",
                "meta",
                "link",
                "summary",
                "img",
                "h1",
                "h2",
                "h3",
                "h4",
                "h5",
                "h6",
            }
            or "=" not in node.raw_attributes
        ):
            return False
        names = [
            name
            for name in (*node.attribute("class").split(), node.attribute("id"))
            if pattern.search(name) and not _NOT_ABSTRACT_CLASS.search(name)
        ]
        return bool(names)

    def _labelled(self) -> list[Node]:
        """Elements behind a label: `<summary>Abstract</summary>…`, `<h4>Abstract</h4><p>…`, `<strong>Abstract:</strong> …`."""
        return [found for node in self.nodes if self._is_label(node) for found in self._behind(node)]

    def _is_label(self, node: Node) -> bool:
        if node.name not in _LABEL_TAGS or node.inner_end - node.inner_start > 200:
            return False
        if _LABEL_TEXT.fullmatch(self.tree.plain(node)) is None:
            return False
        return not any(_LABEL_TEXT.fullmatch(self.tree.plain(child)) for child in node.children)

    def _behind(self, label: Node) -> list[Node]:
        """The element whose content follows a label: the one around both, the next one, or the one after that around it."""
        parent = self.parents[id(label)]
        place = self.places[id(label)] + 1
        until = parent.children[place].start if place < len(parent.children) else parent.inner_end
        loose = re.sub(r"<[^<>]*>", "", self.tree.text[label.end : until]).strip()
        if label.name == "summary" or len(loose) >= _MIN_TEXT:
            return [parent]
        if (found := self._next_long(parent, place)) is not None:
            return [found]
        outer = self.parents.get(id(parent))
        if outer is None or place < len(parent.children) or loose:
            return []
        found = self._next_long(outer, self.places[id(parent)] + 1)
        return [found] if found is not None else []

    def _next_long(self, parent: Node, place: int) -> Node | None:
        """The first child from `place` on with enough text, among the next few."""
        near = parent.children[place : place + _NEAR]
        return next((node for node in near if len(self.tree.plain(node)) >= _MIN_TEXT), None)

    def _innermost(self, candidates: list[Node]) -> list[Node]:
        """Candidates with enough text that hold no other candidate; one abstract is taken once."""
        unique = {node.start: node for node in candidates if len(self.tree.plain(node)) >= _MIN_TEXT}
        nodes = [unique[start] for start in sorted(unique)]
        chosen: list[Node] = []
        for index, node in enumerate(nodes):
            if chosen and node.start < chosen[-1].end:
                continue
            holds_others = index + 1 < len(nodes) and nodes[index + 1].start < node.end
            if not holds_others or "abstract" in (
                node.attribute("id").lower(),
                *node.attribute("class").lower().split(),
            ):
                chosen.append(node)
        return chosen

    def _text(self, node: Node) -> tuple[str, int, int]:
        """The content of an abstract's element without its label, and where it stands."""
        while (
            len(node.children) == 1
            and node.children[0].name in {"div", "p", "span", "section", "blockquote"}
            and self._is_wrapper(node, node.children[0])
        ):
            node = node.children[0]
        start, end = node.inner_start, node.inner_end
        for child in node.children:
            if child.name in {"summary", "script", "style", "button"} or (
                _LABEL.fullmatch(self.tree.plain(child)) and not self.tree.text[start : child.start].strip()
            ):
                start = child.end
            else:
                break
        if (inside := self._label_inside(node)) is not None and inside.start >= start:
            start = inside.end
        raw = self.tree.text[start:end]
        lead = len(raw) - len(raw.lstrip())
        stripped = raw.strip()
        if label := re.match(r"(?:abstract|摘要)\s*[:：]\s*", stripped, re.I):
            lead, stripped = lead + label.end(), stripped[label.end() :]
        return stripped, start + lead, start + lead + len(stripped)

    def _label_inside(self, node: Node) -> Node | None:
        """The label among the children of an element that has the abstract behind it."""
        return next((c for c in node.children if self._is_label(c) and node.inner_end - c.end >= _MIN_TEXT), None)

    def _is_wrapper(self, node: Node, child: Node) -> bool:
        """True where an element holds nothing but one other."""
        return (
            not self.tree.text[node.inner_start : child.start].strip()
            and not self.tree.text[child.end : node.inner_end].strip()
        )

    def _entry(self, holder: Node, before: Node | None, holders: set[int]) -> Entry:
        text, start, end = self._text(holder)
        if "<" not in text:
            text = unescape(text)
        return self._at(Entry(text, self._fields(holder, before, holders)), start, end)

    def _at(self, entry: Entry, start: int, end: int) -> Entry:
        entry.byte_start, entry.byte_end = self._byte_at(start), self._byte_at(end)
        return entry

    def _byte_at(self, position: int) -> int:
        """The byte of a position in the text, counted from the one asked for last."""
        encoding = self.content.encoding
        if position < self.mark:
            return self.mark_byte - byte_length(self.tree.text[position : self.mark], encoding)
        self.mark_byte += byte_length(self.tree.text[self.mark : position], encoding)
        self.mark = position
        return self.mark_byte

    def _fields(self, holder: Node, before: Node | None, holders: set[int]) -> dict[str, list[object]]:
        """Title, authors, links and dates between the abstract before and the end of the card around this one."""
        near, pool = self._surroundings(holder, before, holders)
        titles = [n for n in near if n.name in _HEADINGS or (n.name == "dt" and len(self.tree.plain(n)) > 15) or self._is_classed(n, _TITLE_CLASS) or _TITLE_CLASS.search(n.attribute("id"))]
        titles = [n for n in titles if not _LABEL_TEXT.fullmatch(self.tree.plain(n))]
        if (label := self._label_inside(holder)) is not None:
            near = [*near, *self.tree.nodes[holder.order + 1 : label.order]]
        titles = titles or [n for n in near if n.name in {"strong", "b", "dt", "a"} and len(self.tree.plain(n)) > 15]
        authors = [name for n in pool if self._is_classed(n, _AUTHOR_CLASS) and (name := self.tree.plain(n))]
        links = [n.attribute("href") for n in pool if n.name == "a" and n.attribute("href").startswith("http")]
        fields: dict[str, list[object]] = {"source_url": [*(x for x in links if _IDENTIFIER.search(x)), *links]}
        if titles:
            headed = [n for n in titles if n.name in _HEADINGS and self._is_classed(n, _TITLE_CLASS)]
            fields["title"] = [_TITLE_LEAD.sub("", self.tree.plain((headed or titles)[-1]))]
        if authors:
            first = _AUTHOR_LEAD.sub("", authors[0])
            fields["authors"] = [first if len(authors) == 1 or "," in first else authors]
        dated = [n for n in pool if n.name == "time" or re.search(r"date|year|published", n.attribute("class"), re.I)]
        fields["year"] = [self.tree.plain(n) or n.attribute("datetime") for n in dated]
        fields["doi"] = [link for link in links if "doi.org/" in link]
        return fields

    def _surroundings(self, holder: Node, before: Node | None, holders: set[int]) -> tuple[list[Node], list[Node]]:
        """The elements before an abstract that belong to it, and those with the rest of its card."""
        card = holder
        while (outer := self.parents.get(id(card))) is not None and outer.tag:
            if any(id(node) in holders and node is not holder for node in outer.walk()):
                break
            card = outer
        since = before.last if before is not None else 1
        if card is holder:
            near = self.tree.nodes[since : holder.order]
            return near, near
        near = self.tree.nodes[max(since, card.order) : holder.order]
        return near, [*near, *self.tree.nodes[holder.last : card.last]]

    def _is_classed(self, node: Node, pattern: re.Pattern[str]) -> bool:
        return "=" in node.raw_attributes and bool(
            pattern.search(node.attribute("class")) or pattern.search(node.attribute("itemprop"))
        )

    def _single(self, holders: list[Node]) -> Entry:
        """The entry of a page about one paper: metadata from its head, the abstract from the page where it is the same."""
        fields: dict[str, list[object]] = {}
        for name, keys in META.items():
            values = [
                value
                for key in keys
                for value in (self.meta.get(key, []) if name not in {"authors", "keywords"} else [])
            ]
            if name in {"authors", "keywords"}:
                values = next((self.meta[key] for key in keys if key in self.meta), [])
                fields[name] = [values if len(values) > 1 else values[0]] if values else []
            else:
                fields[name] = list[object](values)
        stated = next(
            (
                self.meta[name][0]
                for name in META_ABSTRACT
                if name in self.meta and (name not in META_ABSTRACT[5:] or len(self.meta[name][0]) >= 150)
            ),
            "",
        )
        key = re.sub(r"\W", "", stated)[:60].lower()
        for holder in holders:
            text, start, end = self._text(holder)
            if not key or key[:40] in re.sub(r"\W", "", self.tree.plain(holder)).lower() or len(holders) == 1:
                return self._at(Entry(text if "<" in text else unescape(text), fields), start, end)
        return Entry(stated or None, fields)

    def _table_rows(self) -> list[Entry]:
        """The rows of tables under a header with a column of abstracts."""
        found = []
        for table in (node for node in self.nodes if node.name == "table"):
            columns: Columns | None = None
            for row in table.all("tr"):
                cells = [cell for cell in row.children if cell.name in {"td", "th"}]
                names = [self.tree.plain(cell) for cell in cells]
                if columns is None and len(cells) > 1 and header_score(names) >= 3:
                    columns = Columns(names)
                elif columns is not None and columns.has_abstract and cells:
                    entry = columns.entry(
                        [
                            self.tree.prose(c)[0] if i in columns.abstract else self.tree.plain(c)
                            for i, c in enumerate(cells)
                        ]
                    )
                    if entry is not None:
                        links = [a.attribute("href") for a in row.all("a") if a.attribute("href").startswith("http")]
                        entry.fields = {**entry.fields, "source_url": [*entry.fields.get("source_url", []), *links]}
                        found.append(self._at(entry, row.start, row.end))
        return found

    def _linked_data(self) -> Iterator[Entry]:
        """Entries in the data of scripts: JSON-LD, the state of a web application, lists assigned to a variable."""
        for node in self.nodes:
            if node.name != "script":
                continue
            is_linked = "ld+json" in node.attribute("type")
            for data in data_of(self.tree.inner(node)):
                if is_linked:
                    values = [v for v in (data if isinstance(data, list) else [data]) if isinstance(v, dict)]
                    found = [entry_of(value) for value in values if "Article" in str(value.get("@type", ""))]
                else:
                    found = [e for e in find_entries(data, self.content.options.max_nesting) if e.abstract]
                for entry in found:
                    if entry is not None:
                        yield self._at(entry, node.start, node.end)


READER = Reader("html", _sniff, _read, ceiling=82)
