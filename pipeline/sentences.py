"""Sentence boundaries and word counts of clean scientific prose."""

from __future__ import annotations

import re

from pipeline.model import Span

_CLOSERS = "\"”’'»)\\]"
_GAP = rf"[{_CLOSERS}]*(?P<gap>\s+)(?=(?P<next>[\"“‘'«(\[¿¡]*(?:[^\W_]|[•⁃–$#@~+−-]|\.\.\.)))"
# A run of stops is looked at from its first one only: else a long run would be read again from each of its stops.
_STOP = re.compile(rf"[.!?…](?<![.!?…]{{2}})[.!?…]*+{_GAP}")
# The same for a text without other stops. It starts with a plain character, which lets the regex engine skip to candidates.
_FULL_STOP = re.compile(rf"\.(?<!\.\.)\.*+{_GAP}")
_PARAGRAPH = re.compile(r"\n\n+")
_CJK = re.compile(r"[。！？](?<![。！？]{2})[。！？]*[」』）”’]*(?=\S)")
_BULLET = re.compile(r"\s(?<!\s\s)\s*+(?=[•⁃]\s?\d*\S)")
_CAMEL = re.compile(r"[a-z]{1,2}[A-Z]|\([a-z]{1,3}\) [A-Z]")
_HEAD = re.compile(r"(?:[^\W\d_]|[.’'°&-])+\Z")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# After these a full stop ends no sentence, whatever follows.
_NEVER = _words(
    "e.g i.e cf vs viz resp approx ca c.f a.k.a w.r.t incl excl fig figs eq eqs sec secs sect tab ref refs ch chap vol no nos pp p "
    "dr prof mr mrs ms st sr jr gen col lt sgt rev hon dept univ inst assoc est var spp sp subsp cv ed eds trans n n° nº art"
)
# After these one does if what follows starts with a word that starts sentences.
_MAYBE = _words("etc inc ltd co corp u.s u.k u.n e.u a.m p.m i.i.d s.t ph.d m.sc b.sc d.c u.s.a al")
_STARTERS = _words(
    "The This These That Those We Our It Its In On At By For From To With Here However Moreover Furthermore Finally Additionally "
    "How What Why When Where Who A An As If They He She You I There Then Thus Hence Both All Each Some Most Many Such "
    "While Although Since Because After Before During Results Methods Conclusions Background And But Or Please My Did"
)
# These stand before a number; before a word they end a sentence.
_NUMBERED = _words("no nos p pp vol ch chap art n n° nº")
_WORD = re.compile(r"[^\W_]+")
_ITEM = re.compile(r"(?:^|(?<=\s))(?:\d{1,2}\.?\)|[a-z]\.) (?=[A-Z])")

def _endings(length: int) -> str:
    """The last `length` letters of the words after which a full stop may end no sentence, as alternatives."""
    return "|".join(sorted({word[-length:] for word in _NEVER | _MAYBE if word[-length:].isalpha() and len(word) >= length}))


# A full stop that ends a sentence for certain (before it the end of a word that is no abbreviation, or a closing sign; after it a
# capital), and the stops that have to be judged, with and without other stops in the text.
_IS_SURE = (
    rf"(?:(?<=[A-Za-z][A-Za-z][A-Za-z][A-Za-z]\.)(?<!(?i:{_endings(4)})\.)|(?<=[A-Za-z][A-Za-z][A-Za-z]\.)(?<!(?i:{_endings(3)})\.)"
    r"|(?<=[)\]%]\.)) (?=[A-Z])"
)
_SURE = re.compile(rf"\.{_IS_SURE}")
_UNSURE = re.compile(rf"(?:\.(?!{_IS_SURE})|[!?…])(?<![.!?…]{{2}})[.!?…]*+{_GAP}")
_UNSURE_FULL_STOP = re.compile(rf"\.(?!{_IS_SURE})(?<!\.\.)\.*+{_GAP}")


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
    for stop, following, m in _candidates(text):
        if m is not None and not _ends(text, m, start):
            continue
        if stop > start:
            spans.append((start, stop))
        start = max(start, following)
    end = len(text.rstrip())
    if start < end:
        spans.append((start, end))
    return _split_items(text, spans) if _ITEM.match(text) else spans


def _candidates(text: str) -> list[tuple[int, int, re.Match[str] | None]]:
    """Where a sentence may end, where the next one would start, and the stop that has to be judged (None: it ends)."""
    stop = _STOP if "?" in text or "!" in text or "…" in text else _FULL_STOP
    found: list[tuple[int, int, re.Match[str] | None]] = [(*m.span(1), m) for m in stop.finditer(text)]
    count = len(found)
    if "\n\n" in text:
        found += [(m.start(), m.end(), None) for m in _PARAGRAPH.finditer(text)]
    if _has_other_ends(text):
        if "。" in text or "！" in text or "？" in text:
            found += [(m.end(), m.end(), None) for m in _CJK.finditer(text)]
        if "•" in text or "⁃" in text:
            found += [(m.start(), m.end(), None) for m in _BULLET.finditer(text)]
    return found if len(found) == count else sorted(found, key=lambda hit: hit[:2])


def _has_other_ends(text: str) -> bool:
    """Whether a text may hold ends of sentences other than stops before white space: ideographic ones and bullets."""
    return not text.isascii() and ("。" in text or "！" in text or "？" in text or "•" in text or "⁃" in text)


