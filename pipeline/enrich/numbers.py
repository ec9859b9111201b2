"""Numerals as they are printed in prose, and the numbers they stand for."""

from __future__ import annotations

import re
from typing import Final

# 18,747 or 0.519 or 5·9 (the Lancet's decimal point) or 61,78% (decimal comma, only before a percent sign) or 8.9e-11.
# It begins with a digit class so that the search skips other characters at memory speed.
NUMERAL: Final = (
    r"[0-9](?:(?<![0-9][0-9])[0-9]{0,2}(?:,[0-9]{3}(?![0-9]))+(?:\.[0-9]+)?"
    r"|[0-9]*,[0-9]{1,2}(?=\s?%)"
    r"|[0-9]*(?:[.·][0-9]+)?(?:[eE][-−+]?[0-9]{1,3}(?![0-9A-Za-z]))?)"
)

_UNITS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS: Final = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
NUMBER_WORDS: Final[dict[str, int]] = {**_UNITS, **_TENS, "hundred": 100, "dozen": 12}
FRACTION_WORDS: Final[dict[str, float]] = {
    "half": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fourth": 0.25, "fourths": 0.25,
    "fifth": 0.2, "fifths": 0.2,
}  # fmt: skip

def parse_number(numeral: str) -> float:
    """The number that a numeral stands for; raises ValueError where it is none.

    >>> parse_number("18,747"), parse_number("5·9"), parse_number("61,78"), parse_number("−0.5")
    (18747.0, 5.9, 61.78, -0.5)
    """
    plain = numeral.replace("·", ".").replace("−", "-").replace("+", "").replace(" ", "")
    head, comma, tail = plain.rpartition(",")
    if comma and len(tail) <= 2:
        plain = f"{head}.{tail}"
    return float(plain.replace(",", ""))


def parse_words(words: str) -> float | None:
    """The number of a spelled-out numeral up to ninety-nine, or null.

    >>> parse_words("forty-six"), parse_words("ten"), parse_words("a"), parse_words("some")
    (46.0, 10.0, 1.0, None)
    """
    total = 0
    for word in re.split(r"[\s-]+", words.casefold()):
        if word in ("a", "an"):
            total += 1
        elif word in NUMBER_WORDS:
            total += NUMBER_WORDS[word]
        else:
            return None
    return float(total)
