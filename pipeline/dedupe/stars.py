"""Groups around kept records: candidates are compared on their texts, and every member is like the kept record itself.

Records are taken in the order in which they would be kept. One that is the same as a record kept before joins it
(of several, the one with the smallest abstract id); else it is kept. A chain of drifting texts so becomes several
groups, never one, and the result depends on the records alone, not on their order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.dedupe.candidates import find_candidates, pair_equal
from pipeline.dedupe.corpus import I64, U64, Corpus, Described
from pipeline.dedupe.judge import Likeness, judge
from pipeline.dedupe.likeness import WordedText, word_texts
from pipeline.dedupe.strong import Clusters, choose_best, join_strong, rank_records

_BATCH = 1024
_ROUNDS = 3
_TWINS = frozenset(("numbers", "name", "series"))
"""Why two texts are two although nearly all their words are equal: no third text may bring them together."""

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Variant:
    """Two records that are alike and kept apart, by place."""

    first: int
    second: int
    similarity: float
    reason: str


@dataclass(slots=True)
class Resolution:
    """For every record the place of the kept one of its group and how alike the texts are; and the variants."""

    kept: I64
    similarity: np.ndarray
    variants: list[Variant] = field(default_factory=list)


class Comparer:
    """Compares prepared records of a corpus, a batch at a time."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def compare(self, pairs: Sequence[Pair]) -> Iterable[tuple[Pair, Likeness]]:
        """The likeness of each pair of places, in order."""
        for start in range(0, len(pairs), _BATCH):
            batch = pairs[start : start + _BATCH]
            places = sorted({place for pair in batch for place in pair})
            described = self._corpus.describe(places)
            worded = word_texts([item.text for item in described])
            known: dict[int, tuple[Described, WordedText]] = dict(
                zip(places, zip(described, worded, strict=True), strict=True)
            )
            for a, b in batch:
                (left, words_a), (right, words_b) = known[a], known[b]
                yield (a, b), judge(words_a, words_b, left.evidence, right.evidence)


class Stars:
    """The groups as they form. `ranked` are the places that may join groups, in the order of what would be kept first."""

    def __init__(self, clusters: Clusters, ranked: I64, keys: NDArray[np.uint64]) -> None:
        self._clusters = clusters
        self._rank = np.empty(len(keys), dtype=np.int64)
        self._rank[ranked] = np.arange(len(ranked))
        self._keys = keys
        self.same: dict[int, dict[int, float]] = defaultdict(dict)
        self._apart: dict[int, set[int]] = defaultdict(set)
        self._seen: set[int] = set()
        self.variants: list[Variant] = []

    def add(self, compared: Iterable[tuple[Pair, Likeness]]) -> None:
        """Take in what comparing pairs gave; the one that would be kept comes first in each pair."""
        for (a, b), likeness in compared:
            if likeness.verdict != "different":
                self._seen.add(a << 32 | b)
            if likeness.verdict == "same" and self._clusters.conflict(a, b):
                self.variants.append(Variant(a, b, likeness.similarity, "identifiers"))
            elif likeness.verdict == "same":
                self.same[b][a] = likeness.similarity
            elif likeness.verdict == "variant":
                if likeness.reason in _TWINS:
                    self._apart[a].add(b)
                    self._apart[b].add(a)
                self.variants.append(Variant(a, b, likeness.similarity, likeness.reason))

    def assign(self) -> dict[int, int]:
        """Members and the kept records they join; twins never join one group, whatever each is like."""
        kept_of: dict[int, int] = {}
        ids: dict[int, dict[int, int]] = {}
        places = np.fromiter(self.same, dtype=np.int64, count=len(self.same))
        for place in places[np.argsort(self._rank[places])].tolist():
            own = self._clusters.ids(self._clusters.find(place))
            fits = [head for head in self.same[place] if head not in kept_of]
            barred = {kept_of.get(other, other) for other in self._apart.get(place, ())}
            for head in sorted(fits, key=lambda head: (self._keys[head], head)):
                held = ids.setdefault(head, dict(self._clusters.ids(self._clusters.find(head))))
                agree = all(held.get(registry, identifier) == identifier for registry, identifier in own.items())
                if agree and head not in barred:
                    held.update(own)
                    kept_of[place] = head
                    break
        return kept_of

    def missing(self, kept_of: dict[int, int]) -> list[Pair]:
        """Pairs not yet found alike: a kept record, and one that is the same as a member of its group."""
        pairs = set()
        for place in sorted(self.same):
            if place in kept_of:
                continue
            for neighbour in self.same[place]:
                head = kept_of.get(neighbour)
                if head is not None and head << 32 | place not in self._seen:
                    pairs.add((head, place))
        return sorted(pairs)


