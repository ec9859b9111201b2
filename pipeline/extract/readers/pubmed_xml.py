"""PubMed and MEDLINE XML: labelled sections are joined with their labels."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Entry, Guess, Item, Reader
from pipeline.extract.markup import Node, Tree
from pipeline.extract.xmlstream import element_names, looks_like_xml, read_records

_RECORDS = ("PubmedArticle", "PubmedBookArticle", "MedlineCitation")


def _sniff(content: Content) -> Guess | None:
    names = element_names(content) if looks_like_xml(content) else set()
    if not names & {"pubmedarticle", "medlinecitation", "pubmedbookarticle"}:
        return None
    return Guess(97, "XML with PubmedArticle or MedlineCitation elements")


def _read(content: Content) -> Iterator[Item]:
    yield from read_records(content, _RECORDS, _entries)


def _entries(tree: Tree, record: Node) -> Iterator[Entry]:
    article = record.first("article", "bookdocument") or record
    abstract = article.child("abstract") or record.first("otherabstract")
    yield Entry(
        join_sections(tree, abstract.all("abstracttext")) if abstract is not None else None,
        _fields(tree, record, article),
    )


def join_sections(tree: Tree, sections: list[Node]) -> str | None:
    """The sections as paragraphs, each behind its label; one section as it stands."""
    parts = []
    for section in sections:
        text = tree.prose(section)[0]
        label = section.attribute("label").strip()
        if text:
            parts.append(f"{label}: {text}" if label and label.upper() not in {"UNLABELLED", "UNLABELED"} else text)
    return "\n\n".join(parts) or None


def _fields(tree: Tree, record: Node, article: Node) -> dict[str, list[object]]:
    references = record.all("referencelist")
    ids = {
        node.attribute("idtype"): tree.plain(node)
        for node in reversed(record.all("articleid"))
        if not any(r.start <= node.start < r.end for r in references)
    }
    locations = [tree.plain(node) for node in article.all("elocationid") if node.attribute("eidtype") == "doi"]
    journal = article.child("journal") or article.first("journal")
    dates = [node for node in (journal, article.child("articledate")) if node is not None]
    years = [tree.plain(node) for date in dates for node in date.all("year", "medlinedate")]
    return {
        "title": [tree.plain(article.child("articletitle", "vernaculartitle", "booktitle"))],
        "authors": [[_name(tree, node) for node in article.all("author")]],
        "venue": [
            tree.plain(journal.child("title")) if journal is not None else "",
            tree.plain(record.first("medlineta")),
        ],
        "year": list[object](years),
        "doi": [*locations, ids.get("doi", "")],
        "keywords": [
            [tree.plain(node) for node in record.all("keyword")],
            [tree.plain(node) for node in record.all("descriptorname")],
        ],
        "source_id": [tree.plain(record.first("pmid")), ids.get("pubmed", "")],
    }


def _name(tree: Tree, author: Node) -> str:
    collective = tree.plain(author.child("collectivename"))
    given = tree.plain(author.child("forename", "firstname")) or tree.plain(author.child("initials"))
    return collective or f"{given} {tree.plain(author.child('lastname'))}".strip()


READER = Reader("pubmed-xml", _sniff, _read, ceiling=97)
