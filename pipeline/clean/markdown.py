"""Resolve Markdown inside paragraphs: links, images, emphasis, strike-through."""

from __future__ import annotations

import re
from collections import Counter

from pipeline.clean.emphasis import Run, pair_runs, read_run
from pipeline.clean.literals import hide, show
from pipeline.clean.tracked import Draft

_UNDERSCORE = re.compile(r"_(?:(?<![^\W_]_)|(?![^\W_]))")
# Each alternative starts with a plain character, which lets the regex engine skip to candidates.
_TOKEN = re.compile(r"!\[|\[|\]|\*\**|__*|~~")
_SPACE = r"[ \t\n\xa0]*+"
_TARGET = re.compile(
    rf"\({_SPACE}(?P<target><[^<>\n]*+>|(?:[^\s()<\ufdd0-\ufdef]|[\ufdd0-\ufdef]|\((?:[^\s()]|\([^\s()]*+\))*+\))*+)"
    rf"(?:[ \t\n\xa0]++(?P<title>\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?{_SPACE}\)"
)
_TITLE_ONLY = re.compile(r"\(\"[^\"]*+\"\)")
_ABSOLUTE = re.compile(r"(?:(?:https?|ftp)://|mailto:|www\.|doi:|10\.\d{4})")
_DEFINITION = re.compile(
    r"(?m)^ {0,3}\[(?P<label>(?:[^\[\]\ufdd3\ufdd4]|[\ufdd3\ufdd4])+?)\]:[ \t]*\n?[ \t]*(?P<target><[^<>\n]*>|[^\s<]\S*)"
    r"(?:(?:[ \t]+|[ \t]*\n[ \t]*)(?P<title>\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$\n?"
)
_LABEL = re.compile(r"\[([^\[\]]++)\]")
_NOTE = re.compile(r"(?m)^ {0,3}\[\^(?P<label>[^\]\s]+)\]:[ \t]*(?P<body>[^\n]+)$\n?")
_TORN_OPEN = re.compile(r"[A-Z][a-z]+[\s-]|[a-z]{2,}[\s-]")
_ISOTOPE = re.compile(r"[\d,;.\s^_{}–-]*(?:[A-Z][a-z]?)?[\d,;.\s^_{}–-]*")


def resolve_inline(text: str) -> Draft:
    """Drop the marks of Markdown emphasis, links and images.

    Left alone on purpose: snake_case, `*` as a sign of multiplication or of a footnote, citations in brackets. The
    address of a link follows its text in parentheses; one that leads nowhere outside its page is dropped.

    >>> show(resolve_inline("**I**nformation-guided *x* of a * b, [code](https://a.org) and my_name [3]").result())
    'Information-guided x of a * b, code (https://a.org) and my_name [3]'
    """
    return _InlineReader(text).read()


def may_hold_inline(text: str) -> bool:
    """Whether a text may hold Markdown inside its paragraphs; cheap."""
    return (
        ("*" in text and text.count("*") > 1)
        or ("]" in text and ("](" in text or "][" in text or "]:" in text))
        or "~~" in text
        or ("_" in text and text.count("_") > 1 and _UNDERSCORE.search(text) is not None)
    )  # fmt: skip


