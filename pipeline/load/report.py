"""report.html: one self-contained page to look at. Byte for byte the same for the same facts and data."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from importlib.resources import files

from pipeline.load import report_sections as sections
from pipeline.load.context import ReleaseFacts
from pipeline.load.report_abstracts import article, browser_data
from pipeline.load.report_charts import histogram
from pipeline.load.report_figures import ReportFigures, gather_figures
from pipeline.load.report_sample import Shown, take_sample
from pipeline.load.report_text import escape, figure, plural, script_json

_SLOT = re.compile(r"\{\{(\w+)\}\}")


def render_report(facts: ReleaseFacts) -> bytes:
    """The page. Reads the data of the release at `facts.folder`; whatever comes from them is escaped."""
    figures = gather_figures(facts)
    sample = take_sample(facts.folder)
    style, script = _template("report.css"), _template("report.js")
    slots = {
        "style_hash": _csp_hash(style),
        "script_hash": _csp_hash(script),
        "style": style,
        "script": script,
        "version": escape(facts.version),
        "built": facts.build_date.isoformat(),
        "code_version": escape(facts.code_version),
        "tiles": sections.tiles(facts),
        **_found(facts, figures),
        **_around(facts, figures),
        **_browser(facts, sample),
    }
    # One pass: what a slot holds is never looked at again, so data cannot name a slot.
    return _SLOT.sub(lambda match: slots[match[1]], _template("report.html")).encode()


def _found(facts: ReleaseFacts, figures: ReportFigures) -> dict[str, str]:
    distinct = figures.distinct
    counts: Callable[[str], Mapping[str, int]] = lambda name: facts.figures.get(name, {})  # noqa: E731
    return {
        "extraction": sections.extraction(facts),
        "methods": sections.top(f"Methods by number of abstracts ({distinct['methods']:,} names)", figures.methods, ("method", "method2"), ("Method", "Proposed", "Mentioned"), "method"),
        "datasets": sections.top(f"Datasets by number of abstracts ({distinct['datasets']:,} names)", figures.datasets, ("dataset", "dataset2"), ("Dataset", "Proposed", "Mentioned"), "dataset"),
        "measures": sections.top(f"Measures by number of rows ({distinct['measures']:,} names)", figures.measures, ("metric", "metric2"), ("Measure", "With a number", "Named only"), "metric"),
        "results": sections.results(figures.distributions),
        "value_kinds": sections.counted("Kinds of values", {k: n for k, n in counts("value_kinds").items() if k != "unknown"}, "Kind"),
        "hosts": sections.top(f"Hosts of URLs ({distinct['hosts']:,} hosts)", figures.hosts, ("url", "url"), ("Host", "URLs", ""), "url"),
        "url_kinds": sections.counted("Kinds of URLs", counts("url_kinds"), "Kind"),
    }  # fmt: skip


def _around(facts: ReleaseFacts, figures: ReportFigures) -> dict[str, str]:
    words = figures.words
    total = facts.figures.get("sums", {}).get("words", 0)
    mean = figure(round(total / facts.rows["abstracts"])) if facts.rows["abstracts"] else "–"
    label = f"Words per abstract, from {figure(words.low)} to {figure(words.high)}" if words else ""
    return {
        "flow": sections.flow(facts, sum(reason.files for reason in figures.reasons)),
        "files": sections.files(facts, figures),
        "quarantine": sections.quarantine(figures),
        "languages": sections.counted("Languages", facts.figures.get("languages", {}), "Code"),
        "words": f'<figure class="words"><figcaption>Words per abstract, {mean} on average</figcaption>{histogram(words, label)}</figure>' if words else "",
        "years": sections.years(facts.figures.get("years", {})),
        "venues": sections.top("Venues", figures.venues, ("plain", "plain"), ("Venue", "Abstracts", "")) if figures.venues else '<p class="muted">The sources give no venues.</p>',
        "licences": sections.counted("Licences", facts.licences, "Licence"),
        "formats": sections.counted("Formats of the records", facts.figures.get("formats", {}), "Format"),
        "variants": sections.counted("Pairs that look alike and were kept apart", facts.figures.get("variant_reasons", {}), "They differ in"),
        "flags": sections.flags(facts),
        "changes": sections.changes(facts),
        "quality": sections.quality(facts),
    }  # fmt: skip


def _browser(facts: ReleaseFacts, sample: list[Shown]) -> dict[str, str]:
    total = facts.rows["abstracts"]
    every = "all" if len(sample) == total else f"the first {len(sample):,} by id of"
    note = "" if len(sample) == total else " Ids are hash values, so these are a random sample."
    return {
        "sample": f"Here are {every} {plural(total, 'abstract')}, with everything that was found marked in the text.{note}",
        "articles": "".join(article(shown, number) for number, shown in enumerate(sample, 1)),
        "data": script_json(browser_data(sample)),
    }


def _template(name: str) -> str:
    return files("pipeline.load").joinpath("templates", name).read_text("utf-8")


def _csp_hash(text: str) -> str:
    """The content policy allows exactly this style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
