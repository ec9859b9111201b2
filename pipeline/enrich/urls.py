"""Find the URLs, DOIs and arXiv ids of a clean text.

Each way of writing an address is one rule:

    scheme      https://github.com/a/b
    repaired    https://github. com/a/b   https:// github.com/a/b   https:/github.com/a/b
    www         www.example.org
    host_path   github.com/a/b
    bare_host   example.org, where the words around it send the reader there
    doi         10.1000/xyz123
    arxiv_id    arXiv:2504.14370

Nothing is ever fetched. Every scan is linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

from pipeline.enrich import hosts, identifiers, url_kinds
from pipeline.enrich.url_reading import BARE_HOST, MAX_LENGTH, PORT, SCHEME, Mention, Scheme, read_url
from pipeline.model import Span, Url

_MISTYPED_SCHEME = re.compile(r"(?<![a-z])h{0,2}t{1,3}p{1,2}(s{0,2})$", re.IGNORECASE)
_LOST_SCHEME = re.compile(r"(?:^|[\s(]|\bURL)$")
_TAGGED = re.compile(r"(?:[#_]|(?<![^\W_])@)$")
_SPLIT_SCHEME = re.compile(r"(?<![a-z])(https?)\s?(?::\s?/{0,2}|//)\s?$", re.IGNORECASE)
_DOT_LETTERS = re.compile(r"\.[^\W\d_]{2}")
_EMAIL_GOES_ON = re.compile(r"(?:\+[\w.+-]{0,64})?@")
_NO_ADDRESS_AFTER = "@#$\\/_.&="
_PATH_START = re.compile(r"[~˜]?\w")
_WWW = re.compile(r"www\d?\.[^.]+\.", re.IGNORECASE)
_NAMESPACE = re.compile(r"/(?:1998/Math/MathML|1999/(?:xhtml|xlink|XSL)|2000/svg|2001/XMLSchema|XML/1998)")


@cache
def confidences() -> dict[str, float]:
    """Precision of each rule on annotated abstracts, as measured by `benchmarks/urls.py --confidence`."""
    table = json.loads(files("pipeline.enrich").joinpath("lexicon/url_rules.json").read_text("utf-8"))
    return {rule: float(row["precision"]) for rule, row in table.items()}


def find_urls(text: str) -> tuple[Url, ...]:
    """The addresses that clean `text` gives, one row per distinct URL, in order of first mention.

    `spans` are all mentions as they stand, so `text[start:end]` is the surface. Never raises.
    """
    if "." not in text and ":" not in text:
        return ()
    mentions = _with_scheme(text) if "://" in text else []
    mentions += _without_scheme(text, mentions)
    if "10." in text:
        mentions += _outside(mentions, _dois(text))
    if "rXiv" in text or "rxiv" in text or "RXIV" in text:
        mentions += _outside(mentions, _arxiv_ids(text))
    mentions.sort()
    return _rows(text, mentions)


def _with_scheme(text: str) -> list[Mention]:
    found: list[Mention] = []
    at, floor = text.find("://"), 0
    while at >= 0:
        scheme = _scheme_before(text, at, floor)
        mention = read_url(text, at + 3, scheme) if scheme else None
        if mention:
            is_namespace = mention.host == "www.w3.org" and _NAMESPACE.match(mention.path)
            if not is_namespace and mention.end - mention.start <= MAX_LENGTH:
                found.append(mention)
            floor = mention.end
        at = text.find("://", max(at + 3, floor))
    return found


def _scheme_before(text: str, at: int, floor: int) -> Scheme | None:
    """The scheme whose `://` stands at `at`; None if it is none of ours. A lost one (`this http URL://x.org`) is https."""
    low = max(floor, at - 6)
    match = SCHEME.search(text, low, at)
    if match:
        return (
            None
            if _TAGGED.search(text, max(0, match.start() - 2), match.start())
            else Scheme(match.start(), match.group().lower(), "scheme")
        )
    match = _MISTYPED_SCHEME.search(text, low, at)
    if match:
        return Scheme(match.start(), "https" if match[1] else "http", "repaired")
    return Scheme(at + 3, "https", "repaired") if _LOST_SCHEME.search(text, low, at) else None


def _without_scheme(text: str, taken: list[Mention]) -> list[Mention]:
    """Addresses without a scheme, outside of those `taken` (in order)."""
    found: list[Mention] = []
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
            run = BARE_HOST.match(text, _run_start(text, dot.start(), floor))
            mention = _read_bare(text, run, floor) if run else None
            if mention:
                found.append(mention)
            floor = mention.end if mention else max(run.end() if run else 0, dot.start() + 1)
        dot = _DOT_LETTERS.search(text, floor)
    return found


def _run_start(text: str, at: int, floor: int) -> int:
    while at > floor and (text[at - 1].isalnum() or text[at - 1] in "-_.") and not hosts.is_cjk(text[at - 1]):
        at -= 1
    return at


def _read_bare(text: str, run: re.Match[str], floor: int) -> Mention | None:
    """The address at `run`, a stretch of host characters; None if it is a name, an e-mail or two joined sentences."""
    start = run.start()
    length = hosts.host_length(run.group()) if run.end() - start < 256 else 0
    end = start + length
    if not length or _EMAIL_GOES_ON.match(text, end):
        return None
    split = _SPLIT_SCHEME.search(text, max(floor, start - 12), start)
    if split and not split.group().endswith("://"):
        return read_url(text, start, Scheme(split.start(), split[1].lower(), "repaired"), BARE_HOST)
    if text[start - 1 : start] in _NO_ADDRESS_AFTER and start:
        return None
    rule = _bare_rule(text, start, end)
    return read_url(text, start, Scheme(start, "https", rule), BARE_HOST) if rule else None


def _bare_rule(text: str, start: int, end: int) -> str | None:
    """The rule by which the host `text[start:end]` is an address without a scheme."""
    host = text[start:end]
    port = PORT.match(text, end)
    slash = port.end() if port else end
    if _WWW.match(host):
        return "www"
    if text[slash : slash + 1] == "/" and _PATH_START.match(text, slash + 1) and hosts.may_head_path(host):
        return "host_path"
    is_pair = text[end : end + 1] == ":" and text[end + 1 : end + 2].isdecimal()
    if not is_pair and hosts.is_address(host, text[max(0, start - 80) : start], text[end : end + 80]):
        return "bare_host"
    return None


def _dois(text: str) -> list[Mention]:
    return [
        Mention(start, end, f"https://doi.org/{doi.lower()}", "doi.org", f"/{doi.lower()}", "doi")
        for start, end, doi in identifiers.find_dois(text)
    ]


def _arxiv_ids(text: str) -> list[Mention]:
    return [
        Mention(start, end, f"https://arxiv.org/abs/{name}", "arxiv.org", f"/abs/{name}", "arxiv_id")
        for start, end, name in identifiers.find_arxiv_ids(text)
    ]


def _outside(taken: list[Mention], found: list[Mention]) -> list[Mention]:
    """Those of `found` that overlap none of `taken`."""
    covered = sorted((mention.start, mention.end) for mention in taken)
    out, index = [], 0
    for mention in found:
        while index < len(covered) and covered[index][1] <= mention.start:
            index += 1
        if index == len(covered) or covered[index][0] >= mention.end:
            out.append(mention)
    return out


def _rows(text: str, mentions: list[Mention]) -> tuple[Url, ...]:
    rows: dict[str, tuple[Mention, str, list[Span]]] = {}
    previous = 0
    for mention in mentions:
        span = (mention.start, mention.end)
        rows.setdefault(_same_address(_url_of(mention)), (mention, text[previous : mention.start], []))[2].append(span)
        previous = mention.end
    return tuple(_row(mention, before, text, spans) for mention, before, spans in rows.values())


def _row(mention: Mention, before: str, text: str, spans: list[Span]) -> Url:
    host, path = mention.host, mention.path
    doi = identifiers.doi_of(host, path)
    if doi:
        kind = url_kinds.doi_kind(doi, before)
    else:
        kind = url_kinds.url_kind(host, path, before, text[mention.end : mention.end + 40])
    return Url(
        url=_url_of(mention),
        kind=kind,
        host="doi.org" if host in identifiers.DOI_RESOLVERS and doi else host,
        spans=tuple(spans),
        rule=mention.rule,
        confidence=confidences()[mention.rule],
        repository=identifiers.repository_of(host, path),
        identifier=doi or identifiers.arxiv_id_of(host, path),
    )


def _url_of(mention: Mention) -> str:
    """The URL of the row: one form for all spellings of a DOI, one for those of an arXiv id, else as read."""
    doi = identifiers.doi_of(mention.host, mention.path) if mention.host in identifiers.DOI_RESOLVERS else None
    if doi:
        return f"https://doi.org/{doi}"
    name = identifiers.arxiv_id_of(mention.host, mention.path) if mention.path.startswith("/abs/") else None
    return f"https://arxiv.org/abs/{name}" if name else mention.url


def _same_address(url: str) -> str:
    """What two spellings of one address share: scheme http or https, `www.` and a last slash make no difference."""
    return re.sub(r"^https?://(?:www\.)?", "", url).rstrip("/")