def _list_pairs(batch: U64, ranked: I64) -> list[Pair]:
    first = ranked[(batch >> np.uint64(32)).astype(np.int64)].tolist()
    second = ranked[(batch & np.uint64(0xFFFFFFFF)).astype(np.int64)].tolist()
    return list(zip(first, second, strict=True))


def resolve(corpus: Corpus, folder: Path, memory_bytes: int) -> Resolution:
    """Which records are one abstract. `folder` holds work files, `memory_bytes` bounds the sorts."""
    records = corpus.records
    clusters, apart = join_strong(corpus)
    best = choose_best(records, clusters.roots())
    ranked = rank_records(records, np.unique(best))
    found = list(find_candidates(lambda a, b: corpus.read_bins(ranked, a, b), len(ranked), folder, memory_bytes))
    titled = pair_equal(records["title"][ranked])
    batches = [*found, np.setdiff1d(titled, np.concatenate([*found, titled[:0]]))]
    halves = [part for batch in batches for part in (batch >> np.uint64(32), batch & np.uint64(0xFFFFFFFF))]
    active = np.unique(np.concatenate(halves)).astype(np.int64) if halves else np.empty(0, np.int64)
    corpus.prepare(np.sort(ranked[active]))
    comparer = Comparer(corpus)
    stars = Stars(clusters, ranked, records["key"])
    for batch in batches:
        stars.add(comparer.compare(_list_pairs(batch, ranked)))
    kept_of = stars.assign()
    for _ in range(_ROUNDS):
        missing = stars.missing(kept_of)
        if not missing:
            break
        stars.add(comparer.compare(missing))
        kept_of = stars.assign()
    return _conclude(corpus, best, stars, kept_of, apart)


def _conclude(corpus: Corpus, best: I64, stars: Stars, kept_of: dict[int, int], apart: list[Pair]) -> Resolution:
    """The resolution of every record from the groups of the representatives."""
    records = corpus.records
    heads = np.arange(len(records))
    for place, head in kept_of.items():
        heads[place] = head
    kept = heads[best]
    similarity = np.full(len(records), np.nan)
    merged = np.flatnonzero(kept != np.arange(len(records)))
    equal = (records["key"][merged] == records["key"][kept[merged]]) & (records["key"][merged] != 0)
    similarity[merged[equal]] = 1.0
    rest = []
    for place in merged[~equal].tolist():
        twin = int(best[place]) if records["key"][place] == records["key"][best[place]] else place
        known = stars.same.get(twin, {}).get(int(kept[place]))
        if known is None:
            rest.append(place)
        else:
            similarity[place] = known
    pairs = [(int(kept[place]), place) for place in rest]
    corpus.prepare(np.unique(np.array(pairs, dtype=np.int64)))
    for (_, place), likeness in Comparer(corpus).compare(pairs):
        similarity[place] = likeness.similarity
    found = stars.variants + [Variant(a, b, 1.0, "identifiers") for a, b in apart]
    return Resolution(kept, similarity, _settle_variants(found, kept))


def _settle_variants(found: Iterable[Variant], kept: I64) -> list[Variant]:
    """Variants between kept records, each pair once, with its best similarity."""
    settled: dict[Pair, Variant] = {}
    for variant in found:
        a, b = sorted((int(kept[variant.first]), int(kept[variant.second])))
        before = settled.get((a, b))
        if a != b and (before is None or (variant.similarity, variant.reason) > (before.similarity, before.reason)):
            settled[(a, b)] = Variant(a, b, variant.similarity, variant.reason)
    return [settled[pair] for pair in sorted(settled)]
