"""What stands around the abstract proper: its heading, copyright lines; and warnings about what is missing."""

from __future__ import annotations

import re

from pipeline.clean.tracked import Draft, substitute

_NAMES = r"(?:Abstract|ABSTRACT|abstract|Résumé|Resumen|Resumo|Zusammenfassung|Riassunto|摘要|要旨|概要)"
_STARTERS = (
    r"(?:We|The|This|These|In|Our|A|An|To|It|There|Although|As|At|By|For|From|Given|How|If|Many|Most|Objectives?|Background|"
    r"Introduction|Aims?|Purpose|Importance|Context|Recent|Recently|Since|Some|Many|Two|Three|What|When|While|With|Despite|During|On|Here)"
)
_INITIALS = frozenset("AaRZ摘要概 ")
PREFIX = re.compile(
    rf"(?:\s*+(?:{_NAMES}(?:\s*+(?:[:：—–]|(?<!abstract)\.|-+(?=\s))|(?:[^\S\n]|\n(?!\n))*+\n\n)[\s:.—–-]*+|Abstract(?=[A-Z][a-z]+\b(?!-))(?={_STARTERS}\b)"
    rf"|(?:Abstract|ABSTRACT)\s++(?={_STARTERS}\b[^-])))+(?=\S)"
)
_COPYRIGHT = re.compile(
    r"(?:©|\([cC]\) ?(?:\d{4}|[Cc]opyright)|[Cc]opyright (?:©|\([cC]\)|\d{4}|[Oo]f the|by)|All [Rr]ights [Rr]eserved|"
    r"Published by Elsevier|\(PsycI?NFO Database Record)"
)
_START_OF_TAIL = re.compile(
    r"(?<=[.!?)\]\"”]) (?=(?:©|\([cC]\) ?(?:\d{4}|[Cc]opyright)|[Cc]opyright (?:©|\([cC]\)|\d{4})|All [Rr]ights [Rr]eserved|"
    r"Published by Elsevier|\(PsycI?NFO Database Record))"
)
_BANNER = re.compile(r"(?:website|site) uses cookies|We use cookies|JavaScript is disabled|Please enable JavaScript")
_LONGEST_TAIL = 400
_LOST_URL = re.compile(r"\bthis https? URL\b")
_LOST_TEXT = re.compile(r"\bthis http URL(?: [^\W\d_]|-\w)")
_CUT = re.compile(r"\(ABSTRACT TRUNCATED[^()]*\)")
_LEFTOVER = re.compile(
    r"\\[a-zA-Z]{2,}|\*\*\w|\$[^$\d\s][^$]{0,80}\$|</?(?:[bip]|su[bp]|tex-math|jats:\w+|mml:\w+)>|&(?:#\d+|#x[0-9a-fA-F]+|[A-Za-z]{2,8});"
)


def drop_heading(text: str) -> Draft:
    """Drop `Abstract:` (and its like in other languages) from the start; `Abstract Meaning Representation` stays.

    >>> drop_heading("Abstract— We test.").result(), drop_heading("AbstractThe aim").result(), drop_heading("Abstract games").result()
    ('We test.', 'The aim', 'Abstract games')
    """
    m = PREFIX.match(text)
    return substitute(text, [(0, m.end(), "")] if m else [], "abstract_heading")


def may_have_heading(text: str) -> bool:
    """Whether a text may start with a heading; cheap."""
    return text[:1] in _INITIALS and PREFIX.match(text) is not None


def separate_copyright(text: str) -> Draft:
    """Give a copyright line at the end a paragraph of its own; nothing of it is lost, the flag `boilerplate` tells.

    >>> separate_copyright("It works. © 2024 Elsevier. All rights reserved.").result()
    'It works.\\n\\n© 2024 Elsevier. All rights reserved.'
    """
    start = max(len(text) - _LONGEST_TAIL, 0)
    m = _START_OF_TAIL.search(text, start)
    if m and _COPYRIGHT.match(text, text.rfind("\n\n", 0, m.start()) + 2):
        m = None
    draft = substitute(text, [(m.start(), m.end(), "\n\n")] if m else [])
    if _COPYRIGHT.search(text, start) or _BANNER.search(text, 0, _LONGEST_TAIL):
        draft.flags.add("boilerplate")
    return draft


def may_hold_copyright(text: str) -> bool:
    """Whether a text may end in a copyright line or be a banner; cheap."""
    tail, head = text[-_LONGEST_TAIL:], text[:_LONGEST_TAIL]
    return (
        "©" in tail or "opyright" in tail or "eserved" in tail or "(c)" in tail or "(C)" in tail or "Elsevier" in tail
        or "PsycI" in tail or "ookies" in head or "JavaScript" in head
    )  # fmt: skip


def warn(text: str) -> set[str]:
    """The flags that a clean text shows by itself: lost URLs and words, a cut end, mark-up that is left.

    >>> sorted(warn("Code is at this https URL and more..."))
    ['truncated', 'url_lost']
    """
    flags = warn_prose(text)
    if may_hold_leftover(text):
        flags.add("literal_markup")
    return flags


def may_hold_leftover(text: str) -> bool:
    """Whether a clean text holds what looks like mark-up."""
    signs = "\\" in text or "**" in text or "$" in text or "<" in text or "&" in text
    return signs and _LEFTOVER.search(text) is not None


def warn_prose(text: str) -> set[str]:
    """The same for a text without any sign of mark-up."""
    flags = set()
    if " URL" in text and _LOST_URL.search(text):
        flags.add("url_lost")
        if _LOST_TEXT.search(text):
            flags.add("text_lost")
    end = text[-6:].rstrip("\"'”’)]")
    if end.endswith(("...", "…")) or ("TRUNCATED" in text[-100:] and _CUT.search(text)):
        flags.add("truncated")
    return flags
