"""OAI-PMH responses: arXiv's own format, Dublin Core, and whatever else has an abstract inside a record."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Entry, Guess, Item, Reader
from pipeline.extract.markup import Node, Tree
from pipeline.extract.readers.generic_xml import abstract_nodes, generic_fields
from pipeline.extract.xmlstream import element_names, looks_like_xml, read_records

_MIN_DESCRIPTION = 80


def _sniff(content: Content) -> Guess | None:
    if not looks_like_xml(content):
        return None
    names = element_names(content)
    if (
        "oai-pmh" in names
        or names >= {"record", "header", "metadata", "setspec"}
        or names >= {"record", "header", "datestamp"}
    ):
        return Guess(95, "OAI-PMH records")
    return None


def _read(content: Content) -> Iterator[Item]:
    yield from read_records(content, ("record",), _entries)


def _entries(tree: Tree, record: Node) -> Iterator[Entry]:
    header = record.child("header")
    if header is not None and header.attribute("status") == "deleted":
        return
    body = record.child("metadata") or record
    abstract = next(iter(abstract_nodes(body)), None)
    if abstract is None:
        described = [
            node
            for node in body.all("description")
            if not node.attribute("descriptiontype") or node.attribute("descriptiontype") == "Abstract"
        ]
        abstract = max(
            (n for n in described if len(tree.inner(n)) >= _MIN_DESCRIPTION),
            key=lambda n: len(tree.inner(n)),
            default=None,
        )
    fields = generic_fields(tree, body)
    ids = (
        [tree.plain(node) for node in body.all("id")] + [tree.plain(header.child("identifier"))]
        if header is not None
        else [tree.plain(n) for n in body.all("id")]
    )
    fields["source_id"] = [*ids, *fields.get("source_id", [])]
    yield Entry(tree.prose(abstract)[0] if abstract is not None else None, fields)


READER = Reader("oai-pmh", _sniff, _read, ceiling=95)
