"""Tokens of a text for finding names: words with their inner signs (`SD 3.5-Medium` is two), punctuation one by one.

Texts share most of their words, so a piece between two spaces is analysed once and remembered: a text is
split at spaces and its tokens are looked up, five times as fast as a regular expression over the whole text.
"""

from __future__ import annotations

import re
from itertools import accumulate, chain
from operator import attrgetter

from pipeline.enrich.lexicon import first_words, fold, function_words, type_of_word

_TOKEN = re.compile(
    r"\w(?:\w|[-‐‑–.&@^+_](?=\w)|['’](?!s\b)(?=\w)|(?<=\d)×(?=\d)|[_^]\{\w+\})*(?:\+\+?|\*(?!\*)|†)?|['’]s\b|\S"
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
_GREEK = re.compile(r"[α-ωΑ-Ω]")
_HYPHEN = re.compile(r"[-‐‑–]")
_KEEP = 200_000


class Token:
    """A word or a sign: as written, in lower case, what it looks like, and how far it is to the next one.

    `spaced`: a space follows. `name`: it may begin or go on a name. `type`: what the lexicon says of it.
    `phrase`: the largest number of words of a phrase of the lexicon that begins with it. `cue`: it says what its neighbours are.
    """

    __slots__ = ("advance", "cue", "function", "kind", "lower", "name", "phrase", "spaced", "type", "word")

    def __init__(self, word: str, advance: int, spaced: bool) -> None:
        self.word = word
        self.lower = word.lower()
        self.kind = kind_of(word) if word else PUNCTUATION
        self.advance = advance
        self.spaced = spaced
        self.type = type_of_word(word)
        self.function = self.lower in function_words()
        self.name = self.kind in (CAPITAL, SHAPE, LETTER) and not (self.function and self.kind != SHAPE)
        self.phrase = first_words().get(fold(self.lower).split(" ", 1)[0], 0)
        self.cue = CUES.get(self.lower, "")


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
        hits = list(_TOKEN.finditer(piece)) if len(piece) < 400 else []
        starts = [0, *(h.start() for h in hits[1:]), len(piece) + 1]
        tokens = tuple(
            Token(hit.group(), starts[k + 1] - starts[k], k == len(hits) - 1) for k, hit in enumerate(hits)
        ) or (Token("", len(piece) + 1, True),)
        self[piece] = tokens
        return tokens


_pieces = _Pieces()
_advance = attrgetter("advance")


def tokenize(text: str) -> tuple[list[Token], list[int]]:
    """Tokens of `text` in order, and the offset at which each starts.

    >>> [t.word for t in tokenize("SD 3.5-Medium (Flux.1 Dev), C++.")[0]]
    ['SD', '3.5-Medium', '(', 'Flux.1', 'Dev', ')', ',', 'C++', '.']
    """
    if len(_pieces) > _KEEP:
        _pieces.clear()
    pieces = text.replace("\n", " ").split(" ")
    tokens = list(chain.from_iterable(map(_pieces.__getitem__, pieces)))
    return tokens, list(accumulate(map(_advance, tokens), initial=0))
