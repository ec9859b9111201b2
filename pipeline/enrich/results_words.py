"""Classes of the words that stand between a number and a name; rare words of a class share what is learnt of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Final

from pipeline.enrich.measures import Memory, lexicon, word_set

_CLASSES: Final = {
    "CHG": """improvement improvements gain gains increase increases reduction reductions decrease decreases drop drops boost
        boosts decline declines degradation enhancement rise lift uplift saving savings jump advantage increment margin margins""",
    "CMP": """higher lower better worse more fewer less greater faster slower larger smaller shorter longer cheaper stronger
        fewer additional improved increased reduced""",
    "ACH": """achieve achieves achieved achieving reach reaches reached reaching attain attains attained attaining obtain obtains
        obtained obtaining yield yields yielded yielding get gets got getting score scores scored scoring hit hits
        report reports reported reporting show shows showed showing deliver delivers delivering demonstrate demonstrates
        demonstrated demonstrating exhibit exhibits provide provides providing record records recorded gives give sets
        observed found produces produced producing yielded realizes""",
    "IMP": """improve improves improved improving increase increases increased increasing boost boosts boosted boosting raise
        raises raised raising enhance enhances enhanced enhancing elevate elevates elevating lift lifts accelerate accelerates
        accelerating improve gain gains advance advances advancing rose rise rises rising grows grew speeds speed speeding
        climbs jumps pushes""",
    "RED": """reduce reduces reduced reducing decrease decreases decreased decreasing cut cuts cutting lower lowers lowered
        lowering drop drops dropped dropping shorten shortens save saves saved saving shrink shrinks diminish suppress
        suppresses suppressing fall falls fell falling degrade degrades degraded degrading mitigate alleviates minimize
        declined declines decline halves halving reduce""",
    "OUT": """outperform outperforms outperformed outperforming surpass surpasses surpassed surpassing exceed exceeds exceeded
        exceeding beat beats beating outscores outpaces""",
    "KEEP": """maintain maintains maintaining maintained preserve preserves preserving preserved retain retains retaining retained
        recover recovers recovering recovered keep keeps keeping match matches matching""",
    "USE": """use uses used using require requires required requiring need needs train trained training consume consumes
        contain contains containing comprise comprises comprising include includes including consist consists consisting
        collect collected cover covers covering span spans spanning involve involving annotated evaluated tested conducted
        recruited enrolled sampled generate generated constructed build built select selected with""",
    "BE": "is was are were be been being remains remained remain stands",
    "REL": "compared versus vs vs. relative comparison against baseline baselines counterpart counterparts",
    "CARE": "respectively each both",
}  # fmt: skip
# Words that carry nothing here: articles, evaluative adjectives, hedges.
FILLERS: Final = word_set(
    """the a an its our their his absolute average averaged mean overall total respectively significant substantial about around
    approximately nearly almost roughly only just even still new impressive remarkable notable consistent state-of-the-art
    sota best top high strong very also further an additional maximum minimum median final corresponding further up least most
    over approx competitive superior points point percentage percent
    above below exceeding exceeds exceeded relative highest lowest low large"""
)
_KEPT: Final = word_set(
    """of by to from in on at with for over than as between across per while and or but when where which that under after before
    without # respectively including using"""
)


_CLASS_OF: Final[dict[str, str]] = {w: name for name, words in _CLASSES.items() for w in words.split() if w not in FILLERS}


def _class_of(word: str) -> str:
    found = _CLASS_OF.get(word)
    if found is None:
        found = "" if word in FILLERS else word if word in _KEPT else "M" if word in lexicon() else "w"
    return found


_CLASS_MEMORY: Final = Memory(_class_of)
# Words as they are printed -> in lower case, a numeral as `#`; -> their class.
LOWS: Final = Memory(lambda word: "#" if word[0] in "0123456789" else word.lower())
CLASSES: Final = Memory(lambda word: _CLASS_MEMORY[LOWS[word]])


def class_of(word: str) -> str:
    """The class of a lower-case word: a class name, a function word as it is, `M` the head of a measure, `w` for all others,
    empty for fillers."""
    return _CLASS_MEMORY[word]


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


def _bits(word: str) -> int:
    low = word.lower()
    return sum(1 << i for i, c in enumerate(_CUES) if low in _EXACT[c] or low.startswith(_BEGINNINGS[c]))


_BITS: Final = Memory(_bits)


def cue_bits(words: Iterable[str]) -> int:
    """The cues of the words of a sentence, one bit each."""
    return reduce(or_, map(_BITS.__getitem__, words), 0)


def cues_in(bits: int) -> list[str]:
    """The names of the cues of a sentence.

    >>> cues_in(cue_bits(["We", "propose", "metrics"]))
    ['METR', 'METHOD']
    """
    return [c for i, c in enumerate(_CUES) if bits >> i & 1]


def pattern(classes: Sequence[str], limit: int = 3) -> str:
    """The classes of some words without fillers; long stretches only by their ends and length.

    >>> pattern([class_of(w) for w in ["absolute", "improvement", "in", "the"]]), pattern([])
    ('CHG in', '')
    """
    kept = [c for c in classes if c]
    if len(kept) <= limit:
        return " ".join(kept)
    size = "5" if len(kept) <= 5 else "9" if len(kept) <= 9 else "far"
    return f"{kept[0]}..{kept[-1]}/{size}"
