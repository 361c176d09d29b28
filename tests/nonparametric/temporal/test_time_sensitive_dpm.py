from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.metrics import normalized_mutual_info_score
from tests.nonparametric.temporal.streams import stories
from tests.oracles.drifting_words import timed_posterior

import driftline
from driftline.core.errors import InvalidInput, NoWords
from driftline.nonparametric import DirichletProcessMixture, TimeSensitiveDPM

QUICK = {"burn_in": 30, "n_samples": 10, "n_chains": 1, "random_state": 0}


def test_stories_are_found_with_their_beginning_and_end():
    X, times, labels = stories()
    model = TimeSensitiveDPM(timescale=2.0, every=1.0, **QUICK).fit(X, times=times)
    assert normalized_mutual_info_score(labels, model.labels_) > 0.95
    large = [life for life in model.lifetimes_ if life.n_documents > 10]
    assert len(large) == 3
    for life in large:
        own = times[labels == np.bincount(labels[model.labels_ == life.cluster]).argmax()]
        assert life.start == pytest.approx(own.min(), abs=0.5)
        assert life.end == pytest.approx(own.max(), abs=0.5)
    curve = model.shares_
    assert ((curve.lower <= curve.value) & (curve.value <= curve.upper)).all()
    assert model.history_.born[0].sum() == model.n_clusters_.median


def test_the_timescale_is_learned_by_prediction():
    X, times, _ = stories(seed=1)
    model = TimeSensitiveDPM(timescales=[0.001, 3.0], **QUICK).fit(X, times=times)
    assert model.timescale_ == 3.0
    assert model.timescale_scores_[1] > model.timescale_scores_[0] + 0.5
    default = TimeSensitiveDPM(**QUICK).fit(X, times=times)
    assert len(default.timescales_) == 7
    assert default.timescales_[-1] == np.inf


def test_scores_are_ratios_of_exact_evidences():
    """ln p(document | all others, clusters) is a ratio of joint probabilities of partitions, whatever its time."""
    X = np.array([[3, 1, 0], [2, 0, 0], [0, 0, 2], [0, 1, 3]], dtype=float)
    times = np.array([0.0, 0.3, 1.1, 2.9])
    model = TimeSensitiveDPM(timescale=0.7, concentration=0.8, word_prior=0.4, **QUICK).fit(X, times=times)
    new = np.array([[1.0, 0.0, 1.0]])
    for when in (-0.5, 0.5, 2.0, 4.0):
        place = int(np.searchsorted(times, when, side="right"))
        rows, moments = np.insert(X, place, new, axis=0), np.insert(times, place, when)
        partitions, _, with_words = timed_posterior(rows, moments, 0.8, 0.4, 0.7)
        _, _, without = timed_posterior(np.zeros_like(rows), moments, 0.8, 0.4, 0.7)
        fits = [
            i
            for i, labels in enumerate(partitions)
            if _same_partition(np.delete(np.array(labels), place), model.labels_)
        ]
        old, _, known = timed_posterior(X, times, 0.8, 0.4, 0.7)
        _, _, known_prior = timed_posterior(np.zeros_like(X), times, 0.8, 0.4, 0.7)
        at = next(i for i, labels in enumerate(old) if _same_partition(np.array(labels), model.labels_))
        expected = logsumexp(with_words[fits]) - logsumexp(without[fits]) - (known[at] - known_prior[at])
        assert model.score_samples(new, times=[when])[0] == pytest.approx(expected)


def _same_partition(one, other):
    return np.array_equal(one[:, None] == one, other[:, None] == other)


def test_without_decay_scores_are_those_of_the_plain_mixture():
    X, times, _ = stories(n=60)
    timed = TimeSensitiveDPM(timescale=np.inf, concentration=1.0, **QUICK).fit(X, times=times)
    plain = DirichletProcessMixture(concentration=1.0, **QUICK).fit(X)
    if normalized_mutual_info_score(timed.labels_, plain.labels_) == pytest.approx(1.0):
        np.testing.assert_allclose(timed.score_samples(X, times=times), plain.score_samples(X))
    assert len(timed.sizes_) == len(plain.sizes_) == 3


def test_order_of_rows_does_not_matter_beyond_the_random_draws():
    X, times, _ = stories(n=120)
    mixed = np.random.default_rng(0).permutation(len(X))
    model = TimeSensitiveDPM(timescale=2.0, **QUICK).fit(X[mixed], times=times[mixed])
    straight = TimeSensitiveDPM(timescale=2.0, **QUICK).fit(X, times=times)
    np.testing.assert_array_equal(model.labels_, straight.labels_[mixed])


def test_empty_documents_have_no_cluster_and_are_counted():
    X, times, _ = stories(n=60)
    X[[3, 10]] = 0
    model = TimeSensitiveDPM(timescale=2.0, **QUICK).fit(X, times=times)
    assert model.n_empty_ == 2
    assert model.labels_[[3, 10]].tolist() == [-1, -1]
    assert model.predict(X, times=times)[[3, 10]].tolist() == [-1, -1]
    assert model.score_samples(X, times=times)[3] == pytest.approx(0.0)
    with pytest.raises(NoWords):
        TimeSensitiveDPM(timescale=2.0).fit(np.zeros((3, 2)), times=range(3))


def test_identical_documents_are_one_cluster():
    model = TimeSensitiveDPM(timescale=5.0, **QUICK).fit(np.tile([4.0, 3.0, 0.0], (30, 1)), times=range(30))
    assert model.n_clusters_.median == 1
    assert TimeSensitiveDPM(**QUICK).fit([[1, 2]], times=[0]).labels_.tolist() == [0]


def test_a_year_of_silence_ends_clusters():
    X = np.repeat([[4, 3, 0, 0]], 20, axis=0)
    days = np.array(["2003-01-01"] * 10 + ["2004-01-02"] * 10, dtype="datetime64[D]")
    model = TimeSensitiveDPM(timescale="1d", every="30d", **QUICK).fit(sp.csr_matrix(X), times=days)
    assert len(model.sizes_) == 2
    assert [str(life.start)[:10] for life in model.lifetimes_] == ["2003-01-01", "2004-01-02"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"timescale": "0d"}, "positive"), ({"timescales": []}, "no timescales"), ({"every": "0d"}, "positive")],
)
def test_bad_durations_are_refused(parameters, message):
    days = np.datetime64("2003-01-01") + np.arange(5)
    with pytest.raises(InvalidInput, match=message):
        TimeSensitiveDPM(**parameters).fit(np.ones((5, 2)), times=days)


def test_a_saved_model_gives_the_same_clusters(tmp_path):
    X, times, _ = stories(n=60)
    model = TimeSensitiveDPM(timescale=np.inf, **QUICK).fit(X, times=times)
    loaded = driftline.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.predict(X, times=times), model.predict(X, times=times))
