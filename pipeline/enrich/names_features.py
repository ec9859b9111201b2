"""What the model looks at in a candidate: its shape, its parts, the lexicon, the words around its mentions, and its place.

A feature is a short string such as `r=benchmark` (the word after the name). `docs/names.md` lists the groups.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache

from pipeline.enrich.lexicon import fold, type_of_phrase, type_of_word
from pipeline.enrich.names_candidates import Candidates, Group
from pipeline.enrich.names_tokens import CAPITAL, LOWER, NUMBER, PUNCTUATION, SHAPE, Token

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_MAX_MENTIONS = 4
_FAMILY = re.compile(
    r"(?:gpt|llama|qwen|gemini|claude|mistral|mixtral|gemma|phi|deepseek|bert|t5|clip|vit|resnet|yolo|sam|dino|lora|gan|vae|former|net|nn|llm|lm|rl"
    r"|nerf|diff|flow|agent|rag|gcn|gnn|mamba|ssm|moe|cot|po|sgd|adam|slam|bench|eval|qa|vqa|mmlu|coco|voc|imagenet|cifar|mnist|set|corpus|bank|wiki"
    r"|news|net|kitti|scenes|hub|arena|world|gym|env|sim|craft|test|challenge|task|suite|data|base|\d+k|\d+b)",
    re.I,
)


@lru_cache(maxsize=32768)
def form_features(name: str) -> tuple[str, ...]:
    """Features of the name alone.

    >>> "shape=Aa-A" in form_features("Flow-TTRL")
    True
    """
    words = name.split()
    low = name.lower()
    out = [f"shape={_shape(name)}", f"n={min(len(words), 6)}", f"len={min(len(name), 12) if len(words) == 1 else 'w'}"]
    kind = type_of_word(name) if len(words) == 1 else type_of_phrase(name)
    out.append(f"type={kind}")
    head = re.split(r"[-\s]", low)[-1]
    out += [f"head={fold(head)}", f"tail3={low[-3:]}", f"tail4={low[-4:]}"]
    if len(words) > 1:
        out += [f"first={fold(words[0])}", f"firsttype={type_of_word(words[0])}", f"lasttype={type_of_word(words[-1])}", f"case={_case(words)}"]
        out += [f"word={fold(w)}" for w in words[:5]]
    else:
        out.append(f"start3={low[:3]}")
        parts = [p.lower() for p in _PARTS.findall(name)]
        if len(parts) > 1:
            out += [f"part={p}" for p in parts[:6] if len(p) > 1]
            types = {type_of_word(p) for p in re.split(r"[-–_+/]", name)}
            out += [f"parttype={t}" for t in sorted(types) if t]
    families = {m.lower() if not m[0].isdigit() else "0" + m[-1].lower() for m in _FAMILY.findall(name)}
    out += [f"fam={f}" for f in sorted(families)]
    return tuple(out)


def _shape(name: str) -> str:
    out = re.sub(r"[^\W\d_]", lambda m: "A" if m.group().isupper() else "a" if m.group().islower() else "o", name)
    out = re.sub(r"\d+", "0", out)
    out = re.sub(r"a+", "a", re.sub(r"A{2,}", "AA", out))
    return out[:14]


def _case(words: list[str]) -> str:
    return "".join("A" if w[0].isupper() else "a" if w[0].islower() else "0" for w in words[:6])


class Extractor:
    """Features of the groups of one text."""

    def __init__(self, candidates: Candidates) -> None:
        self.c = candidates
        self.tokens = candidates.tokens
        tokens = self.tokens
        self.cues = [i for i, t in enumerate(tokens) if t.cue]
        self.stops = [
            i for i, t in enumerate(tokens)
            if t.word in (".", "?", "!", "") and t.spaced and i + 1 < len(tokens) and tokens[i + 1].kind != LOWER
        ]
        self.named = {first: end for g in candidates.groups.values() for first, end, _ in g.mentions}
        self.christened = self._christened_forms()

    def _christened_forms(self) -> list[str]:
        """Shapely names right after a verb of proposing or christening: others may extend them."""
        out = []
        for i in self.cues:
            if self.tokens[i].cue in ("propose", "call") and i + 1 < len(self.tokens):
                token = self.tokens[i + 1]
                if token.kind == SHAPE and len(token.word) > 2:
                    out.append(token.word)
        return out

    def of_group(self, group: Group) -> list[str]:
        """Features of a group: of its forms, of its mentions together, of its place in the text."""
        text = self.c.text
        start, stop = self.c.span(group.mentions[0])
        name = group.pair.short if group.pair else text[start:stop]
        out = ["bias", *form_features(name)]
        mentions = sorted(group.mentions)
        out.append(f"src={group.source}")
        if group.pair:
            out += self._of_pair(group)
        seen: set[str] = set()
        for order, mention in enumerate(mentions[:_MAX_MENTIONS]):
            for feature in self._of_mention(mention):
                if feature not in seen:
                    seen.add(feature)
            if order == 0:
                seen.update([f"1{f}" for f in self._first(mention)])
        out += sorted(seen)
        count = text.count(name) if len(mentions) < 9 else 9
        out += [f"count={min(count, 5)}", f"sent={min(bisect_left(self.stops, mentions[0][0]), 9)}"]
        for form in self.christened:
            if name != form and (name.startswith(form) or form.startswith(name)) and len(name) > 1:
                out.append("extends" if len(name) > len(form) else "extended")
                break
        return out

    def _of_pair(self, group: Group) -> list[str]:
        pair = group.pair
        assert pair is not None
        words = re.split(r"[\s-]+", pair.long)
        head = fold(words[-1])
        first = pair.long_span < pair.short_span
        out = ["pair", f"pairfirst={first}", f"longtype={type_of_phrase(pair.long)}", f"longhead={head}", f"longcase={_case(words)}"]
        out += [f"longword={fold(w)}" for w in words[:7]]
        return out

    def _first(self, mention: tuple[int, int, int]) -> Iterator[str]:
        """Place of the first mention: its sentence's verbs."""
        first, end, _ = mention
        at = bisect_left(self.stops, first)
        low = self.stops[at - 1] if at else -1
        high = self.stops[at] if at < len(self.stops) else len(self.tokens)
        kinds = {self.tokens[i].cue for i in self.cues[bisect_right(self.cues, low) : bisect_left(self.cues, high)]}
        for kind in sorted(kinds):
            yield f"s={kind}"
        yield f"start={first - low <= 1}"

    def _of_mention(self, mention: tuple[int, int, int]) -> Iterator[str]:
        tokens, n = self.tokens, len(self.tokens)
        first, end, cut = mention
        left = tokens[first - 1] if first else None
        left2 = tokens[first - 2] if first > 1 else None
        l1 = left.lower if left else "^"
        l2 = left2.lower if left2 else "^"
        yield f"l={l1}"
        yield f"ll={l2} {l1}"
        yield f"l2={l2}"
        if cut:
            yield f"cut={tokens[end - 1].word[-cut:]}"
        right = tokens[end] if end < n else None
        r1 = _word(right)
        r2 = _word(tokens[end + 1]) if end + 1 < n else "$"
        yield f"r={r1}"
        yield f"rr={r1} {r2}"
        yield f"r2={r2}"
        yield f"lr={l1}_{r1}"
        yield from self._cues_near(first, end)
        yield from self._list(first, end)

    def _cues_near(self, first: int, end: int) -> Iterator[str]:
        tokens = self.tokens
        k = bisect_left(self.cues, first) - 1
        stop = bisect_left(self.stops, first)
        low = self.stops[stop - 1] if stop else -1
        seen: set[str] = set()
        while k >= 0 and self.cues[k] > low and first - self.cues[k] < 16:
            i = self.cues[k]
            cue = tokens[i].cue
            if cue not in seen:
                distance = first - i
                yield f"cl={cue}{1 if distance == 1 else 2 if distance < 4 else 3 if distance < 8 else 4}"
                if not seen:
                    yield f"cw={tokens[i].lower}"
                seen.add(cue)
            k -= 1
        k = bisect_left(self.cues, end)
        if k < len(self.cues) and self.cues[k] - end < 6 and not (stop < len(self.stops) and self.stops[stop] < self.cues[k]):
            yield f"cr={tokens[self.cues[k]].cue}{min(self.cues[k] - end, 3)}"
            yield f"crw={tokens[self.cues[k]].lower}"

    def _list(self, first: int, end: int) -> Iterator[str]:
        """The words before and after the list `X, Y and Z` in which the name stands, and what the lexicon says of its members."""
        tokens, n = self.tokens, len(self.tokens)
        ends = {e: f for f, e in self.named.items()}
        a, b, types, size = first, end, set(), 1
        while size < 9 and a > 1:
            k = a - 1
            while k > 0 and tokens[k].lower in (",", "and", "or", "&", "/", "the"):
                k -= 1
            if k == a - 1 or k + 1 not in ends:
                break
            a = ends[k + 1]
            types.add(tokens[a].type)
            size += 1
        while size < 9 and b + 1 < n:
            k = b
            while k < n - 1 and tokens[k].lower in (",", "and", "or", "&", "/", "the"):
                k += 1
            if k == b or k not in self.named:
                break
            b = self.named[k]
            types.add(tokens[k].type)
            size += 1
        if size > 1:
            yield f"list={min(size, 4)}"
            yield f"lh={tokens[a - 1].lower if a else '^'}"
            yield f"lt={_word(tokens[b]) if b < n else '$'}"
            for kind in sorted(types - {""}):
                yield f"with={kind}"


def _word(token: Token | None) -> str:
    if token is None:
        return "$"
    if token.kind == NUMBER:
        return "0"
    if token.kind in (CAPITAL, SHAPE):
        return "A"
    return token.lower if token.kind != PUNCTUATION or token.word in ",.:;()" else "#"
