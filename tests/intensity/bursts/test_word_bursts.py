"""All words of a corpus through the automaton."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from driftline.core.errors import InvalidInput
from driftline.intensity import BurstAutomaton, WordBursts


def corpus(seed=0, n=3000, n_words=30):
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 60, n))
    share = np.full((n, n_words), 0.02)
    share[(times > 20) & (times < 25), 3] = 0.5
    return sp.csr_matrix((rng.random((n, n_words)) < share) * rng.integers(1, 4, (n, n_words))), times


def test_every_word_gets_what_the_automaton_finds_for_it_alone():
    X, times = corpus()
    found = WordBursts(every=1.0, min_documents=1).fit(X, times=times)
    day = np.floor(times).astype(int)
    totals = np.bincount(day, minlength=60)
    for word in range(X.shape[1]):
        relevant = np.bincount(day, weights=(X[:, word].toarray().ravel() > 0), minlength=60)
        alone = (
            BurstAutomaton()
            .fit(relevant, totals=totals, times=range(len(totals)))
            .bursts_.sort_by("weight")
            .to_pylist()
        )
        together = [row for row in found.bursts_.sort_by("weight").to_pylist() if row["column"] == word]
        assert len(alone) == len(together)
        for one, other in zip(alone, together):
            assert (one["start"], one["end"], one["level"]) == (other["start"], other["end"], other["level"])
            assert one["n_events"] == other["n_documents"]
            assert one["weight"] == pytest.approx(other["weight"])


def test_the_planted_burst_comes_first():
    X, times = corpus()
    words = [f"word{i}" for i in range(X.shape[1])]
    table = WordBursts(every=1.0, vocabulary=words).fit(X, times=times).bursts_
    top = table.to_pylist()[0]
    assert top["word"] == "word3"
    assert top["column"] == 3
    assert (top["start"], top["end"]) == (20.0, 25.0)
    assert table["weight"].to_pylist() == sorted(table["weight"].to_pylist(), reverse=True)
    for row in table.to_pylist():
        if row["parent"] is not None:
            up = table.to_pylist()[row["parent"]]
            assert up["column"] == row["column"]
            assert up["level"] == row["level"] - 1


def test_threads_and_chunks_change_nothing(monkeypatch):
    X, times = corpus()
    whole = WordBursts(every=1.0).fit(X, times=times).bursts_
    monkeypatch.setattr("driftline.intensity.bursts.word_bursts.WORDS_AT_A_TIME", 7)
    assert WordBursts(every=1.0, n_jobs=2).fit(X, times=times).bursts_.equals(whole)


def test_rare_words_are_left_out_and_empty_corpora_answered():
    X, times = corpus()
    assert WordBursts(every=1.0, min_documents=10_000).fit(X, times=times).bursts_.num_rows == 0
    assert WordBursts(vocabulary=["a", "b"]).fit(np.zeros((5, 2)), times=range(5)).bursts_.column_names[0] == "word"


@pytest.mark.parametrize(
    ("span", "width"),
    [(14.0, 1.0), (13.9, 1 / 24), (0.6, 1 / 24), (0.5, 1 / 1440), (70 / 1440, 1 / 1440), (1e-3, 1 / 86_400)],
)
def test_the_width_of_bins_follows_from_the_span(span, width):
    X, _ = corpus(n=200)
    times = np.datetime64("2024-01-01", "us") + (np.linspace(0, span, 200) * 86_400e6).astype("timedelta64[us]")
    assert WordBursts().fit(X, times=times).bin_width_ == width


def test_bins_of_dates():
    X, times = corpus()
    dates = np.datetime64("2003-03-01T06:00", "us") + (times * 86_400e6).astype("timedelta64[us]")
    found = WordBursts().fit(X, times=dates)
    assert found.bin_width_ == 1.0
    assert found.bins_[0] == np.datetime64("2003-03-01", "us"), "days begin at midnight"
    assert found.bursts_["start"][0].as_py().date() == datetime.date(2003, 3, 21)
    assert WordBursts(every="1w").fit(X, times=dates).bin_width_ == 7.0
    within_days = np.datetime64("2003-03-01T06:00", "us") + (times * 3_600e6).astype("timedelta64[us]")
    assert WordBursts().fit(X, times=within_days).bin_width_ == pytest.approx(1 / 24)


def test_explicit_zeros_are_not_documents():
    X, times = corpus()
    stored = X.tolil()
    with_zeros = sp.csr_matrix(stored)
    with_zeros.data[::5] = 0
    cleaned = with_zeros.copy()
    cleaned.eliminate_zeros()
    one, other = (WordBursts(every=1.0).fit(data, times=times).bursts_ for data in (with_zeros, cleaned))
    assert one.equals(other)


def test_wrong_input_is_refused():
    with pytest.raises(InvalidInput, match="vocabulary has 1 words"):
        WordBursts(vocabulary=["a"]).fit(np.ones((3, 2)), times=range(3))
    with pytest.raises(InvalidInput, match="plain numbers"):
        WordBursts(every="1d").fit(np.ones((3, 2)), times=[1.0, 2, 3])


@pytest.mark.data
def test_the_spring_of_2003(real_data):
    """War and epidemic: the ranking, and the days, that the specification names."""
    table = pq.read_table(real_data("abc_headlines_2003"))
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(table["text"].to_pylist())
    found = WordBursts(every="1d", vocabulary=vectorizer.get_feature_names_out()).fit(X, times=table["time"])
    top = found.bursts_.slice(0, 5).to_pylist()
    assert [row["word"] for row in top] == ["war", "baghdad", "sars", "iraq", "budget"]
    days = {row["word"]: (row["start"].date(), row["end"].date() - datetime.timedelta(days=1)) for row in top}
    assert days["war"] == (datetime.date(2003, 3, 16), datetime.date(2003, 4, 3))
    assert days["sars"] == (datetime.date(2003, 4, 2), datetime.date(2003, 5, 5))
    inner = [row for row in found.bursts_.to_pylist() if row["word"] == "war" and row["level"] == 2]
    assert inner
    assert found.bursts_["word"][inner[0]["parent"]].as_py() == "war"
