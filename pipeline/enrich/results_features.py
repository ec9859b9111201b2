"""Features of the decisions about quantities: is it a result, of which measure, on which data set.

Features are short strings; a model is a weight per string (`results_model.py`). Training reads them from here too, so
that training and use cannot differ.
"""

from __future__ import annotations

import re

from pipeline.enrich.measures import Measure
from pipeline.enrich.quantities import Quantity
from pipeline.enrich.results_context import Candidate, Place, Sentence, spread
from pipeline.enrich.results_words import class_of, pattern
from pipeline.model import Span


def _near(distance: int) -> str:
    if distance <= 3:
        return str(distance)
    return "5" if distance <= 5 else "8" if distance <= 8 else "14" if distance <= 14 else "far"


def quantity_features(s: Sentence, q: Quantity, place: float) -> list[str]:
    """Is this quantity a result? Its own form, the words around it, measures near it, cues of the sentence."""
    left, right = s.before(q.start), s.after(q.end)
    lows = s.lows
    p1, p2, p3 = (lows[left - k] if left >= k else "^" for k in (1, 2, 3))
    n1, n2, n3 = (lows[right + k] if right + k < len(lows) else "$" for k in (0, 1, 2))
    gap_l = s.text[q.start - 1 : q.start] if q.start else "^"
    gap_r = s.text[q.end : q.end + 1]
    scale = q.scale if q.scale != "none" else f"none/{_form(q)}"
    before, after = pattern(lows[max(0, left - 3) : left]), pattern(lows[right : right + 3])
    out = [
        "bias", f"scale={scale}", f"form={q.scale}/{q.shape}", f"unit={q.unit}", f"num={_form(q)}/{q.scale}",
        f"p1={p1}", f"p2={p2}", f"p12={p2} {p1}", f"n1={n1}", f"n2={n2}", f"n12={n1} {n2}", f"p1={p1}/{scale}",
        f"n1={n1}/{scale}", f"cl={gap_l}/{q.scale}", f"cr={gap_r}/{q.scale}", f"place={int(place * 4)}", f"p3={p3}", f"n3={n3}",
        f"bef={before}", f"aft={after}", f"bef={before}/{scale}", f"aft={after}/{scale}",
        f"bef={before}/{q.scale}", f"aft={after}/{q.scale}",
    ]  # fmt: skip
    window = lows[max(0, left - 8) : left]
    out += [f"L:{w}" for w in window if w != "#"]
    out += [f"Lc:{c}/{scale}" for c in sorted({class_of(w) for w in window})]
    out += [f"R:{w}" for w in lows[right : right + 5] if w != "#"]
    if q.signed:
        out.append("signed")
    if _FOLLOWED.match(s.text, q.end):
        out += ["tested", f"tested/{scale}"]
    equation = _EQUATION.search(s.text, max(s.span[0], q.start - 16), q.start)
    if equation is not None:
        symbol = equation[1]
        out += [f"eq={symbol}", f"eq/{scale}", f"eq={'stat' if symbol in _STATISTICS else 'other'}/{scale}"]
    if q.scale == "physical":
        sort = _sort(q.unit or "")
        out += [f"sort={sort}", f"sort={sort}/bef={before}", f"sort={sort}/aft={after}", f"sort={sort}/p1={p1}"]
        out += [f"sort={sort}/Lc:{c}" for c in sorted({class_of(w) for w in window})]
    out += _measure_nearby(s, q, scale)
    return out


