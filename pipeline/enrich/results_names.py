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
from pipeline.enrich.measures import Measure, word_set
from pipeline.enrich.results_context import Sentence
from pipeline.enrich.results_features import word_features
from pipeline.enrich.results_words import class_of, pattern

# Chosen by cross-validation for the best F1 of measure names.
NAME_THRESHOLD: Final = -0.1
# A name whose own features give less than this was a measure in one of a hundred cases: its mentions need no look.
HOPELESS: Final = -2.5
_MOST_MENTIONS: Final = 6

# What kind of sentence a word makes: words as they stand, beginnings with a star.
_CUES: Final = {
    "EVAL": """experiment* result results evaluat* show shows shown showing demonstrat* empirical* outperform* achiev* surpass*
        state-of-the-art sota compared significant* findings reveal* observed improv*""",
    "PROB": """however challeng* suffer* limit* lack* often existing problem* difficult* expensive costly prohibitive* struggl*
        despite remain remains current traditional typically although hinder* fail* bottleneck* require* yet critical crucial
        essential increasingly important""",
    "METR": """metric* measur* criteri* terms score* assess* outcome* endpoint* indicator* quantif* rated judg* dimensions""",
    "TRADE": "trade-off* tradeoff* trading balanc* sacrific* compromis* expense without while maintain* preserv*",
    "METHOD": "propos* introduc* design* present presents novel framework called develop*",
    "GOAL": "aim aims minimiz* maximiz* optimiz* objective goal bound bounds theor* prove* guarantee*",
    "MED": "patient* trial clinical group groups control controls baseline treatment disease p ci",
    "REL": "associat* correlat* predict* relationship impact effect effects influence*",
}  # fmt: skip
_EXACT: Final = {c: word_set(words) for c, words in _CUES.items()}
_BEGINNINGS: Final = {c: tuple(w[:-1] for w in words.split() if w.endswith("*")) for c, words in _CUES.items()}
_VERBS: Final = frozenset({"IMP", "RED", "ACH", "OUT", "KEEP", "CHG", "CMP", "USE", "BE"})


@lru_cache(maxsize=1 << 14)
def _cues_of(word: str) -> tuple[str, ...]:
    return tuple(c for c in _CUES if word in _EXACT[c] or word.startswith(_BEGINNINGS[c]))


def _cues(s: Sentence) -> list[str]:
    return sorted({c for w in set(s.lows) for c in _cues_of(w)})


@dataclass(slots=True)
class Named:
    """A measure that the text names, with all its mentions; `relation` tells how it stands to the measures with a value."""

    key: str
    measure: Measure
    mentions: list[tuple[Sentence, Measure]]
    relation: str = "none"


@lru_cache(maxsize=1 << 13)
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


def mention_features(s: Sentence, m: Measure, length: int, times: int, last: int) -> list[str]:
    """The same decision: what one mention tells. `length` is that of the text, `times` how often the abstract names it, `last`
    the index of the last sentence."""
    kind, group = m.kind, "S" if m.kind in "SDC" else m.kind
    i, j, lows = m.first, m.last + 1, s.lows
    left, right = lows[max(0, i - 3) : i], lows[j : j + 2]
    p1, n1 = left[-1] if left else "^", right[0] if right else "$"
    before, after = pattern(s.classes[max(0, i - 3) : i]), pattern(s.classes[j : j + 2])
    quarter, q = int(m.start / length * 4), bool(s.quantities)
    listed = len(s.measures) > 1 and next((b - a > m.end - m.start for a, b in s.measure_lists if a <= m.start < b), False)
    others = sum([o.kind in "SDC" for o in s.measures]) - (kind in "SDC")
    back = min(last - s.index, 3)
    out = [
        f"p1={p1}", f"n1={n1}", f"k={kind}/p1={class_of(p1)}", f"q={q}/{kind}", f"bef={before}", f"bef={before}/{kind}",
        f"aft={after}", f"aft={after}/{kind}", f"place={quarter}/{kind}", f"times={min(times, 3)}/{kind}",
        f"place={quarter}/q={q}", f"list={listed}/{kind}", f"others={min(others, 3)}/{kind}", f"idx={min(s.index, 3)}/{group}",
        f"back={back}/{group}", f"back={back}/q={q}", f"s0={lows[0]}", f"s1={' '.join(lows[:2])}",
        f"l2={' '.join(left[-2:])}", f"r2={' '.join(right)}", f"nx={s.text[m.end : m.end + 1]}/{group}",
        f"pv={s.text[m.start - 1 : m.start] if m.start else '^'}/{group}",
    ]  # fmt: skip
    return out + _verb_features(s, i, j, group) + _cue_features(s, group, q)


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


def _cue_features(s: Sentence, group: str, q: bool) -> list[str]:
    cues = s.cues if s.cues is not None else _cues(s)
    s.cues = cues
    out = [f"cue={c}/{group}" for c in cues] + [f"cue={c}/q={q}" for c in cues]
    if "EVAL" in cues:
        out.append(f"ev+prob={'PROB' in cues}/{group}")
    return out


def bare_features(named: Named, length: int, last: int) -> set[str]:
    """All features of a name without a value: those of the name, those of its mentions together."""
    out = set(_own(named.measure))
    out.add(f"rel={named.relation}/{named.measure.kind}")
    for s, m in named.mentions[:_MOST_MENTIONS]:
        out.update(mention_features(s, m, length, len(named.mentions), last))
    return out


def evaluates_by(named: Named, length: int, last: int) -> bool:
    """Whether a measure without a value is one that the abstract evaluates by."""
    model = results_model.weights("name")
    if results_model.score(model, _own(named.measure)) < HOPELESS:
        return False
    return results_model.score(model, bare_features(named, length, last)) >= NAME_THRESHOLD


def relation_to(name: str, valued: Sequence[frozenset[str]]) -> str:
    """How the words of a name stand to those of measures with a value: part of one, more than one, beside one, or none."""
    words = frozenset(name.casefold().replace("-", " ").split())
    if any(words < other for other in valued):
        return "part"
    if any(words > other for other in valued):
        return "whole"
    return "beside" if any(words & other for other in valued) else "none" if valued else "alone"
