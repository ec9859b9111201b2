"""Train the model that finds names, from abstracts and their annotation given by path.

usage: train_names.py [--taught TAUGHT-{fold}.jsonl] [--write] GOLD.jsonl[:INPUT.jsonl] ...

Files are read as by `names.py`. Prints precision, recall and F1 by cross-validation over abstracts. `--taught` adds what
`teach_names.py` wrote about abstracts without annotation. With `--write`, trains on everything and writes
`pipeline/enrich/models/names.npz` and, from the cross-validation, `names_precision.tsv`. Needs scipy.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from names import FIELDS, Gold, Tally, count, read
from perceptron_training import Network, Rows, sigmoid, softmax, train
from perceptron_training import write as write_network

from pipeline.enrich.names import select
from pipeline.enrich.names_candidates import Candidates, fold_name
from pipeline.enrich.names_features import Extractor
from pipeline.enrich.names_model import KINDS, MODELS, Verdict

FOLDS = 5
CERTAIN = 2.0
"""What an annotated candidate counts beside one of the teacher's."""
OPTIONAL_WEIGHT = 0.5
"""What an optional name counts in learning roles: its role is as sure as any, its being a name is not."""


class Example(NamedTuple):
    """A text with its annotation, and of its candidates the features, the kinds (-1: optional in the gold) and whether proposed (-1: no name)."""

    text: str
    gold: Gold
    features: list[list[str]]
    kinds: list[int]
    proposed: list[int]


def wanted(gold: Gold) -> dict[str, tuple[int, int]]:
    """Kind (-1 for optional ones) and role of every annotated name by its key; required ones win."""
    out: dict[str, tuple[int, int]] = {}
    for field, kind in (("methods", "method"), ("datasets", "dataset")):
        for item in gold[field]:
            for form in filter(None, (item["name"], item.get("long_form"))):
                label = (-1 if item.get("optional") else KINDS.index(kind), int(item["role"] == "proposed"))
                if out.get(fold_name(form), (-1, 0))[0] == -1:
                    out[fold_name(form)] = label
    return out


def example(text: str, gold: Gold) -> Example:
    """Features and labels of the candidates of a text."""
    candidates = Candidates(text)
    extractor, labels = Extractor(candidates), wanted(gold)
    groups = candidates.judged()
    found = [labels.get(group.key) or labels.get(group.other, (0, -1)) for group in groups]
    return Example(text, gold, [extractor.of_group(group) for group in groups], [k for k, _ in found], [r for _, r in found])


def fold_of(k: int) -> int:
    """The fold in which abstract `k` is held out."""
    return k % FOLDS


def rows_of(examples: Sequence[Example]) -> Rows:
    """What the annotation says of the candidates; optional names count for their role only."""
    kinds = np.array([k for e in examples for k in e.kinds])
    roles = np.array([r for e in examples for r in e.proposed])
    targets = np.column_stack([*(kinds == k for k in range(len(KINDS))), np.maximum(roles, 0)]).astype(np.float32)
    weights = np.column_stack([kinds >= 0, (roles >= 0) * np.where(kinds < 0, OPTIONAL_WEIGHT, 1.0)]).astype(np.float32)
    return Rows([f for e in examples for f in e.features], targets, weights)


def taught_rows(pattern: str, fold: int | str) -> Rows:
    """What the teacher of a fold says of the candidates of abstracts without annotation."""
    features, opinions = [], []
    with pathlib.Path(pattern.replace("{fold}", str(fold))).open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            candidates = Candidates(record["text"])
            extractor = Extractor(candidates)
            features += [extractor.of_group(group) for group in candidates.judged()]
            opinions += record["judged"]
    p = np.array(opinions, np.float32)
    named = p[:, 0] + p[:, 1]
    return Rows(features, np.column_stack([1 - named, p]), np.column_stack([np.ones(len(p), np.float32), named]))


def fit(examples: Sequence[Example], taught: Rows | None) -> Network:
    """The network from annotated abstracts and what the teacher adds."""
    rows = rows_of(examples)
    return train(rows if taught is None else rows._replace(weights=rows.weights * CERTAIN), taught)


def verdicts(network: Network, features: list[list[str]]) -> list[Verdict]:
    """The verdicts of a network in training, as `names_model.judge` gives those of the shipped one."""
    if not features:
        return []
    scores = network.outputs(features)
    kinds, proposed = softmax(scores[:, :3]), sigmoid(scores[:, 3])
    return [Verdict(*row) for row in np.column_stack([kinds[:, 1:], proposed]).tolist()]


def cross_validate(examples: list[Example], pattern: str | None) -> dict[str, list[int]]:
    """Print the scores over held-out folds; hits and errors of every rule."""
    by_rule: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    tallies: dict[str, Tally] = defaultdict(Tally)
    for fold in range(FOLDS):
        taught = taught_rows(pattern, fold) if pattern else None
        network = fit([e for k, e in enumerate(examples) if fold_of(k) != fold], taught)
        for e in examples[fold::FOLDS]:
            candidates = Candidates(e.text)
            found = select(candidates, candidates.judged(), verdicts(network, e.features))
            count(e.gold, dict(zip(FIELDS, found, strict=True)), tallies, by_rule)
    for name, tally in sorted(tallies.items()):
        print(f"{name:18} {tally.line()}")
    return by_rule


def write(network: Network, by_rule: dict[str, list[int]]) -> None:
    """Write the model and the table of precisions."""
    write_network(network, MODELS / "names.npz")
    rows = [f"{rule}\t{(hit + 1) / (hit + wrong + 2):.3f}\t{hit + wrong}" for rule, (hit, wrong) in sorted(by_rule.items())]
    head = "# rule\tprecision in cross-validation, (hits + 1) / (hits + errors + 2)\thits + errors"
    (MODELS / "names_precision.tsv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+")
    parser.add_argument("--taught", metavar="PATTERN")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    examples = [example(text, gold) for path in args.gold for text, gold in read(path)]
    by_rule = cross_validate(examples, args.taught)
    if args.write:
        write(fit(examples, taught_rows(args.taught, "all") if args.taught else None), by_rule)


if __name__ == "__main__":
    main()
