"""report.html: one self-contained page to look at."""

from __future__ import annotations

from html import escape

from pipeline.load.context import ReleaseFacts


def render_report(facts: ReleaseFacts) -> str:
    """The counts of a release as a page without scripts and without a network."""
    rows = "".join(f"<tr><th scope=row>{escape(name)}<td>{number:,}" for name, number in facts.rows.items())
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Curated abstracts {escape(facts.version)}</title>
<style>:root {{ color-scheme: light dark; font-family: system-ui }} td {{ text-align: right }}</style>
<h1>Curated abstracts {escape(facts.version)}</h1>
<table><caption>Rows per table</caption>{rows}</table>
</html>
"""
