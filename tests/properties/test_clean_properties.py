"""What holds for every text: cleaning never raises, is idempotent, maps every character, and leaves no odd characters."""

from __future__ import annotations

import re
import time
import unicodedata

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.clean import clean_text
from pipeline.clean.losses import REASONS, find_losses
from pipeline.clean.plan import track
from pipeline.clean.stage import hold_signs
from pipeline.sentences import count_sentences, count_words, split_sentences

PRINTABLE = r"""word|Name|12|3.5|%|\%|$|$x$|$x_i$|$10^{-3}$|\textbf{|\emph{x}|}|{|{A}b|\alpha|\frac{1}{2}|\sqrt{n+1}|\"o|\'|\c c|~|~5|--|---|``|''|`|
    `x`|*|**|*x*|**x**|_|_x_|__|[|]|[t](https://a.org/b_c)|[t](/u)|![|<|>|<b>|</b>|<sub>2</sub>|<p>|<EOS>|&amp;|&lt;|&amp;lt;|&#42;|&nbsp;|&|
    \cite{k}|\footnote{t}|\href{https://a.org}{t}|\url{https://a.org/~b}|\ours|\model{}|\newcommand{\ours}{Foo}|https://a.org/x_y--z|www.b.com|
    #|# |- |> |1. |```|\\|\\n|\$|\*|\_|\(x\)|\[y\]|$$|^|^{2}|_{ij}|²|₂|ﬁ|é|e%|–|“|漢字|€|$5|million|and|Abstract: |©|this http URL|..."""

ODD_ONES = ["\u0301", "\u200b", "\u00a0", "\u00ad", "\ufeff", "\x07", "\ud800", "\n", "\n\n", " ", "  ", "\t", "|", "â€™", "\U0001d6fc", "\u200d", "\r\n"]  # fmt: skip
PIECES = st.sampled_from([*PRINTABLE.replace("\n    ", "").split("|"), *ODD_ONES])
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=14).flatmap(lambda parts: st.sampled_from(["", " "]).map(lambda glue: glue.join(parts)))
ODD = re.compile(
    "[\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff\u00ad\u00a0\x00-\x09\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef]|  |(?<!\n)\n(?!\n)|\n{3,}"
)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
@example(r"\*x\*")
@example("$a*b$ and $c*d$")
@example("e\u200b\u0301")
def test_cleaning_a_clean_text_changes_nothing_but_literal_markup(raw: str) -> None:
    first = clean_text(raw)
    second = clean_text(first.text)
    assert second.text == first.text or "literal_markup" in first.flags


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_clean_text_is_normal(raw: str) -> None:
    text = clean_text(raw).text
    assert ODD.search(text) is None
    assert text == text.strip()
    assert text == unicodedata.normalize("NFC", text)
    text.encode("utf-8")


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_map_covers_every_character_within_the_raw_text(raw: str) -> None:
    done = clean_text(raw)
    position = 0
    for start, end, raw_start, raw_end in done.map.segments:
        assert start == position < end
        assert 0 <= raw_start <= raw_end <= len(raw)
        position = end
    assert position == len(done.text)
    for start, end, raw_start, raw_end in done.map.wraps:
        assert 0 <= start < end <= len(done.text)
        assert 0 <= raw_start < raw_end <= len(raw)


SIMPLE = st.lists(st.sampled_from([*"ab A.1-'|=#:_]()>", "resume", "abstract", "Abstract: ", "(c)", "URL", "..."]), max_size=8)


@settings(max_examples=400, deadline=None)
@given(SIMPLE.map("".join))
def test_what_passes_by_the_plan_would_leave_it_unchanged(raw: str) -> None:
    if hold_signs(pa.chunked_array([[raw]], pa.large_string())).to_pylist() == [False]:
        state = track(raw)
        assert (state.text, state.segments, state.flags - {"not_english"}) == (raw, [(0, len(raw), 0, len(raw))], set())


@settings(max_examples=400, deadline=None)
@given(SIMPLE.map("".join) | TEXTS)
def test_the_way_past_the_plan_leads_to_the_same(raw: str) -> None:
    assert clean_text(raw) == track(raw).finish()


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_losses_have_known_reasons(raw: str) -> None:
    done = clean_text(raw)
    assert set(done.losses) <= set(REASONS)
    find_losses(raw, done)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_sentences_lie_in_order_and_hold_all_but_white_space(text: str) -> None:
    spans = split_sentences(text)
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    assert edges == sorted(edges)
    assert "".join(text[b:a] for b, a in zip(edges[::2], edges[1::2], strict=True)).strip() == ""
    assert count_words(text) >= 0


STOPS = 'we end. This Fig. 2 et al. The e.g. U.S. A (all). [3]. 5%. 2. In LLM. resp. Est. NO. concepts. Why? No! "so." ... … 1) a. x..'
STOPPED = st.lists(st.sampled_from(STOPS.split()), max_size=12)


@settings(max_examples=300, deadline=None)
@given(STOPPED.map(" ".join) | st.lists(STOPPED.map(" ".join).filter(bool)).map("\n\n".join) | TEXTS.map(lambda raw: clean_text(raw).text))
def test_sentences_are_counted_as_they_are_split(text: str) -> None:
    assert count_sentences(text) == len(split_sentences(text))


PROSE = "we show that BERT beats GPT-4 by 3.5 points (p < 0.05), i.e. 12% more; see [3]."
PLAIN = st.lists(st.sampled_from(PROSE.split()), min_size=1)


@settings(max_examples=50, deadline=None)
@given(PLAIN)
def test_plain_prose_is_left_alone(words: list[str]) -> None:
    raw = " ".join(words)
    done = clean_text(raw)
    assert done.text == raw
    assert done.map.raw_span(0, len(raw)) == (0, len(raw))


HOSTILE = [
    "{", "}", "\\", "\\a{", "\\frac{", "$", "$a ", "*a ", "**", "_a ", "`", "``", "[", "[a](", "![", "<a ", '<a b="', "<!--", "<![CDATA[",
    "&amp;", "--", "~~a ", "^{", "%\n", "> ", "- ", "1. ", "```\n", " \n", ". ", "http://", "a.com/", "\u0301", "\u200b", "Ã", "²", "\ud800",
    "\\def\\a{\\a\\a}\\a", "\\begin{a}", "\\begin{itemize}\\item ", "\\cite{a}", "a-\n", "Abstract: ", '\\"', "<math><mfrac>", "[^a]: b\n",
    "\\item[", "a_", "x*y", "\\verb|", "{{", "^\\", "`a", "(c) ", "this http URL ",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_doubling_a_hostile_text_at_most_doubles_the_time(unit: str) -> None:
    """With room for the noise of a busy machine: a factor of three, best of two, above a floor."""

    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        best = 9.0
        for _ in range(2):
            start = time.process_time()
            clean_text(text)
            best = min(best, time.process_time() - start)
        return best

    clean_text("le chat est là, été comme hiver")
    small, large = seconds(3_000), seconds(12_000)
    assert large < max(12 * small, 0.25)
