"""TeX environments: lists, matrices, displayed formulas; and operators by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.clean import macros
from pipeline.clean.literals import hide
from pipeline.clean.macros import At

if TYPE_CHECKING:
    from pipeline.clean.latex import TexReader

_LISTS = frozenset(["itemize", "enumerate", "description", "compactitem", "compactenum", "inparaenum", "enumerate*", "itemize*"])
_VERBATIM = frozenset(["verbatim", "lstlisting", "Verbatim"])


@dataclass
class Listing:
    """A list that is open: whether its items are numbered, and how many there were."""

    numbered: bool
    count: int = 0


def begin(r: TexReader, at: At) -> int:
    """Enter an environment: a list counts its items, a formula is read as one, a preamble is dropped."""
    name, stop = _name(r, at)
    base = name.rstrip("*")
    option = r.option(stop, at.end)
    if option and (name in _LISTS or r.text[option[2] : option[2] + 1] == "{" or re.fullmatch(r"[!htbpHc]+", r.text[option[0] : option[1]])):
        stop = option[2]
    for _ in range(macros.ENVIRONMENT_ARGUMENTS.get(base, 0)):
        found = r.argument(stop, at.end) if r.text[stop : stop + 1] == "{" else None
        stop = found[2] if found else stop
    if name in _LISTS:
        r.lists.append(Listing("enum" in name))
        return stop
    if base == "document":
        r.truncate(0)
        r.draft.losses["definition"] += 1
        return stop
    close = r.find_end(name, stop, at.end) if base in macros.MATH_ENVIRONMENTS or base in _VERBATIM else -1
    if close < 0:
        return stop
    if base in _VERBATIM:
        r.draft.put(stop, close, hide(r.text[stop:close]))
    else:
        _formula(r, base, (at.start, stop, close))
    return close + len(name) + 6


def _formula(r: TexReader, base: str, where: tuple[int, int, int]) -> None:
    """A displayed formula or a matrix, in brackets with `;` between its rows."""
    start, stop, close = where
    opening, closing = macros.MATRICES.get(base, (" ", " "))
    r.draft.put(start, stop, hide(opening))
    r.rows.append("; " if base in macros.MATRICES else " ")
    r.read_cells(stop, close)
    r.rows.pop()
    r.draft.put(close, close + 1, hide(closing))


def end(r: TexReader, at: At) -> int:
    """Leave an environment."""
    name, stop = _name(r, at)
    if name in _LISTS and r.lists:
        r.lists.pop()
        r.draft.put(at.start, stop, "\n\n")
    elif name == "document":
        return at.end
    return stop


def item(r: TexReader, at: At) -> int:
    """An item of a list starts a paragraph, with its bullet, number or label."""
    option = r.option(at.after, at.end)
    stop = at.after
    while r.text[stop : stop + 1] in (" ", "\n", "\t") and stop < at.end:
        stop += 1
    if option:
        r.draft.put(at.start, option[0], "\n\n")
        r.read(option[0], option[1], at.math)
        r.draft.put(option[1], option[2], "" if r.text[option[2] : option[2] + 1].isspace() else " ")
        return option[2]
    mark = "• "
    if r.lists and r.lists[-1].numbered:
        r.lists[-1].count += 1
        count, depth = r.lists[-1].count, sum(listing.numbered for listing in r.lists)
        mark = f"({chr(96 + count)}) " if depth == 2 and count <= 26 else f"{count}. "
    r.draft.put(at.start, stop, "\n\n" + hide(mark))
    return stop


def operator(r: TexReader, at: At) -> int:
    """`\\operatorname{foo}` stands by itself, like the name of a function."""
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    start, stop, after = found
    r.draft.put(at.start, start, " " if r.before().isalnum() else "")
    r.read(start, stop, True)
    if r.text[after : after + 1].isalnum():
        r.draft.put(stop, after, " ")
    return after


def _name(r: TexReader, at: At) -> tuple[str, int]:
    found = r.argument(at.after, at.end)
    return (r.text[found[0] : found[1]].strip(), found[2]) if found and r.text[at.after : at.after + 1] == "{" else ("", at.after)
