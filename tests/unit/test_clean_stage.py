"""The clean stage as a table, and the language of a text."""

from __future__ import annotations

import pyarrow as pa
import pytest

from pipeline.clean.language import detect_language
from pipeline.clean.stage import SCHEMA, clean_table


def test_rows_stay_aligned() -> None:
    table = clean_table(pa.table({"raw_text": [r"a \textbf{B}. We go.", "", "plain text of words"], "other": [1, 2, 3]}))
    assert table.schema == SCHEMA
    assert table["text"].to_pylist() == ["a B. We go.", "", "plain text of words"]
    assert table["n_words"].to_pylist() == [4, 0, 4]
    assert table["n_sentences"].to_pylist() == [2, 0, 1]
    assert table["map"].to_pylist()[2] == [0, 19, 0, 19]
    assert table["losses"].to_pylist() == [["macro:1"], [], []]


def test_texts_that_pass_by_the_plan_get_the_same_rows() -> None:
    texts = ["Nous montrons que le texte est dans la table.", None, "We show it, see Fig. 2. It works.", "See this https URL"]
    table = clean_table(pa.table({"raw_text": texts}))
    assert table["text"].to_pylist() == [text or "" for text in texts]
    assert table["language"].to_pylist()[:2] == ["fr", "und"]
    assert table["flags"].to_pylist() == [["not_english"], [], [], ["url_lost"]]
    assert table["n_sentences"].to_pylist() == [1, 0, 2, 1]
    assert clean_table(pa.table({"raw_text": []})).num_rows == 0


def test_macros_of_the_user_and_unknown_ones() -> None:
    table = clean_table(pa.table({"raw_text": [r"\ours and \theirs{}"]}), {"ours": "Foo"})
    assert table["text"].to_pylist() == ["Foo and"]
    assert table["unknown_macros"].to_pylist() == [["theirs"]]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We show that the method is better than the baseline on all of the data sets.", "en"),
        ("Nous montrons que la méthode est meilleure que les autres méthodes dans tous les cas étudiés ici.", "fr"),
        ("Wir zeigen, dass das Verfahren besser ist als alle anderen, die bisher untersucht worden sind.", "de"),
        ("本文提出了一种新的方法，在多个数据集上取得了更好的结果，并且优于现有的方法。", "zh"),
        ("本研究では，新しい手法を提案し，その有効性を実験により示した。", "ja"),
        ("42", "und"),
        ("", "und"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert detect_language(text) == language
