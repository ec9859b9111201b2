"""Train the four linear models of `pipeline/enrich/results.py`; write their weights and the precision of each rule.

    python benchmarks/train_results.py GOLD.jsonl[:INPUT.jsonl] … --score SCORE.py [--mentions M.jsonl …] [--folds 4] [--write]

A GOLD file follows the annotation guide; its abstracts stand in INPUT (one JSON object with `abstract` or `raw_text` per
line, in the same order) or in its own field `text`. MENTIONS are public corpora with marked measures (fields `text`,
`mentions`). Printed are the figures of models that have not seen the abstract they read (folds are by abstract); `--write`
then trains on everything. Needs numpy; nothing of it is needed to use the weights.
"""

from __future__ import annotations

import argparse
import json
import re
import runpy
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.clean import clean_text
from pipeline.enrich import results_model, results_names
from pipeline.enrich.document import Document
from pipeline.enrich.results import bare_names, find_metrics, find_results, read_sentences
from pipeline.enrich.results_attach import dataset_options, measure_options, places_of
from pipeline.enrich.results_features import quantity_features
from pipeline.enrich.results_names import bare_features
from pipeline.model import Name

WEIGHTS = Path(results_model.__file__).parent / "lexicon" / "results_weights.tsv"
Record = dict[str, Any]
Group = tuple[list[list[str]], list[int], float]
# A feature of fewer decisions than this is not learnt: it would tell the training abstracts, not the language.
MIN_SUPPORT = 3
# A rule with fewer decisions than this has no precision of its own.
FEW = 20
# Weight of a mention in a public corpus beside one in our gold.
MENTION = 0.1
# Weight of a decision where the annotator named no measure or no data set: a name there is not wrong, only not asked for.
UNNAMED = {"measure": 0.4, "dataset": 0.15}
# Weight of a decision in an abstract whose data sets are hidden.
HIDDEN = 0.5
# What every reader knows before seeing an example; the weights are pulled towards these instead of towards nought.
PRIOR: dict[str, dict[str, float]] = {
    "result": {
        "scale=percent": 0.5, "scale=points": 1.0, "scale=ratio": 0.5, "scale=none/int100": -1.0, "scale=none/int10": -1.5,
        "scale=none/int1000": -1.0, "scale=none/big": -1.5, "scale=none/year": -3.0, "scale=size": -1.5, "tested": 1.0,
        "form=of/of": 0.5, "mR=0": 0.7, "mL=1": 0.5, "close/none/decimal": 0.5, "close/none/decimal01": 0.7,
    },
    "measure": {
        "aligned": 1.5, "crossed": -1.5, "carry=False": 1.0, "carry=True": -1.0, "k=G": -0.7,
        "Lway=of": 1.5, "Lway=": 1.0, "Lway=BE": 1.0, "Lway=by": 0.5, "Lway=to": 0.7, "Lway=from": 0.7, "Rway=": 1.0, "Rway=CHG in": 1.5,
        "Rway=in": 1.0, "Rway=CMP": 1.0, "Lway=CHG of": 1.0, "Lx=0/M": 0.3, "Rx=0/M": 0.3,  "inside": 3.0, "k=S": 0.7, "k=D": 0.7, "k=C": 0.5, "k=P": -0.7, "k=H0": -0.7,
        "src=bracket": 1.0, "src=equation": 1.5, "Lx=2/M": -0.5, "Rx=1/M": -1.0, "Rx=2/M": -1.5, "null": -0.5,
    },
    "dataset": {
        "aligned": 1.5, "crossed": -1.5, "Ltight=True": 1.5, "Rtight=True": 1.5, "Rx=1": -1.0, "Rx=2": -1.5, "Lx=1": -0.3,
        "Lx=2": -0.6, "semi=True": -1.5,
    },
}  # fmt: skip
DECAY = {"result": 2.0, "name": 3.0, "measure": 3.0, "dataset": 4.0}
# The model of names learns from what models that have not seen the abstract chose: so many folds for that.
INNER_FOLDS = 3


def load(spec: str) -> list[Record]:
    """Gold records with their clean text in `text`."""
    gold_path, _, input_path = spec.partition(":")
    gold = [json.loads(line) for line in Path(gold_path).read_text(encoding="utf-8").splitlines() if line.strip()]
    if input_path:
        lines = Path(input_path).read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        raws = [row.get("abstract") or row["raw_text"] for row in rows]
    else:
        raws = [g["text"] for g in gold]
    return [{**g, "text": clean_text(raw).text, "file": gold_path} for g, raw in zip(gold, raws, strict=True)]


