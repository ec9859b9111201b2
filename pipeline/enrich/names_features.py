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
from pipeline.enrich.names_tokens import CAPITAL, LETTER, LOWER, NUMBER, PUNCTUATION, SHAPE, Token, kind_of

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_MAX_MENTIONS = 3
_FAMILY = re.compile(
    r"(?:gpt|llama|qwen|gemini|claude|mistral|mixtral|gemma|phi|deepseek|bert|t5|clip|vit|resnet|yolo|sam|dino|lora|gan|vae|former|net|nn|llm|lm|rl"
    r"|nerf|diff|flow|agent|rag|gcn|gnn|mamba|ssm|moe|cot|po|sgd|adam|slam|bench|eval|qa|vqa|mmlu|coco|voc|imagenet|cifar|mnist|set|corpus|bank|wiki"
    r"|news|kitti|scenes|hub|arena|world|gym|env|sim|craft|test|challenge|task|suite|data|base|\d+k|\d+b)",
    re.I,
)
_BIOMEDICAL = re.compile(
    r"\b(?:patients?|clinical|cells?|proteins?|genes?|diseases?|mice|rats|treatments?|trials?|cohort|tumou?rs?|cancer|mg|symptoms|therapy|serum|plasma"
    r"|mortality|women|children|incidence|receptors?|diagnosis|surgery|risk)\b"
)
_NOUNS = ("data", "model")
_ENUMERATION = re.compile(r"(?:[ivx]+|[1-9a-e])$")


@lru_cache(maxsize=32768)
def form_features(name: str) -> tuple[str, ...]:
    """Features of the name alone.

    >>> "shape=Aa-A" in form_features("Flow-TTRL")
    True
    """
    words = name.split()
    low = name.lower()
    out = [f"shape={_shape(name)}", f"n={min(len(words), 6)}", f"len={min(len(name), 12) if len(words) == 1 else 'w'}"]
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


