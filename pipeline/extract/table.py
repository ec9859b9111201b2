"""Rows with columns (CSV, Excel, Parquet): which row is the header, and which column is which field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipeline.extract.entry import Entry
from pipeline.extract.fields import canonical_of, fold_name, resolve_names
from pipeline.extract.objects import abstract_text

MAX_PREAMBLE = 40
_PROSE = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,}+(?:[\s,]++[^\W\d_]++){8}")


class Columns:
    """The columns of a table by canonical field. `abstract` is the list of columns that may hold it, best first."""

    def __init__(self, header: Sequence[str], mapping: Mapping[str, str] | None = None) -> None:
        self.header = tuple(name if name else f"column {i + 1}" for i, name in enumerate(header))
        index = {name: i for i, name in reversed(list(enumerate(self.header)))}
        found = resolve_names(self.header)
        self.fields = {name: [index[key] for key in keys] for name, keys in found.items() if "abstract" not in name}
        self.abstract = [index[key] for key in found.get("abstract", ())]
        self.weak = [] if self.abstract else [index[key] for key in found.get("weak_abstract", ())]
        for name, key in (mapping or {}).items():
            if key in index:
                if name == "abstract":
                    self.abstract, self.weak = [index[key]], []
                else:
                    self.fields[name] = [index[key]]

    def names(self) -> dict[str, tuple[str, ...]]:
        """The names of the columns by field."""
        places = {"abstract": self.abstract or self.weak, **self.fields}
        return {name: tuple(self.header[i] for i in indices) for name, indices in places.items() if indices}

    @property
    def has_abstract(self) -> bool:
        """True where a column may hold abstracts."""
        return bool(self.abstract or self.weak)

    def entry(self, row: Sequence[object]) -> Entry | None:
        """The entry of a row; None where the row is blank."""
        if not any(value is not None and value != "" for value in row):
            return None
        width = len(row)
        fields = {
            name: values
            for name, places in self.fields.items()
            if (values := [row[i] for i in places if i < width and row[i] not in (None, "")])
        }
        text = None
        for i in self.abstract or self.weak:
            if (
                i < width
                and (text := abstract_text(row[i]))
                and text.strip()
                and text.strip().upper() not in {"NA", "N/A"}
            ):
                break
        return Entry(text, fields)


def header_score(row: Sequence[object]) -> int:
    """How much a row looks like names of columns: the number of fields known by name, 0 where a cell is prose."""
    names = [str(cell).strip() for cell in row if cell is not None and str(cell).strip()]
    if len(names) < 1 or any(len(name) > 80 for name in names):
        return 0
    known = {place[0] for name in names if (place := canonical_of(name))}
    return len(known) + ("abstract" in known) * 2


def find_header(rows: Sequence[Sequence[object]], mapping: Mapping[str, str] | None = None) -> int | None:
    """The index of the header among the first rows (a preamble may stand before it), or None without header. A mapping by
    hand names a column of the header."""
    if mapping:
        by_hand = (place for place, row in enumerate(rows[:MAX_PREAMBLE]) if mapping.get("abstract") in row)
        if (found := next(by_hand, None)) is not None:
            return found
    scores = [header_score(row) for row in rows[:MAX_PREAMBLE]]
    best = max(scores, default=0)
    if best >= 2:
        return scores.index(best)
    if best == 1 and scores[0] == 1 and len(rows) > 1 and fold_name(str(rows[0][0])) != "":
        return 0
    return None


def guess_columns(rows: Sequence[Sequence[object]]) -> Columns | None:
    """Columns of a table without header: the one with the longest prose is the abstract, a shorter one before it the title."""
    width = max((len(row) for row in rows), default=0)
    means: list[float] = []
    for i in range(width):
        cells = [str(row[i]) for row in rows if i < len(row) and row[i] is not None]
        prose = sum(_PROSE.search(cell) is not None for cell in cells)
        means.append(sum(map(len, cells)) / len(cells) if cells and prose >= 0.5 * len(cells) else 0.0)
    if not means or max(means) < 150:
        return None
    abstract = means.index(max(means))
    names = ["" for _ in range(width)]
    names[abstract] = "abstract"
    title = next((i for i in range(width) if i != abstract and _mean(rows, i) > 20 and _is_wordy(rows, i)), None)
    if title is not None:
        names[title] = "title"
    return Columns(names)


def _mean(rows: Sequence[Sequence[object]], i: int) -> float:
    cells = [len(str(row[i])) for row in rows if i < len(row) and row[i] is not None]
    return sum(cells) / len(cells) if cells else 0.0


def _is_wordy(rows: Sequence[Sequence[object]], i: int) -> bool:
    cells = [str(row[i]) for row in rows if i < len(row) and row[i] is not None]
    return sum(cell.count(" ") >= 2 and "://" not in cell and ";" not in cell for cell in cells) >= 0.6 * max(
        len(cells), 1
    )
