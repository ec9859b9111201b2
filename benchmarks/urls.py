"""How well and how fast URLs are found: precision of each rule, agreement with annotations, time per abstract.

    python benchmarks/urls.py ANNOTATED.jsonl… [--confidence] [--misses]

Each line of ANNOTATED is `{"text", "urls"}`, where a URL is `{"url", "kind"}` (annotation guide) or `{"text"}` (the
address as it stands). Lines with `raw_text` or `abstract` instead of `text` are cleaned first. A gold file without
texts is joined with the file `<name>_input.jsonl` beside it. `--confidence` writes the precision of each rule to
`pipeline/enrich/lexicon/url_rules.json`, from which the column `confidence` comes.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pipeline.clean import clean_text
from pipeline.enrich.urls import find_urls
from pipeline.model import Url

RULES = pathlib.Path(__file__).parent.parent / "pipeline/enrich/lexicon/url_rules.json"
FEW = 5
"""A rule seen less often has no precision of its own: it gets that of all rules together."""


def read(path: pathlib.Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Pairs of clean text and annotated URLs."""
    beside = path.with_name(f"{path.stem}_input.jsonl")
    inputs = [json.loads(line) for line in beside.open(encoding="utf-8")] if beside.is_file() else []
    for line in path.open(encoding="utf-8"):
        row = json.loads(line)
        if inputs:
            row |= inputs[int(row["id"].rpartition("#")[2]) - 1]
        raw = row.get("raw_text") or row.get("abstract")
        text = clean_text(raw).text if raw else row.get("text")
        if text:
            yield text, row.get("urls", [])


def address(url: str) -> str:
    """What spellings of one address share."""
    url = re.sub(r"^[a-z]+://(?:www\.)?(?:dx\.)?", "", url.strip(), flags=re.IGNORECASE).rstrip("/")
    host, slash, path = url.partition("/")
    return (host + slash + path).lower() if host.lower() == "doi.org" else host.lower() + slash + path


def is_right(url: Url, text: str, gold: set[str]) -> bool:
    """True if an annotated address is meant, given as URL or as it stands in the text."""
    return address(url.url) in gold or any(address(text[start:end]) in gold for start, end in url.spans)


def main() -> None:
    """Print the figures; with `--confidence` also write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotated", nargs="+", type=pathlib.Path)
    parser.add_argument("--confidence", action="store_true")
    parser.add_argument("--misses", action="store_true")
    args = parser.parse_args()
    rows = [row for path in args.annotated for row in read(path)]
    find_urls("warm up www.example.org")
    start = time.perf_counter()
    found = [find_urls(text) for text, _ in rows]
    seconds = time.perf_counter() - start
    right, wrong, kinds, missed = count(rows, found, show=args.misses)
    hits, extras = sum(right.values()), sum(wrong.values())
    print(f"abstracts {len(rows)}  {seconds / max(len(rows), 1) * 1e6:.0f} us each")
    print(f"precision {hits / max(hits + extras, 1):.4f}  recall {hits / max(hits + missed, 1):.4f}  kind {kinds}")
    table = {}
    for rule in json.loads(RULES.read_text("utf-8")):
        seen = right[rule] + wrong[rule]
        share = right[rule] / seen if seen >= FEW else hits / max(hits + extras, 1)
        table[rule] = {"precision": round(share, 4), "seen": seen}
        print(f"{rule:10} {right[rule]:5} of {seen:5}  {share:.4f}")
    if args.confidence:
        lines = ",\n".join(f' "{rule}": {json.dumps(row)}' for rule, row in table.items())
        RULES.write_text(f"{{\n{lines}\n}}\n", "utf-8")


def count(
    rows: list[tuple[str, list[dict[str, Any]]]], found: list[tuple[Url, ...]], *, show: bool
) -> tuple[Counter[str], Counter[str], str, int]:
    """Right and wrong rows per rule, right kinds of those annotated, and the number of missed addresses."""
    right, wrong = Counter[str](), Counter[str]()
    kinds, kinds_of, missed = 0, 0, 0
    for (text, annotated), urls in zip(rows, found, strict=True):
        gold = {address(row.get("url") or row["text"]): row.get("kind") for row in annotated}
        for url in urls:
            hit = is_right(url, text, set(gold))
            (right if hit else wrong)[url.rule] += 1
            kind = gold.get(address(url.url))
            kinds, kinds_of = kinds + (kind == url.kind), kinds_of + (kind is not None)
            if show and (not hit or kind not in (None, url.kind)):
                print(f"{'extra' if not hit else f'kind {kind}:'} {url.kind} {url.url}")
        seen = {address(url.url) for url in urls} | {address(text[a:b]) for url in urls for a, b in url.spans}
        lost = [name for name in gold if name not in seen]
        missed += len(lost)
        if show and lost:
            print("missed", *lost)
    return right, wrong, f"{kinds} of {kinds_of}", missed


if __name__ == "__main__":
    main()
