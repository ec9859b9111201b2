"""Repair characters: mojibake, invisible and control characters, odd spaces, ligatures, raised digits, NFC."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from pipeline.clean.tracked import Draft, substitute

_C1 = {c: bytes([c]).decode("cp1252", "replace").replace("\ufffd", "") for c in range(0x80, 0xA0)}
_C1_CONTROL = re.compile("[\x80-\x84\x86-\x9f]|\x85(?!\\s)")
_SUPER = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_SUB = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()", strict=True))
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_NEWLINE, _SPACE, _JOINER, _SIGN, _LIGATURE, _LETTER, _SURROGATE, _ACCENT, _HIDDEN = (
    "\r\x0b\x0c\x85\u2028\u2029",
    "\t\xa0\u1680\u2000-\u200a\u202f\u205f\u3000",
    "\u200c\u200d",
    "".join(_SUPER) + "".join(_SUB),
    "".join(_LIGATURES),
    "\U0001d400-\U0001d537\U0001d56c-\U0001d7d7\U0001d7e2-\U0001d7ff",
    "\ud800-\udfff",
    "\u0300-\u0304\u0306-\u030c\u0327\u0328",
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f",
)
_SPECIAL = re.compile(f"[{_NEWLINE}{_SPACE}{_JOINER}{_SIGN}{_LIGATURE}{_LETTER}{_SURROGATE}{_ACCENT}{_HIDDEN}]")
_ODD = re.compile(r"[^\n -~][^\n -~]*")  # no `+`, for the regex engine skips to a character of a set only where a pattern starts with it
_NOT_ODD = b"\n" + bytes(range(0x20, 0x7F))
_IS_SPACE, _IS_LETTER, _IS_ACCENT = re.compile(f"[{_SPACE}]"), re.compile(f"[{_LETTER}]"), re.compile(f"[{_ACCENT}]")
_SUPERS, _SUBS = re.compile(f"[{''.join(_SUPER)}]+"), re.compile(f"[{''.join(_SUB)}]+")
_JOINED = re.compile("[\u0600-\u08ff\u0900-\u0fff\u1000-\u109f\u1780-\u18af\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")
_NON_ASCII_RUN = re.compile("[\x00-\x7f]?[^\x00-\x7f]+")
_WORDS = re.compile(r"\S+|\s+")


# A letter that a lead byte of UTF-8 becomes in a one-byte encoding, and what a trailing byte becomes after it. The pattern starts with
# a set, which lets the regex engine skip to candidates.
_LEAD = "[\x80-\x9f\u00c2-\u00f4\u00ff\u0102-\u017e\u0192\u0370-\u045f\u02c6\u02d9-\u02dd\u2500-\u256c\u221a\u25ca]"
_TRAIL = "[\x80-\u024f\u02c6-\u02dd\u0370-\u045f\u2013-\u2122\u2202-\u2265\u2500-\u25ca\ufffd]"
_MISREAD = re.compile(f"{_LEAD}(?:(?<=[\x80-\x9f])|(?={_TRAIL})|(?<=[ÃÂ])(?= ))")
_IS_LEAD = re.compile(_LEAD)


def _odd(text: str) -> str:
    """The characters of a text that are neither printable ASCII nor line feeds, in order."""
    return text.encode("utf-8", "surrogatepass").translate(None, _NOT_ODD).decode("utf-8", "surrogatepass")


def may_hold_mojibake(text: str) -> bool:
    """Whether a text has a pair of characters that misread UTF-8 makes; cheap, where the real test is not."""
    return not text.isascii() and _IS_LEAD.search(_odd(text)) is not None and _MISREAD.search(text) is not None


@cache
def _ftfy() -> tuple[object, ...]:
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    return fix_encoding, is_bad


def repair_mojibake(text: str) -> Draft:
    """Repair UTF-8 that was read as a one-byte encoding, and cp1252 quotes that were read as controls.

    The decision is ftfy's, line by line; what it leaves alone stays.

    >>> repair_mojibake("The vehicleâ€™s inertia").result()
    'The vehicle’s inertia'
    """
    fix, is_bad = _ftfy()
    edits: list[tuple[int, int, str]] = []
    offset = 0
    for line in text.split("\n"):
        if is_bad(line):  # type: ignore[operator]
            edits += _aligned(line, fix(line), offset)  # type: ignore[operator]
        offset += len(line) + 1
    draft = substitute(text, edits)
    repaired = draft.result() if edits else text
    if not edits and _C1_CONTROL.search(repaired):
        draft = substitute(text, [(m.start(), m.end(), _C1[ord(m[0])]) for m in _C1_CONTROL.finditer(text)])
        edits = [(0, 0, "")]
    if edits:
        draft.flags.add("mojibake_repaired")
    return draft


def _aligned(old: str, new: str, offset: int) -> Iterator[tuple[int, int, str]]:
    """Edits that turn `old` into `new`: word by word where both have as many, else one edit."""
    if old == new:
        return
    pairs: list[tuple[str, str]] = [(old, new)]
    before, now = _WORDS.findall(old), _WORDS.findall(new)
    if len(before) == len(now):
        pairs = list(zip(before, now, strict=True))
    for a, b in pairs:
        if a != b:
            head = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            room = min(len(a), len(b)) - head
            tail = next((i for i in range(room) if a[-1 - i] != b[-1 - i]), room)
            yield offset + head, offset + len(a) - tail, b[head : len(b) - tail]
        offset += len(a)


def may_be_folded(text: str) -> bool:
    """Whether a text has a character that folding may change; cheap."""
    return _SPECIAL.search(_odd(text)) is not None


def fold_characters(text: str) -> Draft:
    """Drop invisible characters, make all spaces plain, write ligatures, mathematical letters and raised digits out.

    Joiners stay in scripts that need them and in emoji; full-width forms, fractions, typographic quotes and
    dashes stay: they are what the author wrote.

    >>> fold_characters("classi\\ufb01er\\u200b of 10² \\U0001d6fc\\xa0cells").result()
    'classifier of 10^2 α cells'
    """
    edits: list[tuple[int, int, str]] = []
    dropped = done = 0
    for run in _ODD.finditer(text):
        if not _SPECIAL.search(run[0]):
            continue
        for m in _SPECIAL.finditer(text, run.start(), run.end()):
            if m.start() >= done:
                start, done, new = _folded(text, m.start())
                if start < done:
                    dropped += not new
                    edits.append((start, done, new))
    draft = substitute(text, edits)
    if dropped:
        draft.losses["hidden_character"] += dropped
    return draft


def plain(character: str) -> str:
    """What a decoded character reads as: a no-break space is a space, a raised 2 is `^2`, an invisible one nothing.

    >>> plain("\xa0"), plain("²"), plain("é")
    (' ', '^2', 'é')
    """
    return character if character.isascii() and character.isprintable() else fold_characters(character).result()


def _is_needed(text: str, position: int) -> bool:
    """Whether a joiner stands between letters of a joining script or parts of an emoji."""
    return bool(_JOINED.match(text, position - 1) and _JOINED.match(text, position + 1)) if position else False


def _folded(text: str, at: int) -> tuple[int, int, str]:
    """What takes the place of the special character at `at`: start and end of what is replaced, and the new text."""
    found = text[at]
    if found in "\r\x0b\x0c\x85\u2028":
        return at, at + 1 + (found == "\r" and text[at + 1 : at + 2] == "\n"), "\n"
    if found == "\u2029":
        return at, at + 1, "\n\n"
    if _IS_SPACE.match(found):
        return at, at + 1, " "
    if found in _SUPER or found in _SUB:
        m, table, sign = (_SUPERS.match(text, at), _SUPER, "^") if found in _SUPER else (_SUBS.match(text, at), _SUB, "_")
        stop = m.end() if m else at + 1
        return at, stop, sign + script("".join(table[c] for c in text[at:stop]), text[stop : stop + 1])
    if found in _LIGATURES:
        return at, at + 1, _LIGATURES[found]
    if _IS_LETTER.match(found):
        return at, at + 1, unicodedata.normalize("NFKC", found)
    if "\ud800" <= found <= "\udfff":
        return at, at + 1, "\ufffd"
    if _IS_ACCENT.match(found):
        return _accent(text, at)
    if found in "\u200c\u200d" and _is_needed(text, at):
        return at, at, ""
    return at, at + 1, ""


def _accent(text: str, at: int) -> tuple[int, int, str]:
    """An accent that a PDF copy has set apart before its letter (`Na ̈ıve`); any other stays for NFC."""
    letter = text[at + 1 : at + 2]
    if at == 0 or text[at - 1] not in " \xa0" or not ((letter.isascii() and letter.isalpha()) or letter == "ı"):
        return at, at, ""
    return at - 1, at + 2, unicodedata.normalize("NFC", letter.replace("ı", "i") + text[at])


def script(inner: str, following: str) -> str:
    """A sub- or superscript: bare if it is one character or a number that nothing runs into, else in braces.

    >>> script("-3", " "), script("2", "x"), script("ij", " "), script("2", "5")
    ('-3', '2', '{ij}', '{2}')
    """
    return inner if is_bare(inner, following) else f"{{{inner}}}"


_NUMBER = re.compile(r"[+\-−]?\d+(?:[.,]\d+)?")


def is_bare(inner: str, following: str) -> bool:
    """Whether a script reads the same without braces."""
    if _NUMBER.fullmatch(inner):
        return not following.isdigit()
    return len(inner) == 1 and not inner.isspace() and inner not in "{}"


def is_loose(text: str) -> bool:
    """Whether letters and accents of a text stand apart."""
    return not unicodedata.is_normalized("NFC", text)


def compose(text: str) -> Draft:
    """Compose letters and accents (NFC).

    >>> compose("e\\u0301").result()
    'é'
    """
    edits: list[tuple[int, int, str]] = []
    for run in _NON_ASCII_RUN.finditer(text):
        if unicodedata.is_normalized("NFC", run[0]):
            continue
        clusters = _clusters(run[0])
        whole = unicodedata.normalize("NFC", run[0])
        if "".join(unicodedata.normalize("NFC", c) for c in clusters) != whole:
            clusters = [run[0]]
        position = run.start()
        for cluster in clusters:
            new = unicodedata.normalize("NFC", cluster)
            if new != cluster:
                edits.append((position, position + len(cluster), new))
            position += len(cluster)
    return substitute(text, edits)


def _clusters(run: str) -> list[str]:
    """Base characters with the marks that follow them."""
    out: list[str] = []
    for c in run:
        if out and unicodedata.combining(c):
            out[-1] += c
        else:
            out.append(c)
    return out
