"""Features of the decisions about quantities: is it a result, of which measure, on which data set.

Features are short strings; a model is a weight per string (`results_model.py`). Training reads them from here too, so
that training and use cannot differ.
"""

from __future__ import annotations

import re

from pipeline.enrich.measures import word_set
from pipeline.enrich.quantities import Quantity
from pipeline.enrich.results_context import Candidate, Place, Sentence
from pipeline.enrich.results_words import pattern
from pipeline.model import Span


def _near(distance: int) -> str:
    if distance <= 3:
        return str(distance)
    return "5" if distance <= 5 else "8" if distance <= 8 else "14" if distance <= 14 else "far"


def quantity_features(s: Sentence, q: Quantity, place: float) -> list[str]:
    """Is this quantity a result? Its own form, the words beside it, measures near it."""
    left, right = s.before(q.start), s.before(q.end)
    p1 = s.lows[left - 1] if left else "^"
    n1 = s.lows[right] if right < len(s.lows) else "$"
    gap_l = s.text[q.start - 1 : q.start] if q.start else "^"
    form, scale = _form(q), q.scale
    fine = scale if scale != "none" else f"none/{form}"
    before, after = pattern(s.classes[max(0, left - 3) : left]), pattern(s.classes[right : right + 3])
    out = [
        "bias", f"scale={fine}", f"form={scale}/{q.shape}", f"unit={q.unit}", f"num={form}/{scale}", f"p1={p1}", f"n1={n1}",
        f"p1={p1}/{fine}", f"n1={n1}/{fine}", f"cl={gap_l}/{scale}", f"cr={s.text[q.end : q.end + 1]}/{scale}",
        f"place={int(place * 4)}", f"bef={before}", f"aft={after}", f"bef={before}/{fine}", f"aft={after}/{fine}",
        f"bef={before}/{scale}", f"aft={after}/{scale}",
    ]  # fmt: skip
    if q.signed:
        out.append("signed")
    if _FOLLOWED.match(s.text, q.end):
        out += ["tested", f"tested/{fine}"]
    equation = _EQUATION.search(s.text, max(s.span[0], q.start - 16), q.start) if _equates(s, q, p1) else None
    if equation is not None:
        symbol = equation[1] or equation[2]
        out += [f"eq={symbol}", f"eq/{fine}", f"eq={'stat' if symbol in _STATISTICS else 'other'}/{fine}"]
    if scale == "physical":
        sort = _sort(q.unit or "")
        out += [f"sort={sort}", f"sort={sort}/bef={before}", f"sort={sort}/aft={after}", f"sort={sort}/p1={p1}"]
    return out + _measure_nearby(s, q, fine)


_EQUATION = re.compile(r"([A-Za-zα-ωχΔΑ-Ω²][\w^{}²'’]{0,7})\]?\)?\s?[=:≈~<>≥≤]\s?$|\b(OR|HR|RR|β|r|ρ|κ)\s$")
# A statistic is followed by its p value or interval.
_FOLLOWED = re.compile(r"\s?[,;(\[]+\s?(?:[pP]\s?[<=>≤≈]|[0-9]{2}\s?%?\s?(?:CI|CrI|confidence|\[)|CI\b|SD\b|IQR\b|range)")
_EQUATERS = frozenset("=:≈~<>≥≤")
_SYMBOLS = word_set(
    "or hr rr β r ρ κ"
)


def _equates(s: Sentence, q: Quantity, word: str) -> bool:
    """A cheap look whether the number can follow an equals sign or the symbol of a statistic."""
    return not _EQUATERS.isdisjoint(s.text[max(0, q.start - 3) : q.start]) or word in _SYMBOLS


_STATISTICS = word_set(
    "r rho ρ g d β OR HR RR AUC AUROC κ kappa R^2 R2 r^2 η2 α F1 f1 accuracy SMD MD ICC τ tau aOR aHR IRR V Acc WER BLEU FID mAP"
)
_TIME = re.compile(r"(?:ms|milli\w+|[µμu]s|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?)$")


def _sort(unit: str) -> str:
    """The sort of a physical unit: long and short times, rates, memory, others."""
    if _TIME.match(unit):
        return "long" if unit[:2] in ("da", "we", "mo", "ye") else "time"
    if "/" in unit or " per " in unit or unit in ("FPS", "fps"):
        return "rate"
    return "memory" if unit[-1:] == "B" and len(unit) <= 3 else "other"


