"""Find the URLs, DOIs and arXiv ids of a clean text.

Each way of writing an address is one rule:

    scheme      https://github.com/a/b
    repaired    https://github. com/a/b   https:// github.com/a/b   https:/github.com/a/b
    www         www.example.org
    host_path   github.com/a/b
    bare_host   example.org, where the words around it send the reader there
    doi         10.1000/xyz123
    arxiv_id    arXiv:2504.14370

A URL ends where its sentence goes on: trailing punctuation, a closing bracket that the URL did not open, quotes and
CJK punctuation are not part of it. Nothing is ever fetched. Every scan is linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from pipeline.enrich import hosts, identifiers, url_kinds
from pipeline.model import Span, Url, UrlKind

MAX_LENGTH = 2048
"""Longer stretches are data, not addresses (the limit that browsers and sitemaps.org recommend)."""

_STOP = '\\s\\x00-\\x1f\\x7f-\\xa0<>"`{}|^\\\\“”„«»‹›‘’—…、。，；：！？（）【】「」『』《》〈〉｜\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff'
_HOST_RUN = re.compile(rf"[^{_STOP}!-,/:-@\[\]]+")
_LETTER = r"(?:[^\W\u2e80-\ud7ff\uf900-\ufaff]|-)"
_BARE_RUN = re.compile(rf"{_LETTER}+(?:\.{_LETTER}+)*")
_USER = re.compile(rf"[^{_STOP}/?#@\[\]]{{1,100}}@")
_PORT = re.compile(r":(\d{1,6})(?![\w.])")
_REST = re.compile(rf"[/?#](?:[^{_STOP}]|\\(?=[_%#&~$]))*")
_SCHEME = re.compile(r"(?:https?|(?<![a-z])ftp)$", re.IGNORECASE)
_MISTYPED_SCHEME = re.compile(r"(?<![a-z])h{0,2}t{1,3}p{1,2}(s{0,2})$|(?:^|[\s(]|\bURL)$", re.IGNORECASE)
_SPLIT_SCHEME = re.compile(r"(?<![a-z])(https?)\s?(?::\s?/{0,2}|//)\s?$", re.IGNORECASE)
_DOT_LETTERS = re.compile(r"\.[^\W\d_]{2}")
_WWW = re.compile(r"www\d?\.[^.]+\.", re.IGNORECASE)

_HOST_GOES_ON = re.compile(
    r"(?<=\.)\s{1,2}([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?=/)|(?<!\.)\s(\.[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?=/)"
)
_PATH_GOES_ON = re.compile(r"\s{1,2}([\w~][\w.~%+#?=&/-]*)")
_ENDING_GOES_ON = re.compile(r"\.\s(html?|php|pdf|git|aspx?|jsp)\b(?![-/\w])")
_IS_NAME_LIKE = re.compile(r"[-_/\d]|[a-z][A-Z]")
_REPOSITORY_HOSTS = frozenset("github.com gitlab.com bitbucket.org huggingface.co hf.co".split())

_GLUED_CJK = re.compile(r"(?<=[A-Za-z0-9])[\u2e80-\ud7ff\uf900-\ufaff]")
_TRAILING = ".,;:!?'*$"
_NAMESPACE = re.compile(r"/(?:1998/Math/MathML|1999/(?:xhtml|xlink|XSL)|2000/svg|2001/XMLSchema|XML/1998)")


class _Mention(NamedTuple):
    start: int
    end: int
    url: str
    host: str
    path: str
    rule: str


@cache
def confidences() -> dict[str, float]:
    """Precision of each rule on annotated abstracts, as measured by `benchmarks/urls.py --confidence`."""
    table = json.loads(files("pipeline.enrich").joinpath("lexicon/url_rules.json").read_text("utf-8"))
    return {rule: float(row["precision"]) for rule, row in table.items()}


def find_urls(text: str) -> tuple[Url, ...]:
    """The addresses that clean `text` gives, one row per distinct URL, in order of first mention.

    `spans` are all mentions as they stand, so `text[start:end]` is the surface. Never raises.
    """
    if "." not in text and "://" not in text and "rxiv" not in text:
        return ()
    mentions = _with_scheme(text) if "://" in text else []
    mentions += _without_scheme(text, mentions)
    if "10." in text:
        mentions += _outside(mentions, _dois(text))
    if "rxiv" in text or "RXIV" in text:
        mentions += _outside(mentions, _arxiv_ids(text))
    mentions.sort()
    return _rows(text, mentions)


def _with_scheme(text: str) -> list[_Mention]:
    found: list[_Mention] = []
    at, floor = text.find("://"), 0
    while at >= 0:
        scheme = _scheme_before(text, at, floor)
        mention = _read(text, at + 3, scheme) if scheme else None
        if mention:
            if mention.host != "www.w3.org" or not _NAMESPACE.match(mention.path):
                found.append(mention)
            floor = mention.end
        at = text.find("://", max(at + 3, floor))
    return found


def _scheme_before(text: str, at: int, floor: int) -> tuple[int, str, str] | None:
    """Start, name and rule of the scheme whose `://` stands at `at`; None if it is none of ours."""
    low = max(floor, at - 6)
    before = text[low:at]
    match = _SCHEME.search(before)
    if match:
        start = low + match.start()
        if text[start - 1 : start] in ("#", "_") or (
            text[start - 1 : start] == "@" and not text[start - 2 : start - 1].isalnum()
        ):
            return None
        return start, match.group().lower(), "scheme"
    match = _MISTYPED_SCHEME.search(before)
    if not match:
        return None
    written = match.group(1) is not None
    return (low + match.start() if written else at + 3), ("https" if match.group(1) != "" else "http"), "repaired"


def _read(text: str, start: int, scheme: tuple[int, str, str], run_of: re.Pattern[str] = _HOST_RUN) -> _Mention | None:
    """The URL whose host starts at `start`; None if there is no host or no end."""
    surface, name, rule = scheme
    user = _USER.match(text, start, start + 101)
    host_start = user.end() if user else start
    run = run_of.match(text, host_start, host_start + 256)
    if not run:
        return None
    host, end = _whole_host(text, run)
    if not host:
        if run.group().lower() != "localhost":
            return None
        host, end = "localhost", run.end()
    elif end > run.end():
        rule = "repaired"
    port = _PORT.match(text, end)
    if port:
        if int(port[1]) > 65535:
            return None
        end = port.end()
    elif host == "localhost":
        return None
    rest, end, joined = _rest(text, end, host.lower())
    if end - surface > MAX_LENGTH:
        return None
    url = f"{name}://{user.group() if user else ''}{host.lower()}{port.group() if port else ''}{rest}"
    return _Mention(surface, end, url, host.lower(), rest, "repaired" if joined else rule)


def _whole_host(text: str, run: re.Match[str]) -> tuple[str, int]:
    """The host at `run` and its end; a host that a space or line end cuts in two is joined."""
    length = hosts.host_length(run.group())
    if length:
        return run.group()[:length], run.start() + length
    rest = _HOST_GOES_ON.match(text, run.end(), run.end() + 128)
    if rest:
        host = run.group() + (rest[1] or rest[2])
        if hosts.host_length(host) == len(host):
            return host, rest.end()
    return "", run.start()


def _rest(text: str, start: int, host: str) -> tuple[str, int, bool]:
    """Path, query and fragment from `start`, where they end in `text`, and whether a gap in them was closed."""
    limit = _next_url(text, start)
    match = _REST.match(text, start, limit)
    rest = _tidy(match.group(), host) if match else ""
    end = start + len(rest)
    more = None
    if end < len(text) and text[end] in " \n.":
        more = _continuation(text, end, host, rest)
    if more:
        rest, end = rest + more[0], more[1]
    return re.sub(r"\\(?=[_%#&~$])", "", rest).replace("\\", ""), end, more is not None


def _next_url(text: str, start: int) -> int:
    """Where the URL that starts before `start` must end: at the next URL, unless that is part of its path or query."""
    limit = start + MAX_LENGTH
    at = text.find("://", start, limit)
    while at >= 0:
        scheme = _SCHEME.search(text, max(start, at - 5), at)
        if scheme and text[scheme.start() - 1] not in "/=:?&":
            return scheme.start()
        at = text.find("://", at + 3, limit)
    return limit


def _tidy(rest: str, host: str) -> str:
    """`rest` up to where the sentence goes on: see the module's docstring."""
    rest = _cut(rest, identifiers.ESCAPED_MARKUP)
    rest = _cut(rest, _GLUED_CJK)
    if host in _REPOSITORY_HOSTS:
        rest = re.split(r"[,;]", rest, maxsplit=1)[0]
    rest = identifiers.cut_at_bracket(rest)
    while True:
        short = rest.rstrip(_TRAILING)
        short = short.removesuffix("'s")
        if short[-1:] in ("(", "["):
            short = short[:-1]
        if short == rest:
            return rest
        rest = short


