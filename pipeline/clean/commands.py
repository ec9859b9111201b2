"""Which handler writes what a TeX macro reads as. A handler writes to the reader's draft and says where to go on."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from pipeline.clean import arguments, environments, letters, macros, mathematics
from pipeline.clean.characters import plain
from pipeline.clean.literals import hide
from pipeline.clean.macros import At

if TYPE_CHECKING:
    from pipeline.clean.latex import TexReader

_LITERAL = "%&#_${}*`[]()<>|+.!-/~^\"'=,:;?@"
_CITE = re.compile(r"(?:[A-Za-z]*[cC]ite[a-zA-Z]*|citation|citealt|citealp)\*?")
_ESCAPE = re.compile(r"u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")
_THIN = frozenset(",;:> ")
_NAME = re.compile("[A-Za-z]+")
_WORD_AFTER_N = re.compile(r"n(?=[a-z]*[aeiouy])[a-z]{3,}")
_BLANK_LINE = re.compile(r"[ \t]*(?:\n|\Z)")


def write_macro(r: TexReader, m: re.Match[str], end: int, math: bool) -> int:
    """Write what the macro `m` with its arguments reads as; where to go on."""
    name = m[0][1:]
    if not name:
        r.draft.put(m.start(), m.end(), hide("\\"))
        return m.end()
    if not (name[0].isascii() and name[0].isalpha()):
        return write_sign(r, At(name, m.start(), m.end(), end, math))
    escape = _ESCAPE.match(r.text, at_name := m.start() + 1, end) if name in ("u", "x") and not math else None
    if escape:
        return escaped(r, At(name, m.start(), at_name, end, math), int(escape[1] or escape[2], 16), len(escape[0]))
    starred = name.endswith("*")
    at = At(name.rstrip("*"), m.start(), m.end() - starred, end, math)
    handler = find_handler(at.name)
    if handler is not None:
        if starred and handler not in (letters.symbol, letters.function):
            at = at._replace(after=m.end())
        first = len(r.draft.pieces)
        stop = handler(r, at)
        if handler not in (letters.symbol, arguments.declaration):
            r.draft.wrap(first, at.start, stop)
        r.draft.losses["macro"] += 1
        return stop
    return unknown(r, at)


def end_of_macro(r: TexReader, m: re.Match[str], end: int) -> int:
    """Where the macro `m` with its group arguments ends, when it stands as an argument itself (`x_\\text{a}`)."""
    stop = m.end()
    while r.text[stop : stop + 1] == "{" and 0 <= r.partner.get(stop, -1) < end:
        stop = r.partner[stop] + 1
        if m[0] not in ("\\frac", "\\dfrac", "\\tfrac"):
            break
    return stop


def find_handler(name: str) -> Callable[[TexReader, At], int] | None:
    """The handler of a macro; None for an unknown one."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    for names, handler in _BY_TABLE:
        if name in names:
            return handler
    if _CITE.fullmatch(name):
        return arguments.citation
    if name in macros.symbols():
        return letters.symbol
    return None


def write_sign(r: TexReader, at: At) -> int:
    """A macro of one character that is no letter: escapes, accents, spaces, line breaks."""
    name = at.name
    if name == "\\":
        return line_break(r, at)
    if name in macros.ACCENTS and (stop := letters.accent(r, at)):
        return stop
    literal = name == ">" or (name in ",;:" and at.start and not r.is_tex and not r.text[at.after : at.after + 1].strip())
    if name in _THIN and (at.math or not literal):
        return thin_space(r, at)
    if name.isspace():
        ends = name == "\n" and _BLANK_LINE.match(r.text, at.after) is not None
        r.draft.put(at.start, at.after, hide("\\") + name if ends else name)
        return at.after
    if name in "!-/@" and (name != "-" or at.math or r.text[at.start - 1 : at.start].isalpha()) and (at.math or r.is_tex or name != "!"):
        r.draft.losses["macro"] += 1
        return at.after
    if name == "|":
        r.draft.put(at.start, at.after, "‖")
        return at.after
    if name in "[]()" and r.is_tex and _is_half(r, at):
        r.draft.losses["math_delimiter"] += 1
        r.draft.flags.add("unbalanced_math")
        return at.after
    if name in _LITERAL or not name.isascii():
        r.draft.put(at.start, at.after, hide(name))
        r.draft.losses["escape"] += 1
        if name in "*$`":
            r.draft.flags.add("literal_markup")
        return at.after
    r.draft.put(at.start, at.start + 1, hide("\\"))
    return at.start + 1


def _is_half(r: TexReader, at: At) -> bool:
    """Whether the mark of a displayed or inline formula has no partner anywhere: the other end was cut off."""
    if at.name in "[(":
        return at.start > r.last_ends[at.name]
    return at.start < r.first_starts[at.name]


def thin_space(r: TexReader, at: At) -> int:
    """`\\,` and the like are one space where none stands beside them."""
    follows = r.text[at.after : at.after + 1]
    if at.name in ",;:>" and (r.before().isspace() or follows.isspace() or not r.before()):
        return at.after
    r.draft.put(at.start, at.after, " ")
    return at.after


