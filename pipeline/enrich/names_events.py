"""Shared tasks, challenges and competitions: what papers took part in stands for the data that it set.

Their names are not coined but built: a campaign, a year, the number of a task (`SemEval-2020 Task 12`), or a proper name
and a word for the event (`2025 ADIA Lab Structural Break Challenge`). So they are read by grammar rather than learnt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from pipeline.model import Name, Role, Span

# Campaigns whose name alone says that a shared task is meant; from the lists of the ACL Anthology's and other venues' workshops.
_CAMPAIGNS: Final = (
    r"SemEval|CoNLL(?:-SIGMORPHON)?|SIGMORPHON|WMT|IWSLT|BioCreative|BioNLP(?:-ST)?|BioASQ|(?:Image|Life|Check)?CLEF|eRisk|PAN|TREC|NTCIR|FIRE|MediaEval|SMM4H|i2b2|n2c2|MADE|MEDIQA(?:-\w+)?"
    r"|VarDial|EVALITA|IberLEF|IberEval|GermEval|PolEval|RuEval|Dialogue Evaluation|NADI|DravidianLangTech|LT-EDI|WASSA|W-?NUT|DSTC\d*|BEA|FinCausal|FinSim|FinNLP|SDP|CASE|CALCS|ComMA|TRAC|HASOC|OffensEval|EmoEval"
    r"|SIGHAN|NLPCC|CCKS|CCL|CHiME|DCASE|ASVspoof|VoxSRC|Blizzard|ZeroSpeech|NTIRE|ABAW|BraTS|KDD Cup|RecSys Challenge|AmericasNLP|MRL|LoResMT|WAT|DISRPT|CODI-CRAC|CRAC|MultiGEC|BabyLM"
)
_YEAR: Final = r"(?:19|20)\d\d"
_PART: Final = r"(?:(?:[Ss]hared )?(?:[Tt]ask|[Tt]rack|[Ss]ub-?[Tt]ask)s? ?(?:\d{1,2}[A-Za-z]?|[A-Z](?:\.?\d)?)\b)"
_WHEN: Final = rf"(?:[ -]?(?:{_YEAR}|['’]\d\d|[IVX]{{1,4}}\b))"
_CAMPAIGN: Final = re.compile(
    rf"(?<![\w@-])(?:{_YEAR} )?(?:[A-Z]\w+-)?(?:{_CAMPAIGNS})(?:@[A-Z][\w-]+)?(?:{_WHEN}(?:[,:]? {_PART})?|[,:]? {_PART}|(?= (?:shared task|challenge|data-?set|corpus|corpora|collection)))(?![\w-])"
)
_PROPER: Final = r"(?:[A-Z0-9][\w@&'’+‐‑-]*+|[a-z]+\d\w*|\([A-Z][^()]{0,20}\)|(?:of|and|for|in|on|the|&)(?= [A-Z(]))"
_EVENT: Final = r"(?:(?:Grand )?Challenge|Competition|Shared Task|Cup|Evaluation Campaign|challenge|competition|shared task|evaluation campaign)"
_NAMED: Final = re.compile(rf"(?<![\w@&'’+‐‑-])[A-Z0-9][\w@&'’+‐‑-]*+(?: {_PROPER}){{0,8}} {_EVENT}s?\b(?: {_YEAR}\b)?(?:,? {_PART})?")
_HEAD: Final = re.compile(r" (?:[a-z]+ )?[a-z]+$")
_OPENING: Final = re.sub(" [A-Z][a-z]+", "", _CAMPAIGNS)
_WORD: Final = re.compile(rf"[Cc]hallenges?$|[Cc]ompetitions?$|[Tt]asks?$|Cup$|[Cc]ampaigns?$|(?:[A-Z]\w+-)?(?:{_OPENING})")
_BEFORE, _BEHIND = 120, 60
_LEADING: Final = frozenset(
    ["The", "This", "That", "These", "Our", "We", "In", "On", "At", "For", "To", "From", "A", "An", "Its", "Their", "Each", "Both", "All", "Several", "Many", "Two", "Three", "As", "By", "Using", "With", "During", "After", "Since", "While", "Moreover", "Furthermore", "However", "Here", "Current", "Recent", "Existing", "New", "Major", "Key", "Main", "Open", "Big", "Critical", "Significant", "Important", "Common", "Such", "Another", "One"]
)
_CAPITAL_HEADS: Final = frozenset(["Challenge", "Competition", "Task", "Cup", "Campaign", "Challenges", "Competitions"])
_LINKS: Final = frozenset(["of", "and", "for", "in", "on", "the", "&"])
_UP_TO_EVENT: Final = re.compile(rf"(?:^| )(?={_EVENT})")
_SET: Final = re.compile(
    r"\b(?:organi[sz]e[sd]?|launch(?:e[sd])?|introduced?|host(?:ed|s)?|propose[sd]?|[Oo]verview of|[Ff]indings of|[Rr]esults of) (?:the |a |an |our )?(?:\w+ )?$"
)
#: All of the events in the development sets are named in their annotations too.
CONFIDENCE: Final = 0.95


def is_event_word(word: str) -> bool:
    """Whether an event may be named around a word: a campaign, or a word for an event."""
    return _WORD.match(word) is not None


def add_events(text: str, places: Iterable[int], methods: tuple[Name, ...], datasets: tuple[Name, ...]) -> tuple[tuple[Name, ...], tuple[Name, ...]]:
    """The names of a text with its events among the datasets, without names that only stand within an event.

    `places` are the words of which `is_event_word` holds. A dataset that a challenge is named after (`Ego4D EgoSchema
    Challenge`) stays.
    """
    found = find_events(text, places)
    if not found:
        return methods, datasets
    events: dict[str, list[Span]] = {}
    for start, end in found:
        events.setdefault(text[start:end], []).append((start, end))
    made = [Name(name, None, _role(text, spans[0][0]), tuple(spans), "dataset-event", CONFIDENCE) for name, spans in events.items()]
    tight = [span for span in found if text[span[0] : span[1]].split()[-1] not in _CAPITAL_HEADS]
    left = [_with_role(name, made) for name in datasets if name.name not in events and not _all_within(name.spans, tight)]
    merged = sorted([*left, *made], key=lambda name: (name.spans[0], name.name))
    return tuple(name for name in methods if not _all_within(name.spans, found)), tuple(merged)


def _with_role(name: Name, events: Sequence[Name]) -> Name:
    """`the INLG 2022 Generation Challenge (GenChal)`: the short form has the role of the event before it."""
    starts = {start for start, _ in name.spans}
    event = next((e for e in events if any(start - 2 <= end and a <= start for a, end in e.spans for start in starts)), None)
    return replace(name, role=event.role) if event is not None else name


def _all_within(spans: Sequence[Span], places: Sequence[Span]) -> bool:
    return all(any(a <= start and end <= b for a, b in places) for start, end in spans)


def _role(text: str, start: int) -> Role:
    return "proposed" if _SET.search(text[max(0, start - 40) : start]) else "mentioned"


def find_events(text: str, places: Iterable[int] | None = None) -> list[Span]:
    """Where a text names a shared task, challenge or competition, around `places` (everywhere), in order, none within another.

    >>> text = "We took part in SemEval-2020 Task 12 and in the 2018 ADE and Medication Extraction (Track 2) n2c2 challenge."
    >>> [text[a:b] for a, b in find_events(text)]
    ['SemEval-2020 Task 12', '2018 ADE and Medication Extraction (Track 2) n2c2']
    >>> find_events("The Challenge is hard. The main challenge of AI remains. Task 2 is open.")
    []
    """
    found: list[Span] = []
    for low, high in _windows(text, [word.start() for word in re.finditer(r"\S+", text)] if places is None else places):
        found += (match.span() for match in _CAMPAIGN.finditer(text, low, high))
        for match in _NAMED.finditer(text, low, high):
            # A head in small letters is no part of the name.
            small = _HEAD.search(match[0])
            end = match.start() + small.start() if small else match.end()
            start = _start(text, match.start(), end)
            if start is not None:
                found.append((start, end))
    kept: list[Span] = []
    for start, end in sorted(found, key=lambda span: (span[0] - span[1], span)):
        if not any(start < b and a < end for a, b in kept):
            kept.append((start, end))
    return sorted(kept)


def _windows(text: str, places: Iterable[int]) -> list[Span]:
    """Stretches around places, those that touch joined."""
    out: list[Span] = []
    for at in sorted(places):
        low, high = max(0, at - _BEFORE), min(len(text), at + _BEHIND)
        if out and low <= out[-1][1]:
            low, _ = out.pop()
        out.append((low, high))
    return out


def _start(text: str, start: int, end: int) -> int | None:
    """Where the name begins: behind an article or a preposition with a capital; None where no proper name is left."""
    while True:
        word = text[start:end].split(" ", 1)[0]
        if word not in _LEADING and word not in _LINKS:
            break
        if start + len(word) + 1 >= end:
            return None
        start += len(word) + 1
    words = _UP_TO_EVENT.split(text[start:end])[0].split()
    proper = [word for word in words if word not in _LINKS and word not in _LEADING]
    telling = [word for word in proper if any(c.isdigit() or c == "@" for c in word) or sum(c.isupper() for c in word) > 1]
    opens = start == 0 or text[:start].rstrip()[-1:] in (".", "!", "?", ":", "")
    return start if proper and (telling or len(proper) - opens >= 2) else None
