"""Sets of words, written as running text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of `text` as a set.

    >>> sorted(words("sin cos tan"))
    ['cos', 'sin', 'tan']
    """
    return frozenset(text.split())
