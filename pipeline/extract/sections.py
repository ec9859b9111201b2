"""Records of labelled text and Markdown: titles, labelled fields, and the abstract behind its label or under its heading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pipeline.extract.content import Line
from pipeline.extract.entry import Entry, Item, Skip
from pipeline.extract.labels import Label, label_of
from pipeline.extract.layout import RULE, Block, blocks_of, is_heading

_BLANK = "\ufeff \t\r\n\x0b\x0c\x85\u2028\u2029\u3000\xa0"
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(\S.*?)\s*#*\s*$")
_TAG_LINE = re.compile(
    r"\s*(?:</?(?:details|summary|ol|ul|li|br|p|div|blockquote|small|sub|center|hr)\b[^<>]*/?>\s*)+$|\s*```\w*\s*$|\s*\{:.*\}\s*$",
    re.I,
)
_SUMMARY = re.compile(r"\s*(?:<details\b[^<>]*>\s*)?<summary\b[^<>]*>(.*?)</summary>\s*$", re.I)
_END_TAG = re.compile(r"(?<!\s)\s*+(?:</(?:details|ol|ul|li|p|div|blockquote)>\s*+)++$", re.I)
_LEAD_TAGS = re.compile(r"(?:\s*<(?:br|p|div|ol|ul|li|blockquote|summary)\b[^<>]*/?>)+\s*", re.I)
_BULLET = re.compile(r"(\s*)(?:[-*+•]|\d{1,4}[.)])\s+(?=\*\*|__|\[|<b>|<strong>|<a )")
_EMPHASIS = re.compile(r"\*\*|__|</?(?:b|strong|em|i)>")
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*(<?[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^()]*\)")
_NUMBER = re.compile(r"^\s*(?:\[?\d{1,4}[.)\]]|#\d+)\s*")
_URL = re.compile(r"https?://[^\s)>\]|*·]+")
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/.](?:0?[1-9]|1[0-2])(?:[-/.]\d{1,2})?(?!\d)")
_COUNTER = re.compile(
    r"(?:document|record|item|result|reference|citation|paper|abstract|article)?\s*+[#№]?\s*+\d++\s*+(?:of|/|von|de|sur)\s*+\d+",
    re.I,
)
_NAMES = re.compile(r"^[*_\s>✍👤-]*(?:by\s+|authors?[:：]?\s*)?[^\W\d_][^:!?\d]{2,}$", re.I)


_ENDS_SENTENCE = re.compile(r"[a-z)][.!?]\s*$")
_HEAD_LINES = 4
_ABSTRACT_WORDS, _TITLE_WORDS = 40, 4
"""An unlabelled paragraph of so many words is an abstract of its own, a heading of so many words more than a section's."""


@dataclass(slots=True)
class Draft:
    """A record in the making."""

    fields: dict[str, list[object]] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    abstract: list[tuple[Line, int]] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)
    start: int = -1
    end: int = -1
    has_label: bool = False

    def add(self, name: str, value: str) -> None:
        """A candidate value of a field."""
        if value.strip(_BLANK):
            self.fields.setdefault(name, []).append(value.strip(_BLANK))

    def touch(self, line: Line) -> None:
        """Count a line as part of the record."""
        self.start = line.start if self.start < 0 else self.start
        self.end = line.end


