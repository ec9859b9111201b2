"""Sentence boundaries and word counts of clean scientific prose."""

from __future__ import annotations

import re

from pipeline.model import Span

_CLOSERS = "\"”’'»)\\]"
_END = re.compile(
    rf"(?P<stop>[.!?…]+[{_CLOSERS}]*)(?P<gap>\s+)(?=(?P<next>[\"“‘'«(\[¿¡]*(?:[^\W_]|[•⁃–$#@~+−-]|\.\.\.)))"
    r"|(?P<paragraph>\n\n+)|(?P<cjk>[。！？]+[」』）”’]*)(?=\S)|(?P<item>\s+)(?=[•⁃]\s?\d*\S)"
)
_HEAD = re.compile(r"(?:[^\W\d_]|[.’'°&-])+\Z")
# After these a full stop ends no sentence, whatever follows.
_NEVER = frozenset(
    "e.g i.e cf vs viz al resp approx ca c.f a.k.a w.r.t incl excl fig figs eq eqs sec secs tab ref refs ch chap vol no nos pp p "
    "dr prof mr mrs ms st sr jr gen col lt sgt rev hon dept univ inst assoc est var spp sp subsp cv ed eds trans n n° nº art".split()
)
# After these one does if what follows starts with a capital letter that is no name's.
_MAYBE = frozenset("etc inc ltd co corp u.s u.k u.n e.u a.m p.m i.i.d s.t ph.d m.sc b.sc d.c u.s.a et.al".split())
_STARTERS = frozenset(
    "The This These That Those We Our It Its In On At By For From To With Here However Moreover Furthermore Finally Additionally "
    "How What Why When Where Who A An As If To They He She You I There Then Thus Hence Both All Each Some Most Many Such "
    "While Although Since Because After Before During Results Methods Conclusions Background And But Or Please My Did".split()
)
_WORD = re.compile(r"[^\W_]+")
_ITEM = re.compile(r"(?:^|(?<=\s))(?:\d{1,2}\.?\)|[a-z]\.) (?=[A-Z])")
_ORDINAL = frozenset("fig figs eq eqs sec secs tab no nos p pp vol ch chap ref refs art n n° nº".split())


def split_sentences(text: str) -> list[Span]:
    """Spans of the sentences of a clean text, without the white space between them.

    Rules, not a model: a full stop ends a sentence unless it belongs to an abbreviation, an initial or a number, or a
    small letter follows. Checked against the Golden Rules of pySBD where they fit prose.

    >>> text = "Smith et al. show it (Fig. 2). U.S. data, e.g. MNIST, agree. Gains of 3.5 are common."
    >>> [text[a:b] for a, b in split_sentences(text)]
    ['Smith et al. show it (Fig. 2).', 'U.S. data, e.g. MNIST, agree.', 'Gains of 3.5 are common.']
    """
    spans: list[Span] = []
    start = 0
    for m in _END.finditer(text):
        kind = m.lastgroup
        if kind == "next":
            if not _ends(text, m, start):
                continue
            stop, following = m.end("stop"), m.end("gap")
        elif kind == "cjk":
            stop = following = m.end()
        else:
            stop, following = m.start(), m.end()
        if stop > start:
            spans.append((start, stop))
        start = following
    end = len(text.rstrip())
    if start < end:
        spans.append((start, end))
    return _split_items(text, spans) if _ITEM.match(text) else spans


def count_words(text: str) -> int:
    """How many words a text has: runs of letters and digits between white space, ideographs and kana one each.

    >>> count_words("State-of-the-art on 3.5M pairs: e.g. F_1 = 90%.")
    7
    """
    if text.isascii():
        return sum(1 for word in text.split() if word.isalnum() or _WORD.search(word))
    ideographs = len(_IDEOGRAPH.findall(text))
    return ideographs + sum(1 for word in _IDEOGRAPH.sub(" ", text).split() if _WORD.search(word))


_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")


def _ends(text: str, m: re.Match[str], start: int) -> bool:
    """Whether the stop `m` ends the sentence that began at `start`."""
    stop, follows = m["stop"], m["next"]
    first = follows.lstrip("\"“‘'«([¿¡")[:1]
    if first.islower():
        return stop[0] in "!?" and stop[-1] not in "\"”’'" and False
    if stop[0] != ".":
        return True
    if stop.startswith(".") and len(stop) > 1 and stop[1] == ".":
        return not first.islower()
    if stop != ".":
        return True
    head = _HEAD.search(text, max(m.start() - 24, start), m.start())
    if head is None:
        return True
    return _ends_after(head[0].lstrip("'’-&"), text, m, first)


def _ends_after(word: str, text: str, m: re.Match[str], first: str) -> bool:
    """Whether a full stop after `word` ends a sentence."""
    lower = word.lower().rstrip("’'")
    tail = lower.rpartition("-")[2]
    if lower in _NEVER or tail in _NEVER:
        return tail in _ORDINAL and not first.isdigit() and lower not in ("fig", "figs", "eq", "eqs", "sec", "tab", "ref", "refs")
    following = _WORD.match(text, m.end("gap") + len(m["next"]) - 1)
    starts = following is not None and following[0] in _STARTERS
    if lower in _MAYBE:
        return starts
    if len(word) == 1 and word.isalpha() and word.isupper():
        return starts or not first.isupper() or word == "I" and starts
    return not re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]", word) or starts


def _split_items(text: str, spans: list[Span]) -> list[Span]:
    """Sentences of a text that is an enumeration (`1) … 2) …`), cut before each item."""
    cuts = [m.start() for m in _ITEM.finditer(text)]
    edges = sorted({*cuts, *(a for a, _ in spans if not any(c < a <= c + 4 for c in cuts))})
    ends = [*edges[1:], len(text)]
    return [(a, a + len(text[a:b].rstrip())) for a, b in zip(edges, ends, strict=True) if text[a:b].strip()]
