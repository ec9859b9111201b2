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
_NAME = r"([^\W\d_][\w /&()（）'’-]{0,38}?)"
_CLOSE = r"(?:[*_`]{0,3}\s*(?:</[A-Za-z]{1,12}>\s*){0,3}[*_`]{0,3})"
_WITH_COLON = re.compile(rf"{_NAME}\s?{_CLOSE}\s?[:：]\s?{_CLOSE}\s*")
_ALONE = re.compile(rf"{_NAME}\s*{_CLOSE}[.]?\s*$")
_BARE = re.compile(r"(abstract|summary|摘要)(?:\*\*|__|</[A-Za-z]{1,12}>|\s?[—–]|\.(?=\s)|-(?=[A-Z])|\s-\s)+\s*", re.I)
_TAGGED = re.compile(rf"{_NAME}\s*</(?:summary|strong|b|h\d)>\s*", re.I)

# Most lines are neither: a colon near the beginning, a short line, or the word itself.
_GATE = re.compile(r"[^:：]{1,90}[:：]|.{1,70}$|.{0,60}<(?:summary|strong|b|h\d)\b|\W{0,12}(?:abstract|summary|摘要)", re.I)

# Abstracts by label, best first: a file that has "Abstract" and "摘要（原文）" beside machine-made summaries means the former.
_RANKS: tuple[frozenset[str], ...] = (
    words("abstract originalabstract abstractoriginal abstractraw englishabstract abstracten abstractenglish paperabstract arxivabstract fullabstract ab 摘要原文 原文摘要 英文摘要 原始摘要 abstract原文 abstract英文"),
    words("摘要 论文摘要 zusammenfassung resumen résumé resumo аннотация 抄録 要旨 概要 초록 abstrakt riassunto"),
    words("summary"),
)
_METADATA = words("title authors venue year doi arxiv_id source_url keywords licence source_id")
_OTHER = words("tldr tl code comment comments affiliation affiliations institution institutions citation citations bibtex pdf links link arxivlink pdflink subjclass abs primarycategory published updated submitdate "
    "pages volume issue issn isbn publisher publicationinfo publicationinformation documenttype documenturl language languageofpublication database databasename copyright lastupdated correspondence address email "
    "publicationtype sourcetype country subject companyorganization location classification accession entrydate numberofreferences sourceattribution authoraffiliation institutionaffiliation "
    "摘要中文 中文摘要 摘要翻译 翻译 ai总结 核心要点 关键词 作者 链接 机构 单位 动机 方法 结果 结论 translation aisummary keypoints keyinsights relevance score figures figure references acknowledgements acknowledgments funding introduction indexterms ccsconcepts categories receivedfrom reportno journalref mscclass acmclass")
_SECTIONS = words("background backgroundandpurpose backgroundandobjectives backgroundandobjective backgroundandaims backgroundaims introduction objective objectives aim aims aimsandobjectives purpose purposes goal goals context hypothesis rationale importance design setting settings "
    "designsettingandparticipants participants patients subjects sample population intervention interventions materials materialsandmethods materialandmethods methods method methodology methodsandresults patientsandmethods studydesign measurements mainoutcomemeasures "
    "mainoutcomesandmeasures outcomes outcome dataset data datasources datasource dataextraction datasynthesis studyselection searchstrategy selectioncriteria results result findings observations mainresults keyresults discussion conclusion conclusions conclusionsandrelevance "
    "conclusionandrelevance interpretation implications significance limitations trialregistration registration evidenceacquisition evidencesynthesis originality originalityvalue value practicalimplications socialimplications researchlimitationsimplications "
    "designmethodologyapproach contribution contributions novelty approach problem motivation summary recommendations evaluation analysis scope note notes example")


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
    with a colon and emphasis (`**Key idea:**`). Names of sections (`Methods:`) are no labels: they belong to the text."""
    if _GATE.match(text) is None:
        return None
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    emphasised = bool(lead) and any(mark in text[:start] for mark in ("*", "#", "<", "__"))
    for pattern in (_WITH_COLON, _TAGGED, _ALONE, _BARE):
        match = pattern.match(text, start)
        if match is None:
            continue
        kind = _kind(match[1])
        if pattern is _BARE and (kind != "abstract" or not (emphasised or len(text) > 80)):
            continue
        if pattern is _ALONE and not (kind == "abstract" or (kind and emphasised and ("#" not in text[:start] or kind == "other"))):
            continue
        if not kind and not (pattern is _WITH_COLON and _is_set_off(text[:start], match) and fold_name(match[1]) not in _SECTIONS):
            continue
        if match[1].count(" ") > 4:
            continue
        return Label(fold_name(match[1]), kind or "other", match.end(), emphasised)
    return None


def _is_set_off(lead: str, match: re.Match[str]) -> bool:
    """True where emphasis begins before a name and ends at its colon (`**Key idea:** …`), unlike `**Title: with colon**`."""
    after = match[0][len(match[1]) :]
    return "#" not in lead and any(mark in lead and mark.replace("<", "</") in after for mark in ("**", "__", "*", "<b", "<strong"))


def abstract_names_of(content: Content) -> frozenset[str]:
    """The labels of abstracts in a file, decided once from its beginning."""
    return content.remember("abstract_names", lambda: choose_abstract_names(content.sample.split("\n")))


def choose_abstract_names(lines: Iterable[str]) -> frozenset[str]:
    """Which labels stand for the abstract in this file: those of the best rank that is about as frequent as any."""
    counts: Counter[int] = Counter()
    for text in lines:
        label = label_of(text[:400])
        if label is not None and label.kind == "abstract":
            counts[next(i for i, rank in enumerate(_RANKS) if label.name in rank)] += 1
    best = max(counts.values(), default=0)
    for rank, names in enumerate(_RANKS):
        if counts[rank] and counts[rank] >= 0.5 * best:
            return names
    return frozenset()
