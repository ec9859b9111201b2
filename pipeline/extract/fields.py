"""The names that sources give to the same field, and the choice among them.

A name is compared without case, spaces and punctuation (`Abstract Note` = `abstractNote`). Order is priority:
the first synonym that holds a value wins. Collected from the headers of exports of reference managers,
databases, conference sites and crawlers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

_SYNONYMS: dict[str, str] = {
    "abstract": "abstract abstracts abstracttext abstractinvertedindex abstractnote abstractnotes ab paperabstract abstracten abstracteng "
    "englishabstract abstractenglish abstractoriginal originalabstract abstractraw rawabstract abstracttranslated dcdescriptionabstract dctermsabstract "
    "n2 ab1 papersabstract textabstract articleabstract abstractcontent 摘要 abstrakt zusammenfassung kurzfassung samenvatting streszczenie sammanfattning sammendrag riassunto rezumat özet abstrak resumen résumé resume resumo аннотация 抄録 要旨 초록",
    "weak_abstract": "summary description descriptions dcdescription text body content paragraph n1 notes abstr overview synopsis",
    "title": "title titleprimary primarytitle articletitle papertitle documenttitle ti t1 maintitle itemtitle name dctitle titles originaltitle "
    "titleen englishtitle heading headline 标题 题目 题名 titel titre titulo título titolo tytuł titlu",
    "authors": "authors author authorsprimary primaryauthors authornames authorlist authorfullnames authorsfullnames au fau a1 aut creators creator dccreator "
    "authornameslist authorsandaffiliations authorships contributors authorstring authorsnames paperauthors byline af 作者 论文作者 autor autoren auteurs autores",
    "venue": "venue journal booktitle containertitle publicationtitle sourcetitle secondarytitle journaltitle periodicalfull journalbook fulljournaltitle "
    "publication publicationname publicationvenue hostvenue conference conferencename venueid so jf jo ja t2 jt ta bt ct journalname journalabbreviation series source "
    "periodicalabbrev journalref 期刊 zeitschrift",
    "year": "year pubyear publicationyear publishedyear py y1 dp date published publicationdate pubdate publisheddate pubmonthday publishedonline publishedprint issued da dcdate dateissued "
    "versions createddate created update updated updatedate datestamp submitted cdate pdate onlinedate yearofpublication coverdate 年份 jahr",
    "doi": "doi do dois articledoi paperdoi doiurl doilink externaliddoi di m3doi lid aid identifierdoi",
    "arxiv_id": "arxivid arxiv eprint arxivurl arxivlink arxivnumber arxiveprint preprint",
    "arxiv_version": "arxivversion version versions",
    "source_url": "url sourceurl link links ur l1 l2 lk weburl htmlurl paperurl abstracturl absurl landingpageurl href permalink plink site pdfurl pdf pdflink "
    "uri website abs forumurl openreviewurl paperlink primaryurl u1url fulltexturl ee openaccesspdf 链接 论文链接",
    "licence": "license licence rights dcrights copyright licenseurl licenceurl accessrights",
    "keywords": "keywords keyword kw k1 de ot authorkeywords subjects subject tags tag meshterms mesh mh categories topics concepts indexterms dcsubject keywordsplus id2 "
    "category topic primaryarea descriptors 关键词 schlagwörter",
    "source_id": "pmid pubmedid pubmed accessionnumber an ut uniqueid aclid anthologyid forum corpusid paperid uid id key identifier bibkey citekey ukey "
    "eid documentid recordid articleid referenceid recnumber uniqueidentifier ui submissionid papernumber number handle guid",
}
PRIORITY: dict[str, tuple[str, ...]] = {canonical: tuple(names.split()) for canonical, names in _SYNONYMS.items()}
_PLACE: dict[str, tuple[str, int]] = {
    name: (canonical, rank) for canonical, names in reversed(PRIORITY.items()) for rank, name in enumerate(names)
}


@lru_cache(maxsize=65536)
def fold_name(name: str) -> str:
    """A field name without case, spaces and punctuation; a leading MARC or tag prefix stays."""
    return re.sub(r"[\W_]+", "", name).lower()


def canonical_of(name: str) -> tuple[str, int] | None:
    """The canonical field that `name` is a synonym of, and its rank among them."""
    return _PLACE.get(fold_name(name))


@lru_cache(maxsize=4096)
def resolve_names(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """For each canonical field the given names that stand for it, best first.

    >>> resolve_names(("TI", "Abstract Note", "summary"))
    {'title': ('TI',), 'abstract': ('Abstract Note',), 'weak_abstract': ('summary',)}
    """
    found: dict[str, list[tuple[int, int, str]]] = {}
    for position, name in enumerate(names):
        if isinstance(name, str) and (place := canonical_of(name)):
            found.setdefault(place[0], []).append((place[1], position, name))
    return {canonical: tuple(name for _, _, name in sorted(ranked)) for canonical, ranked in found.items()}


def pick(record: Mapping[str, object], names: Iterable[str]) -> object:
    """The first of `names` that holds something in `record`."""
    for name in names:
        value = record.get(name)
        if value is not None and value != "" and value != [] and value != {}:
            return value
    return None
