"""What may be a name: runs of capitalised or name-shaped words, christened phrases, known phrases, acronym pairs.

Everything that a reader could take for a name should be among the candidates, with every sensible border;
the model (`names_model.py`) decides which of them are names and of what.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
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
    tokenize,
)
from pipeline.model import Span

_CONNECTORS = frozenset(["of", "for", "to", "the", "via", "in", "on", "with", "as", "from", "by", "and", "at", "&", "based", "through"])
_HEADS = frozenset(
    ["dataset", "benchmark", "model", "network", "framework", "challenge", "algorithm", "method", "corpus", "suite", "task", "datasets", "benchmarks",
     "models", "environment", "simulator", "platform", "toolkit", "library", "architecture", "system", "series", "family", "agent", "agents"]
)
_LOWER_HEADS = frozenset(
    ["distance", "embedding", "embeddings", "test", "tests", "scale", "filter", "filtering", "optimization", "algorithm", "process", "processes",
     "regression", "divergence", "sampling", "decomposition", "network", "networks", "loss", "attention", "tree", "search", "learning", "dropout",
     "dynamics", "transform", "method", "matching", "clustering", "factorization", "estimator", "criterion", "coefficient", "index", "score", "model",
     "models", "analysis", "equation", "kernel", "projection", "projections", "iteration", "control", "function", "staining", "blotting", "correction",
     "questionnaire", "inventory", "imaging", "splatting", "diffusion", "encoder", "inference", "prompting", "planning", "treebank", "corpus", "dataset",
     "benchmark", "gradient", "descent", "normalization", "reachability", "policy", "approximation", "curves", "curve", "mechanism", "framework", "layer", "layers", "module", "modules", "spectroscopy",
     "tool", "criteria", "checklist", "bottlenecks", "block", "blocks", "operator", "representation", "equations", "simulation", "simulations", "pooling",
     "routing", "attack", "adapter", "adapters", "series", "collection", "database", "repository", "divergences", "processes", "machine", "machines",
     "pipeline", "strategy", "solver", "protocol", "estimation", "modeling", "modelling", "retrieval", "scheduling", "parser", "tagger", "chain", "chains"]
)
_SUFFIX = re.compile(
    r"(?<=\w\w)[-‐‑–](?:based|like|style|aware|driven|guided|free|powered|trained|type|derived|inspired|generated|enhanced|augmented|only|wise|oriented"
    r"|induced|agnostic|compatible|tuned|specific|related|finetuned|pretrained|initialized|equipped|level|assisted|centric|integrated|family|class"
    r"|optimized|loaded|positive|negative|treated|infected|mediated|dependent|independent|constrained|scale|sized|embedded|enabled|informed|regularized|encoded|grounded|series|generation|hard|complete"
    r"|backed|distilled|annotated|native|hosted|controlled|conditioned|ready|adapted|simulated|rendered|compliant|resistant|view|preconditioner|preconditioned)"
    r"(?:[-‐‑–].*)?$"
)
_NP_STOP = frozenset(
    ["that", "which", "for", "to", "in", "on", "with", "by", "via", "using", "of", "and", "from", "as", "is", "are", "where", "when", "while", "without",
     "called", "named", "termed", "dubbed", "consisting", "capable", "designed", "aimed", "aiming", "or", "under", "into", "through", "based", "built",
     "inspired", "leveraging", "tailored", "trained", "at", "between", "among", "across", "over", "not", "can", "we", "it", "this", "whose", "who",
     "comprising", "integrating", "combining", "composed", "has", "have", "will", "our", "their", "its", "also", "but", "if", "than", "such", "so", "how"]
)
_SKIP = frozenset(
    ["a", "an", "the", "our", "novel", "new", "simple", "two", "three", "four", "first", "effective", "efficient", "yet", "so-called", "both", "general",
     "lightweight", "unified", "robust", "scalable", "principled", "also", "further", "here", "then", "called", "as", "either", "several", "i.e", "another",
     "it", "this", "following", "powerful", "comprehensive", "large-scale", "high-quality", "straightforward", "practical", "flexible", "complete"]
)
_TAILS = frozenset(
    ["pro", "flash", "sonnet", "opus", "haiku", "turbo", "mini", "nano", "ultra", "instruct", "chat", "base", "large", "medium", "small", "thinking",
     "preview", "exp", "lite", "max", "plus", "coder", "vision", "fast", "high", "low", "xl", "omni", "air", "next", "distill", "it", "math", "vl"]
)
_SIZE = re.compile(r"\d+(?:\.\d+)?[bBmM]")
_MOST_MENTIONS, _MOST_GROUPS = 40, 1000
"""More than any abstract has; texts that are no abstracts stay cheap."""
_NO_NAMES = frozenset(["generic", "field", "metric", "hardware", "maker", "venue", "place", "biomedical"])
_QUOTES = frozenset("\"“”‘’'`*(")


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
            self._add_pair(pair)
        self.inside.sort()
        self._scan()

    def span(self, mention: tuple[int, int, int]) -> Span:
        """Character offsets of a mention."""
        first, end, cut = mention
        return self.starts[first], self.starts[end - 1] + len(self.tokens[end - 1].word) - cut

    def judged(self) -> list[Group]:
        """The groups worth judging, in order: none that the lexicon knows as no name, no lone word that only begins a sentence."""
        groups = {id(group): group for group in self.groups.values()}.values()
        return [group for group in islice(groups, _MOST_GROUPS) if group.pair is not None or not self._idle(group)]

    def _idle(self, group: Group) -> bool:
        first, end, _ = group.mentions[0]
        token = self.tokens[first]
        if end - first > 1:
            return False
        if token.type in _NO_NAMES:
            return True
        if token.kind != CAPITAL or token.type or len(group.mentions) > 1:
            return False
        before = self.tokens[first - 1] if first else None
        return before is None or (before.stop and len(token.word) > 2) or before.word == ":"

    def _add(self, first: int, end: int, cut: int, source: str) -> None:
        start, stop = self.span((first, end, cut))
        if self.inside and self._within_long_form(start, stop):
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
        a, b = self.inside[bisect_right(self.inside, (start, len(self.text) + 1)) - 1]
        return a <= start and stop <= b and stop - start < b - a

    def _add_pair(self, pair: Pair) -> None:
        """Both forms of a pair as one group, under the keys of both."""
        short, long = fold_name(pair.short), fold_name(pair.long)
        if not short or not long or len(pair.short) < 2:
            return
        group = self.groups.get(short) or Group(short, source="pair")
        if group.pair is None:
            group.pair, group.other = pair, long
        self.groups[short] = group
        self.groups.setdefault(long, group)
        self.inside.append(pair.long_span)
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
        """The noun phrase after a verb of christening, or without an article after one of proposing."""
        tokens, n = self.tokens, len(self.tokens)
        j = i + 1
        while j < n and j < i + 6 and (tokens[j].lower in _SKIP or tokens[j].word in _QUOTES or tokens[j].lower.endswith("ly")):
            if not called and tokens[j].lower in ("a", "an", "our"):
                return
            j += 1
        first = j
        while j < n and j - first < 7 and tokens[j].kind != PUNCTUATION and tokens[j].lower not in _NP_STOP:
            j += 1
            if not tokens[j - 1].spaced:
                break
        ends = j > first and tokens[j - 1].kind in (LOWER, NUMBER) and tokens[first].kind != NUMBER
        if ends and (called or (j - first > 1 and any("-" in token.word for token in tokens[first:j]))):
            self._add(first, j, 0, "phrase")

    def _run(self, i: int) -> int:
        """Candidates of the run of names that begins at token `i`; where the run ends."""
        tokens, n = self.tokens, len(self.tokens)
        j = self._run_end(i)
        self._variants(i, j)
        end = j
        while end + 1 < n and tokens[end - 1].spaced and self._joins(end):
            step = end + (2 if tokens[end + 1].lower == "the" and end + 2 < n else 1)
            end = self._run_end(step)
            self._add(i, end, self._cut(end - 1), "joined")
        return j

    def _joins(self, at: int) -> bool:
        word, after = self.tokens[at], self.tokens[at + 1]
        if word.lower not in _CONNECTORS or not word.spaced:
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
            if (token.name and not (before.kind == NUMBER and token.kind == CAPITAL)) or self._is_version(before, token):
                j += 1
            elif token.kind == CAPITAL and token.spaced and j + 1 < n and tokens[j + 1].name and tokens[j + 1].kind == CAPITAL:
                j += 2
            else:
                break
        return j

    @staticmethod
    def _is_version(before: Token, token: Token) -> bool:
        """Whether a number goes on with a name: a version after a word (Llama 3.1), a size after a version (3.1 70B)."""
        if token.kind != NUMBER or len(token.word) > 8 or "," in token.word:
            return False
        return before.kind in (CAPITAL, SHAPE) or (before.kind == NUMBER and _SIZE.fullmatch(token.word) is not None)

    def _cut(self, last: int) -> int:
        """Characters of a suffix such as `-based` at the end of token `last`."""
        word = self.tokens[last].word
        hit = _SUFFIX.search(word) if "-" in word or "–" in word else None
        return len(word) - hit.start() if hit else 0

    def _variants(self, i: int, j: int) -> None:
        """Sensible borders of the run `i:j`."""
        tokens = self.tokens
        cut = self._cut(j - 1)
        self._add(i, j, cut, "run")
        if not cut and tokens[j - 1].spaced and tokens[j - 1].kind == CAPITAL:
            self._with_lower_head(i, j)
        if j - i == 1:
            return
        for a, b in self._parts(i, j):
            self._add(a, b, self._cut(b - 1), "part")

    def _with_lower_head(self, i: int, j: int) -> None:
        tokens, n = self.tokens, len(self.tokens)
        for k in (j, j + 1, j + 2):
            if k < n and tokens[k].kind == LOWER and tokens[k].lower in _LOWER_HEADS:
                self._add(i, k + 1, 0, "head")
            if k >= n or tokens[k].kind != LOWER or not tokens[k].spaced or tokens[k].function:
                return

    def _parts(self, i: int, j: int) -> Iterator[tuple[int, int]]:
        tokens = self.tokens
        if tokens[j - 1].lower in _HEADS:
            yield i, j - 1
        if tokens[i].type == "maker":
            yield i + 1, j
        k = i
        while k < j:
            if tokens[k].kind == SHAPE:
                end = k + 1
                while end < j and tokens[end].kind in (SHAPE, NUMBER):
                    end += 1
                yield k, end
                k = end
            else:
                if tokens[k].type in ("method", "dataset") or (tokens[k].kind == CAPITAL and j - i > 1):
                    yield k, k + 1
                k += 1
