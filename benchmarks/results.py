"""How well results and measures are read, and how fast.

    python benchmarks/results.py gold GOLD.jsonl[:INPUT.jsonl] … --score SCORE.py [--show N] [--gold-names]
    python benchmarks/results.py public ABSTRACTS.jsonl --score SCORE_RESULTS.py
    python benchmarks/results.py speed TEXTS.jsonl

`gold` prints precision, recall and F1 by the release scorer against annotated abstracts (see `train_results.py` for the
files; methods and data sets are those that the product finds, or those of the gold). `public` prints the recall of
leaderboard results told in prose (fields `id`, `text`, `results`). `speed` prints abstracts per second of this part alone,
sentences and names given. Nothing is written.
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import train_results

from pipeline.clean import clean_text
from pipeline.enrich.document import Document
from pipeline.enrich.names import find_names
from pipeline.enrich.results import find_metrics


def on_gold(args: argparse.Namespace) -> None:
    """P, R, F1 of values, whole results and measure names."""
    fits = argparse.Namespace(**runpy.run_path(args.score))
    records = [r for spec in args.paths for r in train_results.load(spec)]
    predictions = {}
    for r in records:
        names = train_results.gold_names(r) if args.gold_names else find_names(Document(r["text"]))
        predictions[r["id"]] = train_results.predict(r, *(list(n) for n in names))
    train_results.report(records, predictions, fits, args.show)


def on_public(args: argparse.Namespace) -> None:
    """Recall of leaderboard results, with measure, with data set, with both."""
    sys.path.insert(0, str(Path(args.score).resolve().parent))
    scorer = argparse.Namespace(**runpy.run_path(args.score))
    rows = [json.loads(line) for path in args.paths for line in Path(path).read_text(encoding="utf-8").splitlines()]
    predictions = {}
    for row in rows:
        doc = Document(clean_text(row["text"]).text)
        metrics = [m for m in find_metrics(doc, *find_names(doc)) if m.value is not None]
        found = [
            {"name": m.metric, "value": m.value, "value_max": m.value_max, "unit": m.unit, "dataset": m.dataset}
            for m in metrics
        ]
        predictions[row["id"]] = {"metrics": found}
    scorer.show(scorer.score(rows, predictions))


def speed(args: argparse.Namespace) -> None:
    """Abstracts per second of processor time, the best of five rounds."""
    rows = [json.loads(line) for path in args.paths for line in Path(path).read_text(encoding="utf-8").splitlines()]
    texts = [r.get("text") or r.get("abstract") or r["raw_text"] for r in rows]
    docs = [Document(clean_text(t).text) for t in texts]
    names = [find_names(d) for d in docs]
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for doc, (methods, datasets) in zip(docs, names, strict=True):
            find_metrics(doc, methods, datasets)
        best = min(best, time.process_time() - start)
    print(f"{len(docs) / best:.0f} abstracts/s, {best / len(docs) * 1e6:.0f} us per abstract")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["gold", "public", "speed"])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--score")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--gold-names", action="store_true")
    args = parser.parse_args()
    {"gold": on_gold, "public": on_public, "speed": speed}[args.what](args)


if __name__ == "__main__":
    main()
