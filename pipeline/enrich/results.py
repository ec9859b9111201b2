"""Reported results and named measures of an abstract.

A number is scanned (`quantities.py`), judged to be a result or not, and tied to a measure, a data set and a method.
The three decisions are linear models over words and shapes (`results_features.py`); measures without a number come
from the lexicon (`measures.py`) and a fourth model. `docs/results.md` tells how they are made and how good they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

from pipeline.enrich import results_model
from pipeline.enrich.document import Document
from pipeline.enrich.measures import Measure, find_measures, may_hold_measure, tokens, words_of
from pipeline.enrich.quantities import Quantity, scan_quantities
from pipeline.enrich.quantities_words import may_hold_words, scan_words
from pipeline.enrich.results_attach import choose_dataset, choose_measure, nearest_method, places_of
from pipeline.enrich.results_context import Candidate, Place, Sentence
from pipeline.enrich.results_exclude import excluded
from pipeline.enrich.results_features import mention_features, name_features, quantity_features
from pipeline.enrich.results_relation import kind_of, relations
from pipeline.model import Metric, Name, Relation, Span

# Chosen by cross-validation for the best F1 of values and of measure names.
RESULT_THRESHOLD = -0.2
# `10 out of 13` is a result more often than the few examples tell.
PARTS_THRESHOLD = -1.0
NAME_THRESHOLD = 0.0
# A name whose own features give less than this was a measure in one of a hundred cases: its mentions need no look.
HOPELESS = -0.75
# Each quantity of a sentence is held against each measure; a "sentence" with more of them is a table, or hostile.
MOST_IN_SENTENCE = 60
_RULES = {
    "S": "measure-lexicon", "C": "measure-pair", "H": "measure-head", "A": "measure-aspect", "D": "measure-defined",
}  # fmt: skip
_NOT_NAME = re.compile(r"[^a-z0-9@]+")


def read_sentences(doc: Document, names: Sequence[Name] = ()) -> list[Sentence]:
    """The sentences of a text that hold a quantity or a measure, with both; `names` are no measures."""
    text = doc.visible
    printed = scan_quantities(text)
    defined: dict[str, str] = {}
    out = []
    k = 0
    for index, span in enumerate(doc.sentences):
        first = k
        while k < len(printed) and printed[k].start < span[1]:
            k += 1
        words = words_of(text, span)
        spelled = scan_words(text, span) if may_hold_words(words) or "fold" in text[span[0] : span[1]] else []
        found = _merge(printed[first:k], spelled)
        here = [q for q in found if excluded(text, q) is None and not _in_name(q, names)] if found else found
        if here or may_hold_measure(words, defined):
            placed = tokens(text, span[0], words)
            inside = [s for name in names for s in name.spans if span[0] <= s[0] < span[1]]
            measures = [m for m in find_measures(text, placed, defined) if not _part_of(m, inside)]
            out.append(Sentence(text, span, placed, measures[:MOST_IN_SENTENCE], here[:MOST_IN_SENTENCE], index, inside))
    return out


def _part_of(m: Measure, names: list[Span]) -> bool:
    """Whether a measure is a part of a name: the area of `Bay Area Corpus`."""
    return any(a <= m.start and m.end <= b and b - a > m.end - m.start for a, b in names)


def _in_name(q: Quantity, names: Sequence[Name]) -> bool:
    """Whether a number is part of a name: `wav2vec 2.0`."""
    return any((a < q.start and q.end <= b) or (a <= q.start and q.end < b) for name in names for a, b in name.spans)


def _merge(printed: list[Quantity], spelled: list[Quantity]) -> list[Quantity]:
    """Printed and spelled-out quantities in order, the printed one where both see the same."""
    if not spelled:
        return printed
    extra = [w for w in spelled if not any(w.start < q.end and q.start < w.end for q in printed)]
    return sorted([*printed, *extra], key=lambda q: q.start)


def find_metrics(doc: Document, methods: Sequence[Name], datasets: Sequence[Name]) -> tuple[Metric, ...]:
    """Results and measures of a text in order of first mention.

    `methods` and `datasets` are what the text names; `dataset` and `subject` of a row are names from there.
    """
    sentences = read_sentences(doc, [*methods, *datasets])
    if not sentences:
        return ()
    places = places_of(datasets, doc.sentences)
    rows = _results(doc, sentences, places, methods)
    rows += _named(sentences, rows, max(len(doc.text), 1))
    return tuple(sorted(dict.fromkeys(rows), key=lambda m: m.spans[0]))


def _results(doc: Document, sentences: list[Sentence], places: list[Place], methods: Sequence[Name]) -> list[Metric]:
    model = results_model.weights("result")
    length = max(len(doc.text), 1)
    out = []
    for s in sentences:
        if not s.quantities:
            continue
        measure: Candidate | None = None
        scores = peers(s, [results_model.score(model, quantity_features(s, q, q.start / length)) for q in s.quantities])
        if max(scores) < PARTS_THRESHOLD:
            continue
        for q, relation, score in zip(s.quantities, relations(s.text, s.quantities), scores, strict=True):
            if score >= (PARTS_THRESHOLD if q.scale == "of" else RESULT_THRESHOLD):
                measure = choose_measure(sentences, s, q, measure)
                out.append(_row(s, q, relation, measure, (choose_dataset(places, s, q), nearest_method(methods, s, q))))
    return out


def peers(s: Sentence, scores: list[float]) -> list[float]:
    """Scores of quantities, those of a list (`0.89, 0.91 and 0.93`) drawn to their common mean: they are results together."""
    out = list(scores)
    for i, (q, span) in enumerate(zip(s.quantities, s.lists, strict=True)):
        same = [k for k, o in enumerate(s.quantities) if s.lists[k] == span and o.scale == q.scale]
        if len(same) > 1:
            out[i] = (scores[i] + sum(scores[k] for k in same) / len(same)) / 2
    return out


def _row(s: Sentence, q: Quantity, relation: Relation, measure: Candidate | None, place: tuple[str | None, str | None]) -> Metric:
    rule = f"result-{q.scale}"
    return Metric(
        metric=measure.name if measure else None, evidence=s.text[q.start : q.end], spans=((q.start, q.end),), rule=rule,
        confidence=results_model.confidence(rule), metric_canonical=measure.canonical if measure else None, value=q.value,
        value_max=q.value_max, baseline=q.baseline, unit=q.unit, relation=relation, value_kind=kind_of(s, q),
        uncertainty=q.uncertainty, dataset=place[0], subject=place[1],
    )  # fmt: skip


@lru_cache(maxsize=1 << 14)
def _fold(name: str) -> str:
    return _NOT_NAME.sub("", name.casefold().replace("average", ""))


def named_measures(sentences: Sequence[Sentence], length: int) -> list[tuple[Measure, str, list[str], Callable[[], list[str]]]]:
    """Every mention of a measure: the key of its name, the features of the name, and how to get those of the mention."""
    mentions = [(s, m, _fold(m.name)) for s in sentences for m in s.measures if m.kind != "G"]
    times = Counter([key for _, _, key in mentions])
    return [
        (m, key, name_features(m), partial(mention_features, s, m, m.start / length, times[key])) for s, m, key in mentions
    ]


def _named(sentences: list[Sentence], rows: list[Metric], length: int) -> list[Metric]:
    """Measures that no result is a value of."""
    taken = {_fold(name) for r in rows for name in (r.metric, r.metric_canonical) if name}
    model = results_model.weights("name")
    spans: dict[str, list[Span]] = {}
    first: dict[str, Measure] = {}
    good: set[str] = set()
    for m, key, features, more in named_measures(sentences, length):
        if key in taken or _fold(m.canonical) in taken:
            continue
        spans.setdefault(key, []).append((m.start, m.end))
        first.setdefault(key, m)
        if key not in good:
            base = results_model.score(model, features)
            if base > HOPELESS and base + results_model.score(model, more()) >= NAME_THRESHOLD:
                good.add(key)
    text = sentences[0].text
    return [
        Metric(
            metric=m.name, evidence=text[m.start : m.end], spans=tuple(spans[key]), rule=_RULES[m.kind],
            confidence=results_model.confidence(_RULES[m.kind]), metric_canonical=m.canonical,
        )
        for key, m in first.items() if key in good
    ]  # fmt: skip
