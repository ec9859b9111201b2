"""Opinions of a stronger teacher about the candidates of abstracts that nobody annotated; `train_names.py --taught` learns from them.

usage: teach_names.py --unlabelled ABSTRACTS.jsonl --sentence-model FOLDER --out TAUGHT-{fold}.jsonl GOLD.jsonl[:INPUT.jsonl] ...

The teacher sees what the shipped model sees and the vectors that a sentence transformer (all-MiniLM-L6-v2, Apache 2.0; a folder
with its weights) gives to the mention and its neighbours. It is too slow for use, but not for teaching (distillation: Hinton,
Vinyals and Dean, 2015). One teacher per fold has not seen the abstracts of the fold, so that the student can be cross-validated;
the one called `all` has seen every annotated abstract. ABSTRACTS hold a field `abstract` per line. Needs scipy, torch, transformers.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from names import read
from torch import nn
from torch.nn import functional
from train_names import FOLDS, Example, example, fold_of
from transformers import AutoModel, AutoTokenizer

from pipeline.clean import clean_text
from pipeline.enrich.names_candidates import Candidates

Array = np.ndarray[Any, Any]
LAYERS, WIDTH, MENTIONS, LONGEST = (3, 6), 384, 3, 400
EPOCHS, BATCH, TEACHERS = 6, 64, 2


class Data(NamedTuple):
    """Candidates of many texts: vectors, features and, where annotated, kinds and roles (-1: not)."""

    vectors: Array
    features: list[list[str]]
    kinds: list[int]
    roles: list[int]


class Teacher(nn.Module):
    """Vectors and features to three kinds and a role."""

    def __init__(self, vocabulary: dict[str, int], mean: Array, spread: Array) -> None:
        super().__init__()
        self.vocabulary, self.mean, self.spread = vocabulary, mean, spread
        size = len(vocabulary) + 1
        self.table, self.direct = nn.EmbeddingBag(size, 24, mode="sum"), nn.EmbeddingBag(size, 4, mode="sum")
        nn.init.normal_(self.table.weight, std=0.05)
        nn.init.zeros_(self.direct.weight)
        self.inward, self.joint, self.outward = nn.Linear(len(mean), 64), nn.Linear(64 + 24, 48), nn.Linear(48, 4)
        self.strong, self.weak = nn.Dropout(0.4), nn.Dropout(0.2)

    def forward(self, vectors: torch.Tensor, bag: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        context = self.weak(torch.relu(self.inward(self.strong(vectors))))
        both = torch.cat([context, self.weak(self.table(*bag))], 1)
        return self.outward(self.weak(torch.relu(self.joint(both)))) + self.direct(*bag)

    def bag(self, features: Sequence[Sequence[str]], dropped: float = 0.0) -> tuple[torch.Tensor, torch.Tensor]:
        """Rows of the tables for each item; row 0 is that of unknown features."""
        rows: list[int] = []
        starts = []
        for item in features:
            starts.append(len(rows))
            known = [self.vocabulary[f] for f in item if f in self.vocabulary] or [0]
            kept = torch.rand(len(known)) >= dropped
            rows += [row for row, keep in zip(known, kept.tolist(), strict=True) if keep]
        return torch.tensor(rows, dtype=torch.long), torch.tensor(starts)

    def scaled(self, vectors: Array) -> torch.Tensor:
        """Vectors with mean 0 and spread 1 in the training data."""
        return torch.tensor((vectors.astype(np.float32) - self.mean) / self.spread)

    def opinions(self, data: Data) -> Array:
        """Probabilities of method, of dataset, and of being proposed."""
        with torch.no_grad():
            scores = self(self.scaled(data.vectors), self.bag(data.features))
            return torch.cat([torch.softmax(scores[:, :3], 1)[:, 1:], torch.sigmoid(scores[:, 3:])], 1).numpy()


def vectors(texts: Sequence[str], spans: Sequence[Sequence[Sequence[tuple[int, int]]]], folder: str) -> list[Array]:
    """For each candidate of each text (given by the spans of its mentions): mean vectors of mention, left and right neighbour, and the first mention's."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    out = []
    with torch.inference_mode():
        for text, candidates in zip(texts, spans, strict=True):
            coded = tokenizer(text, truncation=True, max_length=LONGEST, return_offsets_mapping=True, return_tensors="pt")
            offsets = coded.pop("offset_mapping")[0].tolist()
            states = model(**coded, output_hidden_states=True).hidden_states
            rows = [_of_candidate(mentions[:MENTIONS], offsets, [states[k][0] for k in LAYERS]) for mentions in candidates]
            out.append(np.array(rows, np.float16).reshape(len(candidates), 4 * WIDTH * len(LAYERS)))
    return out


