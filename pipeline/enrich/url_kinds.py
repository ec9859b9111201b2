"""What a URL leads to: code, data, a model, a demonstration, a project page, a paper, or something else.

Evidence, the more specific first: what the host and path are (a dataset on a hub, a video, a DOI of a publisher),
the words that announce the URL, and what the host is mostly used for.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache
from itertools import chain, pairwise

from pipeline.enrich.hosts import word_list
from pipeline.model import UrlKind

_SITE_HOSTS = re.compile(
    r"(?:.+\.)?(?:github|gitlab)\.io|sites\.google\.com|.+\.(?:notion\.site|netlify\.app|vercel\.app|pages\.dev|web\.app"
    r"|wixsite\.com|weebly\.com|wordpress\.com|blogspot\.com|readthedocs\.io)"
)
_DEMO_SITES = re.compile(r".+\.(?:streamlit\.app|hf\.space|gradio\.live|gradio\.app)$|(?:huggingface|hf)\.co/spaces/")
# Registrants of data repositories: Zenodo, figshare, Mendeley Data, Dryad, Dataverse, OSF, IEEE DataPort, PhysioNet.
_DATA_DOIS = ("10.5281/", "10.6084/", "10.17632/", "10.5061/", "10.7910/", "10.17605/", "10.21227/", "10.13026/")

_CUE_KINDS: tuple[UrlKind, ...] = ("project", "code", "data", "demo", "model", "paper")
_WORD = re.compile(r"[a-z]+")
_SENTENCE_END = re.compile(r"[.!?。！？]\s+(?=\S)")
_POINTS_BACK = frozenset({"it", "they", "these", "this", "both", "all", "which"})
_REACH = 240
_DEMO: frozenset[UrlKind] = frozenset({"demo"})
_FILE_KINDS: tuple[tuple[UrlKind, tuple[str, ...]], ...] = (
    ("paper", (".pdf", ".ps")),
    ("data", (".zip", ".csv", ".json", ".tar.gz", ".tgz", ".xml", ".txt", ".tsv", ".parquet")),
    ("demo", (".mp4", ".avi", ".mov")),
)


def url_kind(host: str, path: str, before: str, after: str) -> UrlKind:
    """The kind of the URL `host` + `path` that stands between `before` (back to the previous URL) and `after`."""
    host = host.removeprefix("www.")
    cues = _announced(before, after)
    return _by_host(host, path, cues) or _by_words(host, path, cues or _kinds_in(before[-_REACH:].lower()))


def doi_kind(doi: str, before: str) -> UrlKind:
    """The kind of what `doi` names: registrants that keep data are known, all others publish papers."""
    if not doi.startswith(_DATA_DOIS):
        return "paper"
    cues = _announced(before, "")
    return "code" if "code" in cues and "data" not in cues else "data"


def _by_host(host: str, path: str, cues: Set[UrlKind]) -> UrlKind | None:
    if _DEMO_SITES.match(host + path) or host in word_list("video_hosts"):
        return "demo"
    if host in word_list("model_hosts"):
        return _hub_kind(path, cues)
    if host in word_list("code_hosts") or host.startswith(("gitlab.", "git.")):
        if "code" in cues:
            return "code"
        return "data" if "data" in cues else "project" if "project" in cues else "code"
    if host in word_list("data_hosts"):
        return "code" if path.startswith("/code/") or ("code" in cues and "data" not in cues) else "data"
    if _SITE_HOSTS.fullmatch(host):
        return "project"
    if host in word_list("paper_hosts"):
        return "paper"
    return "other" if host in word_list("other_hosts") else None


def _hub_kind(path: str, cues: Set[UrlKind]) -> UrlKind:
    section = path.lstrip("/").partition("/")[0]
    if section == "datasets":
        return "data"
    if section == "papers":
        return "paper"
    return "data" if "data" in cues and not cues & {"model", "code"} else "model"


def _by_words(host: str, path: str, cues: Set[UrlKind]) -> UrlKind:
    """A page of its own for several things is a project page; a shortened address leads to the code before the data."""
    is_page = host not in word_list("short_hosts")
    if "project" in cues or (is_page and len(cues & {"code", "data", "model", "demo"}) > 1):
        return "project"
    for kind in ("code", "data", "demo", "model", "paper"):
        if kind in cues:
            return kind
    lower = path.lower().partition("?")[0]
    return next((kind for kind, ends in _FILE_KINDS if lower.endswith(ends)), "other")


@cache
def _cue_words() -> dict[str, UrlKind]:
    return {cue: kind for kind in _CUE_KINDS for cue in word_list(f"cue_{kind}")}


def _announced(before: str, after: str) -> frozenset[UrlKind]:
    """The kinds whose words stand in the sentence before the URL, or right after it (`U (code)`).

    A sentence that says nothing itself ("It is available at U") takes them from the one before.
    """
    before = before[-_REACH:].lower()
    start = max((match.end() for match in _SENTENCE_END.finditer(before)), default=0)
    sentence = before[start:]
    words = _WORD.findall(sentence)
    cues = _kinds_in(sentence)
    if not cues and start and (len(words) < 4 or words[0] in _POINTS_BACK):
        cues = _kinds_in(before[:start])
    return cues or _kinds_in(after.lower().partition(".")[0])


def _kinds_in(text: str) -> frozenset[UrlKind]:
    """The kinds that lower-case `text` names; an application that it merely speaks of is a demonstration."""
    words = _WORD.findall(text)
    known = _cue_words()
    pairs = (f"{first} {second}" for first, second in pairwise(words))
    kinds = frozenset(known[cue] for cue in chain(words, pairs) if cue in known)
    return kinds or (frozenset[UrlKind]() if word_list("cue_application").isdisjoint(words) else _DEMO)
