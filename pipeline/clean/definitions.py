"""Expand the macros that a text defines itself (`\\newcommand`, `\\def`, `\\let`), or that the user gives."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from pipeline.clean.braces import partners
from pipeline.clean.tracked import Draft

_DEFINES = re.compile(r"\\(?:(?:re|provide)?newcommand|renewcommand|providecommand|def|gdef|edef|let|newenvironment|DeclareMathOperator|DeclareRobustCommand)(?![A-Za-z])")
_TOKEN = re.compile(r"\\([A-Za-z]+)\*?|\\(?s:.)|[{}]")
_PARAMETER = re.compile(r"#([1-9])")
_LARGEST = 20_000
_DEEPEST = 10
_MOST = 500


class Macro(NamedTuple):
    """What a macro stands for: its text, how many arguments, the default of the first, or the pattern of them."""

    body: str
    arguments: int = 0
    default: str | None = None
    pattern: str | None = None


def expand_macros(text: str, macros: Mapping[str, str] | None = None) -> Draft:
    """Replace the macros that are defined by what they stand for, and drop their definitions.

    >>> expand_macros(r"\\newcommand{\\ours}{Foo}\\ours beats \\ours{}.").result()
    'Foo beats Foo.'
    """
    draft = Draft(text)
    if not macros and not _DEFINES.search(text):
        draft.keep(0, len(text))
        return draft
    known = {name: Macro(body, max(map(int, _PARAMETER.findall(body)), default=0)) for name, body in (macros or {}).items()}
    _Expander(text, draft, known).run()
    return draft


class _Expander:
    """One pass over the text with the definitions that hold at each place."""

    def __init__(self, text: str, draft: Draft, known: dict[str, Macro]) -> None:
        self.text = text
        self.draft = draft
        self.scopes: list[dict[str, Macro]] = [known]
        self.environments: dict[str, tuple[Macro, str]] = {}
        self.written = 0

    def run(self) -> None:
        position = 0
        while (m := _TOKEN.search(self.text, position)) is not None:
            self.draft.keep(position, m.start())
            position = self._handle(m)
        self.draft.keep(position, len(self.text))

    def _handle(self, m: re.Match[str]) -> int:
        if m[0] == "{":
            self.scopes.append(self.scopes[-1])
        elif m[0] == "}" and len(self.scopes) > 1:
            self.scopes.pop()
        elif _DEFINES.fullmatch(m[0].rstrip("*")) and (stop := self._define(m)):
            self.draft.losses["definition"] += 1
            return stop
        elif m[1] in ("begin", "end") and (stop := self._environment(m)):
            return stop
        elif m[1] in self.scopes[-1] and self.written < _LARGEST:
            return self._use(m)
        self.draft.keep(m.start(), m.end())
        return m.end()

    def _use(self, m: re.Match[str]) -> int:
        """Write what a macro stands for."""
        expanded, stop = self._expand(self.text, m.end(), self.scopes[-1][m[1]], 0)
        if stop == m.end():
            follows = self.text[stop : stop + 2]
            stop += 2 if follows == "{}" else 0
        self.written += len(expanded)
        self.draft.put(m.start(), stop, expanded)
        return stop

    def _expand(self, text: str, position: int, macro: Macro, depth: int) -> tuple[str, int]:
        """The text of a macro whose arguments stand at `position`, macros in it expanded, and where they end."""
        arguments, stop = _arguments(text, position, macro)
        self.written += 1
        body = _PARAMETER.sub(lambda p: arguments[int(p[1]) - 1] if int(p[1]) <= len(arguments) else "", macro.body)
        if depth >= _DEEPEST or self.written + len(body) > _LARGEST:
            return body, stop
        out, place = [], 0
        while (m := _TOKEN.search(body, place)) is not None:
            out.append(body[place : m.start()])
            inner = self.scopes[-1].get(m[1] or "")
            if inner is None:
                out.append(m[0])
                place = m.end()
            else:
                expanded, place = self._expand(body, m.end(), inner, depth + 1)
                self.written += len(expanded)
                out.append(expanded)
            if self.written > _LARGEST:
                break
        return "".join(out) + body[place:], stop

    def _define(self, m: re.Match[str]) -> int:
        """Take up a definition; where it ends, 0 if it is none."""
        command = m[0].lstrip("\\").rstrip("*")
        position = _skip(self.text, m.end())
        if command in ("newenvironment",):
            return self._define_environment(position)
        if command == "let":
            return self._let(position)
        name, position = _defined_name(self.text, position)
        if not name:
            return 0
        if command in ("def", "gdef", "edef"):
            start = self.text.find("{", position, position + 100)
            body = _group(self.text, start) if start >= 0 else None
            if body is None:
                return 0
            macro = Macro(body[0], pattern=self.text[position:start].strip() or None)
        else:
            count, position = _option(self.text, position)
            default, position = _option(self.text, position) if count else (None, position)
            body = _group(self.text, _skip(self.text, position))
            if body is None:
                return 0
            macro = Macro(body[0], int(count) if count and count.isdigit() else 0, default)
        self._remember(name, macro)
        return body[1]

    def _let(self, position: int) -> int:
        m = re.compile(r"\\([A-Za-z]+)\s*=?\s*\\([A-Za-z]+)").match(self.text, position)
        if not m:
            return 0
        known = self.scopes[-1].get(m[2], Macro("\\" + m[2] + " "))
        self._remember(m[1], known)
        return m.end()

    def _remember(self, name: str, macro: Macro) -> None:
        """Define a macro in this scope; each scope has its own table, so that a text may define some hundreds."""
        if len(self.scopes[-1]) < _MOST:
            self.scopes[-1] = {**self.scopes[-1], name: macro}

    def _define_environment(self, position: int) -> int:
        name = _group(self.text, position)
        if name is None:
            return 0
        count, place = _option(self.text, name[1])
        start = _group(self.text, _skip(self.text, place))
        end = _group(self.text, _skip(self.text, start[1])) if start else None
        if start is None or end is None:
            return 0
        self.environments[name[0]] = Macro(start[0], int(count) if count and count.isdigit() else 0), end[0]
        return end[1]

    def _environment(self, m: re.Match[str]) -> int:
        """The start or end of an environment that the text defines."""
        name = _group(self.text, m.end())
        if name is None or name[0] not in self.environments:
            return 0
        macro, closing = self.environments[name[0]]
        if m[1] == "end":
            self.draft.put(m.start(), name[1], closing)
            return name[1]
        expanded, stop = self._expand(self.text, name[1], macro, 0)
        self.draft.put(m.start(), stop, expanded)
        return stop


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\n":
        position += 1
    return position


def _group(text: str, position: int) -> tuple[str, int] | None:
    """The inside of the group at `position`, and where it ends; at most 5,000 characters."""
    if text[position : position + 1] != "{":
        return None
    close = _braces(text).get(position, -1)
    return (text[position + 1 : close], close + 1) if 0 <= close < position + 5000 else None


@lru_cache(maxsize=4)
def _braces(text: str) -> dict[int, int]:
    """For each brace of a text that opens a group, the place of the one that closes it; found once for all groups."""
    return partners(text)


def _option(text: str, position: int) -> tuple[str | None, int]:
    start = _skip(text, position)
    close = text.find("]", start, start + 200)
    return (text[start + 1 : close], close + 1) if text[start : start + 1] == "[" and close > 0 else (None, position)


def _defined_name(text: str, position: int) -> tuple[str, int]:
    m = re.compile(r"\{\s*\\([A-Za-z]+)\s*\}|\\([A-Za-z]+)").match(text, position)
    return (m[1] or m[2], m.end()) if m else ("", position)


def _arguments(text: str, position: int, macro: Macro) -> tuple[list[str], int]:
    """The arguments of a macro, and where they end."""
    if macro.pattern:
        return _delimited(text, position, macro.pattern)
    found: list[str] = []
    stop = position
    if macro.default is not None:
        option, stop = _option(text, position)
        found.append(option if option is not None else macro.default)
    while len(found) < macro.arguments:
        place = _skip(text, stop)
        group = _group(text, place)
        if group is None:
            if place >= len(text):
                break
            group = text[place], place + 1
        found.append(group[0])
        stop = group[1]
    return found, stop


def _delimited(text: str, position: int, pattern: str) -> tuple[list[str], int]:
    """Arguments between the delimiters of a `\\def` such as `#1!#2!#3`."""
    lead, *delimiters = re.split(r"#[1-9]", pattern)
    stop, found = _skip(text, position), []
    if lead.strip() and text.startswith(lead.strip(), stop):
        stop += len(lead.strip())
    for delimiter in delimiters:
        if delimiter:
            end = text.find(delimiter, stop, stop + 2000)
            if end < 0:
                break
            found.append(text[stop:end].strip())
            stop = end + len(delimiter)
        else:
            group = _group(text, stop) or (text[stop : stop + 1], stop + 1)
            found.append(group[0])
            stop = group[1]
    return found, stop