def _of_candidate(mentions: Sequence[tuple[int, int]], offsets: list[list[int]], states: list[torch.Tensor]) -> Array:
    places = []
    for start, end in mentions:
        inside = [k for k in range(1, len(offsets) - 1) if offsets[k][0] < end and offsets[k][1] > start]
        if inside:
            places.append((inside[0], inside[-1]))
    if not places:
        return np.zeros(4 * WIDTH * len(LAYERS), np.float16)
    parts = []
    for state in states:
        each = [torch.cat([state[a : b + 1].mean(0), state[a - 1], state[b + 1]]) for a, b in places]
        parts += [torch.stack(each).mean(0), each[0][:WIDTH]]
    return np.asarray(torch.cat(parts).half().numpy())


def teach(data: Data, seed: int) -> Teacher:
    """A teacher trained on annotated candidates."""
    torch.manual_seed(seed)
    counts = Counter(f for features in data.features for f in features)
    vocabulary = {f: k + 1 for k, f in enumerate(sorted(f for f, n in counts.items() if n >= 2))}
    numbers = data.vectors.astype(np.float32)
    teacher = Teacher(vocabulary, numbers.mean(0), numbers.std(0) + 1e-4)
    tables = [*teacher.table.parameters(), *teacher.direct.parameters()]
    layers = [p for part in (teacher.inward, teacher.joint, teacher.outward) for p in part.parameters()]
    optimiser = torch.optim.AdamW(
        [{"params": layers, "lr": 1e-3, "weight_decay": 0.05}, {"params": tables, "lr": 2e-3, "weight_decay": 0.02}]
    )
    x, kinds, roles = teacher.scaled(data.vectors), torch.tensor(data.kinds), torch.tensor(data.roles)
    for _ in range(EPOCHS):
        order = torch.randperm(len(kinds))
        for chosen in order.split(BATCH):
            scores = teacher(x[chosen], teacher.bag([data.features[k] for k in chosen.tolist()], 0.2))
            loss = functional.cross_entropy(scores[:, :3], kinds[chosen], reduction="sum", ignore_index=-1)
            named = roles[chosen] >= 0
            loss = loss + functional.binary_cross_entropy_with_logits(scores[named, 3], roles[chosen][named].float(), reduction="sum")
            optimiser.zero_grad()
            (loss / BATCH).backward()
            optimiser.step()
    return teacher.eval()


def gather(examples: Sequence[Example], found: Sequence[Array]) -> Data:
    """The candidates of annotated texts, one after the other."""
    return Data(
        np.concatenate([v for v in found if len(v)]), [f for e in examples for f in e.features],
        [k for e in examples for k in e.kinds], [p for e in examples for p in e.proposed],
    )  # fmt: skip


def spans_of(text: str) -> list[list[tuple[int, int]]]:
    """Mentions of each candidate of a text."""
    candidates = Candidates(text)
    return [[candidates.span(mention) for mention in sorted(group.mentions)] for group in candidates.judged()]


def write_opinions(examples: list[Example], found: list[Array], others: tuple[list[Example], list[Array]], pattern: str) -> None:
    """One file per fold, and one from all annotated texts."""
    unlabelled = gather(*others)
    for fold in (*range(FOLDS), "all"):
        seen = [k for k in range(len(examples)) if fold_of(k) != fold]
        data = gather([examples[k] for k in seen], [found[k] for k in seen])
        opinions = iter((sum(teach(data, seed).opinions(unlabelled) for seed in range(TEACHERS)) / TEACHERS).tolist())
        with pathlib.Path(pattern.replace("{fold}", str(fold))).open("w", encoding="utf-8") as out:
            for e in others[0]:
                judged = [[round(p, 4) for p in next(opinions)] for _ in e.features]
                out.write(json.dumps({"text": e.text, "judged": judged}, ensure_ascii=False) + "\n")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+")
    parser.add_argument("--unlabelled", required=True)
    parser.add_argument("--sentence-model", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    examples = [example(text, gold) for path in args.gold for text, gold in read(path)]
    lines = pathlib.Path(args.unlabelled).read_text(encoding="utf-8").split("\n")
    texts = [clean_text(json.loads(line)["abstract"]).text for line in lines if line.strip()]
    others = [example(text, {"methods": [], "datasets": []}) for text in texts]
    found, found_others = (vectors([e.text for e in part], [spans_of(e.text) for e in part], args.sentence_model) for part in (examples, others))
    write_opinions(examples, found, (others, found_others), args.out)


if __name__ == "__main__":
    main()
