"""Plain text with labelled fields or a line `Abstract` before each abstract; ProQuest and similar exports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipeline.extract.content import Content
from pipeline.extract.entry import Guess, Item, Reader
from pipeline.extract.labels import abstract_names_of, label_of
from pipeline.extract.layout import Block, blocks_of, decide_layout, is_heading, is_rule
from pipeline.extract.sections import Sections

_MARKDOWN = re.compile(r"^\s{0,3}#{1,6} \S|^[^\S\n]*[-*+] (?:\*\*|\[)|\]\(https?://|\*\*[^*\n]{2,200}\*\*|<summary>", re.M)


def looks_like_markdown(sample: str) -> bool:
    """True where headings, bold runs or links in Markdown come more than once, or a file begins with a heading."""
    return len(_MARKDOWN.findall(sample[:200000])) >= 2 or re.match(r"\ufeff?\s*# \S", sample) is not None


def _sniff(content: Content) -> Guess | None:
    lines = content.sample.split("\n")
    names = abstract_names_of(content)
    if not names:
        return None
    labels = [label for line in lines if (label := label_of(line[:400])) is not None]
    abstracts = sum(label.name in names for label in labels)
    others = {label.name for label in labels if label.kind not in {"abstract", "other"}}
    paragraphs = sum(not is_heading(block.text) for block in _sample_blocks(content))
    if abstracts >= 2 and (abstracts >= 0.08 * paragraphs or others):
        return Guess(55, f"{abstracts} labels of abstracts")
    if abstracts == 1 and decide_layout(content.head_lines()[1:2000]).kind == "lines":
        return None
    if abstracts == 1 and (len(others) >= 2 or paragraphs <= 8):
        return Guess(50, "one abstract behind a label")
    return None


def _sample_blocks(content: Content) -> list[Block]:
    return content.remember(
        "sample_blocks", lambda: [block for block in blocks_of(content.head_lines()[:5000]) if not is_rule(block)]
    )


def _read(content: Content) -> Iterator[Item]:
    names = abstract_names_of(content)
    content.variant = "labelled"
    blocks = _sample_blocks(content)
    sections = Sections(names, has_titles=_has_titles(blocks, names), is_markdown=False, titles_last=_titles_last(blocks, names))
    yield from sections.items(content.lines())


def _has_titles(blocks: Sequence[Block], names: frozenset[str]) -> bool:
    """True where most labels of abstracts have a title or another label before them, rather than the text of the last."""
    titled = plain = 0
    for index, block in enumerate(blocks):
        for place, line in enumerate(block.lines):
            label = label_of(line.text[:400])
            if label is None or label.name not in names:
                continue
            before = block.lines[place - 1].text if place else blocks[index - 1].text if index else None
            if before is not None:
                headed = label_of(before.split("\n")[-1][:400]) is not None or (is_heading(before) and place <= 4)
                titled, plain = titled + headed, plain + (not headed)
    return titled > plain


def _titles_last(blocks: Sequence[Block], names: frozenset[str]) -> bool:
    """True where the labelled title of a record comes after its abstract: the file begins with an abstract and ends with a
    title, or most titles stand right below an abstract, without a blank line between them."""
    order = [
        ("abstract" if label.name in names else "title", index)
        for index, block in enumerate(blocks)
        for line in block.lines
        if (label := label_of(line.text[:400])) is not None and (label.name in names or label.kind == "title")
    ]
    titles = sum(kind == "title" for kind, _ in order)
    if not titles or order[0][0] == "title":
        return False
    below = sum(kind == "title" and before == ("abstract", index) for before, (kind, index) in pairwise(order))
    return order[-1][0] == "title" or 2 * below > titles


READER = Reader("text", _sniff, _read, ceiling=55)
