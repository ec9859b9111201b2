"""Plain text: one abstract per paragraph or line, numbered lists, separators, titles with paragraphs under them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipeline.extract.content import Content, Line, byte_length
from pipeline.extract.encoding import Encoding
from pipeline.extract.entry import Entry, Guess, Item, Reader, Skip
from pipeline.extract.layout import (
    MAX_HEADING,
    RULE,
    Block,
    Layout,
    blocks_of,
    continues_sections,
    decide_layout,
    is_heading,
    is_rule,
)

_BLANK = "\ufeff \t\r\n\x0b\x0c\x85\u2028\u2029\u3000\xa0"
_GOES_ON = (",", "-", " the", " of", " and", " a", " for", " in", " with")
_ADDRESS = re.compile(r"(?:https?://|doi:|10\.\d{4,9}/|arXiv:)\S+$", re.I)
_COUNTER = re.compile(r"(?:abstract|paper|talk|poster|no\.?)?\s*+[#№]?\s*+\d++\W*+", re.I)
_KEYWORDS = re.compile(r"\s*(?:key ?words(?: and phrases)?|index terms)\s?[:.—–-]\s*", re.I)
_QUOTED = re.compile(r"\s*+([\"'])((?:(?!\1)[^\\]|\\.)+)\1\s*+,?\s*")
_BY = re.compile(r"^\s*(?:by|authors?:?)\s+", re.I)
_SQL = re.compile(r"^[^\S\n]*+INSERT INTO\s[^\n]{0,500}\bVALUES\b", re.I | re.M)
_CODE = re.compile(
    r"[{};]\s*$|^\s*(?:import|from|def|class|return|#include|var|let|const|function|if|else|for|while|public|private|static|elif|print)\b.*[(){}:;=]|^\s*(?://|/\*|\*/|</?\w)"
)
_NAME = re.compile(
    r"^[^\W\d_][\w.'’-]*(?:[\s,]+(?:(?:de|van|von|der|den|la|le|di|da|del|al|bin|and|&)|[^\W\d_a-z][\w.'’-]*))*$"
)


def _sniff(content: Content) -> Guess | None:
    lines = [line for line in content.sample[:20_000].split("\n") if line.strip(_BLANK)]
    if len(lines) > 10 and sum(_CODE.search(line) is not None for line in lines) > 0.4 * len(lines):
        return None
    if _SQL.search(content.sample):
        return None
    return Guess(10, "text in no other format") if content.sample.strip(_BLANK) else None


def _read(content: Content) -> Iterator[Item]:
    head = content.head_lines()
    if _is_quoted(head):
        content.variant = "quoted"
        for line in content.lines():
            if line.text.strip(_BLANK):
                yield _quoted(line, content.encoding)
        return
    layout = decide_layout(head)
    content.variant = layout.kind
    for group in _groups(content.lines(), layout):
        yield from _group_items(group, layout, content.encoding)


def _is_quoted(lines: Sequence[Line]) -> bool:
    """True for a list of quoted texts, as programs print or hold them: a text per line, perhaps between brackets."""
    texts = [line.text for line in lines if line.text.strip(_BLANK)]
    quoted = [match[2] for text in texts if (match := _QUOTED.fullmatch(text))]
    return len(quoted) >= 2 and len(quoted) >= len(texts) - 2 and not all(map(is_heading, quoted))


def _quoted(line: Line, encoding: Encoding) -> Item:
    """The text of a line without its quotes and the comma behind it."""
    match = _QUOTED.fullmatch(line.text)
    if match is None or is_heading(match[2]):
        return Skip("heading", line.text[:80])
    lead, trail = line.text[: match.start(2)], line.text[match.end(2) :]
    return Entry(match[2], {}, line.start + byte_length(lead, encoding), line.end - byte_length(trail, encoding))


def _groups(lines: Iterator[Line], layout: Layout) -> Iterator[list[Block]]:
    """Blocks that belong to one entry, by the layout; a rule between entries is dropped."""
    group: list[Block] = []
    after_text = False
    for block in _units(lines, layout):
        if after_text and layout.kind in {"paragraphs", "titled"} and continues_sections(block.lines[0].text[:200]):
            group.append(block)
            continue
        starts = _starts_group(block, layout, after_text)
        if starts and group:
            yield group
            group = []
        if is_rule(block):
            after_text = False
            continue
        group.append(block)
        heading = is_heading(block.text)
        after_text = not heading
    if group:
        yield group


def _units(lines: Iterator[Line], layout: Layout) -> Iterator[Block]:
    for block in blocks_of(lines):
        if layout.kind == "lines":
            yield from (Block([line]) for line in block.lines[:-1])
            yield Block(block.lines[-1:], block.tail)
        elif layout.marker is not None:
            yield from _split_at_marker(block, layout.marker)
        else:
            yield block


def _split_at_marker(block: Block, marker: re.Pattern[str]) -> Iterator[Block]:
    run: list[Line] = []
    for line in block.lines:
        if marker.match(line.text) and run:
            yield Block(run)
            run = []
        run.append(line)
    yield Block(run, block.tail)


def _starts_group(block: Block, layout: Layout, after_text: bool) -> bool:
    if is_rule(block):
        return True
    if layout.marker is not None:
        return layout.marker.match(block.lines[0].text) is not None
    if layout.kind == "titled":
        return after_text and (not layout.merge or is_heading(block.text))
    return layout.kind != "separators" and after_text


def _group_items(group: list[Block], layout: Layout, encoding: Encoding) -> Iterator[Item]:
    """The record of a group: headings before its text are title and authors, those after it are left out."""
    lines, marked = _unmarked(group[0].lines, layout, encoding)
    group = [Block(lines, group[0].tail), *group[1:]]
    terms = _take_keywords(group[-1])
    title_lines, first = _leading_title(group)
    kinds = [is_heading(block.text) for block in group]
    if first is not None:
        group[first[0]] = Block(first[1], group[first[0]].tail)
        kinds[first[0]] = False
    texts = [index for index, heading in enumerate(kinds) if not heading]
    if not texts:
        yield from (Skip("heading", block.text[:80]) for block in group)
        return
    begin, end = texts[0], texts[-1]
    heads = _heads(group[:begin]) + title_lines
    titled = layout.merge if layout.kind == "lines" else layout.kind != "paragraphs"
    keeps_title = titled or marked or bool(title_lines)
    fields: dict[str, list[object]] = {}
    if heads and keeps_title:
        fields = _head_fields(heads)
    if terms is not None:
        fields["keywords"] = [terms]
    yield from (Skip("heading", block.text[:80]) for block in group[:begin] if not keeps_title)
    yield _entry(group[begin : end + 1], fields, encoding)
    yield from (Skip("heading", block.text[:80]) for block in group[end + 1 :])


def _heads(blocks: list[Block]) -> list[str]:
    """The lines above a text without rules; where titles are underlined, from the last one of them on."""
    lines = [line.text.strip(_BLANK) for block in blocks for line in block.lines]
    underlined = [place - 1 for place, line in enumerate(lines) if place and RULE.fullmatch(line)]
    return [line for line in lines[underlined[-1] if underlined else 0 :] if not RULE.fullmatch(line)]


def _unmarked(lines: list[Line], layout: Layout, encoding: Encoding) -> tuple[list[Line], bool]:
    """The lines without the number or bullet before them."""
    match = layout.marker.match(lines[0].text) if layout.marker is not None else None
    if match is None:
        return lines, False
    first = lines[0]
    return [Line(first.text[match.end() :], first.start + byte_length(match[0], encoding), first.end), *lines[1:]], True


def _leading_title(group: list[Block]) -> tuple[list[str], tuple[int, list[Line]] | None]:
    """Short lines before the first long line of a block: title and authors glued to their abstract."""
    for index, block in enumerate(group):
        lengths = [len(line.text.strip(_BLANK)) for line in block.lines]
        longest = max(lengths)
        count = (
            next((i for i, length in enumerate(lengths) if length > MAX_HEADING), 0)
            if longest > MAX_HEADING
            else _short_first(lengths, block)
        )
        if (
            0 < count <= 3
            and all(is_heading(line.text) for line in block.lines[:count])
            and not is_heading("\n".join(x.text for x in block.lines[count:]))
        ):
            return [line.text.strip(_BLANK) for line in block.lines[:count]], (index, block.lines[count:])
        if not is_heading(block.text):
            return [], None
    return [], None


def _short_first(lengths: list[int], block: Block) -> int:
    """How many lines at the beginning of a wrapped block end far before the others do, and start no sentence that goes on."""
    if len(lengths) < 4:
        return 0
    count = 0
    while count < 3 and lengths[count] <= 0.75 * max(lengths):
        following = block.lines[count + 1].text.lstrip(_BLANK)
        if not following[:1].isupper() or block.lines[count].text.rstrip(_BLANK).endswith(_GOES_ON):
            break
        count += 1
    return count


def _head_fields(heads: list[str]) -> dict[str, list[object]]:
    """Title and authors from the lines before an abstract; addresses among them are addresses, bare numbers nothing."""
    links = [head for head in heads if _ADDRESS.match(head)]
    heads = [head for head in heads if head not in links and not _COUNTER.fullmatch(head)]
    fields: dict[str, list[object]] = {"source_url": list(links), "doi": list(links)} if links else {}
    if not heads:
        return fields
    fields["title"] = [heads[0]]
    if len(heads) > 1 and (_BY.match(heads[1]) or _are_names(heads[1])):
        fields["authors"] = [_BY.sub("", heads[1])]
    elif len(heads) > 1 and heads[0][-1:] not in ".?!" and heads[1][:1].islower():
        fields["title"] = [f"{heads[0]} {heads[1]}"]
    return fields


def _take_keywords(block: Block) -> str | None:
    """Take the keywords off the end of a paragraph: a last line or two that begin with `Keywords:`."""
    for place in range(len(block.lines) - 1, max(0, len(block.lines) - 3), -1):
        if match := _KEYWORDS.match(block.lines[place].text):
            terms = " ".join([block.lines[place].text[match.end() :], *(line.text.strip() for line in block.lines[place + 1 :])])
            del block.lines[place:]
            return terms
    return None


def _are_names(text: str) -> bool:
    return all(_NAME.match(part.strip()) for part in re.split(r"[,;]| and ", text) if part.strip())


def _entry(blocks: list[Block], fields: dict[str, list[object]], encoding: Encoding) -> Entry:
    """The text from the first to the last block as it stands, blank lines between blocks included, and its bytes."""
    lines = [line.text for block in blocks[:-1] for line in (*block.lines, *block.tail)]
    lines += [line.text for line in blocks[-1].lines]
    text = "\n".join(lines)
    first, last = blocks[0].lines[0], blocks[-1].lines[-1]
    lead = first.text[: len(first.text) - len(first.text.lstrip(_BLANK))]
    trail = last.text[len(last.text.rstrip(_BLANK)) :]
    return Entry(
        text.strip(_BLANK), fields, first.start + byte_length(lead, encoding), last.end - byte_length(trail, encoding)
    )


READER = Reader("text", _sniff, _read, ceiling=10)
