"""What the model looks at in a candidate: its shape, its parts, the lexicon, the words around its mentions, and its place.

A feature is a short string such as `r=benchmark` (the word after the name). `docs/names.md` lists the groups.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache, lru_cache

from pipeline.enrich.lexicon import class_of_noun, fold, type_of_phrase, type_of_word
from pipeline.enrich.names_candidates import Candidates, Group
from pipeline.enrich.names_tokens import CAPITAL, CHRISTENING, LETTER, LOWER, PUNCTUATION, SHAPE, Token, kind_of

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_MAX_MENTIONS = 3
_FAMILY = re.compile(
    r"(?:gpt|llama|qwen|gemini|claude|mistral|mixtral|gemma|phi|deepseek|bert|t5|clip|vit|resnet|yolo|sam|dino|lora|gan|vae|former|net|nn|llm|lm|rl"
    r"|nerf|diff|flow|agent|rag|gcn|gnn|mamba|ssm|moe|cot|po|sgd|adam|slam|bench|eval|qa|vqa|mmlu|coco|voc|imagenet|cifar|mnist|set|corpus|bank|wiki"
    r"|news|kitti|scenes|hub|arena|world|gym|env|sim|craft|test|challenge|task|suite|data|base|\d+k|\d+b)",
    re.I,
)
_NOUNS = ("data", "model")
_BASE = re.compile(r"([A-Za-z]+)(?:[-.]?[A-Za-z]+)*")
_ENUMERATION = re.compile(r"(?:[ivx]+|[1-9a-e])$")


@lru_cache(maxsize=32768)
def form_features(name: str) -> tuple[str, ...]:
    """Features of the name alone.

    >>> "shape=Aa-AA" in form_features("Flow-TTRL")
    True
    """
    words = name.split()
    low = name.lower()
    head = re.split(r"[-\s]", low)[-1]
    out = [f"shape={_shape(name)}", f"head={fold(head)}", f"tail3={low[-3:]}", f"tail4={low[-4:]}", f"start3={low[:3]}"]
    noun = class_of_noun(head)
    if noun:
        out.append(f"headclass={noun}")
    base = _BASE.match(name)
    if base and base.end() < len(name):
        out.append(f"base={type_of_word(base.group())}{type_of_word(base.group(1))}")
    if len(words) > 1:
        out += [f"first={fold(words[0])}", f"firsttype={type_of_word(words[0])}", f"lasttype={type_of_word(words[-1])}", f"case={_case(words)}"]
    else:
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
        tokens, last = self.tokens, len(self.tokens) - 1
        marked = [(i, tokens[i]) for i in candidates.marked]
        self.cues = [i for i, token in marked if token.cue]
        self.stops = [i for i, token in marked if token.stop and i < last and tokens[i + 1].kind != LOWER]
        self.named = {first: end for g in candidates.groups.values() for first, end, _ in g.mentions}
        self.ended = {end: first for first, end in self.named.items()}
        self.closed, self.opened = self._brackets()
        self.domain = min(sum(token.medical for _, token in marked), 6) // 2
        self.christened = self._christened_forms()
        self.nearest = ""
        self.verbs: dict[int, list[str]] = {}

    def _brackets(self) -> tuple[dict[int, int], dict[int, int]]:
        """Of each short bracket: by its opening token the one after its closing one, by its closing token its opening one."""
        closed: dict[int, int] = {}
        opened: dict[int, int] = {}
        for i, token in enumerate(self.tokens):
            if token.word == "(":
                end = next((k for k in range(i + 1, min(i + 8, len(self.tokens))) if self.tokens[k].word == ")"), 0)
                if end:
                    closed[i], opened[end] = end + 1, i
        return closed, opened

    def _modifiers(self, at: int) -> str:
        """Article and newness of the noun phrase that ends at token `at`: `a+new`, `our`, `the`, `0`."""
        new = ""
        for k in range(at - 1, max(-1, at - 7), -1):
            low = self.tokens[k].lower
            if low in _NEW:
                new = "+new"
            elif low in _DETERMINERS:
                return _DETERMINERS[low] + new
            elif low in _NP_END or self.tokens[k].kind == PUNCTUATION:
                break
        return f"0{new}"

    def _christened_forms(self) -> list[str]:
        """Names right after a verb of proposing or christening: others may extend them."""
        out, tokens = [], self.tokens
        for i in self.cues:
            if tokens[i].cue in ("propose", "call"):
                k = i + 1
                while k < min(len(tokens), i + 4) and (tokens[k].lower in _ARTICLES or tokens[k].word in "“\"'‘"):
                    k += 1
                if k < len(tokens) and tokens[k].name and tokens[k].kind in (SHAPE, CAPITAL) and len(tokens[k].word) > 2:
                    out.append(tokens[k].word)
        return out

    def of_group(self, group: Group) -> list[str]:
        """Features of a group: of its forms, of its mentions together, of its place in the text."""
        text = self.c.text
        mentions = sorted(group.mentions)
        start, stop = self.c.span(mentions[0])
        name = group.pair.short if group.pair else text[start:stop]
        form = form_class(name) + ("+" if group.pair else "")
        kind = type_of_phrase(name) if " " in name else type_of_word(name)
        count = min(text.count(name), 5)
        sentence = min(bisect_left(self.stops, mentions[0][0]), 9)
        f = f"f={form}|"
        out = [
            "bias", *form_features(name), f"type={kind}", f"src={group.source}", f, f"{f}type={kind}", f"{f}count={count}",
            f"sent={sentence}", f"{f}bio={self.domain}",
        ]  # fmt: skip
        if group.pair:
            out += self._of_pair(group)
        found = self._first(mentions[0], f) + self._of_mention(mentions[0], f)
        for mention in mentions[1:_MAX_MENTIONS]:
            found += self._of_mention(mention, f)
        out += found
        if form == "C" and f" {name.lower()} " in text:
            out.append("lower")
        for other in self.christened:
            if name != other and (name.startswith(other) or other.startswith(name)) and len(name) > 1:
                out.append("extends" if len(name) > len(other) else "extended")
                break
        return list(dict.fromkeys(out))

    def _of_pair(self, group: Group) -> list[str]:
        pair = group.pair
        assert pair is not None
        words = [word for word in re.split(r"[\s-]+", pair.long) if word] or [pair.long]
        head = fold(words[-1])
        first = pair.long_span < pair.short_span
        case = _case(words)
        title = "A" if "a" not in case else "a" if "A" not in case else "x"
        out = ["pair", f"pairfirst={first}", f"longtype={type_of_phrase(pair.long)}", f"longhead={head}", f"longcase={title}{first}"]
        noun = class_of_noun(words[-1])
        out += [f"longcase={title}|bio={self.domain}", f"longclass={noun}", f"longclass={noun}|{title}{first}"]
        inner = {class_of_noun(word) for word in words[:-1]} & _TELLING
        out += [f"longhas={kind}" for kind in sorted(inner)]
        return out

    def _sentence(self, first: int) -> tuple[int, int]:
        """Tokens before and after the sentence of token `first`."""
        at = bisect_left(self.stops, first)
        low = self.stops[at - 1] if at else -1
        return low, self.stops[at] if at < len(self.stops) else len(self.tokens)

    def _first(self, mention: tuple[int, int, int], f: str) -> list[str]:
        """Place of the first mention: its sentence's verbs."""
        first = mention[0]
        low, high = self._sentence(first)
        verbs = self.verbs.get(low)
        if verbs is None:
            kinds = {self.tokens[i].cue for i in self.cues[bisect_right(self.cues, low) : bisect_left(self.cues, high)]}
            verbs = [f"s={kind}" for kind in sorted(kinds)]
            verbs += [f"s={verb}+{noun}" for verb in sorted(kinds & CHRISTENING) for noun in _NOUNS if noun in kinds]
            verbs += sorted({f"sw={who}" for token in self.tokens[low + 1 : high] if (who := _SPEAKERS.get(token.lower))})
            self.verbs[low] = verbs
        begins = first - low <= 1
        return [*verbs, f"start={begins}", f"{f}start={begins}"]

    def _of_mention(self, mention: tuple[int, int, int], f: str) -> list[str]:
        tokens, n = self.tokens, len(self.tokens)
        first, end, cut = mention
        left = tokens[first - 1] if first else _edge()
        left2 = tokens[first - 2] if first > 1 else _edge()
        right = tokens[end] if end < n else _edge()
        right2 = tokens[end + 1] if end + 1 < n else _edge()
        out = [
            left.left, f"ll={left2.lower} {left.lower}", f + left.left, right.right, f"rr={right.seen} {right2.seen}", f + right.right,
        ]  # fmt: skip
        if cut:
            out.append(f"cut={tokens[end - 1].word[-cut:]}")
        out.append(f"np={self._modifiers(first)}")
        if right.kind == LOWER and tokens[end - 1].spaced:
            noun = right if right2.kind != LOWER or right2.lower in _NP_END or not right.spaced else right2
            found = class_of_noun(noun.lower)
            if found:
                out += [f"modifies={found}", f"{f}modifies={found}"]
        if left.word in (")", ".") and _ENUMERATION.match(left2.lower):
            out.append(f"{f}enumerated")
        said = self._apposition(end, out)
        if left.lower in _CALLED:
            self._called(first, out)
        self._cues_near(first, end, f, out)
        if said:
            out.append(f"{said}|{self.nearest}")
        if left.lower in _JOINTS or right.lower in _JOINTS or left.word == "(" or right.word == "(":
            self._list(first, end, out)
        return out

    def _apposition(self, end: int, out: list[str]) -> str:
        """What the text says that the name is: `X, a large corpus of`, `X is a`, `X (Long Form), the first platform`."""
        tokens, n = self.tokens, len(self.tokens)
        k = end
        if k < n and tokens[k].word == "(":
            k = next((i + 1 for i in range(k + 1, min(k + 25, n)) if tokens[i].word == ")"), k)
        elif k < n and tokens[k].word == ")":
            k += 1
            if k < n:
                out.append(f"after{tokens[k].right}")
        if k + 1 >= n or tokens[k].word not in _IS or tokens[k + 1].lower not in _ARTICLES:
            return ""
        head, last = None, ""
        for token in tokens[k + 2 : k + 22]:
            if token.lower in _NP_END or (token.kind == PUNCTUATION and token.word in ".;:)(") or (token.word == "," and head):
                break
            last = token.lower
            if token.cue in _NOUNS:
                head = token
        out.append(f"is={last}")
        found = class_of_noun(last)
        if found:
            out.append(f"isclass={found}")
        if head is None:
            return ""
        out += [f"iscue={head.lower}", f"iskind={head.cue}"]
        return f"iskind={head.cue}"

    def _called(self, first: int, out: list[str]) -> None:
        """What was named: `a framework called X`, `a corpus, X`."""
        tokens = self.tokens
        k = first - 1
        while k > max(0, first - 7) and tokens[k].lower in _CALLED:
            k -= 1
        if 0 < k < first - 1:
            out += [f"was={tokens[k].lower}", f"wasnp={self._modifiers(k)}"]
            if tokens[k].cue:
                out.append(f"waskind={tokens[k].cue}")

    def _cues_near(self, first: int, end: int, f: str, out: list[str]) -> None:
        """Cues before the name in its sentence, the nearest of each kind, and the next one after it."""
        tokens, cues = self.tokens, self.cues
        k = bisect_left(cues, first) - 1
        self.nearest = ""
        low, high = self._sentence(first)
        low = max(low, first - 16)
        seen: list[str] = []
        while k >= 0 and cues[k] > low:
            token = tokens[cues[k]]
            if token.cue not in seen:
                distance = first - cues[k]
                near = f"cl={token.cue}{1 if distance == 1 else 2 if distance < 4 else 3 if distance < 8 else 4}"
                out.append(near)
                if not seen:
                    out += [f"cw={token.lower}", f + near, f"{near}|{self._agent(cues[k], low)}"]
                    self.nearest = near
                seen.append(token.cue)
            k -= 1
        k = bisect_left(cues, end)
        if k < len(cues) and cues[k] < min(end + 6, high):
            token = tokens[cues[k]]
            out += [f"cr={token.cue}{min(cues[k] - end, 3)}", f"crw={token.lower}"]

    def _agent(self, at: int, low: int) -> str:
        """Who does what the cue at token `at` says: the nearest of we, the paper, a relative clause."""
        for k in range(at - 1, max(low, at - 8), -1):
            who = _AGENTS.get(self.tokens[k].lower)
            if who:
                return who
        return ""

    def _list(self, first: int, end: int, out: list[str]) -> None:
        """The words before and after the list `X, Y and Z` in which the name stands, and what the lexicon says of its members."""
        tokens, n = self.tokens, len(self.tokens)
        a, b = first, self.closed.get(end, end)
        if a > 1 and tokens[a - 1].word == "(" and a - 1 in self.ended:
            a = self.ended[a - 1]
            b = end + 1
        members: list[Token] = []
        while len(members) < 9 and a > 1:
            k = a - 1
            while k > max(0, a - 5) and tokens[k].lower in _JOINTS:
                k -= 1
            end = self.opened.get(k, k + 1)
            if k == a - 1 or end not in self.ended:
                break
            a = self.ended[end]
            members.append(tokens[a])
        while len(members) < 9 and b + 1 < n:
            k = b
            while k < min(n - 1, b + 4) and tokens[k].lower in _JOINTS:
                k += 1
            if k == b or k not in self.named:
                break
            members.append(tokens[k])
            b = self.named[k]
            b = self.closed.get(b, b)
        if members:
            out += [f"list={min(len(members), 3)}", f"lh={tokens[a - 1].lower if a else '^'}", f"lt={tokens[b].seen if b < n else '$'}"]
            out += [f"with={kind}" for kind in sorted({m.type for m in members} - {""})]
            if any(m.kind == SHAPE for m in members):
                out.append("withshape")
            if a < first:
                self._before_list(a, out)

    def _before_list(self, a: int, out: list[str]) -> None:
        """What stands before the list: its noun phrase and the nearest cue."""
        k = bisect_left(self.cues, a) - 1
        if k >= 0 and self.cues[k] > max(self._sentence(a)[0], a - 10):
            token = self.tokens[self.cues[k]]
            out += [f"listcue={token.cue}", f"listcue={token.lower}"]
            if token.cue in _NOUNS:
                out.append(f"listnp={self._modifiers(self.cues[k])}")


