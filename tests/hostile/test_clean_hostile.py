"""Mark-up nested without end is read a bounded number of times: counted in calls, not in seconds."""

from __future__ import annotations

import itertools

import pytest

from pipeline.clean import clean_text
from pipeline.clean.definitions import _Expander
from pipeline.clean.latex import TexReader
from pipeline.clean.tracked import Draft

_OPENERS = (
    r"\'{", r"\'", r"\'\emph{", r"\^{\hat{", r"\emph{", r"\frac{", r"\frac{a}{", "x^{", "$x_{", r"\sqrt[", r"\href{u}{", r"\footnote{", r"\not{",
    r"\begin{equation}", r"\stackrel{", r"\mbox{$", r"\foo{", "{",
)  # fmt: skip


class _TooOften(BaseException):
    """Not an `Exception`, so that nothing on the way up takes it for a fault of the text."""


@pytest.mark.parametrize("close", [False, True])
@pytest.mark.parametrize("opener", _OPENERS)
def test_nested_macros_are_read_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch, opener: str, close: bool) -> None:
    depth, calls = 200, 0
    read = TexReader.read

    def counted(self: TexReader, start: int, end: int, math: bool) -> None:
        nonlocal calls
        calls += 1
        if calls > 40 * depth:
            raise _TooOften(opener)
        read(self, start, end, math)

    monkeypatch.setattr(TexReader, "read", counted)
    clean_text(opener * depth + "e" + "}" * (depth * opener.count("{") if close else 0))


def test_definitions_that_multiply_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    names = "abcdefghijk"
    text = "".join("\\def\\" + a + "{" + ("\\" + b) * 12 + "}" for a, b in itertools.pairwise(names)) + r"\def\k{}\a end"
    calls = 0
    expand = _Expander._expand

    def counted(self: _Expander, *arguments: object) -> tuple[str, int]:
        nonlocal calls
        calls += 1
        if calls > 100_000:
            raise _TooOften
        return expand(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(_Expander, "_expand", counted)
    assert clean_text(text).text.endswith("nd")


@pytest.mark.parametrize(("opener", "close"), [("_{", ""), ("_{", "}"), ('<a href="http://a.org">', "</a>"), (r"\sqrt{", "}")])
def test_nested_marks_are_looked_at_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch, opener: str, close: str) -> None:
    """What was written for the inside is read again to decide on the marks around it: only where it is short, or to a fixed depth."""
    depth, characters = 2000, 0
    since = Draft.since

    def counted(self: Draft, first: int) -> str:
        nonlocal characters
        written = since(self, first)
        characters += len(written)
        return written

    monkeypatch.setattr(Draft, "since", counted)
    clean_text(opener * depth + "x" + close * depth)
    assert characters < 500 * depth * len(opener)


def test_groups_without_end_are_matched_once() -> None:
    assert clean_text(r"\newcommand{\a}{" * 3000 + "x" + "}" * 3000).text.strip("{}") != ""
