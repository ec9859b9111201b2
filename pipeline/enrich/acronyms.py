"""Short and long forms that a text pairs: `Long Form (LF)`, `LF (Long Form)`, nested, hyphenated, plural, lower case.

The idea of reading the letters of the short form out of the words before it is that of A. Schwartz and M. Hearst (PSB 2003);
instead of their greedy search from the right, an alignment with scores decides which words belong to the long form
(compare S. Sohn et al., BMC Bioinformatics 2008): initial letters count most, letters inside a word less, skipped words cost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pipeline.model import Span

MAX_SHORT = 14
_MAX_WORDS = 18
_BRACKET = re.compile(r"[(\[]([^()\[\]\n]{1,240})[)\]]")
_OUTER = re.compile(r"\(((?:[^()\n]|\([^()\n]{0,80}\)){1,240})\)")
_LEAD = re.compile(
    r"(?:(?:hereafter|henceforth|or|i\.e\.|aka|a\.k\.a\.|called|termed|dubbed|named|denoted|abbreviated|abbr\.|short|known|referred"
    r"|to|as|for|by|the|our|we|call|it|simply|briefly|namely)(?:\s*[,:]\s*|\s+))+",
    re.I,
)
_SHORT = re.compile(r"[^\W_](?:[\w&/+*.^,'’–-]|\([\w+-]{1,5}\)|\s(?=[\w(])){0,13}[\w+*)]?")
_BEFORE = re.compile(r"(?<![\w-])([^\W_][\w&/+*.^'’-]{0,13})\s*$")
_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(["a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "over", "per", "s", "the", "their", "this", "to", "under", "up", "via", "vs", "with", "within", "without", "using"])
_NEVER = frozenset(
    ["a", "an", "and", "are", "as", "at", "by", "eg", "ie", "etc", "for", "from", "in", "is", "it", "of", "on", "or", "see", "the", "to", "vs", "we", "with", "no", "yes", "all", "any", "both", "each", "not", "only", "also", "our", "left", "right", "top", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "n", "p", "r", "t", "e", "d", "figure", "fig", "table", "ref", "refs", "al", "et", "new", "old", "up", "down", "one", "two", "three"]
)
_COLON = re.compile(r"(?<![\w-])(?=[\w.+-]{1,80}+: )([^\W_a-z][\w.+-]*[A-Z][\w.+-]*): ((?:[A-Z][\w-]+|of|for|and|to|via|with|in|the|from)(?: (?:[A-Z][\w-]+|of|for|and|to|via|with|in|the|from)){1,9})")
_NESTED = re.compile(r"\([^()\n]{0,240}\(")
_PART = re.compile(r"\s*[,;:=]\s|\s[-–—]\s")
_LONG_END = re.compile(r"[;:]|,\s(?=e\.g|see|i\.e)")
_CLAUSE = re.compile(r"[.;:!?]\s|(?<![^\s(])[(\[]|[)\]](?=[\s,])")
_LOCANT = re.compile(r"(?<![^\s(])[\w,'’()]*\d[\d,'’()N-]*-$")


@dataclass(frozen=True, slots=True)
class Pair:
    """A short form and its long form with their spans in the text."""

    short: str
    long: str
    short_span: Span
    long_span: Span


def find_pairs(text: str) -> list[Pair]:
    """All pairs of a short and a long form in `text`, in order of the short form's place; none overlaps another of the same short form.

    >>> [(p.short, p.long) for p in find_pairs("We use reinforcement learning (RL) and SAC (Soft Actor-Critic).")]
    [('RL', 'reinforcement learning'), ('SAC', 'Soft Actor-Critic')]
    """
    found: dict[Span, Pair] = {}
    if ": " in text:
        found = {pair.short_span: pair for pair in _colon_pairs(text)}
    for start, end in _brackets(text):
        pair = _pair_at(text, start, end)
        if pair is not None and pair.short_span not in found:
            found[pair.short_span] = pair
    return [found[span] for span in sorted(found)]


def _colon_pairs(text: str) -> Iterator[Pair]:
    """`SF: Long Form`, the long form in title case."""
    for hit in _COLON.finditer(text):
        words = tuple(m.group() for m in _WORD.finditer(hit.group(2)))
        while len(words) > 1 and words[-1].islower():
            words = words[:-1]
        if len(words) > 1 and align(words, hit.group(1)) == 0:
            end = [m.end() for m in _WORD.finditer(hit.group(2))][len(words) - 1] + hit.start(2)
            yield Pair(hit.group(1), text[hit.start(2) : end], hit.span(1), (hit.start(2), end))


def _brackets(text: str) -> Iterator[Span]:
    """Contents of brackets, inner ones first, then outer ones that hold another pair."""
    for hit in _BRACKET.finditer(text):
        yield hit.span(1)
    if _NESTED.search(text):
        for hit in _OUTER.finditer(text):
            if "(" in hit.group(1):
                yield hit.span(1)


def _pair_at(text: str, start: int, end: int) -> Pair | None:
    """The pair that the bracket with the content `start:end` makes with the words before it."""
    inside = text[start:end]
    lead = _LEAD.match(inside)
    at = start + (lead.end() if lead else 0)
    for piece_start, piece_end in _pieces(text, at, end):
        short = text[piece_start:piece_end]
        if is_short_form(short):
            span = _long_before(text, start - 1, short)
            if span is not None:
                return Pair(short, text[span[0] : span[1]], (piece_start, piece_end), span)
    return _reversed_pair(text, start, end)


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """What may be the short form in a bracket: all of it, or its first part before `,`, `;`, `:` or `=`."""
    while end > start and text[end - 1] in " \"'”’":
        end -= 1
    while start < end and text[start] in " \"'“‘":
        start += 1
    yield start, end
    cut = _PART.search(text, start, end)
    if cut and cut.start() > start:
        yield start, cut.start()


def is_short_form(short: str) -> bool:
    """Whether `short` looks like a short form: brief, starts with a letter or digit, holds a letter.

    >>> is_short_form("LLMs"), is_short_form("see Table 2"), is_short_form("2019")
    (True, False, False)
    """
    if not 0 < len(short) <= MAX_SHORT or not _SHORT.fullmatch(short):
        return False
    if len(short) == 1:
        return short.isupper()
    low = short if short.isupper() and short[-1] not in "IVX" else short.casefold()
    if low.strip(".") in _NEVER or low.replace(".", "") in _NEVER or not any(c.isalpha() for c in short):
        return False
    spaces = short.count(" ")
    return not spaces or (spaces == 1 and len(short) <= 11 and any(c.isupper() or c.isdigit() for c in short) and low.split()[0] not in _STOP)


def _long_before(text: str, end: int, short: str) -> Span | None:
    """Span of the long form of `short` that ends before `end`, if the words there hold its letters."""
    while end > 0 and text[end - 1] in " \"”’'":
        end -= 1
    begin = max(0, end - 16 * len(short) - 50)
    for cut in _CLAUSE.finditer(text, begin, end):
        if not (text[cut.start()] == "." and _is_abbreviated(text, cut.start())):
            begin = cut.end()
    words = [(m.start(), m.end()) for m in _WORD.finditer(text, begin, end)][-_MAX_WORDS:]
    if not words or end - words[-1][1] > 2:
        return None
    first = align(tuple(text[a:b] for a, b in words), short)
    if first is None:
        return None
    start = words[first][0]
    locant = _LOCANT.search(text, max(begin, start - 16), start)
    if locant:
        start = locant.start()
    elif start > 0 and (text[start - 1].isalnum() or text[start - 1] in "-–") and first > 0:
        return None
    long = text[start:end]
    if len(short) == 1 and (len(words) - first > 1 or len(long) < 5):
        return None
    if len(long) <= len(short) or short.casefold() in long.casefold().split():
        return None
    return start, end


def _is_abbreviated(text: str, dot: int) -> bool:
    word = text[max(0, dot - 4) : dot].rsplit(" ", 1)[-1]
    return len(word) < 3


def _reversed_pair(text: str, start: int, end: int) -> Pair | None:
    """`SF (long form)`: the word before the bracket is the short form of its content."""
    before = _BEFORE.search(text, max(0, start - 18), start - 1)
    if before is None:
        return None
    short = before.group(1)
    if not is_short_form(short) or sum(c.isupper() or c.isdigit() for c in short) < 2:
        return None
    stop = _LONG_END.search(text, start, end)
    end = stop.start() if stop else end
    lead = re.match(r"(?:short for|i\.e\.,?|stands for|the|an?|acronym (?:for|of))\s+", text[start:end])
    start += lead.end() if lead else 0
    words = [text[m.start() : m.end()] for m in _WORD.finditer(text, start, end)]
    if len(words) < 2 or len(words) > _MAX_WORDS or len(text[start:end]) <= len(short):
        return None
    if align(tuple(words), short) != 0:
        return None
    return Pair(short, text[start:end].strip(), before.span(1), (start, start + len(text[start:end].rstrip())))


@lru_cache(maxsize=4096)
def align(words: tuple[str, ...], short: str) -> int | None:
    """Index of the first word of the long form whose letters make `short`; None if there is none.

    >>> align(("the", "Fine", "grained", "Forgetting", "Transformer"), "FiX") is None
    True
    >>> align(("the", "bag", "of", "words"), "BoW")
    1
    """
    letters = [c for c in short if c.isalnum()]
    if len(letters) > 1 and letters[-1] == "s" and any(c.isupper() for c in letters[:-1]) and not words[-1].endswith("s"):
        letters.pop()
    low = [w.casefold() for w in words]
    first = _initials(low, [c.casefold() for c in letters])
    return first if first is not None else _Aligner(words, low, letters).best()


def _initials(low: list[str], letters: list[str]) -> int | None:
    """The easy case: the letters are the initials of the last words, stop words counted or not."""
    k, j = len(letters) - 1, len(low) - 1
    if letters[k] == "s" and k > 1 and low[j][-1:] == "s" and low[j][0] == letters[k - 1]:
        k -= 1
    while k >= 0 and j >= 0:
        if low[j][0] == letters[k]:
            k -= 1
        elif low[j] not in _STOP or j == len(low) - 1:
            return None
        j -= 1
    return j + 1 if k < 0 and len(letters) > 1 else None


class _Aligner:
    """Scores of the ways in which the letters of a short form can be read out of words."""

    START, INNER, ADJACENT, SKIP, SKIP_STOP = 1.0, 0.4, 0.45, -0.6, -0.05
    SAME_CASE = 0.5
    ACCEPT = 0.3

    def __init__(self, words: tuple[str, ...], low: list[str], letters: list[str]) -> None:
        self.words, self.low = words, low
        self.letters = [c.casefold() for c in letters]
        self.upper = [c.isupper() or c.isdigit() for c in letters]
        self.memo: dict[tuple[int, int], float] = {}

    def best(self) -> int | None:
        """The first word of the best long form, if it is good enough."""
        total, choice = self.ACCEPT * len(self.letters), None
        for j in range(len(self.low) - 1, -1, -1):
            if self.low[j][0] == self.letters[0] and (len(self.low) - j <= 2 * len(self.letters) + 2):
                score = self._take(j, 0)
                if score > total:
                    total, choice = score, j
        return choice

    def _rest(self, j: int, k: int) -> float:
        """Best score of the letters from `k` on in the words from `j` on."""
        if k == len(self.letters):
            return self.SKIP * (len(self.low) - j) * 1.2
        if j == len(self.low):
            return -99.0
        key = (j, k)
        if key not in self.memo:
            skip = self.SKIP_STOP if self.low[j] in _STOP else self.SKIP
            self.memo[key] = max(skip + self._rest(j + 1, k), self._take(j, k))
        return self.memo[key]

    def _take(self, j: int, k: int) -> float:
        """Best score when word `j` gives at least one letter from `k` on."""
        word, best, score, at = self.low[j], -99.0, 0.0, -1
        for t in range(k, min(len(self.letters), k + 8)):
            place = word.find(self.letters[t], at + 1)
            if place < 0:
                break
            if place == 0:
                score += self.START + (self.SAME_CASE if self.upper[t] and self.words[j][0].isupper() else 0.0)
            elif t == k:
                score -= 0.4 if self.upper[t] and not self.words[j][place].isupper() else 0.1
            elif self.words[j][place].isupper() and self.upper[t]:
                score += self.START
            else:
                score += self.ADJACENT if place == at + 1 else self.INNER
            at = place
            best = max(best, score + self._rest(j + 1, t + 1))
        return best
