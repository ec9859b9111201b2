"""Make a large corpus out of real abstracts: python benchmarks/corpus.py TEXTS.jsonl OUT --records 100000 --files 10

TEXTS.jsonl holds real abstracts (field raw_text, text or abstract). The first records are the real ones, the
others 5 to 10 real sentences mixed with word edits, so that texts are distinct and read like abstracts. A fifth
are near duplicates of others (format changes, word edits, a sentence added or dropped, cut). Seeded: the
same input gives the same files.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import re

FIELDS = ("raw_text", "text", "abstract")


def read_texts(path: pathlib.Path) -> list[str]:
    """Distinct texts of 300 to 4,000 characters."""
    texts: dict[str, None] = {}
    for line in path.open(encoding="utf-8"):
        told = json.loads(line)
        text = next((told[f] for f in FIELDS if isinstance(told.get(f), str)), "")
        if 300 <= len(text) <= 4000:
            texts[text] = None
    return list(texts)


def edit_words(text: str, share: float, vocabulary: list[str], rng: random.Random) -> str:
    words = text.split(" ")
    for _ in range(max(1, int(len(words) * share))):
        at = rng.randrange(len(words))
        words[at] = rng.choice(vocabulary)
    return " ".join(words)


def near_copy(text: str, vocabulary: list[str], rng: random.Random) -> str:
    """A near duplicate of one of six kinds."""
    kind = rng.randrange(6)
    if kind == 0:
        return text.replace("'", "’").replace(" - ", " – ") + " "
    if kind == 1:
        return edit_words(text, 0.02, vocabulary, rng)
    if kind == 2:
        return edit_words(text, 0.05, vocabulary, rng)
    if kind == 3:
        return text + " Our code will be made publicly available."
    if kind == 4:
        return re.sub(r"(?<=\. )[^.]{20,200}\. ", "", text, count=1)
    return text[: int(len(text) * rng.uniform(0.7, 0.9))] + "…"


def make(texts: list[str], records: int, seed: int) -> list[dict[str, object]]:
    rng = random.Random(seed)
    sentences = [s for t in texts for s in re.split(r"(?<=[.!?]) +", t) if 40 <= len(s) <= 400]
    vocabulary = sorted({w for t in texts[:2000] for w in t.split(" ") if w.isalpha()})
    made: list[str] = []
    for index in range(records):
        if made and rng.random() < 0.2:
            made.append(near_copy(made[rng.randrange(len(made))], vocabulary, rng))
        elif index < len(texts):
            made.append(texts[index])
        else:
            mixed = " ".join(rng.choice(sentences) for _ in range(rng.randint(5, 10)))
            made.append(edit_words(mixed, 0.12, vocabulary, rng))
    return [{"id": f"r{i:08d}", "abstract": t} for i, t in enumerate(made)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rows = make(read_texts(arguments.texts), arguments.records, arguments.seed)
    arguments.out.mkdir(parents=True, exist_ok=True)
    size = -(-len(rows) // arguments.files)
    for k in range(arguments.files):
        with (arguments.out / f"part-{k:04d}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows[k * size : (k + 1) * size])
    print(f"{len(rows)} records in {arguments.files} files")


if __name__ == "__main__":
    main()
