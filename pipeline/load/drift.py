"""The drift gate: a release that shrinks, explodes or changes character stops, with the numbers, until a person agrees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.errors import RefusedError
from pipeline.load.context import Bands


@dataclass(frozen=True, slots=True)
class Drift:
    """A figure that moved further than its band allows."""

    figure: str
    before: float
    now: float
    band: str

    def __str__(self) -> str:
        return f"{self.figure}: {self.before:,.4g} before, {self.now:,.4g} now (allowed: {self.band})"


def drifts(before: Mapping[str, Any], now: Mapping[str, Any], bands: Bands) -> list[Drift]:
    """Figures (as in the manifest) of the previous and the new release that differ by more than the bands allow.

    Shares are compared only where both releases have enough rows of the table for a share to mean something.
    """
    out = list(_row_drifts(before, now, bands))
    for figure, key, table, band in _shares(before, now, bands):
        bases = [int(f.get("rows", {}).get(table, 0)) for f in (before, now)]
        if min(bases) < bands.smallest:
            continue
        old, new = (f.get(figure, {}).get(key, 0) / base for f, base in zip((before, now), bases, strict=True))
        if abs(new - old) > band:
            out.append(Drift(f"share of {figure} {key}", old, new, f"± {band:g}"))
    old, new = (_quarantined_share(f) for f in (before, now))
    if abs(new - old) > bands.quarantined_share and _records(now) >= bands.smallest:
        out.append(Drift("share of quarantined records", old, new, f"± {bands.quarantined_share:g}"))
    return out


def _row_drifts(before: Mapping[str, Any], now: Mapping[str, Any], bands: Bands) -> Iterator[Drift]:
    for table in ("abstracts", "sources"):
        old, new = (int(f.get("rows", {}).get(table, 0)) + int(f.get("left_out", {}).get(table, 0)) for f in (before, now))
        many = old >= bands.smallest
        shrinks = old - new >= bands.few and new < old * (1 - bands.fewer_rows) and (many or table == "abstracts")
        if shrinks or (many and new > old * (1 + bands.more_rows)):
            yield Drift(f"rows of {table}", old, new, f"{-bands.fewer_rows:+.0%} to {bands.more_rows:+.0%}")


def _shares(before: Mapping[str, Any], now: Mapping[str, Any], bands: Bands) -> Iterator[tuple[str, str, str, float]]:
    keys = {name: sorted({*before.get(name, {}), *now.get(name, {})}) for name in ("nulls", "abstracts_with", "languages")}
    yield from (("nulls", key, key.split(".")[0], bands.null_share) for key in keys["nulls"] if not key.startswith(("redirects", "quarantine")))
    yield from (("abstracts_with", key, "abstracts", bands.extraction_rate) for key in keys["abstracts_with"])
    yield from (("languages", key, "abstracts", bands.language_share) for key in keys["languages"])


def _records(figures: Mapping[str, Any]) -> int:
    rows = figures.get("rows", {})
    return int(rows.get("sources", 0)) + int(rows.get("quarantine", 0))


def _quarantined_share(figures: Mapping[str, Any]) -> float:
    return int(figures.get("rows", {}).get("quarantine", 0)) / max(_records(figures), 1)


def refuse_drift(found: list[Drift], accept_change: str | None) -> None:
    """Raise RefusedError with the numbers, unless a person gave the reason why the change is meant."""
    if found and not accept_change:
        raise RefusedError(
            "The release differs more from the previous one than the settings allow:\n" + "\n".join(f"  {drift}" for drift in found),
            'Nothing was published. If the change is meant, run again with --accept-change "why"; else look at the inputs.',
            drifts=[str(drift) for drift in found],
        )
