"""The sections of report.html before the browser: what there is, where it came from, what was found, what was not used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from pipeline.load.context import ReleaseFacts
from pipeline.load.report_charts import bar, histogram
from pipeline.load.report_figures import Distribution, NameCount, ReportFigures
from pipeline.load.report_quality import quality_rows
from pipeline.load.report_text import escape, figure, isolate, plural, share, shorten, table
from pipeline.load.report_words import FLAG_MEANINGS, LOSS_MEANINGS, RELATION_MEANINGS, SKIP_MEANINGS

#: Rows of long tables; what is left out is counted in a last row or named as left out.
_FILES, _SHOWN, _YEARS = 40, 20, 15
_CLASSES = {"kept": "kept", "exact": "merged1", "normalised": "merged2", "near": "merged3", "version": "merged4", "quarantined": "aside"}


def tiles(facts: ReleaseFacts) -> str:
    """The counts that people ask for first."""
    rows = facts.rows
    results = rows["metrics"] - int(facts.figures.get("nulls", {}).get("metrics.value", 0))
    counts = (
        (rows["abstracts"], "abstract"), (rows["methods"], "method"), (results, "result"), (rows["datasets"], "dataset"), (rows["urls"], "URL"),
        (len(facts.inputs), "source file"), (rows["sources"] - rows["abstracts"], "duplicate merged"), (rows["quarantine"], "in quarantine"),
    )  # fmt: skip
    return "".join(f"<li><b>{count:,}</b> {_noun(count, noun)}</li>" for count, noun in counts)


def _noun(count: int, noun: str) -> str:
    special = {"duplicate merged": "duplicates merged", "in quarantine": "in quarantine"}
    return noun if count == 1 else special.get(noun, f"{noun}s")


def flow(facts: ReleaseFacts, whole_files: int) -> str:
    """Where the records went: one bar for all of them, and a table that adds up."""
    relations: Mapping[str, int] = facts.figures.get("relations", {})
    records = sum(entry.records for entry in facts.inputs)
    aside = records - sum(relations.values())
    parts = [(name, relations.get(name, 0)) for name in RELATION_MEANINGS] + [("quarantined", aside)]
    kept = relations.get("kept", 0)
    sentence = f"Of {plural(records, 'record')}, {kept:,} became abstracts, {records - kept - aside:,} were merged into them as duplicates, and {aside:,} could not be used."
    sentence += f" Besides, {plural(whole_files, 'whole file')} could not be used." if whole_files else ""
    meanings = {**RELATION_MEANINGS, "quarantined": "could not be used; the reasons are below"}
    rows = [
        (f'<i class="swatch {_CLASSES[name]}"></i>{name}', f"{count:,}", share(count, records), meanings[name])
        for name, count in parts
        if count or name in ("kept", "exact", "quarantined")
    ]
    rows.append(("records", f"{records:,}", share(records, records), f"entries with an abstract in {plural(len(facts.inputs), 'file')}"))
    chart = bar([(_CLASSES[name], count) for name, count in parts], records)
    steps = _steps(facts, records, aside, kept)
    return f'<p>{sentence}</p>{steps}<div class="flow">{chart}</div>{table("What became of the records", ("Outcome", "#Records", "#Share", "Meaning"), rows)}{_skipped(facts)}'


def _steps(facts: ReleaseFacts, records: int, aside: int, kept: int) -> str:
    skipped = sum(sum(entry.skipped.values()) for entry in facts.inputs)
    steps = (
        (plural(len(facts.inputs), "file"), ""),
        (plural(records + skipped, "entry"), f"{skipped:,} skipped as no records" if skipped else ""),
        (plural(records, "record"), f"{aside:,} put in quarantine" if aside else ""),
        (plural(records - aside, "usable record"), f"{records - aside - kept:,} merged as duplicates" if records - aside - kept else ""),
        (plural(kept, "abstract"), "published"),
    )
    items = "".join(f"<li><b>{step}</b>{f'<span>{leaving}</span>' if leaving else ''}</li>" for step, leaving in steps)
    return f'<ol class="steps" aria-label="From files to abstracts">{items}</ol>'


def _skipped(facts: ReleaseFacts) -> str:
    counts: dict[str, int] = {}
    for entry in facts.inputs:
        for rule, count in entry.skipped.items():
            counts[rule] = counts.get(rule, 0) + count
    if not counts:
        return '<p class="muted">No entry was skipped as having no abstract.</p>'
    rows = [(escape(rule), f"{count:,}", escape(SKIP_MEANINGS.get(rule, ""))) for rule, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]
    return table("Skipped before: entries that are no records", ("Rule", "#Entries", "Meaning"), rows)


def files(facts: ReleaseFacts, figures: ReportFigures) -> str:
    """The input files and what became of the records of each."""
    inputs = sorted(facts.inputs, key=lambda entry: (-entry.records, entry.path))
    rows = []
    for entry in inputs[:_FILES]:
        counts = figures.outcomes.get(entry.path, {})
        kept, aside = counts.get("kept", 0), counts.get("quarantined", 0)
        rows.append((
            isolate(shorten(entry.path, 120)), escape(entry.format), escape(entry.encoding), f"{entry.bytes:,}", f"{entry.records:,}",
            f"{kept:,}", f"{sum(counts.values()) - kept - aside:,}", f"{aside:,}", f"{sum(entry.skipped.values()):,}",
        ))  # fmt: skip
    heads = ("File", "Format", "Encoding", "#Bytes", "#Records", "#Kept", "#Merged", "#Quarantined", "#Skipped")
    more = f'<p class="muted">The {_FILES} files with most records; manifest.json has all {len(inputs):,}.</p>' if len(inputs) > _FILES else ""
    return f"<details><summary>Every file: {plural(len(inputs), 'input')}</summary>{table('Input files', heads, rows)}{more}</details>"


def extraction(facts: ReleaseFacts) -> str:
    """Shares of abstracts in which something was found."""
    total = facts.rows["abstracts"]
    having = facts.figures.get("abstracts_with", {})
    kinds = (("methods", "method", "methods"), ("results", "metric", "metrics"), ("datasets", "dataset", "datasets"), ("urls", "url", "urls"))
    rows = []
    for name, kind, source in kinds:
        count, found = having.get(name, 0), facts.rows[source]
        found -= int(facts.figures.get("nulls", {}).get("metrics.value", 0)) if source == "metrics" else 0
        rows.append((_label(name), bar([(kind, count)], total), share(count, total), f"{count:,}", f"{found:,}", f"{found / max(total, 1):.2f}"))
    heads = ("At least one of the", "", "#Share", "#Abstracts", "#Rows", "#Rows per abstract")
    return table("Abstracts in which something was found", heads, rows, "bars")


def _label(name: str) -> str:
    return "URLs" if name == "urls" else name


def top(caption: str, entries: Sequence[NameCount], classes: tuple[str, str], heads: tuple[str, str, str], filter_name: str = "") -> str:
    """A table of bars: the most frequent names, split in two. Names lead to their abstracts in the browser."""
    if not entries:
        return f"<p>{escape(caption)}: none.</p>"
    longest = max(entry.first + entry.second for entry in entries)
    rows = []
    for entry in entries:
        name = isolate(shorten(entry.name, 60))
        linked = f'<a href="#?{filter_name}={quote(entry.name, safe="")}">{name}</a>' if filter_name else name
        numbers = [f"{entry.first:,}", f"{entry.second:,}"] if heads[2] else [f"{entry.first + entry.second:,}"]
        rows.append((linked, bar([(classes[0], entry.first), (classes[1], entry.second)], longest), *numbers))
    numbers = [f'#<i class="swatch {name}"></i>{head}' if heads[2] else f"#{head}" for name, head in zip(classes, heads[1:], strict=True) if head]
    return table(caption, (heads[0], "", *numbers), rows, "bars")


def results(entries: Iterable[Distribution]) -> str:
    """Distributions of the values per measure, unit and kind of value."""
    rows = []
    for entry in entries:
        label = f"{plural(entry.count, 'value')} from {figure(entry.minimum)} to {figure(entry.maximum)}, median {figure(entry.median)}"
        rows.append((
            f'<a href="#?metric={quote(entry.measure, safe="")}">{isolate(shorten(entry.measure, 60))}</a>', isolate(shorten(entry.unit, 30)) if entry.unit else "–",
            escape(entry.kind or "–"), histogram(entry.histogram, label) if entry.count > 1 else "", f"{entry.count:,}", figure(entry.minimum), figure(entry.median), figure(entry.maximum),
        ))  # fmt: skip
    if not rows:
        return "<p>No result has both a measure and a number.</p>"
    heads = ("Measure", "Unit", "Kind", "Distribution", "#Values", "#Lowest", "#Median", "#Highest")
    return table("Values by measure", heads, rows, "distributions")


def counted(caption: str, counts: Mapping[str, int], head: str, meanings: Mapping[str, str] | None = None) -> str:
    """A table of bars of one of the counted figures."""
    if not counts:
        return ""
    longest = max(counts.values())
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [
        (isolate(shorten(name, 80)), bar([("plain", count)], longest), f"{count:,}", *([escape(meanings.get(name, ""))] if meanings is not None else []))
        for name, count in ranked[:_SHOWN]
    ]
    heads = (head, "", "#Count", *(["Meaning"] if meanings is not None else []))
    more = f'<p class="muted">The first {_SHOWN} of {len(ranked):,}.</p>' if len(ranked) > _SHOWN else ""
    return f'<div>{table(caption, heads, rows, "bars" if meanings is None else "bars explained")}{more}</div>'


def years(counts: Mapping[str, int]) -> str:
    """Abstracts per year of publication, oldest first."""
    known = {name: count for name, count in counts.items() if name != "unknown"}
    if not known:
        return '<p class="muted">The sources give no years.</p>'
    longest = max(known.values())
    recent = sorted(known, key=int)[-_YEARS:]
    earlier = sum(known.values()) - sum(known[name] for name in recent)
    rows = [(name, bar([("plain", known[name])], longest), f"{known[name]:,}") for name in recent]
    notes = [f"{earlier:,} earlier" if earlier else "", f"{counts['unknown']:,} without a year" if "unknown" in counts else ""]
    return f'<div>{table("Abstracts per year", ("Year", "", "#Abstracts"), rows, "bars")}{_note(notes)}</div>'


def _note(notes: Sequence[str]) -> str:
    text = "; ".join(note for note in notes if note)
    return f'<p class="muted">{text}.</p>' if text else ""


def quarantine(figures: ReportFigures) -> str:
    """Reasons of quarantine, with what to do and the first examples."""
    if not figures.reasons:
        return "<p>Nothing is in quarantine: every file and every record could be used.</p>"
    total = max(reason.records + reason.files for reason in figures.reasons)
    rows = [
        (f"{escape(reason.rule)} <span class=muted>({escape(reason.stage)})</span>", bar([("aside", reason.records + reason.files)], total), f"{reason.records:,}", f"{reason.files:,}", escape(shorten(reason.examples[0][2], 300)))
        for reason in figures.reasons
    ]
    examples = "".join(
        f"<details><summary>Examples of {escape(reason.rule)}</summary><dl>{''.join(_example(*example) for example in reason.examples)}</dl></details>"
        for reason in figures.reasons
    )
    return table("Reasons", ("Rule", "", "#Records", "#Whole files", "What is wrong and what to do"), rows, "bars explained") + examples


def _example(file: str, ordinal: int | None, message: str, text: str | None) -> str:
    place = f", record {ordinal:,}" if ordinal is not None else ""
    shown = f"<pre>{isolate(shorten(text, 500))}</pre>" if text else '<p class="muted">without text</p>'
    return f"<dt>{isolate(shorten(file, 200))}{place}</dt><dd>{escape(shorten(message, 500))}{shown}</dd>"


def flags(facts: ReleaseFacts) -> str:
    """Warnings about texts, what cleaning dropped, and macros that nobody knows."""
    counts = facts.figures.get("flags", {})
    parts = [counted("Flags of the abstracts", counts, "Flag", FLAG_MEANINGS) or "<p>No abstract has a flag.</p>"]
    losses = counted("Mark-up that cleaning resolved or dropped", facts.losses, "Kind", LOSS_MEANINGS)
    macros = counted("Unknown macros", facts.unknown_macros, "Macro")
    if losses or macros:
        parts.append(f"<details><summary>What cleaning took away</summary>{losses}{macros}</details>")
    return "".join(parts)


def changes(facts: ReleaseFacts) -> str:
    """What changed since the previous release."""
    given = facts.changes
    if not facts.previous_version:
        return "<p>This is the first release; there is nothing to compare it with.</p>"
    rows = [(escape(kind), f"{len(given.get(kind, ())):,}") for kind in ("added", "changed", "removed", "merged", "split", "redirected")]
    sizes = [(escape(name), "–" if old is None else f"{old:,}", f"{new:,}", f"{new - (old or 0):+,}") for name, (old, new) in given["rows"].items()]
    accepted = f"<p>Accepted as meant: {isolate(facts.accepted_change)}</p>" if facts.accepted_change else ""
    return (
        f"<p>Compared with {escape(facts.previous_version)}. CHANGES.md names the ids.</p>{accepted}"
        f'<div class="pair">{table("Abstracts", ("Change", "#Abstracts"), rows)}{table("Rows per table", ("Table", "#Before", "#Now", "#Difference"), sizes)}</div>'
    )


def quality(facts: ReleaseFacts) -> str:
    """Quality figures measured on annotations, if they are known."""
    rows = quality_rows(facts.quality)
    if facts.quality is None or not rows:
        return "<p>This release carries no quality figures: nobody measured these settings on annotated abstracts.</p>"
    cells = [
        (escape(row.field), figure(row.precision), figure(row.recall), figure(row.f1), f"{figure(row.low)}–{figure(row.high)}" if row.low is not None else "–")
        for row in rows
    ]
    heads = ("Field", "#Precision", "#Recall", "#F1", "#95% interval of F1")
    return (
        f"<p>Measured on {escape(facts.quality.get('measured_on', 'annotated abstracts'))} ({facts.quality.get('abstracts', 0):,} abstracts), not on the abstracts of this release. "
        f"Other sources may do better or worse.</p>{table('Agreement with annotations', heads, cells)}"
    )
