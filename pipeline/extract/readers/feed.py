"""Atom and RSS feeds, those of arXiv above all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Entry, Guess, Item, Reader
from pipeline.extract.markup import Node, Tree
from pipeline.extract.xmlstream import element_names, looks_like_xml, read_records

_ARXIV_HEAD = re.compile(r"\s*(?:arXiv:(\S+)\s+Announce Type:\s*\S+\s*)?Abstract:\s+", re.I)

_ARXIV_TAIL = re.compile(r"\.?\s*\(arXiv:\S+(?: \[[^\]]*\])?(?: UPDATED| CROSS LISTED)*\)$")


def _sniff(content: Content) -> Guess | None:
    if not looks_like_xml(content):
        return None
    names = element_names(content)
    if "feed" in names and ("entry" in names or len(names) < 12):
        return Guess(95, "an Atom feed")
    return (
        Guess(95, "an RSS feed")
        if names & {"rss", "rdf", "channel"} and "item" in names | {"item"} and names & {"channel", "item"}
        else None
    )


def _read(content: Content) -> Iterator[Item]:
    content.variant = "atom" if "feed" in element_names(content) else "rss"
    yield from read_records(content, ("entry", "item"), _entries)


def _entries(tree: Tree, node: Node) -> Iterator[Entry]:
    body = (
        node.child("summary")
        or node.child("abstract")
        or node.child("description")
        or node.child("encoded")
        or node.child("content")
    )
    text = tree.prose(body)[0] if body is not None else ""
    fields = _fields(tree, node)
    if match := _ARXIV_HEAD.match(text):
        text = text[match.end() :]
        if match[1]:
            fields["arxiv_id"].insert(0, match[1])
    yield Entry(text or None, fields)


def _fields(tree: Tree, node: Node) -> dict[str, list[object]]:
    names = [
        tree.plain(author.child("name") or author) for author in node.children if author.name in {"author", "creator"}
    ]
    links = [
        link.attribute("href") or tree.plain(link)
        for link in sorted(node.children, key=_link_rank)
        if link.name == "link"
    ]
    ids = [tree.plain(child) for child in node.children if child.name in {"id", "guid", "identifier"}]
    return {
        "title": [_ARXIV_TAIL.sub("", tree.plain(node.child("title")))],
        "authors": [names if len(names) > 1 else names[0] if names else ""],
        "venue": [tree.plain(node.child("journal_ref", "publicationname"))],
        "year": [
            tree.plain(child)
            for child in node.children
            if child.name in {"published", "pubdate", "date", "issued", "updated", "publicationdate"}
        ],
        "doi": [tree.plain(child) for child in node.children if child.name in {"doi", "identifier"}],
        "arxiv_id": [i for i in ids if "arxiv" in i.lower()],
        "source_url": [*links, *(i for i in ids if i.startswith("http"))],
        "licence": [tree.plain(node.child("rights", "license"))],
        "keywords": [
            [c.attribute("term") or tree.plain(c) for c in node.children if c.name in {"category", "subject"}]
        ],
        "source_id": list[object](ids),
    }


def _link_rank(node: Node) -> int:
    return {"alternate": 0, "": 0}.get(node.attribute("rel"), 1)


READER = Reader("feed", _sniff, _read, ceiling=95)
