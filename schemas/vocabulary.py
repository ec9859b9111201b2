"""What the values of closed lists mean, for the data dictionary and the report. Columns are in `fields.py`."""

from __future__ import annotations

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
RELATION_MEANINGS = {
    "kept": "became an abstract",
    "exact": "the same characters as the kept one",
    "normalised": "the same but for case, spaces, punctuation or mark-up",
    "near": "the same abstract with edits",
    "version": "another version of the same record",
}
ROLE_MEANINGS = {
    "proposed": "introduced by this paper",
    "mentioned": "used, compared with or only named",
}
METRIC_RELATION_MEANINGS = {
    "=": "the value itself",
    ">=": "at least the value",
    "<=": "at most the value",
    "~": "about the value",
}
VALUE_KIND_MEANINGS = {
    "level": "how large the quantity is",
    "change": "by how much it rose or fell, in its own unit or in per cent",
    "ratio": "how many times as large as another one",
    "count": "how many things there are",
}
REDIRECT_MEANINGS = {
    "changed": "the text changed, and with it the id",
    "merged": "found to be a duplicate of an abstract that is kept",
    "removed": "no source gives it any more",
    "takedown": "removed on request",
    "licence": "left out by the licence filter",
}

#: Title in the data dictionary -> meanings.
CLOSED_LISTS = {
    "abstracts.flags": FLAG_MEANINGS,
    "methods.role, datasets.role": ROLE_MEANINGS,
    "metrics.relation": METRIC_RELATION_MEANINGS,
    "metrics.value_kind": VALUE_KIND_MEANINGS,
    "sources.relation": RELATION_MEANINGS,
    "redirects.reason": REDIRECT_MEANINGS,
}
