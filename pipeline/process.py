"""What a process of ours sets for itself before anything large is imported: the console's, and each worker's."""

from __future__ import annotations

import gc
import sys
from typing import Any

#: Looked for by Pandera when it is imported: for making up data (a third of a second where Hypothesis is
#: installed), and for frames of maps (searched for a hundred times where GeoPandas is not). We use neither.
_NOT_NEEDED = ("hypothesis", "geopandas")
#: Allocations between two looks for cycles of garbage. Python's 700 cost a sixth of the time of start-up,
#: in which nearly everything stays; stages make few cycles.
_ALLOCATIONS = 100_000


def start_quickly() -> None:
    """Spare imports and garbage collections that a run does not need. Only for processes that are ours alone."""
    gc.set_threshold(_ALLOCATIONS, 50, 100)
    modules: dict[str, Any] = sys.modules
    for name in _NOT_NEEDED:
        modules.setdefault(name, None)


def end_quickly() -> None:
    """Let the interpreter end without looking through everything that was imported: that takes half a second."""
    gc.freeze()
