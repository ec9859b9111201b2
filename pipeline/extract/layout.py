"""How a plain text file arranges its abstracts: blocks, headings, paragraphs, separators, numbers, wrapping."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Literal

from pipeline.extract.content import Line
from pipeline.extract.words import words

Kind = Literal["separators", "numbered", "titled", "lines", "paragraphs"]

RULE = re.compile(r"\s*(?:([-=_*#~+%.•])(?:\s*\1){2,}|(?:[-=_*#~+]\s?){4,}|§+|\*\s?\*\s?\*)\s*")
NUMBER = re.compile(
    r"\s{0,3}(?:\[(\d{1,5})\]|\((\d{1,5})\)|#?(\d{1,5})\s?[.):]|(?:abstract|paper|no\.?)\s?#?(\d{1,5})\s?[.:)])\s+(?=\S)",
    re.I,
)
INDENT = re.compile(r"(?:[ ]{2,8}|\t|\u3000{1,2})(?=\S)")
BULLET = re.compile(r"\s{0,3}[-*•–·‣▪●○◦]\s+(?=\S)")
_SENTENCE_END = re.compile(r"[.!?。！？…;；:]['\"”’»)\]]*\s*(?:\[[\d, -]+\]|\$)?\s*$")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FUNCTION_WORDS = words(
    "the of and in is are we to that this with for was were by on der die und le les des est que lo los la las een het di il"
)

_LATER_SECTION = re.compile(
    r"\s*(?:materials? and )?(?:methods?|results?|conclusions?|findings|discussion|interpretation|methods and results|main outcome measures?|measurements?|interventions?|participants|setting|limitations?|significance|implications)\s?[:.—–]\s",
    re.I,
)
_BLANK = "\ufeff \t\r\n\x0b\x0c\x85\u2028\u2029\u3000\xa0"

# Titles of papers: 99% have fewer than 200 characters; abstracts shorter than that exist, but end as sentences do.
MAX_HEADING = 200
MIN_ABSTRACT = 80
MIN_CJK = 40
MIN_WORDS = 8
# Titles of papers have 75 characters in the median, names of sections and sessions 20; abstracts have 1,200, a paragraph of one 500.
MIN_TITLE = 35
MAX_PARAGRAPH = 700


@dataclass(slots=True)
class Block:
    """Lines without a blank line between them, and the blank lines after them."""

    lines: list[Line]
    tail: list[Line] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text as it stands, lines joined by line feeds."""
        return "\n".join(line.text for line in self.lines)


def blocks_of(lines: Iterable[Line]) -> Iterator[Block]:
    """Runs of lines that are not blank; a rule (`-----`) stands alone, unless it underlines the title above it."""
    block = Block([])
    for line in lines:
        if not line.text.strip(_BLANK):
            if block.lines:
                block.tail.append(line)
            continue
        rule = RULE.fullmatch(line.text) is not None
        underline = rule and len(block.lines) == 1 and not block.tail and _is_underline(block.lines[0].text, line.text)
        if block.lines and not underline and (block.tail or rule or is_rule(block)):
            yield block
            block = Block([])
        block.lines.append(line)
    if block.lines:
        yield block


def _is_underline(title: str, rule: str) -> bool:
    return rule.strip()[:1] in "=-~" and len(rule.strip()) >= 0.5 * len(title.strip()) and is_heading(title)


def is_rule(block: Block) -> bool:
    """True for a line of dashes, stars and the like."""
    return len(block.lines) == 1 and RULE.fullmatch(block.lines[0].text) is not None


