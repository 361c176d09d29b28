from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from driftline.streams.duplicates import LEAST_WORDS, find_duplicates
from tests.oracles import boilerplate as oracle


def found(texts, days):
    times = np.datetime64("2015-01-01", "us") + (np.asarray(days) * 86_400e6).astype("timedelta64[us]")
    return find_duplicates(pa.chunked_array([pa.array(texts, pa.large_string())]), times).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_duplicates_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    words = ["storm", "Storm", "hits", "été", "7", "the"]
    texts = [
        "".join(str(rng.choice(words)) + str(rng.choice([" ", ", ", "! "])) for _ in range(rng.integers(3, 7)))
        for _ in range(3000)
    ]
    days = np.sort(rng.uniform(0, 200, size=len(texts))).round(3)
    times = [datetime(2015, 1, 1) + timedelta(days=float(day)) for day in days]
    expected = oracle.duplicates(texts, times, within=timedelta(days=30), least_words=LEAST_WORDS)
    assert 0 < sum(expected) < len(texts)
    assert found(texts, days) == expected


def test_one_is_counted_again_after_thirty_days():
    assert found(["a storm hits the coast"] * 4, [0, 20, 31, 50]) == [False, True, False, True]


def test_short_and_empty_texts_are_never_duplicates():
    assert not any(found(["thank you", "thank you", "", "", "one two three four", "one two three four"], range(6)))


def test_one_text_a_thousand_times():
    assert sum(found(["the same old story again"] * 1000, np.linspace(0, 29, 1000))) == 999


def test_none():
    assert found([], []) == []
