"""Account for what cleaning leaves out: every word, number, `%` and URL of the raw text is in the clean text, or there is a reason.

`clean_text` counts what it drops by reason, of the closed list `REASONS`. `find_losses` does not believe it: from the offset map it
takes the stretches of raw text that were changed or dropped, takes off what is known to be mark-up, and reports each token that is left.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from pipeline.model import CleanText

#: Why something of the raw text is not in the clean text.
REASONS = {
    "abstract_heading": "the heading `Abstract:` at the start",
    "accent": "an accent on something that can carry none",
    "block_mark": "a Markdown mark of a heading, list, quote, rule, fence or table",
    "citation": "a citation, its key included",
    "code": "the backticks around code",
    "comment": "a comment of TeX or HTML, a declaration",
    "definition": "the definition of a macro, of a link's address or of a footnote; a preamble",
    "emphasis": "the marks of Markdown emphasis",
    "entity": "an entity, decoded",
    "escape": "the backslash before an escaped character",
    "footnote": "the mark of a Markdown footnote",
    "group": "the braces of a group",
    "hidden_character": "an invisible or control character",
    "label": "a label of TeX",
    "layout": "a length, colour or file that a macro of layout takes",
    "line_end": "a line end inside a word, a URL or a percentage",
    "link": "the marks of a Markdown link",
    "link_target": "the address of a link that is its text or leads nowhere outside its page",
    "macro": "the name of a macro",
    "math_delimiter": "the marks around a formula",
    "option": "the optional argument of a macro",
    "reference": "a reference by label (`\\ref`), whose number is not in the source",
    "tag": "a tag of HTML, JATS or MathML",
    "unknown_macro": "the name of a macro that is not known",
}

_ARGUMENT = r"\s*(?:\[[^\]]{0,400}\]\s*)*\\?\{[^{}]*\}"
_EXPLAINED = re.compile(
    r"\A(?s:.{0,4000}?)\\begin\s*\{document\}|\\begin\s*\{(?:array|tabular\w*|longtable|table|figure|wrapfigure|minipage|multicols|enumerate|itemize)\*?\}"
    r"(?:\[[^\]]*\]|\{[^{}]*\})*|\\(?:no)?(?:line|page)break\[\d\]|\\newenvironment\*?\s*\{[^{}]*\}(?:\[[^\]]*\])*\{[^{}]*\}\{[^{}]*\}|<!\[CDATA\["
    rf"|\\{{1,2}}[A-Za-z]*[cC]ite[A-Za-z]*\*?{_ARGUMENT}|\\(?:label|ref|eqref|autoref|[cC]ref|pageref|nocite|bibliography\w*|begin|end){_ARGUMENT}"
    rf"|\\{{1,2}}(?:[vh]space|color|textcolor|colorbox|includegraphics|raisebox|scalebox|rotatebox|hypertarget|hyperlink|usepackage|documentclass|"
    rf"setlength|phantom|[hv]phantom|input|index|foreignlanguage|definecolor|rowcolor|cellcolor|multicolumn|SI|qty)\*?{_ARGUMENT}"
    r"|\\(?:re|provide)?newcommand\*?\s*\{?\s*\\[A-Za-z]+\}?(?:\[[^\]]*\])*(?:\{[^{}]*\})?|\\def\s*\\[A-Za-z]+[^{}]*(?:\{[^{}]*\})?"
    r"|\\(?:unicode|ding|symbol)\s*\{[^{}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\n(?=[A-Z\s]|\\|$)(?![A-Za-z]+\{)"
    r"|\\{1,2}[A-Za-z]+\*?(?:\[[^\]]*\](?=\{))?|\\."
    r"|<!--(?s:.{0,4000}?)-->|<\?(?s:.{0,4000}?)\?>|<![^<>]*>|<(?:script|style|annotation)(?s:.{0,4000}?)</[^<>]*>|</?[A-Za-z][^<>]*>"
    r"|&(?:amp;)?#?[A-Za-z0-9]+;"
    r"|\]\s*\([^()\s]*(?:\s+[\"'(][^()]*)?\)|\]\[[^\[\]]*\]|^[^\S\n]*\[[^\]\n]+\]:\s*\S+(?:\s+[\"'(].*)?$|~{3,}[^\n]*$|`{3,}[^\n`]*$"
    r"|\[\^[^\]\s]+\]:?|^[^\S\n]*%.*$",
    re.MULTILINE,
)
_HEADING = re.compile(r"(?<!\s)\s*(?:abstract|résumé|resumen|resumo|zusammenfassung|riassunto|摘要|要旨|概要)[\s:：.—–-]*", re.IGNORECASE)
_TOKEN = re.compile(r"https?://[^\s{}<>\"\\]+|\d+|[^\W\d_]+|%")
_NON_ASCII = re.compile("[^\x00-\x7f]+")
_MARKS = re.compile("[\u0300-\u036f\u20d7]")


def find_losses(raw: str, cleaned: CleanText) -> list[str]:
    """The words, numbers, `%` and URLs of `raw` that are missing from `cleaned` without a reason; empty if all are accounted for.

    >>> from pipeline.clean import clean_text
    >>> text = r"\\textbf{A} cuts 63\\%, see \\cite{k} and [b](https://a.org)."
    >>> find_losses(text, clean_text(text))
    []
    """
    lost: list[str] = []
    for start, end, written in _changed(raw, cleaned):
        source = raw[start:end]
        if "mojibake_repaired" in cleaned.flags:
            source = _NON_ASCII.sub(" ", source)
        if not any(c.isalnum() or c == "%" for c in source):
            continue
        missing = _tokens(_unmarked(source, start == 0)) - _tokens(written)
        lost += [token for token in missing.elements() if not _is_elsewhere(token, cleaned.text)]
    if not lost:
        return lost
    before, after = _tokens(_unmarked(raw, True)), _tokens(cleaned.text)
    return [token for token in lost if before[token] > after[token]]


def _changed(raw: str, cleaned: CleanText) -> Iterator[tuple[int, int, str]]:
    """Stretches of `raw` that do not stand in the clean text as they are, and what was written for them."""
    copied: list[tuple[int, int, str]] = []
    written: list[tuple[int, int, str]] = []
    for a, b, raw_a, raw_b in cleaned.map.segments:
        (copied if b - a == raw_b - raw_a else written).append((raw_a, raw_b, cleaned.text[a:b]))
    position = 0
    replaced = sorted(written)
    index = 0
    for raw_a, raw_b, _ in [*sorted(copied), (len(raw), len(raw), "")]:
        if raw_a > position:
            parts = []
            while index < len(replaced) and replaced[index][0] < raw_a:
                parts.append(replaced[index][2])
                index += 1
            yield position, raw_a, " ".join(parts)
        position = max(position, raw_b)


def _unmarked(source: str, is_start: bool) -> str:
    """A stretch of raw text without what is known to be mark-up."""
    text = _EXPLAINED.sub(lambda m: "%" if m[0] == "\\%" else " ", source)
    return _HEADING.sub(" ", text, count=1) if is_start else text


def _tokens(text: str) -> Counter[str]:
    """Words without accents, numbers, percent signs and URLs, counted."""
    folded = _MARKS.sub("", unicodedata.normalize("NFKD", text)).casefold().replace("ı", "i")
    return Counter(_TOKEN.findall(folded))


def _is_elsewhere(token: str, text: str) -> bool:
    """Whether a URL that was left out stands in the text already."""
    return "://" in token and token.rstrip("/.,;)") in text.casefold()
