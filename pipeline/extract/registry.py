"""Which reader a file belongs to. Content decides; the name is never looked at.

A reader is a module in `readers/` with a `READER`. Each looks at the beginning of the file and says how sure
it is (0 to 100) and why; the surest wins, the alphabet breaks ties. Adding a format is adding a module.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import cache

from pipeline.extract import readers as _package
from pipeline.extract.content import Content
from pipeline.extract.entry import Guess, Reader

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SQL = re.compile(rb"^[^\S\n]*+INSERT INTO\s", re.I | re.M)
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF", "a PDF: export its text or its references (BibTeX, RIS) and give that"),
    (b"{\\rtf", "an RTF document: save it as plain text"),
    (b"\x89PNG", "a picture: leave it out of the input"),
    (b"\xff\xd8\xff", "a picture: leave it out of the input"),
    (b"GIF8", "a picture: leave it out of the input"),
    (b"SQLite format 3\x00", "an SQLite database: export the table as CSV or JSON Lines"),
    (b"PK\x03\x04", "an office document: save it as plain text, CSV or XLSX"),
    (b"\xd0\xcf\x11\xe0", "an old office document: save it as plain text, CSV or XLSX"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive: repack it as zip or tar"),
    (b"Rar!", "a RAR archive: repack it as zip or tar"),
    (b"\x80\x04", "a Python pickle, which is never opened: save the data as JSON Lines or Parquet"),
    (b"RDX", "an R data file: save the table as CSV or Parquet"),
    (b"\x93NUMPY", "a NumPy array: save the data as CSV or Parquet"),
    (b"\x89HDF", "an HDF5 file: save the table as CSV or Parquet"),
    (b"Obj\x01", "an Avro file: save the table as JSON Lines or Parquet"),
)


@cache
def all_readers() -> tuple[Reader, ...]:
    """Every reader in `readers/`, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(_package.__path__))
    modules = (importlib.import_module(f"{_package.__name__}.{name}") for name in names)
    return tuple(module.READER for module in modules if hasattr(module, "READER"))


def recognise(content: Content) -> list[tuple[Reader, Guess]]:
    """The readers that know the format of `content`, surest first."""
    binary = looks_binary(content)
    found: list[tuple[Reader, Guess]] = []
    best = 0
    for reader in sorted(all_readers(), key=lambda reader: -reader.ceiling):
        if reader.ceiling < best:
            break
        if (reader.is_binary or not binary) and (guess := reader.sniff(content)):
            found.append((reader, guess))
            best = max(best, guess.score)
    return sorted(found, key=lambda pair: (-pair[1].score, pair[0].name))


def looks_binary(content: Content) -> bool:
    """True where the bytes are no text in any encoding: known signatures, or many control characters."""
    head = content.head[:65536]
    if head.startswith(tuple(magic for magic, _ in _MAGIC)):
        return True
    if content.encoding.is_wide:
        return False
    return len(_CONTROL.findall(head)) > 0.02 * len(head)


def what_it_is(head: bytes) -> str:
    """What to tell a person about a file that no reader knows."""
    for magic, words in _MAGIC:
        if head.startswith(magic):
            return f"this is {words}"
    if _SQL.search(head):
        return "this is an SQL dump: export the table as CSV or JSON Lines"
    return "this is no format that we know (docs/formats.md lists them): convert it to one of these, or leave it out of the input"