class Sections:
    """Walks over the lines of a file and yields its records. `abstract_names`: the labels of abstracts in this file.

    Without any, the abstract is the prose under a heading (`by_heading`). `titles_last`: titles stand below their abstracts.
    """

    def __init__(self, abstract_names: frozenset[str], *, has_titles: bool, is_markdown: bool, titles_last: bool = False) -> None:
        self.names = abstract_names
        self.has_titles = has_titles
        self.is_markdown = is_markdown
        self.titles_last = titles_last
        self.by_heading = not abstract_names
        self.draft = Draft()
        self.is_open = False
        self.pending: list[Line] = []

    def items(self, lines: Iterable[Line]) -> Iterator[Item]:
        """The records in order."""
        for block in blocks_of(lines):
            if RULE.fullmatch(block.lines[0].text) and len(block.lines) == 1:
                self._close()
                yield from self._flush_if(bool(self.draft.abstract))
                continue
            yield from self._block(block)
        self._close()
        yield from self._flush()

    def _block(self, block: Block) -> Iterator[Item]:
        if not self.is_markdown and not self.by_heading and self._is_unlabelled(block):
            yield from self._begin_unlabelled()
            if not self.is_open and not self.draft.labels:
                yield from self._unlabelled(block)
                return
        loose_heading = (
            not self.is_markdown
            and self.is_open
            and label_of(block.lines[0].text[:400]) is None
            and is_heading(block.text)
        )
        if loose_heading and self.has_titles:
            self.pending += [*block.lines, *block.tail]
            return
        if self.pending and self.is_open and label_of(block.lines[0].text[:400]) is None:
            self.draft.abstract += [(line, 0) for line in self.pending]
            self.pending = []
        heads = 0 if self.is_markdown or not self.is_open else self._heads_of(block)
        self.pending += block.lines[:heads]
        for line in block.lines[heads:]:
            yield from self._line(line)
        if self.is_open:
            self.draft.abstract += [(line, 0) for line in block.tail]

    def _heads_of(self, block: Block) -> int:
        """How many lines of a paragraph, numbered or short, stand above the labels in it: the head of a new record, where
        one is an abstract's."""
        labels = [label_of(line.text[:400]) for line in block.lines]
        if not any(label is not None and label.name in self.names for label in labels):
            return 0
        heads = block.lines[: next(place for place, label in enumerate(labels) if label is not None)]
        is_head = len(heads) <= _HEAD_LINES and all(not _ENDS_SENTENCE.search(line.text) for line in heads)
        return len(heads) if is_head or _NUMBER.match(block.lines[0].text) else 0

    def _is_unlabelled(self, block: Block) -> bool:
        """Whether a paragraph is long enough for an abstract and has no label, nor that of an abstract further down."""
        if len(block.text.split()) < _ABSTRACT_WORDS or is_heading(block.text):
            return False
        labels = [label_of(line.text[:400]) for line in block.lines]
        return labels[0] is None and not any(label is not None and label.name in self.names for label in labels)

    def _begin_unlabelled(self) -> Iterator[Item]:
        """Before an unlabelled paragraph: a title behind an open abstract ends it, and begins a record."""
        if self.is_open and any(len(line.text.split()) >= _TITLE_WORDS for line in self.pending):
            heads, self.pending = self.pending, []
            self._close()
            yield from self._flush()
            for head in heads:
                yield from self._loose(head)

    def _unlabelled(self, block: Block) -> Iterator[Item]:
        """An abstract without a label, among labelled ones, under what stands above it."""
        for line in block.lines:
            self.draft.touch(line)
            self.draft.abstract.append((line, 0))
        yield from self._flush()

    def _line(self, line: Line) -> Iterator[Item]:
        text = line.text
        label = label_of(text[:400])
        if label is not None and (label.kind != "other" or label.is_emphasised or self.is_markdown or len(text) < 200):
            yield from self._label(line, label)
            return
        heading = _HEADING.match(text) if self.is_markdown else None
        bullet = _BULLET.match(text) if self.is_markdown else None
        if heading or bullet:
            self._close()
            yield from self._flush_if(bool(self.draft.abstract))
            yield from self._title(line, heading[2] if heading else text[bullet.end() :] if bullet else "")
        elif self.is_markdown and (summary := _SUMMARY.match(text)) and len(summary[1]) >= 20:
            self._close()
            yield from self._flush_if(bool(self.draft.abstract))
            yield from self._title(line, summary[1])
        elif _TAG_LINE.match(text) and self.is_markdown:
            if "</details" in text or "</ol" in text:
                self._close()
        elif self.is_open and not self.is_markdown and _COUNTER.fullmatch(text.strip(_BLANK)):
            self._close()
        elif self.is_open or (self.by_heading and self.draft.fields.get("title") and self._is_prose(text)):
            self.is_open = True
            self.draft.touch(line)
            self.draft.abstract.append((line, 0))
            if self.is_markdown and text.rstrip().endswith("</details>"):
                self._close()
        else:
            yield from self._loose(line)

    def _label(self, line: Line, label: Label) -> Iterator[Item]:
        is_abstract = label.name in self.names
        heads = self._take_pending(is_start=is_abstract or label.kind != "other")
        self._close()
        again = label.name in self.draft.labels or (label.kind == "title" and not self.titles_last)
        if bool(self.draft.abstract) and (again or is_abstract or heads):
            yield from self._flush()
        for head in heads:
            yield from self._loose(head)
        self.draft.touch(line)
        self.draft.labels.add(label.name)
        value = line.text[label.value_at :]
        if is_abstract:
            self.is_open = self.draft.has_label = True
            lead = _LEAD_TAGS.match(line.text, label.value_at)
            if value.strip(_BLANK):
                self.draft.abstract.append((line, lead.end() if lead else label.value_at))
            if self.is_markdown and value.rstrip().endswith("</details>"):
                self._close()
        elif label.kind not in {"other", "abstract"}:
            self.draft.add(label.kind, _unlinked(value) if label.kind not in {"source_url", "arxiv_id"} else value)
            if label.kind == "title" and value.strip(_BLANK):
                self.draft.fields["title"] = [_plain_title(value)]
                self.draft.has_label = True
        if label.kind != "abstract":
            for url in _URL.findall(value):
                self.draft.add("source_url", url)

    def _take_pending(self, *, is_start: bool) -> list[Line]:
        """Headings that stood behind an abstract: they are the title and authors of what begins now."""
        pending, self.pending = [line for line in self.pending if line.text.strip(_BLANK)], []
        if not is_start:
            self.draft.abstract += [(line, 0) for line in pending]
            return []
        return pending

    def _title(self, line: Line, text: str) -> Iterator[Item]:
        if (replaced := self.draft.fields.get("title")) and not self.draft.has_label:
            yield Skip("heading", str(replaced[0])[:80])
            self.draft = Draft()
        self.draft.touch(line)
        for _, url in _LINK.findall(text):
            self.draft.add("source_url", url.strip("<>"))
        for url in _URL.findall(_LINK.sub(" ", text)):
            self.draft.add("source_url", url)
        title, rest = _split_title(text)
        if any(c.isalpha() for c in title):
            self.draft.fields["title"] = [title]
        if self.by_heading and self._is_prose(rest):
            self.is_open = True
            self.draft.abstract.append((line, line.text.rindex(rest)))

    def _loose(self, line: Line) -> Iterator[Item]:
        """A line that is neither label nor abstract: a title where there is none yet, names, links, dates."""
        text = line.text.strip(_BLANK)
        if not text:
            return
        if _COUNTER.fullmatch(text):
            yield from self._flush_if(bool(self.draft.abstract))
            return
        if self.draft.abstract and not self.is_markdown and self.has_titles:
            yield from self._flush()
        self.draft.touch(line)
        for url in _URL.findall(text):
            self.draft.add("source_url", url)
        if date := _DATE.search(text):
            self.draft.add("year", date[1])
        plain = _EMPHASIS.sub("", _unlinked(text)).strip(" *_>\t-")
        if not self.draft.fields.get("title") and not self.draft.abstract:
            self.draft.fields["title"] = [_plain_title(text)]
        elif "authors" not in self.draft.fields and _looks_like_names(text, plain):
            self.draft.add("authors", plain)

    def _is_prose(self, text: str) -> bool:
        stripped = text.strip(_BLANK)
        if not stripped:
            return False
        if (
            stripped[0] in "*_"
            and stripped[-1] in "*_"
            and stripped.count(stripped[0]) <= 4
            and len(stripped) < 2000
            and "," in stripped
            and "." not in stripped[-2:-1]
        ):
            return False
        return not is_heading(_unlinked(stripped)) and not stripped.startswith(("[", "!", "|", "<img", "http"))

    def _close(self) -> None:
        if self.pending:
            if not self.has_titles:
                self.draft.abstract += [(line, 0) for line in self.pending]
            self.pending = []
        self.is_open = False

    def _flush_if(self, condition: bool) -> Iterator[Item]:
        if condition:
            yield from self._flush()

    def _flush(self) -> Iterator[Item]:
        draft, self.draft = self.draft, Draft()
        lines = draft.abstract
        while lines and not lines[-1][0].text[lines[-1][1] :].strip(_BLANK):
            lines.pop()
        while lines and not lines[0][0].text[lines[0][1] :].strip(_BLANK):
            lines.pop(0)
        if lines:
            yield _entry(draft, lines)
        elif draft.has_label:
            yield Entry("" if draft.labels & self.names else None, draft.fields)
        elif title := draft.fields.get("title"):
            yield Skip("heading", str(title[0])[:80])


