"""Features of the decisions about quantities: is it a result, of which measure, on which data set.

Features are short strings; a model is a weight per string (`results_model.py`). Training reads them from here too, so
that training and use cannot differ.
"""

from __future__ import annotations

from pipeline.enrich.measures import Measure, stop_words
from pipeline.enrich.quantities import Quantity
from pipeline.enrich.results_context import Candidate, Sentence
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
    form = f"{q.scale}/{q.shape}"
    out = [
        "bias", f"scale={q.scale}", f"form={form}", f"unit={q.unit}", f"num={_form(q)}", f"num={_form(q)}/{q.scale}",
        f"p1={p1}", f"p2={p2}", f"p12={p2} {p1}", f"n1={n1}", f"n2={n2}", f"n12={n1} {n2}", f"p1={p1}/{q.scale}",
        f"n1={n1}/{q.scale}", f"cl={gap_l}", f"cr={gap_r}", f"cl={gap_l}/{q.scale}", f"cr={gap_r}/{q.scale}",
        f"place={int(place * 4)}",
    ]  # fmt: skip
    out += [f"L:{w}" for w in lows[max(0, left - 7) : left] if w != "#"]
    out += [f"R:{w}" for w in lows[right : right + 5] if w != "#"]
    out += [f"L6:{lows[k][:6]}/{q.scale}" for k in range(max(0, left - 10), left) if lows[k] != "#"]
    out += [f"p3={p3}", f"n3={n3}"]
    if q.signed:
        out.append("signed")
    out += _measure_nearby(s, q)
    return out


def _form(q: Quantity) -> str:
    if q.value_max is not None:
        return "range"
    if not q.value.is_integer() or "." in q.surface:
        return "decimal" if q.value >= 1 else "decimal01"
    if 1900 <= q.value <= 2100 and q.scale == "none" and "," not in q.surface:
        return "year"
    for limit in (1, 10, 100, 1000, 100000):
        if q.value <= limit:
            return f"int{limit}"
    return "big"


def _measure_nearby(s: Sentence, q: Quantity) -> list[str]:
    out = []
    best_left = best_right = 99
    for m in s.measures:
        if m.kind == "H" and not m.modifiers:
            continue
        if m.end <= q.start:
            best_left = min(best_left, s.before(q.start) - s.before(m.end))
        elif m.start >= q.end:
            best_right = min(best_right, s.before(m.start) - s.after(q.end))
    if best_left < 99:
        out += [f"mL={_near(best_left)}", f"mL={_near(best_left)}/{q.scale}"]
    if best_right < 99:
        out += [f"mR={_near(best_right)}", f"mR={_near(best_right)}/{q.scale}"]
    if best_left == best_right == 99:
        out.append(f"nomeasure/{q.scale}")
    return out


def measure_features(s: Sentence, q: Quantity, c: Candidate, sources: str) -> list[str]:
    """Is the quantity a value of this measure? Side, distance, the words between, other quantities between."""
    out = [f"k={c.kind}", f"src={sources}", f"k={c.kind}/src={sources}"]
    if c.sentence != s.index:
        return [*out, f"prev={min(s.index - c.sentence, 3)}", f"prev/k={c.kind}"]
    right_side = c.start >= q.end
    low, high = (q.end, c.start) if right_side else (c.end, q.start)
    a, b = s.before(low), s.before(max(low, high))
    between = s.lows[a:b]
    side = "R" if right_side else "L"
    gap = " ".join(between) if len(between) <= 3 else "..."
    marks = "".join(ch for ch in s.text[low:high] if ch in ",;:()=") [:3]
    crossed = sum(low <= o.start < high for o in s.quantities)
    closer = sum(1 for m in s.measures if low <= m.start and m.end <= high and m.kind in "SD")
    out += [
        f"{side}d={_near(len(between))}", f"{side}d={_near(len(between))}/{c.kind}", f"{side}gap={gap}", f"{side}marks={marks}",
        f"{side}x={min(crossed, 3)}", f"{side}closer={min(closer, 2)}", f"{side}first={between[0] if between else ''}",
        f"{side}last={between[-1] if between else ''}", f"{side}/{q.scale}/{c.kind}", f"{side}d={_near(len(between))}/x={min(crossed, 2)}",
        f"{side}x={min(crossed, 3)}/m={marks[:1]}",
    ]  # fmt: skip
    return out


