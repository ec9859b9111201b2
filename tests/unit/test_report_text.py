"""Text of the report: escaping, numbers, marks, charts."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.load.report_abstracts import mark_text
from pipeline.load.report_charts import bar, columns
from pipeline.load.report_figures import distributions, histogram, top_names
from pipeline.load.report_sample import describe, show
from pipeline.load.report_text import escape, figure, plural, script_json, share, table


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("</script><img src=x onerror='a()'>", "&lt;/script&gt;&lt;img src=x onerror=&#x27;a()&#x27;&gt;"),
        ('" onmouseover="a()', "&quot; onmouseover=&quot;a()"),
        ("a\x00b\x1bc\x7f", "a␀b␛c␡"),
        ("lone \ud800 half", "lone � half"),
        ("plain naïve β", "plain naïve β"),
    ],
)
def test_nothing_from_the_data_is_markup(text: str, shown: str) -> None:
    assert escape(text) == shown


@given(st.text())
def test_json_cannot_end_its_element(text: str) -> None:
    made = script_json({"a": [text]})
    assert not set("<>&\u2028\u2029") & set(made)
    assert made.encode("utf-8")
    if text.isprintable():
        assert json.loads(made) == {"a": [text]}


@pytest.mark.parametrize(("number", "shown"), [(None, "–"), (0.0, "0"), (1234.0, "1,234"), (65.78, "65.78"), (1 / 3, "0.3333"), (2.5e12, "2,500,000,000,000"), (1.5e300, "1.5e+300")])
def test_figure(number: float | None, shown: str) -> None:
    assert figure(number) == shown


def test_small_words() -> None:
    assert (plural(1, "entry"), plural(2, "entry"), plural(1200, "record")) == ("1 entry", "2 entries", "1,200 records")
    assert (share(1, 3), share(1, 300), share(0, 5), share(1, 0)) == ("33%", "0.3%", "0%", "–")


def test_table_has_caption_and_heads() -> None:
    made = table("What", ("Name", "#Count"), [("a", "1")])
    assert "<caption>What</caption>" in made
    assert '<th scope="row">a</th><td class="number">1</td>' in made


def plain(markup: str) -> str:
    return re.sub("<[^>]+>", "", markup)


def test_marks_nested_and_overlapping() -> None:
    made = mark_text("see A-B-C now", [(4, 9, 0), (6, 7, 1), (8, 13, 2)], ["url", "method", "dataset"])
    assert made == (
        '<p>see <mark class="url" data-r="0">A-</mark><mark class="method" data-r="1 0">B</mark><mark class="url" data-r="0">-</mark>'
        '<mark class="url" data-r="0 2">C</mark><mark class="dataset" data-r="2"> now</mark></p>'
    )


@given(st.text(alphabet="ab<&\n\x00𝔽", min_size=1, max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30)), max_size=8))
def test_marks_keep_every_character(text: str, places: list[tuple[int, int]]) -> None:
    spans = [(start, min(start + length, len(text)), row) for row, (start, length) in enumerate(places) if start < len(text)]
    made = mark_text(text, sorted(spans), ["method"] * len(places))
    assert plain(made).replace("\n", "") == escape(text).replace("\n", "")


def row(start: int, end: int, **given: object) -> dict[str, object]:
    return {"char_start": start, "char_end": end, "rule": "r", "confidence": 0.5, **given}


def test_mentions_join_their_rows() -> None:
    """Two results share a name: each mention goes to the row with its span, a further one to the first."""
    results = [row(0, 3, metric="accuracy", evidence="90%"), row(5, 8, metric="accuracy", evidence="80%")]
    mentions = [{"kind": "metric", "name": "accuracy", "char_start": start, "char_end": start + 3} for start in (0, 5, 10)]
    shown = show({"abstract_id": "a"}, {"metric": results}, mentions, [], [])
    assert list(shown.spans) == [(0, 3, 0), (5, 8, 1), (10, 13, 0)]


def test_results_in_words() -> None:
    given = {"value": 65.5, "value_max": 70.0, "baseline": 60.0, "unit": "%", "relation": ">=", "value_kind": "level", "uncertainty": 0.5, "dataset": "BIRD", "subject": "FiX"}
    assert describe("metric", given) == ">= 65.5–70% ± 0.5, from 60, level, on BIRD, for FiX"
    assert describe("metric", {**given, "value": None}) == "named without a number"


def test_top_names_break_ties_by_name() -> None:
    rows = pa.table({"name": ["b", "a", "c", "c", None], "role": ["proposed", "x", "x", "proposed", "x"]})
    assert [(n.name, n.first, n.second) for n in top_names(rows, "proposed", 2)] == [("c", 1, 1), ("a", 0, 1)]
    assert top_names(rows.slice(0, 0), "proposed") == ()


def test_histograms() -> None:
    assert histogram(np.array([])) is None
    one = histogram(np.array([5.0, 5.0]))
    assert one is not None
    assert sum(one.counts) == 2
    percent = histogram(np.array([10.0, 90.0]), percent=True)
    assert percent is not None
    assert (percent.low, percent.high) == (0, 100)
    wide = histogram(np.array([1.0, 10.0, 1e6]))
    assert wide is not None
    assert wide.log
    assert sum(wide.counts) == 3


def test_distributions_leave_out_what_is_no_number() -> None:
    metrics = pa.table({
        "metric_canonical": ["accuracy", "accuracy", "accuracy", None], "value": [1.0, float("nan"), 3.0, 4.0], "unit": ["%"] * 4, "value_kind": ["level"] * 4,
    })  # fmt: skip
    (found,) = distributions(metrics)
    assert (found.count, found.minimum, found.median, found.maximum) == (2, 1.0, 2.0, 3.0)


def test_charts_carry_no_style_and_say_what_they_show() -> None:
    chart = histogram(np.array([1.0, 2.0]))
    assert chart is not None
    made = bar([("a", 1), ("b", 2)], 4) + columns(chart, 'from "1" to 2')
    assert "style=" not in made
    assert 'aria-label="from &quot;1&quot; to 2"' in made
    assert 'x="25" width="50"' in made
