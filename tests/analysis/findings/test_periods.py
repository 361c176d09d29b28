import numpy as np
import pytest

from driftline.analysis.findings.periods import characteristic_periods
from driftline.streams.corpus import Corpus


def winter_and_summer():
    texts = ["snow and frost today"] * 30 + ["heat and drought today"] * 30
    times = [f"2024-01-{1 + i % 28:02}" for i in range(30)] + [f"2024-07-{1 + i % 28:02}" for i in range(30)]
    return Corpus.from_texts(texts, times)


def test_each_period_is_named_by_its_own_words_and_empty_ones_are_left_out():
    winter, summer = characteristic_periods(winter_and_summer(), every="1mo")
    assert {word.word for word in winter.words} == {"snow", "frost"}
    assert {word.word for word in summer.words} == {"heat", "drought"}
    assert (winter.start, winter.end) == ("2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z")
    assert winter.n_documents + summer.n_documents == 60
    assert winter.examples[0].text == "snow and frost today"


def test_rates_are_uses_per_ten_thousand_words():
    winter, _ = characteristic_periods(winter_and_summer(), every="1mo")
    snow = next(word for word in winter.words if word.word == "snow")
    assert snow.rate_inside == pytest.approx(10_000 / 3, rel=1e-4)  # snow, frost, today
    assert snow.rate_outside == 0


def test_one_story_repeating_a_word_does_not_name_a_period():
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(50)]
    texts = [" ".join(rng.choice(words, 20)) for _ in range(300)]
    texts[10] += " word7" * 200
    times = [np.datetime64("2024-01-01") + i for i in range(300)]
    first = characteristic_periods(Corpus.from_texts(texts, times), every="1mo")[0]
    assert "word7" not in [word.word for word in first.words]


def test_nothing_in_nothing_out():
    assert characteristic_periods(winter_and_summer()[:0]) == []


def test_a_word_with_a_smaller_share_of_the_uses_does_not_name_a_period():
    """In short documents a word may be in most documents and yet have a smaller share of the uses."""
    rng = np.random.default_rng(0)
    others = [f"word{i}" for i in range(400)]
    short = ["fix " + " ".join(rng.choice(others, 30)) for _ in range(200)]
    long = ["fix " * 400 * (i % 2) + " ".join(rng.choice(others, 300)) for i in range(200)]
    times = [np.datetime64("2024-01-01") + i for i in range(400)]
    for period in characteristic_periods(Corpus.from_texts([*short, *long], times), every="200d"):
        for word in period.words:
            assert word.rate_inside > word.rate_outside


def test_numbers_come_after_all_words():
    day = np.arange(200)
    early = day < 100
    texts = [
        f"{'1980' if first else '1990'} {'rain' if first and i % 3 else 'sun'} report" for i, first in enumerate(early)
    ]
    times = np.where(early, np.datetime64("2020-01-01", "us"), np.datetime64("2021-01-01", "us"))
    corpus = Corpus.from_texts(texts, times + day * np.timedelta64(1, "D"))
    first = characteristic_periods(corpus, every="1y")[0].words
    assert [each.word for each in first] == ["rain", "1980"]
    assert first[1].score > first[0].score