_EQUATION = re.compile(r"([A-Za-zα-ωχΔΑ-Ω²][\w^{}²'’]{0,7})\]?\)?\s?[=:≈~<>≥≤]\s?$|\b(OR|HR|RR|β|r|ρ|κ)\s$")
# A statistic is followed by its p value or interval.
_FOLLOWED = re.compile(r"\s?[,;(\[]+\s?(?:[pP]\s?[<=>≤≈]|[0-9]{2}\s?%?\s?(?:CI|CrI|confidence|\[)|CI\b|SD\b|IQR\b|range)")
_STATISTICS = frozenset(
    "r rho ρ g d β OR HR RR AUC AUROC κ kappa R^2 R2 r^2 η2 α F1 f1 accuracy SMD MD ICC τ tau aOR aHR IRR V Acc WER BLEU FID mAP".split()
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
            distance = s.before(q.start) - s.before(m.end) if m.end <= q.start else s.before(m.start) - s.after(q.end)
            if distance <= 6:
                out.append(f"h0={_near(max(distance, 0))}/{m.end <= q.start}/{scale}")
            continue
        if m.end <= q.start:
            best_left = min(best_left, s.before(q.start) - s.before(m.end))
        elif m.start >= q.end:
            best_right = min(best_right, s.before(m.start) - s.after(q.end))
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
    words = s.lows[s.before(low) : s.before(max(low, high))]
    marks = "".join(ch for ch in s.text[low:high] if ch in ",;:()=")[:3]
    return side, marks, words, sum(low <= o.start < high for o in s.quantities)


def measure_features(s: Sentence, q: Quantity, c: Candidate, sources: str, edge: Span) -> list[str]:
    """Is the quantity a value of this measure? Side, distance, the words between, other quantities between; `edge` is the
    list of measures that the candidate stands in."""
    out = [f"k={c.kind}", f"src={sources}", f"k={c.kind}/src={sources}"]
    if c.sentence != s.index:
        return [*out, f"prev={min(s.index - c.sentence, 3)}", f"prev/k={c.kind}"]
    if c.start < q.end and q.start < c.end:
        return [*out, "inside"]
    i = s.quantities.index(q)
    mixed = any(s.lists[i][0] < m.start < s.lists[i][1] for m in s.measures)
    if s.series[i][0] <= c.start < q.start or q.end <= c.start < s.lists[i][1]:
        edges: tuple[Span, Span] = ((q.start, q.end), (q.start, q.end))
        out.append("amid")
    else:
        edges = (s.series[i], (q.start, q.end) if mixed else s.lists[i])
    side, marks, words, crossed = _between(s, edges, edge)
    way = pattern(words)
    low, high = (q.end, c.start) if side == "R" else (c.end, q.start)
    closer = sum(1 for m in s.measures if low <= m.start and m.end <= high and m.kind in "SD")
    k = "M" if c.kind in ("S", "D", "H") else c.kind
    x = min(crossed, 2)
    return [
        *out, f"{side}d={_near(len(words))}/{k}", f"{side}way={way}", f"{side}way={way}/{k}", f"{side}marks={marks}", f"{side}x={x}/{k}",
        f"{side}closer={min(closer, 2)}", f"{side}/{q.scale}/{k}", f"{side}d={_near(len(words))}/x={x}",
        f"{side}x={x}/m={marks[:1]}", f"{side}way={way}/x={x}",
    ]  # fmt: skip


def no_measure_features(s: Sentence, q: Quantity) -> list[str]:
    """The quantity has no named measure."""
    left, right = s.before(q.start), s.after(q.end)
    classes = sorted({class_of(w) for w in s.lows[max(0, left - 10) : left]})
    before, after = pattern(s.lows[max(0, left - 3) : left]), pattern(s.lows[right : right + 3])
    own = any(m.kind in "SD" for m in s.measures)
    out = ["null", f"null/{q.scale}", f"null/bef={before}", f"null/aft={after}", f"null/own={own}"]
    return out + [f"null/L={c}" for c in classes]


def dataset_features(s: Sentence, q: Quantity, p: Place, edge: Span, mixed: bool = False) -> list[str]:
    """Is the quantity measured on this data set? Side, distance, preposition, other quantities and names between; `mixed`:
    data sets stand between the quantities of the list, so that each has its own."""
    out = [f"role={p.proposed}", f"order={min(p.order, 3)}"]
    if p.sentence != s.index:
        back = min(s.index - p.sentence, 4)
        return [*out, f"prev={back}", f"prev/role={p.proposed}/{back}"]
    i = s.quantities.index(q)
    span = (q.start, q.end) if mixed else s.lists[i]
    side, marks, words, crossed = _between(s, (span, span), edge)
    j = s.before(edge[0])
    word = s.lows[j - 1] if j else "^"
    x = min(crossed, 2)
    way = pattern(words, 2)
    tight = x == 0 and (side == "L" and not words and marks in ("", "(", ":") or side == "R" and way in _TIGHT_WAYS and marks in ("", "("))
    return [
        *out, side, f"{side}d={_near(len(words))}", f"{side}x={x}", f"{side}way={way}", f"{side}marks={marks}", f"{side}tight={tight}",
        f"{side}w={word}/x={x}", f"{side}d={_near(len(words))}/x={x}", f"{side}m={marks[:1]}/x={x}", f"{side}way={way}/m={marks}",
        f"semi={';' in marks}",
    ]  # fmt: skip


_TIGHT_WAYS = frozenset({"", "on", "for", "in", "at", "w on", "w for", "CHG on", "w in", "CHG for", "of", "over"})


def name_features(s: Sentence, m: Measure, place: float, times: int) -> list[str]:
    """Is this a measure that the abstract evaluates by, though no number is tied to it? `place` is where in the abstract it
    stands (0 to 1), `times` how often the abstract names it."""
    i, j = s.before(m.start), s.before(m.end)
    p1, p2 = (s.lows[i - k] if i >= k else "^" for k in (1, 2))
    n1, n2 = (s.lows[j + k] if j + k < len(s.lows) else "$" for k in (0, 1))
    modifiers = min(m.modifiers, 3)
    first = m.name.split(" ", 1)[0].casefold()
    before, after = pattern(s.lows[max(0, i - 3) : i]), pattern(s.lows[j : j + 2])
    out = [
        "bias", f"k={m.kind}", f"k={m.kind}/m={modifiers}", f"h={m.head}", f"h={m.head}/m={bool(modifiers)}", f"p1={p1}",
        f"p2={p2}", f"n1={n1}", f"p12={p2} {p1}", f"n12={n1} {n2}", f"first={first}/{m.kind}", f"name={m.name.casefold()}",
        f"k={m.kind}/p1={class_of(p1)}", f"q={bool(s.quantities)}/{m.kind}", f"bef={before}", f"bef={before}/{m.kind}",
        f"aft={after}", f"aft={after}/{m.kind}",
    ]  # fmt: skip
    window = s.lows[max(0, i - 8) : i]
    out += [f"Lc:{c}/{m.kind}" for c in sorted({class_of(w) for w in window})]
    out += [f"L:{w[:8]}" for w in window if w != "#"]
    out += [f"R:{w[:8]}" for w in s.lows[j : j + 4] if w != "#"]
    out += [f"Rc:{c}/{m.kind}" for c in sorted({class_of(w) for w in s.lows[j : j + 6]})]
    out += [f"place={int(place * 4)}/{m.kind}", f"times={min(times, 3)}/{m.kind}", f"place={int(place * 4)}/q={bool(s.quantities)}"]
    i_list = next((b - a for a, b in spread([(o.start, o.end) for o in s.measures], s.text) if a <= m.start < b), 0)
    out.append(f"list={i_list > m.end - m.start}/{m.kind}")
    others = sum(o.kind in "SD" for o in s.measures) - (m.kind in "SD")
    out.append(f"others={min(others, 3)}/{m.kind}")
    return out
