"""Tokens of a text for finding names: words with their inner signs (`SD 3.5-Medium` is two), punctuation one by one.

Texts share most of their words, so a piece between two spaces is analysed once and remembered: a text is
split at spaces and its tokens are looked up, five times as fast as a regular expression over the whole text.
"""

from __future__ import annotations

import re
from itertools import accumulate, chain
from operator import attrgetter

from pipeline.enrich.lexicon import first_words, fold, function_words, type_of_word
from pipeline.enrich.names_events import is_event_word

_TOKEN = re.compile(
    r"\w(?:\w|[-‐‑–&@^+_](?=\w)|\.(?=[\da-z]|[A-Z](?![a-z]))|['’](?!s\b)(?=\w)|(?<=\d)×(?=\d)|[_^]\{\w+\})*(?:\+\+?|\*(?!\*)|†)?|['’]s\b|\S"
)
LOWER, CAPITAL, SHAPE, NUMBER, PUNCTUATION, LETTER = range(6)
_NUMBER = re.compile(r"[\d.,–-]+(?:st|nd|rd|th|[kKmMbBxDd]|%)?")
CUES = {
    form: cue
    for cue, forms in {
        "propose": "propose proposes proposed proposing introduce introduces introduced introducing present presents presented presenting",
        "develop": "develop develops developed developing design designs designed devise devised build built builds create created creates formulate"
        " formulated implement implemented derive contribute construct constructed constructs offer offers describe describes establish realize",
        "release": "release releases released releasing curate curated collect collected collects annotate annotated publish provide provides",
        "call": "called named termed dubbed coined denoted christened call termed name dub coin term namely titled acronym",
        "compare": "outperform outperforms outperformed outperforming surpass surpasses surpassing exceeds exceed compare compared comparing versus vs"
        " than over beats matches matching against comparison superior comparable competitive relative baseline baselines",
        "use": "use uses used using utilize utilizes utilizing leverage leverages leveraging apply applied applies applying employ employs employed"
        " employing adopt adopts adopted adopting integrate integrates integrating combine combines combining incorporating via with through",
        "extend": "extend extends extended extending based atop upon inspired adapt adapts adapted generalizes generalize built-on variant variants",
        "unlike": "unlike existing prior previous recent recently popular widely well-known traditional conventional standard classical common current",
        "such": "such including like e.g",
        "evaluate": "evaluate evaluated evaluates evaluating evaluation evaluations experiment experiments test tested validate validated on across"
        " benchmarked benchmarking results",
        "train": "train trained training fine-tune fine-tuned fine-tuning finetuned pretrained pre-trained pretraining pre-training",
        "data": "dataset datasets benchmark benchmarks corpus corpora collection suite challenge challenges task tasks environment environments"
        " simulator simulators simulation game games platform database databases leaderboard domain domains games",
        "model": "model models method methods framework frameworks algorithm algorithms approach approaches architecture architectures network networks"
        " backbone backbones llms vlms agent agents system systems module tool tools library package software toolkit",
        "show": "achieve achieves achieved achieving improves improve improved shows show demonstrates demonstrate reduces enables consists comprises yields",
    }.items()
    for form in forms.split()
}
MEDICAL = frozenset(
    ["patient", "patients", "clinical", "cell", "cells", "protein", "proteins", "gene", "genes", "disease", "diseases", "mice", "rats", "treatment", "treatments", "trial", "trials", "cohort", "tumor", "tumors", "tumour", "tumours", "cancer", "mg", "symptoms", "therapy", "serum", "plasma", "mortality", "women", "children", "incidence", "receptor", "receptors", "diagnosis", "surgery", "risk"]
)
_GREEK = re.compile(r"[α-ωΑ-Ω]")
_DASH = re.compile(r"(?<![\w–-])[a-z]+–(?=[A-Z])")
_SPACE = re.compile(r"\s")
_HYPHEN = re.compile(r"[-‐‑–]")
_KEEP = 200_000
NAME_TYPES = frozenset(["method", "procedure", "dataset"])
CHRISTENING = frozenset(["call", "propose", "develop", "release"])


