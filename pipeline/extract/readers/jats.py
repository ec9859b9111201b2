"""JATS and NLM journal articles. Each abstract of an article (author's, graphical, short) is an occurrence of its own."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Entry, Guess, Item, Reader, Skip
from pipeline.extract.markup import Node, Tree
from pipeline.extract.xmlstream import element_items, element_names, elements, looks_like_xml


def _sniff(content: Content) -> Guess | None:
    if not looks_like_xml(content):
        return None
    names = element_names(content)
    return (
        Guess(95, "XML with article-meta")
        if "article-meta" in names or names >= {"article", "front", "journal-meta"}
        else None
    )


def _read(content: Content) -> Iterator[Item]:
    """The front matter only: body and references hold abstracts of nobody."""
    for element in elements(content, ("front", "front-stub")):
        yield from element_items(element, content, _entries)
        yield from (Skip("translated_abstract") for _ in range(element.text.count("<trans-abstract")))


def _entries(tree: Tree, front: Node) -> Iterator[Entry]:
    meta = front.first("article-meta") or front
    fields = _fields(tree, front, meta)
    abstracts = [node for node in meta.children if node.name == "abstract"] or meta.all("abstract")
    texts: list[str | None] = [text for node in abstracts if (text := tree.prose(node)[0]) and tree.plain(node)]
    yield from (Entry(text, fields) for text in texts or [None])


def _fields(tree: Tree, front: Node, meta: Node) -> dict[str, list[object]]:
    ids = {node.attribute("pub-id-type"): tree.plain(node) for node in meta.children if node.name == "article-id"}
    dates = sorted(meta.all("pub-date"), key=lambda node: node.attribute("pub-type") not in {"ppub", "collection", ""})
    licence = meta.first("license")
    return {
        "title": [tree.plain(meta.first("article-title"))],
        "authors": [
            [_name(tree, node) for node in meta.all("contrib") if node.attribute("contrib-type") in {"author", ""}]
        ],
        "venue": [tree.plain(front.first("journal-title")), tree.plain(front.first("journal-id"))],
        "year": [tree.plain(node.child("year")) for node in dates],
        "doi": [ids.get("doi", "")],
        "arxiv_id": [ids.get("arxiv", "")],
        "source_url": [node.attribute("href") for node in meta.children if node.name == "self-uri"],
        "licence": [licence.attribute("href") or tree.plain(licence)] if licence is not None else [],
        "keywords": [[tree.plain(node) for node in meta.all("kwd")]],
        "source_id": [ids.get(kind, "") for kind in ("pmid", "pmc", "pmcid", "publisher-id")],
    }


def _name(tree: Tree, contributor: Node) -> str:
    given, family = tree.plain(contributor.first("given-names")), tree.plain(contributor.first("surname"))
    name = f"{given} {family}".strip()
    return name or tree.plain(contributor.first("string-name")) or tree.plain(contributor.first("collab"))


READER = Reader("jats", _sniff, _read, ceiling=95)
