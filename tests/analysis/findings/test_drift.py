import numpy as np

from driftline.analysis.curve_times import grid
from driftline.analysis.findings.drift import _at_least, _fast_segments, _within, describe_drift
from driftline.analysis.items import items_of
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.corpus import Corpus
from driftline.text.tokenise import Tokenizer


def test_a_sudden_change_is_dated_and_its_words_are_named():
    rng = np.random.default_rng(0)
    common = [f"word{i}" for i in range(30)]
    days = np.sort(rng.random(3000) * 100)
    texts = [
        " ".join([*rng.choice(common, 8), *rng.choice(["old", "former"] if day < 60 else ["new", "fresh"], 4)])
        for day in days
    ]
    times = np.datetime64("2024-01-01", "us") + (days * 86400e6).astype("timedelta64[us]")
    corpus = Corpus.from_texts(texts, times)
    tests = changed_words(corpus.counts, times=corpus.times)
    drift = describe_drift(corpus, items_of(corpus), tests, grid(corpus.times, 100), bandwidth="5d")
    fastest = drift.fastest[0]
    assert fastest.start <= "2024-03-01T12" <= fastest.end  # day 60
    assert {"new", "fresh"} <= set(fastest.rising)
    assert {"old", "former"} <= set(fastest.falling)
    assert fastest.times_noise_floor > 2
    assert drift.bandwidth_days == 5
    length = np.datetime64(fastest.end[:19]) - np.datetime64(fastest.start[:19])
    assert length >= np.timedelta64(5, "D") - np.timedelta64(1, "m")


def test_only_words_that_changed_at_the_peak_are_named_and_only_those_whose_speed_it_is():
    """Words that were left out of the speed changed as much as the others."""
    rng = np.random.default_rng(1)
    days = np.sort(rng.random(4000) * 100)
    texts = [
        " ".join(
            [
                *rng.choice([f"word{i}" for i in range(30)], 8),
                *["early"] * bool(day < 30 and rng.random() < 0.5),
                *["late"] * bool(day > 70 and rng.random() < 0.2),
                *["untested"] * bool(day < 30),
            ]
        )
        for day in days
    ]
    times = np.datetime64("2024-01-01", "us") + (days * 86400e6).astype("timedelta64[us]")
    corpus = Corpus.from_texts(texts, times)
    words = list(corpus.vocabulary.words)
    tests = changed_words(corpus.counts, times=corpus.times)
    tested = tests._replace(lasting=tests.lasting & (tests.columns != words.index("untested")))
    drift = describe_drift(corpus, items_of(corpus), tested, grid(corpus.times, 100), bandwidth="10d")
    first, second = sorted(drift.fastest[:2], key=lambda period: period.start)
    assert (first.rising, first.falling) == ([], ["early"])
    assert (second.rising, second.falling) == (["late"], [])


def test_stretches_end_at_half_the_peak_and_shoulders_are_not_peaks():
    excess = np.array([0, 1, 4, 8, 4, 3, -1, 2, 2, -1, 0.5, 0])
    assert _fast_segments(excess, 5) == [slice(2, 5), slice(7, 9), slice(10, 11)]
    assert _fast_segments(excess, 1) == [slice(2, 5)]
    assert _fast_segments(np.full(5, -1.0), 3) == []


def test_no_speed_from_few_days_or_without_a_changed_word():
    texts = ["rain again", "snow again"] * 300
    days = np.datetime64("2024-01-01", "us") + np.repeat(np.arange(30), 20).astype("timedelta64[D]")
    corpus = Corpus.from_texts(texts, days)
    tests = changed_words(corpus.counts, times=corpus.times)
    drift = describe_drift(corpus, items_of(corpus), tests, grid(corpus.times, 20), bandwidth="auto")
    assert not len(drift.curve.value)
    assert drift.noise_floor == drift.fastest == []


def test_words_of_single_days_have_no_speed():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(80), 25)
    texts = [
        f"{rng.choice(['calm', 'quiet'])} and {rng.choice(['here', 'there'])} {f'event{d // 8}' if d % 8 == 3 else ''}"
        for d in day
    ]
    corpus = Corpus.from_texts(texts, np.datetime64("2024-01-01", "us") + day.astype("timedelta64[D]"))
    tests = changed_words(corpus.counts, times=corpus.times)
    assert tests.event.sum() >= 8
    assert not tests.lasting.any()
    assert describe_drift(corpus, items_of(corpus), tests, grid(corpus.times, 20), bandwidth="auto").fastest == []


def test_the_ratio_to_chance_is_capped():
    texts = ["old steady word"] * 3000 + ["new steady word"] * 3000
    days = np.datetime64("2024-01-01", "us") + np.repeat(np.arange(100), 60).astype("timedelta64[D]")
    corpus = Corpus.from_texts(texts, days)
    tests = changed_words(corpus.counts, times=corpus.times)
    drift = describe_drift(corpus, items_of(corpus), tests, grid(corpus.times, 80), bandwidth="auto")
    assert drift.fastest
    assert all(fast.times_noise_floor <= 20 for fast in drift.fastest)
    assert drift.fastest[0].start <= "2024-02-20" <= drift.fastest[0].end


def test_numbers_months_and_parts_of_contractions_are_not_named():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(100), 20)
    texts = [
        " ".join([*rng.choice(["calm", "rain", "wind"], 3), "you re 12th november new" if d >= 50 else "old"])
        for d in day
    ]
    times = np.datetime64("2024-01-01", "us") + day.astype("timedelta64[D]")
    corpus = Corpus.from_texts(texts, times, tokenizer=Tokenizer(stop_words=None))
    tests = changed_words(corpus.counts, times=corpus.times)
    shared = (corpus, items_of(corpus), tests, grid(corpus.times, 50))
    assert {"new", "november", "re"} <= set(describe_drift(*shared, bandwidth="5d").fastest[0].rising)
    named = describe_drift(*shared, bandwidth="5d", languages=["en"]).fastest[0].rising
    assert "new" in named
    assert not {"12th", "november", "re"} & set(named)


def test_a_fast_period_does_not_extend_into_a_gap():
    when = np.arange("2024-01-01", "2024-01-31", dtype="datetime64[D]")
    speed = np.ones(30)
    speed[5:15] = np.nan
    around = _within(speed, slice(16, 18))
    assert around == slice(15, 30)
    assert _at_least(when, around, slice(16, 18), 16, 20.0) == ("2024-01-16T00:00:00Z", "2024-01-27T00:00:00Z")
    assert _within(np.ones(30), slice(3, 4)) == slice(0, 30)
