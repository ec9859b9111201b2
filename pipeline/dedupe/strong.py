"""Records that are the same abstract without looking at how alike the texts are: by identifier or by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.dedupe.corpus import I64, Corpus, Described
from pipeline.dedupe.evidence import Evidence
from pipeline.dedupe.likeness import measure_overlap, word_texts

_TRIES = 8
_BATCH = 4096
_ALIKE, _CONTAINED = 0.5, 0.92
_NO_IDS: Mapping[int, int] = {}


class Clusters:
    """Disjoint sets of records, joined only where no two of their identifiers conflict."""

    def __init__(self, records: NDArray[Any]) -> None:
        self._parents: I64 = np.arange(len(records))
        self._records = records
        self._identified = (records["arxiv"] != 0) | (records["doi"] != 0)
        self._ids: dict[int, dict[int, int]] = {}

    def find(self, place: int) -> int:
        """The smallest place of the set that `place` is in."""
        parents = self._parents
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = int(parents[place])
        return place

    def ids(self, root: int) -> Mapping[int, int]:
        """The identifiers of a set: registry -> identifier, as hashes."""
        if root not in self._ids:
            if not self._identified[root]:
                return _NO_IDS
            record = self._records[root]
            ids = {1: int(record["arxiv"])} if record["arxiv"] else {}
            if record["doi"]:
                ids[int(record["registry"])] = int(record["doi"])
            self._ids[root] = ids
        return self._ids[root]

    def conflict(self, a: int, b: int) -> bool:
        """Whether the sets of `a` and `b` have two different identifiers of one registry."""
        left, right = self.ids(self.find(a)), self.ids(self.find(b))
        return any(left.get(registry, identifier) != identifier for registry, identifier in right.items())

    def join(self, a: int, b: int) -> bool:
        """Join the sets of `a` and `b` unless they conflict; whether they are one set now."""
        left, right = self.find(a), self.find(b)
        if left == right:
            return True
        if self.conflict(left, right):
            return False
        root, other = min(left, right), max(left, right)
        added = self.ids(other)
        if added:
            self._ids[root] = {**self.ids(root), **added}
        self._parents[other] = root
        return True

    def roots(self) -> I64:
        """The root of every record."""
        parents = self._parents
        while True:
            above = parents[parents]
            if np.array_equal(above, parents):
                return parents
            parents = above


def iterate_equal(values: NDArray[Any]) -> Iterator[I64]:
    """The places that share a value other than 0, in order of place, for each value that at least two share."""
    held = np.flatnonzero(values)
    order = held[np.argsort(values[held], kind="stable")]
    if len(order) < 2:
        return
    heads = np.flatnonzero(np.concatenate(([True], values[order][1:] != values[order][:-1])))
    sizes = np.diff(np.append(heads, len(order)))
    for head, size in zip(heads[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        yield order[head : head + size]


def _join_equal(clusters: Clusters, places: I64) -> list[tuple[int, int]]:
    """Join records with equal keys; pairs that conflicting identifiers keep apart, each with the first only."""
    heads: list[int] = []
    by_id: dict[int, int] = {}
    apart: list[tuple[int, int]] = []
    for place in places.tolist():
        ids = clusters.ids(clusters.find(place)).values()
        known = [by_id[identifier] for identifier in ids if identifier in by_id]
        for head in known + heads[:_TRIES]:
            if clusters.join(head, place):
                break
        else:
            if heads:
                apart.append((heads[0], place))
            heads.append(place)
        root = clusters.find(place)
        by_id.update((identifier, root) for identifier in clusters.ids(root).values())
    return apart


def _are_strangers(a: Evidence, b: Evidence) -> bool:
    """Whether title and authors both say that two records are different papers."""
    return bool(a.title and b.title and a.title != b.title and a.authors and b.authors and not a.authors & b.authors)


def _agree(a: Described, b: Described) -> bool:
    """Whether title or text bear out that two records are one entry."""
    if a.evidence.title and a.evidence.title == b.evidence.title:
        return True
    overlap = measure_overlap(*word_texts([a.text, b.text]))
    return overlap.similarity >= _ALIKE or overlap.containment >= _CONTAINED


def _join_identified(clusters: Clusters, corpus: Corpus, column: str) -> None:
    """Join records with the same identifier.

    A DOI or source id that stands on papers with other titles *and* other authors is that of their volume, and joins
    nothing. Identifiers below 0 are the numbers of rows and the like, which every file has: title or text must agree.
    """
    groups = list(iterate_equal(corpus.records[column]))
    places = np.unique(np.concatenate(groups)) if groups else np.empty(0, np.int64)
    corpus.prepare(places)
    for group in groups:
        weak = corpus.records[column][group[0]] < 0
        heads: list[tuple[int, Described]] = []
        for start in range(0, len(group), _BATCH):
            batch = group[start : start + _BATCH].tolist()
            for place, described in zip(batch, corpus.describe(batch), strict=True):
                for head, other in heads:
                    fits = _agree(other, described) if weak else not _are_strangers(other.evidence, described.evidence)
                    if fits and clusters.join(head, place):
                        break
                else:
                    if len(heads) < _TRIES:
                        heads.append((place, described))


def join_strong(corpus: Corpus) -> tuple[Clusters, list[tuple[int, int]]]:
    """Sets of records with the same identifier or key, and the pairs of equal texts that identifiers keep apart."""
    clusters = Clusters(corpus.records)
    for group in iterate_equal(corpus.records["arxiv"]):
        for place in group[1:].tolist():
            clusters.join(int(group[0]), place)
    for column in ("doi", "source"):
        _join_identified(clusters, corpus, column)
    apart: list[tuple[int, int]] = []
    for group in iterate_equal(corpus.records["key"]):
        apart += _join_equal(clusters, group)
    return clusters, apart


def _count_versions(records: NDArray[Any], roots: I64) -> I64:
    """The arXiv version of each record (1 where an arXiv id has none), 0 in sets in which no two versions differ."""
    versions: I64 = np.where(records["arxiv"] != 0, np.maximum(records["version"], 1), 0).astype(np.int64)
    given = np.flatnonzero(versions)
    newest = np.zeros(len(records), dtype=np.int64)
    oldest = np.full(len(records), np.iinfo(np.int64).max)
    np.maximum.at(newest, roots[given], versions[given])
    np.minimum.at(oldest, roots[given], versions[given])
    return np.where(newest[roots] > oldest[roots], versions, 0)


def choose_best(records: NDArray[Any], roots: I64) -> I64:
    """For every record the one of its set that is kept: undamaged, newest version, most metadata, longest, first."""
    places = np.arange(len(records))
    order = np.lexsort(
        (
            places,
            -records["size"].astype(np.int64),
            -np.bitwise_count(records["metadata"]).astype(np.int64),
            -_count_versions(records, roots),
            records["damage"],
            roots,
        )
    )
    heads = np.flatnonzero(np.concatenate(([True], roots[order][1:] != roots[order][:-1]))) if len(order) else order
    best = np.empty(len(records), dtype=np.int64)
    best[order] = np.repeat(order[heads], np.diff(np.append(heads, len(order))))
    return best


def rank_records(records: NDArray[Any], places: I64) -> I64:
    """`places` in the order in which they would be kept: undamaged, most metadata, longest, first."""
    chosen = records[places]
    return places[
        np.lexsort(
            (
                places,
                -chosen["size"].astype(np.int64),
                -np.bitwise_count(chosen["metadata"]).astype(np.int64),
                chosen["damage"],
            )
        )
    ]
