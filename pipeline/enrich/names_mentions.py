"""Every mention of a name in a text: whole words, short and long form, singular, plural and possessive."""

from __future__ import annotations

from pipeline.model import Span

_INNER = frozenset("-‐‑–_")


def find_mentions(text: str, name: str, long_form: str | None = None) -> tuple[Span, ...]:
    """Spans of the mentions of a name in order; none overlaps another.

    >>> find_mentions("FooNets beat FooNet++ and FooNet's kin.", "FooNet")
    ((0, 7), (26, 32))
    """
    spans = _find(text, name)
    if long_form:
        spans += _find(text, long_form)
        spans.sort(key=lambda span: (span[0], -span[1]))
    out: list[Span] = []
    for span in spans:
        if not out or span[0] >= out[-1][1]:
            out.append(span)
    return tuple(out)


def _find(text: str, form: str) -> list[Span]:
    """Whole-word occurrences of a form; words in lower case and phrases are found in any case."""
    hay, needle = text, form
    if " " in form or form.islower():
        lowered = text.lower()
        if len(lowered) == len(text):
            hay, needle = lowered, form.lower()
    spans, at = [], hay.find(needle)
    while at >= 0:
        end = at + len(needle)
        stop = _end(text, end)
        if stop is not None and not _goes_on_before(text, at):
            spans.append((at, stop))
        at = hay.find(needle, end)
    return spans


def _goes_on_before(text: str, start: int) -> bool:
    return start > 0 and (text[start - 1].isalnum() or (text[start - 1] in _INNER and start > 1 and text[start - 2].isalnum()))


def _end(text: str, end: int) -> int | None:
    """Where the mention ends, a plural s included; None if the word goes on as another name."""
    if text[end : end + 1] == "s" and not text[end + 1 : end + 2].isalnum():
        end += 1
    after = text[end : end + 2]
    if not after or not (after[0].isalnum() or after[0] in _INNER or after[0] in "+^"):
        return end
    if after[0] in _INNER and len(after) > 1 and (after[1].islower() or not after[1].isalnum()):
        return end
    return None