def no_measure_features(s: Sentence, q: Quantity) -> list[str]:
    """The quantity has no named measure."""
    left, right = s.before(q.start), s.after(q.end)
    p1 = s.lows[left - 1] if left else "^"
    n1 = s.lows[right] if right < len(s.lows) else "$"
    window = s.lows[max(0, left - 8) : left]
    out = ["null", f"null/{q.scale}", f"null/p1={p1}", f"null/n1={n1}"]
    out += [f"null/L={w[:7]}" for w in window if w not in stop_words() or w.startswith(("outp", "surp", "impr"))]
    return out


def dataset_features(s: Sentence, q: Quantity, span: Span, sentence: int, proposed: bool, order: int) -> list[str]:
    """Is the quantity measured on this data set? Side, distance, preposition, other quantities and names between."""
    out = [f"role={proposed}", f"order={min(order, 3)}"]
    if sentence != s.index:
        return [*out, f"prev={min(s.index - sentence, 4)}", f"prev/role={proposed}/{min(s.index - sentence, 4)}"]
    right_side = span[0] >= q.end
    low, high = (q.end, span[0]) if right_side else (span[1], q.start)
    a, b = s.before(low), s.before(max(low, high))
    between = s.lows[a:b]
    side = "R" if right_side else "L"
    marks = "".join(ch for ch in s.text[low:high] if ch in ",;:()=")[:3]
    crossed = sum(low <= o.start < high for o in s.quantities)
    word = s.lows[s.before(span[0]) - 1] if s.before(span[0]) else "^"
    gap = " ".join(between) if len(between) <= 2 else "..."
    out += [
        f"{side}", f"{side}d={_near(len(between))}", f"{side}x={min(crossed, 3)}", f"{side}gap={gap}", f"{side}marks={marks}",
        f"{side}w={word}", f"{side}w={word}/x={min(crossed, 2)}", f"{side}d={_near(len(between))}/x={min(crossed, 2)}",
        f"{side}m={marks[:1]}/x={min(crossed, 2)}",
    ]  # fmt: skip
    return out


def name_features(s: Sentence, m: Measure) -> list[str]:
    """Is this a measure that the abstract evaluates by, though no number is tied to it?"""
    i, j = s.before(m.start), s.before(m.end)
    p1, p2 = (s.lows[i - k] if i >= k else "^" for k in (1, 2))
    n1, n2 = (s.lows[j + k] if j + k < len(s.lows) else "$" for k in (0, 1))
    modifiers = min(m.modifiers, 3)
    first = m.name.split(" ", 1)[0].casefold()
    out = [
        "bias", f"k={m.kind}", f"k={m.kind}/m={modifiers}", f"h={m.head}", f"h={m.head}/m={bool(modifiers)}", f"p1={p1}",
        f"p2={p2}", f"n1={n1}", f"p12={p2} {p1}", f"n12={n1} {n2}", f"first={first}/{m.kind}", f"name={m.name.casefold()}",
        f"k={m.kind}/p1={p1}", f"q={bool(s.quantities)}/{m.kind}",
    ]  # fmt: skip
    out += [f"L:{w[:7]}" for w in s.lows[max(0, i - 6) : i] if w != "#"]
    out += [f"R:{w[:7]}" for w in s.lows[j : j + 4] if w != "#"]
    others = sum(o.kind in "SD" for o in s.measures) - (m.kind in "SD")
    out.append(f"others={min(others, 3)}")
    return out
