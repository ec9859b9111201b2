"""The sections of the dataset card: Markdown made from the facts of a release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pipeline.load.card_licence import spdx
from pipeline.load.context import ReleaseFacts
from pipeline.load.report_quality import quality_rows
from pipeline.load.report_text import figure, plural, share, shorten, visible
from pipeline.load.report_words import FLAG_MEANINGS, LOSS_MEANINGS, RELATION_MEANINGS, SKIP_MEANINGS
from schemas.tables import RELEASE_TABLES, SCHEMA_VERSION

#: Rows of a table that can be long; what is left out is counted.
_SHOWN = 20
TITLE = "Curated abstracts"
AUTHORS = "The curated-abstracts developers"


def inline(text: object) -> str:
    """A value from the data as inline Markdown that is only text: nothing in it is mark-up, a link or a cell's end."""
    flat = re.sub(r"\s+", " ", visible(str(text))).strip()
    return re.sub(r"([\\`*_\[\]|~#])", r"\\\1", flat).replace("&", "&amp;").replace("<", "&lt;")


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; heads that start with `#` are over numbers."""
    top = " | ".join(head.removeprefix("#") for head in heads)
    rule = "|".join("---:" if head.startswith("#") else "---" for head in heads)
    return "\n".join([f"| {top} |", f"|{rule}|", *(f"| {' | '.join(row)} |" for row in rows)])


def _counted(head: str, counts: Mapping[str, int], meanings: Mapping[str, str]) -> str:
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [(f"`{inline(name)}`" if re.fullmatch(r"[\w/-]+", name) else inline(name), f"{count:,}", meanings.get(name, "")) for name, count in ranked[:_SHOWN]]
    more = f"\n\nThe first {_SHOWN} of {len(ranked):,}." if len(ranked) > _SHOWN else ""
    return grid((head, "#count", "meaning"), rows) + more


def summary(facts: ReleaseFacts) -> str:
    """What it is, in one paragraph."""
    rows = facts.rows
    sums = facts.figures.get("sums", {})
    return f"""# {TITLE} {facts.version}

{plural(rows["abstracts"], "scientific abstract")} ({sums.get("words", 0):,} words) from {plural(len(facts.inputs), "source file")}: clean plain text, duplicates
resolved, and what the texts name and report: {plural(rows["methods"], "method")}, {plural(rows["datasets"], "dataset")},
{plural(results(facts), "result")} and {plural(rows["urls"], "URL")}, each with its place in the clean text and in the source. What is
found is found by program, not by hand, and nothing is looked up outside the given files. `report.html` shows it all on one page."""


def results(facts: ReleaseFacts) -> int:
    """Rows of `metrics` that carry a number."""
    return facts.rows["metrics"] - int(facts.figures.get("nulls", {}).get("metrics.value", 0))


def reading() -> str:
    """How to read it."""
    return """## Reading it

`current` is a link that a refresh moves to the new release. Resolve it once, then everything you read belongs to one release:

```python
from pathlib import Path

release = Path("outputs/current").resolve()
```

```python
# Hugging Face datasets: one configuration per table, no network needed
from datasets import load_dataset
methods = load_dataset(str(release), "methods", split="train")

# pandas
import pandas as pd
abstracts = pd.read_parquet(release / "data/abstracts", dtype_backend="pyarrow")

# DuckDB
import duckdb
duckdb.sql(f"select metric_canonical, count(*) from '{release}/data/metrics/*.parquet' where value is not null group by all order by 2 desc")

# Polars
import polars as pl
urls = pl.read_parquet(release / "data/urls/*.parquet")

# A span gives its surface form back; offsets count characters (code points)
text = abstracts.set_index("abstract_id")["text"]
for row in methods:
    surface = text[row["abstract_id"]][row["char_start"]:row["char_end"]]
```

