"""Records in data objects (JSON, YAML, rows of nested columns): which object is an entry, and where its fields are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pipeline.extract.entry import Entry
from pipeline.extract.fields import fold_name, resolve_names
from pipeline.extract.words import words

# Objects that hold the fields of the entry around them: OpenReview, Elasticsearch, JSON:API, Crossref, GraphQL.
_WRAPPERS = words(
    "content attributes source metadata fields data paper article entry item record bibjson node message work document publication "
    "jsondata paperinfo info details contribution coredata abstractsretrievalresponse articlemeta medlinecitation csljson properties props"
)
_ID_OBJECTS = frozenset({"externalids", "ids", "identifiers", "articleids", "externalid", "pubmedids"})
# Lists in an entry whose members are papers of their own: never records of this file.
_NESTED_PAPERS = words(
    "references citations replies relatedworks related citedby bibliography reviews comments similar similarpapers referencedworks"
)
# Lists in an entry whose members are entries as well: revisions of a paper, papers of a session.
_NESTED_ENTRIES = words(
    "revisions versions submissions papers talks articles entries contributions children items events presentations posters"
)
_ABSTRACTS = frozenset({"abstract", "weak_abstract"})
_CACHED_NAMES = 120
_MIN_PROSE = 60
_MIN_BARE_TEXT = 150
_MIN_EMBEDDED = 200

Plan = Mapping[str, tuple[str, ...]]


def plan_for(record: Mapping[str, object]) -> Plan:
    """Which keys of `record` hold which canonical fields; cached by the set of keys, so that equal rows cost a look-up."""
    names = tuple(record)
    return resolve_names(names) if len(names) <= _CACHED_NAMES else resolve_names.__wrapped__(names)


def entry_of(record: Mapping[str, object], depth: int = 0) -> Entry | None:
    """The entry that an object is, or None where it is none (it may contain some).

    An object is an entry where it, or an object that wraps its fields, has an abstract; or, without one, where
    it has a title and a prose field such as `summary`. An entry with an empty abstract has `abstract=None`.
    """
    plan = plan_for(record)
    fields = {
        name: [record[keys[0]]] if len(keys) == 1 else [record[key] for key in keys]
        for name, keys in plan.items()
        if name not in _ABSTRACTS
    }
    if "abstract" in plan:
        text = None
        for key in plan["abstract"]:
            text = abstract_text(record[key])
            if text:
                break
        return Entry(text, _with_ids(fields, record))
    if depth < 3 and (inner := _wrapped(record, depth)) is not None:
        merged = {name: [*inner.fields.get(name, ()), *values] for name, values in fields.items()}
        return Entry(inner.abstract, {**inner.fields, **_with_ids(merged, record)})
    if "weak_abstract" in plan:
        return _weak_entry(record, plan, fields)
    return None


def _wrapped(record: Mapping[str, object], depth: int) -> Entry | None:
    for key, value in record.items():
        if (
            isinstance(value, dict)
            and isinstance(key, str)
            and fold_name(key) in _WRAPPERS
            and (inner := entry_of(value, depth + 1)) is not None
        ):
            return inner
    return None


def _weak_entry(record: Mapping[str, object], plan: Plan, fields: dict[str, list[object]]) -> Entry | None:
    """An entry whose abstract goes by a name that often means something else."""
    if "title" not in plan and "authors" not in plan and "source_id" not in plan:
        return None
    if any(
        isinstance(value, list) and value and isinstance(value[0], dict) and entry_of(value[0]) is not None
        for value in record.values()
    ):
        return None
    for key in plan["weak_abstract"]:
        text = abstract_text(record[key])
        if text and (len(text) >= _MIN_PROSE or fold_name(key) in {"summary", "text"}) and " " in text:
            return Entry(text, _with_ids(fields, record))
    named = any(fold_name(key) in {"summary", "text"} for key in plan["weak_abstract"])
    return Entry(None, fields) if named and "title" in plan else None


def _with_ids(fields: dict[str, list[object]], record: Mapping[str, object]) -> dict[str, list[object]]:
    """The fields, with what objects of identifiers and places hold (Semantic Scholar, OpenAlex)."""
    for key, value in record.items():
        if type(value) is not dict or type(key) is not str:
            continue
        folded = fold_name(key)
        if folded in _ID_OBJECTS:
            inner = {fold_name(str(k)): v for k, v in value.items()}
            for name, keys in (
                ("doi", ("doi",)),
                ("arxiv_id", ("arxiv", "arxivid")),
                ("source_id", ("pubmed", "pmid")),
            ):
                found = [inner[k] for k in keys if inner.get(k)]
                if found:
                    fields[name] = [*fields.get(name, ()), *found]
        elif folded in {"primarylocation", "bestoalocation"}:
            source = value.get("source")
            extra = {
                "venue": source.get("display_name") if isinstance(source, dict) else None,
                "licence": value.get("license"),
                "source_url": value.get("landing_page_url"),
            }
            for name, found_value in extra.items():
                if found_value:
                    fields[name] = [*fields.get(name, ()), found_value]
    return fields


def _abstracts_among(parts: Sequence[object]) -> Sequence[object]:
    """The parts of a list without those whose `descriptionType` (DataCite) says that they are no abstract."""
    return [p for p in parts if not isinstance(p, dict) or p.get("descriptionType", "Abstract") == "Abstract"]


def abstract_text(value: object) -> str | None:
    """The abstract in a value: text, `{"value": text}`, paragraphs, labelled sections, or an inverted index of words."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        parts = [text for part in _abstracts_among(value) if (text := abstract_text(part)) and text.strip()]
        return "\n\n".join(parts) or None
    if not isinstance(value, dict) or not value:
        return None
    for key in ("value", "#text", "_", "text", "abstract", "description", "en", "eng", "content", "p", "full", "AbstractText", "sec"):
        if isinstance(value.get(key), str | list | dict):
            text = abstract_text(value[key])
            label = value.get("label", value.get("Label", value.get("@Label")))
            return f"{label}: {text}" if text and isinstance(label, str) and label else text
    if all(isinstance(places, list) and all(isinstance(place, int) for place in places) for places in value.values()):
        return _from_inverted_index(value)
    if all(isinstance(part, str) for part in value.values()):
        return (
            "\n\n".join(f"{str(label).strip()}: {part}" for label, part in value.items() if str(part).strip()) or None
        )
    return None