def _entry(draft: Draft, lines: list[tuple[Line, int]]) -> Entry:
    """The entry: its text as it stands; quote marks and closing tags around it are the format's and go."""
    texts = [line.text[at:] for line, at in lines]
    first, last = lines[0], lines[-1][0]
    raw = "\n".join(texts)
    stripped = _END_TAG.sub("", raw)
    if all(text.lstrip().startswith(">") or not text.strip() for text in texts[lines[0][1] > 0 :]) and any(
        ">" in text[:4] for text in texts
    ):
        unquoted = "\n".join(re.sub(r"^\s*>\s?", "", text) for text in texts)
        return Entry(_END_TAG.sub("", unquoted).strip(_BLANK), draft.fields, draft.start, draft.end)
    lead = len(raw) - len(raw.lstrip(_BLANK))
    start = first[0].start + len(first[0].text[: first[1]].encode("utf-8", "surrogateescape"))
    if stripped != raw:
        return Entry(stripped.strip(_BLANK), draft.fields, draft.start, draft.end)
    return Entry(raw[lead:].rstrip(_BLANK), draft.fields, start, last.end)


def _unlinked(text: str) -> str:
    return _LINK.sub(r"\1", text)


def _plain_title(text: str) -> str:
    return _NUMBER.sub("", _EMPHASIS.sub("", _unlinked(text)).strip(" *_`\t")).strip(" *_`\t")


def _split_title(text: str) -> tuple[str, str]:
    """The title of a heading or list item, and what follows it on the line."""
    stripped = text.strip()
    for pattern in (r"(?:\d+[.)]\s*)?\*\*(.+?)\*\*", r"__(.+?)__", r"<(?:b|strong)>(.+?)</(?:b|strong)>"):
        match = re.match(pattern, stripped)
        if match and len(match[1]) > 8:
            return _plain_title(match[1]), stripped[match.end() :].strip(" :—–-\t")
    if match := _LINK.match(stripped):
        return _plain_title(match[1]), stripped[match.end() :].strip(" :—–-\t")
    return _plain_title(stripped), ""


def _looks_like_names(text: str, plain: str) -> bool:
    if len(plain) > 3000 or "://" in plain or not _NAMES.match(plain[:200].split(",")[0] + "ab"):
        return False
    parts = [part for part in re.split(r",|;| and |·", plain) if part.strip()]
    short = sum(len(part.split()) <= 6 and part.strip()[:1].isupper() for part in parts)
    return bool(parts) and short >= 0.7 * len(parts) and (len(parts) > 1 or text[:1] in "*_" or len(plain.split()) <= 4)
