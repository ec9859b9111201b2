"""Which named measures an abstract evaluates by, though no number is tied to them: a linear model over words.

It looks at every mention of a name at once, so that a mention in the evaluation counts though the problem statement has
one too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pipeline.enrich import results_model
from pipeline.enrich.measures import Measure
from pipeline.enrich.results_context import Sentence
from pipeline.enrich.results_features import word_features
from pipeline.enrich.results_words import cues_in

# Chosen by cross-validation for the best F1 of measure names.
NAME_THRESHOLD: Final = -0.1
# A name whose own features give less than this was a measure in one of a hundred cases: its mentions need no look.
HOPELESS: Final = -2.0
_MOST_MENTIONS: Final = 6

_VERBS: Final = frozenset({"IMP", "RED", "ACH", "OUT", "KEEP", "CHG", "CMP", "USE", "BE"})


# Features of few forms are made once each: making strings is what this costs.
_cached = lru_cache(maxsize=1 << 13)


@dataclass(slots=True)
class Named:
    """A measure that the text names, with all its mentions; `relation` tells how it stands to the measures with a value."""

    key: str
    measure: Measure
    mentions: list[tuple[Sentence, Measure]]
    relation: str = "none"


@_cached
def name_features(kind: str, name: str, head: str, modifiers: int, canonical: str) -> list[str]:
    """Is this a measure that the abstract evaluates by, though no number is tied to it? What its name alone tells."""
    low = name.casefold()
    words = low.replace("-", " ").split()
    return [
        "bias", f"k={kind}", f"k={kind}/m={min(modifiers, 3)}", f"h={head}", f"h={head}/m={modifiers > 0}",
        f"first={low.split(' ', 1)[0]}/{kind}", f"name={low}", *[f"mod={w}" for w in words[:-1]], *word_features(name, kind),
        f"len={min(len(words), 4)}/{kind}", f"can={canonical.casefold()}",
    ]  # fmt: skip


def _own(m: Measure) -> list[str]:
    return name_features(m.kind, m.name, m.head, m.modifiers, m.canonical)


def mention_features(s: Sentence, m: Measure, length: int, times: int) -> list[str]:
    """The same decision: what one mention tells. `length` is that of the text, `times` how often the abstract names it.

    More of the words and classes beside a mention made the figures worse in cross-validation.
    """
    kind, group = m.kind, "S" if m.kind in "SDC" else m.kind
    i, j, lows = m.first, m.last + 1, s.lows
    listed = len(s.measures) > 1 and next((b - a > m.end - m.start for a, b in s.measure_lists if a <= m.start < b), False)
    others = sum([o.kind in "SDC" for o in s.measures]) - (kind in "SDC")
    q = bool(s.quantities)
    return [
        f"p1={lows[i - 1] if i else '^'}", f"n1={lows[j] if j < len(lows) else '$'}",
        *_place_features(kind, (int(m.start / length * 4), q), (min(times, 3), listed, min(others, 3))),
        *_verb_features(s, i, j, group), *_of_cues(s.cues, group, q),
    ]  # fmt: skip


@_cached
def _place_features(kind: str, where: tuple[int, bool], beside: tuple[int, bool, int]) -> tuple[str, ...]:
    (quarter, q), (times, listed, others) = where, beside
    return (
        f"q={q}/{kind}", f"place={quarter}/{kind}", f"place={quarter}/q={q}", f"times={times}/{kind}", f"list={listed}/{kind}",
        f"others={others}/{kind}",
    )  # fmt: skip


def _verb_features(s: Sentence, i: int, j: int, group: str) -> list[str]:
    """The nearest verb or noun of change, comparison or achievement before word `i` and after word `j`."""
    out = []
    for k in range(i - 1, max(-1, i - 12), -1):
        c = s.classes[k]
        if c in _VERBS:
            out += [f"gv={c}/{group}", f"gv={c}/{group}/{i - k <= 3}", f"gw={s.lows[k]}"]
            break
    else:
        out.append(f"gv=no/{group}")
    for k in range(j, min(len(s.words), j + 6)):
        if s.classes[k] in _VERBS:
            out += [f"rv={s.classes[k]}/{group}", f"rw={s.lows[k]}"]
            break
    return out


@_cached
def _of_cues(bits: int, group: str, q: bool) -> tuple[str, ...]:
    cues = cues_in(bits)
    both = (f"ev+prob={'PROB' in cues}/{group}",) if "EVAL" in cues else ()
    return (*(f"cue={c}/{group}" for c in cues), *(f"cue={c}/q={q}" for c in cues), *both)


def bare_features(named: Named, length: int) -> list[str]:
    """All features of a name without a value: those of the name, those of its mentions together, each once, in order."""
    out = [*_own(named.measure), f"rel={named.relation}/{named.measure.kind}"]
    for s, m in named.mentions[:_MOST_MENTIONS]:
        out += mention_features(s, m, length, len(named.mentions))
    return list(dict.fromkeys(out))


def evaluates_by(named: Named, length: int) -> bool:
    """Whether a measure without a value is one that the abstract evaluates by."""
    m = named.measure
    if _worth(m.kind, m.name, m.head, m.modifiers, m.canonical) < HOPELESS:
        return False
    return results_model.score(results_model.weights("name"), bare_features(named, length)) >= NAME_THRESHOLD


@_cached
def _worth(kind: str, name: str, head: str, modifiers: int, canonical: str) -> float:
    return results_model.score(results_model.weights("name"), name_features(kind, name, head, modifiers, canonical))


def forget() -> None:
    """Forget what was worked out from weights that are replaced."""
    _worth.cache_clear()


def relation_to(name: str, valued: Sequence[frozenset[str]]) -> str:
    """How the words of a name stand to those of measures with a value: part of one, more than one, beside one, or none."""
    words = frozenset(name.casefold().replace("-", " ").split())
    if any(words < other for other in valued):
        return "part"
    if any(words > other for other in valued):
        return "whole"
    return "beside" if any(words & other for other in valued) else "none" if valued else "alone"
