"""TOML: tables and arrays of tables of papers. The standard parser gives no places."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from pipeline.extract.content import Content
from pipeline.extract.entry import Broken, Guess, Item, Reader
from pipeline.extract.objects import find_entries, mapped_entry

_ABSTRACT = re.compile(r"^[^\S\n]*+[\"']?(?:abstract|summary|description)[\"']?[^\S\n]*+=[^\S\n]*+[\"']", re.M | re.I)
_LINE = re.compile(r"^[^\S\n]*+(?:\[{1,2}[\w .\"'-]+\]{1,2}|[\w.\"'-]+[^\S\n]*+=)", re.M)


def _sniff(content: Content) -> Guess | None:
    keys = len(_LINE.findall(content.sample[:200_000]))
    if keys < 2 or _ABSTRACT.search(content.sample) is None or _LINE.match(content.sample.lstrip("\ufeff \n\r\t#")) is None:
        return None
    return Guess(84, f"{keys} keys and tables of TOML, abstract among them")


def _read(content: Content) -> Iterator[Item]:
    try:
        data = tomllib.loads(content.text().replace("\r\n", "\n").removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        yield Broken("broken_toml", f"{error}: correct it there, nothing of the file could be read", whole_file=True)
        return
    if content.mapping and (entry := mapped_entry(data, content.mapping)) is not None:
        yield entry
        return
    yield from find_entries(data, content.options.max_nesting)


READER = Reader("toml", _sniff, _read, ceiling=84)
