from __future__ import annotations

import numpy as np

from driftline.analysis.burst_kinds import kinds_of_rate_bursts, kinds_of_word_bursts, observed_steps, steps_for
from driftline.analysis.findings.bursts import describe_bursts
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.corpus import Corpus

START = np.datetime64("2024-01-01", "us")


def test_bursts_of_words_are_of_one_day_lasting_or_unconfirmed():
    day = np.array([3.0, 3.0, 4.0, 9.0])
    kinds = kinds_of_word_bursts([(3, 4), (3, 6), (3, 10)], [True, True, False], day)
    assert kinds == ["event", "lasting", "unconfirmed"]


def test_bursts_of_rates_must_outlast_a_day():
    rng = np.random.default_rng(0)
    counts = np.stack([rng.poisson(3, 150), rng.poisson(3, 150)])
    counts[0, 40:50] += 12
    counts[1, 70] += 120
    steps = np.concatenate([np.repeat(np.arange(150), row) for row in counts])
    codes = np.repeat([0, 1], counts.sum(axis=1))
    kinds = kinds_of_rate_bursts(steps, codes, [(0, 40, 49), (1, 70, 70), (1, 69, 71)], np.ones(150, dtype=bool))
    assert kinds == ["lasting", "event", "unconfirmed"]
    assert kinds_of_rate_bursts(steps, codes, [], np.ones(150, dtype=bool)) == []


def test_steps_are_days_or_what_was_named():
    times = START + np.arange(0, 24 * 90, 5) * np.timedelta64(1, "h")
    assert steps_for(times, "day")[0].max() == 89
    assert steps_for(times, "6h")[1] == 0.25


def test_days_that_were_not_collected_are_not_quiet_days():
    dense = np.repeat([0, 1, 4, 5, 30], 4)
    assert np.flatnonzero(observed_steps(dense)).tolist() == [0, 1, 4, 5, 30]
    sparse = np.concatenate([np.arange(0, 200, 2), np.arange(400, 500, 2)])
    observed = observed_steps(sparse)
    assert observed[:199].all()
    assert observed[400:].all()
    assert not observed[199:400].any()


def test_a_month_between_gaps_is_not_a_burst_of_what_is_constant_in_it():
    rng = np.random.default_rng(4)
    days = np.concatenate([np.arange(60), np.arange(95, 110), np.arange(220, 225)])
    counts = rng.poisson(5, (2, len(days)))
    steps = np.concatenate([np.repeat(days, row) for row in counts])
    codes = np.repeat([0, 1], counts.sum(axis=1))
    windows = [(0, 0, 59), (1, 0, 59)]
    assert kinds_of_rate_bursts(steps, codes, windows, np.ones(225, dtype=bool)) == ["lasting", "lasting"]
    assert kinds_of_rate_bursts(steps, codes, windows, observed_steps(steps)) == ["unconfirmed", "unconfirmed"]


def test_a_storm_of_ten_days_is_lasting_and_one_of_a_day_an_event():
    texts, times = [], []
    rng = np.random.default_rng(0)
    for day in range(100):
        for _ in range(12):
            word = (
                "storm"
                if 40 <= day < 50 and rng.random() < 0.7
                else "anzac"
                if day == 70 and rng.random() < 0.9
                else ""
            )
            texts.append(f"calm tonight {word} {rng.choice(['here', 'there', 'yonder'])}")
            times.append(START + day * np.timedelta64(1, "D"))
    corpus = Corpus.from_texts(texts, times)
    tests = changed_words(corpus.counts, times=corpus.times)
    kinds = {burst.word: burst.kind for burst in describe_bursts(corpus, tests=tests)}
    assert kinds["storm"] == "lasting"
    assert kinds["anzac"] == "event"
    assert {burst.kind for burst in describe_bursts(corpus)} == {None}
