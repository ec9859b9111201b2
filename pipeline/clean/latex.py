"""Resolve TeX: formulas, macros, accents, groups, quotes and dashes.

One reader goes over the text once, token by token; arguments are read by the same reader, so that what nests is
resolved inside out. Every piece of output knows the place it came from.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from pipeline.clean import commands, environments
from pipeline.clean.addresses import find_urls
from pipeline.clean.braces import are_settled, partners
from pipeline.clean.characters import is_bare
from pipeline.clean.formulas import Formula, closes_formula, find_formulas, opens_formula
from pipeline.clean.literals import HIDE, MATH_OPEN, hide, show
from pipeline.clean.tracked import Draft

# Each alternative starts with a plain character, which lets the regex engine skip to candidates.
_TOKEN = re.compile(
    r"\\(?:[A-Za-z]+\*?|(?s:.)|$)|\$\$?|\ufdee|\ufdef|\{|\}|~~*|\^(?=\s*[{\\])|_(?=\s*[{\\])|--+|``|''|`|%"
)
_CELL = re.compile(r"\\(?s:.)|&")
_DEGREES = frozenset(["\\circ", "∘", "\\degree", "o"])
_PRIMES = frozenset(["\\prime", "\\prime\\prime", "\\prime \\prime"])
_URL_ESCAPE = re.compile(r"\\([_%#&~$-])")
_MATH_LITERAL = {ord(c): HIDE[ord(c)] for c in "*_`[]<>&~#!"}
_MATH_SPECIAL = re.compile(r"[*_`\[\]<>&~#!]")
_DEEPEST, _LONGEST_BARE = 40, 40
_PROTECTED = re.compile(r"[A-Z0-9][\w+-]*(?: [\w+-]+){0,3}")
_ABOUT = re.compile(r"\s?[.<>≤≥+−-]?\s?\d|\$\s*[\d\\]|\\\$\d|\\[a-z]+\{\d")
_SINGLE_QUOTE = re.compile(r"`([^`'\n\s](?:[^`'\n]|'(?=\w)|\n(?![ \t]*\n)){0,200}?)['’](?!\w)")
# A line end that was escaped, before a word that starts no macro of anybody.
_LINE_ENDS = re.compile(r"\\n(?:a|an|and|are|as|be|by|can|for|from|has|have|in|is|it|of|on|or|our|such|that|the|these|this|to|we|which|with)\b(?!\{)")
_CLOSED_QUOTE = re.compile("''|\"|”")


def resolve_latex(text: str) -> Draft:
    """Resolve all TeX of `text`.

    Left alone on purpose: `%` inside a line, `$` of money, `~` before a number, `--option`, URLs (but for their
    escapes), braces of a set or of a template, and backslashes of a path.

    >>> print(show(resolve_latex(r"a $(1-1/e)$-bound of {\\em 5\\%}, \\textbf{F}oo $x_{ij}$, $5 million").result()))
    a (1-1/e)-bound of 5%, Foo x_{ij}, $5 million
    """
    reader = TexReader(text)
    reader.read(0, len(text), False)
    return reader.draft


class TexReader:
    """Reads TeX from `text` into `draft`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.draft = Draft(text)
        self.urls = find_urls(text)
        self.partner = partners(text)
        self.formulas, stray = find_formulas(text)
        self.lists: list[environments.Listing] = []
        self.rows: list[str] = []
        self.ends: dict[str, list[int]] = {}
        self.depth = 0
        self.has_escaped_quotes = re.search(r'\\"(?![A-Za-z{\\])', text) is not None
        self.has_line_ends = "\\n" in text and _LINE_ENDS.search(text) is not None
        self.first_quote = text.find("``")
        self.is_tex = re.search(r"\\[A-Za-z]{2,}", text) is not None
        self.last_ends = {"[": text.rfind("\\]"), "(": text.rfind("\\)")}
        self.first_starts = {"]": text.find("\\[") % (len(text) + 1), ")": text.find("\\(") % (len(text) + 1)}
        if stray:
            self.draft.flags.add("unbalanced_math")

    def read(self, start: int, end: int, math: bool) -> None:
        """Write what `start:end` reads as."""
        if self.depth > _DEEPEST:
            self.draft.flags.add("literal_markup")
            self.keep(start, end, math)
            return
        self.depth += 1
        position = start
        while position < end:
            m = _TOKEN.search(self.text, position, end)
            url = self._next_url(position, m.start() if m else end, end)
            if url:
                self.keep(position, url[0], math)
                position = self._url(*url)
            elif m:
                self.keep(position, m.start(), math)
                position = max(_HANDLERS[m[0][0]](self, m, end, math), m.start() + 1)
            else:
                break
        self.keep(position, end, math)
        self.depth -= 1

    def _next_url(self, position: int, before: int, end: int) -> tuple[int, int] | None:
        """The first URL from `position` on that starts at or before `before` and ends by `end`."""
        if not self.urls:
            return None
        index = bisect_left(self.urls, (position, 0))
        if index < len(self.urls) and self.urls[index][0] <= before and self.urls[index][1] <= end:
            return self.urls[index]
        return None

    def keep(self, start: int, end: int, math: bool = False) -> None:
        """Keep plain text; inside a formula nothing of it is mark-up."""
        if math and end > start and _MATH_SPECIAL.search(self.text, start, end):
            self.draft.put(start, end, self.text[start:end].translate(_MATH_LITERAL))
        else:
            self.draft.keep(start, end)

    def argument(self, position: int, end: int) -> tuple[int, int, int] | None:
        """Start and end of the argument that stands at `position`, and where it is over: a group, a macro or a character."""
        while position < end and self.text[position] in " \t\n":
            position += 1
        if position >= end or self.text[position] == "}":
            return None
        if self.text[position] == "{":
            close = self.partner.get(position, -1)
            return (position + 1, close, close + 1) if 0 <= close < end else (position + 1, end, end)
        m = _TOKEN.match(self.text, position, end)
        if m and m[0][0] == "\\":
            stop = commands.end_of_macro(self, m, end)
            return position, stop, stop
        return position, position + 1, position + 1

    def option(self, position: int, end: int) -> tuple[int, int, int] | None:
        """The same of an optional argument `[…]` that stands right at `position`."""
        if self.text[position : position + 1] != "[":
            return None
        close = self.text.find("]", position, min(end, position + 300))
        return (position + 1, close, close + 1) if close >= 0 else None

    def find_end(self, name: str, position: int, end: int) -> int:
        """Where the `\\end` of an environment stands between `position` and `end`; -1 if nowhere."""
        if name not in self.ends:
            self.ends[name] = [m.start() for m in re.finditer(re.escape(f"\\end{{{name}}}"), self.text)]
        index = bisect_left(self.ends[name], position)
        return self.ends[name][index] if index < len(self.ends[name]) and self.ends[name][index] < end else -1

    def before(self) -> str:
        """The last character written."""
        for a, b, text in reversed(self.draft.pieces):
            if text is None or text:
                return self.text[b - 1 : b] if text is None and b > a else (text or "")[-1:]
        return ""

    def truncate(self, first: int) -> None:
        """Take back the pieces from number `first` on."""
        del self.draft.pieces[first:]
        while self.draft.wraps and self.draft.wraps[-1][1] > first:
            self.draft.wraps.pop()

    def strip_space(self) -> None:
        """Take back the spaces at the end of what is written."""
        while self.draft.pieces:
            a, b, text = self.draft.pieces[-1]
            if text is not None:
                if text.strip():
                    return
                self.truncate(len(self.draft.pieces) - 1)
                continue
            stop = b
            while stop > a and self.text[stop - 1].isspace():
                stop -= 1
            self.draft.pieces[-1] = (a, stop, None if stop > a else "")
            return

    def enclosed(self, where: tuple[int, int, int, int], gap: str, simple: re.Pattern[str]) -> None:
        """Write an argument (outer start, start, end, outer end), in parentheses unless it is simple."""
        outer, start, stop, after = where
        place = len(self.draft.pieces)
        self.draft.pieces.append((outer, start, gap + "("))
        self.read(start, stop, True)
        if simple.fullmatch(show(self.draft.since(place + 1)).strip()):
            self.draft.pieces[place] = (outer, start, gap)
        else:
            self.draft.put(stop, after, ")") if after > stop else self.draft.put(after, after, ")")

    def read_cells(self, start: int, stop: int) -> None:
        """Write the inside of a displayed formula, its `&` as spaces."""
        position = start
        for m in _CELL.finditer(self.text, start, stop):
            if m[0] == "&":
                self.read(position, m.start(), True)
                self.draft.put(m.start(), m.end(), " ")
                position = m.end()
        self.read(position, stop, True)

    def _url(self, start: int, stop: int) -> int:
        """A URL is copied; its escapes are undone."""
        if self.text[start + 1 : start + 2] == ":":
            self.draft.put(start, stop, hide(self.text[start:stop]))
            return stop
        position = start
        for escape in _URL_ESCAPE.finditer(self.text, start, stop):
            self._hidden(position, escape.start())
            self.draft.put(escape.start(), escape.end(), hide(escape[1]))
            position = escape.end()
        self._hidden(position, stop)
        return stop

    def _hidden(self, start: int, end: int) -> None:
        self.draft.put(start, end, self.text[start:end].translate(_URL_LITERAL))

    def _macro(self, m: re.Match[str], end: int, math: bool) -> int:
        name = m[0][1:]
        if name in ("(", "[") and (formula := self.formulas.get(m.start())) and formula.end <= end:
            return self._formula(formula)
        return commands.write_macro(self, m, end, math)

    def _dollar(self, m: re.Match[str], end: int, math: bool) -> int:
        formula = self.formulas.get(m.start())
        if formula and formula.end <= end and not math:
            return self._formula(formula)
        if m[0][0] == "$" and not math:
            if self._is_half(m.start(), m.end()):
                self.draft.flags.add("unbalanced_math")
            else:
                self.draft.put(m.start(), m.end(), hide(m[0]))
        return m.end()

    def _is_half(self, a: int, b: int) -> bool:
        """Whether a dollar without its partner is a mark of a formula all the same, and no price or variable."""
        before, after = self.text[max(a - 24, 0) : a], self.text[b : b + 1]
        if b - a > 1:
            return after.isalnum() or after == "\\" or before[-1:].isalnum() or before[-1:] in (")", "]", "}")
        return opens_formula(self.text, a, b) or (not after.isdigit() and closes_formula(self.text, a))

    def _formula(self, formula: Formula) -> int:
        """Write a formula without its marks."""
        first = len(self.draft.pieces)
        text, start, end = self.text, formula.inner_start, formula.inner_end
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace() and text[end - 2] != "\\":
            end -= 1
        self.read(start, end, True)
        self.draft.wrap(first, formula.start, formula.end)
        self.draft.losses["math_delimiter"] += 1
        return formula.end

    def _brace(self, m: re.Match[str], end: int, math: bool) -> int:
        """A group: its braces go, unless they are the braces of a set or of a template in plain text."""
        close = self.partner.get(m.start(), -1)
        if m[0] == "}" or not 0 <= close < end:
            if not (math or self.is_tex or self._is_torn(m)):
                self.draft.put(m.start(), m.end(), hide(m[0]))
            return m.end()
        return self.group(m.start(), close, math or self._is_group(m.start(), close), math)

    def _is_torn(self, m: re.Match[str]) -> bool:
        """Whether a brace without its partner stands where only a group does: after a word, an opening one also before one."""
        if m[0] == "}":
            return self.before().isalnum()
        return self.text[m.start() - 1 : m.start()].isalpha() and self.text[m.end() : m.end() + 1].isalpha()

    def group(self, start: int, close: int, is_group: bool, math: bool) -> int:
        """Write the group `start:close`, with its braces if they are text."""
        first = len(self.draft.pieces)
        if not is_group:
            self.draft.put(start, start + 1, hide("{"))
        self.read(start + 1, close, math)
        if is_group:
            self.draft.wrap(first, start, close + 1)
            self.draft.losses["group"] += 1
        else:
            self.draft.put(close, close + 1, hide("}"))
        return close + 1

    def _is_group(self, start: int, close: int) -> bool:
        """Whether braces in running text are TeX or BibTeX grouping rather than text.

        They are if they hold a macro, stand against a letter (`{A}dap`), hold a capitalised name, or hold the whole text.
        """
        text = self.text
        inner = text[start + 1 : close]
        if inner == "," and text[start - 1 : start].isdigit():
            return True
        if "\\" in inner or not inner.strip() or "{" in inner or (start == 0 and close == len(text.rstrip()) - 1):
            return True
        before, after = text[start - 1 : start] if start else "", text[close + 1 : close + 2]
        plain = not re.search(r"[,;:=|<>()\[\]\"']", inner)
        return plain and (before.isalpha() or after.isalpha() or _PROTECTED.fullmatch(inner) is not None)

    def _tilde(self, m: re.Match[str], _end: int, math: bool) -> int:
        """A tie is a space; before a number after a space or bracket it means about, in a path it is a name."""
        text, a, b = self.text, m.start(), m.end()
        before, after = text[a - 1 : a] if a else " ", text[b : b + 1]
        open_before = before.isspace() or before in "([{<>=≈/+–—-,;\"'“|"
        about = open_before and _ABOUT.match(text, b) is not None
        named = before.isspace() and (after.isalpha() or after.isspace()) and not math
        if len(m[0]) > 1 or (a == 0 and not after):
            self.keep(a, b)
        elif (about and not math) or before in "/~" or named or (before.isdigit() and after.isdigit()):
            self.draft.put(a, b, hide("~"))
        elif not (before.isspace() or after.isspace()):
            self.draft.put(a, b, " ")
        return b

    def _script(self, m: re.Match[str], end: int, math: bool) -> int:
        """A sub- or superscript in braces or by a macro."""
        found = self.argument(m.end(), end)
        if found is None:
            self.keep(m.start(), m.end(), math)
            return m.end()
        start, stop, after = found
        inner = self.text[start:stop].strip() if stop - start < 20 else ""
        if m[0] == "^" and inner in _DEGREES and self.before().isdigit():
            self.draft.put(m.start(), after, "°")
        elif m[0] == "^" and inner in _PRIMES:
            self.draft.put(m.start(), after, "′" * inner.count("prime"))
        else:
            self.script(m[0], (m.start(), start, stop, after))
        return after

    def script(self, sign: str, where: tuple[int, int, int, int]) -> int:
        """Write a script (outer start, start, end, outer end); its braces go where it reads the same without."""
        outer, start, stop, after = where
        first = len(self.draft.pieces)
        self.draft.pieces.append((outer, start, hide(sign + "{")))
        self.read(start, stop, True)
        inner = self.draft.since(first + 1)
        if not inner.strip():
            self.truncate(first)
        elif len(inner) < _LONGEST_BARE and is_bare(show(inner), self.text[after : after + 1]):
            self.draft.pieces[first] = (outer, start, hide(sign))
        else:
            self.draft.put(stop, after, hide("}"))
        self.draft.wrap(first, outer, after)
        return after

    def _dash(self, m: re.Match[str], _end: int, _math: bool) -> int:
        """`--` and `---` between words or numbers are dashes; an option (`--quiet`), a rule and an arrow are not."""
        text, a, b = self.text, m.start(), m.end()
        before, after = text[a - 1 : a] if a else " ", text[b : b + 1] or " "
        spaced = before.isspace() and after.isspace()
        ends = (before.isalnum() or before in ")]}$%'\"”’.,;:!?*_>`°" or spaced) and before not in "-|"
        is_option = before.isspace() and not after.isspace()
        if len(m[0]) > 3 or not ends or is_option or after in ">|+":
            self.draft.put(a, b, hide(m[0]))
        else:
            self.draft.put(a, b, "–" if len(m[0]) == 2 else "—")
        return b

    def _quote(self, m: re.Match[str], end: int, math: bool) -> int:
        """TeX quotes become typographic ones, and two primes a double prime; a lone backtick is left to Markdown."""
        text, a, b = self.text, m.start(), m.end()
        if m[0] == "``":
            opens = _CLOSED_QUOTE.search(text, b, min(end, b + 1000)) or "´´" not in text[b : b + 1000]
            if opens and text[b : b + 1].strip() and text[b : b + 1] != "`" and text[a - 1 : a] != "`":
                self.draft.put(a, b, "“")
                return b
        elif m[0] == "''":
            before = text[a - 1 : a]
            is_inch = before.isdigit() and not 0 <= self.first_quote < a
            if a and not before.isspace() and not is_inch and before != "'" and text[b : b + 1] != "'":
                self.draft.put(a, b, "″" if math else "”")
                return b
        elif not text[a - 1 : a].isalnum() and (quoted := _SINGLE_QUOTE.match(text, a, end)):
            first = len(self.draft.pieces)
            self.draft.put(a, b, "‘")
            self.read(b, quoted.end() - 1, math)
            self.draft.put(quoted.end() - 1, quoted.end(), "’")
            self.draft.wrap(first, a, quoted.end())
            return quoted.end()
        elif m[0] == "`" and text[b : b + 1].isalpha() and (a == 0 or text[a - 1] in " \n([—–") and text.count("`", max(a - 2000, 0), b + 2000) == 1:
            self.draft.put(a, b, "‘")
            return b
        self.keep(a, b, math)
        return b

    def _comment(self, m: re.Match[str], end: int, _math: bool) -> int:
        """A line that starts with `%` is a comment in TeX source, and only there; elsewhere `%` is percent."""
        a = m.start()
        line = self.text.rfind("\n", 0, a) + 1 if self.is_tex and (a == 0 or self.text[a - 1] in " \t\n") else -1
        if line < 0 or self.text[line:a].strip() or self.text[max(line - 40, 0) : line].rstrip()[-1:].isdigit():
            self.draft.keep(a, a + 1)
            return a + 1
        self.draft.losses["comment"] += 1
        stop = self.text.find("\n", a, end)
        return end if stop < 0 else stop + 1


_HANDLERS: dict[str, Callable[[TexReader, re.Match[str], int, bool], int]] = {
    "\\": TexReader._macro, "$": TexReader._dollar, "\ufdee": TexReader._dollar, "\ufdef": TexReader._dollar,
    "{": TexReader._brace, "}": TexReader._brace, "~": TexReader._tilde, "^": TexReader._script, "_": TexReader._script,
    "-": TexReader._dash, "`": TexReader._quote, "'": TexReader._quote, "%": TexReader._comment,
}  # fmt: skip
_URL_LITERAL = {ord(c): HIDE[ord(c)] for c in "_~-&#`[]^+"}


def may_hold_tex(text: str) -> bool:
    """Whether a text has a character that TeX may mean something by; cheap."""
    return (
        "\\" in text or "$" in text or "`" in text or "~" in text or "--" in text or "''" in text or MATH_OPEN in text
        or (("{" in text or "}" in text) and not are_settled(text))
    )  # fmt: skip
