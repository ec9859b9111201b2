"""What a result is a value of and what it is measured on: candidates of measure and data set, and the choice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.enrich import results_model
from pipeline.enrich.measures import singular
from pipeline.enrich.quantities import Quantity
from pipeline.enrich.results_context import Candidate, Place, Sentence, lists_of, phrase_candidates, plain_speed
from pipeline.enrich.results_features import dataset_features, measure_features, no_measure_features
from pipeline.enrich.results_places import phrase_features, phrase_places
from pipeline.model import Name, Span

# A noun phrase that no lexicon knows must beat the other options by this much: in cross-validation whole results are the same from 0.3
# to 0.7.
PHRASE_COST = 0.5
# None must win by this much, for a gold that names no measure judges none. In cross-validation whole results have F1 0.752, 0.758 and 0.759
# at 0, 0.5 and 1.0, names of measures 0.733, 0.733 and 0.730.
NULL_COST = 0.5
_COSTS = {"P": PHRASE_COST, "": NULL_COST}
_KEEPS = re.compile(r"\b(?:retain|preserv|maintain|recover|keep|match|reach|attain)\w*\b[^.;]*$", re.I)
_KEPT = re.compile(r" of (?:[^\s,.;]+ ){0,7}?(performance|accuracy|quality|capability|utility|throughput|F1|score)\b")
_LABEL = re.compile(r" ?\((?!\d)([^()\n;,]{1,30})\)")


@dataclass(frozen=True, slots=True)
class Option:
    """A candidate with its features; `candidate` null: the text names no measure."""

    candidate: Candidate | None
    features: list[str]


def places_of(datasets: Sequence[Name], spans: Sequence[Span]) -> list[Place]:
    """All mentions of the data sets in order of position, with the index of the sentence they stand in."""
    out = []
    for order, dataset in enumerate(datasets):
        for span in dataset.spans:
            index = next((i for i, (a, b) in enumerate(spans) if a <= span[0] < b), len(spans))
            out.append(Place(dataset.name, span, index, dataset.role == "proposed", order))
    return sorted(out, key=lambda p: (p.span, p.order))


def measure_options(
    sentences: Sequence[Sentence], s: Sentence, q: Quantity, previous: Candidate | None = None
) -> list[Option]:
    """Every measure that the quantity may belong to, the option of none last; `previous` is the measure of the quantity
    before it in the sentence."""
    found: list[tuple[Candidate, str]] = []
    phrases = phrase_candidates(s, q)
    for m in s.measures:
        if m.start < q.end and q.start < m.end and (m.start <= q.start or q.scale == "ratio"):
            continue
        sources = "+".join(sorted(p.source for p in phrases if p.start < m.end and m.start < p.end))
        kind = f"{m.kind}0" if m.kind == "H" and not m.modifiers else m.kind
        found.append((Candidate(m.start, m.end, m.name, m.canonical, kind, "", s.index), sources or "lexicon"))
    for p in phrases:
        known = any(p.start < m.end and m.start < p.end for m in s.measures)
        if not known and not any(p.start == c.start and p.end == c.end for c, _ in found):
            found.append((p, p.source))
    rank = _rank(s, q)
    places, edges = _lists(s, [(c.start, c.end) for c, _ in found])
    out = []
    for (c, sources), place, edge in zip(found, places, edges, strict=True):
        features = measure_features(s, q, c, sources, edge) + _alignment(rank, place)
        if previous is not None and c.name == previous.name:
            closer = any(c.end <= m.start and m.end <= q.start for m in s.measures if m.kind in "SDC" or m.modifiers)
            features.append(f"carry={closer}")
        out.append(Option(c, features))
    _compare(q, out)
    for c in _earlier(sentences, s):
        out.append(Option(c, measure_features(s, q, c, "earlier", (c.start, c.end))))
    out.append(Option(None, no_measure_features(s, q)))
    return out


def _compare(q: Quantity, options: list[Option]) -> None:
    """Add to the features of each option how it stands to the others: its place on its side, and whether another one stands in
    a tighter frame."""
    found = [o.candidate for o in options if o.candidate is not None]
    tight = [not _TIGHT_FRAMES.isdisjoint(o.features) for o in options]
    total = sum(tight)
    for o, c, own in zip(options, found, tight, strict=True):
        if c.end <= q.start:
            side, between = "L", sum([c.end <= x.start and x.end <= q.start for x in found])
        else:
            side = "R" if c.start >= q.end else "I"
            between = sum([q.end <= x.start and x.end <= c.start for x in found])
        k = "P" if c.kind == "P" else "M"
        rival = total > own
        o.features.extend([f"{side}nth={min(between, 2)}/{k}", f"tight={own}/{rival}/{k}", f"tight={own}/{rival}/{side}"])


_TIGHT_FRAMES = frozenset({"Rway=", "Rway=CHG in", "Rway=in", "Rway=CMP", "Rway=CHG of", "Lway=of", "Lway=", "Lway=BE", "Lway=by", "Lway=to", "Lway=from", "Lway=CHG of"})


def _lists(s: Sentence, spans: list[Span]) -> tuple[list[tuple[int, int]], list[Span]]:
    """Place and list of each name; names with numbers between them, `SVHN (55%) and MNIST (98%)`, make no list."""
    places, edges = lists_of(spans, s.text)
    for i, (low, high) in enumerate(edges):
        if any(low < q.start < high for q in s.quantities):
            places[i], edges[i] = (0, 1), spans[i]
    return places, edges


def _earlier(sentences: Sequence[Sentence], s: Sentence) -> list[Candidate]:
    """The measures of the nearest earlier sentence that names some by themselves."""
    for other in reversed(sentences):
        if other.index >= s.index or s.index - other.index > 3:
            continue
        own = [m for m in other.measures if m.kind in "SDC"]
        if own:
            return [Candidate(m.start, m.end, m.name, m.canonical, m.kind, "", other.index) for m in own[-2:]]
    return []


def _rank(s: Sentence, q: Quantity) -> tuple[int, int]:
    return s.ranks[s.numbers[q.start]]


def _alignment(a: tuple[int, int], b: tuple[int, int]) -> list[str]:
    """Lists of the same length belong together item by item: `15.3% and 14.7% improvement in MAE and RMSE`."""
    if a[1] == b[1] > 1:
        return ["aligned" if a[0] == b[0] else "crossed"]
    if a[1] > 1 or b[1] > 1:
        return [f"lists={min(a[1], 3)}/{min(b[1], 3)}", f"lists={min(a[1], 3)}/{min(b[1], 3)}/{b[0] == 0}"]
    return []


def choose_measure(
    sentences: Sequence[Sentence], s: Sentence, q: Quantity, previous: Candidate | None
) -> Candidate | None:
    """The measure that the quantity is a value of, or null."""
    own = _labelled(s, q) or _share_kept(s, q) or plain_speed(s, q)
    if own is not None:
        return own
    options = measure_options(sentences, s, q, previous)
    model = results_model.weights("measure")
    scores = [results_model.score(model, o.features) - _COSTS.get(o.candidate.kind if o.candidate else "", 0.0) for o in options]
    return options[scores.index(max(scores))].candidate


def _labelled(s: Sentence, q: Quantity) -> Candidate | None:
    """The measure in the quantity's own brackets, `11.76% (L1), 6.39% (SSIM)`: two quantities at least have such labels, and
    one label is a known measure; then the others are measures too, whatever their names."""
    labels = {other.start: m for other in s.quantities if (m := _LABEL.match(s.text, other.end))}
    own = labels.get(q.start)
    if own is None or len(labels) < 2:
        return None
    known = {(m.start, m.end): m for m in s.measures}
    if not any((m.start(1), m.end(1)) in known for m in labels.values()):
        return None
    span = (own.start(1), own.end(1))
    canonical = known[span].canonical if span in known else singular(own[1])
    return Candidate(*span, singular(own[1]), canonical, "S", "label", s.index)


def _share_kept(s: Sentence, q: Quantity) -> Candidate | None:
    """The measure of which a share is kept: `retains 90% of the original model's performance`."""
    if q.unit != "%" or not _KEEPS.search(s.text, max(s.span[0], q.start - 40), q.start):
        return None
    hit = _KEPT.match(s.text, q.end, s.span[1])
    return Candidate(hit.start(1), hit.end(1), hit[1], hit[1], "S", "share", s.index) if hit else None


def dataset_options(places: Sequence[Place], s: Sentence, q: Quantity) -> list[tuple[Place | None, list[str]]]:
    """Every data set mentioned in the sentence or before it, and none, with features."""
    here = [p for p in places if p.sentence == s.index and not (p.span[0] < q.end and q.start < p.span[1])]
    named = len(here)
    here += phrase_places(s, q)
    places_in_list, edges = _lists(s, [p.span for p in here])
    rank = _rank(s, q)
    out: list[tuple[Place | None, list[str]]] = []
    low, high = s.lists[s.numbers[q.start]]
    mixed = any(low <= p.span[0] < high for p in here[:named])
    for p, place, edge in zip(here, places_in_list, edges, strict=True):
        features = dataset_features(s, q, p, edge, mixed) + _alignment(rank, place)
        out.append((p, features + phrase_features(p) if p.source else features))
    seen = set()
    for p in reversed([p for p in places if p.sentence < s.index]):
        if p.name not in seen:
            seen.add(p.name)
            features = dataset_features(s, q, p, p.span)
            out.append((p, [*features, f"recent={len(seen) if len(seen) < 3 else 3}", f"here={min(named, 2)}"]))
    out.append((None, ["null", f"null/here={min(named, 2)}", f"null/phrases={min(len(here) - named, 2)}", f"null/before={min(len(seen), 3)}", f"null/{q.scale}"]))
    return out


def choose_dataset(places: Sequence[Place], s: Sentence, q: Quantity) -> str | None:
    """Name of the data set that the quantity is measured on, or null."""
    options = dataset_options(places, s, q)
    chosen = options[results_model.best(results_model.weights("dataset"), [f for _, f in options])][0]
    return chosen.name if chosen else None


def nearest_method(methods: Sequence[Name], s: Sentence, q: Quantity) -> str | None:
    """The method or model whose value the quantity is: the one right behind it (`71.0 for EnCodec`), else the nearest before it, else the
    nearest after it. What the sentence only compares with (`faster than SAM`) is none; then, and
    where it says `our` or `it`, it is the one that the paper proposes."""
    low, high = s.span
    mentions = sorted((a, b, method.name) for method in methods for a, b in method.spans if low <= a < high)
    own = next((name for a, _, name in mentions if a >= q.end and _OWNER.fullmatch(s.text, q.end, a)), None)
    if own is not None:
        return own
    free = [(a, b, name) for a, b, name in mentions if not _COMPARED.search(s.text, max(low, a - _COMPARISON), a)]
    before = [name for _, b, name in free if b <= q.start]
    after = [name for a, _, name in free if a >= q.end]
    if before or after:
        return before[-1] if before else after[0]
    proposed = [method.name for method in methods if method.role == "proposed"]
    return proposed[0] if proposed and (mentions or (len(proposed) == 1 and _OURS.search(s.text, low, high))) else None


_OURS = re.compile(r"\b(?:[Oo]ur|[Ii]t|[Ww]e)\b")
_COMPARISON = 48
_OWNER = re.compile(r"\s*(?:points?\s+)?(?:for|by|of)\s+(?:the\s+)?")
_COMPARED = re.compile(
    r"\b(?:than|over|versus|vs\.?|against|unlike|outperform\w*|surpass\w*|exceed\w*|beat\w*|(?:compared|relative|comparable|superior)\s+(?:to|with))"
    r"\s+(?:[\w.%-]+\s+){0,2}$"
)


