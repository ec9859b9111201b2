"""Host names: which strings can be the host of a URL, and which bare ones are meant as an address.

Top-level domains are IANA's list (`lexicon/tlds.txt`). A host that stands alone in running text ("Lens.org
datasets", "users of debate.org") is mostly the name of a source or two sentences without a space between
them, so `is_address` asks for a sign that the reader is sent there.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

# The first ideograph block; kana, Han and Hangul lie above. Such letters end an ASCII host or path.
_CJK_START = "\u2e80"

_LEFT_CUE = re.compile(
    r"(?:\b(?:at|via|visit|see|url|links?|online|web|https?)\s*[:=]?\s*|(?:\b|web|home)(?:site|page)\s*[:=,]?\s*"
    r"|\b(?:available|accessible|accessed|downloaded|downloadable|obtained|found|hosted|released|published|reached)\s+"
    r"(?:\w+\s+){0,3}(?:at|on|from|via|through|in|under)\s+(?:the\s+)?|[:]\s+)$",
    re.IGNORECASE,
)
_STRONG_CUE = re.compile(
    r"\b(?:available|accessible|accessed|downloaded|downloadable|obtained|found|hosted|released)"
    r"(?:\s+\w+){0,2}\s+(?:at|on|from|via|through|in|under)\s+$|\b(?:visit|website|url)\s*:?\s+$",
    re.IGNORECASE,
)
# A trial "registered at clinicaltrials.gov" names the registry.
_REGISTERED = re.compile(r"\bregist\w+\s+\w+\s+$", re.IGNORECASE)
_ONLY_HOSTS_BEFORE = re.compile(r"(?:^|\n)(?:[\w-]+(?:\.[\w-]+)+[ ,]+)*[(\[{<>|｜ ]*$")
_ONLY_HOSTS_AFTER = re.compile(r"(?:[ ,]+[\w-]+(?:\.[\w-]+)+)*[)\]}<>|｜ .:,;]*(?:\n|$)")
_GENERIC = frozenset({"com", "org", "net", "edu", "gov", "io"})
_CUE_WIDTH = 60
_OPENING, _CLOSING = "([{<>|｜", ")]}<>|｜"


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the word lists of `lexicon/urls.json`, whose head says what each is."""
    lists = json.loads(files("pipeline.enrich").joinpath("lexicon/urls.json").read_text("utf-8"))
    return frozenset(lists[name])


@cache
def top_level_domains() -> frozenset[str]:
    """All top-level domains, lower case, internationalised ones in Punycode. Source: IANA, see the file's head."""
    text = files("pipeline.enrich").joinpath("lexicon/tlds.txt").read_text("utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))


def is_cjk(char: str) -> bool:
    """True for letters of scripts that are written without spaces between words (kana, Han, Hangul)."""
    return char >= _CJK_START and char.isalpha()


def is_top_level(label: str) -> bool:
    """True if `label` is a top-level domain, in any case and in its own script or in Punycode."""
    label = label.lower()
    if not label.isascii():
        try:
            label = "xn--" + label.encode("punycode").decode("ascii")
        except UnicodeError:
            return False
    return label in top_level_domains()


def host_length(run: str) -> int:
    """Length of the host name at the start of `run`, a stretch of host characters; 0 if it holds none.

    A full stop at the end belongs to the sentence, and so does a CJK word set right behind the domain.
    """
    host = run.rstrip(".")
    labels = host.split(".")
    last = labels[-1]
    if not last.isascii() and not is_top_level(last):
        cut = next(i for i, char in enumerate(last) if not char.isascii())
        if not cut or not is_cjk(last[cut]):
            return 0
        host = host[: len(host) - len(last) + cut]
        labels[-1] = last[:cut]
    if len(labels) < 2 or len(host) > 253:
        return 0
    if all(label.isdecimal() for label in labels):
        return (
            len(host) if len(labels) == 4 and all(label.isascii() and int(label[:4]) < 256 for label in labels) else 0
        )
    if not all(0 < len(label) < 64 and label[0] not in "-_" and label[-1] not in "-_" for label in labels):
        return 0
    return len(host) if is_top_level(labels[-1]) and "_" not in labels[-2] else 0


def may_head_path(host: str) -> bool:
    """True if `host`, followed by a slash, is an address: `huggingface.co/x`, and not `train.py/test.py` or `U.S./EU`."""
    labels = host.split(".")
    if labels[-1].isdecimal() or len(labels[-1]) < 2 or not labels[-1].islower():
        return False
    if len(labels) == 2 and labels[-1] in word_list("file_endings"):
        return False
    return len(labels[-2]) > 1 or labels[-1] not in word_list("english_words")


def is_address(host: str, left: str, right: str) -> bool:
    """True if `host`, which stands without scheme and path between `left` and `right`, sends the reader there.

    Signs: words that announce an address ("available at", "visit", "website:"), brackets or quotes around it,
    a text or line of its own, several labels (`data.europa.eu`). A capitalised name (`Annals.org`) needs a strong one;
    `[cs.CV]` is a subject class.
    """
    labels = host.split(".")
    last = labels[-1].lower()
    if not last.isascii():
        return True
    if last in word_list("file_endings") or (last in word_list("english_words") and len(labels) < 3):
        return False
    near = left[-_CUE_WIDTH:]
    bracketed = left[-1:] in _OPENING and right[:1] in _CLOSING
    if not (host.islower() or host.isupper()):
        announced = (bracketed and left != "") or (_may_announce(near) and _STRONG_CUE.search(near) is not None)
        return announced and labels[-1].islower()
    if bracketed or _stands_alone(left, right) or is_cjk(left[-1:] or " ") or is_cjk(right[:1] or " "):
        return True
    if len(labels) > 2 and last in _GENERIC and labels[-2] not in word_list("second_level"):
        return True
    return _may_announce(near) and _LEFT_CUE.search(near) is not None and not _REGISTERED.search(near)


def _may_announce(near: str) -> bool:
    """False where no cue can match, which is nearly everywhere and much faster to see."""
    last = near.rstrip(" :=,\n").rpartition(" ")[2].lower()
    return near.endswith(": ") or last.rpartition("\n")[2].lstrip("([") in word_list("address_words")


def _stands_alone(left: str, right: str) -> bool:
    """True if the line holds nothing else or other hosts only, or ends with this one in brackets."""
    if not _ONLY_HOSTS_AFTER.match(right):
        return False
    return (left != "" and left[-1] in "([{<>]})") or _ONLY_HOSTS_BEFORE.search(left) is not None
