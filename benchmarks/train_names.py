"""Train the model that finds names, from abstracts and their annotation given by path.

usage: train_names.py [--write] GOLD.jsonl[:INPUT.jsonl] ...

Files are read as by `names.py`. Prints precision, recall and F1 by cross-validation over abstracts. With `--write`, trains
on everything and writes `pipeline/enrich/models/names.tsv` and, from the cross-validation, `names_precision.tsv`. Needs scipy.
"""

from __future__ import annotations

import argparse
import pathlib
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np
from names import FIELDS, Gold, Tally, count, read
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from pipeline.enrich import names_model
from pipeline.enrich.names import choose
from pipeline.enrich.names_candidates import Candidates, fold_name
from pipeline.enrich.names_features import Extractor
from pipeline.enrich.names_model import KINDS, OUTPUTS, SCALE

MODELS = pathlib.Path(names_model.__file__).parent / "models"
FOLDS = 5
MIN_COUNT = 2
REGULARISATION = 2.0
OPTIONAL_WEIGHT = 0.5
"""What an optional name counts in learning roles: its role is as sure as any, its being a name is not."""
Array = np.ndarray[Any, Any]


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


def logistic(x: csr_matrix, y: Array, weight: Array, classes: int) -> Array:
    """Weights of an L2-regularised multinomial logistic regression, by L-BFGS."""
    target, transposed, size = np.eye(classes)[y], x.T.tocsr(), (x.shape[1], classes)

    def loss(flat: Array) -> tuple[float, Array]:
        w = flat.reshape(size)
        z = x @ w
        z -= z.max(axis=1, keepdims=True)
        p = np.exp(z)
        p /= p.sum(axis=1, keepdims=True)
        value = -(weight * np.log((p * target).sum(axis=1) + 1e-12)).sum() + REGULARISATION / 2 * (w * w).sum()
        return float(value), (transposed @ (weight[:, None] * (p - target)) + REGULARISATION * w).ravel()

    start = np.zeros(size[0] * size[1])
    best: Array = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x
    return best.reshape(size)


def fit(examples: list[Example]) -> dict[str, tuple[int, ...]]:
    """Weights of every feature in hundredths, in the order of `OUTPUTS`."""
    rows = [row for e in examples for row in zip(e.features, e.kinds, e.proposed, strict=True)]
    counts = Counter(feature for features, _, _ in rows for feature in features)
    index = {feature: i for i, feature in enumerate(sorted(f for f, n in counts.items() if n >= MIN_COUNT))}
    columns = [[index[f] for f in features if f in index] for features, _, _ in rows]
    pointers = np.cumsum([0, *map(len, columns)])
    x = csr_matrix((np.ones(pointers[-1]), np.concatenate(columns), pointers), shape=(len(rows), len(index)))
    kinds, roles = np.array([k for _, k, _ in rows]), np.array([r for _, _, r in rows])
    certain, named = np.flatnonzero(kinds >= 0), np.flatnonzero(roles >= 0)
    kind = logistic(x[certain], kinds[certain], np.ones(len(certain)), len(KINDS))
    role = logistic(x[named], roles[named], np.where(kinds[named] < 0, OPTIONAL_WEIGHT, 1.0), 2)
    whole = np.rint(np.column_stack([kind, role[:, 1] - role[:, 0]]) * SCALE).astype(int)
    return {f: tuple(int(v) for v in whole[i]) for f, i in index.items() if whole[i].any()}


def use(weights: dict[str, tuple[int, ...]]) -> None:
    """Make the finder use these weights."""
    names_model.weights.cache_clear()
    table = names_model.weights()
    table.clear()
    table.update((feature, names_model.pack(numbers)) for feature, numbers in weights.items())


def cross_validate(examples: list[Example]) -> dict[str, list[int]]:
    """Print the scores over held-out folds; hits and errors of every rule."""
    by_rule: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    tallies: dict[str, Tally] = defaultdict(Tally)
    for fold in range(FOLDS):
        use(fit([e for i, e in enumerate(examples) if i % FOLDS != fold]))
        for e in examples[fold::FOLDS]:
            count(e.gold, dict(zip(FIELDS, choose(Candidates(e.text)), strict=True)), tallies, by_rule)
    for name, tally in sorted(tallies.items()):
        print(f"{name:18} {tally.line()}")
    return by_rule


def write(weights: dict[str, tuple[int, ...]], by_rule: dict[str, list[int]]) -> None:
    """Write the model and the table of precisions."""
    lines = ["# feature\t" + "\t".join(OUTPUTS), *("\t".join([f, *map(str, w)]) for f, w in sorted(weights.items()))]
    (MODELS / "names.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = [f"{rule}\t{(hit + 1) / (hit + wrong + 2):.3f}\t{hit + wrong}" for rule, (hit, wrong) in sorted(by_rule.items())]
    head = "# rule\tprecision in cross-validation, (hits + 1) / (hits + errors + 2)\thits + errors"
    (MODELS / "names_precision.tsv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    examples = [example(text, gold) for path in args.gold for text, gold in read(path)]
    by_rule = cross_validate(examples)
    if args.write:
        write(fit(examples), by_rule)


if __name__ == "__main__":
    main()
