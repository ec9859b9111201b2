"""report.html: structure, content policy, escaping, the same bytes each time, and a look with a real browser."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pipeline.load.context import StagedRelease
from pipeline.load.report import render_report
from tests.support.parts import Rows, make_rows, release, stage

ATTACK = "</script></mark><img src=x onerror=\"document.title='owned'\">"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, list):
        return [replaced(item, old, new) for item in value]
    return {key: replaced(item, old, new) for key, item in value.items()} if isinstance(value, dict) else value


def hostile_rows() -> Rows:
    """Rows with mark-up in a title, a venue, a method's name, a message, a file name and a quarantined text."""
    rows = copy.deepcopy(make_rows(30))
    name = rows["methods"][0]["name"]
    rows = replaced(rows, name, "<s id=x>\"'&"[: len(name)].ljust(len(name), "'"))
    rows["abstracts"][1] |= {"title": ATTACK, "venue": ATTACK, "authors": [ATTACK, "\u202eevil"], "flags": ["truncated"]}
    rows["quarantine"][0] |= {"message": ATTACK, "raw_text": ATTACK + "\x00\x1b[31m"}
    rows["quarantine"][1]["source_file"] = "broken.xml"
    return rows


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> StagedRelease:
    place = tmp_path_factory.mktemp("report")
    return stage(hostile_rows(), place / "out", place / "work", losses={ATTACK: 3}, unknown_macros={"\\ours": 2})


@pytest.fixture(scope="module")
def page(staged: StagedRelease) -> str:
    return (staged.folder / "report.html").read_text("utf-8")


class Elements(HTMLParser):
    """Every start tag with its attributes, in order, and the text of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.raw: list[tuple[str, str]] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = "" if tag == self._inside else self._inside

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style"):
            self.raw.append((self._inside, data))


@pytest.fixture(scope="module")
def elements(page: str) -> Elements:
    return Elements(page)


def test_policy_allows_this_style_and_this_script_only(elements: Elements) -> None:
    (policy,) = [a["content"] for tag, a in elements.tags if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy
    style, _, script = (data for _, data in elements.raw)
    for name, text in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}';" in policy


def test_nothing_is_loaded_and_nothing_is_inline(elements: Elements) -> None:
    for tag, attributes in elements.tags:
        assert not {"src", "srcset", "style", "action", "poster", "ping"} & set(attributes), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        assert attributes.get("href", "#").startswith(("#", "data:image/svg+xml,")), attributes
        assert tag not in ("img", "iframe", "object", "embed", "base", "video", "audio", "s"), tag


def test_data_stay_text(page: str, elements: Elements) -> None:
    assert "<img" not in page
    assert page.count("</script>") == 2
    (data,) = [text for kind, text in elements.raw if kind == "script" and text.startswith("{")]
    assert len(json.loads(data)["abstracts"]) == 30
    assert "\x00" not in page
    assert "\x1b" not in page


def test_structure(elements: Elements) -> None:
    tags = [tag for tag, _ in elements.tags]
    for landmark in ("header", "nav", "main", "footer", "h1", "title"):
        assert tags.count(landmark) == 1, landmark
    assert next(a for tag, a in elements.tags if tag == "html")["lang"] == "en"
    ids = [a["id"] for _, a in elements.tags if "id" in a]
    assert len(ids) == len(set(ids))
    targets = {a["href"][1:] for tag, a in elements.tags if tag == "a" and re.fullmatch(r"#[\w-]+", a["href"])}
    assert targets <= set(ids)
    assert tags.count("table") == tags.count("caption")
    for tag, attributes in elements.tags:
        if tag == "svg":
            assert attributes.get("aria-hidden") == "true" or (attributes.get("role") == "img" and attributes["aria-label"])
        if tag == "section":
            assert attributes["aria-labelledby"] in ids
        if tag == "th":
            assert attributes["scope"] in ("row", "col")


def test_what_a_person_wants_to_know_first(page: str) -> None:
    text = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page.split("<main", 1)[1]))
    assert "Of 61 records, 30 became abstracts, 30 were merged into them as duplicates, and 1 could not be used." in text
    for word in ("empty_text", "unreadable", "accuracy", "github.com", "truncated", "a/one.jsonl"):
        assert word in text, word


def test_every_abstract_has_an_anchor_and_marks(elements: Elements) -> None:
    articles = [a["id"] for tag, a in elements.tags if tag == "article"]
    assert articles == sorted(articles)
    assert len(articles) == 30
    marks = [a for tag, a in elements.tags if tag == "mark" and "data-r" in a]
    assert {a["class"] for a in marks} == {"method", "dataset", "metric", "url"}
    assert len(marks) == 5 * 30


def test_same_bytes_each_time(staged: StagedRelease, page: str) -> None:
    assert staged.facts is not None
    assert render_report(staged.facts) == page.encode()


def test_large_releases_show_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.load.report_sample.take_sample.__defaults__", (7,))
    made = release(make_rows(20), tmp_path / "out", tmp_path / "work")
    page = (made / "report.html").read_text("utf-8")
    assert page.count("<article") == 7
    assert "the first 7 by id of 20 abstracts" in page


def test_changes_are_counted(tmp_path: Path) -> None:
    release(make_rows(5), tmp_path / "out", tmp_path / "1")
    made = release(make_rows(6), tmp_path / "out", tmp_path / "2")
    page = (made / "report.html").read_text("utf-8")
    assert re.search(r'added</th><td class="number">1</td>', page)


def browse(page: Path, hash_: str, profile: Path) -> tuple[str, str]:
    """The document after its script ran, and what the browser logged."""
    assert CHROMIUM is not None
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--virtual-time-budget=8000")
    command = [CHROMIUM, *flags, f"--user-data-dir={profile}", "--dump-dom", f"{page.as_uri()}{hash_}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, done.stderr


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_in_a_browser(staged: StagedRelease, tmp_path: Path) -> None:
    """Filter, search and deep link work, nothing is refused by the policy, nothing from the data runs."""
    page = staged.folder / "report.html"
    last = re.findall(r'<article id="(\w+)"', page.read_text("utf-8"))[-1]
    for hash_, shown in (("", 20), ("#?q=github", 20), ("#?flag=truncated", 7), ("#?method=nobody", 0), (f"#{last}", 30)):
        document, log = browse(page, hash_, tmp_path / "profile")
        assert "CONSOLE" not in log, log
        assert "<title>Curated abstracts" in document
        articles = re.findall(r'<article id="(\w+)"( hidden="")?', document)
        assert len(articles) == 30
        assert sum(not hidden for _, hidden in articles) == shown, hash_
    assert (last, "") in articles
