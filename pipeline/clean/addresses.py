"""Find URLs, which no mark-up step may touch."""

from __future__ import annotations

import re

_TAIL = r"(?:[^\s\\{}<>\"`|^$\[\]\ufdd0-\ufdef]|\\[_%#&~$-])"
_URL = re.compile(rf"(?:https?://|ftp://|www\.){_TAIL}++")
_DOMAIN = re.compile(rf"\.(?:com|org|net|io|edu|gov|co|ai|de|uk|fr|cn|jp|ch|me|dev|science|info)/{_TAIL}++")
_PATH = re.compile(r"(?<![A-Za-z\\])[A-Za-z]:(?:\\[\w.-]+){2,}")
_TRAILING = "*_.,;:!?'\")"


def find_urls(text: str) -> list[tuple[int, int]]:
    """Start and end of the URLs (and of Windows paths) in `text`, which TeX leaves alone; trailing punctuation is not part of one."""
    spans = [_trimmed(text, *m.span()) for m in _URL.finditer(text)] if "://" in text or "www." in text else []
    if "/" in text:
        taken = 0
        for m in _DOMAIN.finditer(text):
            start = m.start()
            while start > taken and m.start() - start < 100 and (text[start - 1].isalnum() or text[start - 1] in ".-"):
                start -= 1
            if start < m.start() and text[start - 1 : start] not in ("/", "@", "_") and not any(a <= start < b for a, b in spans[:50]):
                spans.append(_trimmed(text, start, m.end()))
            taken = m.end()
    if ":\\" in text:
        spans += [m.span() for m in _PATH.finditer(text)]
    return sorted(spans)


def _trimmed(text: str, start: int, stop: int) -> tuple[int, int]:
    found = text[start:stop]
    return start, stop if "(" in found else start + len(found.rstrip(_TRAILING))