_NP_END = frozenset(
    ["that", "which", "for", "to", "of", "in", "on", "with", "by", "designed", "based", "where", "who", "whose", "using", "via", "containing", "consisting",
     "comprising", "from", "capable", "tailored", "aimed", "covering", "built", "and", "is", "are", "as", "at"]
)
_TELLING = frozenset(["data", "net", "model", "algorithm", "disease", "substance", "task", "group", "instrument"])
_NEW = frozenset(["new", "novel", "proposed", "first", "own", "introduced", "presented", "newly", "developed", "resulting", "called", "named", "designed"])
_DETERMINERS = {"a": "a", "an": "a", "the": "the", "our": "our", "this": "this", "these": "this", "two": "n", "three": "n", "four": "n", "several": "n",
                "five": "n", "six": "n", "its": "its", "their": "its", "both": "n", "many": "n", "various": "n", "existing": "old", "previous": "old",
                "other": "old", "recent": "old", "standard": "old", "such": "old", "popular": "old", "traditional": "old", "each": "the"}
_AGENTS = {"we": "we", "our": "we", "paper": "paper", "work": "paper", "article": "paper", "study": "paper", "here": "paper", "authors": "paper",
           "that": "that", "which": "that", "it": "that", "to": "to", "by": "by", "recently": "old", "previously": "old", "they": "old"}
_SPEAKERS = {"we": "we", "our": "we", "paper": "paper", "work": "paper", "article": "paper", "dataset": "set", "benchmark": "set", "corpus": "set",
             "however": "but", "proposed": "new", "novel": "new", "new": "new", "existing": "old", "recent": "old", "recently": "old"}
_CALLED = frozenset(["called", "named", "termed", "dubbed", ",", "namely", "coined", "denoted", "as", "(", ":", "—", "–", "-", "“", '"', "i.e", "the", "christened"])
_JOINTS = frozenset([",", "and", "or", "&", "/", "the", ";"])
_ARTICLES = frozenset(["a", "an", "the", "our", "one"])
_IS = frozenset([",", ":", "(", "is", "are", "as", "—", "–", "-"])


@cache
def _edge() -> Token:
    """What stands before the first and after the last token; made on first use, because a token looks into the lexicon."""
    return Token("", 0, True)
