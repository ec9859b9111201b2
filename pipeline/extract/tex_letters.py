r"""Letters that titles, names and venues hold as TeX: `M{\"u}ller`, `\'{E}tude`, `Stra{\ss}e`, `A \& B`.

Only what can be nothing else is resolved; formulas and other commands stay as they are. Abstracts are not touched here:
the clean stage resolves them and keeps their offsets.
"""

from __future__ import annotations

import re
import unicodedata

_MARKS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307", "u": "\u0306", "v": "\u030c",
    "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323", "b": "\u0331",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ",
    "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
}  # fmt: skip
_BASE = r"(?:\{\s*(?P<inner>\\[ij]|[^\W\d_])\s*\}|(?P<bare>\\[ij](?![A-Za-z])|[^\W\d_]))"
_ACCENT = r"\\(?:(?P<mark>[\"'`^~=.])\s*|(?P<word>[uvHckrdb])(?:\s+|(?=\{)))" + _BASE
_LETTER = r"\\(?P<letter>" + "|".join(sorted(_LETTERS, key=len, reverse=True)) + r")(?![A-Za-z])(?:\{\}|\s+(?=[^\W\d_]))?"
_SIGN = r"\\(?P<sign>[&%$#_])"
_TEX = [re.compile(p) for p in (rf"\{{\s*{_ACCENT}\s*\}}", _ACCENT, rf"\{{\s*{_LETTER}\s*\}}", _LETTER, rf"\{{\s*{_SIGN}\s*\}}", _SIGN)]


def plain_letters(text: str) -> str:
    r"""The text with its accents, letters and signs as Unicode.

    >>> plain_letters(r'''Caf{\'e}s of M{\"u}nchen'''), plain_letters(r"Nu{\~n}ez, Jos\'{e} \& {\O}rsted"), plain_letters(r"$\alpha$ Stra{\ss}e")
    ('Cafés of München', 'Nuñez, José & Ørsted', '$\\alpha$ Straße')
    """
    if "\\" not in text:
        return text
    for pattern in _TEX:
        text = pattern.sub(_resolved, text)
    return unicodedata.normalize("NFC", text)


def _resolved(found: re.Match[str]) -> str:
    parts = found.groupdict()
    if parts.get("sign"):
        return str(parts["sign"])
    if parts.get("letter"):
        return _LETTERS[str(parts["letter"])]
    base = str(parts.get("inner") or parts.get("bare")).removeprefix("\\")
    return unicodedata.normalize("NFC", base + _MARKS[str(parts.get("mark") or parts.get("word"))])
