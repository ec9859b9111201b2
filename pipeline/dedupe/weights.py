"""How telling a word is: words that many abstracts hold say little about two texts being one."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from pipeline.dedupe.keys import fold
from pipeline.dedupe.tokens import U64, split_words

RARE = 6.5
"""Weight of a word that is not in the list of common words: about that of one in 700 abstracts."""
_WIDE = 2.0
_ABSTRACTS = 10_000


@cache
def _load_common() -> tuple[U64, NDArray[np.float32]]:
    """Hashes of the common words, sorted, and their weights: the logarithm of abstracts per abstract with the word."""
    lines = files("pipeline.dedupe").joinpath("data/common_words.txt").read_text(encoding="utf-8").split("\n")
    pairs = [line.split(" ") for line in lines if line and not line.startswith("#")]
    split = split_words([fold(word) for word, _ in pairs])
    hashes = split.hashes[split.first[:-1]]
    weights = np.log(_ABSTRACTS / np.maximum(1.0, np.array([float(count) for _, count in pairs])))
    order = np.argsort(hashes, kind="stable")
    return hashes[order], weights[order].astype(np.float32)


def weigh_words(hashes: U64, is_wide: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The weight of each word given by its hash. One character of a script without spaces tells little (`is_wide`)."""
    common, weights = _load_common()
    places = np.minimum(np.searchsorted(common, hashes), len(common) - 1)
    known = np.where(common[places] == hashes, weights[places], np.float32(RARE))
    return np.where(is_wide, np.minimum(known, np.float32(_WIDE)), known)
