"""Train the model that finds names, from abstracts and their annotation given by path.

usage: train_names.py [--regularisation 2] [--write] GOLD.jsonl[:INPUT.jsonl] ...

A gold file holds `methods` and `datasets` (see docs/names.md); the texts are the field `text` of the same file, or the field
`abstract` of INPUT.jsonl, line by line. Prints precision, recall and F1 by cross-validation over abstracts. With `--write`, trains
on everything and writes `pipeline/enrich/models/names.tsv` and, from the cross-validation, `names_precision.tsv`. Needs scipy.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from pipeline.clean import clean_text
from pipeline.enrich import names, names_model
from pipeline.enrich.names_candidates import Candidates, fold_name
from pipeline.enrich.names_features import Extractor
from pipeline.enrich.names_model import CLASSES, SCALE

MODELS = pathlib.Path(names_model.__file__).parent / "models"
FOLDS = 5
MIN_COUNT = 2
Gold = dict[str, Any]


class Example(NamedTuple):
    """A text with its annotation, and the features and classes of its candidates (class -1: optional in the gold)."""

    text: str
    gold: Gold
    features: list[list[str]]
    classes: list[int]


def read(path: str) -> list[tuple[str, Gold]]:
    """Texts and their annotation from `GOLD[:INPUT]`."""
    gold_path, _, input_path = path.partition(":")
    gold = [json.loads(line) for line in pathlib.Path(gold_path).read_text(encoding="utf-8").splitlines() if line.strip()]
    if not input_path:
        return [(clean_text(g["text"]).text, g) for g in gold]
    raw = [json.loads(line) for line in pathlib.Path(input_path).read_text(encoding="utf-8").splitlines() if line.strip()]
    return [(clean_text(raw[int(g["id"].rsplit("#", 1)[1]) - 1]["abstract"]).text, g) for g in gold]


def wanted(gold: Gold) -> dict[str, int]:
    """Class of every annotated name by its key; -1 for optional ones."""
    out: dict[str, int] = {}
    for field, kind in (("methods", "method"), ("datasets", "dataset")):
        for item in gold[field]:
            for form in filter(None, (item["name"], item.get("long_form"))):
                label = -1 if item.get("optional") else CLASSES.index(f"{kind} {item['role']}")
                if out.get(fold_name(form), -1) == -1:
                    out[fold_name(form)] = label
    return out


def example(text: str, gold: Gold) -> Example:
    """Features and classes of the candidates of a text."""
    candidates = Candidates(text)
    extractor, labels = Extractor(candidates), wanted(gold)
    groups = list({id(group): group for group in candidates.groups.values()}.values())
    classes = [labels.get(group.key, labels.get(group.other, 0)) for group in groups]
    return Example(text, gold, [extractor.of_group(group) for group in groups], classes)


def fit(examples: list[Example], regularisation: float) -> names_model.Weights:
    """Weights in hundredths: L2-regularised multinomial logistic regression by L-BFGS."""
    rows = [(f, c) for e in examples for f, c in zip(e.features, e.classes, strict=True) if c >= 0]
    counts = Counter(feature for features, _ in rows for feature in features)
    index = {feature: i for i, feature in enumerate(sorted(f for f, n in counts.items() if n >= MIN_COUNT))}
    columns = [[index[f] for f in features if f in index] for features, _ in rows]
    pointers = np.cumsum([0, *map(len, columns)])
    x = csr_matrix((np.ones(pointers[-1]), np.concatenate(columns), pointers), shape=(len(rows), len(index)))
    y = np.array([c for _, c in rows])
    target, transposed, size = np.eye(len(CLASSES))[y], x.T.tocsr(), (len(index), len(CLASSES))

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        w = flat.reshape(size)
        z = x @ w
        z -= z.max(axis=1, keepdims=True)
        p = np.exp(z)
        p /= p.sum(axis=1, keepdims=True)
        value = -np.log(p[np.arange(len(y)), y] + 1e-12).sum() + regularisation / 2 * (w * w).sum()
        return float(value), (transposed @ (p - target) + regularisation * w).ravel()

    best = minimize(loss, np.zeros(size[0] * size[1]), jac=True, method="L-BFGS-B", options={"maxiter": 120}).x.reshape(size)
    whole = np.rint(best * SCALE).astype(int)
    return {f: tuple(int(v) for v in whole[i]) for f, i in index.items() if whole[i].any()}


def use(weights: names_model.Weights) -> None:
    """Make the finder use these weights."""
    names_model.weights.cache_clear()
    table = names_model.weights()
    table.clear()
    table.update(weights)


def tally(example_: Example, by_rule: dict[str, list[int]], total: Counter[str]) -> None:
    """Count hits, errors and misses of the finder on one text."""
    found = dict(zip(("methods", "datasets"), names.choose(Candidates(example_.text)), strict=True))
    for field in found:
        gold = [(g, {fold_name(g["name"]), fold_name(g.get("long_form") or "")} - {""}) for g in example_.gold[field]]
        gold.sort(key=lambda pair: bool(pair[0].get("optional")))
        left = list(found[field])
        for item, keys in gold:
            hit = next((n for n in left if fold_name(n.name) in keys or fold_name(n.long_form or "") in keys), None)
            if hit is not None:
                left.remove(hit)
            if item.get("optional"):
                continue
            total[f"{field} {'hit' if hit else 'missed'}"] += 1
            if hit is not None:
                by_rule[hit.rule][0] += 1
        for extra in left:
            total[f"{field} extra"] += 1
            by_rule[extra.rule][1] += 1


def cross_validate(examples: list[Example], regularisation: float) -> dict[str, list[int]]:
    """Print the scores over held-out folds; hits and errors of every rule."""
    by_rule: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    total: Counter[str] = Counter()
    for fold in range(FOLDS):
        use(fit([e for i, e in enumerate(examples) if i % FOLDS != fold], regularisation))
        for e in examples[fold::FOLDS]:
            tally(e, by_rule, total)
    for field in ("methods", "datasets"):
        hit, missed, extra = (total[f"{field} {what}"] for what in ("hit", "missed", "extra"))
        print(f"{field:9} P {hit / max(1, hit + extra):.3f}  R {hit / max(1, hit + missed):.3f}  F1 {2 * hit / max(1, 2 * hit + missed + extra):.3f}")
    return by_rule


def write(weights: names_model.Weights, by_rule: dict[str, list[int]]) -> None:
    """Write the model and the table of precisions."""
    lines = ["# feature\t" + "\t".join(CLASSES), *("\t".join([f, *map(str, w)]) for f, w in sorted(weights.items()))]
    (MODELS / "names.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = [f"{rule}\t{(hit + 1) / (hit + wrong + 2):.3f}\t{hit + wrong}" for rule, (hit, wrong) in sorted(by_rule.items())]
    head = "# rule\tprecision in cross-validation, (hits + 1) / (hits + errors + 2)\thits + errors"
    (MODELS / "names_precision.tsv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+")
    parser.add_argument("--regularisation", type=float, default=2.0)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    examples = [example(text, gold) for path in args.gold for text, gold in read(path)]
    by_rule = cross_validate(examples, args.regularisation)
    if args.write:
        write(fit(examples, args.regularisation), by_rule)


if __name__ == "__main__":
    main()
