"""The browser of report.html: one article per abstract with marks in its text, and the data behind them as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from pipeline.load.report_sample import Shown, describe, name_of
from pipeline.load.report_text import escape, isolate, plural, shorten

#: Characters of a text that are shown; the longest abstracts of real sources have about 10,000.
TEXT_LIMIT = 20_000
#: Authors, sources and similar abstracts that an article names.
_NAMED = 5
_NOUNS = {"method": "method", "dataset": "dataset", "metric": "result or measure", "url": "URL"}


def mark_text(text: str, spans: Sequence[tuple[int, int, int]], kinds: Sequence[str]) -> str:
    """`text` as paragraphs in which every span is marked. Where spans overlap, the piece belongs to all of them, and
    looks like the shortest; `data-r` names the places in `kinds` that cover it."""
    cuts = sorted({0, len(text), *(place for start, end, _ in spans for place in (start, end) if 0 < place < len(text))})
    opening: dict[int, list[tuple[int, int, int]]] = {}
    for span in spans:
        opening.setdefault(max(span[0], 0), []).append(span)
    active: list[tuple[int, int, int]] = []
    pieces = []
    for start, end in pairwise(cuts):
        active = [span for span in active if span[1] > start] + opening.get(start, [])
        pieces.append(_piece(text[start:end], sorted(active, key=lambda span: (span[1] - span[0], span[2])), kinds))
    return f"<p>{''.join(pieces)}</p>"


def _piece(text: str, covering: Sequence[tuple[int, int, int]], kinds: Sequence[str]) -> str:
    content = escape(text).replace("\n\n", "</p><p>") if not covering else escape(text)
    if not covering:
        return content
    rows = list(dict.fromkeys(row for _, _, row in covering))
    return f'<mark class="{kinds[rows[0]]}" data-r="{" ".join(map(str, rows))}">{content}</mark>'


def article(shown: Shown, number: int) -> str:
    """One abstract with its marks, its origin and a place for the table of what was found."""
    row = shown.row
    key = row["abstract_id"]
    text, spans = row["text"], shown.spans
    cut = ""
    if len(text) > TEXT_LIMIT:
        text, spans = text[:TEXT_LIMIT], [span for span in spans if span[1] <= TEXT_LIMIT]
        cut = f'<p class="muted">The first {TEXT_LIMIT:,} of {len(row["text"]):,} characters.</p>'
    kinds = [kind for kind, _ in shown.found]
    title = isolate(shorten(row["title"], 300)) if row["title"] else f"Abstract {number:,}"
    language = f' lang="{escape(row["language"])}"' if row["language"] != "und" else ""
    flags = "".join(f'<li class="flag">{escape(flag)}</li>' for flag in row["flags"])
    return (
        f'<article id="{escape(key)}"><h3>{title}</h3>'
        f'<p class="origin"><a href="#{escape(key)}"><code>{escape(key)}</code></a>{_origin(shown)}</p>'
        f'{f"<ul class=flags>{flags}</ul>" if flags else ""}'
        f'<div class="text" dir="auto"{language}>{mark_text(text, spans, kinds)}</div>{cut}'
        f"<details><summary>{_summary(kinds)}</summary></details></article>"
    )


def _summary(kinds: Sequence[str]) -> str:
    counts = Counter(kinds)
    parts = [plural(counts[kind], noun) if kind != "metric" else f"{counts[kind]:,} {'result or measure' if counts[kind] == 1 else 'results and measures'}" for kind, noun in _NOUNS.items() if counts[kind]]
    return f"Found: {', '.join(parts)}" if parts else "Found: nothing"


def _origin(shown: Shown) -> str:
    row = shown.row
    authors = [*row["authors"][:_NAMED], *(["et al."] if len(row["authors"]) > _NAMED else [])]
    given = [isolate(shorten(", ".join(authors), 200))] if authors else []
    given += [isolate(shorten(str(row[name]), 120)) for name in ("venue", "year", "doi", "arxiv_id", "licence") if row[name] is not None]
    kept = [item for item in shown.sources if item["relation"] == "kept"]
    others = [item for item in shown.sources if item["relation"] != "kept"]
    given += [f"{isolate(shorten(item['source_file'], 120))}, record {item['ordinal']:,}" for item in kept]
    if others:
        places = "; ".join(f"{item['relation']}: {isolate(shorten(item['source_file'], 120))}, record {item['ordinal']:,}" for item in others[:_NAMED])
        more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
        given.append(f"also {places}{more}")
    if shown.variants:
        links = ", ".join(f'<a href="#{escape(other)}"><code>{escape(other[:8])}</code></a>' for other in shown.variants[:_NAMED])
        given.append(f"looks like {links}, kept apart")
    return "".join(f" · {item}" for item in given)


def browser_data(sample: Sequence[Shown]) -> dict[str, Any]:
    """What the script of the page needs: per abstract its language, flags, length and rows
    [kind in words, name, what the filter compares, description, rule, confidence, kind]."""
    return {
        "abstracts": [
            {
                "id": shown.row["abstract_id"],
                "language": shown.row["language"],
                "flags": shown.row["flags"],
                "files": list(dict.fromkeys(item["source_file"].split("!")[0] for item in shown.sources)),
                "rows": [_row(kind, row) for kind, row in shown.found],
            }
            for shown in sample
        ]
    }


def _row(kind: str, row: Mapping[str, Any]) -> list[Any]:
    filters = {"metric": row.get("metric_canonical"), "url": row.get("host")}.get(kind, row.get("name"))
    named = {"metric": "result" if row.get("value") is not None else "measure", "url": "URL"}.get(kind, kind)
    return [named, shorten(name_of(kind, row), 200), filters, shorten(describe(kind, row), 400), row["rule"], round(row["confidence"], 3), kind]
