"""Texts that stand where an abstract should stand: named rules, from what real exports hold."""

from __future__ import annotations

import re

LONGEST = 240

_NOTHING = re.compile(r"[\W_]*", re.U)
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "placeholder",
        re.compile(
            r"(?:n\.?\s?[/\\.]?\s?a\.?|none|null|nil|nan|na|nd|undefined|unknown|tb[ad]|todo|tbc|xxx+|\?+|missing|empty|placeholder|abstract|summary|no|-+|not? available|not applicable"
            r"|abstract (?:here|goes here|text|body|placeholder|tba|tbd)|to (?:be|appear)\b.{0,40}|coming soon.{0,20}|loading.{0,5}|in press|forthcoming|see (?:pdf|paper|article|full text|text|attached).{0,60}"
            r"|(?:title|paper|article) only|lorem ipsum\b.*|enter abstract.{0,20}|insert abstract.{0,20}|click .{0,80}|read more.{0,20}|show more.{0,20}|#n/a|#name\?|#value!)",
            re.I,
        ),
    ),
    (
        "no_abstract",
        re.compile(
            r"(?:(?:this|the) (?:paper|article|item|record|work|entry|publication|book|document|letter|editorial) (?:has|have|contains|does not have|doesn.t have|does not contain|includes?) (?:no|an?|any)? ?abstract.{0,60}"
            r"|(?:sorry,? )?(?:there is |there.s )?(?:currently )?(?:no|without|lacks?(?: an)?|missing|an?|the)? ?(?:english )?(?:author )?(?:abstracts?|summary|description)(?: (?:text|content|data|information))?"
            r"(?: (?:is|was|were|are|has been|found|could|can|will))?(?: (?:currently|yet|be|been|not|no|longer))*(?: ?(?:un)?available| ?found| ?provided| ?given| ?supplied| ?present| ?missing| ?included| ?exists?| ?submitted| ?specified| ?listed| ?published| ?needed| ?required| ?tb[ad]| ?pending| ?coming soon| ?omitted| ?withheld| ?none| ?n/?a)"
            r"(?: (?:for|in|on|from|by|at|with|due|as|because|here|online|yet|publisher|until|to)\b.{0,80})?"
            r"|no abstracts?|abstracts? (?:not|un)[\s-]?\w{4,12}(?: .{0,60})?|publisher: abstract available.{0,40}|(?:abstract )?available from the publisher.{0,20}"
            r"|this (?:article|paper|item|record) (?:does not have|has no|doesn.t have|lacks|contains no) (?:an? )?abstract.{0,60}"
            r"|暂无摘要|无摘要|無摘要|摘要なし|抄録なし|초록 없음|kein abstract.{0,30}|kein(?:e)? zusammenfassung.{0,30}|sin resumen.{0,30}|pas de résumé.{0,30}|nessun abstract.{0,30}|sem resumo.{0,30}|resumen no disponible.{0,20})",
            re.I,
        ),
    ),
    (
        "withdrawn",
        re.compile(
            r"(?:this |the )?(?:paper|article|submission|abstract|manuscript|work|talk|poster|preprint)?\s?(?:has been|was|is|have been|had been)?\s?(?:temporarily )?(?:withdraw(?:n|al)?|retracted|removed|deleted|cancel+ed|desk[- ]rejected)"
            r"(?:\s(?:paper|article|submission|abstract|by|from|due|at|because|for|on|as|prior|before)\b.{0,120})?",
            re.I,
        ),
    ),
    (
        "front_matter",
        re.compile(
            r"(?:(?:the )?(?:preface|foreword|frontmatter|front matter|introduction|proceedings|table of contents|contents|index|author index|message|welcome|organi[sz]ation|sponsors|editorial|committees?|program committee)"
            r"(?: (?:to|of|for|from)(?: the)? (?:the )?[^.]{0,100}\d{4}[^.]{0,30})?|current bibliography|book reviews?|erratum|corrigendum|errata|author.s reply|reply|title page|cover|back matter|backmatter)",
            re.I,
        ),
    ),
)
_NOISE_TAG = re.compile(r"<[^<>]{0,80}>")
_TRUNCATED = re.compile(
    r"\(ABSTRACT TRUNCATED(?: AT \d+ WORDS)?\)\W*$|\[?(?:abstract |text )?truncated\]?\W*$|(?:\.\.\.|…|\[\.\.\.\]|\[…\]|&hellip;)\s*(?:\(?(?:read|show|view|see|learn)?\s*(?:more|less|full abstract|full text|↗|»|>>)\)?)?\s*$",
    re.I,
)


def placeholder_rule(text: str) -> str | None:
    """The rule by which `text` is no abstract, or None where it may be one.

    >>> placeholder_rule("[No abstract available]"), placeholder_rule("<jats:p />"), placeholder_rule("We prove a")
    ('no_abstract', 'empty', None)
    """
    if len(text) > LONGEST:
        return None if text[:LONGEST].strip() or text.strip() else "empty"
    plain = _NOISE_TAG.sub(" ", text).strip()
    if _NOTHING.fullmatch(plain):
        return "placeholder" if plain and not plain.isspace() else "empty"
    core = re.sub(r"\s+", " ", plain).strip(" \t\n\r.,:;!*_-–—[](){}<>\"'“”‘’#~`")
    core = re.sub(r"^(?:abstract|summary)\s*[:.—–-]\s*", "", core, flags=re.I) or core
    return next((rule for rule, pattern in _RULES if pattern.fullmatch(core)), None)


def is_truncated(text: str) -> bool:
    """True for a preview: ends with an ellipsis, or says that it was cut.

    >>> is_truncated("a positive effect (ABSTRACT TRUNCATED AT 250 WORDS)"), is_truncated("We show that it holds.")
    (True, False)
    """
    tail = text[-60:]
    return (
        "..." in tail or "…" in tail or "runcated" in tail or "RUNCATED" in tail or "hellip" in tail
    ) and _TRUNCATED.search(tail) is not None