def names_in(record: Record, field: str) -> list[Name]:
    """The gold names of a text with the places where they stand."""
    out = []
    for item in record[field]:
        forms = [f for f in (item["name"], item.get("long_form")) if f]
        spans = sorted({m.span() for f in forms for m in re.finditer(re.escape(f), record["text"])})
        if spans:
            out.append(Name(item["name"], item.get("long_form"), item["role"], tuple(spans), "gold", 1.0))
    return out


def gold_names(record: Record) -> tuple[list[Name], list[Name]]:
    """Methods and data sets as the gold has them."""
    return names_in(record, "methods"), names_in(record, "datasets")


class Read:
    """An abstract with its names and sentences, read once."""

    def __init__(self, record: Record, methods: list[Name], datasets: list[Name]) -> None:
        self.record, self.methods, self.datasets = record, methods, datasets
        self.doc = Document(record["text"])
        self.length = max(len(self.doc.text), 1)
        self.sentences = read_sentences(self.doc, methods, datasets)


class Examples:
    """Groups of feature lists by model: a binary decision is a group of one, a choice a group of its options."""

    def __init__(self, fits: Any) -> None:
        self.fits = fits
        self.groups: dict[str, list[Group]] = {m: [] for m in DECAY}

    def add(self, read: Read) -> None:
        """All decisions about the numbers of one abstract with their right answers."""
        record, sentences = read.record, read.sentences
        places = places_of(read.datasets, read.doc.sentences)
        left = sorted((r for r in record["results"] if r["value"] is not None), key=lambda r: bool(r.get("optional")))
        quantities = [(s, q) for s in sentences for q in s.quantities]
        match: dict[int, Record] = {}
        for r in left:
            free = (i for i, (_, q) in enumerate(quantities) if i not in match and self.fits.same_value(r, asdict(q)))
            hit = next(free, None)
            if hit is not None:
                match[hit] = r
        previous: tuple[Any, Any] = (None, None)
        for i, (s, q) in enumerate(quantities):
            r = match.get(i)
            if r is None or not r.get("optional"):
                features = quantity_features(s, q, q.start / read.length)
                self.groups["result"].append(([features], [int(r is not None)], 1.0))
            if r is not None:
                before = previous[1] if previous[0] is s else None
                chosen = self._choices(record, r, measure_options(sentences, s, q, before), dataset_options(places, s, q))
                previous = (s, chosen)

    def add_unnamed(self, read: Read) -> None:
        """The decisions about data sets once more as they are when the data sets were not found as such."""
        kept = dict(self.groups)
        self.groups = {m: [] for m in DECAY}
        self.add(Read(read.record, read.methods, []))
        self.groups = kept | {"dataset": [*kept["dataset"], *((f, y, w * HIDDEN) for f, y, w in self.groups["dataset"])]}

    def add_mentions(self, record: Record, weight: float) -> None:
        """Names of measures marked in a public corpus, whose idea of a measure is a little wider than ours."""
        read = Read(record, [], [])
        marked = [(m["start"], m["end"]) for m in record["mentions"] if m["label"].casefold() == "metric"]
        for n in bare_names(read.sentences, []):
            right = any(a < m.end and m.start < b for _, m in n.mentions for a, b in marked)
            features = bare_features(n, read.length)
            self.groups["name"].append(([features], [int(right)], weight))

    def _choices(self, record: Record, r: Record, measures: list[Any], datasets: list[Any]) -> Any:
        known = record["metric_names"]
        right = []
        for o in measures:
            name = o.candidate.name if o.candidate else None
            if r["metric"]:
                right.append(int(name is not None and self.fits.same_metric(r["metric"], name)))
            else:
                right.append(int(name is None or any(self.fits.same_metric(k, name) for k in known)))
        if any(right):
            self.groups["measure"].append(([o.features for o in measures], right, 1.0 if r["metric"] else UNNAMED["measure"]))
        chosen = next((o.candidate for o, ok in zip(measures, right, strict=True) if ok), None)
        right = []
        for place, _ in datasets:
            if r.get("dataset"):
                right.append(int(place is not None and self.fits.same_metric(r["dataset"], place.name)))
            else:
                right.append(int(place is None))
        if any(right):
            self.groups["dataset"].append(([f for _, f in datasets], right, 1.0 if r.get("dataset") else UNNAMED["dataset"]))
        return chosen

    def add_names(self, read: Read) -> None:
        """The decisions about names, after the results that the models in use find in the abstract."""
        record = read.record
        named = [r["metric"] for r in record["results"] if r.get("metric")]
        found = find_results(read.sentences, read.length)
        for n in bare_names(read.sentences, found):
            right = any(self.fits.same_metric(k, n.measure.name) for k in record["metric_names"])
            if right or not any(self.fits.same_metric(k, n.measure.name) for k in named):
                features = bare_features(n, read.length)
                self.groups["name"].append(([features], [int(right)], 1.0))


