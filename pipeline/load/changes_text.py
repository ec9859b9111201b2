"""What changed between two releases, as text: CHANGES.md and `abstracts diff`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pipeline.load.card_sections import inline

#: How many abstracts are shown per kind of change; changes.json has them all.
SHOWN = 20
KINDS = ("added", "changed", "removed", "merged", "split", "redirected")


def render_changes(changes: Mapping[str, Any]) -> str:
    """Counts, then the first abstracts of each kind of change with what they are called."""
    if changes["previous"] is None:
        lines = ["# Changes", "", "First release: there is nothing to compare it with.", ""]
    else:
        lines = [f"# Changes from {changes['previous']} to {changes['release']}", ""]
    lines += ["| table | before | now |", "|---|---:|---:|"]
    lines += [f"| {name} | {'–' if old is None else f'{old:,}'} | {new:,} |" for name, (old, new) in changes["rows"].items()]
    found = [kind for kind in KINDS if changes[kind]]
    if changes["previous"] is not None and not found:
        lines += ["", "No abstract was added, changed or removed."]
    for kind in found:
        lines += _section(kind, changes[kind], changes["names"])
    return "\n".join(lines) + "\n"


def _section(kind: str, entries: list[Any], names: Mapping[str, str]) -> list[str]:
    lines = ["", f"## {kind.capitalize()}: {len(entries):,}", ""]
    if kind == "changed":
        columns = Counter(name for entry in entries for name in entry["columns"])
        lines += ["Columns: " + ", ".join(f"{name} ({number:,})" for name, number in sorted(columns.items())) + ".", ""]
    lines += [f"- {_line(entry, names)}" for entry in entries[:SHOWN]]
    if len(entries) > SHOWN:
        lines.append(f"- … and {len(entries) - SHOWN:,} more in changes.json, or with `abstracts diff --json`")
    return lines


def _line(entry: str | Mapping[str, Any], names: Mapping[str, str]) -> str:
    key = entry if isinstance(entry, str) else entry["abstract_id"]
    called = f" {inline(names[key])}" if key in names else ""
    if isinstance(entry, str):
        return f"`{key}`{called}"
    rest = [f"{name} {', '.join(value) if isinstance(value, list) else f'`{value}`'}" for name, value in entry.items() if name != "abstract_id"]
    return f"`{key}`{called}: {'; '.join(rest)}"
