"""Raw files of scientific abstracts in, a curated, validated, published dataset out.

    >>> from pipeline import clean_text, enrich_text
    >>> clean_text(r"a 63\\% gain").text
    'a 63% gain'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.clean import clean_text
    from pipeline.enrich import enrich_text

__all__ = ["clean_text", "enrich_text"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the stages on first use, so that importing one module does not import all of them."""
    if name == "clean_text":
        from pipeline.clean import clean_text

        return clean_text
    if name == "enrich_text":
        from pipeline.enrich import enrich_text

        return enrich_text
    raise AttributeError(f"module 'pipeline' has no attribute {name!r}")