def count_sentences(text: str) -> int:
    """How many sentences a clean text has: as many as `split_sentences` finds, without looking at the stops that are beyond doubt.

    >>> count_sentences("Smith et al. show it (Fig. 2). U.S. data, e.g. MNIST, agree. Gains of 3.5 are common.")
    3
    """
    if not _ITEM.match(text) and not _has_other_ends(text):
        counts = [_count_paragraph(paragraph) for paragraph in text.split("\n\n")]
        if None not in counts:
            return sum(filter(None, counts))
    return len(split_sentences(text))


def _count_paragraph(text: str) -> int | None:
    """How many sentences a paragraph has; None where that depends on where its sentences begin."""
    count = len(_SURE.findall(text))
    unsure = _UNSURE if "?" in text or "!" in text or "…" in text else _UNSURE_FULL_STOP
    for m in unsure.finditer(text):
        if text[m.start() - 1 : m.start()].isdigit() and _last_word(text, 0, m.start()).isdigit():
            return None
        count += _ends(text, m, 0)
    return count + bool(text.strip())


def count_words(text: str) -> int:
    """How many words a text has: runs of letters and digits between white space, ideographs and kana one each.

    >>> count_words("State-of-the-art on 3.5M pairs: e.g. F_1 = 90%.")
    7
    """
    if text.isascii():
        return _count_spaced(text.encode("ascii"))
    odd = set(text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass"))
    if len(odd) > _FEW or _IDEOGRAPH.search("".join(odd)):
        return _count_spaced(_NON_ASCII.sub(_kinds, text).encode("ascii"))
    for character in odd:
        if not character.isalnum():
            text = text.replace(character, " " if character.isspace() else "")
    return _count_spaced(text.encode("ascii", "xmlcharrefreplace"))


def _count_spaced(text: bytes) -> int:
    """Words between white space. Without the signs, what holds no letter or digit is gone, and a word starts after each space."""
    kinds = b" " + text.translate(_SPACE_OR_LETTER, _SIGNS)
    return kinds.count(b" a")


def _kinds(m: re.Match[str]) -> str:
    """A letter for letters and digits, with spaces around an ideograph; a space for white space; nothing for signs."""
    return "".join(" a " if _IDEOGRAPH.match(c) else "a" if c.isalnum() else " " if c.isspace() else "" for c in m[0])


_NON_ASCII = re.compile("[^\x00-\x7f]+")
_ASCII = bytes(range(128))
# So many characters outside ASCII are looked at one by one.
_FEW = 60
_SIGNS = bytes(c for c in range(128) if not (chr(c).isalnum() or chr(c).isspace()))
_SPACE_OR_LETTER = bytes(ord(" ") if chr(c).isspace() else ord("a") for c in range(256))
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")


# A number in front of an item of a list is shorter than this, a word before a stop not longer than that: looking further would take
# time that grows with the square of a text.
_LONGEST_NUMBER, _LONGEST_WORD = 16, 40


def _last_word(text: str, start: int, at: int) -> str:
    """The word, or its end, that stands right before `at`."""
    first = max(start, at - _LONGEST_WORD)
    return text[max(text.rfind(" ", first, at) + 1, first) : at]


def _ends(text: str, m: re.Match[str], start: int) -> bool:
    """Whether the stop `m` ends the sentence that began at `start`."""
    at, gap = m.start(), m.start(1)
    stop, first = text[at:gap], m[2].lstrip("\"“‘'«([¿¡")[:1]
    if first.islower() and not _CAMEL.match(text, m.end(1)):
        return False
    if stop[0] != ".":
        return True
    if stop != ".":
        return not (stop.startswith("...") and "]" in stop)
    word = _last_word(text, start, at)
    if word.isalpha() and len(word) > 1 and (lower := word.lower()) not in _NEVER and lower not in _MAYBE:
        return True
    if word[-1:].isdigit() and at - start < _LONGEST_NUMBER and text[start:at].lstrip("•⁃ ").isdigit():
        return False
    head = _HEAD.search(word)
    return head is None or _ends_after(head[0].lstrip("'’-&"), text, m, first)


def _ends_after(word: str, text: str, m: re.Match[str], first: str) -> bool:
    """Whether a full stop after `word`, an abbreviation or an initial, ends a sentence."""
    lower = word.lower().rstrip("’'")
    tail = lower.rpartition("-")[2]
    if lower in _NEVER or tail in _NEVER:
        return tail in _NUMBERED and not first.isdigit()
    following = _WORD.match(text, m.end("gap") + len(m["next"]) - 1)
    starts = following is not None and following[0] in _STARTERS
    if lower in _MAYBE:
        return starts
    if len(word) == 1 and word.isalpha() and word.isupper():
        return starts or not first.isupper() or (word == "I" and starts)
    return not re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]", word) or starts


def _split_items(text: str, spans: list[Span]) -> list[Span]:
    """Sentences of a text that is an enumeration (`1) … 2) …`), cut before each item."""
    cuts = [m.start() for m in _ITEM.finditer(text)]
    edges = sorted({*cuts, *(a for a, _ in spans if not any(c < a <= c + 4 for c in cuts))})
    ends = [*edges[1:], len(text)]
    return [(a, a + len(text[a:b].rstrip())) for a, b in zip(edges, ends, strict=True) if text[a:b].strip()]
