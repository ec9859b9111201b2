"""Charts of report.html as inline SVG: bars, parts of a whole, histograms. Value level, no styles but classes.

Why no chart library: see docs/release.md. Every chart stands beside the numbers it shows, or carries them as its
text alternative.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.load.report_figures import Histogram
from pipeline.load.report_text import escape, figure

#: Height of a histogram in its own units.
_HEIGHT = 36


def bar(parts: Sequence[tuple[str, float]], whole: float) -> str:
    """A horizontal bar: (class, amount) after each other, on a track of length `whole`. The numbers stand beside it."""
    x, shapes = 0.0, []
    for name, amount in parts:
        width = 100 * amount / whole if whole else 0.0
        if amount:
            shapes.append(f'<rect class="{name}" x="{_short(x)}" width="{_short(width)}" height="10"/>')
        x += width
    return f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="10"/>{"".join(shapes)}</svg>'


def columns(chart: Histogram, label: str) -> str:
    """A histogram; `label` is its text alternative."""
    top = max(chart.counts)
    step = 100 / len(chart.counts)
    shapes = []
    for place, count in enumerate(chart.counts):
        # The smallest bar that can be seen, so that a single value is not lost.
        height = max(_HEIGHT * count / top, 1.5) if count else 0
        if count:
            shapes.append(f'<rect class="bin" x="{_short(place * step)}" y="{_short(_HEIGHT - height)}" width="{_short(step * 0.9)}" height="{_short(height)}"/>')
    return (
        f'<svg class="histogram" viewBox="0 0 100 {_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f'{"".join(shapes)}<rect class="axis" y="{_HEIGHT - 0.5}" width="100" height="0.5"/></svg>'
    )


def histogram(chart: Histogram, label: str) -> str:
    """A histogram with its ends written below."""
    scale = '<span class="muted">log scale</span>' if chart.log else ""
    return f'{columns(chart, label)}<span class="ends"><span>{figure(chart.low)}</span>{scale}<span>{figure(chart.high)}</span></span>'


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".") or "0"
