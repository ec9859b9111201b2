"""Posts with YAML front matter (Jekyll, Hugo, PMLR): the abstract is a field, or the body under it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from pipeline.extract.content import Content, Line, byte_length
from pipeline.extract.entry import Broken, Entry, Guess, Item, Reader
from pipeline.extract.labels import abstract_names_of, choose_abstract_names
from pipeline.extract.layout import is_heading
from pipeline.extract.objects import entry_of, mapped_entry, plan_for
from pipeline.extract.sections import Sections

_FRONT = re.compile(r"\ufeff?\s*(---|\+\+\+)[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.|\+\+\+)[ \t]*(?:\r?\n|$)", re.S)
_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*[:=](?:\s+(.*))?$")
_MARKUP = re.compile(r"^[^\S\n]*(?:\{[{%].*[%}]\}[^\S\n]*$|<!--.*?-->[^\S\n]*$|!\[|\{:)", re.M)


def _sniff(content: Content) -> Guess | None:
    match = _FRONT.match(content.sample[:200_000])
    if match is None or not content.complete:
        return None
    keys = sum(_KEY.match(line) is not None for line in match[2].split("\n"))
    if keys < 1:
        return None
    if not re.search(r"^title\s*[:=]|^abstract\s*[:=]", match[2], re.M | re.I):
        return Guess(67, "front matter above labelled abstracts") if abstract_names_of(content) else None
    return Guess(86, f"front matter with {keys} keys")


def _read(content: Content) -> Iterator[Item]:
    text = content.text()
    match = _FRONT.match(text)
    if match is None:
        yield Broken("broken_front_matter", "the front matter has no end: add a line ---", whole_file=True)
        return
    data = _load(match[2])
    entry = mapped_entry(data, content.mapping) if content.mapping else entry_of(data)
    if entry is not None and entry.abstract:
        start = content.encoding.bom + byte_length(text[: match.start(2)], content.encoding)
        entry.byte_start, entry.byte_end = start, start + byte_length(match[2], content.encoding)
        yield entry
        return
    fields: dict[str, list[object]] = {
        name: [data[key] for key in keys] for name, keys in plan_for(data).items() if "abstract" not in name
    }
    yield from _body(content, text, match.end(), fields)


def _load(front: str) -> dict[str, object]:
    """The keys of the front matter; what is no valid YAML (a colon in a title) is read line by line."""
    try:
        loaded = yaml.load(front, Loader=yaml.CBaseLoader)
        if isinstance(loaded, dict):
            return {str(key): value for key, value in loaded.items()}
    except (yaml.YAMLError, ValueError, RecursionError):
        pass
    found: dict[str, object] = {}
    name = ""
    for line in front.split("\n"):
        match = _KEY.match(line.rstrip())
        if match:
            name = match[1]
            found[name] = (match[2] or "").strip().strip("\"'")
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}".strip().lstrip("|> ")
    return found


def _body(content: Content, text: str, position: int, fields: dict[str, list[object]]) -> Iterator[Item]:
    """The abstract in the body: behind its label or heading where there is one, else the body itself."""
    body = text[position:]
    names = choose_abstract_names(body.split("\n"))
    if names:
        start = content.encoding.bom + byte_length(text[:position], content.encoding)
        items = list(Sections(names, has_titles=True, is_markdown=True).items(_lines(body, start, content)))
        entries = [item for item in items if isinstance(item, Entry)]
        for entry in entries:
            # Of several abstracts each has its own title; what is said above is said of the post.
            entry.fields = {**entry.fields, **fields} if len(entries) == 1 else {**fields, **entry.fields}
        yield from items
        return
    stripped = body.strip()
    if not stripped or is_heading(stripped) or _MARKUP.match(stripped) or "\n## " in stripped:
        yield Entry(None, fields)
        return
    begin = position + body.index(stripped)
    start = content.encoding.bom + byte_length(text[:begin], content.encoding)
    yield Entry(stripped, fields, start, start + byte_length(stripped, content.encoding))


def _lines(body: str, start: int, content: Content) -> Iterator[Line]:
    for text in body.split("\n"):
        end = start + byte_length(text, content.encoding)
        yield Line(text, start, end)
        start = end + 1


READER = Reader("front-matter", _sniff, _read, ceiling=86)