def _form(q: Quantity) -> str:
    if q.value_max is not None:
        return "range"
    if not q.value.is_integer() or "." in q.surface:
        return "decimal" if q.value >= 1 else "decimal01"
    if 1900 <= q.value <= 2100 and q.scale == "none" and "," not in q.surface:
        return "year"
    for limit in (1, 10, 100, 1000):
        if q.value <= limit:
            return f"int{limit}"
    return "big"


def _measure_nearby(s: Sentence, q: Quantity, scale: str) -> list[str]:
    out = []
    best_left = best_right = 99
    for m in s.measures:
        if m.kind == "H" and not m.modifiers:
            distance = s.before(q.start) - s.before(m.end) if m.end <= q.start else s.before(m.start) - s.before(q.end)
            if distance <= 6:
                out.append(f"h0={_near(max(distance, 0))}/{m.end <= q.start}/{scale}")
            continue
        if m.end <= q.start:
            best_left = min(best_left, s.before(q.start) - s.before(m.end))
        elif m.start >= q.end:
            best_right = min(best_right, s.before(m.start) - s.before(q.end))
    if best_left < 99:
        out += [f"mL={_near(best_left)}", f"mL={_near(best_left)}/{scale}"]
    if best_right < 99:
        out += [f"mR={_near(best_right)}", f"mR={_near(best_right)}/{scale}"]
    if best_left == best_right == 99:
        out.append(f"nomeasure/{scale}")
    elif min(best_left, best_right) <= 3:
        out.append(f"close/{scale}")
    return out


def _between(s: Sentence, edges: tuple[Span, Span], span: Span) -> tuple[str, str, list[str], int]:
    """Side of a span seen from the quantity, the marks and the words between, the number of quantities between.

    `edges` are the series and the list of the quantity: what stands left belongs to the whole series, what stands right
    to the whole list.
    """
    (first, _), (_, last) = edges
    side = "R" if span[0] >= last else "L"
    low, high = (last, span[0]) if side == "R" else (span[1], first)
    words = s.classes[s.before(low) : s.before(max(low, high))]
    marks = "".join(ch for ch in s.text[low:high] if ch in ",;:()=")[:3]
    return side, marks, words, sum(low <= o.start < high for o in s.quantities)


def measure_features(s: Sentence, q: Quantity, c: Candidate, sources: str, edge: Span) -> list[str]:
    """Is the quantity a value of this measure? Side, distance, the words between, other quantities between; `edge` is the
    list of measures that the candidate stands in."""
    out = [f"k={c.kind}", f"src={sources}", f"k={c.kind}/src={sources}", *word_features(c.name, c.kind), *_fit(q, c)]
    if c.sentence != s.index:
        return [*out, f"prev={min(s.index - c.sentence, 3)}", f"prev/k={c.kind}"]
    if c.start < q.end and q.start < c.end:
        return [*out, "inside"]
    i = s.numbers[q.start]
    (low, high), series = s.lists[i], s.series[i]
    if series[0] <= c.start < q.start or q.end <= c.start < high:
        edges: tuple[Span, Span] = ((q.start, q.end), (q.start, q.end))
        out.append("amid")
    else:
        mixed = high > q.end and any(low < m.start < high for m in s.measures)
        edges = (series, (q.start, q.end) if mixed else (low, high))
    side, marks, words, crossed = _between(s, edges, edge)
    way = pattern(words)
    low, high = (q.end, c.start) if side == "R" else (c.end, q.start)
    closer = sum([low <= a and b <= high for a, b in s.strong])
    k = "M" if c.kind in ("S", "D", "H", "C") else c.kind
    has = _TELLING.intersection(words)
    return [
        *out, *[f"{side}{n}={v}/{x}" for n, v in _owned(s, edge, side, len(words)) for x in (k, "")], *[f"{side}has={w}/{k}" for w in sorted(has)], f"{side}has={'+'.join(sorted(has & _VERBS))}", f"{side}d={_near(len(words))}/{k}", f"{side}way={way}", f"{side}way={way}/{k}", f"{side}marks={marks}",
        f"{side}x={min(crossed, 2)}/{k}", f"{side}closer={min(closer, 2)}",
    ]  # fmt: skip


