"""What the closed lists of the data mean, in a few words each; a value that is not named here is shown without."""

from __future__ import annotations

RELATION_MEANINGS = {
    "kept": "became an abstract",
    "exact": "the same characters as the kept one",
    "normalised": "the same but for case, spaces, punctuation or mark-up",
    "near": "the same abstract with edits",
    "version": "another version of the same record",
}
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
FLAG_MEANINGS = {
    "unbalanced_math": "a formula whose end was not found",
    "unknown_macro": "a macro whose meaning is not known; its argument was kept",
    "literal_markup": "mark-up characters that the source meant literally",
    "truncated": "the source gives only the beginning",
    "url_lost": "the source lost an address (“this https URL”)",
    "text_lost": "a part of the text is missing in the source",
    "boilerplate": "holds a notice that is no part of an abstract",
    "not_english": "written in another language",
    "mojibake_repaired": "wrongly decoded characters were repaired",
    "lone_surrogate": "a broken character was replaced",
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
