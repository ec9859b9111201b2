"""Reported results and named measures of an abstract.

A number is scanned (`quantities.py`), judged to be a result or not, and tied to a measure, a data set and a method.
The three decisions are linear models over words and shapes (`results_features.py`); measures without a number come
from the lexicon (`measures.py`) and a fourth model. `docs/results.md` tells how they are made and how good they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pipeline.enrich import results_model
from pipeline.enrich.document import Document
from pipeline.enrich.measures import Measure, find_measures, may_hold_measure, tokens
from pipeline.enrich.quantities import Quantity, scan_quantities
from pipeline.enrich.quantities_words import scan_words
from pipeline.enrich.results_attach import Place, choose_dataset, choose_measure, nearest_method, places_of
from pipeline.enrich.results_context import Candidate, Sentence
from pipeline.enrich.results_exclude import excluded
from pipeline.enrich.results_features import name_features, quantity_features
from pipeline.enrich.results_relation import kind_of, relations
from pipeline.model import Metric, Name, Span

_WORDS = re.compile(r"[a-z][a-z0-9@^-]*")
RESULT_THRESHOLD = -0.7
NAME_THRESHOLD = 0.42


def read_sentences(doc: Document, names: Sequence[Name] = ()) -> list[Sentence]:
    """The sentences of a text that hold a quantity or a measure, with both; `names` are no measures."""
    text = doc.visible
    quantities = _quantities(text)
    defined: dict[str, str] = {}
    out = []
    k = 0
    for index, span in enumerate(doc.sentences):
        here = []
        while k < len(quantities) and quantities[k].start < span[1]:
            if excluded(text, quantities[k]) is None and not _in_name(quantities[k], names):
                here.append(quantities[k])
            k += 1
        if not here and not may_hold_measure(_WORDS.findall(text[span[0] : span[1]].lower())):
            continue
        words = tokens(text, span)
        inside = [s for name in names for s in name.spans if span[0] <= s[0] < span[1]]
        measures = [m for m in find_measures(text, words, defined) if not _part_of(m, inside)]
        out.append(Sentence(text, span, words, measures, here, index, inside))
    return out


def _part_of(m: Measure, names: list[Span]) -> bool:
    """Whether a measure is a part of a name: the area of `Bay Area Corpus`."""
    return any(a <= m.start and m.end <= b and b - a > m.end - m.start for a, b in names)


def _in_name(q: Quantity, names: Sequence[Name]) -> bool:
    """Whether a number is part of a name: `wav2vec 2.0`."""
    return any(a < q.start and q.end <= b or a <= q.start and q.end < b for name in names for a, b in name.spans)


def _quantities(text: str) -> list[Quantity]:
    """Printed and spelled-out quantities in order, the printed one where both see the same."""
    printed = scan_quantities(text)
    spelled = [w for w in scan_words(text) if not any(w.start < q.end and q.start < w.end for q in printed)]
    return sorted([*printed, *spelled], key=lambda q: q.start) if spelled else printed


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
        if max(scores) < RESULT_THRESHOLD:
            continue
        for q, relation, score in zip(s.quantities, relations(s.text, s.quantities), scores, strict=True):
            if score >= RESULT_THRESHOLD:
                measure = choose_measure(sentences, s, q, measure)
                out.append(_row(s, q, relation, measure, choose_dataset(places, s, q), nearest_method(methods, s, q)))
    return out


def peers(s: Sentence, scores: list[float]) -> list[float]:
    """Scores of quantities, those of a list (`0.89, 0.91 and 0.93`) drawn to their common mean: they are results together."""
    out = list(scores)
    for i, (q, span) in enumerate(zip(s.quantities, s.lists, strict=True)):
        same = [k for k, o in enumerate(s.quantities) if s.lists[k] == span and o.scale == q.scale]
        if len(same) > 1:
            out[i] = (scores[i] + sum(scores[k] for k in same) / len(same)) / 2
    return out


def _row(s: Sentence, q: Quantity, relation: str, measure: Candidate | None, dataset: str | None, subject: str | None) -> Metric:
    return Metric(
        metric=measure.name if measure else None, evidence=s.text[q.start : q.end], spans=((q.start, q.end),),
        rule=f"result:{q.scale}", confidence=0.9, metric_canonical=measure.canonical if measure else None, value=q.value,
        value_max=q.value_max, baseline=q.baseline, unit=q.unit, relation=relation, value_kind=kind_of(s, q),
        uncertainty=q.uncertainty, dataset=dataset, subject=subject,
    )  # fmt: skip


def _fold(name: str) -> str:
    return re.sub(r"[^a-z0-9@]+", "", name.casefold().replace("average", ""))


def named_measures(sentences: Sequence[Sentence], length: int) -> list[tuple[Measure, str, list[str]]]:
    """Every mention of a measure with the key of its name and its features."""
    mentions = [(s, m, _fold(m.name)) for s in sentences for m in s.measures if m.kind != "G"]
    times = Counter(key for _, _, key in mentions)
    return [(m, key, name_features(s, m, m.start / length, times[key])) for s, m, key in mentions]


def _named(sentences: list[Sentence], rows: list[Metric], length: int) -> list[Metric]:
    """Measures that no result is a value of."""
    taken = {_fold(name) for r in rows for name in (r.metric, r.metric_canonical) if name}
    model = results_model.weights("name")
    spans: dict[str, list[Span]] = {}
    first: dict[str, Measure] = {}
    good: dict[str, float] = {}
    for m, key, features in named_measures(sentences, length):
        if key in taken or _fold(m.canonical) in taken:
            continue
        spans.setdefault(key, []).append((m.start, m.end))
        first.setdefault(key, m)
        good[key] = max(good.get(key, 0.0), results_model.probability(model, features))
    text = sentences[0].text
    return [
        Metric(
            metric=m.name, evidence=text[m.start : m.end], spans=tuple(spans[key]), rule="measure", confidence=0.8,
            metric_canonical=m.canonical,
        )
        for key, m in first.items() if good[key] >= NAME_THRESHOLD
    ]  # fmt: skip
