"""Near duplicates and hard negatives made from given abstracts, each with its true relation.

    python benchmarks/dedupe_data.py ABSTRACTS.jsonl OUT.jsonl [--seed 1] [--share 0.2]

ABSTRACTS.jsonl holds `{"text": …}` a line. OUT.jsonl holds every distinct abstract and, for a share of them, one
derived text: `{"id","text","cluster","kind"}`. A derived text of a kind in `SAME` has the cluster of its abstract;
one of a kind in `APART` has a cluster of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Make = Callable[[random.Random, str, str], str]

_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][A-Za-z]*[A-Z0-9][A-Za-z0-9]*\b|(?<=[a-z,] )[A-Z][a-z]{3,}\b")
_NAMES = ["Lisbon", "TinyFormer", "Norway", "GraphQA", "Kenya", "ORBIT", "Peruvian", "DeepMix", "Basque", "CIFAR"]
_BRITISH = [("ization", "isation"), ("izing", "ising"), ("ize", "ise"), ("olor", "olour"), ("avior", "aviour"), ("tumor", "tumour"),
            ("odeling", "odelling"), ("enter ", "entre "), ("anemi", "anaemi"), ("labeled", "labelled")]  # fmt: skip
_COMMON = ["the", "of", "and", "to", "in", "we", "a", "for", "is", "that", "with", "on", "as", "are", "by", "this", "from", "our", "be", "an", "which", "can", "it", "these", "have", "using", "show", "based", "not", "results", "models", "new", "between", "more", "propose", "also", "both", "than", "has", "their", "such", "however", "other", "two", "into"]
_BOILERPLATE = ["Extensive experiments on several benchmark datasets demonstrate the effectiveness of the proposed approach.",
                "The code and the data used in this study are publicly available for research purposes.",
                "Further research with larger samples is needed to confirm these findings and to study their causes."]  # fmt: skip


def split_sentences(text: str) -> list[str]:
    """Sentences by their end marks: enough to make data with."""
    return re.split(r"(?<=[.!?]) +(?=[A-Z])", text)


def pick_sentence(random_: random.Random, text: str) -> str:
    """A sentence of `text`, or its first 25 words where it cannot be split."""
    fit = [sentence for sentence in split_sentences(text) if 5 <= len(sentence.split()) <= 50]
    return random_.choice(fit) if len(fit) > 1 else " ".join(text.split()[:25])


def edit_words(share: float) -> Make:
    """Replace, drop, double or swap a share of the words; replacements come from another abstract."""

    def make(random_: random.Random, text: str, other: str) -> str:
        words, spare = text.split(), other.split()
        for _ in range(max(1, round(share * len(words)))):
            place, way = random_.randrange(len(words)), random_.random()
            if way < 0.5:
                words[place] = random_.choice(spare)
            elif way < 0.75 and len(words) > 5:
                del words[place]
            elif way < 0.9:
                words.insert(place, random_.choice(spare))
            else:
                words.insert(random_.randrange(len(words)), words.pop(place))
        return " ".join(words)

    return make


def add_sentence(random_: random.Random, text: str, other: str) -> str:
    sentences = split_sentences(text)
    sentences.insert(random_.randrange(len(sentences) + 1), pick_sentence(random_, other))
    return " ".join(sentences)


def drop_sentence(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
    sentences = split_sentences(text)
    del sentences[random_.randrange(len(sentences))]
    return " ".join(sentences) if sentences else text


def cut(low: float, high: float) -> Make:
    """The beginning of the text, with an ellipsis."""

    def make(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
        words = text.split()
        return " ".join(words[: max(3, int(len(words) * random_.uniform(low, high)))]) + random_.choice(["...", "…", " [...]"])

    return make


def change_format(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
    for old, new in random_.sample([(" - ", " – "), ("'", "’"), ('"', "“"), ("-", "‐"), ("%", r"\%"), (", ", " , "), (". ", ".  ")], 4):
        text = text.replace(old, new)
    return text.upper() if random_.random() < 0.1 else text


def lose_spaces(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
    return re.sub(" ", lambda _: "" if random_.random() < 0.06 else " ", text)


def hyphenate(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
    return re.sub(r"\b([a-z]{4})([a-z]{4,})", lambda m: f"{m[1]}- {m[2]}" if random_.random() < 0.1 else m[0], text)


def paste_title(random_: random.Random, text: str, other: str) -> str:
    return " ".join(other.split()[: random_.randrange(5, 14)]).title() + random_.choice([" ", ". ", "\n\n", ": "]) + text


def add_tail(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
    return text + random_.choice([" (C) 2011 Elsevier B.V. All rights reserved.", " © 2020 The Authors. Published by Wiley.", " Copyright 2009 S. Karger AG, Basel."])


def add_prefix(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
    return random_.choice(["Abstract: ", "Summary. ", "ABSTRACT ", "Background: "]) + text


def spell_british(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
    for american, british in _BRITISH:
        text = text.replace(american, british)
    return text


def _rewrite(random_: random.Random, sentence: str) -> str:
    words = []
    for word in sentence.split():
        if word.lower().strip(".,") in _COMMON:
            if random_.random() < 0.5:
                words.append(random_.choice(_COMMON))
        elif random_.random() < 0.8:
            words.append(word)
    place = random_.randrange(len(words)) if words else 0
    return " ".join(words[place:] + words[:place] if random_.random() < 0.3 else words)


def revise(random_: random.Random, text: str, other: str) -> str:
    """What authors do between two versions of a preprint: sentences kept, touched, rewritten, dropped, added."""
    result = []
    for sentence in split_sentences(text):
        way = random_.random()
        if way < 0.35:
            result.append(sentence)
        elif way < 0.6:
            result.append(edit_words(0.15)(random_, sentence, other))
        elif way < 0.88:
            result.append(_rewrite(random_, sentence))
        if random_.random() < 0.12:
            result.append(pick_sentence(random_, other))
    return " ".join(result) or text


def change_numbers(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
    return _NUMBER.sub(lambda m: str((int(m[0][-6:]) + random_.randrange(1, 9)) % 10 ** max(len(m[0]), 1)).zfill(len(m[0])), text)


def change_name(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
    names = sorted(set(_NAME.findall(text)))
    return re.sub(rf"\b{re.escape(random_.choice(names))}\b", random_.choice(_NAMES), text) if names else text


def share_boilerplate(random_: random.Random, text: str, other: str) -> str:
    """Another abstract that has one or two sentences of this one."""
    own = [pick_sentence(random_, text) for _ in range(random_.randrange(1, 3))]
    return " ".join([*own, other] if random_.random() < 0.5 else [other, *own, random_.choice(_BOILERPLATE)])


SAME: dict[str, Make] = {
    "edits_02": edit_words(0.02), "edits_05": edit_words(0.05), "edits_10": edit_words(0.10), "sentence_added": add_sentence,
    "sentence_dropped": drop_sentence, "cut": cut(0.7, 0.9), "preview": cut(0.25, 0.5), "format": change_format,
    "lost_spaces": lose_spaces, "hyphens": hyphenate, "title": paste_title, "tail": add_tail, "prefix": add_prefix,
    "british": spell_british, "revised": revise,
}  # fmt: skip
APART: dict[str, Make] = {"numbers": change_numbers, "name": change_name, "boilerplate": share_boilerplate}


def derive(texts: list[str], seed: int, kinds: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """(index of the abstract, kind, derived text) for each text and kind in turn, where the kind changes the text."""
    makers, random_, names = SAME | APART, random.Random(seed), list(kinds)
    for index, text in enumerate(texts):
        kind = names[index % len(names)]
        derived = makers[kind](random_, text, texts[random_.randrange(len(texts))])
        if derived != text:
            yield index, kind, derived


def build(texts: list[str], seed: int, share: float, kinds: Iterable[str] = (*SAME, *APART)) -> Iterator[dict[str, str]]:
    """All abstracts, and derived texts of a share of them."""
    for index, text in enumerate(texts):
        yield {"id": f"a{index:07d}", "text": text, "cluster": f"c{index:07d}", "kind": "original"}
    chosen = sorted(random.Random(seed).sample(range(len(texts)), int(share * len(texts))))
    for number, kind, derived in derive([texts[i] for i in chosen], seed, kinds):
        cluster = f"c{chosen[number]:07d}" if kind in SAME else f"d{chosen[number]:07d}"
        yield {"id": f"b{chosen[number]:07d}", "text": derived, "cluster": cluster, "kind": kind}


def read_texts(path: Path) -> list[str]:
    """The distinct texts of 200 to 4,000 characters of a JSON Lines file, in order."""
    texts = (json.loads(line)["text"] for line in path.read_text(encoding="utf-8").split("\n") if line.strip())
    return list(dict.fromkeys(text for text in texts if 200 <= len(text) <= 4000))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.2)
    arguments = parser.parse_args()
    with arguments.out.open("w", encoding="utf-8") as file:
        for record in build(read_texts(arguments.abstracts), arguments.seed, arguments.share):
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
