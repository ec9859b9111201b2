"""Other XML (DataCite, MODS, TEI, Crossref, MARC, Solr, DSpace, home-made lists): the record is what holds one abstract and one title."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Broken, Entry, Guess, Item, Reader
from pipeline.extract.fields import canonical_of, fold_name
from pipeline.extract.markup import Node, Tree
from pipeline.extract.words import words
from pipeline.extract.xmlstream import element_names, looks_like_xml, read_records

_STRONG = words("abstract abstracts abstracttext ab abstractnote paperabstract")
_WEAK = words("description summary text note")
# Elements that name their field in an attribute: Solr, DSpace, XOAI, XML of databases and forms.
_ATTRIBUTED = words("field element meta property str arr dcvalue value column string param")
_NAMED_ABSTRACT = re.compile(r"""(?:name|element|qualifier|key|label)\s?=\s?["'](?:dc\.?)?(?:description\.?)?abstract["']|tag\s?=\s?["']520["']""", re.I)
# MARC 21: https://www.loc.gov/marc/bibliographic/
_MARC = {"245": "title", "520": "abstract", "100": "author", "700": "author", "773": "journal", "856": "url", "650": "keywords", "653": "keywords"}
_NAME_PARTS = (
    "given",
    "first",
    "forename",
    "forenames",
    "givenname",
    "given_name",
    "given-name",
    "firstname",
    "namepart",
)
_FAMILY_PARTS = ("family", "last", "surname", "keyname", "familyname", "family_name", "lastname")


def _sniff(content: Content) -> Guess | None:
    if not looks_like_xml(content):
        return None
    names = element_names(content)
    if names & _STRONG:
        return Guess(60, "XML with abstract elements")
    if _NAMED_ABSTRACT.search(content.sample):
        return Guess(58, "XML with a field named abstract")
    if names & _WEAK and names & {"title", "name", "creator", "author"}:
        return Guess(45, "XML with titles and descriptions")
    return Guess(30, "XML") if content.sample.lstrip("\ufeff \r\n\t").startswith("<?xml") else None


def _read(content: Content) -> Iterator[Item]:
    record = _record_name(content)
    if record is None:
        yield Broken(
            "no_abstract_element",
            "no element holds abstracts: convert the file to JSON Lines or CSV with a column `abstract`",
            whole_file=True,
        )
        return
    yield from read_records(content, (record,), _entries)


def _record_name(content: Content) -> str | None:
    """The element to cut the file into: the smallest around an abstract that holds a title as well."""
    tree = Tree(content.sample, max_nesting=content.options.max_nesting + 100)
    votes: Counter[str] = Counter()
    for names in (_STRONG, _WEAK):
        stack: list[tuple[Node, tuple[Node, ...]]] = [(tree.root, ())]
        while stack:
            node, path = stack.pop()
            if name_of(node) in names and path:
                holder = next(
                    (outer for outer in reversed(path) if outer.name and any(_is_title(n) for n in outer.walk())),
                    path[-1],
                )
                votes[holder.tag.rpartition(":")[2]] += 1
            stack.extend((child, (*path, node)) for child in node.children)
        if votes:
            return max(votes, key=lambda name: (votes[name], name))
    return None


def _is_title(node: Node) -> bool:
    return (place := canonical_of(name_of(node))) is not None and place[0] == "title"


def name_of(node: Node) -> str:
    """The name of the field that an element holds: its own, or the one that an attribute states."""
    if node.name == "datafield":
        return _MARC.get(node.attribute("tag"), "")
    if node.name not in _ATTRIBUTED:
        return node.name
    named = node.attribute("qualifier").replace("none", "") or node.attribute("name") or node.attribute("element") or node.attribute("key")
    return fold_name(named.removeprefix("dc.").removeprefix("description.")) or node.name


def _entries(tree: Tree, record: Node) -> Iterator[Entry]:
    found = abstract_nodes(record) or [
        n for n in record.walk() if name_of(n) in _WEAK and n.attribute("descriptiontype") in {"", "Abstract"}
    ][:1]
    text = next((text for node in found if (text := tree.prose(_innermost(node))[0])), None)
    yield Entry(text, generic_fields(tree, record))


def abstract_nodes(record: Node) -> list[Node]:
    """The elements of a record that are abstracts by name, without those inside others."""
    nodes = [node for node in record.walk() if name_of(node) in _STRONG]
    return [n for n in nodes if not any(o is not n and o.start <= n.start and n.end <= o.end for o in nodes)]


def _innermost(node: Node) -> Node:
    """What an element named by an attribute holds its text in: `<datafield tag="520"><subfield code="a">`."""
    while len(node.children) == 1 and node.children[0].name in _ATTRIBUTED | {"subfield"}:
        node = node.children[0]
    return node


def generic_fields(tree: Tree, record: Node) -> dict[str, list[object]]:
    """Fields by the synonyms of their element names; people are put together from the parts of their names."""
    found: dict[str, list[tuple[int, str]]] = {}
    people: list[str] = []
    words: list[str] = []
    for node in record.walk():
        place = _place_of(node)
        if place is None or "abstract" in place[0]:
            continue
        name, rank = place
        if name == "authors":
            if person := _person(tree, node):
                people.append(person)
        elif name == "keywords":
            if not any(canonical_of(child.name) for child in node.children):
                words += [text] if (text := tree.plain(node)) else []
        elif text := tree.plain(node) if len(tree.inner(node)) < 4000 else "":
            found.setdefault(name, []).append((rank, text))
    fields: dict[str, list[object]] = {
        name: [text for _, text in sorted(values, key=lambda v: v[0])] for name, values in found.items()
    }
    for name, values in (("authors", people), ("keywords", words)):
        if values:
            fields[name] = [values if len(values) > 1 else values[0]]
    identifiers = [tree.plain(node) for node in record.all("identifier")]
    fields["doi"] = [*fields.get("doi", []), *(i for i in identifiers if re.search(r"\b10\.\d{4,9}/", i))]
    fields["source_url"] = [*fields.get("source_url", []), *(i for i in identifiers if i.startswith("http"))]
    return fields


def _place_of(node: Node) -> tuple[str, int] | None:
    """The field that an element stands for; `name` is a title, unless it holds the parts of a person's name."""
    if node.name == "name" and node.first("namepart", *_FAMILY_PARTS) is not None:
        return "authors", 0
    return canonical_of(name_of(node))


def _person(tree: Tree, node: Node) -> str:
    """The name in an element; empty for one that only holds others of its kind."""
    if any((place := canonical_of(child.name)) and place[0] == "authors" for child in node.children):
        return ""
    family = tree.plain(node.first(*_FAMILY_PARTS))
    given = " ".join(tree.plain(part) for part in node.all(*_NAME_PARTS))
    if family:
        return f"{given} {family}".strip()
    if parts := node.all("namepart"):
        return " ".join(tree.plain(part) for part in parts)
    named = next(
        (
            inner
            for inner in node.walk()[1:]
            if inner.name in {"name", "creatorname", "display_name", "full_name", "fullname"}
        ),
        node,
    )
    return tree.plain(named)


READER = Reader("xml", _sniff, _read, ceiling=60)
