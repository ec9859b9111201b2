"""What the closed lists of the data mean, in a few words each; a value that is not named here is shown without."""

from __future__ import annotations

from schemas.vocabulary import FLAG_MEANINGS, RELATION_MEANINGS

__all__ = ["FLAG_MEANINGS", "LOSS_MEANINGS", "RELATION_MEANINGS", "SKIP_MEANINGS"]

SKIP_MEANINGS = {
    "heading": "a title, or a heading over records",
    "navigation": "links and menus of a page",
    "preamble": "text before the first record",
    "repeated_header": "the header of the table once more",
    "translated_abstract": "a translation beside the abstract",
    "no_abstract": "an entry without an abstract",
    "placeholder": "stands for an abstract that is not there",
    "withdrawn": "a notice that the paper was withdrawn",
    "empty": "nothing but white space or mark-up",
}
LOSS_MEANINGS = {
    "accent": "accent commands that became letters",
    "block_mark": "marks of lists, quotations and headings",
    "citation": "citation commands",
    "code": "marks around code",
    "comment": "comments",
    "definition": "definitions of macros, applied first",
    "emphasis": "marks of emphasis",
    "escape": "escapes that became characters",
    "group": "braces of groups",
    "hidden_character": "characters that nobody sees",
    "link_target": "targets of links, put behind their text",
    "macro": "commands that became text",
    "math_delimiter": "marks of formulas",
    "option": "options of commands",
    "reference": "cross-references and labels",
    "tag": "tags of HTML or XML",
    "unknown_macro": "macros whose meaning is not known",
}
