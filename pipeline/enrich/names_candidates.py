"""What may be a name: runs of capitalised or name-shaped words, christened phrases, known phrases, acronym pairs.

Everything that a reader could take for a name should be among the candidates, with every sensible border;
the model (`names_model.py`) decides which of them are names and of what.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from pipeline.enrich.acronyms import Pair, find_pairs
from pipeline.enrich.lexicon import fold, type_of_phrase
from pipeline.enrich.names_tokens import (
    CAPITAL,
    CHRISTENING,
    LETTER,
    LOWER,
    NAME_TYPES,
    NUMBER,
    PUNCTUATION,
    SHAPE,
    Token,
    kind_of,
    tokenize,
)
from pipeline.enrich.names_words import (
    CONNECTORS,
    DATA_HEADS,
    GENERIC_HEADS,
    HEADS,
    LOWER_HEADS,
    NO_NAMES,
    NP_STOP,
    QUOTES,
    SIZE,
    SKIP,
    SUFFIX,
    TAILS,
)
from pipeline.model import Span

_MOST_MENTIONS, _MOST_GROUPS = 40, 1000
"""More than any abstract has; texts that are no abstracts stay cheap."""


@dataclass(slots=True)
class Group:
    """All candidate mentions of one name: `(first token, after the last token, characters cut off its end)`."""

    key: str
    mentions: list[tuple[int, int, int]] = field(default_factory=list)
    source: str = ""
    pair: Pair | None = None
    other: str = ""


@lru_cache(maxsize=65536)
def fold_name(name: str) -> str:
    """Key under which spellings of a name are one: case, spaces, hyphens, plural.

    >>> fold_name("GNNs") == fold_name("GNN"), fold_name("Flow-TTRL") == fold_name("flow ttrl"), fold_name("C++") == fold_name("C")
    (True, True, False)
    """
    text = unicodedata.normalize("NFKC", name).strip()
    if len(text) > 1 and text[-1] == "s" and (text[-2].isupper() or text[-2].isdigit()):
        text = text[:-1]
    text = "".join(c for c in text.casefold() if c.isalnum() or c in "×%+*")
    return text[:-1] if len(text) > 4 and text[-1] == "s" and text[-2] != "s" else text


class Candidates:
    """The candidates of one text, with its tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens, self.starts = tokenize(text)
        self.marked = [i for i, token in enumerate(self.tokens) if token.marked]
        self.groups: dict[str, Group] = {}
        # No long form reaches over an address, which stands here as spaces; none is shorter than four characters.
        self.pairs = [pair for pair in find_pairs(text) if "    " not in pair.long]
        self.inside: list[Span] = []
        for pair in self.pairs:
            if " " in pair.long or kind_of(pair.long) != SHAPE:
                self._add_pair(pair)
        self._scan()

    def span(self, mention: tuple[int, int, int]) -> Span:
        """Character offsets of a mention."""
        first, end, cut = mention
        return self.starts[first], self.starts[end - 1] + len(self.tokens[end - 1].word) - cut

    def may_end_name(self, i: int) -> bool:
        """Whether token `i` is no plain word behind another one, as in `key challenge`."""
        return self.tokens[i].kind != LOWER or (i > 0 and self.tokens[i - 1].kind not in (LOWER, PUNCTUATION))

    def judged(self) -> list[Group]:
        """The groups worth judging, in order: none that the lexicon knows as no name, no measure at a rank (`Recall@20`), no lone word that only begins a sentence."""
        groups = {id(group): group for group in self.groups.values()}.values()
        return [group for group in islice(groups, _MOST_GROUPS) if group.pair is not None or not self._idle(group)]

    def _idle(self, group: Group) -> bool:
        first, end, _ = group.mentions[0]
        token = self.tokens[first]
        if end - first > 1:
            return False
        if token.type in NO_NAMES or "@" in token.word:
            return True
        if token.kind != CAPITAL or token.type or len(group.mentions) > 1:
            return False
        before = self.tokens[first - 1] if first else None
        return before is None or (before.stop and len(token.word) > 2) or before.word == ":"

    def _add(self, first: int, end: int, cut: int, source: str) -> None:
        start, stop = self.span((first, end, cut))
        if self._within_long_form(start, stop):
            return
        key = fold_name(self.text[start:stop])
        if not key:
            return
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = Group(key, source=source)
        if len(group.mentions) < _MOST_MENTIONS and (first, end, cut) not in group.mentions:
            group.mentions.append((first, end, cut))

    def _within_long_form(self, start: int, stop: int) -> bool:
        if not self.inside:
            return False
        a, b = self.inside[bisect_right(self.inside, (start, len(self.text) + 1)) - 1]
        return a <= start and stop <= b and stop - start < b - a

    def _add_pair(self, pair: Pair, source: str = "pair") -> None:
        """Both forms of a pair as one group, under the keys of both."""
        short, long = fold_name(pair.short), fold_name(pair.long)
        if not short or not long or len(pair.short) < 2:
            return
        group = self.groups.get(short) or Group(short, source=source)
        if group.pair is None:
            group.pair, group.other = pair, long
        self.groups[short] = group
        self.groups.setdefault(long, group)
        insort(self.inside, pair.long_span)
        for start, stop in sorted((pair.short_span, pair.long_span)):
            first = bisect_right(self.starts, start) - 1
            end = bisect_right(self.starts, stop - 1)
            if end <= len(self.tokens):
                cut = self.starts[end - 1] + len(self.tokens[end - 1].word) - stop
                if self.starts[first] == start and cut >= 0:
                    group.mentions.append((first, end, cut))

    def _scan(self) -> None:
        tokens, at, last = self.tokens, 0, len(self.tokens) - 1
        for i in self.marked:
            token = tokens[i]
            if not token.hot:
                continue
            if (token.phrases and i < last and tokens[i + 1].key in token.phrases) or ("-" in token.lower and token.phrases):
                self._known(i, token.phrases)
            if token.kind == LOWER and token.type in NAME_TYPES:
                self._add(i, i + 1, 0, "known")
            if token.cue in CHRISTENING:
                self._christened(i, token.cue == "call")
            if token.name and i >= at:
                at = self._run(i)

    def _known(self, i: int, seconds: dict[str, int]) -> None:
        """The longest phrase of the lexicon that begins at token `i`."""
        tokens = self.tokens
        words = fold(tokens[i].lower).split()
        size = seconds.get(words[1], 0) if len(words) > 1 else seconds.get(tokens[i + 1].key, 0) if tokens[i].spaced else 0
        best, phrase = 0, tokens[i].lower
        for n in range(1, min(size, len(tokens) - i)):
            if not tokens[i + n - 1].spaced or tokens[i + n].kind == PUNCTUATION:
                break
            phrase = f"{phrase} {tokens[i + n].lower}"
            if type_of_phrase(phrase) in NAME_TYPES:
                best = n + 1
        after = i + best
        if best and not (after < len(tokens) and tokens[after].kind == NUMBER and tokens[after - 1].spaced and tokens[after - 1].kind != LOWER):
            self._add(i, after, 0, "known")

    def _christened(self, i: int, called: bool) -> None:
        """The noun phrase after a verb of christening or proposing; one with an article (`a novel word-aligned attention`) without its generic head."""
        tokens, n = self.tokens, len(self.tokens)
        j, article = i + 1, False
        while j < n and j < i + 6 and (tokens[j].lower in SKIP or tokens[j].word in QUOTES or tokens[j].lower.endswith("ly")):
            article = article or (not called and tokens[j].lower in ("a", "an", "our"))
            j += 1
        first = j
        while j < n and j - first < 7 and tokens[j].kind != PUNCTUATION and tokens[j].lower not in NP_STOP:
            j += 1
            if not tokens[j - 1].spaced:
                break
        if article:
            while j - first > 1 and tokens[j - 1].lower in GENERIC_HEADS:
                j -= 1
        if j == first or tokens[j - 1].kind not in (LOWER, NUMBER) or tokens[first].kind == NUMBER:
            return
        if called or (j - first > 1 and (article or any("-" in token.word for token in tokens[first:j]))):
            self._add(first, j, 0, "unnamed" if article else "phrase")

    def _run(self, i: int) -> int:
        """Candidates of the run of names that begins at token `i`; where the run ends."""
        tokens, n = self.tokens, len(self.tokens)
        j = end = self._run_end(i)
        joined = []
        while end + 1 < n and tokens[end - 1].spaced and self._joins(end):
            step = end + (2 if tokens[end + 1].lower == "the" and end + 2 < n else 1)
            end = self._run_end(step)
            joined.append(end)
        if end - i > 1:
            self._loose_pair(i, end)
        self._variants(i, j)
        for end in joined:
            self._add(i, end, self._cut(end - 1), "joined")
        return j

    def _loose_pair(self, i: int, end: int) -> None:
        """`Contrastive Quantization with Code Memory (MeCoQ)`: a title and a coined short form whose letters are not all in it."""
        tokens = self.tokens
        if end + 2 >= len(tokens) or tokens[end].word != "(" or tokens[end + 2].word != ")" or tokens[end + 1].kind != SHAPE:
            return
        (start, stop), short = self.span((i, end, 0)), tokens[end + 1].word
        if fold_name(short) in self.groups or self._within_long_form(start, stop):
            return
        if short[0].upper() in {part[:1] for token in tokens[i:end] for part in token.word.split("-")}:
            self._add_pair(Pair(short, self.text[start:stop], self.span((end + 1, end + 2, 0)), (start, stop)), "loose")

    def _joins(self, at: int) -> bool:
        word, after = self.tokens[at], self.tokens[at + 1]
        if word.lower not in CONNECTORS or not word.spaced:
            return False
        if after.lower == "the":
            return at + 2 < len(self.tokens) and self.tokens[at + 2].kind == CAPITAL and self.tokens[at + 2].name
        before = self.tokens[at - 1]
        if word.lower == "and" and (before.kind != CAPITAL or after.kind != CAPITAL):
            return False
        return after.name and after.kind == CAPITAL and before.kind == CAPITAL

    def _run_end(self, i: int) -> int:
        tokens, n = self.tokens, len(self.tokens)
        j = i + 1
        while j < n:
            before, token = tokens[j - 1], tokens[j]
            if not before.spaced:
                if token.word == "/" and not token.spaced and j + 1 < n and tokens[j + 1].kind in (NUMBER, LETTER) and "-" in before.word:
                    j += 2
                    continue
                break
            if (token.name and not self._new_after_number(before, token)) or self._is_version(j):
                j += 1
            elif token.kind == CAPITAL and token.spaced and j + 1 < n and tokens[j + 1].name and tokens[j + 1].kind == CAPITAL:
                j += 2
            else:
                break
        return j

    @staticmethod
    def _new_after_number(before: Token, token: Token) -> bool:
        """Whether a word after a number begins a name of its own rather than a variant (`Claude 3.5 Haiku`)."""
        return before.kind == NUMBER and token.kind == CAPITAL and token.lower not in TAILS

    def _is_version(self, j: int) -> bool:
        """Whether number `j` goes on with a name: a version after a word (Llama 3.1), a size after a version (3.1 70B); no measured share."""
        before, token = self.tokens[j - 1], self.tokens[j]
        if token.kind != NUMBER or len(token.word) > 8 or "," in token.word:
            return False
        if not token.spaced and j + 1 < len(self.tokens) and self.tokens[j + 1].word in ("%", "±", "×"):
            return False
        return before.kind in (CAPITAL, SHAPE) or (before.kind == NUMBER and SIZE.fullmatch(token.word) is not None)

    def _cut(self, last: int) -> int:
        """Characters of a suffix such as `-based` at the end of token `last`."""
        word = self.tokens[last].word
        hit = SUFFIX.search(word) if "-" in word or "–" in word else None
        return len(word) - hit.start() if hit else 0

    def _variants(self, i: int, j: int) -> None:
        """Sensible borders of the run `i:j`."""
        tokens = self.tokens
        cut = self._cut(j - 1)
        self._add(i, j, cut, "run")
        before = tokens[i - 1] if i and tokens[i - 1].spaced else None
        if before is not None and before.kind == NUMBER and tokens[i].lower in TAILS:
            self._add(i - 1, j, cut, "run")
        if before is not None and before.kind == LOWER and "-" in before.word and not SUFFIX.search(before.word):
            self._add(i - 1, j, cut, "modified")
        if not cut and tokens[j - 1].spaced:
            self._with_head(i, j)
        if j - i > 1:
            for a, b in self._parts(i, j):
                self._add(a, b, self._cut(b - 1), "part")

    def _with_head(self, i: int, j: int) -> None:
        """The run with the noun that ends its phrase: `Markov chain`, `ETD Dataset`, `RSNA intracranial aneurysm dataset`."""
        tokens, n = self.tokens, len(self.tokens)
        if j < n and tokens[j].kind == CAPITAL and tokens[j].lower in HEADS:
            self._add(i, j + 1, 0, "head")
        for k in range(j, min(j + 4, n)):
            if tokens[k].kind != LOWER:
                return
            heads = DATA_HEADS if k > j + 2 or tokens[j - 1].kind != CAPITAL else LOWER_HEADS
            if tokens[k].lower in heads and (k > j or heads is LOWER_HEADS):
                self._add(i, k + 1, 0, "head")
            if not tokens[k].spaced or tokens[k].lower in NP_STOP:
                return

    def _parts(self, i: int, j: int) -> Iterator[tuple[int, int]]:
        tokens = self.tokens
        if tokens[j - 1].lower in HEADS:
            yield i, j - 1
        if tokens[i].type == "maker":
            yield i + 1, j
        for k in range(i, j):
            if tokens[k].kind == SHAPE:
                end = k + 1
                while end < j and tokens[end].kind == NUMBER:
                    end += 1
                yield k, end
            elif tokens[k].kind == CAPITAL or tokens[k].type in ("method", "dataset"):
                yield k, k + 1
        for k in range(i + 1, min(j, i + 6)):
            if tokens[k].name and (SHAPE in (tokens[k - 1].kind, tokens[k].kind) or tokens[k - 1].type):
                yield i, k
                yield k, j
