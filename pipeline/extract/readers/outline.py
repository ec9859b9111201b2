"""Outlines: Org mode (`* Title`) and AsciiDoc (`== Title`), the abstract being the prose under a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content, Line
from pipeline.extract.entry import Entry, Guess, Item, Reader, Skip
from pipeline.extract.fields import canonical_of, fold_name
from pipeline.extract.labels import label_of
from pipeline.extract.layout import is_heading

_BLANK = " \t\r\n"
_HEADING = {
    "org": re.compile(r"(\*+) +(?:(?:TODO|DONE|NEXT|WAITING) +)?(?:\[#[A-Z]\] +)?(\S.*)$"),
    "asciidoc": re.compile(r"(=+) +(\S.*)$"),
}
_LONGEST_TITLE = 1000
_ENDS = {"org": re.compile(r"\s++:[\w@:]+:$"), "asciidoc": re.compile(r"\s++=++$")}
_ATTRIBUTE = re.compile(r"\s*:([A-Za-z][\w -]*):(?:\s+(.*))?$")
_MARKS = re.compile(
    r"\s*(?:#\+?\S*(?:\s.*)?|//.*|\[[\w%#.,= \"'-]*\]|_{4,}|-{4,}|={4,}|\*{4,}|(?:SCHEDULED|DEADLINE|CLOSED):.*|\{\w+\}.*)$"
)
_BYLINE = re.compile(r"\s*(?:_(.{3,300})_|/(.{3,300})/)\s*$")
_LINK = re.compile(r"\[\[([^\[\]]+)\]\[([^\[\]]+)\]\]|(https?://[^\s\[\]]+)\[([^\[\]]+)\]")


def _style(sample: str) -> str | None:
    """The kind of outline: two headings at least, and for Org a mark that Markdown's lists have not."""
    head = sample.lstrip("\ufeff")
    if len(re.findall(r"^\*+ \S", head, re.M)) >= 2 and re.search(
        r"^(?:#\+[A-Za-z_]+:|[^\S\n]*:PROPERTIES:|\*\* \S|\* (?:TODO|DONE) )", head, re.M
    ):
        return "org"
    return "asciidoc" if len(re.findall(r"^={1,6} [^\s=]", head, re.M)) >= 2 else None


def _sniff(content: Content) -> Guess | None:
    style = _style(content.sample)
    if style is None:
        return None
    labelled = any(label_of(line[:400]) for line in content.sample.split("\n") if not line.startswith((":", "=", "*")))
    return Guess(50 if labelled else 60, {"org": "Org mode headings", "asciidoc": "AsciiDoc headings"}[style])


def _read(content: Content) -> Iterator[Item]:
    style = content.variant = _style(content.sample) or "org"
    title, body = "", list[Line]()
    for line in content.lines():
        heading = _HEADING[style].match(line.text.rstrip(_BLANK)) if len(line.text) <= _LONGEST_TITLE else None
        if heading is None:
            body.append(line)
            continue
        name = _ENDS[style].sub("", heading[2])
        if canonical_of(name) in {("abstract", 0), ("weak_abstract", 0)}:
            body = [kept for kept in body if _ATTRIBUTE.match(kept.text) or _BYLINE.match(kept.text)]
        else:
            yield from _section(title, body)
            title, body = name, []
    yield from _section(title, body)


def _section(title: str, body: list[Line]) -> Iterator[Item]:
    """The record of a heading and what stands under it up to the next one."""
    fields: dict[str, list[object]] = {}
    links = [match[1] or match[3] for match in _LINK.finditer(title)]
    if links:
        fields["source_url"] = list(links)
    plain = _LINK.sub(lambda match: match[2] or match[4], title).strip(" *_/=")
    if plain:
        fields["title"] = [plain]
    prose = [line for line in body if not _is_field(line.text, fields)]
    while prose and (not prose[0].text.strip(_BLANK) or _MARKS.match(prose[0].text) or is_heading(_paragraph(prose))):
        prose.pop(0)
    while prose and (not prose[-1].text.strip(_BLANK) or _MARKS.match(prose[-1].text)):
        prose.pop()
    if not prose:
        if plain:
            yield Skip("heading", plain[:80])
        return
    first = prose[0].text
    lead = len(first) - len(first.lstrip(_BLANK))
    text = "\n".join(line.text for line in prose).strip(_BLANK)
    last = prose[-1].text
    trail = len(last) - len(last.rstrip(_BLANK))
    yield Entry(text, fields, prose[0].start + lead, prose[-1].end - trail)


def _paragraph(lines: list[Line]) -> str:
    """The lines up to the first blank one."""
    texts = [line.text for line in lines]
    end = next((place for place, text in enumerate(texts) if not text.strip(_BLANK)), len(texts))
    return "\n".join(texts[:end])


def _is_field(text: str, fields: dict[str, list[object]]) -> bool:
    """Take up a property (`:AUTHOR: …`) or a line of names in italics."""
    if byline := _BYLINE.match(text):
        if "authors" in fields:
            return False
        fields["authors"] = [byline[1] or byline[2]]
        return True
    if (attribute := _ATTRIBUTE.match(text)) is None:
        return False
    place = canonical_of(fold_name(attribute[1]))
    if place is not None and place[0] not in {"abstract", "weak_abstract", "title"} and (attribute[2] or "").strip():
        fields.setdefault(place[0], []).append(attribute[2].strip())
    return True


READER = Reader("outline", _sniff, _read, ceiling=60)
