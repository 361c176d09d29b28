from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.metrics import normalized_mutual_info_score
from tests.nonparametric.temporal.streams import drifting, stories
from tests.oracles.drifting_words import timed_posterior

import driftline
from driftline.core.errors import ModelFileError
from driftline.nonparametric import DirichletProcessMixture, TemporalDPM

QUICK = {"burn_in": 40, "n_samples": 20, "n_chains": 1, "random_state": 0}


def test_births_and_ends_are_found():
    X, times, labels = stories()
    model = TemporalDPM(every=1.0, **QUICK).fit(X, times=times)
    assert normalized_mutual_info_score(labels, model.labels_) > 0.95
    assert model.n_clusters_.median == 3
    history = model.history_
    assert history.born[0].tolist() == [2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert history.ended[0].tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert history.live[0].tolist() == [2] * 5 + [1] * 2 + [2] * 5
    shares = model.shares_.value
    true = np.array([np.bincount(labels[(times >= e) & (times < e + 1)], minlength=3) for e in range(12)]).T
    true = true / true.sum(axis=0)
    order = [int(np.bincount(model.labels_[labels == k]).argmax()) for k in range(3)]
    np.testing.assert_allclose(shares[order], true, atol=0.1)
    expected = np.where(np.arange(12) < 5, 0.5, 0.0)
    covered = (model.shares_.lower[order[1]] <= expected) & (expected <= model.shares_.upper[order[1]])
    assert covered.mean() > 0.9


def test_drifting_words_are_followed():
    X, times, labels = drifting(seed=2)
    held_out = np.arange(len(X)) % 5 == 0
    known = (X[~held_out], times[~held_out])
    fixed = TemporalDPM(every=1.0, **QUICK).fit(known[0], times=known[1])
    drifts = TemporalDPM(every=1.0, word_timescale=1.0, **QUICK).fit(known[0], times=known[1])
    gain = drifts.score(X[held_out], times=times[held_out]) - fixed.score(X[held_out], times=times[held_out])
    assert gain > 0.2, "nats per document"
    assert normalized_mutual_info_score(labels[~held_out], drifts.labels_) > 0.95
    assert normalized_mutual_info_score(labels[~held_out], fixed.labels_) < 0.7, "one story is several clusters"
    early, late = drifts.components_at(0.5), drifts.components_at(9.5)
    np.testing.assert_allclose(late, drifts.components_)
    np.testing.assert_allclose(early.sum(axis=1), 1.0)
    assert np.abs(early - late).sum(axis=1).max() > 0.5
    np.testing.assert_array_equal(fixed.components_at(0.5), fixed.components_)


@pytest.mark.parametrize("word_timescale", [None, 0.8])
@pytest.mark.parametrize("window", [None, 2.0])
def test_scores_are_ratios_of_exact_evidences(window, word_timescale):
    X = np.array([[3, 1, 0], [2, 0, 0], [0, 0, 2], [0, 1, 3]], dtype=float)
    epochs, new = np.array([0.0, 0.0, 1.0, 4.0]), np.array([[1.0, 0.0, 1.0]])
    fixed = (0.8, 0.4, 1.5, np.inf if window is None else window, np.inf if word_timescale is None else word_timescale)
    options = {"timescale": 1.5, "window": window, "word_timescale": word_timescale}
    model = TemporalDPM(1.0, concentration=0.8, word_prior=0.4, **options, **QUICK).fit(X, times=epochs)
    for when in (-1.0, 0.0, 1.0, 2.0, 4.0, 5.0):
        place = int(np.searchsorted(epochs, when, side="right"))
        rows, moments = np.insert(X, place, new, axis=0), np.insert(epochs, place, when)
        partitions, _, with_words = timed_posterior(rows, moments, *fixed)
        _, _, without = timed_posterior(np.zeros_like(rows), moments, *fixed)
        fits = [i for i, each in enumerate(partitions) if _same(np.delete(np.array(each), place), model.labels_)]
        old, _, known = timed_posterior(X, epochs, *fixed)
        _, _, prior = timed_posterior(np.zeros_like(X), epochs, *fixed)
        at = next(i for i, each in enumerate(old) if _same(np.array(each), model.labels_))
        expected = logsumexp(with_words[fits]) - logsumexp(without[fits]) - (known[at] - prior[at])
        assert model.score_samples(new, times=[when])[0] == pytest.approx(expected), when


def _same(one, other):
    return np.array_equal(one[:, None] == one, other[:, None] == other)


def test_one_epoch_is_the_plain_mixture():
    X, times, _ = stories(n=80)
    options = {"concentration": 1.0, **QUICK}
    epochs = TemporalDPM(every=1, **options).fit(X, times=times)
    plain = DirichletProcessMixture(**options).fit(X)
    assert normalized_mutual_info_score(epochs.labels_, plain.labels_) == pytest.approx(1.0)
    np.testing.assert_allclose(epochs.score_samples(X, times=times), plain.score_samples(X))


def test_a_cluster_ends_after_the_window():
    X = np.repeat([[4.0, 3.0, 0.0]], 30, axis=0)
    times = np.repeat([0.0, 1.0, 5.0], 10)
    model = TemporalDPM(every=1.0, window=2, **QUICK).fit(X, times=times)
    assert [(life.start, life.end) for life in model.lifetimes_] == [(0.0, 1.0), (5.0, 5.0)]
    assert model.predict(X[:1], times=[6.0]).tolist() == [1]
    assert model.predict(X[:1], times=[2.0]).tolist() == [0]


def test_empty_documents_and_far_epochs():
    X, times, _ = stories(n=60)
    X[5] = 0
    times[-1] = 1e14
    model = TemporalDPM(every=1.0, **QUICK).fit(X, times=times)
    assert model.labels_[5] == -1
    assert model.n_empty_ == 1
    assert len(model.history_.times) < 20


def test_a_damaged_number_of_epochs_is_refused(tmp_path):
    X, times, _ = stories(n=40)
    model = TemporalDPM(every=4, word_timescale=2.0, **QUICK).fit(X, times=times)
    model.word_timescale = None
    with pytest.raises(ModelFileError, match="number of epochs"):
        driftline.load(model.save(tmp_path / "model"))