The CSV files hold the same rows. In them a null is an empty cell, an empty string is `""`, a list is JSON text, and a text cell that starts
with `' = + - @`, tab or a line break has one `'` in front, which keeps spreadsheets from running it; take it away to get the value.
`sha256sum --check SHA256SUMS` proves that a copy is whole."""


def tables(facts: ReleaseFacts) -> str:
    """Rows and meaning of the tables."""
    rows = [(f"`{table.name}`", f"{facts.rows[table.name]:,}", table.meaning, ", ".join(f"`{name}`" for name in table.key) or "–") for table in RELEASE_TABLES]
    empty = ", ".join(f"`{table.name}`" for table in RELEASE_TABLES if not facts.rows[table.name])
    note = f" Without rows in this release: {empty}. `datasets` maps no split without rows (it says `Instruction \"train\" corresponds to no data!`): read such a table with `streaming=True`." if empty else ""
    return "## Tables\n\n" + grid(("table", "#rows", "what a row is", "key"), rows) + f"\n\nAll tables join on `abstract_id`; each configuration has one split, `train`.{note}"


def columns() -> str:
    """Every column of every table."""
    parts = [f"## Columns\n\nSchema version {SCHEMA_VERSION}; `schema.json` says the same for programs. Lists are never null; offsets start at 0, ends are exclusive."]
    for table in RELEASE_TABLES:
        rows = [(f"`{field.name}`", f"{field.type}{'?' if field.nullable else ''}", inline_code(field.meaning)) for field in table.fields]
        parts.append(f"<details><summary>{table.name}: {len(table.fields)} columns</summary>\n\n{grid(('column', 'type (? may be null)', 'meaning'), rows)}\n\n</details>")
    return "\n\n".join(parts)


def inline_code(text: str) -> str:
    """Our own Markdown in a table cell."""
    return text.replace("|", "\\|")


def figures(facts: ReleaseFacts) -> str:
    """Counts and shares."""
    total = facts.rows["abstracts"]
    having = facts.figures.get("abstracts_with", {})
    found = {"methods": facts.rows["methods"], "results": results(facts), "datasets": facts.rows["datasets"], "urls": facts.rows["urls"]}
    rows = [(f"at least one of {name}", f"{having.get(name, 0):,}", share(having.get(name, 0), total), f"{number / max(total, 1):.2f}") for name, number in found.items()]
    roles = facts.figures.get("method_roles", {})
    return "\n\n".join((
        "## Figures", grid(("abstracts with", "#abstracts", "#share", "#rows per abstract"), rows),
        f"Of the methods, {roles.get('proposed', 0):,} are proposed by the abstract that names them and {roles.get('mentioned', 0):,} only mentioned. "
        f"Text length: {figure(round(facts.figures.get('sums', {}).get('words', 0) / max(total, 1)))} words on average.",
        _counted("language", facts.figures.get("languages", {}), {"und": "undecidable"}),
    ))  # fmt: skip


def quality(facts: ReleaseFacts) -> str:
    """Quality figures with their intervals, and what they were measured on."""
    rows = quality_rows(facts.quality)
    if facts.quality is None or not rows:
        return "## Quality\n\nThis release carries no quality figures. `confidence` in the child tables is the precision of the rule that found the row, measured on annotated abstracts."
    cells = [
        (inline(row.field), *(figure(round(n, 3)) for n in (row.precision, row.recall, row.f1)), f"{row.low:.3g}–{row.high:.3g}" if row.low is not None and row.high is not None else "–")
        for row in rows
    ]
    return f"""## Quality

{grid(("field", "#precision", "#recall", "#F1", "#95% interval of F1"), cells)}

Measured on {inline(facts.quality.get("measured_on", "annotated abstracts"))} ({facts.quality.get("abstracts", 0):,} abstracts), **not on the abstracts of this release**;
other sources and fields may do better or worse. The interval is that of the measuring sample. `confidence` in the child tables is the precision
of the rule that found the row, measured on annotated abstracts."""


def making(facts: ReleaseFacts) -> str:
    """How it was made, and where the records went."""
    records = sum(entry.records for entry in facts.inputs)
    relations = facts.figures.get("relations", {})
    aside = records - sum(relations.values())
    outcomes = [(name, f"{relations[name]:,}", RELATION_MEANINGS[name]) for name in RELATION_MEANINGS if name in relations]
    outcomes += [("quarantined", f"{aside:,}", "could not be used; see the table `quarantine`"), ("**records**", f"**{records:,}**", "entries with an abstract")]
    inputs = sorted(facts.inputs, key=lambda entry: (-entry.records, entry.path))
    files = [(inline(shorten(entry.path, 100)), inline(entry.format), f"{entry.records:,}", f"{sum(entry.skipped.values()):,}", f"`{entry.sha256[:12]}…`") for entry in inputs[:_SHOWN]]
    more = f"\n\nThe {_SHOWN} files with most records of {len(inputs):,}; `manifest.json` has all." if len(inputs) > _SHOWN else ""
    return f"""## How it was made

