"""Word lists as readable text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text as a set.

    >>> sorted(words("b a"))
    ['a', 'b']
    """
    return frozenset(text.split())