def is_heading(text: str) -> bool:
    """True for what is no abstract: a title, a list of names, a section header, an address.

    >>> is_heading("ICML 2026 Papers"), is_heading("We prove that it holds for all graphs, and that the bound of the theorem is tight in the limit.")
    (True, False)
    """
    text = text.strip()
    wide = 0 if text.isascii() else len(_CJK.findall(text))
    if wide > 0.2 * len(text):
        return wide < MIN_CJK or (wide < 2 * MIN_CJK and not _SENTENCE_END.search(text))
    if len(text) >= MAX_HEADING:
        return not _is_prose(text)
    if len(text) < MIN_ABSTRACT:
        return not (len(text) >= 40 and text.endswith(".") and not _FUNCTION_WORDS.isdisjoint(text.lower().split()))
    return not (_SENTENCE_END.search(text) and not text.endswith((":", ";")) and _is_prose(text))


def _is_prose(text: str) -> bool:
    """False for lists of names, numbers, codes and paths: they hold next to none of the words that every sentence has.

    Text in scripts and languages whose function words are not listed counts as prose where its words are mostly lower case.
    """
    tokens = text[:1000].split()
    if len(tokens) < MIN_WORDS:
        return False
    if sum(word.lower() in _FUNCTION_WORDS for word in tokens) >= max(1, len(tokens) // 40):
        return True
    lower = sum(word[0].islower() or not word[0].isascii() for word in tokens)
    return lower >= 0.5 * len(tokens)


def continues_sections(text: str) -> bool:
    """True for a paragraph that goes on with a structured abstract (`Methods: …`), and so begins none."""
    return _LATER_SECTION.match(text) is not None


def is_wrapped(blocks: Sequence[Block]) -> bool:
    """True where line ends are only typography: most lines of multi-line blocks are about as long as the longest."""
    long_lines = wrapped = 0
    for block in blocks:
        lengths = [len(line.text.strip()) for line in block.lines]
        if len(lengths) < 3 or sum(lengths) < 150:
            continue
        longest = max(lengths)
        long_lines += len(lengths) - 1
        if longest <= 140:
            wrapped += sum(length >= 0.6 * longest for length in lengths[:-1])
    return long_lines > 0 and wrapped >= 0.6 * long_lines


@dataclass(frozen=True, slots=True)
class Layout:
    """The arrangement found, why, and whether paragraphs under one title belong together (of lines: whether titles part them)."""

    kind: Kind
    reason: str
    merge: bool = False
    marker: re.Pattern[str] | None = None


def decide_layout(lines: Sequence[Line]) -> Layout:
    """The layout of a file from its first lines: decided once per file, never line by line."""
    blocks = list(blocks_of(lines))
    rules = sum(map(is_rule, blocks))
    texts = [block for block in blocks if not is_rule(block)]
    wrapped = is_wrapped(texts)
    if (rules >= 2 or (rules == 1 and len(texts) == 2)) and _rules_enclose_records(blocks):
        return Layout("separators", f"{rules} separator lines", merge=True)
    if _is_indented(texts):
        return Layout("paragraphs", "paragraphs with their first lines indented", marker=INDENT)
    if marker := _marker(texts, wrapped):
        return Layout("numbered", "numbered or bulleted entries", merge=True, marker=marker)
    if not wrapped and _one_per_line(texts):
        headings = sum(is_heading(line.text) for block in texts for line in block.lines)
        longer = sum(len(line.text) > MAX_HEADING for block in texts for line in block.lines)
        return Layout("lines", "long lines without blank lines between them", merge=headings >= 0.5 * longer)
    return _titled_or_paragraphs(texts, wrapped)


def _rules_enclose_records(blocks: Sequence[Block]) -> bool:
    """True where there is about one rule per abstract, rather than one under each heading of a section."""
    groups, current = [], 0
    for block in blocks:
        if is_rule(block):
            groups.append(current)
            current = 0
        else:
            current += not is_heading(block.text)
    groups.append(current)
    full = [count for count in groups if count]
    return len(full) >= 2 and median(full) <= 6


def _marker(blocks: Sequence[Block], wrapped: bool) -> re.Pattern[str] | None:
    """The pattern of entry numbers or bullets, where at least two long entries carry one and few stand outside."""
    for pattern in (NUMBER, BULLET):
        marked: list[tuple[int, bool]] = []
        outside = 0
        for block in blocks:
            for index, line in enumerate(block.lines):
                match = pattern.match(line.text)
                if match and (
                    index == 0 or not wrapped or len(block.lines[index - 1].text.strip()) < 60 or pattern is NUMBER
                ):
                    number = next((int(g) for g in match.groups() if g), 0) if pattern is NUMBER else 0
                    marked.append((number, len(line.text) >= 40))
                elif not marked and not is_heading(line.text) and len(line.text) >= MIN_ABSTRACT:
                    outside += 1
        if len(marked) < 2 or outside > 0.2 * len(marked) + 1:
            continue
        if pattern is BULLET:
            if sum(long for _, long in marked) >= 0.8 * len(marked) and len(marked) >= 0.5 * sum(
                not is_heading(b.text) for b in blocks
            ):
                return BULLET
            continue
        numbers = [number for number, _ in marked]
        steps = sum(b == a + 1 for a, b in pairwise(numbers))
        if steps >= 0.7 * (len(numbers) - 1) and numbers[0] <= 1:
            return NUMBER
    return None


def _is_indented(blocks: Sequence[Block]) -> bool:
    """True where each paragraph begins with an indented line instead of a blank one."""
    lines = [line.text for block in blocks for line in block.lines]
    starts = [place for place, line in enumerate(lines) if INDENT.match(line)]
    if len(starts) < 2 or len(blocks) > 1 or starts[0] or len(lines) < 3 * len(starts):
        return False
    return all(_SENTENCE_END.search(lines[place - 1]) for place in starts[1:])


def _one_per_line(blocks: Sequence[Block]) -> bool:
    lines = [line.text.strip() for block in blocks if len(block.lines) > 1 for line in block.lines]
    lengths = [len(text) for text in lines]
    whole = sum(length >= 150 and _SENTENCE_END.search(text) is not None for text, length in zip(lines, lengths, strict=True))
    long_lines = [length for length in lengths if length >= 150]
    singles = sum(len(block.lines) == 1 and len(block.lines[0].text) >= 150 for block in blocks)
    # Lines that nobody wrapped: longer than lines are made, or each of them ends with a sentence.
    unwrapped = len(long_lines) >= 2 and (
        (max(lengths) > 250 and median(long_lines) >= 200) or whole >= 0.9 * len(long_lines)
    )
    return unwrapped and len(long_lines) > singles * 0.2


def _titled_or_paragraphs(blocks: Sequence[Block], wrapped: bool) -> Layout:
    """Titled where titles come again and again; what stands under one title belongs together where the lines are
    wrapped (then blank lines are paragraph breaks), or the paragraphs are too short to be abstracts of their own."""
    groups = _heading_groups(blocks)
    sizes = [len(paragraphs) for _, paragraphs in groups if paragraphs]
    if not sizes:
        return Layout("paragraphs", "blocks between blank lines")
    if max(sizes) == 1 and len(groups) == len(sizes) and groups[0][0]:
        return Layout("titled", "a title before each abstract")
    titles = [len(heading) for heading, paragraphs in groups if heading and paragraphs]
    if len(titles) < 2 or median(titles) < MIN_TITLE or not groups[0][0]:
        return Layout("paragraphs", "blocks between blank lines, perhaps under headings")
    lengths = [length for _, paragraphs in groups for length in paragraphs]
    merge = median(sizes) <= 6 and (wrapped or median(lengths) < MAX_PARAGRAPH)
    return Layout("titled", "titles with paragraphs under them", merge=merge)


def _heading_groups(blocks: Sequence[Block]) -> list[tuple[str, list[int]]]:
    """For each run of headings its first line and the lengths of the paragraphs up to the next run."""
    groups: list[tuple[str, list[int]]] = []
    was_heading = False
    for block in blocks:
        heading = is_heading(block.text)
        if heading and not was_heading:
            groups.append((block.lines[0].text.strip(), []))
        elif not heading:
            if not groups:
                groups.append(("", []))
            groups[-1][1].append(len(block.text))
        was_heading = heading
    return groups
