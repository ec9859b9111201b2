"""Identifiers of publications and repositories: DOIs and arXiv ids in running text, and what a URL says of them.

DOI syntax: `10.` + registrant of four to nine digits + `/` + suffix (DOI Handbook, section 2; Crossref's advice for
matching). arXiv ids: `YYMM.NNNNN` since 2007, `archive/YYMMNNN` before, each with an optional version
(https://info.arxiv.org/help/arxiv_identifier.html).
"""

from __future__ import annotations

import re

from pipeline.enrich.hosts import word_list

DOI_RESOLVERS = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})
_DOI = re.compile(r"(?<![\w./%])10\.\d{4,9}(?:\.\d{1,9}){0,3}/[^\s\"<>{}|\\^`“”‘’，。；、）】…]{1,300}")
_DOI_IN_PATH = re.compile(r"/(?:doi|chapter|article|book|pdf|abs|full)?/?(10\.\d{4,9}/[^\s?#]{1,300})", re.IGNORECASE)
_DOI_PATH_END = re.compile(
    r"(?:/(?:full|abstract|pdf|epdf|meta|html)|\.(?:pdf|html?|full|abstract|short))+$", re.IGNORECASE
)
ESCAPED_MARKUP = re.compile(r"\\*+&(?:amp;)*(?:lt|gt|quot)\b.*", re.DOTALL)
_ARXIV_ID = r"(?:\d{4}\.\d{4,5}|[a-z][a-z-]{1,15}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?"
_ARXIV = re.compile(rf"(?<![\w./])(?i:arxiv)(?:\s?:\s?|\s(?=\d)|\s?\(\s?)(?P<id>{_ARXIV_ID})(?![\w/]|\.\d)")
_ARXIV_PATH = re.compile(rf"/(?:abs|pdf|html|format|ps)/(?P<id>{_ARXIV_ID})(?:\.pdf)?/?(?:[?#].*)?", re.DOTALL)

_OWNER = re.compile(r"[\w.-]+")


def find_dois(text: str) -> list[tuple[int, int, str]]:
    """DOIs that stand without a URL, as (start, end, DOI as written). Linear in the length of `text`."""
    found = []
    for match in _DOI.finditer(text):
        doi = trim_doi(match.group())
        if doi.rpartition("/")[2]:
            found.append((match.start(), match.start() + len(doi), doi))
    return found


def trim_doi(doi: str) -> str:
    """`doi` without the punctuation, unopened brackets and escaped mark-up of the sentence that follows it."""
    return cut_at_bracket(ESCAPED_MARKUP.sub("", doi)).rstrip(".,;:!?'*([")


def cut_at_bracket(address: str) -> str:
    """`address` up to the first closing bracket that it did not open."""
    for opening, closing in ("()", "[]"):
        if closing in address:
            depth = 0
            for place, char in enumerate(address):
                depth += (char == opening) - (char == closing)
                if depth < 0:
                    address = address[:place]
                    break
    return address


def find_arxiv_ids(text: str) -> list[tuple[int, int, str]]:
    """arXiv ids that are named as such (`arXiv:2504.14370v2`), as (start, end, id as written)."""
    return [(match.start(), match.end(), match["id"]) for match in _ARXIV.finditer(text)]


def doi_of(host: str, path: str) -> str | None:
    """The DOI, lower case, that a URL resolves or names in its path, else None."""
    if host in DOI_RESOLVERS:
        doi = trim_doi(path.lstrip("/"))
        return doi.lower() if _DOI.fullmatch(doi) else None
    match = _DOI_IN_PATH.search(path)
    return _DOI_PATH_END.sub("", trim_doi(match[1])).lower() if match else None


def arxiv_id_of(host: str, path: str) -> str | None:
    """The arXiv id, as written, of a URL of arXiv, else None."""
    if host not in {
        "arxiv.org",
        "www.arxiv.org",
        "export.arxiv.org",
        "ar5iv.org",
        "ar5iv.labs.arxiv.org",
        "alphaxiv.org",
    }:
        return None
    match = _ARXIV_PATH.fullmatch(path)
    return match["id"] if match else None


def repository_of(host: str, path: str) -> str | None:
    """`owner/name` of the repository that a URL points into, else None.

    Of a Hugging Face URL it is the model's, dataset's or space's; of GitLab it includes the subgroups.
    """
    host = host.removeprefix("www.")
    parts = [part for part in re.split(r"[?#]", path, maxsplit=1)[0].split("/") if part]
    if host == "raw.githubusercontent.com":
        host = "github.com"
    if host in {"huggingface.co", "hf.co"} and parts and parts[0] in {"datasets", "spaces", "models"}:
        parts = parts[1:]
    if host.startswith("gitlab."):
        parts = parts[: parts.index("-")] if "-" in parts else parts[:4]
    elif host in word_list("repository_hosts"):
        parts = parts[:2]
    else:
        return None
    if len(parts) < 2 or parts[0] in word_list("site_sections") or not all(map(_OWNER.fullmatch, parts)):
        return None
    return "/".join(parts).removesuffix(".git")
