"""The language of a text."""

from __future__ import annotations

import re
from functools import cache
from typing import Protocol

_ENGLISH = (" the ", " of ", " and ", " to ", " is ", " that ", " with ", " for ", " are ", " we ", " this ", " by ", " which ")
_ENOUGH = 3
_SHORTEST = 20
_SAMPLE = 360
_KANA, _HAN, _HANGUL = re.compile("[\u3040-\u30ff]"), re.compile("[\u4e00-\u9fff]"), re.compile("[\uac00-\ud7af]")
_LETTER = re.compile(r"[^\W\d_]")


class _Identifier(Protocol):
    def classify(self, text: str) -> tuple[str, float]: ...


@cache
def _identifier() -> _Identifier:
    """py3langid with its own model, as probabilities."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier: _Identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)  # type: ignore[no-untyped-call]
    return identifier


def detect_language(text: str) -> str:
    """ISO 639-1 code of the main language of `text`, `und` where it is too short or undecidable.

    English is told by its function words: a text with at least one of the commonest per 120 characters, and three in all, needs no model
    (95 in 100 abstracts). Scripts decide Japanese, Korean and Chinese, py3langid (97 languages, offline) the rest.

    >>> detect_language("We show that the method is better than the state of the art with respect to the baseline.")
    'en'
    """
    if is_plainly_english(text):
        return "en"
    if len(_LETTER.findall(text[:400])) < _SHORTEST // 2:
        return "und"
    sample = text[:2000]
    by_script = _by_script(sample)
    if by_script:
        return by_script
    code, probability = _identifier().classify(re.sub(r"https?://\S+", " ", sample))
    if probability < 0.5 or (len(text) < _SHORTEST * 2 and probability < 0.9):
        return "en" if any(word in f" {text} " for word in _ENGLISH) else "und"
    return code if len(code) == 2 else "und"


def is_foreign(language: str) -> bool:
    """Whether a language that `detect_language` gave is another than English."""
    return language not in ("en", "und")


def is_plainly_english(text: str) -> bool:
    """Whether the share of English function words alone decides; cheap."""
    sample = text[:_SAMPLE]
    if " the " in sample and " of " in sample and " and " in sample:
        return True
    return _has_english_words(text[:_SAMPLE]) or (len(text) > _SAMPLE and _has_english_words(text))


def _has_english_words(sample: str) -> bool:
    need = max(_ENOUGH, len(sample) // 120)
    found = 0
    for word in _ENGLISH:
        found += sample.count(word)
        if found >= need:
            return True
    return False


def _by_script(text: str) -> str:
    """The language that the script decides, empty if it does not."""
    letters = max(len(_LETTER.findall(text)), 1)
    kana, han, hangul = (len(p.findall(text)) for p in (_KANA, _HAN, _HANGUL))
    if (kana + han) * 3 > letters:
        return "ja" if kana * 10 > han else "zh"
    return "ko" if hangul * 3 > letters else ""