def _owned(s: Sentence, span: Span, side: str, apart: int) -> list[tuple[str, str]]:
    """Whether another quantity stands on the far side of a name, how far, and whether nearer than `apart`: `0.5% higher
    accuracy and 2.3×`."""
    best = 99
    for o in s.quantities:
        if side == "L" and o.end <= span[0]:
            best = min(best, s.before(span[0]) - s.before(o.end))
        elif side == "R" and o.start >= span[1]:
            best = min(best, s.before(o.start) - s.before(span[1]))
    nearer = "no" if best == 99 else "nearer" if best < apart else "equal" if best == apart else "farther"
    return [("owned", _near(best)), ("owned", nearer)]


_TIMES = word_set("time latency duration period delay runtime overhead lag speed throughput rate hours")
_COSTS = word_set("cost costs memory parameters parameter size flops energy consumption usage compute computation complexity storage budget")


def _fit(q: Quantity, c: Candidate) -> list[str]:
    """Whether the unit is one of the measure: seconds are no accuracy."""
    last = c.name.rsplit(" ", 1)[-1].casefold()
    unit = _sort(q.unit or "") if q.scale == "physical" else q.scale
    sort = "time" if last in _TIMES else "cost" if last in _COSTS else "score" if c.kind in "SD" else c.kind
    return [f"unit={unit}/{sort}", f"unit={unit}/last={last}"]


# Classes of words that part a number from a measure, or tie them.
_VERBS = frozenset({"ACH", "IMP", "RED", "OUT", "KEEP", "USE", "BE"})
_TELLING = _VERBS | {"CHG", "CMP", "REL", "and", "while", "with", "than", "by", "of", "in", "on", "for", "from", "to", "at", "M", "but", "when", "over"}


def word_features(name: str, kind: str) -> list[str]:
    """What the last word of a name, its ending and its shape tell, also of words that no lexicon holds."""
    last = name.rsplit(" ", 1)[-1]
    shape = "A" if last.isupper() else "a" if last.islower() else "Aa"
    low = last.casefold()
    return [f"last={low}", f"last={low}/{kind}", f"end={low[-3:]}/{kind}", f"shape={shape}/{min(name.count(' '), 3)}/{kind}"]


def no_measure_features(s: Sentence, q: Quantity) -> list[str]:
    """The quantity has no named measure."""
    return ["null", f"null/{q.scale}", f"null/own={bool(s.strong)}"]


def dataset_features(s: Sentence, q: Quantity, p: Place, edge: Span, mixed: bool = False) -> list[str]:
    """Is the quantity measured on this data set? Side, distance, preposition, other quantities and names between; `mixed`:
    data sets stand between the quantities of the list, so that each has its own."""
    out = [f"role={p.proposed}", f"order={min(p.order, 3)}"]
    if p.sentence != s.index:
        back = min(s.index - p.sentence, 4)
        return [*out, f"prev={back}", f"prev/role={p.proposed}/{back}"]
    i = s.numbers[q.start]
    span = (q.start, q.end) if mixed else s.lists[i]
    side, marks, words, crossed = _between(s, (span, span), edge)
    j = s.before(edge[0])
    word = s.lows[j - 1] if j else "^"
    x = min(crossed, 2)
    way = pattern(words, 2)
    tight = x == 0 and ((side == "L" and way in _LEFT_WAYS and marks in ("", "(", ":")) or (side == "R" and way in _TIGHT_WAYS and marks in ("", "(")))
    return [
        *out, *[f"{side}{n}={v}/{x}" for n, v in _owned(s, p.span, side, len(words)) for x in (bool(p.source), tight)], side, f"{side}d={_near(len(words))}", f"{side}x={x}", f"{side}way={way}", f"{side}marks={marks}", f"{side}tight={tight}",
        f"{side}w={word}/x={x}", f"{side}d={_near(len(words))}/x={x}", f"{side}m={marks[:1]}/x={x}", f"{side}way={way}/m={marks}",
        f"semi={';' in marks}",
    ]  # fmt: skip


_LEFT_WAYS = frozenset({"", "from", "to", "BE", "by"})
_TIGHT_WAYS = frozenset({"", "on", "for", "in", "at", "w on", "w for", "CHG on", "w in", "CHG for", "of", "over"})
