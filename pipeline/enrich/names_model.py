"""A linear model that says of a candidate whether it is a name, of a method or a dataset, proposed or mentioned.

Multinomial logistic regression over the features of `names_features.py`; trained by `benchmarks/train_names.py`, described in
`docs/names.md`. Weights are whole hundredths, so that sums are exact on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

CLASSES = ("none", "method mentioned", "method proposed", "dataset mentioned", "dataset proposed")
SCALE = 100
_MODELS = Path(__file__).parent / "models"
Weights = dict[str, tuple[int, ...]]


class Verdict(NamedTuple):
    """Probabilities of the classes, in the order of `CLASSES`."""

    none: float
    method_mentioned: float
    method_proposed: float
    dataset_mentioned: float
    dataset_proposed: float


@cache
def weights() -> Weights:
    """Weight of every feature for every class, in hundredths."""
    text = (_MODELS / "names.tsv").read_text(encoding="utf-8")
    out: Weights = {}
    for line in text.split("\n"):
        if line and not line.startswith("#"):
            feature, *numbers = line.split("\t")
            out[feature] = tuple(map(int, numbers))
    return out


@cache
def precisions() -> dict[str, float]:
    """Precision of each rule on gold, by its name, as the training script measured it."""
    text = (_MODELS / "names_precision.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.split("\n") if line and not line.startswith("#")]
    return {row[0]: float(row[1]) for row in rows}


def judge(features: Iterable[str]) -> Verdict:
    """Probabilities of the classes for a candidate with these features."""
    table = weights()
    known = [table[f] for f in features if f in table]
    sums = [sum(column) / SCALE for column in zip(*known, strict=True)] if known else [0.0] * len(CLASSES)
    top = max(sums)
    powers = [math.exp(s - top) for s in sums]
    total = sum(powers)
    return Verdict(*(p / total for p in powers))
