"""YAML: lists and mappings of papers with their places; responses recorded in cassettes are searched as well."""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections.abc import Iterator

import yaml

from pipeline.extract.content import Content, byte_length
from pipeline.extract.entry import Broken, Entry, Guess, Item, Reader
from pipeline.extract.objects import entry_of, find_entries, mapped_entry, plan_for

_KEY = re.compile(r"^(?:- )?\s{0,8}(?:- )?[\"']?[A-Za-z_][\w -]{0,40}[\"']?:(?:\s|$)", re.M)
_START = re.compile(
    r"(?:\ufeff|%YAML[^\n]*\n|---[^\S\n]*+(?:\n|$)|#[^\n]*\n|\s++)*+(?:- |[\"']?[A-Za-z0-9_][\w ./:-]{0,100}[\"']?:(?:\s|$))"
)
_PACKED = ("{", "[", "<")


class _Limit(Exception):
    """A document that aliases make larger than its text can be."""


def _sniff(content: Content) -> Guess | None:
    sample = content.sample
    if not _START.match(sample[:3000]):
        return None
    lines = [line for line in sample.split("\n")[:400] if line.strip()]
    keys = sum(_KEY.match(line) is not None for line in lines)
    has_abstract = re.search(r"^[^\S\n]*(?:- )?[\"']?(?:abstract|summary|description)[\"']?:", sample, re.M | re.I)
    cassette = re.search(r"^(?:http_)?interactions:", sample, re.M)
    if cassette:
        return Guess(90, "a cassette of recorded responses")
    if has_abstract and keys >= 2 and _is_list_or_indented(sample):
        return Guess(72, f"YAML keys on {keys} of {len(lines)} lines, abstract among them") if _parses(sample) else None
    return None


def _is_list_or_indented(sample: str) -> bool:
    return (
        re.search(r"^[^\S\n]*- [\"']?\w[\w -]*[\"']?:", sample, re.M) is not None
        or re.search(r"^[^\S\n]+[\"']?abstract[\"']?:", sample, re.M | re.I) is not None
        or re.match(r"(?:---\s*\n)?[a-z_]+:", sample) is not None
    )


def _parses(sample: str) -> bool:
    """True where YAML can be made of the beginning, up to the last line that is not indented."""
    cut = sample.rfind("\n- ") if "\n- " in sample and len(sample) > 200_000 else len(sample)
    try:
        loader = yaml.CBaseLoader(sample[:cut])
        try:
            root = loader.get_node() if loader.check_node() else None
            if not isinstance(root, yaml.MappingNode):
                return isinstance(root, yaml.SequenceNode)
            keys = [str(key.value) for key, _ in root.value]
            return len(set(keys)) == len(keys) and not {"Title", "Abstract", "TITLE", "ABSTRACT"} & set(keys)
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError):
        return False


def _read(content: Content) -> Iterator[Item]:
    text = content.text()
    clean = text.replace("\x85", " ") if "\x85" in text else text
    walker = _Walker(clean, content)
    loader = yaml.CBaseLoader(re.sub("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", clean))
    try:
        while loader.check_node():
            node = loader.get_node()
            if node is not None:
                yield from walker.document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" near line {mark.line + 1}" if mark is not None else ""
        words = getattr(error, "problem", None) or "no YAML"
        yield Broken(
            "broken_yaml", f"{words}{where}: correct it there, what follows could not be read", None, whole_file=True
        )
    except _Limit:
        yield Broken(
            "unpacks_too_large",
            "aliases make the document many times larger than its text: write them out, or leave the file out",
            whole_file=True,
        )
    finally:
        loader.dispose()


class _Walker:
    def __init__(self, text: str, content: Content) -> None:
        self.text = text
        self.content = content
        self.budget = 4 * len(text) + 10_000
        self._mark, self._byte = 0, content.encoding.bom

    def document(self, root: yaml.Node) -> Iterator[Item]:
        """The entries of a document: those that are mappings with their places, else whatever the data hold."""
        found = False
        for item in self._walk(root, 0):
            found = True
            yield item
        if not found:
            yield from find_entries(self._value(root, 0), self.content.options.max_nesting)

    def _walk(self, node: yaml.Node, depth: int) -> Iterator[Item]:
        if depth > self.content.options.max_nesting:
            raise RecursionError
        if isinstance(node, yaml.MappingNode):
            value = self._value(node, depth)
            assert isinstance(value, dict)
            entry = mapped_entry(value, self.content.mapping) if self.content.mapping else entry_of(value)
            if entry is not None and (entry.abstract or "title" in value):
                entry.byte_start, entry.byte_end = (
                    self._byte_at(node.start_mark.index),
                    self._byte_at(node.end_mark.index),
                )
                self.content.columns = self.content.columns or dict(plan_for(value))
                yield entry
                return
            for _, child in node.value:
                yield from self._walk(child, depth + 1)
        elif isinstance(node, yaml.SequenceNode):
            for child in node.value:
                yield from self._walk(child, depth + 1)
        elif isinstance(node, yaml.ScalarNode) and len(node.value) > 200:
            yield from self._packed(node)

    def _packed(self, node: yaml.ScalarNode) -> Iterator[Item]:
        """The entries in a scalar that itself is a file: a recorded response, perhaps in base64."""
        data = node.value.encode("utf-8", "surrogateescape")
        if node.tag.endswith(":binary") or node.tag == "!binary":
            try:
                data = base64.b64decode(data, validate=False)
            except (binascii.Error, ValueError):
                return
        elif not node.value.lstrip().startswith(_PACKED):
            return
        from pipeline.extract.registry import recognise
        from pipeline.extract.unpack import Member, open_members

        for member in open_members(io.BytesIO(data), self.content.options):
            if isinstance(member, Member):
                inner = Content(self.content.path, member.stream, self.content.options)  # type: ignore[arg-type]
                readers = [reader for reader, guess in recognise(inner) if guess.score > 30]
                for item in readers[0].read(inner) if readers else ():
                    if isinstance(item, Entry):
                        item.byte_start, item.byte_end = (
                            self._byte_at(node.start_mark.index),
                            self._byte_at(node.end_mark.index),
                        )
                        yield item

    def _value(self, node: yaml.Node, depth: int) -> object:
        self.budget -= 1
        if self.budget < 0 or depth > self.content.options.max_nesting:
            raise _Limit
        if isinstance(node, yaml.MappingNode):
            return {
                str(key.value): self._value(child, depth + 1)
                for key, child in node.value
                if isinstance(key, yaml.ScalarNode)
            }
        if isinstance(node, yaml.SequenceNode):
            return [self._value(child, depth + 1) for child in node.value]
        return node.value if node.value not in {"~", "null", "Null", "NULL"} or getattr(node, "style", None) else None

    def _byte_at(self, index: int) -> int:
        if index < self._mark:
            return self._byte - byte_length(self.text[index : self._mark], self.content.encoding)
        self._byte += byte_length(self.text[self._mark : index], self.content.encoding)
        self._mark = index
        return self._byte


READER = Reader("yaml", _sniff, _read, ceiling=90)
