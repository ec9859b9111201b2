"""Show one abstract as a person asks for it: its text with the mentions marked, why each was found, and its duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.errors import show_unseen
from pipeline.explain_facts import HEADINGS, KIND_OF_TABLE, ROW_TABLES, Facts, Occurrence, Row, marked_spans, read_facts
from pipeline.explain_page import render_page

_LETTERS = {"method": "M", "dataset": "D", "metric": "R", "url": "U"}
_COLOURS = {
    "method": "36",
    "dataset": "32",
    "metric": "33",
    "url": "34",
    "gone": "31",
    "new": "32",
    "bold": "1",
    "faint": "2",
}


def explain(release: Path, abstract_id: str, *, colour: bool = False) -> str:
    """What folder `release` says about the abstract whose id is, or starts with, `abstract_id`, for a terminal.

    Mentions are marked as `[M:name]` (M method, D dataset, R result, U URL) or, with `colour`, by ANSI colours.
    Raises `UsageError` if `release` is no release, or if no abstract or several match.
    """
    facts = read_facts(release, abstract_id)
    paint = _Paint(colour=colour)
    lines = [*_head(facts, paint), "", _marked_text(facts, paint), ""]
    for table in ROW_TABLES:
        rows = facts.rows[table]
        lines.append(paint("bold", f"{HEADINGS[table]} ({len(rows)})"))
        lines += [f"  {paint(KIND_OF_TABLE[table], describe(table, row))}\n    {_reason(row, facts)}" for row in rows]
    lines += ["", paint("bold", f"Occurrences ({len(facts.occurrences)})")]
    for occurrence in facts.occurrences:
        lines += _occurrence(occurrence, paint)
    if facts.variants:
        lines += ["", paint("bold", f"Look alike, kept apart ({len(facts.variants)})")]
        lines += [f"  {row['other_id']}  similarity {row['similarity']:.3f}: {row['reason']}" for row in facts.variants]
    return "\n".join(lines)


def explain_html(release: Path, abstract_id: str) -> str:
    """The same as `explain`, as one self-contained HTML page. Raises the same."""
    facts = read_facts(release, abstract_id)
    reasons = {
        table: [(describe(table, row), _reason(row, facts)) for row in facts.rows[table]] for table in ROW_TABLES
    }
    return render_page(facts, reasons, [place(occurrence.row) for occurrence in facts.occurrences])


def describe(table: str, row: Row) -> str:
    """A row of a child table in words: `accuracy = 87 % (from 63) on GenEval`."""
    if table == "urls":
        more = [row[name] for name in ("repository", "identifier") if row[name]]
        return show_unseen(f"{row['url']} · {row['kind']}" + "".join(f", {item}" for item in more))
    if table != "metrics":
        long_form = f" ({row['long_form']})" if row["long_form"] else ""
        return show_unseen(f"{row['name']}{long_form} · {row['role']}")
    if row["value"] is None:
        return show_unseen(f"{row['metric'] or row['evidence']} · named without a number")
    parts = [row["metric"] or "(no measure)", row["relation"] or "=", f"{row['value']:g}"]
    parts += [f"– {row['value_max']:g}"] if row["value_max"] is not None else []
    parts += [f"± {row['uncertainty']:g}"] if row["uncertainty"] is not None else []
    parts += [row["unit"]] if row["unit"] else []
    parts += [f"(from {row['baseline']:g})"] if row["baseline"] is not None else []
    parts += [f"on {row['dataset']}"] if row["dataset"] else []
    parts += [f"for {row['subject']}"] if row["subject"] else []
    return show_unseen(" ".join(parts) + (f" · {row['value_kind']}" if row["value_kind"] else ""))


def place(row: Row) -> str:
    """Where an occurrence stands, and how it relates to the kept one."""
    where = f"{row['source_file']} record {row['ordinal']}"
    if row["byte_start"] is not None:
        where += f" (bytes {row['byte_start']}–{row['byte_end']})"
    similarity = (
        f", similarity {row['similarity']:.3f}" if row["similarity"] is not None and row["relation"] != "kept" else ""
    )
    return show_unseen(f"{row['relation']}: {where}{similarity}")


class _Paint:
    """Text in ANSI colours, or as it is. Control characters of the data never reach the terminal."""

    def __init__(self, *, colour: bool) -> None:
        self.colour = colour

    def __call__(self, style: str, text: str) -> str:
        text = show_unseen(text)
        return f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if self.colour else text

    def mark(self, kind: str, text: str) -> str:
        return self(kind, text) if self.colour else f"[{_LETTERS[kind]}:{show_unseen(text)}]"




def _head(facts: Facts, paint: _Paint) -> Iterator[str]:
    row = facts.abstract
    yield paint("bold", (row["title"] or "(no title)").replace("\n", " "))
    known = [("DOI", row["doi"]), ("arXiv", row["arxiv_id"]), ("year", row["year"]), ("venue", row["venue"])]
    facts_known = [f"{name} {value}" for name, value in known if value is not None]
    yield show_unseen(
        "  ".join([row["abstract_id"], row["language"], f"{row['n_words']} words", *facts_known]).replace("\n", " ")
    )
    if row["flags"]:
        yield f"flags: {', '.join(row['flags'])}"


def _marked_text(facts: Facts, paint: _Paint) -> str:
    text, done, out = facts.abstract["text"], 0, []
    for start, end, kind, _ in marked_spans(facts.mentions):
        out += [show_unseen(text[done:start]), paint.mark(kind, text[start:end])]
        done = end
    return "".join([*out, show_unseen(text[done:])])


def _reason(row: Row, facts: Facts) -> str:
    surface = facts.abstract["text"][row["char_start"] : row["char_end"]]
    times = f", {row['mentions']} mentions" if (row.get("mentions") or 0) > 1 else ""
    spans = f"characters {row['char_start']}–{row['char_end']}, raw {row['raw_start']}–{row['raw_end']}"
    return show_unseen(f"rule {row['rule']}, confidence {row['confidence']:.2f}, “{surface}” at {spans}{times}")


def _occurrence(occurrence: Occurrence, paint: _Paint) -> list[str]:
    lines = [f"  {place(occurrence.row)}" + (f", {occurrence.note}" if occurrence.note else "")]
    signs = {"gone": ("[-", "-]"), "new": ("{+", "+}")}
    if occurrence.changes:
        words = [
            paint(kind, f"{signs[kind][0]}{text}{signs[kind][1]}") if kind in signs else show_unseen(text)
            for kind, text in occurrence.changes
        ]
        lines.append(f"    {' '.join(words)}")
    return lines
