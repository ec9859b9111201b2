"""What a URL leads to: code, data, a model, a demonstration, a project page, a paper, or something else.

Three sources of evidence, the more specific first: the host and path where they decide (a DOI of a publisher, a
dataset on a hub, a video), the words that announce the URL, and what the host is mostly used for.
"""

from __future__ import annotations

import re

from pipeline.model import UrlKind

_PAPER_HOSTS = frozenset(
    "arxiv.org export.arxiv.org aclanthology.org aclweb.org openreview.net biorxiv.org medrxiv.org chemrxiv.org ssrn.com "
    "papers.ssrn.com dl.acm.org ieeexplore.ieee.org link.springer.com sciencedirect.com nature.com science.org pnas.org "
    "onlinelibrary.wiley.com mdpi.com frontiersin.org journals.plos.org papers.nips.cc proceedings.neurips.cc "
    "proceedings.mlr.press jmlr.org ncbi.nlm.nih.gov pubmed.ncbi.nlm.nih.gov pmc.ncbi.nlm.nih.gov academic.oup.com "
    "tandfonline.com cambridge.org jstor.org semanticscholar.org researchgate.net hal.science psyarxiv.com eprint.iacr.org "
    "openaccess.thecvf.com bmj.com thelancet.com nejm.org jamanetwork.com cochranelibrary.com doi.org dx.doi.org".split()
)
_CODE_HOSTS = frozenset(
    "github.com gitlab.com bitbucket.org codeberg.org gitee.com sourceforge.net sf.net code.google.com launchpad.net pypi.org "
    "pypi.python.org anonymous.4open.science gist.github.com npmjs.com cran.r-project.org bioconductor.org hackage.haskell.org "
    "crates.io colab.research.google.com raw.githubusercontent.com codeocean.com hub.docker.com isa-afp.org".split()
)
_DATA_HOSTS = frozenset(
    "zenodo.org figshare.com kaggle.com osf.io datadryad.org data.mendeley.com physionet.org openslr.org drive.google.com "
    "dataverse.harvard.edu ieee-dataport.org archive.ics.uci.edu hdl.handle.net catalog.ldc.upenn.edu opendatalab.com "
    "data.world dropbox.com commons.datacite.org clarin.si data.4tu.nl academictorrents.com lindat.mff.cuni.cz".split()
)
_VIDEO_HOSTS = frozenset("youtube.com youtu.be m.youtube.com vimeo.com bilibili.com player.vimeo.com".split())
_SITE_HOSTS = re.compile(
    r"(?:.+\.)?(?:github|gitlab)\.io|sites\.google\.com|.+\.(?:notion\.site|netlify\.app|vercel\.app|pages\.dev|web\.app"
    r"|wixsite\.com|weebly\.com|wordpress\.com|blogspot\.com|readthedocs\.io|streamlit\.app|hf\.space|gradio\.live|gradio\.app)"
)
_DEMO_SITES = re.compile(
    r".+\.(?:streamlit\.app|hf\.space|gradio\.live|gradio\.app)|huggingface\.co/spaces/|hf\.co/spaces/"
)
_DATA_DOIS = (
    "10.5281/",
    "10.6084/",
    "10.17632/",
    "10.5061/",
    "10.7910/",
    "10.17605/",
    "10.21227/",
    "10.13026/",
    "10.18710/",
)
_PREPRINT_DOIS = ("10.48550/", "10.31234/", "10.1101/", "10.31219/", "10.2139/")

