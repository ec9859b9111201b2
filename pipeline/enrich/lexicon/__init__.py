"""Known names and words as data: one file a type, one entry a line, `#` starts a comment.

Written from general knowledge for this project (same licence as the code). `methods.txt`, `datasets.txt`: proper names;
`generic.txt`: classes of models and procedures, which are no names; `other.txt`: fields, tasks, measures, hardware, makers, venues, places.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

TYPES = ("method", "procedure", "dataset", "generic", "field", "metric", "hardware", "maker", "venue", "place", "biomedical")


def _lines(name: str) -> list[str]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return [line.strip() for line in text.split("\n") if line.strip() and not line.startswith("#")]


def fold(phrase: str) -> str:
    """A phrase as a key: lower case, hyphens as spaces, without a plural s.

    >>> fold("Random Forests"), fold("Sinkhorn-Knopp"), fold("loss")
    ('random forest', 'sinkhorn knopp', 'loss')
    """
    low = phrase.lower().replace("-", " ").replace("–", " ")
    return low[:-1] if len(low) > 4 and low[-1] == "s" and low[-2] not in "su" else low


@cache
def names() -> tuple[dict[str, str], dict[str, str]]:
    """Types of the known names by their written form, and by their folded form; the first file wins."""
    exact: dict[str, str] = {}
    loose: dict[str, str] = {}
    for kind in TYPES:
        for line in _lines(f"{kind}.txt"):
            for part in line.split(";"):
                name = part.strip()
                exact.setdefault(name, kind)
                loose.setdefault(fold(name), kind)
    return exact, loose


@cache
def head_nouns() -> dict[str, str]:
    """Classes of the nouns that end a phrase; the first line wins."""
    out: dict[str, str] = {}
    for line in _lines("head_nouns.txt"):
        kind, _, words = line.partition(":")
        for word in words.split():
            out.setdefault(word, kind)
    return out


@lru_cache(maxsize=32768)
def class_of_noun(word: str) -> str:
    """Class of a noun in the singular or plural, else the empty string.

    >>> class_of_noun("networks"), class_of_noun("Disease"), class_of_noun("analyses"), class_of_noun("blue")
    ('net', 'disease', 'task', '')
    """
    low, nouns = word.lower(), head_nouns()
    for form in (low, low[:-1], low[:-2] + "is" if low.endswith("es") else low, low[:-3] + "y" if low.endswith("ies") else low):
        if form in nouns and (form == low or low[-1] == "s"):
            return nouns[form]
    return next((kind for ending, kind in _ENDINGS if low.endswith(ending)), "")


_ENDINGS = (
    ("itis", "disease"), ("oma", "disease"), ("emia", "disease"), ("opathy", "disease"), ("osis", "disease"), ("itol", "substance"),
    ("genase", "substance"), ("ctase", "substance"), ("kinase", "substance"), ("tidase", "substance"), ("mycin", "substance"), ("mab", "substance"), ("azole", "substance"), ("statin", "substance"), ("amine", "substance"),
    ("scopy", "instrument"), ("graphy", "instrument"), ("former", "net"), ("ization", "procedure"), ("isation", "procedure"),
)  # fmt: skip


@cache
def function_words() -> frozenset[str]:
    """Words that begin no name, however they are written."""
    return frozenset(word for line in _lines("function_words.txt") for word in line.split())


@cache
def first_words() -> dict[str, dict[str, int]]:
    """For every first word of a known phrase of more than one word its second words, with the largest number of words."""
    out: dict[str, dict[str, int]] = {}
    for phrase in names()[1]:
        words = phrase.split()
        if len(words) > 1:
            second = fold(words[1])
            seconds = out.setdefault(words[0], {})
            seconds[second] = max(seconds.get(second, 0), len(words))
    return out


def type_of_word(word: str) -> str:
    """Type of a known name of one word, else the empty string. Short names and words in lower case must stand as listed.

    >>> type_of_word("BERT"), type_of_word("bear"), type_of_word("Imagenet"), type_of_word("LLMs")
    ('method', '', 'dataset', 'generic')
    """
    exact, loose = names()
    found = exact.get(word) or (exact.get(word[:-1]) if word[-1:] == "s" else "")
    if found:
        return found
    if (len(word) >= 5 and not word.islower()) or "-" in word:
        return loose.get(fold(word), "")
    return ""


def type_of_phrase(phrase: str) -> str:
    """Type of a known name of several words, else the empty string."""
    return names()[1].get(fold(phrase), "")