1. **Extract**: the files are unpacked, decoded and read by format; headings, navigation and entries without an abstract are skipped and counted.
2. **Clean**: LaTeX, Markdown, HTML and wrongly decoded characters are resolved to plain Unicode text, with a map back to the source.
3. **Dedupe**: occurrences of the same abstract are merged; alike but different ones stay apart, as pairs in `variants`.
4. **Enrich**: methods, datasets, results and URLs are found by rules and small models; each row names its rule and that rule's precision.
5. **Load**: every table is checked, written, read back and compared; what could not be used is in `quarantine` with the reason.

Built {facts.build_date.isoformat()} with curated-abstracts {inline(facts.code_version)}. The same inputs, settings and code give the same bytes.

{grid(("what became of the records", "#records", "meaning"), outcomes)}

{grid(("source file", "format", "#records", "#skipped", "SHA-256"), files)}{more}"""


def losses(facts: ReleaseFacts) -> str:
    """What was skipped, dropped, flagged or put aside."""
    skipped: dict[str, int] = {}
    for entry in facts.inputs:
        for rule, count in entry.skipped.items():
            skipped[rule] = skipped.get(rule, 0) + count
    parts = ["## Losses and warnings"]
    for head, counts, meanings in (
        ("skipped entries", skipped, SKIP_MEANINGS), ("quarantined by stage and rule", facts.figures.get("quarantined", {}), {}),
        ("flag", facts.figures.get("flags", {}), FLAG_MEANINGS), ("mark-up resolved or dropped", facts.losses, LOSS_MEANINGS), ("unknown macro", facts.unknown_macros, {}),
    ):  # fmt: skip
        parts.append(_counted(head, counts, meanings) if counts else f"No {head}.")
    return "\n\n".join(parts)


def limits() -> str:
    """Known limits."""
    return """## Known limits

- The abstracts are those that were given; they are no sample of any literature, and shares over them say nothing about a field.
- Names and results are found in the abstract alone: what only the full text says is missing, and nothing is linked to a knowledge base.
  The same method written in two ways in two abstracts has two names.
- Reported results are claims of the abstracts, not verified facts. `metric_canonical` groups spellings of a measure; it does not make values comparable.
- Extraction was developed on English abstracts, mostly of computer science; in other languages and fields it finds less, and errs more.
- Titles, authors, years, venues and identifiers are as the sources give them, null where they give none.
- A URL is what the text says; whether it (still) leads anywhere was not tried."""


def rights(facts: ReleaseFacts) -> str:
    """Rights of the texts."""
    counts = facts.licences
    total = sum(counts.values())
    rows = [(inline(name), spdx(name) or "–", f"{count:,}", share(count, total)) for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_SHOWN]]
    unknown = counts.get("unknown", 0)
    warning = (
        f"\n\nFor {plural(unknown, 'abstract')} the source states no licence: that does not make {'it' if unknown == 1 else 'them'} free. Check with the source before you pass the text on; "
        "`--only-licences` builds a subset with the licences that you name." if unknown else ""
    )  # fmt: skip
    return f"""## Rights

The abstracts belong to their authors or publishers. The column `licence` of `abstracts` holds what the source states for each.

{grid(("licence as stated", "SPDX", "#abstracts", "#share"), rows)}{warning}

Author names are personal data: they stand here as the sources published them. Records are taken out on request through the takedown list of
the pipeline; their ids then stay in `redirects` without a target."""


def changes(facts: ReleaseFacts) -> str:
    """What changed since the previous release, in one line."""
    if not facts.previous_version:
        return "## Changes\n\nThis is the first release."
    counts = ", ".join(f"{len(facts.changes.get(kind, ())):,} {kind}" for kind in ("added", "changed", "removed", "merged", "split", "redirected"))
    return f"## Changes\n\nSince {facts.previous_version}: {counts} abstracts. `CHANGES.md` and `changes.json` name them; `redirects` says what became of old ids."


def citing(facts: ReleaseFacts) -> str:
    """How to cite it."""
    key = f"curated_abstracts_{facts.version.replace('-', '_')}"
    return f"""## Citing it

Name the version, which stands for exactly these bytes; cite the abstracts' own papers for what they report. `CITATION.cff` holds the same:

```bibtex
@misc{{{key},
  title   = {{{TITLE}}},
  author  = {{{{{AUTHORS}}}}},
  year    = {{{facts.build_date.year}}},
  version = {{{facts.version}}},
  note    = {{Dataset, {facts.rows["abstracts"]} abstracts}}
}}
```"""
