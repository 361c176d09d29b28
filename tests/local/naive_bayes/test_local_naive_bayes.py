"""LocalNaiveBayes: the global one in the limit, and defined at all times."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import MultinomialNB
from tests.local.drifting import labelled_stream
from tests.oracles.answering import answering_time

from driftline.core.errors import InvalidInput, OutsideSupportWarning
from driftline.local.naive_bayes import local_naive_bayes
from driftline.local.naive_bayes.local_naive_bayes import LocalNaiveBayes


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("strength", [0.0, 100.0])
def test_an_infinite_bandwidth_is_the_ordinary_classifier(n_classes, strength):
    X, y, times = labelled_stream(n_classes=n_classes)
    model = LocalNaiveBayes(bandwidth="global", strength=strength).fit(X, y, times=times)
    shares = (np.bincount(y) + 1) / (len(y) + n_classes)
    peer = MultinomialNB(alpha=0.1, class_prior=shares).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X, times=times), peer.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(
        model.predict_joint_log_proba(X, times=times), peer.predict_joint_log_proba(X), rtol=1e-9
    )


def test_class_shares_follow_the_stream():
    times = np.arange(200.0)
    y = (times >= 100).astype(int)
    y[[0, -1]] = (1, 0)
    X = sp.csr_matrix(np.ones((200, 3)))
    model = LocalNaiveBayes(bandwidth=20.0, strength=1.0).fit(X, y, times=times)
    shares = model.class_shares([50.0, 100.0, 150.0])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares[0, 0] > 0.9
    assert 0.4 < shares[1, 0] < 0.6
    assert shares[2, 0] < 0.1
    np.testing.assert_allclose(model.predict_proba(X[:3], times=[50.0, 100.0, 150.0]), shares, atol=0.02)


@pytest.mark.parametrize("side", ["both", "past"])
def test_word_distributions(side):
    X, y, times = labelled_stream()
    model = LocalNaiveBayes(bandwidth=2.0, strength=5.0, side=side, grid="exact").fit(X, y, times=times)
    when = [0.1, 5.0, 8.0]
    for label in (0, 1):
        found = model.probabilities(label, when)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        assert (found > 0).all()
    joint = model.predict_joint_log_proba(X[:3], times=when)
    shares = np.log(model.class_shares(when))
    for label in (0, 1):
        words = np.log(model.probabilities(label, when))
        np.testing.assert_allclose(joint[:, label], shares[:, label] + (X[:3].toarray() * words).sum(axis=1))
    with pytest.raises(InvalidInput, match="not one of the classes"):
        model.probabilities(5, when)


@pytest.mark.parametrize("side", ["both", "past"])
def test_choosing_finds_drift_and_leaves_steady_streams_alone(side):
    X, y, times = labelled_stream(n=400)
    moving = LocalNaiveBayes(side=side).fit(X, y, times=times)
    assert moving.bandwidth_ <= 5
    assert len(moving.candidates_) > 10
    order = np.random.default_rng(0).permutation(len(y))
    steady = LocalNaiveBayes(side=side).fit(X[order], y[order], times=times)
    assert math.isinf(steady.bandwidth_)
    fixed = LocalNaiveBayes(bandwidth=[1.0, 2.0], strength=10.0, side=side).fit(X, y, times=times)
    assert fixed.bandwidth_ in (1.0, 2.0)
    assert fixed.strength_ == 10.0


def test_it_follows_a_change_of_sides():
    X, y, times = labelled_stream(n=400)
    model = LocalNaiveBayes(bandwidth=2.0, strength=10.0).fit(X[::2], y[::2], times=times[::2])
    steady = LocalNaiveBayes(bandwidth="global", strength=10.0).fit(X[::2], y[::2], times=times[::2])
    X, y, times = X[1::2], y[1::2], times[1::2]
    assert model.score(X, y, times=times) > 0.75
    assert steady.score(X, y, times=times) < 0.65


def test_parts_make_the_whole():
    X, y, times = labelled_stream(n_classes=3)
    whole = LocalNaiveBayes(bandwidth=1.5, strength=5.0).fit(X, y, times=times)
    parts = LocalNaiveBayes(bandwidth=1.5, strength=5.0)
    for part in np.array_split(np.random.default_rng(0).permutation(len(y)), 5):
        parts.partial_fit(X[part], y[part], classes=[0, 1, 2], times=times[part])
    np.testing.assert_allclose(
        parts.predict_proba(X, times=times), whole.predict_proba(X, times=times), rtol=1e-6, atol=1e-9
    )


def test_a_stream_is_learned_in_bounded_memory():
    X, y, times = labelled_stream(n=600)
    whole = LocalNaiveBayes(bandwidth=0.5, strength=5.0, side="past").fit(X, y, times=times)
    model = LocalNaiveBayes(bandwidth=0.5, strength=5.0, side="past")
    for part in np.array_split(np.arange(600), 40):
        model.partial_fit(X[part], y[part], classes=[0, 1], times=times[part])
    assert model._rows_.shape[0] == (times >= times[-1] - 1.0 - 0.5 / 16).sum()
    late = times >= times[-1] - 0.5
    np.testing.assert_allclose(
        model.predict_proba(X[late], times=times[late]), whole.predict_proba(X[late], times=times[late]), rtol=1e-9
    )
    with pytest.warns(OutsideSupportWarning):
        assert np.isfinite(model.predict_proba(X, times=times)).all()


@pytest.mark.parametrize("side", ["both", "past"])
def test_times_far_outside_are_answered_by_the_latest_sums(side):
    X, y, times = labelled_stream()
    model = LocalNaiveBayes(bandwidth=1.0, strength=5.0, side=side).fit(X, y, times=times)
    far, last = np.full(len(y), 1e6), np.full(len(y), answering_time(times, side, 1e6))
    with pytest.warns(OutsideSupportWarning, match="240 of 240"):
        np.testing.assert_array_equal(model.predict_proba(X, times=far), model.predict_proba(X, times=last))
    np.testing.assert_array_equal(model.class_shares(far[:1]), model.class_shares(last[:1]))
    assert model.outside_support([5.0, 1e6]).tolist() == [False, True]


@pytest.mark.parametrize("strength", [0.0, 5.0])
def test_a_class_absent_from_a_window_or_from_all(strength):
    X, y, times = labelled_stream(n_classes=3)
    y = np.where(times > 5, 0, y)
    model = LocalNaiveBayes(bandwidth=1.0, strength=strength).fit(X, y, times=times)
    assert np.isfinite(model.predict_log_proba(X, times=times)).all()
    assert (model.predict(X, times=times)[times > 7] == 0).mean() > 0.9
    more = LocalNaiveBayes(bandwidth=1.0, strength=strength)
    more.partial_fit(X, y, classes=[0, 1, 2, 9], times=times)  # nothing is known of class 9
    assert np.isfinite(more.predict_log_proba(X, times=times)).all()


@pytest.mark.parametrize("strength", [0.0, 5.0])
@pytest.mark.parametrize("side", ["both", "past"])
def test_awkward_documents(side, strength):
    X, y, _ = labelled_stream(n=40)
    wide = sp.hstack([X, sp.csr_matrix((40, 2))], format="csr").tolil()
    wide[::3] = 0
    far_apart = 100.0 * np.arange(40)
    model = LocalNaiveBayes(bandwidth=5.0, strength=strength, side=side).fit(wide.tocsr(), y, times=far_apart)
    strange = sp.csr_matrix(np.full((2, 12), 3.0))  # words never seen, and windows with one document
    assert np.isfinite(model.predict_log_proba(strange, times=[101.0, 103.0])).all()
    blank = model.predict_proba(sp.csr_matrix((2, 12)), times=[101.0, 103.0])
    np.testing.assert_allclose(blank, model.class_shares([101.0, 103.0]), rtol=1e-6, atol=0.2)
    same_time = LocalNaiveBayes(bandwidth=5.0, strength=strength, side="both").fit(X, y, times=np.zeros(40))
    steady = LocalNaiveBayes(bandwidth="global", strength=strength).fit(X, y, times=np.zeros(40))
    np.testing.assert_allclose(
        same_time.predict_proba(X, times=np.zeros(40)), steady.predict_proba(X, times=np.zeros(40))
    )


def test_refusals():
    X, y, times = labelled_stream(n=20)
    with pytest.raises(NotFittedError):
        LocalNaiveBayes().predict(X)
    with pytest.raises(InvalidInput, match="only one class"):
        LocalNaiveBayes().fit(X, np.zeros(20), times=times)
    with pytest.raises(InvalidInput, match="Negative values"):
        LocalNaiveBayes().fit(-X, y, times=times)
    with pytest.raises(InvalidInput, match="20 documents but 3 times"):
        LocalNaiveBayes().fit(X, y, times=[1, 2, 3])


def test_a_stream_that_begins_to_move_gets_a_bandwidth_of_its_own(monkeypatch):
    """Selected once, on an interval without drift, the global model would be kept for ever."""
    monkeypatch.setattr(local_naive_bayes, "CHOOSE_AFTER", 100)
    monkeypatch.setattr(local_naive_bayes, "MOST_JUDGED", 400)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1200)
    turned = (np.arange(1200) // 100 % 2 == 1) & (np.arange(1200) >= 500)
    X = rng.poisson(1.0, (1200, 6))
    X[np.arange(1200), np.where(turned, 1 - y, y)] += 3
    times = np.arange(1200.0)
    model = LocalNaiveBayes(side="past").fit(X[:400], y[:400], times=times[:400])
    assert np.isinf(model.bandwidth_)
    for rows in np.split(np.arange(400, 1200), 16):
        model.partial_fit(X[rows], y[rows], times=times[rows])
        assert len(model._row_times_) <= 450, "memory is bounded, whatever is chosen"
    assert model.bandwidth_ < 100
    latest = LocalNaiveBayes(side="past", bandwidth=model.bandwidth_, strength=model.strength_)
    latest.fit(X, y, times=times)
    asked = np.full(50, 1300.0)
    with pytest.warns(OutsideSupportWarning):
        found = model.predict_proba(X[-50:], times=asked)
    with pytest.warns(OutsideSupportWarning):
        np.testing.assert_allclose(found, latest.predict_proba(X[-50:], times=asked), rtol=1e-9)


def test_given_settings_are_not_chosen_again():
    X, y, times = labelled_stream(n=400)
    model = LocalNaiveBayes(side="past", bandwidth=2.0, strength=5.0).fit(X[:50], y[:50], times=times[:50])
    model.partial_fit(X[50:], y[50:], times=times[50:])
    assert (model.bandwidth_, model.strength_, model.candidates_) == (2.0, 5.0, [])
