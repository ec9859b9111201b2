"""What each kind of TeX macro reads as. A handler writes to the reader's draft and says where to go on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pipeline.clean import environments, macros
from pipeline.clean.characters import plain
from pipeline.clean.literals import hide, show

if TYPE_CHECKING:
    from pipeline.clean.latex import TexReader

_LITERAL = "%&#_${}*`[]()<>|+.!-/~^\"'=,:;?@"
_CITE = re.compile(r"(?:[A-Za-z]*[cC]ite[a-zA-Z]*|citation|citealt|citealp)\*?")
_SIMPLE = re.compile(r"[^\s+\-−*/=·×±∓,<>≤≥|]+")
_ATOM = re.compile(r"[+\-−]?(?:\d[\d.,]*|[^\W\d_])(?:['′]|[\^_](?:\{[^{}]*\}|[+\-−]?\d+|\S))*|√.|√\([^()]*\)|\([^()]*\)|[^\W\d_]\([^()]*\)")
_ESCAPE = re.compile(r"u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")
_SI_MACRO = re.compile(r"\\([A-Za-z]+)|[^\\]+")
_THIN = frozenset(",;:> ")


class At(NamedTuple):
    """Where a macro stands: its start, where its name ends, how far the reader may read, and whether in a formula."""

    name: str
    start: int
    after: int
    end: int
    math: bool


def write_macro(r: TexReader, m: re.Match[str], end: int, math: bool) -> int:
    """Write what the macro `m` with its arguments reads as; where to go on."""
    name = m[0][1:]
    if not name:
        r.draft.put(m.start(), m.end(), hide("\\"))
        return m.end()
    if not (name[0].isascii() and name[0].isalpha()):
        return _write_sign(r, At(name, m.start(), m.end(), end, math))
    starred = name.endswith("*")
    at = At(name.rstrip("*"), m.start(), m.end() - starred, end, math)
    handler = _handler(at.name)
    if handler is not None:
        if starred and handler not in (_symbol, _function):
            at = at._replace(after=m.end())
        first = len(r.draft.pieces)
        stop = handler(r, at)
        if handler not in (_symbol, _declaration):
            r.draft.wrap(first, at.start, stop)
        r.draft.losses["macro"] += 1
        return stop
    return _unknown(r, at)


def end_of_macro(r: TexReader, m: re.Match[str], end: int) -> int:
    """Where the macro `m` with its group arguments ends, when it stands as an argument itself (`x_\\text{a}`)."""
    stop = m.end()
    while r.text[stop : stop + 1] == "{" and 0 <= r.partner.get(stop, -1) < end:
        stop = r.partner[stop] + 1
        if m[0] not in ("\\frac", "\\dfrac", "\\tfrac"):
            break
    return stop


def shown(text: str) -> str:
    """A piece of output as it will read."""
    return show(text)


def _handler(name: str) -> Callable[[TexReader, At], int] | None:
    """The handler of a macro; None for an unknown one."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    for names, handler in _BY_TABLE:
        if name in names:
            return handler
    if _CITE.fullmatch(name):
        return _citation
    if name in macros.symbols():
        return _symbol
    return None


def _write_sign(r: TexReader, at: At) -> int:
    """A macro of one character that is no letter: escapes, accents, spaces, line breaks."""
    name = at.name
    if name == "\\":
        return _line_break(r, at)
    if name in macros.ACCENTS and (stop := _accent(r, at)):
        return stop
    if name in _THIN and not (name in ",;:>" and not at.math and not r.is_tex and r.text[at.after : at.after + 1].isspace()):
        return _thin_space(r, at)
    if name.isspace():
        ends = name == "\n" and not r.text[at.after : at.after + 2].strip()
        r.draft.put(at.start, at.after, hide("\\") + name if ends else name)
        return at.after
    if name in "!-/@" and (name != "-" or at.math or r.text[at.start - 1 : at.start].isalpha()) and (at.math or r.is_tex or name != "!"):
        r.draft.losses["macro"] += 1
        return at.after
    if name == "|":
        r.draft.put(at.start, at.after, "‖")
        return at.after
    if name in _LITERAL or not name.isascii():
        r.draft.put(at.start, at.after, hide(name))
        r.draft.losses["escape"] += 1
        if name in "*$`":
            r.draft.flags.add("literal_markup")
        return at.after
    r.draft.put(at.start, at.start + 1, hide("\\"))
    return at.start + 1


