"""How fast cleaning is, against pylatexenc's LatexNodes2Text on the same texts in the same run, and how much it loses.

    python benchmarks/clean.py ABSTRACTS.jsonl [--rows 2000]

ABSTRACTS holds one JSON object per line with the text in `raw_text`, `abstract`, `text` or `input`. pylatexenc is no dependency of the
project: without it (`pip install pylatexenc`) the comparison is left out. Times are CPU time; a ratio within one run is
what to quote, for the machine may be busy.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import time
from collections.abc import Callable, Sequence

from pipeline.clean import clean_text
from pipeline.clean.losses import find_losses
from pipeline.clean.plan import needs_nothing

KEYS = ("raw_text", "abstract", "text", "input")


def read_texts(path: pathlib.Path, rows: int) -> list[str]:
    """The first `rows` texts of a JSON Lines file."""
    texts: list[str] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            text = next((record[key] for key in KEYS if isinstance(record.get(key), str)), "")
            if text:
                texts.append(text)
            if len(texts) == rows:
                break
    return texts


def micros(function: Callable[[str], object], texts: Sequence[str]) -> float:
    """CPU microseconds per text, the better of two rounds."""
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        for text in texts:
            try:
                function(text)
            except Exception:  # pylatexenc raises on some real abstracts
                continue
        best = min(best, time.process_time() - start)
    return best / max(len(texts), 1) * 1e6


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=2000)
    arguments = parser.parse_args()
    texts = read_texts(arguments.abstracts, arguments.rows)
    plain = [text for text in texts if needs_nothing(text)]
    tex = [text for text in texts if "\\" in text or "$" in text]
    for name, group in (("all", texts), ("plain", plain), ("TeX", tex)):
        print(f"{name:6} {len(group):6} texts  {micros(clean_text, group):8.1f} us per text")
    lost = sum(bool(find_losses(text, clean_text(text))) for text in texts)
    print(f"texts with a loss that has no reason: {lost}")
    if importlib.util.find_spec("pylatexenc"):
        latex2text = importlib.import_module("pylatexenc.latex2text")
        theirs = micros(latex2text.LatexNodes2Text().latex_to_text, tex)
        ours = micros(clean_text, tex)
        print(f"pylatexenc on the TeX rows: {theirs:.1f} us per text, {theirs / ours:.1f} times ours")
        print(f"gated, over all rows: {theirs * len(tex) / (micros(clean_text, texts) * len(texts)):.1f} times ours")


if __name__ == "__main__":
    main()
