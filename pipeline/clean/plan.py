"""The order of cleaning, as one list that can be read aloud."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pipeline.clean import blocks, framing, html, latex, markdown, spacing
from pipeline.clean.characters import (
    compose,
    fold_characters,
    is_loose,
    may_be_folded,
    may_hold_mojibake,
    repair_mojibake,
)
from pipeline.clean.code import keep_code
from pipeline.clean.definitions import expand_macros
from pipeline.clean.escaped import undo_escapes
from pipeline.clean.language import detect_language, is_foreign
from pipeline.clean.literals import may_hold_stand_ins, show
from pipeline.clean.tracked import Draft, Step, Tracked, exchange
from pipeline.model import CleanText
from pipeline.offsets import OffsetMap


class Part(NamedTuple):
    """One step of the plan, the signs of which a text needs one (empty: none), and the cheap test that tells whether it may need the step."""

    name: str
    signs: frozenset[str]
    needed: Callable[[str], object]
    step: Step


def _show_literals(text: str) -> Draft:
    """Put characters back that earlier steps found to be literal.

    >>> _show_literals("2\ufdd03").result()
    '2*3'
    """
    return exchange(text, show(text))


#: Stands among the signs of a text for all characters but printable ASCII and line ends.
_ODD = "\0"


def _always(_text: str) -> bool:
    return True


def _part(name: str, signs: str, needed: Callable[[str], object], step: Step) -> Part:
    return Part(name, frozenset(signs), needed, step)


PLAN: tuple[Part, ...] = (
    _part("repair mojibake", _ODD, may_hold_mojibake, repair_mojibake),
    _part("fold characters: spaces, ligatures, raised digits, invisible ones", _ODD, may_be_folded, fold_characters),
    _part("resolve Markdown blocks: headings, lists, quotes, fences", "", blocks.may_hold_blocks, blocks.resolve_blocks),
    _part("take Markdown code as it stands", "`", lambda t: t.count("`") > 1, keep_code),
    _part("resolve the tags of HTML, JATS and MathML", "<", _always, html.resolve_tags),
    _part("decode entities", "&", lambda t: ";" in t, html.decode_entities),
    _part("undo the escapes of TeX that was escaped as a whole", "\\", lambda t: "\\$" in t or "\\{" in t, undo_escapes),
    _part("expand the macros that the text defines", "\\", _always, expand_macros),
    _part("resolve TeX: formulas, macros, accents, quotes, dashes", "", latex.may_hold_tex, latex.resolve_latex),
    _part("resolve Markdown inline: emphasis, links", "*]~_", markdown.may_hold_inline, markdown.resolve_inline),
    _part("put literal characters back", _ODD, may_hold_stand_ins, _show_literals),
    _part("mend what line ends tore apart", "", spacing.may_be_torn, spacing.mend_lines),
    _part("make the lines of a paragraph one", "\n", _always, spacing.join_lines),
    _part("even spaces and line ends", "", spacing.is_ragged, spacing.even_spaces),
    _part("drop the heading Abstract", "", framing.may_have_heading, framing.drop_heading),
    _part("set copyright lines apart", "", framing.may_hold_copyright, framing.separate_copyright),
    _part("compose letters and accents", _ODD, is_loose, compose),
)


def clean_text(raw: str, macros: Mapping[str, str] | None = None) -> CleanText:
    """The clean text of an abstract as it stood in its source.

    `macros` gives the text of TeX macros of one's own, name without backslash to replacement (`#1` for an argument).
    Mark-up of any kind is resolved, no word, number, `%`, URL or symbol is lost, and the map leads every character back to `raw`.
    Never raises. A text with escaped mark-up becomes the literal characters and carries the flag `literal_markup`.

    >>> clean_text(r"Abstract: \\textbf{A}da cuts 63\\% at $O(n^2)$.").text
    'Ada cuts 63% at O(n^2).'
    """
    if not needs_nothing(raw):
        return track(raw, macros).finish()
    flags = framing.warn_prose(raw)
    if is_foreign(detect_language(raw)):
        flags.add("not_english")
    return CleanText(raw, tuple(sorted(flags)) if flags else (), OffsetMap.identity(len(raw)))


def track(raw: str, macros: Mapping[str, str] | None = None) -> Tracked:
    """The same with everything that is known on the way: unknown macros by name, and the language."""
    state = Tracked(raw) if needs_nothing(raw) else _run(raw, macros)
    state.flags |= framing.warn(state.text)
    if state.text != raw and not needs_nothing(state.text) and _changes_again(state.text, state.resolved or raw[:1].isspace()):
        state.flags.add("literal_markup")
    state.language = detect_language(state.text)
    if is_foreign(state.language):
        state.flags.add("not_english")
    return state


def needs_nothing(text: str) -> bool:
    """Whether no step can have anything to do: plain ASCII without a sign that any mark-up uses. Cheap; most texts pass."""
    if not text.isascii():
        return False
    signs = text.encode("ascii").translate(None, _BENIGN)
    if signs and not _are_harmless(text, signs):
        return False
    return (
        "--" not in text and "  " not in text and text[:1] not in _FIRST_SIGNS and text[-1:] != " " and not framing.may_have_heading(text) and not framing.may_hold_copyright(text)
    )  # fmt: skip


def _are_harmless(text: str, signs: bytes) -> bool:
    """Whether the `signs` that a text holds are none of mark-up where they stand."""
    if signs.strip(b"*_]':"):
        return False
    if (b"'" in signs and "''" in text) or (b":" in signs and "://" in text):
        return False
    return not signs.strip(b"':") or not markdown.may_hold_inline(text)


# Printable ASCII that is no sign of mark-up by itself.
_BENIGN = bytes(c for c in range(32, 127) if c not in b"\\${}`~<&*_]':")
_FIRST_SIGNS = frozenset(" #>-=|")


def _run(raw: str, macros: Mapping[str, str] | None) -> Tracked:
    state = Tracked(raw)
    if macros and "\\" in raw:
        state.apply(expand_macros(raw, macros))
    text = state.text
    signs = _signs(text)
    for part in PLAN:
        if (not part.signs or not part.signs.isdisjoint(signs)) and part.needed(text):
            state.apply(part.step(text))
            if state.text is not text:
                state.resolved = state.resolved or part.step not in _EVEN
                text = state.text
                signs = _signs(text)
    return state


def _signs(text: str) -> set[str]:
    """Which signs of mark-up a text holds, line ends and `_ODD` among them. One pass, which spares most tests of single steps theirs."""
    return set(text.encode("utf-8", "surrogatepass").translate(_ODD_BYTES, _PROSE).decode("ascii"))


_PROSE = bytes(c for c in range(32, 127) if c not in b"\\`<&*]~_")
_ODD_BYTES = bytes(c if 32 <= c < 127 or c == 10 else 0 for c in range(256))


# Steps whose outcome no other step undoes: a clean text needs none of them again.
_SETTLED = (_show_literals, compose)


# Steps that only even characters and white space within the text. Where no other step changed a text, what may newly be found in it is
# what stands at the start of a line, in a broken number or word, or where an invisible character stood: for these steps.
_EVEN = frozenset([fold_characters, spacing.join_lines, spacing.even_spaces, compose])
_AFTER_EVEN = tuple(part for part in PLAN if part.step in (repair_mojibake, fold_characters, blocks.resolve_blocks, spacing.mend_lines))


def _changes_again(text: str, resolved: bool) -> bool:
    """Whether cleaning the clean text would change it: what looks like mark-up is literal. `resolved`: mark-up was found in it before."""
    again, signs = text, _signs(text)
    resolved = resolved or "\\" in text or "](" in text or "]:" in text  # marks that a line end may have kept from being one
    for part in PLAN if resolved else _AFTER_EVEN:
        if part.step not in _SETTLED and (not part.signs or not part.signs.isdisjoint(signs)) and part.needed(again):
            before, again = again, part.step(again).result()
            signs = signs if again == before else _signs(again)
    return show(again) != text
