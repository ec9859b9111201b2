"""The row ledger: where every record went, stage by stage and in total."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.load.figures import Counts
from pipeline.model import FileSummary

_MERGED = ("exact", "normalised", "near", "version")


def row_ledger(counts: Counts, inputs: Iterable[FileSummary]) -> dict[str, dict[str, int]]:
    """Records that enter and leave each stage, and what becomes of the others.

    In every stage `in` = `out` + `merged` + `quarantined`; in total `records` = `kept` + `merged` + `quarantined`.
    Occurrences of abstracts that takedowns or the licence filter remove are quarantined by `load`; only what is left is
    counted as merged by `dedupe`.
    """
    files = list(inputs)
    records = sum(file.records for file in files)
    skipped = sum(sum(file.skipped.values()) for file in files)
    ledger: dict[str, dict[str, int]] = {"extract": {"entries": records + skipped, "skipped": skipped}}
    left = records
    for stage in ("extract", "clean", "dedupe", "enrich", "load"):
        lost = counts["quarantined_records", stage]
        entry = {"in": left, "out": left - lost, "quarantined": lost}
        if stage == "dedupe":
            merged = {relation: counts["relations", relation] for relation in _MERGED}
            entry |= {"out": left - lost - sum(merged.values()), "merged": sum(merged.values()), **merged}
        ledger[stage] = ledger.get(stage, {}) | entry
        left = entry["out"]
    merged_all, quarantined = ledger["dedupe"]["merged"], sum(entry["quarantined"] for entry in ledger.values())
    ledger["total"] = {"records": records, "kept": left, "merged": merged_all, "quarantined": quarantined}
    return ledger
