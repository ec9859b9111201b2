"""Is a candidate the name of a method, of a dataset, or none; and does the paper propose it?

A perceptron over the features of `names_features.py`; trained by `benchmarks/train_names.py`, described in `docs/names.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pipeline.enrich.perceptron import load

KINDS = ("none", "method", "dataset")
MODELS = Path(__file__).parent / "models"


class Verdict(NamedTuple):
    """Probabilities of being a method, being a dataset, and, if it is either, being proposed by the paper."""

    method: float
    dataset: float
    proposed: float


@cache
def precisions() -> dict[str, float]:
    """Precision of each rule on gold, by its name, as the training script measured it."""
    text = (MODELS / "names_precision.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.split("\n") if line and not line.startswith("#")]
    return {row[0]: float(row[1]) for row in rows}


def judge(items: Sequence[Sequence[str]]) -> list[Verdict]:
    """What candidates with these features are."""
    return [_verdict(*scores) for scores in load(MODELS / "names.npz").scores(items)]


def _verdict(none: float, method: float, dataset: float, proposed: float) -> Verdict:
    a, b = math.exp(min(method - none, 30)), math.exp(min(dataset - none, 30))
    return Verdict(a / (1 + a + b), b / (1 + a + b), 1 / (1 + math.exp(-max(proposed, -30))))