@lru_cache(maxsize=32768)
def form_class(name: str) -> str:
    """Coarse class of a form: lower-case word (w) or phrase (p), capitalised word (C), title (T), mixed (X), with name-shaped words (M), else a
    name-shaped word in capitals (U), with digits (D), or in mixed case (S)."""
    words = name.split()
    if name.islower():
        return "w" if len(words) == 1 else "p"
    kinds = [kind_of(w) for w in words]
    if len(words) == 1:
        if kinds[0] in (CAPITAL, LETTER):
            return "C"
        return "U" if name.isupper() and name.isalpha() else "S" if not any(map(str.isdigit, name)) else "D"
    if SHAPE in kinds:
        return "M"
    return "T" if all(k != LOWER or len(w) < 5 for k, w in zip(kinds, words, strict=True)) else "X"


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
        self.ended = {e: f for f, e in self.named.items()}
        self.lower = {t.word for t in tokens if t.kind == LOWER}
        self.domain = min(len(_BIOMEDICAL.findall(candidates.text)), 6) // 2
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
        mentions = sorted(group.mentions)
        start, stop = self.c.span(mentions[0])
        name = group.pair.short if group.pair else text[start:stop]
        form = form_class(name) + ("+" if group.pair else "")
        kind = type_of_phrase(name) if " " in name else type_of_word(name)
        out = ["bias", *form_features(name), f"type={kind}", f"src={group.source}", f"f={form}", f"f={form}|type={kind}"]
        if group.pair:
            out += self._of_pair(group)
        seen: dict[str, None] = {}
        for order, mention in enumerate(mentions[:_MAX_MENTIONS]):
            seen.update(dict.fromkeys(self._of_mention(mention, form)))
            if order == 0:
                seen.update(dict.fromkeys(self._first(mention, form)))
        out += seen
        count = min(text.count(name), 5)
        sentence = min(bisect_left(self.stops, mentions[0][0]), 9)
        out += [f"count={count}", f"f={form}|count={count}", f"sent={sentence}", f"bio={self.domain}", f"f={form}|bio={self.domain}"]
        if form in ("C", "T") and name.lower() in self.lower:
            out.append("lower")
        for other in self.christened:
            if name != other and (name.startswith(other) or other.startswith(name)) and len(name) > 1:
                out.append("extends" if len(name) > len(other) else "extended")
                break
        return out

    def _of_pair(self, group: Group) -> list[str]:
        pair = group.pair
        assert pair is not None
        words = re.split(r"[\s-]+", pair.long)
        head = fold(words[-1])
        first = pair.long_span < pair.short_span
        case = _case(words)
        title = "A" if "a" not in case else "a" if "A" not in case else "x"
        out = ["pair", f"pairfirst={first}", f"longtype={type_of_phrase(pair.long)}", f"longhead={head}", f"longcase={title}{first}"]
        out += [f"longword={fold(w)}" for w in words[:7]]
        out.append(f"longcase={title}|bio={self.domain}")
        return out

    def _sentence(self, first: int) -> tuple[int, int]:
        """Tokens before and after the sentence of token `first`."""
        at = bisect_left(self.stops, first)
        low = self.stops[at - 1] if at else -1
        return low, self.stops[at] if at < len(self.stops) else len(self.tokens)

    def _first(self, mention: tuple[int, int, int], form: str) -> Iterator[str]:
        """Place of the first mention: its sentence's verbs."""
        first = mention[0]
        low, high = self._sentence(first)
        kinds = {self.tokens[i].cue for i in self.cues[bisect_right(self.cues, low) : bisect_left(self.cues, high)]}
        for kind in sorted(kinds):
            yield f"s={kind}"
        for verb in ("propose", "develop", "release", "call"):
            if verb in kinds:
                for noun in _NOUNS:
                    if noun in kinds:
                        yield f"s={verb}+{noun}"
        begins = first - low <= 1
        yield f"start={begins}"
        yield f"f={form}|start={begins}"

    def _of_mention(self, mention: tuple[int, int, int], form: str) -> Iterator[str]:
        tokens, n = self.tokens, len(self.tokens)
        first, end, cut = mention
        left = tokens[first - 1].lower if first else "^"
        left2 = tokens[first - 2].lower if first > 1 else "^"
        right = _word(tokens[end]) if end < n else "$"
        right2 = _word(tokens[end + 1]) if end + 1 < n else "$"
        yield f"l={left}"
        yield f"ll={left2} {left}"
        yield f"f={form}|l={left}"
        yield f"r={right}"
        yield f"rr={right} {right2}"
        yield f"f={form}|r={right}"
        if cut:
            yield f"cut={tokens[end - 1].word[-cut:]}"
        if left in (")", ".") and _ENUMERATION.match(left2):
            yield f"f={form}|enumerated"
        yield from self._apposition(first, end, right, right2)
        yield from self._cues_near(first, end, form)
        yield from self._list(first, end)

    def _apposition(self, first: int, end: int, right: str, right2: str) -> Iterator[str]:
        """What the text says that the name is: `X, a large corpus of`, `X is a`, `a framework called X`."""
        tokens = self.tokens
        if right in (",", ":", "(", "is", "#", "are", "as") and right2 in ("a", "an", "the", "our", "one"):
            head = ""
            for i in range(end + 2, min(end + 22, len(tokens))):
                token = tokens[i]
                if token.lower in _NP_END or (token.kind == PUNCTUATION and token.word in ".;:)(" ) or (token.word == "," and head):
                    break
                if token.cue in _NOUNS:
                    head = token.lower
                elif token.kind == LOWER and token.cue == "":
                    head = head or ""
            last = tokens[i - 1].lower
            yield f"is={last}"
            if head:
                yield f"iscue={head}"
                yield f"iskind={next(t.cue for t in reversed(tokens[end + 2 : i + 1]) if t.cue in _NOUNS)}"
        k = first - 1
        while k > 0 and tokens[k].lower in _CALLED:
            k -= 1
        if 0 < k < first - 1:
            yield f"was={tokens[k].lower}"
            if tokens[k].cue:
                yield f"waskind={tokens[k].cue}"

    def _cues_near(self, first: int, end: int, form: str) -> Iterator[str]:
        tokens = self.tokens
        k = bisect_left(self.cues, first) - 1
        low, high = self._sentence(first)
        seen: set[str] = set()
        while k >= 0 and self.cues[k] > low and first - self.cues[k] < 16:
            i = self.cues[k]
            cue = tokens[i].cue
            if cue not in seen:
                distance = first - i
                near = 1 if distance == 1 else 2 if distance < 4 else 3 if distance < 8 else 4
                yield f"cl={cue}{near}"
                if not seen:
                    yield f"cw={tokens[i].lower}"
                    yield f"f={form}|cl={cue}{near}"
                seen.add(cue)
            k -= 1
        k = bisect_left(self.cues, end)
        if k < len(self.cues) and self.cues[k] - end < 6 and self.cues[k] < high:
            cue = tokens[self.cues[k]].cue
            yield f"cr={cue}{min(self.cues[k] - end, 3)}"
            yield f"crw={tokens[self.cues[k]].lower}"

    def _list(self, first: int, end: int) -> Iterator[str]:
        """The words before and after the list `X, Y and Z` in which the name stands, and what the lexicon says of its members."""
        tokens, n = self.tokens, len(self.tokens)
        a, b, members = first, end, []
        while len(members) < 9 and a > 1:
            k = a - 1
            while k > 0 and tokens[k].lower in _JOINTS:
                k -= 1
            if k == a - 1 or k + 1 not in self.ended:
                break
            a = self.ended[k + 1]
            members.append(tokens[a])
        while len(members) < 9 and b + 1 < n:
            k = b
            while k < n - 1 and tokens[k].lower in _JOINTS:
                k += 1
            if k == b or k not in self.named:
                break
            b = self.named[k]
            members.append(tokens[k])
        if members:
            yield f"list={min(len(members), 3)}"
            yield f"lh={tokens[a - 1].lower if a else '^'}"
            yield f"lt={_word(tokens[b]) if b < n else '$'}"
            for kind in sorted({m.type for m in members} - {""}):
                yield f"with={kind}"
            if any(m.kind == SHAPE for m in members):
                yield "withshape"


_NP_END = frozenset(
    ["that", "which", "for", "to", "of", "in", "on", "with", "by", "designed", "based", "where", "who", "whose", "using", "via", "containing", "consisting",
     "comprising", "from", "capable", "tailored", "aimed", "covering", "built", "and", "is", "are", "as", "at"]
)
_CALLED = frozenset(["called", "named", "termed", "dubbed", ",", "namely", "coined", "denoted", "as", "(", ":", "—", "–", "-", "“", '"', "i.e", "the", "christened"])
_JOINTS = frozenset([",", "and", "or", "&", "/", "the", ";"])


def _word(token: Token) -> str:
    if token.kind == NUMBER:
        return "0"
    if token.kind in (CAPITAL, SHAPE):
        return "A"
    return token.lower if token.kind != PUNCTUATION or token.word in ",.:;()" else "#"
