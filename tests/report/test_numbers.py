from __future__ import annotations

import pytest

from driftline.report.numbers import chance, count, counted, days, listed, rate, share, times_as


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, "0"), (9.999, "10.0"), (99.96, "100"), (12345.6, "12,300"), (0.05, "0.05"), (1e-9, "0"), (float("nan"), "–")],
)
def test_rates_have_the_digits_that_matter(value, expected):
    assert rate(value) == expected


def test_counts_and_their_nouns():
    assert count(999.6) == "1,000"
    assert counted(1, "word") == "1 word"
    assert counted(0, "story", "stories") == "no stories"


def test_shares_of_nothing_are_nought():
    assert share(3, 0) == "0\xa0%"
    assert share(0.95, 1) == "95\xa0%"
    assert share(0.004, 1) == "0.4\xa0%"


def test_chances_are_never_written_as_zero():
    assert chance(0.0) == "< 0.001"
    assert chance(0.05) == "0.05"


def test_small_words():
    assert days(1.0) == "1 day"
    assert days(2.5) == "2.5 days"
    assert times_as(9.96) == "10.0 times"
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