def _from_inverted_index(index: Mapping[str, object]) -> str | None:
    """The words at their positions (OpenAlex `abstract_inverted_index`)."""
    placed = sorted((place, word) for word, places in index.items() if isinstance(places, list) for place in places)
    return " ".join(word for _, word in placed) or None


def find_entries(value: object, limit: int, path: str = "") -> Iterator[Entry]:
    """All entries in nested data, in order; what lies deeper than `limit` raises RecursionError.

    Understood are lists and objects of entries, columns of equal length, `{id: text}` and lists of texts.
    """
    if limit < 0:
        raise RecursionError(f"nested too deep at {path[:80]}")
    if isinstance(value, dict):
        yield from _find_in_object(value, limit, path)
    elif isinstance(value, list | tuple):
        if rows := _as_rows(value):
            for row in rows:
                yield from find_entries(row, limit - 1, path)
            return
        for part in value:
            if isinstance(part, dict | list | tuple):
                yield from find_entries(part, limit - 1, path)
            elif isinstance(part, str) and is_bare_abstract(part):
                yield Entry(part, {})


def _find_in_object(value: Mapping[str, object], limit: int, path: str) -> Iterator[Entry]:
    if columns := as_columns(value):
        for row in columns:
            if (entry := entry_of(row)) is not None:
                yield entry
        return
    entry = None if holds_columns(value) else entry_of(value)
    if entry is not None and entry.abstract:
        yield entry
        yield from inner_entries(value, limit)
        return
    nested = False
    for key, part in value.items():
        if isinstance(part, dict | list | tuple) and fold_name(str(key)) not in _NESTED_PAPERS:
            for inner in find_entries(part, limit - 1, f"{path}.{key}"):
                nested = True
                yield _with_key(inner, str(key), part)
        elif isinstance(part, str) and is_keyed_abstract(value, str(key), part):
            nested = True
            yield Entry(part, key_fields(str(key)))
        elif isinstance(part, str) and len(part) >= _MIN_EMBEDDED and part.lstrip()[:1] in ("{", "["):
            for inner in find_entries(_embedded(part), limit - 1, f"{path}.{key}"):
                nested = True
                yield inner
    if not nested and (entry is not None or is_paper(value)):
        yield entry or Entry(None)