def _thin_space(r: TexReader, at: At) -> int:
    """`\\,` and the like are one space where none stands beside them."""
    follows = r.text[at.after : at.after + 1]
    if at.name in ",;:>" and (r.before().isspace() or follows.isspace() or not r.before()):
        return at.after
    r.draft.put(at.start, at.after, " ")
    return at.after


def _line_break(r: TexReader, at: At) -> int:
    """`\\\\` breaks a line, in a matrix a row; before the name of a macro it is a doubled backslash."""
    m = _NAME.match(r.text, at.after, at.end)
    if m and len(m[0]) > 2 and not r.rows and (_handler(m[0]) is not None and m[0] not in macros.ABBREVIATIONS):
        return at.start + 1
    option = r.option(at.after, at.end)
    stop = option[2] if option and re.fullmatch(r"[\d.]+(pt|em|ex|cm|mm)", r.text[option[0] : option[1]]) else at.after
    r.draft.put(at.start, stop, (r.rows[-1] if r.rows else " ") if at.math else "\n")
    return stop


_NAME = re.compile("[A-Za-z]+")


def _symbol(r: TexReader, at: At) -> int:
    """One character (or a few), with the space that TeX needs after the name dropped where it is none of the text."""
    character = macros.symbols()[at.name]
    stop = _brackets(r, at)
    r.draft.put(at.start, stop, hide(character))
    if stop == at.after and r.text[stop : stop + 1] == " ":
        if not at.math and character.isalpha() and character.isascii() is False and at.name in _TEXT_LETTERS:
            while r.text[stop : stop + 1] in (" ", "\n") and stop < at.end:
                stop += 1
        elif at.math and not character[0].isalpha() and r.text[at.start - 1 : at.start].strip() and character not in "…⋯∂∇∞":
            stop += 1
    return stop


_TEXT_LETTERS = frozenset("ss ae AE oe OE o O l L aa AA dh DH dj DJ th TH ng NG i j SS eth".split())


def _brackets(r: TexReader, at: At) -> int:
    """Where an empty pair of braces after the name ends."""
    return at.after + 2 if r.text.startswith("{}", at.after) else at.after


def _function(r: TexReader, at: At) -> int:
    """The name of a function stands by itself: `n\\log n` is `n log n`."""
    name = at.name
    stop = _brackets(r, at)
    if name == "deg" and r.before().isdigit():
        r.draft.put(at.start, stop, "°")
        return stop
    gap = " " if r.before().isalnum() and r.before() not in "√" else ""
    follows = r.text[stop : stop + 1]
    r.draft.put(at.start, stop, gap + name + (" " if follows.isalnum() or (follows == "\\" and _joins(r, stop, at.end)) else ""))
    return stop


def _joins(r: TexReader, position: int, end: int) -> bool:
    """Whether the macro at `position` reads as a letter or a word."""
    m = _NAME.match(r.text, position + 1, end)
    if not m:
        return False
    character = macros.symbols().get(m[0])
    return character.isalpha() if character else m[0] in macros.FUNCTIONS or m[0] in macros.FONTS or m[0] == "frac"


def _accent(r: TexReader, at: At) -> int:
    """A letter with an accent; 0 where the sign is no accent but an escape (`\\"quoted\\"`, `1\\.`)."""
    mark = macros.ACCENTS[at.name]
    found = r.argument(at.after, at.end)
    is_sign = not at.name.isalpha()
    if found is None or (is_sign and found[0] > at.after and r.text[at.after] in " \t\n"):
        if is_sign and (at.name in "\"'.=`^" or at.math):
            return 0
        r.draft.put(at.start, at.after, hide("∼" if at.name == "~" else macros.SPACING_ACCENTS.get(at.name, "")))
        return at.after
    start, stop, after = found
    braced = r.text[stop : stop + 1] == "}" and after > stop
    first = len(r.draft.pieces)
    r.read(start, stop, at.math)
    base = shown(r.draft.since(first)).strip()
    if not base and braced:
        r.draft.put(at.start, after, hide(macros.SPACING_ACCENTS.get(at.name, "")))
        return after
    letter = _accented(base, mark)
    if is_sign and not braced and not _fits(r, at, letter, base):
        r.truncate(first)
        return 0
    if letter:
        r.truncate(first)
        r.draft.put(at.start, after, letter)
        r.draft.wrap(first, at.start, after)
    else:
        r.draft.losses["accent"] += 1
    return after