def line_break(r: TexReader, at: At) -> int:
    """`\\\\` breaks a line, in a matrix a row; before the name of a macro it is a doubled backslash."""
    m = _NAME.match(r.text, at.after, at.end)
    if m and len(m[0]) > 2 and not r.rows and (find_handler(m[0]) is not None and m[0] not in macros.ABBREVIATIONS):
        return at.start + 1
    option = r.option(at.after, at.end)
    stop = option[2] if option and re.fullmatch(r"[\d.]+(pt|em|ex|cm|mm)", r.text[option[0] : option[1]]) else at.after
    r.draft.put(at.start, stop, (r.rows[-1] if r.rows else " ") if at.math else "\n")
    return stop


def unknown(r: TexReader, at: At) -> int:
    """An unknown macro leaves the text of its arguments; alone it leaves nothing: what it stood for is not there."""
    name = at.name
    escape = _ESCAPE.match(name + r.text[at.after : at.after + 4])
    if escape and not at.math:
        return escaped(r, at, int(escape[1] or escape[2], 16), len(escape[0]))
    if _is_line_end(r, at):
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
    if not groups and _is_hidden_word(at):
        r.draft.put(at.start, at.start + 2, "\n")
        return at.start + 2
    if not groups:
        r.draft.flags.add("text_lost")
    r.draft.wrap(first, at.start, stop)
    return stop


def _is_line_end(r: TexReader, at: At) -> bool:
    """Whether `\\nwhich` is a line end that was escaped and a word: a capital follows, or the text has such line ends before common words."""
    name = at.name
    if name == "n":
        return True
    if name[0] != "n" or at.math or name in _NAMES_IN_N or r.text[at.after : at.after + 1] == "{":
        return False
    return name[1].isupper() or r.has_line_ends


def _is_hidden_word(at: At) -> bool:
    """Whether an unknown macro may as well be an escaped line end and a word (`\\nseparation`): the word is kept rather than lost."""
    return at.name[0] == "n" and not at.math and at.name not in _NAMES_IN_N and _WORD_AFTER_N.fullmatch(at.name) is not None


def escaped(r: TexReader, at: At, code: int, length: int) -> int:
    """The escape of a character in JSON or Python (`\\u201c`, `\\xe9`) that was never undone."""
    valid = 32 <= code < 0xD800 or 0xE000 <= code < 0xFDD0 or 0xFDF0 <= code < 0xFFFE
    r.draft.put(at.start, at.start + 1 + length, hide(plain(chr(code))) if valid and not 0x7F <= code < 0xA0 else " ")
    return at.start + 1 + length


#: Macros that authors define for names.
_NAMES_IN_N = frozenset(["name", "names", "net", "nets", "nn"])

_BY_NAME: dict[str, Callable[[TexReader, At], int]] = {
    "mathbb": mathematics.blackboard, "Bbb": mathematics.blackboard, "mathds": mathematics.blackboard, "mathbbm": mathematics.blackboard, "textsuperscript": arguments.scripted,
    "textsubscript": arguments.scripted, "footnote": arguments.footnote, "footnotetext": arguments.footnote, "thanks": arguments.footnote, "tablefootnote": arguments.footnote,
    "href": arguments.link, "frac": mathematics.fraction, "dfrac": mathematics.fraction, "tfrac": mathematics.fraction, "cfrac": mathematics.fraction, "nicefrac": mathematics.fraction,
    "sfrac": mathematics.fraction, "flatfrac": mathematics.fraction, "sqrt": mathematics.root, "binom": mathematics.binomial, "dbinom": mathematics.binomial, "tbinom": mathematics.binomial,
    "pmod": mathematics.modulo, "over": mathematics.over, "choose": mathematics.over, "atop": mathematics.over, "stackrel": mathematics.stacked, "overset": mathematics.stacked, "underset": mathematics.stacked,
    "not": letters.negation, "SI": mathematics.quantity, "qty": mathematics.quantity, "unicode": letters.code_point, "ding": letters.code_point, "symbol": letters.code_point,
    "enquote": arguments.enquote, "verb": arguments.verbatim, "lstinline": arguments.verbatim, "url": arguments.address, "nolinkurl": arguments.address, "path": arguments.address,
    "begin": environments.begin, "end": environments.end, "item": environments.item,
    "operatorname": environments.operator,
}  # fmt: skip
_BY_TABLE: tuple[tuple[frozenset[str] | dict[str, str] | dict[str, int] | dict[str, tuple[int, str]], Callable[[TexReader, At], int]], ...] = (
    (macros.DECLARATIONS, arguments.declaration),
    (macros.FUNCTIONS, letters.function),
    (macros.FONTS, arguments.font),
    (macros.ACCENTS, lambda r, at: letters.accent(r, at) or at.after),
    (macros.SPACES, letters.space),
    (macros.BREAKS, letters.line_end),
    (macros.ABBREVIATIONS, letters.abbreviation),
    (macros.DROPPED, arguments.drop),
    (macros.REFERENCES, arguments.reference),
    (macros.SKIP_FIRST, arguments.skip_first),
)  # fmt: skip
