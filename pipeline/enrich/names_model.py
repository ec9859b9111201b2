"""Two linear models: is a candidate the name of a method, of a dataset, or none; and does the paper propose it?

Logistic regressions over the features of `names_features.py`; trained by `benchmarks/train_names.py`, described in
`docs/names.md`. Weights are whole hundredths, so that sums are exact on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from itertools import repeat
from pathlib import Path
from struct import Struct
from typing import NamedTuple

KINDS = ("none", "method", "dataset")
OUTPUTS = (*KINDS, "proposed")
SCALE = 100
_MODELS = Path(__file__).parent / "models"
LANE = 32
"""Bits of one output in a packed weight: sums of a few hundred weights of some thousand hundredths fit."""
_HALF = 1 << (LANE - 1)
_MIDDLE = sum(_HALF << (LANE * k) for k in range(len(OUTPUTS)))
_LANES = Struct(f"<{len(OUTPUTS)}I")
_HOPELESS = 150
"""Lead of `none` over both other kinds, in hundredths, from which a candidate is no name at any threshold in use (e^-1.5 < 0.3)."""
Weights = dict[str, int]


class Verdict(NamedTuple):
    """Probabilities of being a method, being a dataset, and, if it is either, being proposed by the paper."""

    method: float
    dataset: float
    proposed: float


def pack(numbers: Iterable[int]) -> int:
    """One integer that holds a weight for every output, so that one addition adds all of them.

    >>> unpack(pack([1, -2, 3, -5]) + pack([1, 1, 1, 1]))
    [2, -1, 4, -4]
    """
    return sum(number << (LANE * k) for k, number in enumerate(numbers))


def unpack(packed: int) -> list[int]:
    """The weights in a packed integer."""
    return [lane - _HALF for lane in _LANES.unpack((packed + _MIDDLE).to_bytes(_LANES.size, "little"))]


@cache
def weights() -> Weights:
    """Packed weights of every feature, in hundredths."""
    text = (_MODELS / "names.tsv").read_text(encoding="utf-8")
    out: Weights = {}
    for line in text.split("\n"):
        if line and not line.startswith("#"):
            feature, *numbers = line.split("\t")
            out[feature] = pack(map(int, numbers))
    return out


@cache
def precisions() -> dict[str, float]:
    """Precision of each rule on gold, by its name, as the training script measured it."""
    text = (_MODELS / "names_precision.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.split("\n") if line and not line.startswith("#")]
    return {row[0]: float(row[1]) for row in rows}


def judge(features: Iterable[str]) -> Verdict | None:
    """What a candidate with these features is; None if it is clearly no name."""
    none, method, dataset, proposed = unpack(sum(map(weights().get, features, repeat(0))))
    if none - max(method, dataset) > _HOPELESS:
        return None
    a, b = math.exp((method - none) / SCALE), math.exp((dataset - none) / SCALE)
    return Verdict(a / (1 + a + b), b / (1 + a + b), 1 / (1 + math.exp(-proposed / SCALE)))