def _cut(rest: str, pattern: re.Pattern[str]) -> str:
    match = pattern.search(rest)
    return rest[: match.start()] if match else rest


def _continuation(text: str, end: int, host: str, rest: str) -> tuple[str, int] | None:
    """What follows a gap at `end` and belongs to the URL (and its end), else None.

    Only where the URL cannot be complete: `https://github.com/ owner/name`. A word of the sentence
    (`https://github.com/name/ soon`) is not taken.
    """
    if rest and text[end] == ".":
        ending = _ENDING_GOES_ON.match(text, end)
        return (f".{ending[1]}", ending.end()) if ending else None
    gap = _PATH_GOES_ON.match(text, end, end + 256)
    if not gap or not rest.endswith("/") or not _wants_more(host, rest):
        return None
    token = _tidy(gap[1], host)
    if (
        not _IS_NAME_LIKE.search(token)
        or "://" in gap[1]
        or (host in _REPOSITORY_HOSTS and rest == "/" and "/" not in token)
    ):
        return None
    return token, gap.start(1) + len(token)


def _wants_more(host: str, rest: str) -> bool:
    depth = rest.count("/") - 1
    if host in _REPOSITORY_HOSTS:
        return depth < (3 if rest.startswith(("/datasets/", "/spaces/")) else 2)
    if host == "sites.google.com":
        return rest.endswith(("/view/", "/site/"))
    return host == "anonymous.4open.science" and rest in ("/", "/r/")