def train(groups: list[Group], decay: float, prior: dict[str, float], steps: int = 400) -> dict[str, float]:
    """Weights that maximise the likelihood of the right options (of several right ones: their sum) less `decay`/2 |w - prior|²."""
    support = Counter(f for options, _, _ in groups for f in {f for features in options for f in features})
    index: dict[str, int] = {f: i for i, f in enumerate(prior)}
    rows, columns, right, group_of = [], [], [], []
    row = 0
    for g, (options, answers, _) in enumerate(groups):
        for features, answer in zip(options, answers, strict=True):
            for f in features:
                if support[f] < MIN_SUPPORT and f not in prior:
                    continue
                rows.append(row)
                columns.append(index.setdefault(f, len(index)))
            right.append(answer)
            group_of.append(g)
            row += 1
    binary = all(len(o) == 1 for o, _, _ in groups)
    r, c = np.array(rows), np.array(columns)
    y, g = np.array(right, float), np.array(group_of)
    heft = np.array([weight for _, _, weight in groups])[g]
    w0, m, v = np.zeros(len(index)), np.zeros(len(index)), np.zeros(len(index))
    w0[: len(prior)] = list(prior.values())
    w = w0.copy()
    for step in range(1, steps + 1):
        z = np.bincount(r, w[c], row)
        error = _sigmoid(z) - y if binary else _softmax(z, g) - _softmax(np.where(y > 0, z, -1e9), g)
        gradient = np.bincount(c, (error * heft)[r], len(w)) + decay * (w - w0)
        m, v = 0.9 * m + 0.1 * gradient, 0.99 * v + 0.01 * gradient**2
        w -= 0.05 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.99**step)) + 1e-8)
    return {f: float(w[i]) for f, i in index.items()}


def _sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(z, -30, 30)))


def _softmax(z: np.ndarray, g: np.ndarray) -> np.ndarray:
    starts = np.flatnonzero(np.r_[True, g[1:] != g[:-1]])
    e = np.exp(z - np.maximum.reduceat(z, starts)[np.cumsum(np.r_[True, g[1:] != g[:-1]]) - 1])
    return e / np.add.reduceat(e, starts)[np.cumsum(np.r_[True, g[1:] != g[:-1]]) - 1]


def fit(
    records: Iterable[Record], fits: Any, names_of: Callable[[Record], tuple[list[Name], list[Name]]], mentions: Iterable[Record] = ()
) -> dict[str, dict[str, float]]:
    """The four models trained on some abstracts, and the one of names on marked mentions too."""
    reads = [Read(r, *names_of(r)) for r in records]
    names = Examples(fits)
    for record in mentions:
        names.add_mentions(record, MENTION)
    for k in range(INNER_FOLDS):
        use(_fit_numbers([r for i, r in enumerate(reads) if i % INNER_FOLDS != k], fits))
        for read in reads[k::INNER_FOLDS]:
            names.add_names(read)
    return _fit_numbers(reads, fits) | {"name": train(names.groups["name"], DECAY["name"], {})}


def _fit_numbers(reads: Iterable[Read], fits: Any) -> dict[str, dict[str, float]]:
    """The three models about numbers."""
    examples = Examples(fits)
    for read in reads:
        examples.add(read)
        if read.datasets:
            examples.add_unnamed(read)
    groups = {m: g for m, g in examples.groups.items() if g}
    return {m: train(g, DECAY[m], PRIOR.get(m, {})) for m, g in groups.items()}