class Token:
    """A word or a sign: as written, in lower case, what it looks like, and how far it is to the next one.

    `spaced`: a space follows. `name`: it may begin or go on a name. `type`: what the lexicon says of it.
    `phrases`: second words of the phrases of the lexicon that begin with it. `cue`: it says what its neighbours are.
    `key`: its folded form, up to a hyphen. `hot`: a candidate may begin at it or behind it. `stop`: a sentence may end with it.
    `medical`: a word of medicine. `event`: an event may be named around it.
    `marked`: any of hot, cue, stop, medical, event. `left`, `right`: features of a name after or before it.
    """

    __slots__ = (
        "advance", "cue", "event", "function", "hot", "key", "kind", "left", "lower", "marked", "medical", "name", "phrases", "right", "seen", "spaced", "stop", "type", "word",
    )  # fmt: skip

    def __init__(self, word: str, advance: int, spaced: bool) -> None:
        self.word = word
        self.lower = word.lower()
        self.kind = kind_of(word) if word else PUNCTUATION
        self.advance = advance
        self.spaced = spaced
        self.type = type_of_word(word)
        self.function = self.lower in function_words()
        self.name = self.kind in (CAPITAL, SHAPE, LETTER) and not (self.function and self.kind != SHAPE)
        self.key = fold(word).split(" ", 1)[0]
        self.phrases = first_words().get(self.key)
        self.cue = CUES.get(self.lower, "")
        known = self.kind == LOWER and self.type in NAME_TYPES
        self.hot = bool(self.name or self.phrases or known or self.cue in CHRISTENING)
        self.stop = spaced and word in (".", "?", "!", "")
        self.medical = self.lower in MEDICAL
        self.event = is_event_word(word)
        self.marked = bool(self.event or self.hot or self.cue or self.stop or self.medical)
        self.seen = self._as_context()
        self.left = f"l={self.lower}"
        self.right = f"r={self.seen}"

    def _as_context(self) -> str:
        """What the token is to its neighbours: names and numbers are all alike."""
        if self.kind == NUMBER:
            return "0"
        if self.kind in (CAPITAL, SHAPE):
            return "A"
        return self.lower if self.kind != PUNCTUATION or self.word in ",.:;()" else "#"


def kind_of(word: str) -> int:
    """What a token looks like: lower case, capitalised, name-shaped, number, punctuation, single letter.

    >>> [kind_of(w) for w in ("tree", "Tree", "BERT", "t-SNE", "3.5", ",", "A")]
    [0, 1, 2, 2, 3, 4, 5]
    """
    if not (word[0].isalnum() or word[0] == "_"):
        return PUNCTUATION
    if _NUMBER.fullmatch(word):
        return NUMBER
    if len(word) == 1:
        return LETTER if word.isupper() or _GREEK.match(word) else LOWER
    upper = sum(map(str.isupper, word))
    digits = any(map(str.isdigit, word))
    if upper == 0:
        mixed = digits and word[0].isalpha()
        return SHAPE if mixed or _GREEK.search(word) or word[-1] in "+*" else LOWER
    parts = [p for p in _HYPHEN.split(word) if p]
    plain = not digits and word[0].isupper() and all(map(str.isalpha, parts))
    if plain and upper == sum(p[0].isupper() for p in parts):
        return SHAPE if any(len(p) == 1 for p in parts) else CAPITAL
    return SHAPE


class _Pieces(dict[str, tuple[Token, ...]]):
    """Tokens of the pieces between spaces, analysed when first met."""

    def __missing__(self, piece: str) -> tuple[Token, ...]:
        spans = [(h.start(), h.end()) for h in _TOKEN.finditer(piece)] if len(piece) < 400 else []
        dash = _DASH.search(piece)
        if dash:
            spans = [cut for span in spans for cut in _cut(span, dash.end() - 1)]
        starts = [0, *(start for start, _ in spans[1:]), len(piece) + 1]
        tokens = tuple(
            Token(piece[start:end], starts[k + 1] - starts[k], k == len(spans) - 1) for k, (start, end) in enumerate(spans)
        ) or (Token("", len(piece) + 1, True),)
        self[piece] = tokens
        return tokens


def _cut(span: tuple[int, int], at: int) -> list[tuple[int, int]]:
    """A span, in three where a dash at `at` joins two clauses rather than two names."""
    start, end = span
    return [(start, at), (at, at + 1), (at + 1, end)] if start < at < end - 1 else [span]


_pieces = _Pieces()
_advance = attrgetter("advance")


def tokenize(text: str) -> tuple[list[Token], list[int]]:
    """Tokens of `text` in order, and the offset at which each starts.

    >>> [t.word for t in tokenize("SD 3.5-Medium (Flux.1 Dev), C++.")[0]]
    ['SD', '3.5-Medium', '(', 'Flux.1', 'Dev', ')', ',', 'C++', '.']
    """
    if len(_pieces) > _KEEP:
        _pieces.clear()
    pieces = (text if text.isprintable() else _SPACE.sub(" ", text)).split(" ")
    tokens = list(chain.from_iterable(map(_pieces.__getitem__, pieces)))
    return tokens, list(accumulate(map(_advance, tokens), initial=0))
