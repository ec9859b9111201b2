"""Pairs as they stand in real collections: revised versions of one abstract, and abstracts that look alike and are two.

    python benchmarks/dedupe_revisions.py ABSTRACTS.jsonl [--show]

A revision is an abstract after 3 to 16 of the things that authors, publishers and exports do to it (`STEPS`). The hard
negatives are parts of one study, trials of other drugs in the same words, yearly reports, notices about a paper, only
numbers or only one name changed, half of the sentences of another abstract. Abstracts are split by their hash: failures are
read in the first half (`seen`) only, the second (`unseen`) is for the figures. Recall is told by how many of the word
3-grams the two texts share (Jaccard).
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from dedupe_data import (
    add_prefix,
    add_tail,
    change_format,
    change_name,
    change_numbers,
    edit_words,
    hyphenate,
    paste_title,
    read_texts,
    spell_british,
    split_sentences,
)

from pipeline.dedupe.records import dedupe_records

Step = Callable[[random.Random, list[str], str], list[str]]
_PHRASES = [("In this paper, we ", "We "), ("in this paper", "here"), ("We propose", "We introduce"), ("we propose", "we present"), ("novel ", "new "),
            ("demonstrate", "show"), (" show that", " find that"), ("a number of", "several"), ("outperforms", "performs better than"), ("state-of-the-art", "the best existing"),
            ("However, ", "Yet "), ("In addition, ", "Moreover, "), ("utilize", "use"), ("significantly", "considerably"), ("large", "big"), ("important", "essential"),
            ("in order to", "to"), ("approach", "method"), ("results", "findings"), ("such as", "like"), ("The aim of this study was", "We aimed"),
            ("was performed", "was carried out"), ("patients", "participants"), ("evaluate", "assess"), ("Furthermore", "Also"), ("based on", "built on")]  # fmt: skip
_LABELS = ["Background: ", "Methods: ", "Results: ", "Conclusions: "]
_DRUGS = ["aspirin", "metformin", "ketamine", "lithium", "sertraline", "rituximab", "warfarin", "naltrexone", "melatonin", "oxytocin", "gabapentin", "clozapine"]
_ILLS = ["stroke", "type 2 diabetes", "depression", "bipolar disorder", "lupus", "alcohol dependence", "insomnia", "neuropathic pain", "schizophrenia", "migraine"]
_PROTOCOL = ("This is a protocol for a systematic review. The objectives are as follows: to assess the benefits and harms of {0} for {1} in adults compared with placebo "
             "or no treatment. We will search CENTRAL, MEDLINE and Embase from inception for randomised controlled trials. Two authors will select trials, assess the "
             "risk of bias and extract data independently. The primary outcomes are response to {0} and withdrawal from the trial for any reason.")  # fmt: skip
_REPORT = ("This report presents the {0} edition of the shared task on {1}. {2} teams submitted systems, which were ranked by their score on a hidden test set. We describe "
           "the task, the data, the rules and the results, and we discuss what the participants tried and what worked.")  # fmt: skip


def _drop(random_: random.Random, sentences: list[str], other: str) -> list[str]:  # noqa: ARG001
    place = random_.randrange(len(sentences))
    return sentences[:place] + sentences[place + 1 :] if len(sentences) > 3 else sentences


def _add(random_: random.Random, sentences: list[str], other: str) -> list[str]:
    place = random_.randrange(len(sentences) + 1)
    return [*sentences[:place], random_.choice(split_sentences(other)), *sentences[place:]]


def _move(random_: random.Random, sentences: list[str], other: str) -> list[str]:  # noqa: ARG001
    rest = list(sentences)
    moved = rest.pop(random_.randrange(len(rest)))
    rest.insert(random_.randrange(len(rest) + 1), moved)
    return rest


def _rephrase(random_: random.Random, sentences: list[str], other: str) -> list[str]:  # noqa: ARG001
    chosen = random_.sample(_PHRASES, 12)
    return [_replace_all(sentence, chosen) for sentence in sentences]


def _replace_all(text: str, pairs: list[tuple[str, str]]) -> str:
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def _rewrite_one(random_: random.Random, sentences: list[str], other: str) -> list[str]:
    """One sentence in other words: a third of its words replaced, its halves swapped now and then."""
    place = random_.randrange(len(sentences))
    words = edit_words(0.35)(random_, sentences[place], other).split()
    half = len(words) // 2 if random_.random() < 0.5 else 0
    return [*sentences[:place], " ".join(words[half:] + words[:half]), *sentences[place + 1 :]]


def _update_number(random_: random.Random, sentences: list[str], other: str) -> list[str]:  # noqa: ARG001
    held = [i for i, sentence in enumerate(sentences) if re.search(r"\d", sentence)]
    if not held:
        return sentences
    place = random_.choice(held)
    return [*sentences[:place], change_numbers(random_, sentences[place], ""), *sentences[place + 1 :]]


def _label(random_: random.Random, sentences: list[str], other: str) -> list[str]:  # noqa: ARG001
    if len(sentences) < 4:
        return sentences
    places = [0, *sorted(random_.sample(range(1, len(sentences)), 3))]
    return [(_LABELS[places.index(i)] if i in places else "") + sentence for i, sentence in enumerate(sentences)]


def _on_text(make: Callable[[random.Random, str, str], str]) -> Step:
    return lambda random_, sentences, other: split_sentences(make(random_, " ".join(sentences), other))


STEPS: list[Step] = [_drop, _drop, _add, _move, _rephrase, _rephrase, _rewrite_one, _rewrite_one, _rewrite_one, _update_number, _label,
                     _on_text(add_prefix), _on_text(add_tail), _on_text(change_format), _on_text(spell_british), _on_text(hyphenate), _on_text(paste_title), _on_text(edit_words(0.05))]  # fmt: skip


def revise(random_: random.Random, text: str, other: str) -> str:
    """A later version of an abstract."""
    sentences = split_sentences(text)
    for _ in range(random_.randrange(3, 17)):
        sentences = random_.choice(STEPS)(random_, sentences, other) or sentences
    return " ".join(sentences)


def _take_half(random_: random.Random, text: str, other: str) -> str:
    """Up to two fifths of the words of this abstract, and half of another that is not in the collection."""
    own, words = [], 0
    for sentence in random_.sample(split_sentences(text), len(split_sentences(text))):
        if words + len(sentence.split()) <= 0.4 * len(text.split()):
            own.append(sentence)
            words += len(sentence.split())
    rest = split_sentences(other)
    return " ".join([*own, *rest[len(rest) // 2 :]])


def _make_part(random_: random.Random, text: str, other: str) -> str:  # noqa: ARG001
    return text.replace("Part I ", "Part II ").replace("first", "second")


NEGATIVE: dict[str, Callable[[random.Random, str, str], str]] = {
    "numbers": change_numbers, "name": change_name, "shared sentences": _take_half, "part": _make_part,
    "notice": lambda random_, text, other: "Retraction: this article has been retracted at the request of the authors. " + text,  # noqa: ARG005
}  # fmt: skip


def share_of_shingles(a: str, b: str) -> float:
    """Jaccard similarity of the word 3-grams of two texts."""
    sets = []
    for text in (a, b):
        words = re.findall(r"\w+", text.lower())
        sets.append({tuple(words[i : i + 3]) for i in range(max(1, len(words) - 2))})
    return len(sets[0] & sets[1]) / max(len(sets[0] | sets[1]), 1)


def build(texts: list[str], others: list[str], seed: int) -> list[tuple[str, str, str, str]]:
    """(id, cluster, kind, text): abstracts, a revision of every second, a hard negative of every fourth; what is added comes from `others`."""
    random_ = random.Random(seed)
    made: list[tuple[str, str, str, str]] = []
    for number, text in enumerate(texts):
        made.append((f"a{number:05d}", f"c{number}", "abstract", text))
        other = others[random_.randrange(len(others))]
        if number % 2:
            made.append((f"b{number:05d}", f"c{number}", "revision", revise(random_, text, other)))
        elif number % 4:
            kind = list(NEGATIVE)[number // 4 % len(NEGATIVE)]
            derived = NEGATIVE[kind](random_, text, other)
            if derived != text:
                made.append((f"b{number:05d}", f"d{number}", kind, derived))
    templates = [_PROTOCOL.format(drug, ill) for drug in _DRUGS for ill in _ILLS]
    templates += [_REPORT.format(year, task, count) for year in range(2010, 2020) for task, count in (("parsing", 12), ("question answering", 9), ("summarisation", 17))]
    return made + [(f"t{i:05d}", f"t{i}", "template", text) for i, text in enumerate(templates)]


def report(name: str, made: list[tuple[str, str, str, str]], *, show: bool) -> None:
    """Print pair precision and recall, recall by how much the texts share, and false merges by kind."""
    answers = {str(a["id"]): a for a in dedupe_records([{"id": row[0], "text": row[3]} for row in made])}
    by_id = {row[0]: row for row in made}
    bands: dict[str, list[bool]] = defaultdict(list)
    wrong: dict[str, int] = defaultdict(int)
    for identifier, cluster, kind, text in made:
        head = by_id[str(answers[identifier]["cluster"])]
        if head[1] != cluster:
            wrong[kind] += 1
        if kind == "revision":
            first = by_id["a" + identifier[1:]]
            shared = share_of_shingles(first[3], text)
            band = next(label for low, label in ((0.7, ".7 to 1"), (0.4, ".4 to .7"), (0.2, ".2 to .4"), (0.0, "under .2")) if shared >= low)
            found = answers[identifier]["cluster"] == answers[first[0]]["cluster"]
            bands[band].append(found)
            if show and not found:
                print("---", band, answers[identifier]["variant_of"], "\n", first[3][:1200], "\n", text[:1200])
    right, every = sum(map(sum, bands.values())), sum(map(len, bands.values()))
    precision, recall = right / max(right + sum(wrong.values()), 1), right / max(every, 1)
    print(f"{name}: {every} revisions, precision {precision:.4f}, recall {recall:.4f}, F1 {2 * precision * recall / (precision + recall):.4f}; recall by shared 3-grams: "
          + ", ".join(f"{label} {sum(hits) / len(hits):.3f} of {len(hits)}" for label, hits in sorted(bands.items(), reverse=True)) + f"; wrong merges {dict(wrong)}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("--show", action="store_true", help="print the revisions that are missed, of the half that may be seen")
    arguments = parser.parse_args()
    texts = [text for text in read_texts(arguments.abstracts) if len(split_sentences(text)) > 3]
    halves = [[text for text in texts if sha256(text.encode()).digest()[0] % 2 == half] for half in (0, 1)]
    for name, chosen, others in (("seen", *halves), ("unseen", *halves[::-1])):
        report(name, build(chosen, others, 11), show=arguments.show and name == "seen")


if __name__ == "__main__":
    main()