def _accented(base: str, mark: str) -> str:
    """`base` with the accent on its first letter; empty where it cannot carry one."""
    if not base or not (len(base) == 1 or (len(base) == 2 and mark == "\u0361") or not base[1:].isalnum() or len(base) <= 3):
        return ""
    if len(base) > 1 and mark in "\u0305\u20d7\u0331" and base[1:].isalnum():
        return ""
    head = {"ı": "i", "ȷ": "j"}.get(base[0], base[0])
    if not (head.isalnum() or head in "∇"):
        return ""
    return unicodedata.normalize("NFC", head + mark) + base[1:]


def _fits(r: TexReader, at: At, letter: str, base: str) -> bool:
    """Whether a sign before a bare character is meant as its accent."""
    if len(base) != 1 or not base.isalpha() or len(letter) != 1:
        return base in ("ı", "ȷ") or at.math
    if at.name == "`" and base not in "aeiouAEIOU":
        return False
    if at.name != '"':
        return True
    return r.text[at.start - 1 : at.start].isalpha() or not r.has_escaped_quotes


def _font(r: TexReader, at: At) -> int:
    """A macro whose argument is the text."""
    found = r.argument(at.after, at.end)
    option = r.option(at.after, at.end)
    if option and r.text[option[2] : option[2] + 1] == "{":
        r.draft.losses["option"] += 1
        found = r.argument(option[2], at.end)
    if found is None:
        return at.after
    start, stop, after = found
    section = at.name in macros.SECTIONS
    if section:
        r.draft.put(at.start, start, "\n\n")
    math = True if at.name == "ensuremath" or at.name.startswith("math") else at.math and not at.name.startswith(("text", "mbox", "emph"))
    r.read(start, stop, math)
    if section:
        r.draft.put(stop, after, "\n\n")
    return after


def _blackboard(r: TexReader, at: At) -> int:
    """`\\mathbb{R}` is ℝ."""
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    start, stop, after = found
    inner = r.text[start:stop].strip()
    letters = "".join(_DOUBLE.get(c, c) for c in inner)
    if not re.fullmatch("[A-Za-z]{1,2}", inner):
        r.read(start, stop, True)
    else:
        r.draft.put(at.start, after, letters)
    return after


