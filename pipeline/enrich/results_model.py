"""Linear models whose weights are a text file: one line per model and feature, made by `benchmarks/train_results.py`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

Weights = dict[str, float]


@cache
def weights(model: str) -> Weights:
    """The weights of one model by feature."""
    return _all_weights().get(model, {})


@cache
def _all_weights() -> dict[str, Weights]:
    out: dict[str, Weights] = {}
    path = Path(__file__).parent / "lexicon" / "results_weights.tsv"
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            model, weight, feature = line.split("\t", 2)
            out.setdefault(model, {})[feature] = float(weight)
    return out


def score(model: Weights, features: Iterable[str]) -> float:
    """The sum of the weights of the features."""
    get = model.get
    return sum([get(f, 0.0) for f in features])


def probability(model: Weights, features: Iterable[str]) -> float:
    """The logistic probability of a binary model."""
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score(model, features)))))


def best(model: Weights, options: Sequence[Iterable[str]]) -> int:
    """Index of the option with the highest score, the earliest of equals."""
    scores = [score(model, features) for features in options]
    return scores.index(max(scores))
