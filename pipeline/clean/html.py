"""Resolve HTML, JATS and MathML: tags, comments and entities."""

from __future__ import annotations

import re
from html.entities import html5

from pipeline.clean.characters import plain
from pipeline.clean.literals import MATH_CLOSE, MATH_OPEN, hide
from pipeline.clean.tracked import Draft, substitute
from pipeline.clean.words import words

_BLOCK = words(
    "abstract address article aside blockquote body br center dd details disp-formula disp-quote div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html label li list list-item main nav ol p pre sec "
    "section summary table tbody td tfoot th thead title tr ul"
)
_INLINE = words(
    "a abbr acronym alternatives b bdi bdo big bold caption cite code col colgroup data del dfn em email ext-link "
    "fixed-case font i img inline-formula inline-graphic input ins italic kbd link mark meta monospace named-content nobr "
    "o option overline par q roman s samp sans-serif sc scp small source span strike strong styled-content textarea tt u "
    "underline uri url var wbr xref math mi mn mo mrow mtext ms mspace mstyle mpadded mphantom mfenced semantics mover "
    "munder munderover mtable mtr mtd menclose merror msqrt mfrac msub msup msubsup mroot tex-math none mprescripts "
    "mmultiscripts maction graphic fn"
)
_SCRIPT = {"sub": "_", "inf": "_", "sup": "^"}
_DROPPED = frozenset(["script", "style", "annotation", "annotation-xml"])
_GREEK = {
    "a": "α", "b": "β", "g": "γ", "d": "δ", "e": "ε", "z": "ζ", "ee": "η", "th": "θ", "i": "ι", "k": "κ", "l": "λ", "m": "μ",
    "n": "ν", "x": "ξ", "o": "ο", "p": "π", "r": "ρ", "s": "σ", "t": "τ", "u": "υ", "ph": "φ", "kh": "χ", "ps": "ψ", "oh": "ω",
}  # fmt: skip
_NAME = r"[A-Za-z][\w:.-]*+"
_ATTRIBUTES = r"""(?P<attributes>(?:\s++[A-Za-z_:][\w:.-]*+(?:\s*+=\s*+(?:"[^"<>]*"|'[^'<>]*'|[^\s"'=<>`]++))?+)*+)"""
_TAG = re.compile(
    rf"<(?P<name>{_NAME}){_ATTRIBUTES}\s*+(?P<empty>/?)>|</(?P<end>{_NAME})\s*+>"
    r"|<(?P<link>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+)>|<(?P<mail>[\w.!#$%&'*+/=?^`{|}~-]++@[\w.-]++)>"
    r"|<!--|<!\[CDATA\[|<\?|<![A-Za-z]"
)
_CLOSERS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_ENTITY = re.compile(
    r"&(?P<amp>(?:amp|#38|#x26);)?(?:#[xX](?P<hex>[0-9a-fA-F]{1,6})|#(?P<code>[0-9]{1,7})|(?P<name>[A-Za-z][A-Za-z0-9]{1,31}));"
)
_HREF = re.compile(r"""(?:^|\s|:)href\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))""")
_HAS_VALUE = re.compile(r"\s[A-Za-z_:][\w:.-]*\s*=")
_ABSOLUTE = re.compile(r"(?:https?|ftp)://|mailto:")
# A text of more pieces than an address is made of is none. Reading it anew for each of many links within one another would take square time.
_MOST_PIECES = 50
_ALT = re.compile(r"""\salt\s*=\s*(?:"([^"]*)"|'([^']*)')""")


def resolve_tags(text: str) -> Draft:
    """Drop the tags of HTML, JATS and MathML and keep what stands between them.

    Blocks become paragraphs, scripts `_{}` and `^{}`, formulas marked for the formula step, the target of a link follows its
    text in parentheses. What is no tag of these languages (`p < 0.05`, `<EOS>`, `List<T>`) stays.

    >>> resolve_tags("<p>Ca<sup>2+</sup> at p < 0.05, <EOS></p>").result().strip()
    'Ca^{2+} at p < 0.05, <EOS>'
    """
    return _TagReader(text).read()