_DOUBLE = {c: chr(0x1D538 + i) for i, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ")}
_DOUBLE |= {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"}


def _scripted(r: TexReader, at: At) -> int:
    """`\\textsuperscript{x}` and `\\textsubscript{x}`."""
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    start, stop, after = found
    sign = "^" if "super" in at.name else "_"
    return r.script(sign, (at.start, start, stop, after))


def _declaration(r: TexReader, at: At) -> int:
    """A switch (`\\bf`, `\\left`, `\\small`) is dropped with the space after it."""
    stop = _brackets(r, at)
    if at.name in ("left", "right", "middle") and r.text[stop : stop + 1] == ".":
        return stop + 1
    while stop < at.end and r.text[stop] in " \t\n":
        stop += 1
    if at.name == "xspace":
        follows = r.text[at.after : at.after + 1]
        if follows.isalnum():
            r.draft.put(at.start, at.after, " ")
        return at.after
    return stop


def _space(r: TexReader, at: At) -> int:
    if not r.text[at.after : at.after + 1].isspace():
        r.draft.put(at.start, at.after, " ")
    return at.after


def _break(r: TexReader, at: At) -> int:
    r.draft.put(at.start, at.after, macros.BREAKS[at.name])
    return at.after


def _abbreviation(r: TexReader, at: At) -> int:
    """`\\eg` is `e.g.`; a full stop or comma that follows is not doubled, a word is kept apart."""
    text = macros.ABBREVIATIONS[at.name]
    stop = _brackets(r, at)
    follows = r.text[stop : stop + 1]
    if follows == ".":
        text = text[:-1]
    r.draft.put(at.start, stop, text + (" " if follows.isalnum() else ""))
    return stop


def _drop(r: TexReader, at: At) -> int:
    """A macro whose arguments are no text."""
    count, reason = macros.DROPPED[at.name]
    stop = at.after
    for _ in range(count):
        option = r.option(stop, at.end)
        found = r.argument(option[2] if option else stop, at.end)
        if found is None:
            break
        stop = found[2]
    r.draft.losses[reason] += 1
    return _swallow(r, at, stop) if reason in ("label", "citation") else stop


def _citation(r: TexReader, at: At) -> int:
    """A citation is dropped with the space before it."""
    stop, found = at.after, None
    for _ in range(2):
        option = r.option(stop, at.end)
        stop = option[2] if option else stop
    found = r.argument(stop, at.end) if r.text[stop : stop + 1] == "{" else None
    r.draft.losses["citation"] += 1
    return _swallow(r, at, found[2] if found else stop)


def _swallow(r: TexReader, at: At, stop: int) -> int:
    """Drop the space before what was dropped, so that none stands before the punctuation that follows."""
    r.strip_space()
    if r.text[stop : stop + 1].isalnum():
        r.draft.put(stop, stop, " ")
    return stop


def _reference(r: TexReader, at: At) -> int:
    """A reference (`Fig.~\\ref{f}`) is dropped: its number is not in the source."""
    found = r.argument(at.after, at.end)
    r.draft.losses["reference"] += 1
    return _swallow(r, at, found[2] if found else at.after)


def _footnote(r: TexReader, at: At) -> int:
    """The text of a footnote stands in parentheses."""
    option = r.option(at.after, at.end)
    found = r.argument(option[2] if option else at.after, at.end)
    if found is None or not r.text[found[0] : found[1]].strip():
        return found[2] if found else at.after
    start, stop, after = found
    r.strip_space()
    r.draft.put(at.start, start, " (")
    r.read(start, stop, at.math)
    if after > stop:
        r.draft.put(stop, after, ")" + (" " if r.text[after : after + 1].isalnum() else ""))
    return after


def _link(r: TexReader, at: At) -> int:
    """`\\href{U}{t}` is `t (U)`, or `U` where the text is the address."""
    first = r.argument(at.after, at.end)
    second = r.argument(first[2], at.end) if first else None
    if first is None:
        return at.after
    if second is None:
        r.read(first[0], first[1], False)
        return first[2]
    url = r.text[first[0] : first[1]].strip().replace("\\", "")
    mark = len(r.draft.pieces)
    r.read(second[0], second[1], at.math)
    text = shown(r.draft.since(mark)).strip()
    if _bare(text) == _bare(url) or not url or (not text and not url):
        return second[2]
    r.draft.put(first[0], first[0], " (" if text else "")
    r.read(first[0], first[1], False)
    r.draft.put(first[1], first[1], ")" if text else "")
    return second[2]


def _bare(url: str) -> str:
    return re.sub(r"^(?:https?://)?(?:www\.)?|/$", "", url.strip().casefold())


def _skip_first(r: TexReader, at: At) -> int:
    """A macro whose first arguments are layout and whose last is text."""
    stop = at.after
    for _ in range(macros.SKIP_FIRST[at.name]):
        option = r.option(stop, at.end)
        found = r.argument(option[2] if option else stop, at.end)
        if found is None:
            return stop
        stop = found[2]
    return _font(r, at._replace(name="text", after=stop)) if r.text[stop : stop + 1] in ("{", "[") else stop


def _fraction(r: TexReader, at: At) -> int:
    """`\\frac{a+b}{c}` is `(a+b)/c`: a part in parentheses unless it is one number, letter or call."""
    upper = r.argument(at.after, at.end)
    lower = r.argument(upper[2], at.end) if upper else None
    if upper is None or lower is None:
        return at.after
    gap = " " if r.before().isalnum() else ""
    r.enclosed((at.start, *upper), gap, _SIMPLE)
    r.draft.put(upper[1], lower[0], "/") if lower[0] > upper[1] else r.draft.put(lower[0], lower[0], "/")
    r.enclosed((lower[0], *lower), "", _ATOM)
    if r.text[lower[2] : lower[2] + 1].isalnum():
        r.draft.put(lower[2], lower[2], " ")
    return lower[2]


def _root(r: TexReader, at: At) -> int:
    """`\\sqrt{n}` is `√n`, `\\sqrt{n+1}` is `√(n+1)`."""
    option = r.option(at.after, at.end)
    found = r.argument(option[2] if option else at.after, at.end)
    if found is None:
        return at.after
    degree = r.text[option[0] : option[1]].strip() if option else "2"
    r.draft.put(at.start, at.after, {"2": "√", "3": "∛", "4": "∜"}.get(degree, f"{degree}√"))
    r.enclosed((found[0], *found), "", _ATOM)
    if r.text[found[2] : found[2] + 1].isalnum():
        r.draft.put(found[2], found[2], " ")
    return found[2]


def _binomial(r: TexReader, at: At) -> int:
    upper = r.argument(at.after, at.end)
    lower = r.argument(upper[2], at.end) if upper else None
    if upper is None or lower is None:
        return at.after
    r.draft.put(at.start, upper[0], "(")
    r.read(upper[0], upper[1], True)
    r.draft.put(upper[1], lower[0], " choose ")
    r.read(lower[0], lower[1], True)
    r.draft.put(lower[1], lower[2], ")")
    return lower[2]


def _modulo(r: TexReader, at: At) -> int:
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    r.draft.put(at.start, found[0], (" " if r.before().isalnum() else "") + "(mod ")
    r.read(found[0], found[1], True)
    r.draft.put(found[1], found[2], ")")
    return found[2]


def _over(r: TexReader, at: At) -> int:
    """`a \\over b` is `a/b`."""
    stop = at.after
    while r.text[stop : stop + 1] == " ":
        stop += 1
    r.strip_space()
    r.draft.put(at.start, stop, "/")
    return stop


def _stacked(r: TexReader, at: At) -> int:
    """`\\overset{a}{b}` is `b^a`, `\\underset{a}{b}` is `b_a`."""
    upper = r.argument(at.after, at.end)
    lower = r.argument(upper[2], at.end) if upper else None
    if upper is None or lower is None:
        return at.after
    r.read(lower[0], lower[1], True)
    r.script("_" if at.name == "underset" else "^", (upper[0], *upper))
    return lower[2]


def _negation(r: TexReader, at: At) -> int:
    """`\\not=` is `≠`."""
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    first = len(r.draft.pieces)
    r.read(found[0], found[1], True)
    base = shown(r.draft.since(first)).strip()
    r.truncate(first)
    r.draft.put(at.start, found[2], unicodedata.normalize("NFC", base[:1] + "\u0338") + base[1:] if base else "")
    return found[2]


def _quantity(r: TexReader, at: At) -> int:
    """`\\SI{10}{\\meter\\per\\second}` is `10 m/s`."""
    option = r.option(at.after, at.end)
    number = r.argument(option[2] if option else at.after, at.end)
    unit = r.argument(number[2], at.end) if number else None
    if number is None or unit is None:
        return at.after
    r.read(number[0], number[1], True)
    text = _unit_text(r.text[unit[0] : unit[1]])
    r.draft.put(unit[0], unit[2], (" " if text not in "%°" else "") + text)
    return unit[2]


def _unit_text(source: str) -> str:
    """A unit of siunitx in symbols."""
    return "".join(macros.UNITS.get(m[1], m[1]) if m[1] else m[0] for m in _SI_MACRO.finditer(source)).strip()


def _code_point(r: TexReader, at: At) -> int:
    """`\\unicode{x2013}`, `\\ding{51}`, `\\symbol{65}`."""
    found = r.argument(at.after, at.end)
    text = r.text[found[0] : found[1]].strip() if found else ""
    m = re.fullmatch(r'(?:[xX"]|0x|U\+)([0-9a-fA-F]{1,6})|(\d{1,6})', text)
    if found is None or not m:
        return at.after
    code = int(m[1], 16) if m[1] else int(m[2])
    if at.name == "ding":
        code = _dingbat(code)
    if not 32 <= code < 0x110000 or 0xD800 <= code < 0xE000 or 0x7F <= code < 0xA0 or 0xFDD0 <= code < 0xFDF0:
        return found[2]
    r.draft.put(at.start, found[2], hide(plain(chr(code))))
    return found[2]


def _dingbat(code: int) -> int:
    special = {73: 0x2606, 72: 0x2605, 108: 0x25CF, 110: 0x25A0, 115: 0x25B2, 116: 0x25BC, 117: 0x25C6}
    if code in special:
        return special[code]
    return 0x2460 + code - 172 if 172 <= code <= 181 else 0x26E0 + code


def _enquote(r: TexReader, at: At) -> int:
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    r.draft.put(at.start, found[0], "“")
    r.read(found[0], found[1], at.math)
    r.draft.put(found[1], found[2], "”")
    return found[2]


def _verbatim(r: TexReader, at: At) -> int:
    """`\\verb|x|` is `x`."""
    mark = r.text[at.after : at.after + 1]
    close = r.text.find(mark, at.after + 1, at.end) if mark.strip() else -1
    if close < 0:
        return at.after
    r.draft.put(at.after + 1, close, hide(r.text[at.after + 1 : close]))
    return close + 1


def _address(r: TexReader, at: At) -> int:
    """`\\url{U}` is `U`; what looks like mark-up in it is part of it."""
    found = r.argument(at.after, at.end)
    if found is None:
        return at.after
    r.read(found[0], found[1], False)
    return found[2]


def _unknown(r: TexReader, at: At) -> int:
    """An unknown macro leaves the text of its arguments; alone it leaves nothing: what it stood for is not there."""
    name = at.name
    escape = _ESCAPE.match(name + r.text[at.after : at.after + 4])
    if escape and not at.math:
        return _escaped(r, at, int(escape[1] or escape[2], 16), len(escape[0]))
    if name == "n" or (name[0] == "n" and name[1:2].isupper() and not r.text[at.after : at.after + 1] == "{"):
        r.draft.put(at.start, at.start + 2, "\n")
        return at.start + 2
    r.draft.flags.add("unknown_macro")
    r.draft.unknown.append(name)
    r.draft.losses["unknown_macro"] += 1
    stop = at.after
    option = r.option(stop, at.end)
    if option and r.text[option[2] : option[2] + 1] == "{":
        stop = option[2]
    first = len(r.draft.pieces)
    groups = 0
    while r.text[stop : stop + 1] == "{" and 0 <= (close := r.partner.get(stop, -1)) < at.end:
        if r.text[stop + 1 : close].strip():
            groups += 1
            if groups > 1:
                r.draft.put(stop, stop, " ")
        stop = r.group(stop, close, True, at.math)
    if not groups:
        r.draft.flags.add("text_lost")
    r.draft.wrap(first, at.start, stop)
    return stop


def _escaped(r: TexReader, at: At, code: int, length: int) -> int:
    """The escape of a character in JSON or Python (`\\u201c`, `\\xe9`) that was never undone."""
    valid = 32 <= code < 0xD800 or 0xE000 <= code < 0xFDD0 or 0xFDF0 <= code < 0xFFFE
    r.draft.put(at.start, at.start + 1 + length, hide(plain(chr(code))) if valid and not 0x7F <= code < 0xA0 else " ")
    return at.start + 1 + length


_BY_NAME: dict[str, Callable[[TexReader, At], int]] = {
    "mathbb": _blackboard, "Bbb": _blackboard, "mathds": _blackboard, "mathbbm": _blackboard, "textsuperscript": _scripted,
    "textsubscript": _scripted, "footnote": _footnote, "footnotetext": _footnote, "thanks": _footnote, "tablefootnote": _footnote,
    "href": _link, "frac": _fraction, "dfrac": _fraction, "tfrac": _fraction, "cfrac": _fraction, "nicefrac": _fraction,
    "sfrac": _fraction, "flatfrac": _fraction, "sqrt": _root, "binom": _binomial, "dbinom": _binomial, "tbinom": _binomial,
    "pmod": _modulo, "over": _over, "atop": _over, "stackrel": _stacked, "overset": _stacked, "underset": _stacked,
    "not": _negation, "SI": _quantity, "qty": _quantity, "unicode": _code_point, "ding": _code_point, "symbol": _code_point,
    "enquote": _enquote, "verb": _verbatim, "lstinline": _verbatim, "url": _address, "nolinkurl": _address, "path": _address,
    "begin": environments.begin, "end": environments.end, "item": environments.item,
    "operatorname": environments.operator,
}  # fmt: skip
_BY_TABLE: tuple[tuple[frozenset[str] | dict[str, str] | dict[str, int] | dict[str, tuple[int, str]], Callable[[TexReader, At], int]], ...] = (
    (macros.DECLARATIONS, _declaration),
    (macros.FUNCTIONS, _function),
    (macros.FONTS, _font),
    (macros.ACCENTS, lambda r, at: _accent(r, at) or at.after),
    (macros.SPACES, _space),
    (macros.BREAKS, _break),
    (macros.ABBREVIATIONS, _abbreviation),
    (macros.DROPPED, _drop),
    (macros.REFERENCES, _reference),
    (macros.SKIP_FIRST, _skip_first),
)  # fmt: skip
