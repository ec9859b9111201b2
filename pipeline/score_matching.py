"""When a found item is the same as an annotated one: names, values, measures and addresses compared as a reader would.

The definitions are those of the annotation guide's scorer; `tests/unit/test_score.py` holds both against each other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Item = dict[str, Any]
Same = Callable[[Item, Item], bool]

_ACRONYM_PLURAL = re.compile(r"(?<=[A-Z0-9])s$")
_SEPARATORS = re.compile(r"[^\w×%+*φα-ω]+")
_MEASURE_WORD = re.compile(r"[a-z0-9@]+")
_STOP_WORDS = frozenset({"the", "a", "an", "of", "on", "in", "average"})
_UNITS: dict[str, str | None] = {
    "x": "×",
    "times": "×",
    "fold": "×",
    "percent": "%",
    "pp": "points",
    "point": "points",
    "percentage points": "points",
    "% points": "points",
    "": None,
}
_DOI_URL = re.compile(r"^https://(?:dx\.)?doi\.org/(.*)$", re.IGNORECASE)
_HOST_OF_URL = re.compile(r"^(https://)([^/]+)(.*)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Found items matched one to one with annotated ones. Items on `ignored` ones are neither right nor wrong."""

    right: list[Item]
    wrong: list[Item]
    ignored: list[Item]
    missed: list[Item]


def judge(annotated: Sequence[Item], found: Sequence[Item], same: Same) -> Judgement:
    """Give every annotated item the first found one that is the `same`, required items before optional ones."""
    left, right, ignored, missed = list(found), list[Item](), list[Item](), list[Item]()
    for item in sorted(annotated, key=lambda item: bool(item.get("optional"))):
        place = next((place for place, other in enumerate(left) if same(item, other)), None)
        if place is not None:
            (ignored if item.get("optional") else right).append(left.pop(place))
        elif not item.get("optional"):
            missed.append(item)
    return Judgement(right, left, ignored, missed)


def fold(name: str | None) -> str:
    """`name` without case, spaces, hyphens and plural: GNNs = GNN, Flow-TTRL = flow ttrl; but C++ is not C."""
    name = unicodedata.normalize("NFKC", name or "").strip()
    name = _SEPARATORS.sub("", _ACRONYM_PLURAL.sub("", name).casefold()).replace("_", "")
    return name[:-1] if len(name) > 4 and name.endswith("s") and not name.endswith("ss") else name


def same_name(annotated: Item, found: Item) -> bool:
    """The name or long form found is one of those annotated."""
    names = {fold(annotated["name"]), fold(annotated.get("long_form"))} - {""}
    return fold(found["name"]) in names or (bool(found.get("long_form")) and fold(found["long_form"]) in names)


def same_measure(first: str, second: str) -> bool:
    """Equal when folded; or one within the other with at most two words more; or half of all words shared."""
    a, b = _words(first), _words(second)
    if fold(first) == fold(second):
        return True
    if not a or not b:
        return False
    return ((a <= b or b <= a) and len(a ^ b) <= 2) or len(a & b) / len(a | b) >= 0.5


def same_measure_name(annotated: Item, found: Item) -> bool:
    """`same_measure` of two items that have only a name."""
    return same_measure(annotated["name"], found["name"])


def same_value(annotated: Item, found: Item) -> bool:
    """Equal value, upper end and unit."""
    return (
        _close(annotated["value"], found["value"])
        and _close(annotated.get("value_max"), found.get("value_max"))
        and _unit(annotated.get("unit")) == _unit(found.get("unit"))
    )


def same_result(annotated: Item, found: Item) -> bool:
    """Equal value, baseline and relation, and the same measure and dataset where the annotation names them."""
    if not same_value(annotated, found) or not _close(annotated.get("baseline"), found.get("baseline")):
        return False
    if (annotated.get("relation") or "=") != (found.get("relation") or "="):
        return False
    for part in ("metric", "dataset"):
        wanted = annotated.get(part)
        if wanted and not (found.get(part) and same_measure(wanted, found[part])):
            return False
    return True


def same_url(annotated: Item, found: Item) -> bool:
    """Equal addresses, whatever the scheme, `www.`, a last slash, and the case of host and DOI."""
    return _address(annotated["url"]) == _address(found["url"])


def same_url_and_kind(annotated: Item, found: Item) -> bool:
    """`same_url`, and equal kinds."""
    return same_url(annotated, found) and annotated["kind"] == found["kind"]


def _words(measure: str) -> set[str]:
    return set(_MEASURE_WORD.findall(measure.casefold())) - _STOP_WORDS


def _unit(unit: str | None) -> str | None:
    unit = (unit or "").strip().casefold()
    return _UNITS.get(unit, unit or None)


def _close(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is None and second is None
    first, second = float(first), float(second)
    return abs(first - second) <= 1e-6 * max(1.0, abs(first), abs(second))


def _address(url: str) -> str:
    url = re.sub(r"^http://", "https://", url.strip().rstrip("/"), flags=re.IGNORECASE)
    doi = _DOI_URL.match(url)
    if doi:
        return f"https://doi.org/{doi[1].casefold()}"
    host = _HOST_OF_URL.match(url)
    return host[1] + host[2].casefold().removeprefix("www.") + host[3] if host else url
