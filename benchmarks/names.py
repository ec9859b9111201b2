"""How well methods and datasets are found: precision, recall and F1 against annotated abstracts given by path.

usage: names.py [--show N] GOLD.jsonl[:INPUT.jsonl] ...

A gold file holds `methods` and `datasets` (lists of `name`, `long_form`, `role`, `optional`); the texts are the field `text` of the same
file, or the field `abstract` of INPUT.jsonl, line by line. A name is found if its short or long form is, folded; roles are scored as
`methods_proposed`, `datasets_proposed`. Items that the gold calls optional are neither rewarded nor punished.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.clean import clean_text
from pipeline.enrich.document import Document
from pipeline.enrich.names import find_names
from pipeline.enrich.names_candidates import fold_name
from pipeline.model import Name

Gold = dict[str, Any]
FIELDS = ("methods", "datasets")


@dataclass
class Tally:
    """Hits, errors and misses of one field."""

    hits: int = 0
    errors: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Precision, recall, F1 and the counts behind them."""
        found, wanted = self.hits + len(self.errors), self.hits + len(self.misses)
        p, r = self.hits / max(1, found), self.hits / max(1, wanted)
        f = 2 * p * r / max(1e-9, p + r)
        return f"P {p:.3f}  R {r:.3f}  F1 {f:.3f}   hits {self.hits} errors {len(self.errors)} missed {len(self.misses)}"


def read(path: str) -> list[tuple[str, Gold]]:
    """Clean texts and their annotation from `GOLD[:INPUT]`."""
    gold_path, _, input_path = path.partition(":")
    gold = [json.loads(line) for line in pathlib.Path(gold_path).read_text(encoding="utf-8").split("\n") if line.strip()]
    if not input_path:
        return [(clean_text(g["text"]).text, g) for g in gold]
    raw = [json.loads(line) for line in pathlib.Path(input_path).read_text(encoding="utf-8").split("\n") if line.strip()]
    return [(clean_text(raw[int(g["id"].rsplit("#", 1)[1]) - 1]["abstract"]).text, g) for g in gold]


def count(gold: Gold, found: dict[str, Sequence[Name]], tallies: dict[str, Tally], by_rule: dict[str, list[int]]) -> None:
    """Add what was found in one text to the tallies, and to hits and errors of each rule."""
    for kind in FIELDS:
        for name, hit in match(gold[kind], found[kind], tallies[kind], gold["id"]):
            by_rule[name.rule][0 if hit else 1] += 1
        proposed = [g for g in gold[kind] if g["role"] == "proposed" or g.get("optional")]
        match(proposed, [n for n in found[kind] if n.role == "proposed"], tallies[f"{kind}_proposed"], gold["id"])


def match(gold: list[Gold], found: Sequence[Name], tally: Tally, where: str) -> list[tuple[Name, bool]]:
    """Match names one to one, required ones first; (name, right or wrong) of those that count."""
    left, out = list(found), []
    for item in sorted(gold, key=lambda g: bool(g.get("optional"))):
        keys = {fold_name(item["name"]), fold_name(item.get("long_form") or "")} - {""}
        hit = next((n for n in left if fold_name(n.name) in keys or fold_name(n.long_form or "") in keys), None)
        if hit is not None:
            left.remove(hit)
        if item.get("optional"):
            continue
        if hit is not None:
            tally.hits += 1
            out.append((hit, True))
        else:
            tally.misses.append(f"{where}: {item['name']}")
    tally.errors += [f"{where}: {n.name} ({n.rule})" for n in left]
    return out + [(n, False) for n in left]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+")
    parser.add_argument("--show", type=int, default=0, help="print up to N errors and misses per field")
    args = parser.parse_args()
    tallies: dict[str, Tally] = defaultdict(Tally)
    by_rule: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    rows = [row for path in args.gold for row in read(path)]
    started = time.process_time()
    for text, gold in rows:
        count(gold, dict(zip(FIELDS, find_names(Document(text)), strict=True)), tallies, by_rule)
    print(f"{len(rows)} abstracts, {(time.process_time() - started) / max(1, len(rows)) * 1e6:.0f} us each")
    for name, tally in sorted(tallies.items()):
        print(f"{name:18} {tally.line()}")
        for line in tally.misses[: args.show]:
            print("    missed:", line)
        for line in tally.errors[: args.show]:
            print("    error: ", line)


if __name__ == "__main__":
    main()