def use(models: dict[str, dict[str, float]]) -> None:
    """Let the extractor use these weights instead of the shipped ones."""
    results_model.weights = lambda name: models.get(name, {})  # type: ignore[assignment]
    results_names.forget()


def predict(record: Record, methods: list[Name], datasets: list[Name]) -> Record:
    """The rows of one abstract in the form that the scorer reads."""
    rows = find_metrics(Document(record["text"]), methods, datasets)
    return {"methods": [], "datasets": [], "urls": [], "metrics": [asdict(r) for r in rows]}


def cross_validate(records: list[Record], mentions: list[Record], fits: Any, folds: int) -> dict[str, Record]:
    """What models that have not seen an abstract read in it, by its id."""
    predictions = {}
    for k in range(folds):
        use(fit([r for i, r in enumerate(records) if i % folds != k], fits, gold_names, mentions))
        for i, r in enumerate(records):
            if i % folds == k:
                predictions[r["id"]] = predict(r, *gold_names(r))
    return predictions


def confidences(records: list[Record], predictions: dict[str, Record], fits: Any) -> dict[str, tuple[float, int]]:
    """Precision and number of decisions of each rule: right values for results, right names for measures."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for record in records:
        named = [*record["metric_names"], *(r["metric"] for r in record["results"] if r.get("metric"))]
        rows = [row for row in predictions[record["id"]]["metrics"] if row["rule"] != "symbolic"]
        for row in rows:
            if row["value"] is None:
                hit = any(fits.same_metric(name, row["metric"]) for name in named)
            else:
                hit = any(fits.same_value(r, row) for r in record["results"])
            for rule in (row["rule"], "all"):
                right[rule] += hit
                total[rule] += 1
    return {rule: (right[rule] / n, n) for rule, n in sorted(total.items())}


def report(records: list[Record], predictions: dict[str, Record], fits: Any, show: int = 0) -> None:
    """Print P, R, F1 of the fields about results."""
    tallies = fits.score(records, predictions)
    for field in ("results_value", "results_full", "metric_names"):
        t = tallies[field].row()
        print(f"{field:14} P {t['P']:.3f} R {t['R']:.3f} F1 {t['F1']:.3f}  tp {t['tp']} fp {t['fp']} fn {t['fn']}")
        for what, lines in (("missed", tallies[field].misses), ("extra", tallies[field].extras)):
            for line in lines[:show]:
                print(f"    {what}: {line}")


def write(models: dict[str, dict[str, float]], n: int) -> None:
    """Write the weights, those too small to matter left out."""
    lines = [f"# Weights of the models of pipeline/enrich/results.py, made by benchmarks/train_results.py from {n} abstracts."]
    for name in sorted(models):
        kept = sorted((f, w) for f, w in models[name].items() if abs(w) >= 0.02)
        lines += [f"{name}\t{w:.3f}\t{f}" for f, w in kept]
    WEIGHTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_confidences(table: dict[str, tuple[float, int]], n: int) -> None:
    """Write the precision of each rule; of a rule with few decisions that of all rules together."""
    lines = [f"# Rule, precision, decisions: by cross-validation on {n} abstracts, made by benchmarks/train_results.py."]
    lines += [f"{rule}\t{p if n >= FEW else table['all'][0]:.3f}\t{n}" for rule, (p, n) in table.items()]
    WEIGHTS.with_name("results_confidence.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+")
    parser.add_argument("--score", required=True)
    parser.add_argument("--mentions", nargs="*", default=[])
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    fits = argparse.Namespace(**runpy.run_path(args.score))
    records = [r for spec in args.gold for r in load(spec)]
    lines = [line for path in args.mentions for line in Path(path).read_text(encoding="utf-8").splitlines()]
    mentions = [json.loads(line) for line in lines if line.strip()]
    predictions = cross_validate(records, mentions, fits, args.folds)
    report(records, predictions, fits, args.show)
    for file in dict.fromkeys(r["file"] for r in records):
        print(file)
        report([r for r in records if r["file"] == file], predictions, fits)
    table = confidences(records, predictions, fits)
    for rule, (p, n) in table.items():
        print(f"{rule:18} {p:.3f} {n}")
    if args.write:
        write_confidences(table, len(records))
        write(fit(records, fits, gold_names, mentions), len(records))


if __name__ == "__main__":
    main()