def _without_scheme(text: str, taken: list[_Mention]) -> list[_Mention]:
    found: list[_Mention] = []
    spans = iter(taken)
    span = next(spans, None)
    floor = 0
    dot = _DOT_LETTERS.search(text)
    while dot:
        while span and span.end <= dot.start():
            floor, span = max(floor, span.end), next(spans, None)
        if span and span.start <= dot.start():
            floor = span.end
        else:
            start = _run_start(text, dot.start(), floor)
            run = _BARE_RUN.match(text, start)
            mention = _read_bare(text, run, floor) if run else None
            if mention:
                found.append(mention)
            floor = max(dot.start() + 1, mention.end if mention else run.end() if run else 0)
        dot = _DOT_LETTERS.search(text, floor)
    return found


def _run_start(text: str, at: int, floor: int) -> int:
    while at > floor and (text[at - 1].isalnum() or text[at - 1] in "-_.") and not hosts.is_cjk(text[at - 1]):
        at -= 1
    return at


def _read_bare(text: str, run: re.Match[str], floor: int) -> _Mention | None:
    """The address at `run`, a stretch of host characters without a scheme; None if it is a name or a slip of the space bar."""
    start = run.start()
    length = hosts.host_length(run.group()[:256])
    if not length or len(run.group()) > 255:
        return None
    host, end = run.group()[:length], start + length
    before, after = text[start - 1 : start], text[end : end + 1]
    low = max(floor, start - 12)
    split = _SPLIT_SCHEME.search(text, low, start)
    if split and split.group().endswith("://"):
        split = None
    if (
        after == "@"
        or (after == "+" and "@" in text[end : end + 64].split(" ")[0])
        or (before and before in "@#$\\/_.&=" and not split)
    ):
        return None
    port = _PORT.match(text, end)
    if split:
        rule = "repaired"
    elif _WWW.match(host):
        rule = "www"
    elif (
        after == "/"
        and text[end + 1 : end + 2].isalnum()
        and hosts.may_head_path(host)
        or (port and text[port.end() : port.end() + 1] == "/")
    ):
        rule = "host_path"
    elif (
        not port
        and not (after == ":" and text[end + 1 : end + 2].isdecimal())
        and hosts.is_address(host, text[max(0, start - 80) : start], text[end : end + 80])
    ):
        rule = "bare_host"
    else:
        return None
    return _read(
        text, start, (split.start() if split else start, split[1].lower() if split else "https", rule), _BARE_RUN
    )


