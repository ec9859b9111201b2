"""Methods and datasets that a text names."""

from __future__ import annotations

from pipeline.enrich.document import Document
from pipeline.enrich.names_candidates import Candidates, Group, fold_name
from pipeline.enrich.names_events import add_events
from pipeline.enrich.names_features import Extractor
from pipeline.enrich.names_mentions import find_mentions
from pipeline.enrich.names_model import Verdict, judge, precisions
from pipeline.model import Name, Role, Span

METHOD, DATASET = "method", "dataset"
THRESHOLDS = {METHOD: 0.38, DATASET: 0.33}
PROPOSED = 0.4
"""Thresholds that gave the best F1 in cross-validation (docs/names.md)."""


def find_names(doc: Document) -> tuple[tuple[Name, ...], tuple[Name, ...]]:
    """(methods, datasets) of a text, each in order of first mention.

    >>> methods, datasets = find_names(Document("We propose FooNet, a network. On ImageNet, FooNet outperforms ResNet-50."))
    >>> [(m.name, m.role) for m in methods], [d.name for d in datasets]
    ([('FooNet', 'proposed'), ('ResNet-50', 'mentioned')], ['ImageNet'])
    """
    candidates = Candidates(doc.visible)
    places = [candidates.starts[i] for i in candidates.marked if candidates.tokens[i].event and candidates.may_end_name(i)]
    return add_events(doc.visible, places, *choose(candidates))


def choose(candidates: Candidates) -> tuple[tuple[Name, ...], tuple[Name, ...]]:
    """The names among the candidates of a text by the shipped model."""
    extractor, groups = Extractor(candidates), candidates.judged()
    return select(candidates, groups, judge([extractor.of_group(group) for group in groups]))


def select(candidates: Candidates, groups: list[Group], verdicts: list[Verdict]) -> tuple[tuple[Name, ...], tuple[Name, ...]]:
    """(methods, datasets) among judged groups: the surest first, each on text that no surer one has taken."""
    ranked = []
    for order, (group, verdict) in enumerate(zip(groups, verdicts, strict=True)):
        kind, sureness, role = decide(verdict)
        if sureness >= THRESHOLDS[kind]:
            ranked.append((-round(sureness, 6), order, kind, role, group))
    ranked.sort(key=lambda row: row[:2])
    taken = bytearray(len(candidates.text))
    found: dict[str, dict[str, Name]] = {METHOD: {}, DATASET: {}}
    for _, _, kind, role, group in ranked:
        own = [(start, end) for start, end in map(candidates.span, group.mentions) if not any(taken[start:end])]
        if own:
            for start, end in own:
                taken[start:end] = b"\1" * (end - start)
            name = _make(candidates, group, own, kind, role)
            found[kind].setdefault(fold_name(name.name), name)
    return _in_order(found[METHOD]), _in_order(found[DATASET])


def decide(verdict: Verdict) -> tuple[str, float, Role]:
    """The likelier kind, its probability, and the role."""
    role: Role = "proposed" if verdict.proposed > PROPOSED else "mentioned"
    if verdict.method >= verdict.dataset:
        return METHOD, verdict.method, role
    return DATASET, verdict.dataset, role


def _make(candidates: Candidates, group: Group, own: list[Span], kind: str, role: Role) -> Name:
    text = candidates.text
    start, end = min(own)
    name, long_form = text[start:end], None
    if group.pair is not None and fold_name(name) in (group.key, group.other):
        name, long_form = group.pair.short, group.pair.long
    name = singular(name)
    spans = find_mentions(text, name, long_form)
    rule = f"{kind}-{group.source}"
    return Name(name, long_form, role, spans or ((start, end),), rule, precisions().get(rule, 0.5))


def singular(name: str) -> str:
    """A name without its plural s where that is sure: after a digit or a capital other than S (`OSs` folds like `O`).

    >>> singular("SAEs"), singular("WordNets"), singular("ROS"), singular("RSs")
    ('SAE', 'WordNets', 'ROS', 'RSs')
    """
    sure = len(name) > 2 and name[-1] == "s" and name[-2] != "S" and (name[-2].isupper() or name[-2].isdigit())
    return name[:-1] if sure else name


def _in_order(found: dict[str, Name]) -> tuple[Name, ...]:
    return tuple(sorted(found.values(), key=lambda name: (name.spans[0], name.name)))
