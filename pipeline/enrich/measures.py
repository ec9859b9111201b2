"""Names of evaluation measures: lexicon heads with the modifiers before them, and abbreviations the text defines.

`execution accuracy`, `word error rate (WER)`, `Recall@10`, `macro-averaged F1 score`, `training time`. The heads are in
`lexicon/measures.tsv`, the words that end a noun phrase to the left in `lexicon/measures_stop.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Final, TypeVar

from pipeline.model import Span

Token = tuple[int, int, str]
_V = TypeVar("_V")


class Memory(dict[str, _V]):
    """What a function says of a word, remembered for the many words that come again; a bound keeps a hostile text from filling it."""

    def __init__(self, of: Callable[[str], _V], limit: int = 1 << 16) -> None:
        super().__init__()
        self.of, self.limit = of, limit

    def __missing__(self, word: str) -> _V:
        found = self.of(word)
        if len(self) < self.limit:
            self[word] = found
        return found


def word_set(words: str) -> frozenset[str]:
    """The words of a list written as running text."""
    return frozenset(words.split())



@dataclass(frozen=True, slots=True)
class Measure:
    """A measure named in a text: `text[start:end]` is its surface, `name` the singular, `kind` its class in the lexicon
    (`S` a measure by itself, `H` a head with modifiers, `A` a rated aspect, `G` only with a number, `C` a pair of words known as one,
    `D` defined by the text), `head` the word that made it one, `first` and `last` its words."""

    start: int
    end: int
    name: str
    canonical: str
    kind: str
    head: str
    modifiers: int
    first: int
    last: int


_TOKEN: Final = re.compile(r"([A-Za-zÀ-ÖØ-öø-ɏΑ-ω0-9][\w@+^/’'{}-]*+(?:\.[0-9][\w@+^/’'{}-]*+)*+)")
_ABBREVIATION: Final = re.compile(r"\s?[(\[]([A-Za-z][A-Za-z0-9@.+-]{0,11}?)s?[)\]]")
_APPOSED: Final = re.compile(r" ([A-Z]{2,5})(?![\w-])")
_BRACKETED: Final = re.compile(r"\(([^\s()]{1,16})\)")
_AT: Final = re.compile(r"([a-z-]+)[@^]")
# Measures with letters of their own before a known one: `cpWER`, `tSBERT-F1`, `boxAP`.
_SUFFIX: Final = re.compile(r"[A-Za-z]{1,6}-?(?:WER|CER|BLEU|AUC|AUROC|IoU|PSNR|FID|F1|NDCG|nDCG|MRR)")
_MAX_MODIFIERS: Final = 4
# Nouns in -ing that modify measures; other words in -ing are verbs: `recovering semantic drift`.
_GERUNDS: Final = word_set(
    """training testing processing learning reasoning tracking tagging parsing ranking matching running decoding encoding coding
    reading writing engineering timing rendering sampling serving planning grounding labeling labelling clustering forecasting
    lifting missing binding cropping grasping landing driving walking swallowing bleeding smoking long-running reordering
    generating scheduling routing wing ring spring signaling mapping editing unlearning forgetting overfitting scoring
    posting backing fine-tuning finetuning pre-training pretraining pruning prompting modeling modelling embedding"""
)
# Heads that go on after `of` or `to`: `rate of swallowing`, `time to first token`.
_OPEN_HEADS: Final = word_set(
    """rate rates duration frequency incidence time quality percentage risk probability level levels number degree proportion
    prevalence loss cost speed ratio rates amount"""
)
_AREA: Final = re.compile(r"\barea under (?:the )?(?:[\w-]+ ){0,4}$", re.I)
# `F 1 -score`, as text taken from a page has it.
_DETACHED: Final = re.compile(r"F\s?[-_]?\s?[012](?:\.5)?(?:\s?-?\s?(?:scores?|measure))?(?![\w.])")
_TAILS: Final = frozenset({"score", "scores", "rate", "rates", "value", "values", "metric", "metrics", "measure", "index"})


@cache
def lexicon() -> dict[str, tuple[str, str]]:
    """Head word in lower case -> (class, canonical form)."""
    out = {}
    for line in _data("measures.tsv"):
        term, kind, canonical = line.split("\t")
        out[term] = (kind, canonical)
    return out


@cache
def stop_words() -> frozenset[str]:
    """Words that are never a modifier of a measure."""
    return frozenset(_data("measures_stop.txt"))


def _data(name: str) -> list[str]:
    text = (Path(__file__).parent / "lexicon" / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def pieces_of(text: str, span: Span) -> list[str]:
    """The words of a sentence and what stands between them, by turns, beginning with what stands before the first word."""
    return _TOKEN.split(text[span[0] : span[1]])


def tokens(start: int, pieces: list[str]) -> list[Token]:
    """The words among the pieces of a sentence that begins at `start`, as (start, end, word).

    >>> tokens(5, ["", "two", " ", "words", "."])
    [(5, 8, 'two'), (9, 14, 'words')]
    """
    edges = list(accumulate(map(len, pieces), initial=start))
    return list(zip(edges[1:-1:2], edges[2::2], pieces[1::2], strict=True))


def measure_heads(words: list[str], defined: dict[str, str]) -> list[int]:
    """Places of the words that can be the head of a measure."""
    entries = list(map(_HEADS.__getitem__, words))
    if defined and not defined.keys().isdisjoint(words):
        return [k for k, (entry, word) in enumerate(zip(entries, words, strict=True)) if entry is not None or word in defined]
    return [k for k, entry in enumerate(entries) if entry is not None] if any(entries) else []


def find_measures(text: str, words: list[Token], heads: list[int], defined: dict[str, str]) -> list[Measure]:
    """Measures among the words of one sentence, in order; `heads` are the places from `measure_heads`. `defined` maps abbreviations
    that the text has given to their long forms; those that this sentence defines are added to it."""
    out: list[Measure] = []
    if not heads:
        return out
    if text.find("(", words[0][0], words[-1][1]) >= 0:
        _disown(text, words, defined)
    before = len(words)
    for at in heads[::-1]:
        entry = _entry(words[at][2], defined)
        if entry is None or at >= before or (entry[2] in _DOUBTFUL and _no_noun(text, words, at)):
            continue
        measure, before = _grow(text, words, at, entry)
        before += 1
        bracketed = measure.end == words[at][1] and ("(" in (beside := text[measure.end : measure.end + 2]) or "[" in beside)
        abbreviation = _ABBREVIATION.match(text, measure.end) if bracketed else _apposed(text, words, at, measure)
        if abbreviation and measure.kind != "A" and _is_abbreviation(abbreviation[1], measure.name):
            defined.setdefault(abbreviation[1], measure.name)
            measure = Measure(
                abbreviation.start(1), abbreviation.end(1), abbreviation[1], measure.name, "D", measure.head, measure.modifiers,
                at + 1, at + 1,
            )  # fmt: skip
        while out and out[-1].start < measure.end:
            out.pop()
        out.append(measure)
    out.reverse()
    return out


def _apposed(text: str, words: list[Token], at: int, measure: Measure) -> re.Match[str] | None:
    """The abbreviation that stands behind a measure without a bracket: `an execution accuracy EX of 65.78%`. Its letters are those
    of the measure in order."""
    if measure.end != words[at][1] or at + 1 == len(words) or not words[at + 1][2].isupper():
        return None
    found = _APPOSED.match(text, measure.end)
    return found if found and _subsequence([*found[1].casefold()], [*measure.name.casefold()]) else None


def _detached_end(text: str, start: int) -> int | None:
    hit = _DETACHED.match(text, start)
    return hit.end() if hit else None


# Heads that are often something else: verbs, a letter, the time in `over time`.
_DOUBTFUL: Final = frozenset({"f", "yield", "yields", "score", "scores", "time"})
_IDIOM: Final = re.compile(r"\b(?:over|of the|at (?:a|the same|this|that|any|one|each)|(?:the|for the) (?:first|same|second|last)|same|most of the|this|each|every)\s$")


def _no_noun(text: str, words: list[Token], at: int) -> bool:
    """Whether a doubtful head is no measure: `it yields 5%`, `humans score 92%`, `73% of the time`."""
    start, _, word = words[at]
    low = word.casefold()
    if low == "f":
        return _detached_end(text, start) is None
    if low == "time":
        return _IDIOM.search(text, max(0, start - 20), start) is not None
    follower = words[at + 1][2] if at + 1 < len(words) else ""
    if low == "yields":
        return follower.casefold() not in ("of", "from", "were", "are", "and", "for", "in", "by", "per")
    before = words[at - 1][2] if at else ""
    plural = low == "scores" or (before.endswith("s") and not before.endswith("ss"))
    return low in ("score", "scores") and plural and follower[:1].isdigit() and lexicon_kind(before) is None


def _disown(text: str, words: list[Token], defined: dict[str, str]) -> None:
    """Abbreviations that the sentence introduces for something that is no measure: `Adverse Drug Events (ADE)`."""
    places = {start: k for k, (start, _, _) in enumerate(words)}
    for hit in _BRACKETED.finditer(text, words[0][0], min(len(text), words[-1][1] + 1)):
        k = places.get(hit.start(1), -1)
        word = hit[1]
        if k < 0 or words[k][2] != word or word in defined or lexicon_kind(word) not in _ACRONYM_KINDS:
            continue
        letters = [c for c in word.casefold() if c.isalpha()]
        initials = [w[0].casefold() for _, _, w in words[max(0, k - len(letters) - 1) : k]]
        if k and _subsequence(letters, initials) and _entry(words[k - 1][2], {}) is None:
            defined[word] = ""


_ACRONYM_KINDS: Final = ("S", "U", "M")


def _subsequence(letters: list[str], initials: list[str]) -> bool:
    rest = iter(initials)
    return all(letter in rest for letter in letters)


def _is_abbreviation(short: str, long: str) -> bool:
    if not short[:1].isalpha() or sum(c.isupper() for c in short) < 1 or len(short) >= len(long):
        return False
    return short[0].casefold() in (w[0].casefold() for w in re.split(r"[\s-]+", long) if w)


def _entry(word: str, defined: dict[str, str]) -> tuple[str, str, str] | None:
    """(class, canonical, head) of a word that can end a measure, or null."""
    if word in defined:
        return ("D", defined[word], word) if defined[word] else None
    return _HEADS[word]


def _look_up(word: str) -> tuple[str, str, str] | None:
    key = word.casefold().replace("’", "'").removesuffix("'s")
    table = lexicon()
    found = table.get(key)
    if found is None:
        if _SUFFIX.fullmatch(word):
            return "S", key, key
        found, key = _inflected(key, table)
        if found is None:
            return None
    kind, canonical = found
    if kind == "U":
        return ("S", canonical, key) if word.rstrip("s").isupper() else None
    if kind == "M":
        return ("S", canonical, key) if word[1:] != word[1:].lower() else None
    return kind, canonical, key


# Few words make up most of all texts: what the lexicon says of a word is remembered.
_HEADS: Final = Memory(_look_up)


def _inflected(key: str, table: dict[str, tuple[str, str]]) -> tuple[tuple[str, str] | None, str]:
    """The entry of a plural, of `X-score`, of `X@10`."""
    at = _AT.match(key)
    if at:
        base = at[1].rstrip("-")
        known = table.get(f"{base}@k") or table.get(base) or table.get(f"{base.removesuffix('s')}@k")
        return (("S", key) if known else None), base
    if key.endswith("s") and (found := table.get(key[:-1])):
        return found, key[:-1]
    _, hyphen, tail = key.rpartition("-")
    if hyphen and (found := table.get(tail.removesuffix("s")) or table.get(tail)) and found[0] == "S":
        return ("S", key), tail
    return None, key


def _grow(text: str, words: list[Token], i: int, entry: tuple[str, str, str]) -> tuple[Measure, int]:
    """The measure that ends at word `i` with its modifiers, and the index before it."""
    kind, canonical, head = entry
    start, end, _ = words[i]
    if head == "f":
        end = _detached_end(text, start) or end
    first = i
    while first > 0 and i - first < _MAX_MODIFIERS:
        before_start, before_end, before = words[first - 1]
        if text[before_end:start] not in (" ", "\n", "’ ", "' ") or not _MODIFIERS[before]:
            break
        first -= 1
        start = before_start
    if kind == "S" and first < i and text[start : words[i - 1][1]].casefold().endswith(canonical):
        start, first = words[i][0], i  # `word error rate WER`: the words before it are what it stands for
    if head in ("curve", "curves") and (area := _AREA.search(text, max(0, start - 60), words[i][0])):
        return Measure(area.start(), end, " ".join(text[area.start() : end].split()), "AUC", "S", head, 1, first, i), _index_at(words, area.start()) - 1
    if kind in "HG" and first == i and head in _OPEN_HEADS:
        end, first = _tail(text, words, i)
    if kind == "H" and first < i and lexicon_kind(words[i - 1][2]) == "S" and words[i][2].casefold() in _TAILS:
        kind, canonical = "S", lexicon()[words[i - 1][2].casefold()][1]
    if kind == "H" and first < i and f"{words[i - 1][2]} {words[i][2]}".casefold() in lexicon():
        kind = "C"
    name = singular(" ".join(text[start:end].split()))
    if kind in "HAC" and first < i:
        canonical = name.casefold()
    return Measure(start, end, name, canonical, kind, head, abs(i - first), min(first, i), max(first, i)), min(first, i) - 1


def _index_at(words: list[Token], offset: int) -> int:
    return next(k for k, (start, _, _) in enumerate(words) if start >= offset)


def _tail(text: str, words: list[Token], i: int) -> tuple[int, int]:
    """End of `rate of swallowing` whose head is word `i`, and the index of its last word (`i`: there is no tail)."""
    last = i + 2
    if last >= len(words) or text[words[i][1] : words[last][0]] not in (" of ", " to "):
        return words[i][1], i
    while last < min(len(words), i + 6) and _MODIFIERS[words[last][2]]:
        if last > i + 2 and text[words[last - 1][1] : words[last][0]] not in (" ", "\n"):
            break
        last += 1
    return (words[last - 1][1], last - 1) if last > i + 2 else (words[i][1], i)


def lexicon_kind(word: str) -> str | None:
    """The class of a word in the lexicon, or null."""
    found = lexicon().get(word.casefold())
    return found[0] if found else None


def _may_modify(word: str) -> bool:
    low = word.casefold()
    if low in stop_words() or (word[0].isdigit() and low not in ("3d", "2d")):
        return False
    if low.endswith("ing"):
        return low in _GERUNDS
    return not low.endswith(("ly", "’s", "'s", "’", "'")) or low in ("early", "family")


_MODIFIERS: Final = Memory(_may_modify)


def singular(name: str) -> str:
    """The name of a measure in the singular: the last word loses its plural.

    >>> singular("harmful interventions"), singular("accuracies"), singular("success"), singular("F1-scores")
    ('harmful intervention', 'accuracy', 'success', 'F1-score')
    """
    if name.endswith("ies") and len(name) > 5:
        return f"{name[:-3]}y"
    if name.endswith("sses"):
        return name[:-2]
    if len(name) > 3 and name.endswith("s") and not name.endswith(("ss", "us", "is", "FLOPS", "FPS", "bias", "MOS", "loss")):
        return name[:-1]
    return name