def _dois(text: str) -> list[_Mention]:
    return [
        _Mention(start, end, doi_url(doi), "doi.org", f"/{doi.lower()}", "doi")
        for start, end, doi in identifiers.find_dois(text)
    ]


def _arxiv_ids(text: str) -> list[_Mention]:
    return [
        _Mention(start, end, f"https://arxiv.org/abs/{name}", "arxiv.org", f"/abs/{name}", "arxiv_id")
        for start, end, name in identifiers.find_arxiv_ids(text)
    ]


def doi_url(doi: str) -> str:
    """The URL that stands for `doi` in the table."""
    return f"https://doi.org/{doi.lower()}"


def _outside(taken: list[_Mention], found: list[_Mention]) -> list[_Mention]:
    """Those of `found` that overlap none of `taken`."""
    covered = sorted((mention.start, mention.end) for mention in taken)
    out, index = [], 0
    for mention in found:
        while index < len(covered) and covered[index][1] <= mention.start:
            index += 1
        if index == len(covered) or covered[index][0] >= mention.end:
            out.append(mention)
    return out


def _rows(text: str, mentions: list[_Mention]) -> tuple[Url, ...]:
    rows: dict[str, tuple[_Mention, str, str | None, UrlKind, list[Span]]] = {}
    previous = 0
    for mention in mentions:
        doi = identifiers.doi_of(mention.host, mention.path)
        arxiv_id = identifiers.arxiv_id_of(mention.host, mention.path)
        url = mention.url
        if doi and mention.host.endswith("doi.org"):
            url = doi_url(doi)
        elif arxiv_id and mention.path.startswith("/abs/"):
            url = f"https://arxiv.org/abs/{arxiv_id}"
        key = _same_address(url)
        if key in rows:
            rows[key][4].append((mention.start, mention.end))
        else:
            before, after = text[previous : mention.start], text[mention.end : mention.end + 40]
            kind = (
                url_kinds.doi_kind(doi, before)
                if doi
                else url_kinds.url_kind(mention.host, mention.path, before, after)
            )
            rows[key] = (mention, url, doi or arxiv_id, kind, [(mention.start, mention.end)])
        previous = mention.end
    return tuple(_row(*row) for row in rows.values())


def _row(mention: _Mention, url: str, identifier: str | None, kind: UrlKind, spans: list[Span]) -> Url:
    host = "doi.org" if url.startswith("https://doi.org/") else mention.host
    return Url(
        url=url,
        kind=kind,
        host=host,
        spans=tuple(spans),
        rule=mention.rule,
        confidence=confidences()[mention.rule],
        repository=identifiers.repository_of(mention.host, mention.path),
        identifier=identifier,
    )


def _same_address(url: str) -> str:
    """What two spellings of one address share: scheme http or https, `www.` and a last slash make no difference."""
    return re.sub(r"^https?://(?:www\.)?", "", url).rstrip("/")
