"""Reported results and named measures of an abstract.

A number is scanned (`quantities.py`), judged to be a result or not, and tied to a measure, a data set and a method.
The three decisions are linear models over words and shapes (`results_features.py`); measures without a number come
from the lexicon (`measures.py`) and a fourth model. `docs/results.md` tells how they are made and how good they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pipeline.enrich import results_model
from pipeline.enrich.document import Document
from pipeline.enrich.measures import Measure, find_measures, measure_heads, pieces_of, tokens
from pipeline.enrich.quantities import Quantity, scan_quantities
from pipeline.enrich.quantities_words import may_hold_words, scan_words
from pipeline.enrich.results_attach import choose_dataset, choose_measure, nearest_method, places_of
from pipeline.enrich.results_coined import coin, may_coin, merge
from pipeline.enrich.results_context import Candidate, Sentence
from pipeline.enrich.results_exclude import excluded
from pipeline.enrich.results_features import quantity_features
from pipeline.enrich.results_names import Named, evaluates_by, relation_to
from pipeline.enrich.results_relation import kind_of, relations
from pipeline.enrich.results_symbolic import symbolic_guarantees
from pipeline.model import Metric, Name, Relation, Span

# Chosen by cross-validation for the best F1 of values.
RESULT_THRESHOLD = -0.2
# `10 out of 13` is a result more often than the few examples tell.
PARTS_THRESHOLD = -1.0
# Each quantity of a sentence is held against each measure; a "sentence" with more of them is a table, or hostile.
MOST_IN_SENTENCE = 60
_RULES = {
    "S": "measure-lexicon", "C": "measure-pair", "H": "measure-head", "A": "measure-aspect", "D": "measure-defined",
    "N": "measure-coined",
}  # fmt: skip
_NOT_NAME = re.compile(r"[^a-z0-9@]+")


def read_sentences(doc: Document, methods: Sequence[Name] = (), datasets: Sequence[Name] = ()) -> list[Sentence]:
    """The sentences of a text that hold a quantity or a measure, with both. Data sets are no measures, methods only where they
    are named like one."""
    text = doc.visible
    printed = scan_quantities(text)
    marked = sorted([(span, name) for name in (*methods, *datasets) for span in name.spans], key=lambda m: m[0])
    defined: dict[str, str] = {}
    out = []
    k = n = 0
    for index, span in enumerate(doc.sentences):
        first, first_name, end = k, n, span[1]
        while k < len(printed) and printed[k].start < end:
            k += 1
        while n < len(marked) and marked[n][0][0] < end:
            n += 1
        pieces = pieces_of(text, span)
        words = pieces[1::2]
        spelled = scan_words(text, span) if may_hold_words(words) or text.find("fold", *span) >= 0 else []
        found = _merge(printed[first:k], spelled)
        here = [q for q in found if excluded(text, q) is None and not _in_name(q, marked[first_name:n])] if found else found
        heads = measure_heads(words, defined)
        if here or heads or may_coin(words, marked[first_name:n]):
            sentence = Sentence(text, span, tokens(span[0], pieces), [], here[:MOST_IN_SENTENCE], index, plain=words)
            _add_measures(sentence, marked[first_name:n], datasets, find_measures(text, sentence.words, heads, defined))
            out.append(sentence)
    return out


def _add_measures(s: Sentence, inside: list[tuple[Span, Name]], datasets: Sequence[Name], known: list[Measure]) -> None:
    """Give a sentence its measures, `known` from the lexicon and the names in it: none is a part of a name, some names are measures."""
    s.names = [span for span, _ in inside]
    if s.names:
        known = [m for m in known if not _part_of(m, s.names)]
    coined = coin(s, inside, datasets)
    measures = (merge(known[:MOST_IN_SENTENCE], coined) if coined else known)[:MOST_IN_SENTENCE]
    s.measures = [_without_unit(m, s) for m in measures] if s.quantities else measures


def _without_unit(m: Measure, s: Sentence) -> Measure:
    """A measure without the unit of the quantity before it: `4.15 mm RMS accuracy`."""
    q = next((q for q in s.quantities if q.start < m.start < q.end < m.end), None)
    first = s.before(q.end) if q is not None else m.first
    if first <= m.first or first > m.last:
        return m
    start, dropped = s.words[first][0], first - m.first
    name = m.name.split(" ", dropped)[-1]
    return replace(m, start=start, name=name, canonical=name.casefold(), first=first, modifiers=max(0, m.modifiers - dropped))


def _part_of(m: Measure, names: list[Span]) -> bool:
    """Whether a measure is a part of a name: the area of `Bay Area Corpus`."""
    return any(a <= m.start and m.end <= b and b - a > m.end - m.start for a, b in names)


def _in_name(q: Quantity, names: Sequence[tuple[Span, Name]]) -> bool:
    """Whether a number is part of a name: `wav2vec 2.0`."""
    return any((a < q.start and q.end <= b) or (a <= q.start and q.end < b) for (a, b), _ in names)


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
    sentences = read_sentences(doc, methods, datasets)
    length = max(len(doc.text), 1)
    found = find_results(sentences, length)
    places = places_of(datasets, doc.sentences) if found else []
    rows = [_row(f, (choose_dataset(places, f.sentence, f.quantity), nearest_method(methods, f.sentence, f.quantity))) for f in found]
    rows += [_bare(n, doc.text) for n in bare_names(sentences, found) if evaluates_by(n, length)]
    rows += symbolic_guarantees(doc.visible, [row.spans[0] for row in rows])
    return tuple(sorted(dict.fromkeys(rows), key=lambda m: m.spans[0]))


@dataclass(frozen=True, slots=True)
class Found:
    """A quantity that is a result, with the measure chosen for it."""

    sentence: Sentence
    quantity: Quantity
    relation: Relation
    measure: Candidate | None


def find_results(sentences: list[Sentence], length: int) -> list[Found]:
    """The quantities that are results; `length` is that of the text."""
    model = results_model.weights("result")
    out = []
    for s in sentences:
        if not s.quantities:
            continue
        scores = peers(s, [results_model.score(model, quantity_features(s, q, q.start / length)) for q in s.quantities])
        if max(scores) < PARTS_THRESHOLD:
            continue
        measure: Candidate | None = None
        for q, relation, score in zip(s.quantities, relations(s.text, s.quantities), scores, strict=True):
            if score >= (PARTS_THRESHOLD if q.scale == "of" else RESULT_THRESHOLD):
                measure = choose_measure(sentences, s, q, measure)
                out.append(Found(s, q, relation, measure))
    return out


def peers(s: Sentence, scores: list[float]) -> list[float]:
    """Scores of quantities, those of a list (`0.89, 0.91 and 0.93`) drawn to their common mean: they are results together."""
    out = list(scores)
    for i, (q, span) in enumerate(zip(s.quantities, s.lists, strict=True)):
        same = [k for k, o in enumerate(s.quantities) if s.lists[k] == span and o.scale == q.scale]
        if len(same) > 1:
            out[i] = (scores[i] + sum(scores[k] for k in same) / len(same)) / 2
    return out


def _row(f: Found, place: tuple[str | None, str | None]) -> Metric:
    s, q, measure = f.sentence, f.quantity, f.measure
    rule = f"result-{q.scale}"
    return Metric(
        metric=measure.name if measure else None, evidence=s.text[q.start : q.end], spans=((q.start, q.end),), rule=rule,
        confidence=results_model.confidence(rule), metric_canonical=measure.canonical if measure else None, value=q.value,
        value_max=q.value_max, baseline=q.baseline, unit=q.unit, relation=f.relation, value_kind=kind_of(s, q),
        uncertainty=q.uncertainty, dataset=place[0], subject=place[1],
    )  # fmt: skip


@lru_cache(maxsize=1 << 14)
def _fold(name: str) -> str:
    return _NOT_NAME.sub("", name.casefold().replace("average", ""))


def bare_names(sentences: Sequence[Sentence], found: Sequence[Found]) -> list[Named]:
    """The measures that no result is a value of, each with all its mentions, in order."""
    valued = [f.measure for f in found if f.measure is not None]
    taken = {_fold(name) for c in valued for name in (c.name, c.canonical)}
    sets = [frozenset(c.name.casefold().replace("-", " ").split()) for c in valued]
    out: dict[str, Named] = {}
    for s in sentences:
        for m in s.measures:
            key = _fold(m.name)
            if m.kind == "G" or key in taken or _fold(m.canonical) in taken:
                continue
            if key not in out:
                out[key] = Named(key, m, [], relation_to(m.name, sets))
            out[key].mentions.append((s, m))
    return list(out.values())


def _bare(named: Named, text: str) -> Metric:
    m = named.measure
    return Metric(
        metric=m.name, evidence=text[m.start : m.end], spans=tuple((o.start, o.end) for _, o in named.mentions), rule=_RULES[m.kind],
        confidence=results_model.confidence(_RULES[m.kind]), metric_canonical=m.canonical,
    )  # fmt: skip
