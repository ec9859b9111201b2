"""Decisions that people make about the data, as data: what must not be in it, and what is to be corrected."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pipeline.errors import UsageError
from pipeline.load.context import Correction, Takedown

_CORRECTION = ("id", "column", "old", "new", "reason", "who")


def read_takedowns(path: str) -> tuple[Takedown, ...]:
    """Takedowns from a TOML file: `[[takedown]]` entries with `value` (an abstract id, a DOI, or the SHA-256 of a
    clean or raw text) and `reason`. No path, no takedowns. Raises UsageError."""
    out = []
    for number, entry in enumerate(_entries(path, "takedown"), 1):
        value = entry.get("value")
        if not isinstance(value, str) or not value.strip():
            raise _wrong(path, "takedown", number, "wants a `value`: an abstract id, a DOI, or a SHA-256")
        out.append(Takedown(value.strip(), str(entry.get("reason", ""))))
    return tuple(out)


def read_corrections(path: str) -> tuple[Correction, ...]:
    """Corrections from a TOML file: `[[correction]]` entries with id, column, old, new, reason, who; `old` or `new`
    may be left out for an empty value. No path, no corrections. Raises UsageError."""
    out = []
    for number, entry in enumerate(_entries(path, "correction"), 1):
        unknown = sorted(set(entry) - set(_CORRECTION))
        missing = [name for name in ("id", "column", "reason", "who") if not isinstance(entry.get(name), str)]
        if unknown or missing:
            told = f"does not know {', '.join(unknown)}" if unknown else f"wants {', '.join(missing)} as text"
            raise _wrong(path, "correction", number, told)
        out.append(Correction(entry["id"], entry["column"], entry.get("old"), entry.get("new"), entry["reason"], entry["who"]))
    return tuple(out)


def _entries(path: str, kind: str) -> list[dict[str, Any]]:
    if not path:
        return []
    try:
        told = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"The file {path} cannot be read: {error.strerror}.", f"Check the setting `{kind}s`.") from None
    except ValueError as error:
        raise UsageError(f"The file {path} is not valid TOML: {error}.", "Mend the line it names.") from None
    entries = told.get(kind, [])
    strays = sorted(set(told) - {kind})
    if strays or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise UsageError(f"The file {path} holds {strays or kind}, where only [[{kind}]] entries are known.", f"Begin every entry with [[{kind}]].")
    return entries


def _wrong(path: str, kind: str, number: int, told: str) -> UsageError:
    return UsageError(f"Entry {number} of [[{kind}]] in {path} {told}.", "Mend that entry.")
