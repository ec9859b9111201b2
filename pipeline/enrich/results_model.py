"""Linear models whose weights are a text file: one line per model and feature, made by `benchmarks/train_results.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Final

Weights = dict[str, float]
_NOUGHTS: Final = repeat(0.0)


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


@cache
def _confidences() -> dict[str, float]:
    path = Path(__file__).parent / "lexicon" / "results_confidence.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return {rule: float(p) for rule, p, *_ in (line.split("\t") for line in lines if line and not line.startswith("#"))}


def confidence(rule: str) -> float:
    """The precision of a rule, measured by cross-validation on the gold; of all rules together where it is unknown."""
    table = _confidences()
    return table.get(rule, table.get("all", 0.5))


def score(model: Weights, features: Iterable[str]) -> float:
    """The sum of the weights of the features."""
    return sum(map(model.get, features, _NOUGHTS))


def best(model: Weights, options: Sequence[Iterable[str]]) -> int:
    """Index of the option with the highest score, the earliest of equals."""
    scores = [score(model, features) for features in options]
    return scores.index(max(scores))