class _InlineReader:
    """Collects what to drop and what to write, then makes the draft."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.edits: list[tuple[int, int, list[tuple[int, int, str | None]], str]] = []
        self.wraps: list[tuple[int, int, int, int]] = []
        self.runs: list[Run] = []
        self.brackets: list[tuple[int, int, bool, int]] = []
        self.inactive_below = 0
        self.targets: dict[str, tuple[int, int]] = {}
        self.notes: dict[str, tuple[int, int]] = {}
        self.skipped: list[tuple[int, int]] = []

    def read(self) -> Draft:
        self._definitions()
        position = skip = 0
        while (m := _TOKEN.search(self.text, position)) is not None:
            position = self._handle(m)
            while skip < len(self.skipped) and self.skipped[skip][0] < position:
                position = max(position, self.skipped[skip][1])
                skip += 1
        self._emphasis(0)
        return self._draft()

    def _definitions(self) -> None:
        """Note the addresses and footnotes that are defined, and drop the definitions that are used."""
        if "]:" not in self.text:
            return
        used = Counter(_label(m[1]) for m in _LABEL.finditer(self.text))
        for m in _NOTE.finditer(self.text):
            if used["^" + _label(m["label"])] > 1:
                self.notes.setdefault(m["label"], m.span("body"))
                self._drop(*m.span(), "definition")
        for m in _DEFINITION.finditer(self.text):
            label = _label(m["label"])
            before = self.text[max(m.start() - 40, 0) : m.start()].rstrip(" ")[-2:] or "\n\n"
            follows = before in ("\n\n", "\n") or (bool(self.skipped) and self.skipped[-1][1] == m.start())
            if m["label"][0] == "^" or not label or not follows:
                continue
            start, end = m.span("target")
            if not _ABSOLUTE.match(show(m["target"]).lstrip("<")) or used[label] > 1:
                self.targets.setdefault(label, (start + 1, end - 1) if m["target"][0] == "<" else (start, end))
                self._drop(*m.span(), "definition")

    def _drop(self, start: int, end: int, reason: str) -> None:
        self.edits.append((start, end, [(start, start, "\n\n")], reason))
        self.skipped.append((start, end))

    def _handle(self, m: re.Match[str]) -> int:
        kind = m[0][-1]
        if kind == "[":
            self.brackets.append((m.start(), m.end(), m[0][0] == "!", len(self.runs)))
        elif kind == "]":
            return self._close(m) if self.brackets else self._close_alone(m)
        elif kind in "*_":
            self.runs.append(read_run(self.text, m.start(), m.end()))
        elif kind == "~":
            close = self.text.find("~~", m.end(), m.end() + 500)
            if close > m.end() and not self.text[m.end()].isspace() and not self.text[close - 1].isspace():
                self._pair(m.start(), m.end(), close, close + 2)
        return m.end()

    def _pair(self, a: int, b: int, c: int, d: int) -> None:
        """Drop an opening mark `a:b` and its closing mark `c:d`."""
        self.edits += [(a, b, [], "emphasis"), (c, d, [], "emphasis")]
        self.wraps.append((b, c, a, d))

    def _close(self, m: re.Match[str]) -> int:
        """A closing bracket ends a link or an image if an address follows or its text is a known label."""
        start, inner, image, first_run = self.brackets.pop()
        if not image and start < self.inactive_below:
            return m.end()
        note = self.text[inner : m.start()]
        if note[:1] == "^" and note[1:] in self.notes:
            a, b = self.notes[note[1:]]
            self.edits.append((start, m.end(), [(start, inner, " ("), (a, b, None), (b, b, ")")], "footnote"))
            return m.end()
        found = self._address(inner, m)
        if found is None:
            return m.end()
        end, target, title = found
        self._emphasis(first_run)
        if not image:
            self.inactive_below = start
        self.edits.append((start, inner, [], "link"))
        written = self._after_link((inner, m.start()), target, title, image)
        self.edits.append((m.start(), end, written, "link"))
        self.wraps.append((inner, end if written else m.start(), start, end))
        return end

    def _close_alone(self, m: re.Match[str]) -> int:
        """The end of a link whose start is cut off: its address in parentheses."""
        found = _TARGET.match(self.text, m.end())
        if found is None or not _ABSOLUTE.match(show(found["target"])):
            return m.end()
        start, end = found.span("target")
        self.edits.append((m.start(), found.end(), self._in_parentheses((m.start(), start, end, found.end())), "link"))
        return found.end()

    def _in_parentheses(self, where: tuple[int, int, int, int]) -> list[tuple[int, int, str | None]]:
        """An address (outer start, start, end, outer end) in parentheses, which stand for the marks around it."""
        outer, start, end, after = where
        return [(outer, start, " ("), (start, end, hide(self.text[start:end])), (end, after, ")")]

    def _address(self, inner: int, m: re.Match[str]) -> tuple[int, tuple[int, int], tuple[int, int] | None] | None:
        """Where a link ends, its address and its title; None if this is no link."""
        text = self.text
        if (found := _TARGET.match(text, m.end())) or (found := _TITLE_ONLY.match(text, m.end())):
            groups = found.groupdict()
            a, b = found.span("target") if "target" in groups else (m.end(), m.end())
            if text[a:b].startswith("<"):
                a, b = a + 1, b - 1
            if self._is_address(text[inner : m.start()], show(text[a:b])):
                title = found.span("title") if groups.get("title") else None
                return found.end(), (a, b), title
        label = re.compile(r"\[([^\[\]]*+)\]").match(text, m.end())
        if label and label[1].strip():
            key = _label(label[1])
            return (label.end(), self.targets[key], None) if key in self.targets else None
        key = _label(text[inner : m.start()]) if m.start() - inner < 1000 and self.targets else ""
        if key in self.targets:
            return (label.end() if label else m.end()), self.targets[key], None
        return None

    def _is_address(self, shown: str, target: str) -> bool:
        """Whether what stands in parentheses after brackets is an address, and not a name such as `[11C](R)-PK11195`."""
        if re.search(r"[/.#:\\]", target) or not target:
            return True
        return len(target) > 2 and _ISOTOPE.fullmatch(shown) is None and not re.search(r"[,;]|^\d", target)

    def _after_link(
        self, shown: tuple[int, int], target: tuple[int, int], title: tuple[int, int] | None, image: bool
    ) -> list[tuple[int, int, str | None]]:
        """What stands after the text of a link: its address in parentheses, if it says more than the text."""
        text = show(self.text[shown[0] : shown[1]]).strip()
        url = show(self.text[target[0] : target[1]])
        if image:
            return [(title[0] + 1, title[1] - 1, None)] if title and not text else []
        same = re.sub(r"^https?://|/$", "", text.strip("*_`")) == re.sub(r"^https?://|/$", "", url)
        if same or not _ABSOLUTE.match(url):
            return []
        if not text:
            return [(target[0], target[1], hide(self.text[target[0] : target[1]]))]
        inline = shown[1] < target[0] < shown[1] + 5
        return self._in_parentheses((shown[1] if inline else target[0], *target, target[1] + inline))

    def _emphasis(self, first: int) -> None:
        """Pair the runs from number `first` on, and forget them."""
        for a, b, c, d in pair_runs(self.text, self.runs[first:]):
            self._pair(a, b, c, d)
        for run in self.runs[first:]:
            if run.sign == "*" and run.left == run.length == 2 and _is_torn(self.text, run):
                self.edits.append((run.start, run.end, [], "emphasis"))
        del self.runs[first:]

    def _draft(self) -> Draft:
        draft, position = Draft(self.text), 0
        marks: dict[int, int] = {}
        borders = sorted({p for w in self.wraps for p in w[:2]})
        border = 0
        for start, end, pieces, reason in sorted(self.edits, key=lambda e: (e[0], e[1])):
            if start < position:
                continue
            border = _keep_to(draft, (position, start), borders, border, marks)
            for a, b, new in pieces:
                draft.pieces.append((a, b, new))
            position = end
            draft.losses[reason] += 1
        _keep_to(draft, (position, len(self.text)), borders, border, marks)
        for inner, stop, start, end in self.wraps:
            first, last = marks.get(inner), marks.get(stop)
            if first is not None and last is not None and last > first:
                draft.wraps.append((first, last, start, end))
        return draft


def _is_torn(text: str, run: Run) -> bool:
    """Whether two stars without partner are the mark of emphasis that was cut off, and no footnote, significance or power."""
    if run.opens and not run.closes:
        return _TORN_OPEN.match(text, run.end) is not None and text[run.start - 1 : run.start] in ("", " ", "\n", "(", "[", '"', "“")
    return run.closes and not run.opens and text[max(run.start - 4, 0) : run.start].isalpha() and run.start > 3


def _keep_to(draft: Draft, span: tuple[int, int], borders: list[int], border: int, marks: dict[int, int]) -> int:
    """Keep `span`, cut at the borders in it, and note the number of the piece that starts at each."""
    position, end = span
    while border < len(borders) and borders[border] <= end:
        draft.keep(position, max(borders[border], position))
        position = max(borders[border], position)
        marks[borders[border]] = len(draft.pieces)
        border += 1
    draft.keep(position, end)
    return border


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()
