"""Macros around text: fonts, links, footnotes, quotes; and those whose arguments are dropped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.clean import letters, macros
from pipeline.clean.literals import hide, show
from pipeline.clean.macros import At

if TYPE_CHECKING:
    from pipeline.clean.latex import TexReader




def font(r: TexReader, at: At) -> int:
    """A macro whose argument is the text."""
    found = r.argument(at.after, at.end)
    option = r.option(at.after, at.end)
    if option and r.text[option[2] : option[2] + 1] == "{":
        r.draft.losses["option"] += 1
        found = r.argument(option[2], at.end)
    if found is None:
        return at.after
    start, stop, after = found
    section = at.name in macros.SECTIONS
    if section:
        r.draft.put(at.start, start, "\n\n")
    math = True if at.name == "ensuremath" or at.name.startswith("math") else at.math and not at.name.startswith(("text", "mbox", "emph"))
    r.read(start, stop, math)
    if section:
        r.draft.put(stop, after, "\n\n")
    return after


def scripted(r: TexReader, at: At) -> int:
    """`\\textsuperscript{x}` and `\\textsubscript{x}`."""
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    start, stop, after = found
    sign = "^" if "super" in at.name else "_"
    return r.script(sign, (at.start, start, stop, after))


def declaration(r: TexReader, at: At) -> int:
    """A switch (`\\bf`, `\\left`, `\\small`) is dropped with the space after it."""
    stop = letters.brackets(r, at)
    if at.name in ("left", "right", "middle") and r.text[stop : stop + 1] == ".":
        return stop + 1
    while stop < at.end and r.text[stop] in " \t\n":
        stop += 1
    if at.name == "xspace":
        follows = r.text[at.after : at.after + 1]
        if follows.isalnum():
            r.draft.put(at.start, at.after, " ")
        return at.after
    return stop


def drop(r: TexReader, at: At) -> int:
    """A macro whose arguments are no text."""
    count, reason = macros.DROPPED[at.name]
    stop = at.after
    for _ in range(count):
        option = r.option(stop, at.end)
        found = r.argument(option[2] if option else stop, at.end)
        if found is None:
            break
        stop = found[2]
    r.draft.losses[reason] += 1
    return swallow(r, stop) if reason in ("label", "citation") else stop


def citation(r: TexReader, at: At) -> int:
    """A citation is dropped with the space before it."""
    stop, found = at.after, None
    for _ in range(2):
        option = r.option(stop, at.end)
        stop = option[2] if option else stop
    found = r.argument(stop, at.end) if r.text[stop : stop + 1] == "{" else None
    r.draft.losses["citation"] += 1
    return swallow(r, found[2] if found else stop)


def swallow(r: TexReader, stop: int) -> int:
    """Drop the space before what was dropped, so that none stands before the punctuation that follows."""
    r.strip_space()
    if r.text[stop : stop + 1].isalnum():
        r.draft.put(stop, stop, " ")
    return stop


def reference(r: TexReader, at: At) -> int:
    """A reference (`Fig.~\\ref{f}`) is dropped: its number is not in the source."""
    found = r.argument(at.after, at.end) if r.text[at.after : at.after + 2].lstrip()[:1] == "{" else None
    r.draft.losses["reference"] += 1
    return swallow(r, found[2] if found else at.after)


def footnote(r: TexReader, at: At) -> int:
    """The text of a footnote stands in parentheses."""
    option = r.option(at.after, at.end)
    found = r.argument(option[2] if option else at.after, at.end)
    if found is None or not r.text[found[0] : found[1]].strip():
        return found[2] if found else at.after
    start, stop, after = found
    r.strip_space()
    r.draft.put(at.start, start, " (")
    r.read(start, stop, at.math)
    if after > stop:
        r.draft.put(stop, after, ")" + (" " if r.text[after : after + 1].isalnum() else ""))
    return after


def link(r: TexReader, at: At) -> int:
    """`\\href{U}{t}` is `t (U)`, or `U` where the text is the address."""
    first = r.argument(at.after, at.end)
    second = r.argument(first[2], at.end) if first else None
    if first is None:
        return at.after
    if second is None:
        r.read(first[0], first[1], False)
        return first[2]
    url = r.text[first[0] : first[1]].strip().replace("\\", "")
    mark = len(r.draft.pieces)
    r.read(second[0], second[1], at.math)
    text = show(r.draft.since(mark)).strip()
    if bare(text) == bare(url) or not url or (not text and not url):
        return second[2]
    r.draft.put(first[0], first[0], " (" if text else "")
    r.read(first[0], first[1], False)
    r.draft.put(first[1], first[1], ")" if text else "")
    return second[2]


def bare(url: str) -> str:
    return re.sub(r"^(?:https?://)?(?:www\.)?|/$", "", url.strip().casefold())


def skip_first(r: TexReader, at: At) -> int:
    """A macro whose first arguments are layout and whose last is text."""
    stop = at.after
    for _ in range(macros.SKIP_FIRST[at.name]):
        option = r.option(stop, at.end)
        found = r.argument(option[2] if option else stop, at.end)
        if found is None:
            return stop
        stop = found[2]
    return font(r, at._replace(name="text", after=stop)) if r.text[stop : stop + 1] in ("{", "[") else stop


def enquote(r: TexReader, at: At) -> int:
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    r.draft.put(at.start, found[0], "“")
    r.read(found[0], found[1], at.math)
    r.draft.put(found[1], found[2], "”")
    return found[2]


def verbatim(r: TexReader, at: At) -> int:
    """`\\verb|x|` is `x`, and so is `\\lstinline[language=C]{x}`."""
    option = r.option(at.after, at.end)
    place = option[2] if option else at.after
    if r.text[place : place + 1] == "{" and (found := r.argument(place, at.end)):
        r.draft.put(found[0], found[1], hide(r.text[found[0] : found[1]]))
        return found[2]
    mark = r.text[at.after : at.after + 1]
    close = r.text.find(mark, at.after + 1, at.end) if mark.strip() else -1
    if close < 0:
        return at.after
    r.draft.put(at.after + 1, close, hide(r.text[at.after + 1 : close]))
    return close + 1


def address(r: TexReader, at: At) -> int:
    """`\\url{U}` is `U`; what looks like mark-up in it is part of it."""
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    r.read(found[0], found[1], False)
    return found[2]
