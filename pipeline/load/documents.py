"""The documents of a release that are rendered from its facts: one module each, one line each here."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.load.card import render_card
from pipeline.load.changes_text import render_changes
from pipeline.load.citation import render_citation
from pipeline.load.context import ReleaseFacts
from pipeline.load.croissant import render_croissant
from pipeline.load.datapackage import render_datapackage
from pipeline.load.disk import write_file
from pipeline.load.manifest import as_json
from pipeline.load.report import render_report

#: File name -> how it is rendered.
DOCUMENTS: dict[str, Callable[[ReleaseFacts], str | bytes]] = {
    "README.md": render_card,
    "CHANGES.md": lambda facts: render_changes(facts.changes),
    "changes.json": lambda facts: as_json(facts.changes),
    "croissant.json": render_croissant,
    "datapackage.json": render_datapackage,
    "CITATION.cff": render_citation,
    "report.html": render_report,
}


def write_documents(facts: ReleaseFacts) -> None:
    """Write every document into the release's folder. The data are there already and may be read."""
    for name, render in DOCUMENTS.items():
        write_file(facts.folder / name, render(facts))
