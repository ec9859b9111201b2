"""The order of the extractors: addresses first, because nothing else is looked for inside them."""

from __future__ import annotations

from pipeline.enrich.document import Document
from pipeline.enrich.names import find_names
from pipeline.enrich.results import find_metrics
from pipeline.enrich.urls import find_urls
from pipeline.model import Enrichment

#: Only so much of a text is looked at. Abstracts have some 1,200 code points, the longest real ones under 10,000; what is
#: longer is a file that was not split, and would cost time that grows faster than its length.
LOOKED_AT = 20_000


def enrich_text(text: str) -> Enrichment:
    """Methods, datasets, metrics and URLs of a clean text, each in order of first mention.

    Takes any string, and looks at its first `LOOKED_AT` code points; offsets are code points into `text`.

    >>> [m.name for m in enrich_text("We propose FooNet, a network.").methods]
    ['FooNet']
    """
    if len(text) > LOOKED_AT:
        text = text[: text.rfind(" ", 0, LOOKED_AT) + 1 or LOOKED_AT]
    urls = find_urls(text)
    document = Document(text, tuple(sorted(span for url in urls for span in url.spans)))
    methods, datasets = find_names(document)
    return Enrichment(methods, datasets, find_metrics(document, methods, datasets), urls)
