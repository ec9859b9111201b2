"""The facts about one abstract as one self-contained HTML page: no script, nothing loaded, all data escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from pipeline.explain_facts import HEADINGS, KIND_OF_TABLE, Facts, Occurrence, Row, marked_spans

_STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem; line-height: 1.3 } h2 { font-size: 1.05rem; margin-top: 2rem }
.facts, .why { color: #666; font-size: .85rem } .text { white-space: pre-line }
mark { color: inherit; border-radius: .2em; padding: 0 .15em }
.method { background: #7fd3e866 } .dataset { background: #8fd68f66 } .metric { background: #f2c94c66 } .url { background: #9db4f566 }
li { margin-bottom: .5rem; overflow-wrap: anywhere } del { background: #f4a9a966 } ins { background: #9fdc9f66 }
@media (prefers-color-scheme: dark) { .facts, .why { color: #aaa } }
"""
_TAGS = {"gone": "del", "new": "ins"}


def render_page(facts: Facts, reasons: Mapping[str, Sequence[tuple[str, str]]], places: Sequence[str]) -> str:
    """The page. `reasons`: per table what each row is and why it was found; `places`: per occurrence where it stands."""
    row = facts.abstract
    title = escape(row["title"] or "(no title)")
    sections = [_section(table, KIND_OF_TABLE[table], reasons[table]) for table in reasons]
    occurrences = zip(places, facts.occurrences, strict=True)
    sections.append(_list("Occurrences", [_occurrence(where, occurrence) for where, occurrence in occurrences]))
    if facts.variants:
        sections.append(_list("Look alike, kept apart", [_variant(variant) for variant in facts.variants]))
    body = "\n".join(
        [
            f"<h1>{title}</h1>",
            f'<p class="facts">{_known(row)}</p>',
            f'<p class="text">{_marked_text(facts)}</p>',
            *sections,
        ]
    )
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title><style>{_STYLE}</style>'
    page = f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def _known(row: Row) -> str:
    parts = [row["abstract_id"], row["language"], f"{row['n_words']} words"]
    parts += [
        f"{name} {row[key]}"
        for name, key in (("DOI", "doi"), ("arXiv", "arxiv_id"), ("year", "year"))
        if row[key] is not None
    ]
    parts += [row["venue"]] if row["venue"] else []
    return escape(" · ".join([*parts, *row["flags"]]))


def _marked_text(facts: Facts) -> str:
    text, done, out = facts.abstract["text"], 0, []
    for start, end, kind, name in marked_spans(facts.mentions):
        mark = f'<mark class="{escape(kind)}" title="{escape(kind)}: {escape(name)}">{escape(text[start:end])}</mark>'
        out += [escape(text[done:start]), mark]
        done = end
    return "".join([*out, escape(text[done:])])


def _section(table: str, kind: str, rows: Sequence[tuple[str, str]]) -> str:
    items = [
        f'<mark class="{kind}">{escape(what)}</mark><br><span class="why">{escape(why)}</span>' for what, why in rows
    ]
    return _list(HEADINGS[table], items)


def _occurrence(where: str, occurrence: Occurrence) -> str:
    note = f' <span class="why">{escape(occurrence.note)}</span>' if occurrence.note else ""
    words = [
        f"<{_TAGS[kind]}>{escape(text)}</{_TAGS[kind]}>" if kind in _TAGS else escape(text)
        for kind, text in occurrence.changes or ()
    ]
    return escape(where) + note + (f"<br>{' '.join(words)}" if words else "")


def _variant(row: Row) -> str:
    return escape(f"{row['other_id']}, similarity {row['similarity']:.3f}: {row['reason']}")


def _list(title: str, items: Sequence[str]) -> str:
    inner = "".join(f"<li>{item}</li>" for item in items)
    return f"<h2>{escape(title)} ({len(items)})</h2>\n<ul>{inner}</ul>"
