"""ACL Anthology XML: the inline mark-up of abstracts stays, venue and year come from the volume."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Entry, Guess, Item, Reader
from pipeline.extract.markup import Node, Tree
from pipeline.extract.xmlstream import element_items, element_names, elements, looks_like_xml


def _sniff(content: Content) -> Guess | None:
    if not looks_like_xml(content):
        return None
    names = element_names(content)
    if names >= {"collection", "paper"} or names >= {"volume", "paper", "title"}:
        return Guess(96, "XML with a collection of paper elements")
    return None


def _read(content: Content) -> Iterator[Item]:
    volume = _Volume()
    for element in elements(content, ("paper", "frontmatter", "meta"), ("collection", "volume")):
        tree = Tree(element.text)
        node = tree.root.children[0] if tree.root.children else tree.root
        if element.name == "collection":
            volume.collection = node.attribute("id")
        elif element.name == "volume":
            volume.number = node.attribute("id")
        elif element.name == "meta":
            volume.title, volume.year = tree.plain(node.child("booktitle")), tree.plain(node.child("year"))
        else:
            yield from element_items(element, content, volume.entries)


class _Volume:
    """What the papers of a volume share."""

    def __init__(self) -> None:
        self.collection = self.number = self.title = self.year = ""

    def entries(self, tree: Tree, paper: Node) -> Iterator[Entry]:
        abstract = paper.child("abstract")
        if abstract is None and paper.name == "frontmatter":
            return
        url = tree.plain(paper.child("url"))
        acl_id = (
            url
            if url and "/" not in url
            else f"{self.collection}-{self.number}.{paper.attribute('id')}"
            if "." in self.collection
            else ""
        )
        yield Entry(
            tree.prose(abstract)[0] if abstract is not None else None,
            {
                "title": [tree.plain(paper.child("title"))],
                "authors": [
                    [
                        f"{tree.plain(a.child('first'))} {tree.plain(a.child('last'))}".strip() or tree.plain(a)
                        for a in paper.children
                        if a.name == "author"
                    ]
                ],
                "venue": [self.title],
                "year": [tree.plain(paper.child("year")), self.year],
                "doi": [tree.plain(paper.child("doi"))],
                "source_url": [f"https://aclanthology.org/{acl_id}" if acl_id else url],
                "source_id": [acl_id, tree.plain(paper.child("bibkey"))],
            },
        )


READER = Reader("acl-xml", _sniff, _read, ceiling=96)
