"""The order of cleaning, as one list that can be read aloud."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pipeline.clean import blocks, framing, html, latex, markdown, spacing
from pipeline.clean.characters import compose, fold_characters, repair_mojibake
from pipeline.clean.definitions import expand_macros
from pipeline.clean.language import detect_language, is_plainly_english
from pipeline.clean.literals import STAND_IN, show
from pipeline.clean.tracked import Draft, Step, Tracked
from pipeline.model import CleanText
from pipeline.offsets import OffsetMap


class Part(NamedTuple):
    """One step of the plan, and the cheap test that tells whether a text may need it."""

    name: str
    needed: Callable[[str], object]
    step: Step


def _is_odd(text: str) -> bool:
    """Whether the text holds more than printable ASCII and line feeds."""
    return not (text.isascii() and (text.isprintable() or text.replace("\n", "").isprintable()))


PLAN: tuple[Part, ...] = (
    Part("repair mojibake", lambda t: not t.isascii(), repair_mojibake),
    Part("fold characters: spaces, ligatures, raised digits, invisible ones", _is_odd, fold_characters),
    Part("resolve the tags of HTML, JATS and MathML", lambda t: "<" in t, html.resolve_tags),
    Part("decode entities", lambda t: "&" in t and ";" in t, html.decode_entities),
    Part("expand the macros that the text defines", lambda t: "\\" in t, expand_macros),
    Part("resolve TeX: formulas, macros, accents, quotes, dashes", latex.TEX.search, latex.resolve_latex),
    Part("resolve Markdown blocks: headings, lists, quotes, fences", blocks.BLOCK.search, blocks.resolve_blocks),
    Part("resolve Markdown inline: emphasis, code, links", markdown.INLINE.search, markdown.resolve_inline),
    Part("put literal characters back", STAND_IN.search, lambda t: _show_literals(t)),
    Part("mend what line ends tore apart", lambda t: "\n" in t or "://" in t, spacing.mend_lines),
    Part("even spaces and line ends", spacing.RAGGED.search, spacing.even_spaces),
    Part("drop the heading Abstract", framing.PREFIX.match, framing.drop_heading),
    Part("set copyright lines apart", lambda t: "©" in t or "ights" in t or "opyright" in t or "ookies" in t or "JavaScript" in t or "(c)" in t or "NFO " in t, framing.separate_copyright),
    Part("compose letters and accents", lambda t: not t.isascii(), compose),
)


def clean_text(raw: str, macros: Mapping[str, str] | None = None) -> CleanText:
    """The clean text of an abstract as it stood in its source.

    `macros` gives the text of TeX macros of one's own, name without backslash to replacement (`#1` for an argument).
    Mark-up of any kind is resolved, no word, number, `%`, URL or symbol is lost, and the map leads every character back to `raw`.
    Never raises. A text with escaped mark-up becomes the literal characters and carries the flag `literal_markup`.

    >>> clean_text(r"Abstract: \\textbf{A}da cuts 63\\% at $O(n^2)$.").text
    'Ada cuts 63% at O(n^2).'
    """
    return track(raw, macros).finish()


def track(raw: str, macros: Mapping[str, str] | None = None) -> Tracked:
    """The same with everything that is known on the way, unknown macros by name among it."""
    state = _run(raw, macros)
    state.flags |= framing.warn(state.text)
    if state.text != raw and _changes_again(state.text):
        state.flags.add("literal_markup")
    if not is_plainly_english(state.text) and detect_language(state.text) not in ("en", "und"):
        state.flags.add("not_english")
    return state


def _run(raw: str, macros: Mapping[str, str] | None) -> Tracked:
    state = Tracked(raw)
    if macros and "\\" in raw:
        state.apply(expand_macros(raw, macros))
    for part in PLAN:
        if part.needed(state.text):
            state.apply(part.step(state.text))
    return state


def _changes_again(text: str) -> bool:
    """Whether cleaning the clean text would change it: what looks like mark-up is literal."""
    for part in PLAN:
        if part.needed(text) and part.step(text).result() != text:
            return True
    return False


def _show_literals(text: str) -> Draft:
    draft = Draft(text)
    draft.put(0, len(text), show(text))
    return draft


def identity(raw: str) -> CleanText:
    """The outcome for a text that needs nothing."""
    return CleanText(raw, (), OffsetMap.identity(len(raw)), {})