_CUES: tuple[tuple[UrlKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "project",
            r"\bproject(?:'s|’s)?\s(?:web\s?)?(?:page|site|home|link|url|information)|\b(?:web|home|project)-?\s?(?:page|site)s?\b"
            r"|\bproject:\s|\bproject is (?:at|available)|\bsupplementary (?:material|video|page|website)|\bmore (?:information|details|results)",
        ),
        (
            "code",
            r"\b(?:source )?codes?(?:base|s)?\b|\bimplementations?\b|\brepositor(?:y|ies)\b|\brepo\b|\bsoftware\b|\btool(?:kit|box|s)?\b"
            r"|\blibrary\b|\bpackage\b|\bscripts?\b|\bopen-?\s?sourc|\bframework\b|\bgit\s?hub\b|\bplug-?in\b|\bsimulator\b",
        ),
        (
            "data",
            r"\bdata(?:\s?sets?|bases?)?\b|\bcorp(?:us|ora)\b|\bbenchmarks?\b|\bannotations?\b|\btreebanks?\b|\blexicons?\b"
            r"|\bcollection\b|\btest ?sets?\b|\bresources?\b|\bleaderboard\b|\bdictionar(?:y|ies)\b|\bimages\b|\bgold standard\b"
            r"|\bembeddings\b|\bontology\b|\bknowledge (?:graph|base)\b",
        ),
        (
            "demo",
            r"\bdemo(?:s|nstrations?|nstrate\w*)?\b|\bvideos?\b|\bsamples?\b|\bplayground\b|\bscreencast\b|\binteractive\b"
            r"|\bweb (?:interface|server|app|application|service)\b|\bonline (?:system|at|service|tool)\b|\bvisuali[sz]ations?\b",
        ),
        ("model", r"\bmodels?\b|\bweights?\b|\bcheckpoints?\b"),
        (
            "paper",
            r"\bpapers?\b|\barticles?\b|\bpreprints?\b|\breport\b|\barxiv\b|\bpublished\b|\bprotocol\b|\bsurvey\b",
        ),
    )
)
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
    decided = _by_host(host, path, cues)
    if decided:
        return decided
    for kind in ("project", "code", "data", "demo", "model", "paper"):
        if kind in cues and not (kind in ("code", "data") and "demo" in cues):
            return kind if kind != "demo" or len(cues) == 1 else "project"
    lower = path.lower().partition("?")[0]
    return next((kind for kind, ends in _FILE_KINDS if lower.endswith(ends)), "other")


def doi_kind(doi: str, before: str) -> UrlKind:
    """The kind of what a DOI names: registrants of data repositories and preprint servers are known, the rest publish papers."""
    if doi.startswith(_DATA_DOIS):
        cues = _announced(before, "")
        return "code" if "code" in cues and "data" not in cues else "data"
    return "paper"


def _by_host(host: str, path: str, cues: frozenset[UrlKind]) -> UrlKind | None:
    only_data = "data" in cues and "code" not in cues
    if _DEMO_SITES.match(host + path):
        return "demo"
    if host in {"huggingface.co", "hf.co", "modelscope.cn"}:
        return _hub_kind(path, cues)
    if host in _CODE_HOSTS or host.startswith(("gitlab.", "git.")):
        return "data" if only_data else "code"
    if host in _VIDEO_HOSTS:
        return "demo"
    if host in _DATA_HOSTS:
        return "code" if "code" in cues and "data" not in cues or path.startswith("/code/") else "data"
    if _SITE_HOSTS.fullmatch(host):
        return "demo" if cues == {"demo"} and "demo" in path.lower() else "project"
    return "paper" if host in _PAPER_HOSTS else None


def _hub_kind(path: str, cues: frozenset[UrlKind]) -> UrlKind:
    section = path.lstrip("/").partition("/")[0]
    if section == "datasets":
        return "data"
    if section == "papers":
        return "paper"
    return "data" if "data" in cues and not cues & {"model", "code"} else "model"


def _announced(before: str, after: str) -> frozenset[UrlKind]:
    """The kinds whose words stand in the sentence before the URL; if it has none, in the one before that."""
    before = before[-_REACH:]
    ends = [match.end() for match in _SENTENCE_END.finditer(before)]
    for start in (*reversed(ends[-2:]), 0):
        cues = frozenset(kind for kind, pattern in _CUES if pattern.search(before, start))
        if cues:
            return cues
    return frozenset(kind for kind, pattern in _CUES if pattern.search(after[:40]))
