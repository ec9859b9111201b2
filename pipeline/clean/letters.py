"""Macros that read as letters, signs or words: symbols, accents, names of functions, abbreviations."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from pipeline.clean import macros
from pipeline.clean.characters import plain
from pipeline.clean.literals import hide, show
from pipeline.clean.macros import At
from pipeline.clean.words import words

if TYPE_CHECKING:
    from pipeline.clean.latex import TexReader

_NAME = re.compile("[A-Za-z]+")
_TEXT_LETTERS = words("ss ae AE oe OE o O l L aa AA dh DH dj DJ th TH ng NG i j SS eth")


def symbol(r: TexReader, at: At) -> int:
    """One character (or a few), with the space that TeX needs after the name dropped where it is none of the text."""
    character = macros.symbols()[at.name]
    stop = brackets(r, at)
    before = r.before()
    r.draft.put(at.start, stop, hide(character))
    if stop == at.after and r.text[stop : stop + 1] == " ":
        if not at.math and character.isalpha() and character.isascii() is False and at.name in _TEXT_LETTERS:
            while r.text[stop : stop + 1] in (" ", "\n") and stop < at.end:
                stop += 1
        elif (at.math or _is_relation(r, stop, character)) and not character[:1].isalpha() and before.strip() and character not in "…⋯∂∇∞":
            stop += 1
    return stop


def _is_relation(r: TexReader, stop: int, character: str) -> bool:
    """Whether a sign outside a formula can only be the part of one that was cut off: it is one of mathematics, and no word follows."""
    return len(character) == 1 and unicodedata.category(character) == "Sm" and not r.text[stop + 1 : stop + 4].isalpha()


def brackets(r: TexReader, at: At) -> int:
    """Where an empty pair of braces after the name ends."""
    return at.after + 2 if r.text.startswith("{}", at.after) else at.after


def function(r: TexReader, at: At) -> int:
    """The name of a function stands by itself: `n\\log n` is `n log n`."""
    name = at.name
    stop = brackets(r, at)
    if name == "deg" and r.before().isdigit():
        r.draft.put(at.start, stop, "°")
        return stop
    gap = " " if r.before().isalnum() and r.before() not in "√" else ""
    follows = r.text[stop : stop + 2].removeprefix("{")[:1]
    r.draft.put(at.start, stop, gap + name + (" " if follows.isalnum() or (follows == "\\" and joins(r, stop, at.end)) else ""))
    return stop


#: The longest macro that can stand for the letter under an accent without braces (`\\'\\imath`).
_LONGEST_BASE = 20


def joins(r: TexReader, position: int, end: int) -> bool:
    """Whether the macro at `position` reads as a letter or a word."""
    m = _NAME.match(r.text, position + 1, end)
    if not m:
        return False
    character = macros.symbols().get(m[0])
    return character.isalpha() if character else m[0] in macros.FUNCTIONS or m[0] in macros.FONTS or m[0] == "frac"


def accent(r: TexReader, at: At) -> int:
    """A letter with an accent; 0 where the sign is no accent but an escape (`\\"quoted\\"`, `1\\.`)."""
    mark = macros.ACCENTS[at.name]
    if at.name == "r" and r.text.startswith("\\n", at.after):
        r.draft.put(at.start, at.after, "")
        return at.after
    found = r.argument(at.after, at.end)
    is_sign = not at.name.isalpha()
    if found is None or (is_sign and found[0] > at.after and r.text[at.after] in " \t\n"):
        if is_sign and (at.name in "\"'.=`^" or at.math):
            return 0
        r.draft.put(at.start, at.after, hide("∼" if at.name == "~" else macros.SPACING_ACCENTS.get(at.name, "")))
        return at.after
    start, stop, after = found
    braced = r.text[stop : stop + 1] == "}" and after > stop
    # What is taken back below is read a second time: nested without bound, it would be read 2^depth times.
    if is_sign and not braced and stop - start > _LONGEST_BASE:
        return 0
    first = len(r.draft.pieces)
    r.read(start, stop, at.math)
    base = show(r.draft.since(first)).strip()
    if not base and braced:
        r.draft.put(at.start, after, hide(macros.SPACING_ACCENTS.get(at.name, "")))
        return after
    letter = accented(base, mark)
    if is_sign and not braced and not fits(r, at, letter, base):
        r.truncate(first)
        return 0
    if letter:
        r.truncate(first)
        r.draft.put(at.start, after, letter)
        r.draft.wrap(first, at.start, after)
    else:
        r.draft.losses["accent"] += 1
    return after


def accented(base: str, mark: str) -> str:
    """`base` with the accent on its first letter; empty where it cannot carry one."""
    if not base or not (len(base) == 1 or (len(base) == 2 and mark == "\u0361") or not base[1:].isalnum() or len(base) <= 3):
        return ""
    if len(base) > 1 and mark in "\u0305\u20d7\u0331" and base[1:].isalnum():
        return ""
    head = {"ı": "i", "ȷ": "j"}.get(base[0], base[0])
    if not (head.isalnum() or head in "∇"):
        return ""
    return unicodedata.normalize("NFC", head + mark) + base[1:]


def fits(r: TexReader, at: At, letter: str, base: str) -> bool:
    """Whether a sign before a bare character is meant as its accent."""
    if len(base) != 1 or not base.isalpha() or len(letter) != 1:
        return base in ("ı", "ȷ") or at.math
    if at.name in "`\"" and base not in "aeiouyAEIOUY":
        return False
    if at.name != '"':
        return True
    return r.text[at.start - 1 : at.start].isalpha() or not r.has_escaped_quotes


def abbreviation(r: TexReader, at: At) -> int:
    """`\\eg` is `e.g.`; a full stop or comma that follows is not doubled, a word is kept apart."""
    text = macros.ABBREVIATIONS[at.name]
    stop = brackets(r, at)
    follows = r.text[stop : stop + 1]
    if follows == ".":
        text = text[:-1]
    r.draft.put(at.start, stop, text + (" " if follows.isalnum() else ""))
    return stop


def negation(r: TexReader, at: At) -> int:
    """`\\not=` is `≠`."""
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    first = len(r.draft.pieces)
    r.read(found[0], found[1], True)
    base = show(r.draft.since(first)).strip()
    r.truncate(first)
    r.draft.put(at.start, found[2], unicodedata.normalize("NFC", base[:1] + "\u0338") + base[1:] if base else "")
    return found[2]


def code_point(r: TexReader, at: At) -> int:
    """`\\unicode{x2013}`, `\\ding{51}`, `\\symbol{65}`."""
    found = r.argument(at.after, at.end)
    text = r.text[found[0] : found[1]].strip() if found else ""
    m = re.fullmatch(r'(?:[xX"]|0x|U\+)([0-9a-fA-F]{1,6})|(\d{1,6})', text)
    if found is None or not m:
        return at.after
    code = int(m[1], 16) if m[1] else int(m[2])
    if at.name == "ding":
        code = dingbat(code)
    if not 32 <= code < 0x110000 or 0xD800 <= code < 0xE000 or 0x7F <= code < 0xA0 or 0xFDD0 <= code < 0xFDF0:
        return found[2]
    r.draft.put(at.start, found[2], hide(plain(chr(code))))
    return found[2]


def dingbat(code: int) -> int:
    special = {73: 0x2606, 72: 0x2605, 108: 0x25CF, 110: 0x25A0, 115: 0x25B2, 116: 0x25BC, 117: 0x25C6}
    if code in special:
        return special[code]
    return 0x2460 + code - 172 if 172 <= code <= 181 else 0x26E0 + code


def space(r: TexReader, at: At) -> int:
    if not r.text[at.after : at.after + 1].isspace():
        r.draft.put(at.start, at.after, " ")
    return at.after


def line_end(r: TexReader, at: At) -> int:
    option = r.option(at.after, at.end) if at.name == "linebreak" else None
    stop = option[2] if option else at.after
    r.draft.put(at.start, stop, macros.BREAKS[at.name])
    return stop
