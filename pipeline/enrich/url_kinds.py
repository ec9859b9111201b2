"""What a URL leads to: code, data, a model, a demonstration, a project page, a paper, or something else.

Evidence, the more specific first: what the host and path are (a dataset on a hub, a video, a DOI of a publisher),
the words that announce the URL, and what the host is mostly used for.
"""

from __future__ import annotations

import re
from collections.abc import Set

from pipeline.enrich.hosts import word_list
from pipeline.model import UrlKind

_SITE_HOSTS = re.compile(
    r"(?:.+\.)?(?:github|gitlab)\.io|sites\.google\.com|.+\.(?:notion\.site|netlify\.app|vercel\.app|pages\.dev|web\.app"
    r"|wixsite\.com|weebly\.com|wordpress\.com|blogspot\.com|readthedocs\.io)"
)
_DEMO_SITES = re.compile(r".+\.(?:streamlit\.app|hf\.space|gradio\.live|gradio\.app)$|(?:huggingface|hf)\.co/spaces/")
# Registrants of data repositories: Zenodo, figshare, Mendeley Data, Dryad, Dataverse, OSF, IEEE DataPort, PhysioNet.
_DATA_DOIS = ("10.5281/", "10.6084/", "10.17632/", "10.5061/", "10.7910/", "10.17605/", "10.21227/", "10.13026/")

_CUE_WORDS: tuple[tuple[UrlKind, str], ...] = (
    (
        "project",
        r"\bproject(?:'s|’s)?\s(?:web\s?)?(?:page|site|home|link|url|information)|\b(?:web|home|project)[- ]?(?:page|site)s?\b"
        r"|\bproject:\s|\bproject is (?:at|available)|\bsupplementary (?:material|video|page|website)"
        r"|\bmore (?:information|details|results)",
    ),
    (
        "code",
        r"\bcodes?(?:bases?)?\b|\bimplementations?\b|\brepositor(?:y|ies)\b|\brepo\b|\bsoftware\b|\btool(?:kit|box)?s?\b"
        r"|\blibrary\b|\bpackage\b|\bscripts?\b|\bopen-?\s?sourc|\bframework\b|\bgit\s?hub\b|\bplug-?in\b|\bsimulator\b",
    ),
    (
        "data",
        r"\bdata(?:\s?sets?|bases?)?\b|\bcorp(?:us|ora)\b|\bbenchmarks?\b|\bannotations?\b|\btreebanks?\b|\blexicons?\b"
        r"|\bcollection\b|\btest ?sets?\b|\bresources?\b|\bleaderboard\b|\bdictionar(?:y|ies)\b|\bimages\b"
        r"|\bgold standard\b|\bembeddings\b|\bontology\b|\bknowledge (?:graph|base)\b",
    ),
    (
        "demo",
        r"\bdemo(?:s|nstrations?|nstrat\w*)?\b|\bvideos?\b|\bsamples?\b|\bplayground\b|\bscreencast\b|\binteractive\b"
        r"|\bweb (?:interface|server|app|application|service)\b|\bonline (?:system|at|service|tool)\b"
        r"|\bvisuali[sz]ations?\b",
    ),
    ("model", r"\bmodels?\b|\bweights?\b|\bcheckpoints?\b"),
    ("paper", r"\bpapers?\b|\barticles?\b|\bpreprints?\b|\breport\b|\barxiv\b|\bpublished\b|\bprotocol\b|\bsurvey\b"),
)
_CUES = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _CUE_WORDS)
_SENTENCE_END = re.compile(r"[.!?。！？]\s+(?=\S)")
_REACH = 240
_FILE_KINDS: tuple[tuple[UrlKind, tuple[str, ...]], ...] = (
    ("paper", (".pdf", ".ps")),
    ("data", (".zip", ".csv", ".json", ".tar.gz", ".tgz", ".xml", ".txt", ".tsv", ".parquet")),
    ("demo", (".mp4", ".avi", ".mov")),
)


def url_kind(host: str, path: str, before: str, after: str) -> UrlKind:
    """The kind of the URL `host` + `path` that stands between `before` (back to the previous URL) and `after`."""
    host = host.removeprefix("www.")
    cues = _announced(before, after)
    return _by_host(host, path, cues) or _by_words(path, cues)


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
        return "data" if "data" in cues and "code" not in cues else "code"
    if host in word_list("data_hosts"):
        return "code" if path.startswith("/code/") or ("code" in cues and "data" not in cues) else "data"
    if _SITE_HOSTS.fullmatch(host):
        return "project"
    return "paper" if host in word_list("paper_hosts") else None


def _hub_kind(path: str, cues: Set[UrlKind]) -> UrlKind:
    section = path.lstrip("/").partition("/")[0]
    if section == "datasets":
        return "data"
    if section == "papers":
        return "paper"
    return "data" if "data" in cues and not cues & {"model", "code"} else "model"


def _by_words(path: str, cues: Set[UrlKind]) -> UrlKind:
    """A page for several things that shows them, too, is a project page; otherwise code before data before the rest."""
    if "project" in cues or ("demo" in cues and len(cues) > 1):
        return "project"
    for kind in ("code", "data", "demo", "model", "paper"):
        if kind in cues:
            return kind
    lower = path.lower().partition("?")[0]
    return next((kind for kind, ends in _FILE_KINDS if lower.endswith(ends)), "other")


def _announced(before: str, after: str) -> frozenset[UrlKind]:
    """The kinds whose words stand in the sentence before the URL; if it has none, in the one before that."""
    before = before[-_REACH:]
    ends = [match.end() for match in _SENTENCE_END.finditer(before)]
    for start in (*reversed(ends[-2:]), 0):
        cues = frozenset(kind for kind, pattern in _CUES if pattern.search(before, start))
        if cues:
            return cues
    return frozenset(kind for kind, pattern in _CUES if pattern.search(after[:40]))
