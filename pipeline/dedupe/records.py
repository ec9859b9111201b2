"""Dedupe of records in memory: the core of the filter `abstracts dedupe`."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.dedupe.corpus import I64, RECORD, Corpus, Described, hash_title, identity_columns
from pipeline.dedupe.evidence import evidence_of, identify
from pipeline.dedupe.signatures import read_sketches, sign_texts
from pipeline.dedupe.stars import Resolution, resolve

_MEMORY = 512 << 20
_FIELDS = ("title", "authors", "year", "doi", "arxiv_id", "arxiv_version", "venue", "source_url", "licence", "keywords")
_DAMAGE = ("url_lost", "truncated", "mojibake_repaired", "text_lost")


def count_damage(flags: object) -> int:
    """How many kinds of damage a record's flags name."""
    return sum(flag in flags for flag in _DAMAGE) if isinstance(flags, list | tuple) else 0


class MemoryCorpus(Corpus):
    """Records given as mappings, in order of their ids."""

    def __init__(self, records: Sequence[Mapping[str, object]]) -> None:
        self._given = records
        self._texts = [str(record.get("text") or "") for record in records]
        signatures = sign_texts(self._texts)
        self._sketches = read_sketches(signatures.column("sketch"))
        self.records = np.zeros(len(records), dtype=RECORD)
        for place, (record, key) in enumerate(zip(records, signatures.column("key_hash").to_pylist(), strict=True)):
            self._fill(place, record, key)
        self.records["size"] = signatures.column("n_tokens").to_pylist()

    def _fill(self, place: int, record: Mapping[str, object], key_hash: bytes) -> None:
        doi, arxiv_id, version = record.get("doi"), record.get("arxiv_id"), record.get("arxiv_version")
        identity = identify(
            str(doi) if doi else None, str(arxiv_id) if arxiv_id else None, int(str(version)) if str(version or "").isdecimal() else None
        )
        row = self.records[place]
        if self._texts[place].strip():
            row["key"], row["key_rest"] = int.from_bytes(key_hash[:8], "big"), int.from_bytes(key_hash[8:], "big")
        row["arxiv"], row["doi"], row["registry"] = identity_columns(identity)
        row["title"] = hash_title(record.get("title"))
        row["version"] = min(identity.version, 9999)
        row["metadata"] = sum(1 << bit for bit, name in enumerate(_FIELDS) if record.get(name))
        row["damage"] = count_damage(record.get("flags")) + ("this https URL" in self._texts[place])

    def read_bins(self, places: I64, start: int, end: int) -> NDArray[np.uint32]:
        return np.ascontiguousarray(self._sketches[places, start:end].T)

    def prepare(self, places: I64) -> None:
        pass

    def describe(self, places: Sequence[int]) -> list[Described]:
        return [Described(self._texts[place], evidence_of(self._given[place])) for place in places]


def _relate(corpus: MemoryCorpus, resolution: Resolution, place: int) -> str:
    """How a record relates to the kept one of its group."""
    kept = int(resolution.kept[place])
    mine, its = corpus.records[place], corpus.records[kept]
    if kept == place:
        return "kept"
    if mine["key"] and mine["key"] == its["key"]:
        texts = [described.text for described in corpus.describe([place, kept])]
        return "exact" if texts[0] == texts[1] else "normalised"
    return "version" if mine["arxiv"] and mine["arxiv"] == its["arxiv"] else "near"


def dedupe_records(records: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """One answer a record, in input order: the id of the kept record of its group (`cluster`), the relation to it, how
    alike the texts are (null for a kept one), and the smallest id of a group that is alike but kept apart.

    A record holds `id` and `text`, and title, authors, year, doi, arxiv_id, arxiv_version, flags where known. The
    result does not depend on the order of the records; ties are decided by id.
    """
    order = sorted(range(len(records)), key=lambda i: (str(records[i].get("id")), i))
    corpus = MemoryCorpus([records[i] for i in order])
    ids = [records[i].get("id") for i in order]
    with tempfile.TemporaryDirectory(prefix="dedupe-") as folder:
        resolution = resolve(corpus, Path(folder), _MEMORY)
    variant_of: dict[int, int] = {}
    for variant in resolution.variants:
        for a, b in ((variant.first, variant.second), (variant.second, variant.first)):
            variant_of[a] = min(b, variant_of.get(a, b))
    answers: list[dict[str, object]] = [{}] * len(records)
    for place, index in enumerate(order):
        kept = int(resolution.kept[place])
        similarity = float(resolution.similarity[place])
        other = variant_of.get(place)
        answers[index] = {
            "id": ids[place],
            "cluster": ids[kept],
            "relation": _relate(corpus, resolution, place),
            "similarity": None if np.isnan(similarity) else round(similarity, 4),
            "variant_of": None if other is None else ids[other],
        }
    return answers
