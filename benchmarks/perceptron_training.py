"""Training of the perceptron of `pipeline/enrich/perceptron.py`: numpy and scipy, no other library.

The first outputs are classes that exclude each other, the last one is a yes or no of its own that counts only where its
weight says so. Targets are probabilities, so that a certain label and the opinion of a teacher are learnt alike.
"""

from __future__ import annotations

import pathlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

Array = np.ndarray[Any, Any]
BATCH, RATE, DECAY, DROPPED, DROPPED_HIDDEN = 256, 2e-3, 1e-4, 0.2, 0.2
QUANTUM = 127


class Rows(NamedTuple):
    """What is learnt from: features of each item, target probabilities (classes, then the yes or no), weights of both decisions."""

    features: list[list[str]]
    targets: Array
    weights: Array


class Network(NamedTuple):
    """Weights as real numbers; row k of `hidden` belongs to feature k."""

    features: list[str]
    hidden: Array
    hidden_bias: Array
    output: Array
    output_bias: Array

    def outputs(self, items: Sequence[Sequence[str]]) -> Array:
        """Log-odds of items given by their features."""
        index = {feature: k for k, feature in enumerate(self.features)}
        active = np.maximum(_matrix(items, index) @ self.hidden + self.hidden_bias, 0)
        return np.asarray(active @ self.output + self.output_bias)


def softmax(scores: Array) -> Array:
    """Probabilities of the rows of a table of log-odds."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def sigmoid(scores: Array) -> Array:
    """Probabilities of log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(scores, -30, 30))))


def train(certain: Rows, taught: Rows | None = None, hidden: int = 48, epochs: int = 6, seed: int = 0) -> Network:
    """A network trained by Adam with dropout. A feature is used that two certain items have, or six of all."""
    rows = certain if taught is None else _join(certain, taught)
    counted = Counter(f for features in certain.features for f in features)
    others = Counter(f for features in rows.features[len(certain.features) :] for f in features)
    names = sorted(f for f in counted | others if counted[f] >= 2 or counted[f] + others[f] >= 6)
    x = _matrix(rows.features, {f: k for k, f in enumerate(names)})
    random, outputs = np.random.default_rng(seed), rows.targets.shape[1]
    parts = [
        (random.standard_normal((len(names), hidden)) * 0.05).astype(np.float32), np.zeros(hidden, np.float32),
        (random.standard_normal((hidden, outputs)) * 0.2).astype(np.float32), np.zeros(outputs, np.float32),
    ]  # fmt: skip
    first, second = [np.zeros_like(p) for p in parts], [np.zeros_like(p) for p in parts]
    steps, step = epochs * (x.shape[0] // BATCH + 1), 0
    for _ in range(epochs):
        order = random.permutation(x.shape[0])
        for start in range(0, x.shape[0], BATCH):
            chosen = order[start : start + BATCH]
            gradients = _gradients(x[chosen], rows.targets[chosen], rows.weights[chosen], parts, random)
            step += 1
            rate = RATE * max(0.05, 1 - step / steps) * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
            for part, gradient, m, v in zip(parts, gradients, first, second, strict=True):
                m += 0.1 * (gradient - m)
                v += 0.001 * (gradient * gradient - v)
                part -= (rate * m / (np.sqrt(v) + 1e-8)).astype(np.float32)
    return Network(names, *parts)


def _gradients(x: csr_matrix, targets: Array, weights: Array, parts: list[Array], random: np.random.Generator) -> list[Array]:
    hidden, hidden_bias, output, output_bias = parts
    x = x.copy()
    x.data = (x.data * (random.random(len(x.data)) > DROPPED) / (1 - DROPPED)).astype(np.float32)
    before = x @ hidden + hidden_bias
    kept = ((random.random(before.shape) > DROPPED_HIDDEN) / (1 - DROPPED_HIDDEN)).astype(np.float32)
    active = np.maximum(before, 0) * kept
    scores = active @ output + output_bias
    errors = np.column_stack([softmax(scores[:, :-1]), sigmoid(scores[:, -1])]) - targets
    errors[:, :-1] *= weights[:, :1]
    errors[:, -1] *= weights[:, 1]
    errors = (errors / len(targets)).astype(np.float32)
    back = (errors @ output.T) * kept * (before > 0)
    return [np.asarray(x.T @ back) + DECAY * hidden, back.sum(0), active.T @ errors + DECAY * output, errors.sum(0)]


def write(network: Network, path: pathlib.Path) -> None:
    """The network in whole numbers, as `pipeline/enrich/perceptron.py` reads it."""
    inner = QUANTUM / np.abs(network.hidden).max()
    outer = QUANTUM / np.abs(network.output).max()
    hidden = np.rint(network.hidden * inner).astype(np.int8)
    kept = np.flatnonzero(hidden.any(axis=1))
    features = ["", *(network.features[k] for k in kept)]
    np.savez_compressed(
        path, features=np.frombuffer("\n".join(features).encode(), np.uint8),
        hidden=np.concatenate([np.zeros((1, hidden.shape[1]), np.int8), hidden[kept]]),
        hidden_bias=np.rint(network.hidden_bias * inner).astype(np.int32), output=np.rint(network.output * outer).astype(np.int8),
        output_bias=np.rint(network.output_bias * inner * outer).astype(np.int32), scale=np.float64(inner * outer),
    )  # fmt: skip


def _join(a: Rows, b: Rows) -> Rows:
    return Rows(a.features + b.features, np.concatenate([a.targets, b.targets]), np.concatenate([a.weights, b.weights]))


def _matrix(items: Sequence[Sequence[str]], index: dict[str, int]) -> csr_matrix:
    columns = [[index[f] for f in dict.fromkeys(features) if f in index] for features in items]
    pointers = np.cumsum([0, *map(len, columns)])
    flat = np.array([c for row in columns for c in row], np.int32)
    return csr_matrix((np.ones(len(flat), np.float32), flat, pointers), shape=(len(columns), len(index)))
