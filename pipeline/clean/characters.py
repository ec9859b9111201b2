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
_SPECIAL = re.compile(
    "(?P<newline>\r\n?|[\x0b\x0c\x85\u2028]|(?P<paragraph>\u2029))"
    "|(?P<space>[\t\xa0\u1680\u2000-\u200a\u202f\u205f\u3000])"
    "|(?P<joiner>[\u200c\u200d])"
    "|(?P<hidden>[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]+)"
    f"|(?P<super>[{''.join(_SUPER)}]+)|(?P<sub>[{''.join(_SUB)}]+)"
    "|(?P<ligature>[\ufb00-\ufb06])"
    "|(?P<letter>[\U0001d400-\U0001d7ff])"
    "|(?P<surrogate>[\ud800-\udfff])"
    "|(?P<accent> [\u0300-\u0304\u0306-\u030c\u0327\u0328](?=[A-Za-zı])[A-Za-zı])"
)
_JOINED = re.compile("[\u0600-\u08ff\u0900-\u0fff\u1000-\u109f\u1780-\u18af\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")
_NON_ASCII_RUN = re.compile("[\x00-\x7f]?[^\x00-\x7f]+")
_WORDS = re.compile(r"\S+|\s+")
SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\xad]|[^\x00-\xad]")


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


def fold_characters(text: str) -> Draft:
    """Drop invisible characters, make all spaces plain, write ligatures, mathematical letters and raised digits out.

    Joiners stay in scripts that need them and in emoji; full-width forms, fractions, typographic quotes and
    dashes stay: they are what the author wrote.

    >>> fold_characters("classi\\ufb01er\\u200b of 10² \\U0001d6fc\\xa0cells").result()
    'classifier of 10^2 α cells'
    """
    edits, dropped = [], 0
    for m in _SPECIAL.finditer(text):
        kind = m.lastgroup
        if kind == "joiner" and _is_needed(text, m.start()):
            continue
        new = _folded(m, kind or "", text)
        dropped += not new
        edits.append((m.start(), m.end(), new))
    draft = substitute(text, edits)
    if dropped:
        draft.losses["hidden_character"] += dropped
    return draft


def _is_needed(text: str, position: int) -> bool:
    """Whether a joiner stands between letters of a joining script or parts of an emoji."""
    return bool(_JOINED.match(text, position - 1) and _JOINED.match(text, position + 1)) if position else False


def _folded(m: re.Match[str], kind: str, text: str) -> str:
    """What takes the place of a special character."""
    found = m[0]
    if kind in ("newline", "paragraph"):
        return "\n\n" if found == "\u2029" else "\n"
    if kind == "space":
        return " "
    if kind in ("super", "sub"):
        table, sign = (_SUPER, "^") if kind == "super" else (_SUB, "_")
        return sign + script("".join(table[c] for c in found), text[m.end() : m.end() + 1])
    if kind == "ligature":
        return _LIGATURES[found]
    if kind == "letter":
        return unicodedata.normalize("NFKC", found)
    if kind == "surrogate":
        return "\ufffd"
    if kind == "accent":
        return unicodedata.normalize("NFC", found[2].replace("ı", "i") + found[1])
    return ""


def script(inner: str, following: str) -> str:
    """A sub- or superscript: bare if it is one character or a number that nothing runs into, else in braces.

    >>> script("-3", " "), script("2", "x"), script("ij", " "), script("2", "5")
    ('-3', '2', '{ij}', '2')
    """
    return inner if is_bare(inner, following) else f"{{{inner}}}"


_NUMBER = re.compile(r"[+\-−]?\d+(?:[.,]\d+)?")


def is_bare(inner: str, following: str) -> bool:
    """Whether a script reads the same without braces."""
    if _NUMBER.fullmatch(inner):
        return not following.isdigit()
    return len(inner) == 1 and not inner.isspace() and inner not in "{}"


def compose(text: str) -> Draft:
    """Compose letters and accents (NFC).

    >>> compose("e\\u0301").result()
    'é'
    """
    edits = []
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
