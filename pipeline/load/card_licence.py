"""Licences of the records, as the metadata files of a release name them. Nothing is guessed: an unknown one stays unknown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

#: Identifiers of the SPDX list that sources of abstracts use; the Hugging Face hub writes them in lower case.
_SPDX = (
    "CC0-1.0", "CC-BY-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-BY-NC-2.0", "CC-BY-NC-3.0",
    "CC-BY-NC-4.0", "CC-BY-ND-4.0", "CC-BY-NC-ND-3.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-2.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0",
    "MIT", "Apache-2.0", "ODC-By-1.0", "ODbL-1.0", "PDDL-1.0",
)  # fmt: skip
#: The hub has names of its own for these.
_HUB = {"ODC-By-1.0": "odc-by", "ODbL-1.0": "odbl", "PDDL-1.0": "pddl"}
_BY_NAME = {name.casefold(): name for name in _SPDX}
_CC_ADDRESS = re.compile(r"creativecommons\.org/(?:licen[cs]es/(by(?:-nc)?(?:-nd|-sa)?)|publicdomain/(zero))/(\d\.\d)", re.I)


@dataclass(frozen=True, slots=True)
class Licences:
    """The licences of all records: SPDX identifiers in order; `complete` if every record has one of them."""

    spdx: tuple[str, ...]
    complete: bool

    def hub(self) -> dict[str, object]:
        """`license` (and `license_name`) of a dataset card: `other` unless every record's licence is known."""
        if self.complete:
            names = [_HUB.get(name, name.lower()) for name in self.spdx]
            return {"license": names[0] if len(names) == 1 else names}
        return {"license": "other", "license_name": "mixed-see-column-licence" if self.spdx else "unknown"}


def summarise_licences(counts: Mapping[str, int]) -> Licences:
    """The licences among the values of the column, `unknown` standing for null."""
    found = [spdx(name) for name in counts]
    known = {name for name in found if name}
    return Licences(tuple(sorted(known)), bool(found) and all(found))


def spdx(licence: str) -> str | None:
    """The SPDX identifier of a licence as sources write it, or None.

    >>> spdx("cc by 4.0"), spdx("http://creativecommons.org/licenses/by-nc/4.0/"), spdx("all rights reserved")
    ('CC-BY-4.0', 'CC-BY-NC-4.0', None)
    """
    if match := _CC_ADDRESS.search(licence):
        kind, zero, version = match.groups()
        licence = f"CC0-{version}" if zero else f"CC-{kind}-{version}"
    return _BY_NAME.get(re.sub(r"[\s_-]+", "-", licence.strip().casefold()))
