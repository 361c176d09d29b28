from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.topics import LDA, over_time, topics_over_time
from tests.topics.corpora import drawn

pytestmark = pytest.mark.filterwarnings("ignore:.*was given no times")


def moving(n=2000, seed=0):
    """Documents whose topic shares scatter around known curves, as times and shares."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 100, n))
    mean = truth(times)
    return times, np.array([rng.dirichlet(1.5 * row) for row in mean])


def truth(times):
    bump = 0.05 + 0.4 * np.exp(-(((times - 60) / 12) ** 2))
    return np.column_stack([bump, 0.5 * (1 - bump) * np.ones_like(times), 0.5 * (1 - bump)])


def test_bands_cover_the_truth():
    covered = []
    for seed in range(8):
        times, shares = moving(seed=seed)
        when = np.linspace(3, 97, 60)
        curves = topics_over_time(shares, None, times=times, when=when)
        expected = truth(when).T
        covered.append((curves.lower <= expected) & (expected <= curves.upper))
    assert 0.9 <= np.mean(covered) <= 0.99


class Known:
    """A model whose topics are given."""

    def __init__(self, topics):
        self.components_ = topics


def rising_stream(n_words, seed, n_documents=3000, n_days=80):
    """Documents of a few words on days that share events; the first of six topics rises from 2 to 12 %."""
    rng = np.random.default_rng(seed)
    topics = 0.6 * rng.dirichlet(np.full(300, 0.05), 6) + 0.4 * rng.dirichlet(np.full(300, 0.5))
    days = np.sort(rng.integers(0, n_days, n_documents))
    mean = rising(np.arange(n_days), n_days)
    by_day = np.array([rng.dirichlet(150 * row) for row in mean])
    shares = np.array([rng.dirichlet(4 * by_day[day]) for day in days])
    counts = sp.csr_array(np.array([rng.multinomial(n_words, row) for row in shares @ topics]))
    return topics, days.astype(float), counts


def rising(days, n_days=80):
    first = 0.02 + 0.1 * np.asarray(days) / n_days
    return np.column_stack([first, *([(1 - first) / 5] * 5)])


def test_intervals_of_trends_contain_the_true_change():
    """Topic 0 rises by 10 points and the others fall by two each, if days vary as they do here."""
    inside = []
    for seed in range(12):
        topics, days, counts = rising_stream(20, seed)
        lower, upper = topics_over_time(Known(topics), counts, times=days).trend_interval
        true = np.array([0.1, *([-0.02] * 5)]) * 79 / 80
        inside.append((lower <= true) & (true <= upper))
    assert 0.85 <= np.mean(inside) <= 1.0


@pytest.mark.parametrize("n_words", [8, 40])
def test_short_documents_do_not_flatten_a_rising_topic(n_words):
    slopes, covered = [], []
    when = np.arange(5.0, 80, 10)
    for seed in range(4):
        topics, days, counts = rising_stream(n_words, seed)
        curves = topics_over_time(Known(topics), counts, times=days, when=when)
        truth = rising(when).T
        slopes.append(np.polyfit(truth[0], curves.share[0], 1)[0])
        covered.append((curves.lower <= truth) & (truth <= curves.upper))
        assert curves.significant[0]
        assert curves.trend[0] == pytest.approx(0.1, abs=0.05)
    assert np.mean(slopes) == pytest.approx(1, abs=0.2)
    assert 0.87 <= np.mean(covered) <= 0.99


def test_many_units_are_as_good_as_all_of_them(monkeypatch):
    times, shares = moving(5_000)
    merged = topics_over_time(shares, None, times=times)
    monkeypatch.setattr(over_time, "MOST_UNITS", 10**6)
    every = topics_over_time(shares, None, times=times)
    assert merged.n_units < every.n_units == 5_000
    np.testing.assert_allclose(merged.share, every.share, atol=2e-3)


def test_refits_widen_the_bands_and_keep_the_estimate():
    X, _ = drawn(200, 50, 3)
    days = np.datetime64("2003-01-01") + np.arange(200)
    model = LDA(3, random_state=0, max_epochs=5).fit(X)
    given = topics_over_time(model, X, times=days)
    refits = topics_over_time(model, X, times=days, uncertainty="topics", n_refits=3)
    np.testing.assert_array_equal(given.share, refits.share)
    assert (refits.p_value >= given.p_value - 1e-12).all()
    assert np.mean(refits.upper - refits.lower) > np.mean(given.upper - given.lower)
    assert (given.uncertainty, refits.uncertainty) == ("given", "topics")
    again = topics_over_time(model, X, times=days, uncertainty="topics", n_refits=3)
    np.testing.assert_array_equal(refits.upper, again.upper)


def test_units_may_be_named():
    topics, days, counts = rising_stream(8, 0, n_documents=300)
    threads = np.repeat(np.arange(30), 10)
    assert topics_over_time(Known(topics), counts, times=days, unit=threads).n_units == 30
    assert topics_over_time(Known(topics), counts, times=days).unit == "time"


@pytest.mark.parametrize(
    "options, message",
    [({"uncertainty": "topics"}, "pass the model"), ({"uncertainty": "all"}, "must be"), ({"unit": [1]}, "one per")],
)
def test_what_cannot_be_done_is_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        topics_over_time(np.full((4, 2), 0.5), None, **options)


def test_too_few_refits_and_foreign_counts_are_refused():
    X, _ = drawn(60, 50, 3)
    model = LDA(3, random_state=0, max_epochs=2).fit(X)
    with pytest.raises(InvalidInput, match="at least 2"):
        topics_over_time(model, X, uncertainty="topics", n_refits=1)
    with pytest.raises(InvalidInput, match="no document has a word"):
        topics_over_time(model, sp.csr_array(X.shape))
    with pytest.raises(InvalidInput, match="columns"):
        topics_over_time(model, X[:, :10])


def test_a_calm_topic_has_a_wide_window_and_a_burst_a_narrow_one():
    times, shares = moving()
    rng = np.random.default_rng(3)
    shares = np.column_stack([shares, rng.dirichlet([1, 9], len(times))])
    curves = topics_over_time(shares, None, times=times)
    assert curves.bandwidth[0] < 30 < curves.bandwidth[3]
    assert curves.share[0].max() == pytest.approx(0.45, abs=0.06)
    assert abs(curves.times[curves.share[0].argmax()] - 60) < 6


def test_true_trends_are_significant_and_others_seldom_are():
    rng = np.random.default_rng(1)
    false, found = 0, 0
    for _ in range(60):
        times = rng.uniform(0, 10, 300)
        still = rng.dirichlet([1.0, 1.0, 1.0], 300)
        false += int(topics_over_time(still, None, times=times, bandwidth=5.0).p_value[0] < 0.05)
        rising = np.where(rng.random(300) < 0.3 + 0.04 * times, 0.9, 0.1)
        result = topics_over_time(np.column_stack([rising, 1 - rising]), None, times=times, bandwidth=5.0)
        found += int(result.significant[0] and result.trend[0] > 0 > result.trend[1])
    assert false <= 9
    assert found >= 50


def test_dates_durations_and_a_model():
    X, _ = drawn(200, 50, 3)
    days = np.datetime64("2003-01-01") + np.arange(200)
    model = LDA(3, random_state=0, max_epochs=5).fit(X)
    curves = topics_over_time(model, X, times=days, bandwidth="30d")
    assert curves.times.dtype.kind == "M"
    assert (curves.bandwidth == 30).all()
    assert curves.share.shape == (3, 200)
    np.testing.assert_allclose(curves.share.sum(axis=0), 1, atol=0.05)
    curve = curves.curve(1)
    assert (curve.lower <= curve.value).all()
    assert (curve.value <= curve.upper).all()
    assert (curve.effective_size > 0).all()


def test_awkward_streams():
    with pytest.raises(InvalidInput, match="no document"):
        topics_over_time(np.empty((0, 2)), None)
    alone = topics_over_time(np.array([[0.3, 0.7]]), None)
    np.testing.assert_allclose(alone.share[:, 0], [0.3, 0.7])
    assert (alone.p_value == 1).all()
    together = topics_over_time(np.tile([0.3, 0.7], (9, 1)), None, times=np.full(9, 4.0))
    np.testing.assert_allclose(together.share, np.tile([[0.3], [0.7]], 200))
    gap = topics_over_time(np.tile([0.3, 0.7], (4, 1)), None, times=[0, 1, 99, 100], when=[50.0], bandwidth=2.0)
    assert np.isnan([gap.share, gap.lower, gap.upper]).all(), "nothing is drawn where nothing was written"