class _TagReader:
    """One pass over the tags of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.draft = Draft(text)
        self.position = 0
        self.links: list[tuple[int, int] | None] = []
        self.open: list[list[int]] = []  # MathML: per open element its number of children so far
        self.names: list[str] = []
        self.starts: list[tuple[str, int, int]] = []
        self.absent: set[str] = set()
        self.lower = text.lower()

    def read(self) -> Draft:
        m = _TAG.search(self.text)
        while m:
            stop = self._handle(m)
            if stop:
                self.position = stop
                self.draft.losses["tag"] += 1
            m = _TAG.search(self.text, stop or m.start() + 1)
        self.draft.keep(self.position, len(self.text))
        return self.draft

    def _handle(self, m: re.Match[str]) -> int:
        """Write what takes the place of a tag; where to go on, 0 if it is no tag."""
        if _is_escaped(self.text, m.start()):
            return 0
        if m["link"] or m["mail"]:
            return self._autolink(m)
        name = m["name"] or m["end"]
        if name is None:
            return self._markup(m)
        local = name.lower().rpartition(":")[2]
        if not _is_tag(name, local, m["attributes"] or "", self.lower, bool(m["empty"]) and name.islower()):
            return 0
        self.draft.keep(self.position, m.start())
        if m["end"]:
            self._close(local, m)
            return m.end()
        if local in _DROPPED and not m["empty"]:
            end = self._find(f"</{name.lower()}", m.end())
            stop = self.text.find(">", end) + 1 if end >= 0 else 0
            return stop or m.end()
        self._open(local, m)
        return m.end()

    def _find(self, needle: str, start: int) -> int:
        """The place of `needle`, -1 if none; searched to the end at most once in vain."""
        if needle in self.absent:
            return -1
        found = self.lower.find(needle, start)
        if found < 0:
            self.absent.add(needle)
        return found

    def _autolink(self, m: re.Match[str]) -> int:
        self.draft.keep(self.position, m.start())
        first = len(self.draft.pieces)
        inner = self.text[m.start() + 1 : m.end() - 1]
        self.draft.put(m.start() + 1, m.end() - 1, inner if "\\" in inner else hide(inner))
        self.draft.wrap(first, m.start(), m.end())
        return m.end()

    def _markup(self, m: re.Match[str]) -> int:
        """Comments, CDATA and declarations."""
        closer = _CLOSERS.get(m[0], ">")
        end = self._find(closer.lower(), m.end())
        if end < 0:
            return 0
        self.draft.keep(self.position, m.start())
        if m[0] == "<![CDATA[":
            self.draft.put(m.end(), end, hide(self.text[m.end() : end]))
        else:
            self.draft.losses["comment"] += 1
        return end + len(closer)

    def _open(self, local: str, m: re.Match[str]) -> None:
        a, b = m.span()
        self._child(a)
        if local in _SCRIPT:
            self._start(local, a)
            self.draft.put(a, b, _SCRIPT[local] + "{")
        elif local in ("tex-math", "math"):
            self._start(local, a)
            self.draft.put(a, b, MATH_OPEN)
        elif local == "a" or local in ("ext-link", "uri"):
            href = _HREF.search(self.text, m.start("attributes"), m.end("attributes"))
            self.links.append(href.span(href.lastindex or 0) if href else None)
            self._start(local, a)
        elif local == "img" and (alt := _ALT.search(m[0])):
            group = 1 if alt[1] is not None else 2
            self.draft.keep(a + alt.start(group), a + alt.end(group))
        elif local in _BLOCK:
            self.draft.put(a, b, "\n" if local == "br" else "\n\n")
        elif local == "msqrt":
            self.draft.put(a, b, "\\sqrt{")
        if local.startswith("m") and local in _INLINE and not m["empty"]:
            self.open.append([0])
            self.names.append(local)
        elif local in _INLINE and local not in ("a", "ext-link", "uri"):
            self._start(local, a)

    def _start(self, local: str, position: int) -> None:
        self.starts.append((local, len(self.draft.pieces), position))

    def _child(self, a: int) -> None:
        """Inside MathML: what separates this child from the one before it."""
        if not self.open:
            return
        self.open[-1][0] += 1
        number, parent = self.open[-1][0], self.names[-1]
        if parent == "mfrac":
            self.draft.put(a, a, "\\frac{" if number == 1 else "{")
        elif number > 1 and parent in ("msub", "msup", "msubsup"):
            self.draft.put(a, a, "^{" if parent == "msup" or number == 3 else "_{")

    def _close(self, local: str, m: re.Match[str]) -> None:
        a, b = m.span()
        if local in _SCRIPT or local == "msqrt":
            self.draft.put(a, b, "}")
        elif local in ("tex-math", "math"):
            self.draft.put(a, b, MATH_CLOSE)
        elif local in ("a", "ext-link", "uri") and self.links:
            self._target(self.links.pop())
        elif local in _BLOCK:
            self.draft.put(a, b, "\n\n")
        if self.starts and self.starts[-1][0] == local:
            _, first, start = self.starts.pop()
            self.draft.wrap(first, start, b)
        if local.startswith("m") and local in _INLINE and self.names and self.names[-1] == local:
            self.names.pop()
            self.open.pop()
            if self.open and (
                self.names[-1] == "mfrac" or (self.names[-1] in ("msub", "msup", "msubsup") and self.open[-1][0] > 1)
            ):
                self.draft.put(b, b, "}")

    def _target(self, target: tuple[int, int] | None) -> None:
        """The target of a link in parentheses after its text, unless it is its text or leads nowhere."""
        if target is None:
            return
        url = self.text[target[0] : target[1]]
        first = next((first for name, first, _ in reversed(self.starts) if name in ("a", "ext-link", "uri")), 0)
        shown = self.draft.since(first).strip() if len(self.draft.pieces) - first < _MOST_PIECES else "a long text"
        if not _ABSOLUTE.match(url) or shown.rstrip("/") == url.rstrip("/"):
            self.draft.losses["link_target"] += 1
            return
        self.draft.put(target[0], target[0], " (" if shown else "")
        self.draft.keep(*target)
        self.draft.put(target[1], target[1], ")" if shown else "")


def _is_escaped(text: str, position: int) -> bool:
    """Whether a backslash takes the meaning from the character at `position`."""
    return position > 0 and text[position - 1] == "\\" and text[max(position - 2, 0) : position - 1] != "\\"


def _is_tag(name: str, local: str, attributes: str, lower: str, empty: bool) -> bool:
    """Whether a tag belongs to a mark-up language, and is no token of the text such as `<s>` or `<think>`."""
    if local == "s":
        return "</s>" in lower and "<s>" in lower
    if local in _BLOCK or local in _INLINE or local in _SCRIPT or local in _DROPPED:
        return not (len(name) == 1 and name.isupper() and f"</{name.lower()}>" not in lower)
    return bool(attributes and _HAS_VALUE.search(attributes)) or empty or name.startswith(("jats:", "mml:"))


def decode_entities(text: str) -> Draft:
    """Decode `&amp;`, `&#228;`, `&alpha;`, once; what stands for mark-up becomes literal characters.

    Escaped twice: an entity for anything but `<`, `>` and `&` is taken for an accident and decoded, too. Names that
    HTML does not know stay.

    >>> from pipeline.clean.literals import show
    >>> show(decode_entities("5&nbsp;&plusmn;&nbsp;1 &mgr;m, Costa&amp;apos;s, &foo;").result())
    "5 ± 1 μm, Costa's, &foo;"
    """
    edits = []
    literal = False
    for m in _ENTITY.finditer(text):
        if _is_escaped(text, m.start()):
            continue
        new, stop = _character(m), m.end()
        if m["amp"] and (new is None or new in "<>&"):
            literal = literal or new is not None
            new, stop = "&", m.end("amp")
        if new is not None:
            edits.append((m.start(), stop, hide(plain(new))))
    draft = substitute(text, edits, "entity")
    if literal:
        draft.flags.add("literal_markup")
    return draft


def _character(m: re.Match[str]) -> str | None:
    """The character that an entity stands for; None if it stands for none."""
    if m["name"]:
        name = m["name"]
        found = html5.get(name + ";") or html5.get(name.lower() + ";")
        if found is None and name.endswith("gr"):
            found = _GREEK.get(name[:-2])
        return found
    code = int(m["hex"], 16) if m["hex"] else int(m["code"])
    if code in (9, 10, 13):
        return "\n"
    if code > 0x10FFFF or code < 32 or 0xD800 <= code < 0xE000 or 0xFDD0 <= code < 0xFDF0:
        return None
    if 0x80 <= code < 0xA0:
        return bytes([code]).decode("cp1252", "ignore") or None
    return chr(code)
