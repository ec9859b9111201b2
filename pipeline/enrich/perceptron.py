"""A perceptron with one hidden layer over string features, in whole numbers.

The weights are small integers made by `benchmarks/train_perceptron.py`; sums of integers are the same on every machine,
so that the same text always gives the same names. A model is one `.npz` file: `features` (the strings, joined by line
ends), `hidden` and `hidden_bias` (a row of weights per feature), `output` and `output_bias`, `scale` (what the integers
of an output stand for).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

Integers = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Perceptron:
    """The weights of one model; row 0 of `hidden` is that of every unknown feature, all nought."""

    index: dict[str, int]
    hidden: Integers
    hidden_bias: Integers
    output: Integers
    output_bias: Integers
    scale: float

    def scores(self, items: Sequence[Sequence[str]]) -> list[list[float]]:
        """The outputs (log-odds, one list an item) for items given by their features, each item at least one."""
        if not items:
            return []
        get = self.index.get
        rows = [get(feature, 0) for features in items for feature in features]
        starts = np.cumsum([0, *map(len, items[:-1])])
        sums = np.add.reduceat(self.hidden.take(rows, axis=0), starts, axis=0, dtype=np.int64)
        active = np.maximum(sums + self.hidden_bias, 0)
        out: list[list[float]] = ((active @ self.output + self.output_bias) / self.scale).tolist()
        return out


@cache
def load(path: Path) -> Perceptron:
    """The model in a file."""
    with np.load(path) as data:
        names = data["features"].tobytes().decode().split("\n")
        bias, output, output_bias = (data[name].astype(np.int64) for name in ("hidden_bias", "output", "output_bias"))
        return Perceptron({name: k for k, name in enumerate(names)}, data["hidden"], bias, output, output_bias, float(data["scale"]))
