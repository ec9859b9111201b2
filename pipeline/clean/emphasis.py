"""Which runs of `*` and `_` are emphasis: the delimiter algorithm of CommonMark 0.31, section 6.2, in linear time."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from pipeline.clean.literals import show


@dataclass(slots=True)
class Run:
    """A run of one delimiter: where the unused part starts and ends, and whether it may open or close emphasis."""

    start: int
    end: int
    sign: str
    opens: bool
    closes: bool
    inside_word: bool
    length: int

    @property
    def left(self) -> int:
        return self.end - self.start


def read_run(text: str, start: int, end: int) -> Run:
    """The run of delimiters at `start:end` of `text`.

    A single `*` between two operands of one character (`a*b`), or alone in parentheses, is no delimiter.
    """
    before = show(text[start - 1 : start]) if start else " "
    after = show(text[end : end + 1]) or " "
    space_before, space_after = before.isspace(), after.isspace()
    mark_before, mark_after = _is_mark(before), _is_mark(after)
    left = not space_after and (not mark_after or space_before or mark_before)
    right = not space_before and (not mark_before or space_after or mark_after)
    sign = text[start]
    if sign == "_":  # before a brace it is the sign of a script
        left, right = left and after != "{", right and after != "{"
        opens, closes = left and (not right or mark_before), right and (not left or mark_after)
    else:
        opens, closes = left, right
        if end - start == 1 and _is_operator(text, start, before, after):
            opens = closes = False
        if end - start == 2 and _is_power(text, start, before, after):
            opens = closes = False
    inside = not (space_before or mark_before or space_after or mark_after)
    return Run(start, end, sign, opens, closes, inside, end - start)


def _is_mark(character: str) -> bool:
    """Punctuation or symbol."""
    return not character.isalnum() and unicodedata.category(character)[0] in "PS"


def _is_operator(text: str, position: int, before: str, after: str) -> bool:
    """Whether a star is a sign of multiplication or stands for itself."""
    if before == "(" and after == ")":
        return True
    if not (before.isalnum() and after.isalnum()):
        return False
    outer_before, outer_after = text[max(position - 2, 0) : position - 1], text[position + 2 : position + 3]
    return not (outer_before.isalnum() or outer_after.isalnum()) or (before.isdigit() and after.isdigit())


def _is_power(text: str, position: int, before: str, after: str) -> bool:
    """Whether two stars between one letter or number and an exponent mean a power: `S**(n-1)`, `10**6`."""
    single = before.isdigit() or (before.isalpha() and not text[max(position - 2, 0) : position - 1].isalnum())
    return single and (after in "({" or after.isdigit() or (after in "+-−" and text[position + 3 : position + 4].isalnum()))


def pair_runs(text: str, runs: list[Run]) -> list[tuple[int, int, int, int]]:
    """The emphasis that the runs make: (start and end of the opening mark, start and end of the closing mark)."""
    pairs: list[tuple[int, int, int, int]] = []
    stack: list[Run] = []
    bottoms: dict[tuple[str, bool, int], int] = {}
    for run in runs:
        while run.closes and run.left:
            key = (run.sign, run.opens, run.length % 3)
            index = _opener(text, stack, run, bottoms.get(key, 0))
            if index < 0:
                bottoms[key] = len(stack)
                break
            opener = stack[index]
            del stack[index + 1 :]
            size = 2 if opener.left > 1 and run.left > 1 else 1
            pairs.append((opener.end - size, opener.end, run.start, run.start + size))
            opener.end -= size
            run.start += size
            if not opener.left:
                stack.pop()
            for other, bottom in bottoms.items():
                bottoms[other] = min(bottom, len(stack))
        if run.opens and run.left:
            stack.append(run)
    return pairs


def _opener(text: str, stack: list[Run], closer: Run, bottom: int) -> int:
    """The place on the stack of the run that `closer` closes; -1 if there is none."""
    for index in range(len(stack) - 1, bottom - 1, -1):
        opener = stack[index]
        if opener.sign != closer.sign:
            continue
        both = opener.closes or closer.opens
        if both and (opener.length + closer.length) % 3 == 0 and (opener.length % 3 or closer.length % 3):
            continue
        if opener.inside_word and closer.inside_word and _has_space(text, opener.end, closer.start):
            continue
        return index
    return -1


def _has_space(text: str, start: int, end: int) -> bool:
    return end - start > 200 or any(c.isspace() for c in text[start:end])
