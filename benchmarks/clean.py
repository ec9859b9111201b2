"""How fast cleaning is, against pylatexenc's LatexNodes2Text on the same texts in the same run, and what it loses and leaves.

    python benchmarks/clean.py ABSTRACTS.jsonl [--rows 2000]
    python benchmarks/clean.py --cases CASES.jsonl

ABSTRACTS holds one JSON object per line with the text in `raw_text`, `abstract`, `text` or `input`. pylatexenc is no dependency of the
project: without it (`pip install pylatexenc`) the comparison is left out. Times are CPU time; a ratio within one run is
what to quote, for the machine may be busy. Raw spans are tried on random runs of words, one to twenty-one of them: the raw text of
each is cleaned by itself and compared with the words. CASES holds objects with `group`, `tier`, `input` and a list of `expected` texts;
for each group and tier the share is printed that is equal but for white space, the style of quotes and dashes, braces and `^ _ $`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import random
import re
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pyarrow as pa

from pipeline.clean import clean_text
from pipeline.clean.framing import may_hold_leftover
from pipeline.clean.losses import find_losses
from pipeline.clean.plan import needs_nothing
from pipeline.clean.stage import clean_table

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


def each(function: Callable[[str], object], texts: Sequence[str]) -> Callable[[], None]:
    """A job that calls `function` for each text."""

    def job() -> None:
        for text in texts:
            try:
                function(text)
            except Exception:  # pylatexenc raises on some real abstracts
                continue

    return job


def seconds(jobs: Mapping[str, Callable[[], object]], rounds: int = 4) -> dict[str, float]:
    """CPU seconds of each job, the best of some rounds. Each round runs all of them, so that a busy minute hits all alike."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            start = time.process_time()
            job()
            best[name] = min(best[name], time.process_time() - start)
    return best


_STYLES = str.maketrans("‘’‚′`“”„‐‑‒–—−", "'''''\"\"\"------", "{}^_$")


def loose(text: str) -> str:
    """A text without what is a matter of style."""
    folded = unicodedata.normalize("NFKC", text).translate(_STYLES)
    return "".join(folded.replace("---", "-").replace("--", "-").replace("''", '"').split())


def print_cases(path: pathlib.Path) -> None:
    """How many cases come out as expected, by group and tier, and the mean of the groups of each tier."""
    hits: dict[tuple[str, str], list[bool]] = {}
    for line in path.read_text("utf-8").split("\n"):
        if not line:
            continue
        case = json.loads(line)
        got = loose(clean_text(case["input"]).text)
        hits.setdefault((case["tier"], case["group"].split(":")[0]), []).append(any(got == loose(text) for text in case["expected"]))
    for (tier, group), found in sorted(hits.items()):
        print(f"{tier} {group:24} {len(found):5} cases {sum(found) / len(found):.4f}")
    for tier in sorted({tier for tier, _ in hits}):
        shares = [sum(found) / len(found) for (other, _), found in hits.items() if other == tier]
        print(f"{tier} mean of {len(shares)} groups {sum(shares) / len(shares):.4f}")


def failing_spans(texts: Sequence[str], count: int) -> tuple[int, int, int]:
    """How many of `count` random runs of words cut a construct in two, and have a raw span that does not clean to them: of those, of the others."""
    choose = random.Random(1)
    cut, failed = 0, [0, 0]
    for _ in range(count):
        raw = choose.choice(texts)
        done = clean_text(raw)
        words = [m.span() for m in re.finditer(r"\S+", done.text)]
        if words:
            first = choose.randrange(len(words))
            start, end = words[first][0], words[min(first + choose.choice((0, 1, 2, 3, 5, 8, 20)), len(words) - 1)][1]
            raw_start, raw_end = done.map.raw_span(start, end)
            is_cut = done.map.is_cut(start, end)
            cut += is_cut
            failed[is_cut] += clean_text(raw[raw_start:raw_end]).text != done.text[start:end]
    return cut, failed[True], failed[False]


def print_quality(texts: Sequence[str], spans: int) -> None:
    """What is lost, what is left, and whether the way back holds."""
    done = [clean_text(text) for text in texts]
    lost = sum(bool(find_losses(text, cleaned)) for text, cleaned in zip(texts, done, strict=True))
    left = [cleaned for cleaned in done if may_hold_leftover(cleaned.text)]
    print(f"texts with a loss that has no reason: {lost}")
    print(f"texts with mark-up left: {len(left)}, of them flagged: {sum('literal_markup' in cleaned.flags for cleaned in left)}")
    print(f"texts with an unknown macro: {sum('unknown_macro' in cleaned.flags for cleaned in done)}")
    cut, of_cut, of_whole = failing_spans(texts, spans)
    print(f"raw spans that clean to something else: {of_cut + of_whole} of {spans}; {of_cut} of the {cut} that cut a construct in two")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", type=pathlib.Path, nargs="?")
    parser.add_argument("--cases", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--spans", type=int, default=10_000)
    arguments = parser.parse_args()
    if arguments.cases:
        print_cases(arguments.cases)
    if arguments.abstracts:
        texts = read_texts(arguments.abstracts, arguments.rows)
        print_speed(texts)
        print_quality(texts, arguments.spans)


def print_speed(texts: Sequence[str]) -> None:
    """CPU time per text by kind, and the ratio to pylatexenc where that is installed."""
    plain = [text for text in texts if needs_nothing(text)]
    tex = [text for text in texts if any(sign in text for sign in "\\${}")]
    other = [text for text in texts if not needs_nothing(text) and not any(sign in text for sign in "\\${}")]
    groups = {"all": texts, "plain": plain, "other": other, "TeX": tex}
    jobs: dict[str, Callable[[], object]] = {name: each(clean_text, group) for name, group in groups.items()}
    jobs |= {f"{name} stage": partial(clean_table, pa.table({"raw_text": group})) for name, group in groups.items()}
    if importlib.util.find_spec("pylatexenc"):
        latex2text = importlib.import_module("pylatexenc.latex2text")
        jobs["pylatexenc"] = each(latex2text.LatexNodes2Text().latex_to_text, tex)
    taken = seconds(jobs)
    for name, group in groups.items():
        unit = 1e6 / max(len(group), 1)
        print(f"{name:6} {len(group):6} texts  {taken[name] * unit:8.1f} us per text, the stage {taken[name + ' stage'] * unit:8.1f} us")
        if "pylatexenc" in taken and name in ("all", "TeX"):
            theirs = taken["pylatexenc"]
            print(f"       pylatexenc, on the rows with TeX only: {theirs * unit:.1f} us, {theirs / taken[name]:.1f} times ours,"
                  f" {theirs / taken[name + ' stage']:.1f} times the stage")  # fmt: skip



if __name__ == "__main__":
    main()
