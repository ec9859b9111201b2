"""A few dozen of the inputs of `benchmarks/hostile.py` (all of them: `make hostile`), in one run."""

from __future__ import annotations

import pathlib
import subprocess
import sys

#: From every group the inputs that are quick to make and to read, those that once broke a promise before others.
NAMES = (
    "encodings/utf-16", "encodings/overlong", "layout/empty", "layout/nuls-only", "layout/pickle", "layout/million-empty", "gzip/cut", "gzip/ten-deep", "streams/zst-huge", "zip/slip", "zip/empty", "zip/one-name-twice", "zip/encrypted",
    "zip/overlapping", "zip/link", "tar/links", "tar/one-name-twice", "tar/huge-size", "file-system/link", "file-system/fifo", "file-system/socket", "file-system/name-", "json/nan", "json/lone", "json/cut", "json/deep", "csv/nuls", "csv/formulas", "csv/unclosed",
    "parquet/footer", "parquet/pages", "xml/laughs", "xml/entity", "xml/xinclude", "html/script", "html/frames", "yaml/python", "yaml/alias", "tex/input", "tex/recursion", "office/docx", "tagged/markdown-links", "content/ansi", "content/bidi", "content/html", "content/template", "content/paths",
)  # fmt: skip


def test_every_promise_holds_in_one_run(root: pathlib.Path) -> None:
    command = [sys.executable, "-m", "benchmarks.hostile", "--together", *NAMES]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_reader_that_follows_links_is_found_out(root: pathlib.Path) -> None:
    """The wires trip: with the check of links switched off, the run ends at once."""
    code = "import sys, benchmarks.hostile as h, pipeline.extract; sys.modules['pipeline.extract.discover']._is_inside = lambda *_: True; sys.argv = ['h', '--together', 'link-outside']; sys.exit(h.main())"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "TRIPPED: read" in done.stdout


def test_the_terminal_is_not_obeyed(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """An input of an evil name that does not exist is named without its escape codes."""
    command = [sys.executable, "-m", "pipeline", "run", str(tmp_path / "a\x1b[31m\u202eb"), "--output", str(tmp_path / "out"), "--direct"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert not {"\x1b", "\u202e"} & set(done.stderr)
    assert "\\x1b[31m" in done.stderr
