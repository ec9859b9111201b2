"""The normalised key of a text, by which equal abstracts are found, and the id made from it.

Two texts have the same key when they are equal after ignoring case, spaces, punctuation, dash and quote
style and compatibility forms. What carries meaning stays: letters of every script with their accents, digits,
decimal points, signs, `%`, currency and mathematical symbols, and the gap between two numbers.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import unicodedata
from functools import lru_cache

ID_LENGTH = 20
"""Hex digits of an abstract id (CONTRACT.md, table `abstracts`)."""

_DECIMAL, _GROUP, _MINUS, _POWER, _SLASH = b"\x01", b"\x02", b"\x03", b"\x04", b"\x05"
_NUMBER_GAP = re.compile(rb"[0-9]([^a-z0-9\x80-\xff]+)(?=([0-9]+))")
_SIGN = re.compile(rb"-(?=\.?[0-9])")
_POINT = re.compile(rb"\.(?=[0-9])")
_SINGLE_GAPS = {b".": _DECIMAL, b"^": _POWER, b"^-": _POWER + _MINUS, b"/": _SLASH}
_SYMBOLS = b"+<=>%$"
_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789"
DROPPED = bytes(c for c in range(6, 128) if c not in _LETTERS + _SYMBOLS) + b"\x00"
MARKS = bytes.maketrans(_DECIMAL + _GROUP + _MINUS + _POWER + _SLASH, b".|-^/")

_FOLDING = "curated-abstracts.fold"
_SUPERSCRIPT = re.compile("[⁰¹²³⁴-⁹⁻⁺]+")
_TO_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_NO_MEANING = frozenset("©®™°¨¯´¸˙˚˜˝⟨⟩")
_AS_ASCII = {"−": "-", "·": ".", "⋅": ".", "∼": "~", "∗": "*", "∕": "/", "∶": ":", "⁄": "/", "\u2062": "", "٫": "."}


def _fold_character(character: str) -> str:
    """One character beyond ASCII: itself where it carries meaning, else its plain form, a space or nothing."""
    if character in _AS_ASCII:
        return _AS_ASCII[character]
    kind = unicodedata.category(character)
    if kind == "Nd":
        return str(unicodedata.decimal(character))
    if kind[0] in "LMN" or kind in ("Cs", "Co"):
        return character
    if kind == "Pd":
        return "-"
    if kind[0] == "S":
        return "" if character in _NO_MEANING else character
    return "" if kind in ("Cf", "Cn") else " "


@lru_cache(maxsize=1 << 15)
def _fold_run(run: str) -> str:
    """A run of characters beyond ASCII: signs and symbols first, since NFKC would make `10²` into `102`."""
    run = _SUPERSCRIPT.sub(lambda hit: "^" + hit.group().translate(_TO_PLAIN), run)
    run = "".join(_AS_ASCII.get(c, "" if c in _NO_MEANING else c) for c in run)
    run = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", run).casefold())
    return "".join(c if c.isascii() else _fold_character(c) for c in run)


def _fold_beyond_ascii(error: UnicodeError) -> tuple[bytes, int]:
    """Fold the run of characters that ASCII lacks: as a handler of the encoder, which finds them ten times as fast as a regex."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _fold_run(error.object[error.start : error.end]).encode("utf-8", "surrogatepass"), error.end


codecs.register_error(_FOLDING, _fold_beyond_ascii)


def fold(text: str) -> bytes:
    """`text` in lower case as UTF-8, its punctuation and spaces in plain ASCII: what keys and tokens are made from.

    >>> fold("Naïve – BERT²").decode()
    'naïve - bert^2'
    """
    folded = text.lower().encode("ascii", _FOLDING)
    if not folded.isascii():
        folded = unicodedata.normalize("NFC", folded.decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass")
    return folded


def _mark_gap(hit: re.Match[bytes]) -> bytes:
    """What stands between two runs of digits: a decimal point, a power, a fraction, a thousands mark or a gap."""
    digit, gap, digits = hit.group()[:1], hit.group(1), hit.group(2)
    if gap in _SINGLE_GAPS:
        return digit + _SINGLE_GAPS[gap]
    if gap in (b",", b" ", b"{,}", b"'") and len(digits) == 3:
        return digit
    return digit + _GROUP


def _mark_sign(hit: re.Match[bytes]) -> bytes:
    start = hit.start()
    before = hit.string[start - 1 : start]
    return _MINUS if before in (b"", b" ", b"(", b"[", b"=", b"<", b">", b"~", b"\n") else b"-"


def _mark_point(hit: re.Match[bytes]) -> bytes:
    """`.05` is 0.05, as biomedical journals write it."""
    start = hit.start()
    before = hit.string[start - 1 : start]
    return b"." if before.isdigit() else b"0." if before in (b"", b" ", b"(", b"=", b"<", b">", b"~", b"-", _MINUS) else b" "


def key_of_folded(folded: bytes) -> bytes:
    """The normalised key of a folded text, as UTF-8; empty where nothing in it carries meaning."""
    if b"-" in folded:
        folded = _SIGN.sub(_mark_sign, folded)
    if b"." in folded:
        folded = _POINT.sub(_mark_point, folded)
    folded = _NUMBER_GAP.sub(_mark_gap, folded)
    return folded.translate(MARKS, DROPPED)


def normalised_key(text: str) -> str:
    """The key of `text`; never empty: a text of punctuation only is its own key, without its spaces.

    >>> normalised_key("We reach 63.5%, on “GLUE” — at last!")
    'wereach63.5%onglueatlast'
    >>> normalised_key("from -5 to 1,000") == normalised_key("From −5 to 1000.")
    True
    >>> normalised_key("15") == normalised_key("1.5")
    False
    """
    return key_bytes(text, fold(text)).decode("utf-8", "surrogatepass")


def key_bytes(text: str, folded: bytes) -> bytes:
    """The normalised key as UTF-8 of `text`, whose folded form is `folded`."""
    return key_of_folded(folded) or bare_key(text)


def bare_key(text: str) -> bytes:
    """The key of a text in which nothing carries meaning."""
    return b"\x00" + "".join(text.split()).encode("utf-8", "surrogatepass")


def hash_key(key: bytes) -> bytes:
    """SHA-256 of a key: its first 10 bytes are the abstract id."""
    return hashlib.sha256(key).digest()


def abstract_id(key: str, tie: str | None = None) -> str:
    """20 hex digits of the SHA-256 of a normalised key, and of `tie` where two kept records share the key.

    >>> abstract_id("a")
    'ca978112ca1bbdcafac2'
    """
    data = key if tie is None else f"{key}\n{tie}"
    return hash_key(data.encode("utf-8", "surrogatepass")).hex()[:ID_LENGTH]
