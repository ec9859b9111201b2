"""What a caller may set for reading, with defaults that suit every file we know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

MIB = 1 << 20
#: What unpacks to no more than this is no bomb, whatever its ratio.
RATIO_FROM = 16 * MIB


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """Mapping by hand and limits.

    `mapping` gives, for files whose relative path matches a glob, the place of fields by dotted path:
    `{"odd/*.json": {"abstract": "content.summary"}}`. The first matching glob wins.
    The limits keep one hostile file from taking the machine: a record beyond them is quarantined, never cut.
    """

    mapping: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    max_record_bytes: int = 32 * MIB
    max_document_bytes: int = 256 * MIB
    max_nesting: int = 100
    max_ratio: int = 1000
    max_unpacked_bytes: int = 256 * 1024 * MIB
    max_members: int = 100_000
    max_archive_depth: int = 3

    def mapping_for(self, path: str) -> Mapping[str, str]:
        """The mapping by hand for the file at `path`, empty where none matches."""
        name = path.rpartition("/")[2]
        for pattern, fields in self.mapping.items():
            if fnmatchcase(path, pattern) or fnmatchcase(name, pattern):
                return fields
        return {}