def _embedded(text: str) -> object:
    """The data in a text that is JSON itself (a recorded response), or nothing."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def key_fields(key: str) -> dict[str, list[object]]:
    """What the key of an entry says about it: its title where it is several words, else its id."""
    return {"title": [key]} if key.count(" ") >= 2 else {"source_id": [key]}


def inner_entries(record: Mapping[str, object], limit: int) -> Iterator[Entry]:
    """The entries that stand in lists of an entry: every revision of a paper is an occurrence of its own."""
    for key, value in record.items():
        if type(value) is list and value and type(value[0]) is dict and fold_name(str(key)) in _NESTED_ENTRIES:
            yield from (entry for entry in find_entries(value, limit - 1, key) if entry.abstract)


def _with_key(entry: Entry, key: str, part: object) -> Entry:
    """The entry; where the object around it is keyed by id, that key is a candidate for its id."""
    return (
        Entry(entry.abstract, {**key_fields(key), **entry.fields})
        if isinstance(part, dict) and canonical_free(key)
        else entry
    )


@lru_cache(maxsize=65536)
def canonical_free(key: str) -> bool:
    """True for a key that can be an identifier or a title: it has a digit or several words, and is no name of a field."""
    return (any(c.isdigit() for c in key) or key.count(" ") >= 2) and fold_name(key) not in _WRAPPERS


def is_paper(value: Mapping[str, object]) -> bool:
    """True for an object that describes a paper without its abstract."""
    plan = plan_for(value)
    return "title" in plan and ("authors" in plan or "doi" in plan or "year" in plan or "venue" in plan)


def is_bare_abstract(text: str) -> bool:
    """True for a text in a list of texts that is long enough to be an abstract."""
    return len(text) >= _MIN_BARE_TEXT and text.count(" ") >= 15 and "://" not in text[:12]


def is_keyed_abstract(value: Mapping[str, object], key: str, text: str) -> bool:
    """True where an object maps ids or titles to texts."""
    return (
        len(text) >= _MIN_BARE_TEXT
        and text.count(" ") >= 15
        and text[0] not in "{[<"
        and fold_name(key) not in _NOT_IDS
        and sum(isinstance(v, str) and len(v) >= _MIN_BARE_TEXT for v in value.values()) >= 0.8 * len(value)
    )


_NOT_IDS = words(
    "description text body content readme license licence copyright disclaimer prompt about note notes instructions comment comments"
)


def as_columns(value: Mapping[str, object]) -> list[dict[str, object]]:
    """The rows of an object that holds columns (`{"title": […], "abstract": […]}`, pandas `to_json` also with
    `orient="split"`), else nothing."""
    names, rows = value.get("columns"), value.get("data")
    if isinstance(names, list) and isinstance(rows, list):
        return _as_rows([names, *rows])
    plan = plan_for(value)
    if "abstract" not in plan:
        return []
    abstracts = value[plan["abstract"][0]]
    others = [value[keys[0]] for name, keys in plan.items() if name in {"title", "source_id", "doi", "year"}]
    if (
        isinstance(abstracts, list)
        and len(abstracts) > 1
        and any(isinstance(o, list) and len(o) == len(abstracts) for o in others)
    ):
        columns = {
            key: column for key, column in value.items() if isinstance(column, list) and len(column) == len(abstracts)
        }
        return [{key: column[i] for key, column in columns.items()} for i in range(len(abstracts))]
    if (
        isinstance(abstracts, dict)
        and len(abstracts) > 0
        and any(isinstance(o, dict) and list(o) == list(abstracts) for o in others)
    ):
        tables = {key: column for key, column in value.items() if isinstance(column, dict)}
        return [{key: column.get(i) for key, column in tables.items()} for i in abstracts]
    return []


def holds_columns(value: Mapping[str, object]) -> bool:
    """True where a member of the object holds columns of several entries."""
    return any(isinstance(inner, dict) and len(as_columns(inner)) > 1 for inner in value.values())


def _as_rows(value: list[object] | tuple[object, ...]) -> list[dict[str, object]]:
    """The rows of a list of lists whose first names the columns, else nothing."""
    head = value[0] if value else None
    if (
        not isinstance(head, list)
        or len(head) < 2
        or not all(isinstance(name, str) and len(name) < 60 for name in head)
        or len(set(head)) != len(head)
    ):
        return []
    if "abstract" not in resolve_names(tuple(str(name) for name in head)):
        return []
    return [dict(zip(head, row, strict=False)) for row in value[1:] if isinstance(row, list)]


def mapped_entry(record: object, mapping: Mapping[str, str]) -> Entry | None:
    """The entry by a mapping by hand: canonical field to dotted path (`{"abstract": "content.summary"}`)."""
    if not isinstance(record, dict):
        return None
    fields = {
        name: [value]
        for name, path in mapping.items()
        if name != "abstract" and (value := at_path(record, path)) is not None
    }
    abstract = at_path(record, mapping.get("abstract", "abstract"))
    automatic = entry_of(record)
    if abstract is None and automatic is None and not fields:
        return None
    rest = (
        automatic.fields
        if automatic is not None
        else {n: [record[k] for k in keys] for n, keys in plan_for(record).items() if "abstract" not in n}
    )
    return Entry(abstract_text(abstract), {**rest, **fields})


def at_path(record: object, path: str) -> object:
    """The value at a dotted path; a number picks from a list; a key that itself holds dots is found as well."""
    if isinstance(record, dict) and path in record:
        return record[path]
    value = record
    for step in re.split(r"\.", path):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
