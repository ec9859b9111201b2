"""PubMed's text format ("Abstract"): numbered records of citation, title, authors, abstract, DOI and PMID."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content, Line
from pipeline.extract.entry import Entry, Guess, Item, Reader
from pipeline.extract.layout import Block, blocks_of

_START = re.compile(r"^(\d{1,6})\. (?=\S)")
_PMID = re.compile(r"^PMID: (\d+)", re.M)
_TAIL = re.compile(
    r"(?:DOI|PMID|PMCID|ISBN|©|\(c\)|Copyright|Conflict of interest|Comment (?:in|on)|Erratum|Update (?:of|in)|Publisher|Trial registration|Author information|Collaborators|Republished|Retract)\b|©",
    re.I,
)
_LEAD = re.compile(r"(?:Author information:|Collaborators:|Comment (?:in|on)|Erratum|\[Article in)", re.I)


def _sniff(content: Content) -> Guess | None:
    if "PMID: " not in content.sample:
        return None
    count = len(_PMID.findall(content.sample))
    if not count or not re.search(r"^1\. \S", content.sample.lstrip("\ufeff\n")[:3000], re.M):
        return None
    return Guess(90, f"{count} records end with PMID:")


def _read(content: Content) -> Iterator[Item]:
    record: list[Block] = []
    expected = 1
    for block in blocks_of(content.lines()):
        match = _START.match(block.lines[0].text.lstrip("\ufeff"))
        if match and int(match[1]) in {1, expected} and (not record or _PMID.search(_text(record[-1].lines))):
            if record:
                yield _entry(record)
            record, expected = [], int(match[1]) + 1
        record.append(block)
    if record:
        yield _entry(record)


def _text(lines: list[Line]) -> str:
    return "\n".join(line.text for line in lines)


def _entry(blocks: list[Block]) -> Entry:
    """The entry: blocks after title, authors and their addresses, before the identifiers, are the abstract."""
    texts = [" ".join(line.text.strip() for line in block.lines) for block in blocks]
    everything = "\n".join(block.text for block in blocks)
    fields: dict[str, list[object]] = {"venue": [_START.sub("", texts[0]).split(". ")[0]], "year": [texts[0]]}
    fields["title"] = [texts[1]] if len(texts) > 1 else []
    fields["authors"] = [re.sub(r"\(\d+\)", "", texts[2]).strip(" .")] if len(texts) > 2 else []
    fields["doi"] = [re.sub(r"\s", "", m[1]) for m in re.finditer(r"(?:DOI|doi):\s*(10\.\S+)", everything)]
    fields["source_id"] = [m[1] for m in _PMID.finditer(everything)]
    body = [index for index in range(3, len(blocks)) if not _LEAD.match(texts[index])]
    end = next((position for position, index in enumerate(body) if _TAIL.match(texts[index])), len(body))
    chosen = [blocks[index] for index in body[:end]]
    if not chosen:
        return Entry(None, fields)
    lines = [line.text for block in chosen[:-1] for line in (*block.lines, *block.tail)] + [
        line.text for line in chosen[-1].lines
    ]
    return Entry("\n".join(lines), fields, chosen[0].lines[0].start, chosen[-1].lines[-1].end)


READER = Reader("pubmed-text", _sniff, _read, ceiling=90)
