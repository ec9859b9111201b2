"""The way from clean text back to raw text."""

from __future__ import annotations

from pipeline.offsets import OffsetMap


def test_identity() -> None:
    assert OffsetMap.identity(5).raw_span(1, 3) == (1, 3)
    assert OffsetMap.identity(5, 10).raw_span(0, 5) == (10, 15)
    assert OffsetMap.identity(0).segments == ()


def test_a_replacement_is_taken_whole() -> None:
    offsets = OffsetMap(((0, 2, 0, 2), (2, 3, 2, 8), (3, 5, 8, 10)))
    assert offsets.raw_span(2, 3) == (2, 8)
    assert offsets.raw_span(1, 4) == (1, 9)


def test_wraps_count_when_they_are_covered() -> None:
    offsets = OffsetMap(((0, 2, 0, 2), (2, 6, 4, 8), (6, 8, 10, 12)), ((2, 6, 2, 10),))
    assert offsets.raw_span(2, 6) == (2, 10)
    assert offsets.raw_span(2, 5) == (4, 7)
    assert offsets.raw_span(1, 8) == (1, 12)


def test_parts_that_stand_in_another_order() -> None:
    offsets = OffsetMap(((0, 4, 10, 14), (4, 6, 0, 0), (6, 9, 2, 5)))
    assert offsets.raw_span(0, 4) == (10, 14)
    assert offsets.raw_span(6, 9) == (2, 5)
    assert offsets.raw_span(0, 9) == (0, 14)
