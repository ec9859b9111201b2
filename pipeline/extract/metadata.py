"""From the values that a source holds to the metadata columns of a record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from pipeline.extract.identifiers import find_arxiv, find_year, is_doi_url, normalise_doi, split_arxiv
from pipeline.extract.people import split_keywords, split_people

Values = Mapping[str, Sequence[object]]

_SPACE = re.compile(r"\s+")
_VERSION = re.compile(r"v?(\d{1,3})")
_NULLS = frozenset({"", "null", "none", "nan", "na", "n/a", "#n/a", "-", "undefined", "nil"})
_TEXT_KEYS = ("value", "#text", "_", "text", "en", "eng", "name", "display_name", "displayName", "title", "full_name", "url", "URL", "href", "content-version")
_URL = re.compile(r"^(?:https?|ftp)://\S+$", re.I)
_BARE_HOST = re.compile(r"^(?:www\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:org|com|net|edu|io|ai|dev|gov|info|de|uk|fr|jp|cn|ca|eu|nl|ch|se|it|es)/\S*$", re.I)
_MARKDOWN_LINK = re.compile(r"\]\((https?://[^)\s]+)\)")
_INLINE_TAG = re.compile(r"</?(?:i|b|em|strong|sub|sup|u|tt|sc|small|span|scp|italic|bold|jats:\w+|fixed-case)(?:\s[^<>]{0,200})?/?>", re.I)


class Metadata(TypedDict, total=False):
    """The keyword arguments of `RawRecord` that describe the paper."""

    source_id: str | None
    title: str | None
    venue: str | None
    doi: str | None
    arxiv_id: str | None
    arxiv_version: int | None
    source_url: str | None
    licence: str | None
    year: int | None
    authors: tuple[str, ...]
    keywords: tuple[str, ...]


def build_metadata(values: Values) -> Metadata:
    """The metadata columns from candidate values per field, best first. Nothing is guessed: what the source lacks stays out."""
    found: Metadata = {}
    for name in ("title", "venue", "licence"):
        if name in values and (text := first_text(values[name])) is not None:
            found[name] = _INLINE_TAG.sub("", text)
    if "authors" in values:
        found["authors"] = next((names for value in values["authors"] if (names := split_people(value))), ())
    if "keywords" in values:
        found["keywords"] = next((words for value in values["keywords"] if (words := split_keywords(value))), ())
    if "year" in values:
        found["year"] = next((year for value in values["year"] if (year := _year_of(value)) is not None), None)
    _add_identifiers(found, values)
    return found


def _add_identifiers(found: Metadata, values: Values) -> None:
    urls = [url for value in values.get("source_url", ()) for url in _urls(value)]
    ids = [text for value in values.get("source_id", ()) if (text := text_of(value)) is not None]
    dois = [text for value in values.get("doi", ()) if (text := text_of(value)) is not None]
    for text in (*dois, *(u for u in urls if "doi.org/" in u), *(i for i in ids if is_doi_url(i) or i.startswith(("10.", "doi:", "DOI:")))):
        if doi := normalise_doi(text):
            found["doi"] = doi
            break
    arxiv = next((a for v in values.get("arxiv_id", ()) if (t := text_of(v)) and (a := split_arxiv(t, is_arxiv_field=True))), None)
    candidates = [text for text in (*ids, *urls, *dois) if "." in text or "/" in text]
    found_elsewhere = find_arxiv(candidates)
    if arxiv is None or (arxiv[1] is None and found_elsewhere is not None and found_elsewhere[0] == arxiv[0]):
        arxiv = found_elsewhere or arxiv
    if arxiv is not None:
        found["arxiv_id"], version = arxiv
        history = [value for value in values.get("year", ()) if isinstance(value, list)]
        found["arxiv_version"] = version or _version([*values.get("arxiv_version", ()), *history])
    if urls:
        found["source_url"] = urls[0]
    elif ids and (url := next((i for i in ids if _URL.match(i)), None)):
        found["source_url"] = url
    if ids:
        found["source_id"] = ids[0][:512]


def _version(values: Sequence[object]) -> int | None:
    for value in values:
        if isinstance(value, list) and value and isinstance(value[-1], Mapping):
            value = value[-1].get("version")
        if (text := text_of(value)) is not None and (match := _VERSION.fullmatch(text)):
            return int(match[1])
    return None


def _year_of(value: object) -> int | None:
    while isinstance(value, list | tuple | Mapping) and value:
        if isinstance(value, Mapping):
            value = next((value[key] for key in ("date-parts", "year", "value", "start", "created", "$date") if key in value), None)
        else:
            value = value[0]
    return find_year(value)


def _urls(value: object) -> list[str]:
    """Absolute URLs in a field: text, lists of text, lists of `{"URL": …}`; a host without scheme gets `https://`."""
    if isinstance(value, list | tuple):
        return [url for part in value[:50] for url in _urls(part)]
    if isinstance(value, Mapping):
        inner = next((value[k] for k in ("url", "URL", "href", "value", "landing_page_url", "link", "@href", "primary") if isinstance(value.get(k), str | Mapping)), None)
        return _urls(inner) if inner is not None else []
    if not isinstance(value, str):
        return []
    found = []
    for text in value.split() or [""]:
        if link := _MARKDOWN_LINK.search(text):
            found.append(link[1])
        elif _URL.match(text):
            found.append(text.rstrip(";,"))
        elif _BARE_HOST.match(text):
            found.append("https://" + text)
    return found


def text_of(value: object) -> str | None:
    """A value as one line of text: white space collapsed; numbers as written; of lists and objects the first text."""
    if isinstance(value, str):
        text = value if value.isprintable() and "  " not in value else _SPACE.sub(" ", value)
        text = text.strip()
        return None if text.lower() in _NULLS else text
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return None if value != value else str(int(value)) if float(value).is_integer() and abs(value) < 1e18 else str(value)
    parts: Iterable[object] = ()
    if isinstance(value, list | tuple):
        parts = value
    elif isinstance(value, Mapping):
        parts = (value.get(key) for key in _TEXT_KEYS)
    return next((found for part in parts if (found := text_of(part)) is not None), None)


def first_text(values: Sequence[object]) -> str | None:
    """The first of the values that holds text."""
    return next((text for value in values if (text := text_of(value)) is not None), None)
