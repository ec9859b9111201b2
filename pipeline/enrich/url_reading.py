"""Read one URL from a place in a text: where its host, port and path end, and what a gap in the middle hides.

A URL ends where its sentence goes on: trailing punctuation, a closing bracket that the URL did not open, quotes and
CJK punctuation are not part of it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.enrich.hosts import host_length, word_list
from pipeline.enrich.identifiers import ESCAPED_MARKUP, cut_at_bracket

MAX_LENGTH = 2048
"""Longer stretches are data, not addresses (the limit of sitemaps.org, and of browsers for long)."""

# White space, control and format characters, lone surrogates, and what no URL of ours may hold.
_STOP = (
    r"\s\x00-\x1f\x7f-\xa0<>\"`{}|^\\“”„«»‹›‘’—…、。，；：！？（）【】「」『』《》〈〉｜"
    r"\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
)
_LETTER = r"(?:[^\W\u2e80-\ud7ff\uf900-\ufaff]|-)"
HOST_AFTER_SCHEME = re.compile(rf"[^{_STOP}!-,/:-@\[\]]+")
BARE_HOST = re.compile(rf"{_LETTER}+(?:\.{_LETTER}+)*")
PORT = re.compile(r":(\d{1,6})(?!\w|\.\d)")
SCHEME = re.compile(r"(?:https?|(?<![a-z])ftp)$", re.IGNORECASE)
_USER = re.compile(rf"[^{_STOP}/?#@\[\]]{{1,100}}@")
_ESCAPE = re.compile(r"\\(?=[_%#&~$])")
_REST = re.compile(rf"[/?#](?:[^{_STOP}]|{_ESCAPE.pattern})*")

_HOST_GOES_ON = re.compile(
    r"(?<=\.)\s{1,2}([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?=/)|(?<!\.)\s(\.[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?=/)"
)
_PATH_GOES_ON = re.compile(r"\s{1,2}([\w~/][\w.~%+#?=&/-]*)")
_ENDING_GOES_ON = re.compile(r"\.\s(html?|php|pdf|git|aspx?|jsp)\b(?![-/\w])")
_IS_NAME_LIKE = re.compile(r"[-_/\d]|[a-z][A-Z]")
_GLUED_CJK = re.compile(r"(?<=[A-Za-z0-9])[\u2e80-\ud7ff\uf900-\ufaff]")
_TRAILING = ".,;:!?'*$"


class Scheme(NamedTuple):
    """How a URL starts: where its surface does, the scheme it has or gets, and the rule that saw it."""

    start: int
    name: str
    rule: str


class Mention(NamedTuple):
    """One place where a text gives an address: `text[start:end]` is the surface, `path` all that follows the host."""

    start: int
    end: int
    url: str
    host: str
    path: str
    rule: str


def read_url(text: str, start: int, scheme: Scheme, run_of: re.Pattern[str] = HOST_AFTER_SCHEME) -> Mention | None:
    """The URL whose user or host starts at `start`; None if no valid host stands there."""
    user = _USER.match(text, start, start + 101)
    run = run_of.match(text, user.end() if user else start, start + 360)
    if not run:
        return None
    host, end = _whole_host(text, run)
    port = PORT.match(text, end)
    if not host or (port and int(port[1]) > 65535) or (host == "localhost" and not port):
        return None
    rule = "repaired" if end > run.end() else scheme.rule
    rest, end, has_gap = _rest(text, port.end() if port else end, host)
    url = f"{scheme.name}://{user.group() if user else ''}{host}{port.group() if port else ''}{rest}"
    return Mention(scheme.start, end, url, host, rest, "repaired" if has_gap else rule)


def _whole_host(text: str, run: re.Match[str]) -> tuple[str, int]:
    """The host at `run`, lower case, and its end; a host that a space or line end cuts in two is joined."""
    length = host_length(run.group())
    if length:
        return run.group()[:length].lower(), run.start() + length
    rest = _HOST_GOES_ON.match(text, run.end(), run.end() + 128)
    host = run.group() + (rest[1] or rest[2]) if rest else run.group().lower()
    if rest and host_length(host) == len(host):
        return host.lower(), rest.end()
    return ("localhost", run.end()) if host == "localhost" else ("", run.start())


def _rest(text: str, start: int, host: str) -> tuple[str, int, bool]:
    """Path, query and fragment from `start`, where they end in `text`, and whether a gap in them was closed."""
    match = _REST.match(text, start, _next_url(text, start))
    rest = _tidy(match.group(), host) if match else ""
    end = start + len(rest)
    more = _continuation(text, end, host, rest) if text[end : end + 1] in (" ", "\n", ".") else None
    if more:
        rest, end = rest + more[0], more[1]
    return _ESCAPE.sub("", rest), end, more is not None


def _next_url(text: str, start: int) -> int:
    """Where the URL that goes on at `start` must end: at the next URL, unless that is part of its path or query."""
    limit = start + MAX_LENGTH
    at = text.find("://", start, limit)
    while at >= 0:
        scheme = SCHEME.search(text, max(start, at - 5), at)
        if scheme and text[scheme.start() - 1] not in "/=:?&":
            return scheme.start()
        at = text.find("://", at + 3, limit)
    return limit


def _tidy(rest: str, host: str) -> str:
    """`rest` up to where the sentence goes on."""
    for pattern in (ESCAPED_MARKUP, _GLUED_CJK):
        match = pattern.search(rest)
        rest = rest[: match.start()] if match else rest
    if host in word_list("repository_hosts"):
        rest = re.split(r"[,;]", rest, maxsplit=1)[0]
    rest = cut_at_bracket(rest)
    while True:
        short = rest.rstrip(_TRAILING).removesuffix("'s").removesuffix("(").removesuffix("[")
        if short == rest:
            return rest
        rest = short


def _continuation(text: str, end: int, host: str, rest: str) -> tuple[str, int] | None:
    """What follows the gap at `end` and belongs to the URL, and where it ends; None if the URL ends here.

    Only where the URL cannot be complete: `https://github.com/ owner/name`, `page. html`. A word of the sentence
    (`https://github.com/name/ soon`) is not taken.
    """
    if text[end] == ".":
        ending = _ENDING_GOES_ON.match(text, end) if rest else None
        return (f".{ending[1]}", ending.end()) if ending else None
    gap = _PATH_GOES_ON.match(text, end, end + 256)
    if not gap or not _wants_more(host, rest) or rest.endswith("/") == gap[1].startswith("/"):
        return None
    token = _tidy(gap[1], host)
    is_part = _IS_NAME_LIKE.search(token[1:] if rest in ("", "/") else token)
    if not is_part or "//" in token or (len(rest) < 2 and "/" not in token[1:] and host != "anonymous.4open.science"):
        return None
    return token, gap.start(1) + len(token)


def _wants_more(host: str, rest: str) -> bool:
    """True if `rest` cannot be a whole path on `host`: a repository without its name, a site without its view."""
    if host in word_list("repository_hosts"):
        if rest.endswith(("/tree/", "/blob/")):
            return True
        return rest.count("/") <= (3 if rest.startswith(("/datasets/", "/spaces/")) else 2) and not re.search(
            r"/[^/]+/[^/]+$", rest
        )
    if host == "sites.google.com":
        return rest.endswith(("/view/", "/site/"))
    return host == "anonymous.4open.science" and rest in ("/", "/r/")
