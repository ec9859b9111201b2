"""Resolve the block structure of Markdown: headings, lists, quotes, rules, fences and tables."""

from __future__ import annotations

import re

from pipeline.clean.literals import hide
from pipeline.clean.tracked import Draft

BLOCK = re.compile(
    r"(?m)^[ \t]*(?:#{1,6}(?:[ \t]|$)|>|[-*+•](?:[ \t]|$)|\d{1,3}[.)][ \t]|```|~~~|=+[ \t]*$|[-_*](?:[ \t]*[-_*])+[ \t]*$"
    r"|-{2,}[ \t]*$|\|.*\|[ \t]*$)"
)
# What every match of BLOCK starts with. A search that starts with a plain character skips to candidates.
_MARK = re.compile(r"[ \t]*[#>*+•`~=_|\d-]")
_LINE_MARK = re.compile(rf"\n{_MARK.pattern}")
_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})(?:[ \t]+(?P<text>.*?))??(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$")
_FENCE = re.compile(r"[ \t]*(?:(?P<ticks>`{3,})[^`]*|(?P<tildes>~{3,}).*)$")
_QUOTE = re.compile(r"[ \t]*>[ \t]?")
_ITEM = re.compile(r"[ \t]*(?P<mark>[-*+])(?:[ \t]+|$)")
_NUMBERED = re.compile(r"[ \t]*(?:\d{1,3}[.)]|•)(?:[ \t]+|$)")
_TABLE_RULE = re.compile(r"[ \t]*+\|?(?:[ \t]*+:?-++:?[ \t]*+\|)++(?:[ \t]*+:?-++:?[ \t]*+)?+$")
_LONE = frozenset(["", "-", "*", "+", ">", "#", "--", "---", "="])
_DEEPEST = 12
# The tag of a block of HTML that goes on in the next line, and a line that only says where a link leads.
_OPEN_TAG = re.compile(r"<(?:jats:)?(?:div|p|table|t[dhr]|thead|tbody|[ou]l|li|d[dlt]|h[1-6]|section|sec|article|blockquote|center|form)(?:\s[^<>]*)?\Z", re.I)
_DEFINITION = re.compile(r" {0,3}\[[^\[\]]+\]:[ \t]*\S+[ \t]*\Z")
_ENDS_SENTENCE = re.compile(r"[.:;!?)]['\"”’*_]*\s*$")


def resolve_blocks(text: str) -> Draft:
    """Drop the marks of headings, quotes, bullets, rules and fences; each block becomes a paragraph.

    The number of a numbered item stays, a reader reads it. Left alone on purpose: a wrapped line that happens to start with
    `- and`, `+`, `> 0.8` or `# of`.

    >>> resolve_blocks("# Aim\\nWe test:\\n- one\\n- two\\nF1\\n> 0.80").result().split()
    ['Aim', 'We', 'test:', 'one', 'two', 'F1', '>', '0.80']
    """
    return _BlockReader(text).read()


def may_hold_blocks(text: str) -> bool:
    """Whether a text may hold Markdown blocks: some line starts with a mark, and a lone line with one that is no bullet."""
    if "\n" in text:
        return (_LINE_MARK.search(text) or _MARK.match(text)) is not None and BLOCK.search(text) is not None
    return text.strip() not in _LONE and text.lstrip()[:1] in "#>`~*-_=|" and BLOCK.match(text) is not None


class _BlockReader:
    """One pass over the lines. `state` is what the line before was: blank, text, item, quote, heading."""

    def __init__(self, text: str) -> None:
        self.draft = Draft(text)
        self.text = text
        self.state = "blank"
        self.last = ""
        self.fence = ""
        self.quoted_fence = False
        self.table = False
        self.bullets: set[str] = set()
        self.single = "\n" not in text.strip()

    def read(self) -> Draft:
        position = 0
        for line in self.text.split("\n"):
            end = position + len(line)
            if position:
                self.draft.keep(position - 1, position)
            if self.fence and not (self.quoted_fence and not line.lstrip().startswith(">")):
                self._code(position, line)
            else:
                self.fence = ""
                self._line(position, end, line)
            position = end + 1
        return self.draft

    def _code(self, position: int, line: str) -> None:
        """A line inside a fence is literal."""
        if self.quoted_fence:
            mark = line.index(">") + 1
            position, line = position + mark, line[mark:]
        if line.strip() and set(line.strip()) == {self.fence[0]} and len(line.strip()) >= len(self.fence):
            self.fence = ""
            self._end_block("heading")
        else:
            self.draft.put(position, position + len(line), hide(line))

    def _end_block(self, state: str) -> None:
        """A block ends a paragraph; where it stood stays a break."""
        self.draft.losses["block_mark"] += 1
        length = len(self.draft.pieces)
        if length:
            position = self.draft.pieces[-1][1]
            self.draft.put(position, position, "\n\n")
        self.state = state

    def _line(self, position: int, end: int, line: str) -> None:
        if not line.strip():
            self.draft.keep(position, end)
            self.state, self.table = "blank", False
            return
        start = position + self._markers(position, line)
        rest = self.text[start:end]
        if not rest.strip() and start > position:
            return
        if self._whole(start, rest):
            return
        heading = _HEADING.match(rest)
        if heading and self._is_heading(heading):
            self._end_block("heading")
            if heading["text"]:
                self.draft.keep(start + heading.start("text"), start + heading.end("text"))
                self._end_block("heading")
            return
        if self.table or (rest.count("|") > 1 and rest.lstrip().startswith("|") and "||" not in rest):
            self._cells(start, end)
        else:
            self.draft.keep(start, end)
        self.last = rest
        if start == position:
            self.state = "text" if self.state in ("blank", "heading", "text") else self.state

    def _whole(self, start: int, rest: str) -> bool:
        """Rules, underlines and fences: lines that hold no text."""
        fence = _FENCE.match(rest)
        if fence:
            self._end_block("heading")
            self.fence = fence["ticks"] or fence["tildes"]
            self.quoted_fence = self.text[start - 2 : start] == "> "
            return True
        if _TABLE_RULE.match(rest) and "|" in rest and "|" in self.last:
            self.table = True
            self.draft.losses["block_mark"] += 1
            return True
        under = _SETEXT.match(rest) and self.state not in ("blank", "heading") and not _DEFINITION.match(self.last)
        if under or _RULE.match(rest):
            self._end_block("heading")
            return True
        return False

    def _is_heading(self, m: re.Match[str]) -> bool:
        """A single `#` within a paragraph before a small letter means number (`the # of`)."""
        text = m["text"] or ""
        return self.state != "text" or len(m["level"]) > 1 or not text[:1].islower()

    def _markers(self, position: int, line: str) -> int:
        """Drop the marks of quotes and items at the start of a line; how many characters they take."""
        taken = 0
        for _ in range(_DEEPEST):
            rest = line[taken:]
            if _RULE.match(rest) or (m := _QUOTE.match(rest) or _ITEM.match(rest) or _NUMBERED.match(rest)) is None:
                return taken
            if rest.lstrip()[0] == ">":
                if not self._is_quote(rest[m.end() :]):
                    return taken
                if self.state != "quote":
                    self._end_block("quote")
            elif not (taken and self.single) and not self._is_item(rest[m.end() :], m.groupdict().get("mark")):
                return taken
            else:
                self._end_block("item")
                if "mark" not in m.re.groupindex:
                    self.draft.keep(position + taken, position + taken + m.end())
            taken += m.end()
            if taken >= len(line):
                break
        return taken

    def _is_quote(self, rest: str) -> bool:
        if self.state == "text" and _OPEN_TAG.search(self.last):
            return False
        number = re.match(r"\s*[=~]?\s*[$€£]?\.?\d(?!\d{0,2}[.)]\s)", rest) is not None
        return not number and not (self.state == "text" and rest[:1].islower() and not rest[:1].isalpha())

    def _is_item(self, rest: str, bullet: str | None) -> bool:
        """Whether a bullet or number starts an item rather than a wrapped line of a paragraph."""
        if self.single and bullet and rest.strip() and rest[0] not in "-*+#>":
            return False
        if self.state != "text" or bullet in self.bullets:
            self.bullets.add(bullet or "")
            return True
        return _ENDS_SENTENCE.search(self.last) is not None and (not bullet or not rest[:1].islower() or self.last.rstrip()[-1:] == ":")

    def _cells(self, start: int, end: int) -> None:
        """A row of a table: its cells, apart from each other."""
        position = start
        for m in re.compile(r"[ \t]*\|[ \t]*").finditer(self.text, start, end):
            self.draft.keep(position, m.start())
            self.draft.put(m.start(), m.end(), " ")
            position = m.end()
        self.draft.keep(position, end)
