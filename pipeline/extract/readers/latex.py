r"""LaTeX sources: `\begin{abstract}…\end{abstract}` and `\abstract{…}`, with the title or heading that stands nearest before it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.extract.content import Content, byte_length
from pipeline.extract.entry import Broken, Entry, Guess, Item, Reader
from pipeline.extract.fields import PRIORITY, fold_name

_BEGIN = re.compile(
    r"\\begin\s*\{(abstract\*?|Abstract|abstracts|onecolabstract|summary|confabstract|talkabstract|resume|abstracten)\}(?:\[[^\]]*\])?|\\abstract(?:text)?\s*\{"
)
_FIELD = re.compile(
    r"\\(title|papertitle|talktitle|author|authors|speaker|date|keywords|doi|journal|conference)\s*(?:\[[^\]]*\])?\s*\{"
)
_HEADING = re.compile(r"\\(?:chapter|section|subsection)\*?\s*(?:\[[^\]]*\])?\s*\{")
_NAMES = {
    "papertitle": "title",
    "talktitle": "title",
    "author": "authors",
    "speaker": "authors",
    "date": "year",
    "journal": "venue",
    "conference": "venue",
}
_COMMENT = re.compile(r"(?<!\\)%.*")


def _sniff(content: Content) -> Guess | None:
    sample = content.sample
    if not _BEGIN.search(sample):
        return Guess(35, "LaTeX without abstract") if "\\documentclass" in sample[:5000] else None
    marks = sum(
        mark in sample for mark in ("\\documentclass", "\\begin{document}", "\\title", "\\author", "\\end{abstract}")
    )
    return (
        Guess(88, "LaTeX with an abstract environment")
        if marks >= 1 and not sample.lstrip().startswith(("{", "[", "<", "@"))
        else None
    )


def _read(content: Content) -> Iterator[Item]:
    text = content.text()
    fields: dict[str, list[object]] = {}
    position = done = 0
    place = content.encoding.bom
    while match := _BEGIN.search(text, position):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        position = match.end()
        if _COMMENT.search(line):
            continue
        between = text[done : match.start()]
        fields = {**fields, **_fields(between), **_heading(between)}
        end = _end(text, match)
        if end is None:
            yield Broken(
                "broken_latex",
                f"the abstract that begins with {match[0]} has no end: add it",
                text[match.start() : match.start() + 65536],
                whole_file=False,
            )
            return
        inner = text[match.end() : end]
        lead = len(inner) - len(inner.lstrip())
        start_byte = place + byte_length(text[done : match.end() + lead], content.encoding)
        stripped = inner.strip()
        yield Entry(stripped, fields, start_byte, start_byte + byte_length(stripped, content.encoding))
        place += byte_length(text[done:end], content.encoding)
        position = done = end


def _end(text: str, match: re.Match[str]) -> int | None:
    if match[1]:
        found = text.find(f"\\end{{{match[1]}}}", match.end())
        return found if found >= 0 else None
    return _closing(text, match.end() - 1)


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.S).finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0 and match[0] == "}":
            return match.start()
    return None


def _heading(text: str) -> dict[str, list[object]]:
    """The heading right before an abstract as its title, in collections that give each abstract a section."""
    heading = next(reversed(list(_HEADING.finditer(text))), None)
    end = _closing(text, heading.end() - 1) if heading else None
    if heading is None or end is None or "\\title" in text[end:]:
        return {}
    title = re.sub(r"\\\\|\s+", " ", text[heading.end() : end]).strip()
    return {"title": [title]} if title and fold_name(title) not in PRIORITY["abstract"] else {}


def _fields(text: str) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for match in _FIELD.finditer(text):
        end = _closing(text, match.end() - 1)
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if end is None or _COMMENT.search(line):
            continue
        value = _COMMENT.sub("", text[match.end() : end])
        name = _NAMES.get(match[1], match[1])
        if name == "authors":
            value = re.sub(
                r"\\(?:thanks|footnote|inst|affil|email|orcidID)\s*\{[^{}]*\}|\\(?:quad|qquad|,|;)", "", value
            )
            found[name] = [
                [part for piece in re.split(r"\\and|\\And|\\AND|\\\\", value) for part in [piece.strip()] if part]
            ]
        else:
            found[name] = [re.sub(r"\\\\|\s+", " ", value).strip()]
    return found


READER = Reader("latex", _sniff, _read, ceiling=88)
