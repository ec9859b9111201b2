"""EndNote XML (also written by Zotero, Rayyan, Covidence): fields hold `<style>` runs, which are typography only."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Entry, Guess, Item, Reader
from pipeline.extract.markup import Node, Tree
from pipeline.extract.xmlstream import element_names, looks_like_xml, read_records


def _sniff(content: Content) -> Guess | None:
    if not looks_like_xml(content):
        return None
    names = element_names(content)
    if names >= {"record", "ref-type"} or names >= {"records", "record", "contributors", "titles"}:
        return Guess(95, "EndNote records")
    return None


def _read(content: Content) -> Iterator[Item]:
    yield from read_records(content, ("record",), _entries)


def _entries(tree: Tree, record: Node) -> Iterator[Entry]:
    yield Entry(
        _text(tree, record.child("abstract")),
        {
            "title": [tree.plain(node) for node in _below(record, "titles", "title")],
            "authors": [
                [tree.plain(node) for node in _below(record, "authors", "author")],
                [tree.plain(n) for n in record.all("author")],
            ],
            "venue": [
                tree.plain(node)
                for node in (*_below(record, "periodical", "full-title"), *_below(record, "titles", "secondary-title"))
            ],
            "year": [tree.plain(node) for node in _below(record, "dates", "year")],
            "doi": [
                tree.plain(record.child("electronic-resource-num")),
                *(tree.plain(n) for n in record.all("url") if "doi.org" in tree.plain(n)),
            ],
            "source_url": [tree.plain(node) for node in record.all("url")],
            "keywords": [[tree.plain(node) for node in record.all("keyword")]],
            "source_id": [tree.plain(record.child("accession-num")), tree.plain(record.child("rec-number"))],
        },
    )


def _below(record: Node, outer: str, inner: str) -> list[Node]:
    return [node for parent in record.all(outer) for node in parent.all(inner)]


def _text(tree: Tree, node: Node | None) -> str | None:
    """The abstract: runs of `<style>` are joined, each decoded once."""
    if node is None:
        return None
    styles = [child for child in node.children if child.name == "style"]
    if styles and all(not style.children for style in styles):
        return (
            "".join(tree.prose(style)[0] for style in styles)
            if len(styles) == 1
            else "".join(tree.plain(style) + " " for style in styles).strip()
        )
    return tree.prose(node)[0]


READER = Reader("endnote-xml", _sniff, _read, ceiling=95)
