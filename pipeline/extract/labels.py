"""Labels at the beginning of a line: `Abstract:`, `**Authors**:`, `<summary>Abstract</summary>`, `## 摘要（原文）`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pipeline.extract.content import Content
from pipeline.extract.fields import canonical_of, fold_name
from pipeline.extract.words import words

_LEAD = re.compile(
    r"[\s>\ufeff]*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(?:#{1,6}\s*)?(?:<[A-Za-z][^<>]{0,60}>\s*)*[*_`]{0,3}"
    r"(?:[^\w\s<>\[\](){}\"'“”‘’$\\|*_`#.,;:%+=/@-]{1,3}\s*)?[*_`]{0,3}\s*"
)
_CLOSE = r"[*_`]{0,3}\s*(?:</[A-Za-z]{1,12}>\s*){0,3}[*_`]{0,3}"
_AFTER_COLON = re.compile(rf"\s?{_CLOSE}\s*")
_CLOSED = re.compile(r"(?:[*_`\s]|</[A-Za-z]{1,12}>)+$")
_END_OF_NAME = re.compile(r"\s*</(?:summary|strong|b|h\d)>\s*")
_NAME = re.compile(r"[^\W\d_][\w /&()（）'’-]{0,39}")
_BARE = re.compile(r"(abstract|summary|摘要)(?:\*\*|__|</[A-Za-z]{1,12}>|\s?[—–]|\.(?=\s)|-(?=[A-Z])|\s-\s)+\s*", re.I)
_TERMS = re.compile(r"(index terms|key ?words)\s?[—–]\s*", re.I)
_LONGEST_ALONE = 60
_BARE_START = re.compile(r"\W{0,12}(?:abstract|summary|摘要)", re.I)

# Abstracts by label, best first: a file that has "Abstract" and "摘要（原文）" beside machine-made summaries means the former.
_RANKS: tuple[frozenset[str], ...] = (
    words(
        "abstract originalabstract abstractoriginal abstractraw englishabstract abstracten abstractenglish paperabstract arxivabstract fullabstract ab 摘要原文 原文摘要 英文摘要 原始摘要 abstract原文 abstract英文"
    ),
    words("摘要 论文摘要 zusammenfassung resumen résumé resumo аннотация 抄録 要旨 概要 초록 abstrakt riassunto"),
    words("summary"),
)
_METADATA = words("title authors venue year doi arxiv_id source_url keywords licence source_id")
# Kinds of labels that may be a heading of their own within a paper: `## Links`.
_HEADING_KINDS = frozenset({"other", "authors", "source_url", "doi", "arxiv_id"})
# Kinds of labels that are one in capitals on a line of their own: `TITLE`, and the title below.
_CAPITAL_KINDS = frozenset({"title", "authors", "keywords"})
_OTHER = words(
    "tldr tl code comment comments affiliation affiliations institution institutions citation citations bibtex pdf links link arxivlink pdflink subjclass abs primarycategory published updated submitdate "
    "pages volume issue issn isbn publisher publicationinfo publicationinformation documenttype documenturl language languageofpublication database databasename copyright lastupdated correspondence address email "
    "publicationtype sourcetype country subject companyorganization location classification accession entrydate numberofreferences sourceattribution authoraffiliation institutionaffiliation "
    "摘要中文 中文摘要 摘要翻译 翻译 ai总结 核心要点 机构 单位 动机 方法 结果 结论 translation aisummary keypoints keyinsights relevance score figures figure references acknowledgements acknowledgments funding introduction indexterms ccsconcepts categories receivedfrom reportno journalref mscclass acmclass"
)
_SECTIONS = words(
    "background backgroundandpurpose backgroundandobjectives backgroundandobjective backgroundandaims backgroundaims introduction objective objectives aim aims aimsandobjectives purpose purposes goal goals context hypothesis rationale importance design setting settings "
    "designsettingandparticipants participants patients subjects sample population intervention interventions materials materialsandmethods materialandmethods methods method methodology methodsandresults patientsandmethods studydesign measurements mainoutcomemeasures "
    "mainoutcomesandmeasures outcomes outcome dataset data datasources datasource dataextraction datasynthesis studyselection searchstrategy selectioncriteria results result findings observations mainresults keyresults discussion conclusion conclusions conclusionsandrelevance "
    "conclusionandrelevance interpretation implications significance limitations trialregistration registration evidenceacquisition evidencesynthesis originality originalityvalue value practicalimplications socialimplications researchlimitationsimplications "
    "designmethodologyapproach contribution contributions novelty approach problem motivation summary recommendations evaluation analysis scope note notes example"
)


@dataclass(frozen=True, slots=True)
class Label:
    """A label: its folded name, the canonical field or `abstract` or `other`, and where its value begins in the line."""

    name: str
    kind: str
    value_at: int
    is_emphasised: bool


@lru_cache(maxsize=16384)
def _kind(name: str) -> str:
    folded = fold_name(name)
    if any(folded in rank for rank in _RANKS):
        return "abstract"
    if folded in _OTHER:
        return "other"
    place = canonical_of(folded)
    return place[0] if place and place[0] in _METADATA and len(folded) > 1 else ""


def label_of(text: str) -> Label | None:
    """The label that a line begins with: a known name with a colon, alone, or set off by mark-up; an unknown one only
    with a colon and emphasis (`**Key idea:** …`). Names of sections (`Methods:`) are no labels: they belong to the text."""
    head = text[:120]
    colon = min((place for place in (head.find(":"), head.find("：")) if place >= 0), default=-1)
    if colon < 0 and len(text) > 80 and "<" not in head and not _BARE_START.match(head):
        return None
    lead = _LEAD.match(head)
    start = lead.end() if lead else 0
    found = _before_colon(head, start, colon) if colon > start else None
    return found or _before_tag(head, start) or (_alone(head, start) if len(text) <= 80 else None) or _bare(text, start)


def _before_colon(head: str, start: int, colon: int) -> Label | None:
    raw = head[start:colon]
    name = _CLOSED.sub("", raw)
    if _NAME.fullmatch(name) is None or name.count(" ") > 4:
        return None
    after = _AFTER_COLON.match(head, colon + 1)
    value_at = after.end() if after else colon + 1
    kind = _kind(name)
    closers = raw[len(name) :] + head[colon:value_at]
    if not kind and (not _is_set_off(head[:start], closers) or fold_name(name) in _SECTIONS):
        return None
    return Label(fold_name(name), kind or "other", value_at, _is_emphasised(head[:start]))


def _before_tag(head: str, start: int) -> Label | None:
    match = _END_OF_NAME.search(head, start) if "</" in head else None
    if match is None or not (kind := _kind(head[start : match.start()])):
        return None
    return Label(fold_name(head[start : match.start()]), kind, match.end(), True)


def _alone(head: str, start: int) -> Label | None:
    """A name that is the whole line; in a heading only that of an abstract or of what follows one; in capitals those of titles, authors and keywords."""
    rest = head[start:].rstrip().rstrip(".")
    if len(rest) > _LONGEST_ALONE:
        return None
    name = _CLOSED.sub("", rest).strip()
    kind = _kind(name) if _NAME.fullmatch(name) else ""
    emphasised = _is_emphasised(head[:start])
    if name.isupper() and kind in _CAPITAL_KINDS and "#" not in head[:start]:
        return Label(fold_name(name), kind, len(head), emphasised)
    if kind == "abstract" or (kind and emphasised and ("#" not in head[:start] or kind in _HEADING_KINDS)):
        return Label(fold_name(name), kind, len(head), emphasised)
    return None


def _bare(text: str, start: int) -> Label | None:
    """`Abstract—We …`, `**Abstract** We …`: set off by a dash, a full stop or the end of the emphasis."""
    if terms := _TERMS.match(text, start):
        return Label(fold_name(terms[1]), "keywords", terms.end(), _is_emphasised(text[:start]))
    match = _BARE.match(text, start)
    if match is None or not (_is_emphasised(text[:start]) or len(text) > 80 or match[0].rstrip()[-1] in "—–"):
        return None
    return Label(fold_name(match[1]), "abstract", match.end(), _is_emphasised(text[:start]))


def _is_emphasised(lead: str) -> bool:
    return "*" in lead or "#" in lead or "<" in lead or "__" in lead


def _is_set_off(lead: str, closers: str) -> bool:
    """True where emphasis begins before a name and ends at its colon (`**Key idea:** …`), unlike `**Title: with colon**`."""
    return "#" not in lead and any(
        mark in lead and mark.replace("<", "</") in closers for mark in ("**", "__", "*", "<b", "<strong")
    )


def abstract_names_of(content: Content) -> frozenset[str]:
    """The labels of abstracts in a file, decided once from its beginning."""
    return content.remember("abstract_names", lambda: choose_abstract_names(content.sample.split("\n")))


def choose_abstract_names(lines: Iterable[str]) -> frozenset[str]:
    """Which labels stand for the abstract in this file: those of the best rank that is about as frequent as any."""
    counts: Counter[int] = Counter()
    for text in lines:
        label = label_of(text[:400]) if text else None
        if label is not None and label.kind == "abstract":
            counts[next(i for i, rank in enumerate(_RANKS) if label.name in rank)] += 1
    best = max(counts.values(), default=0)
    for rank, names in enumerate(_RANKS):
        if counts[rank] and counts[rank] >= 0.5 * best:
            return names
    return frozenset()
