"""Unnamed topics whose content drifts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans

from driftline.core.errors import InvalidInput
from driftline.intensity import TopicDriftTracker

# The order of the documents is their time, which is what most of these tests mean
pytestmark = pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")


def crossing(seed=0, n=400):
    """Two topics whose centroids trade places."""
    rng = np.random.default_rng(seed)
    topic, t = rng.integers(0, 2, n), np.arange(n)
    side = 4 - 8 * t / n
    centre = np.where(topic == 0, -side, side)
    X = np.column_stack([centre, np.where(topic == 0, 1.5, -1.5)]) + rng.normal(0, 0.7, (n, 2))
    return X, topic


def agreement(found, topic):
    return max((found == topic).mean(), (found != topic).mean())


@pytest.mark.parametrize("inference", ["mixture", "structured"])
@pytest.mark.parametrize("timed", [False, True])
def test_topics_that_trade_places_are_not_mixed_up(inference, timed):
    X, topic = crossing()
    found = TopicDriftTracker(2, inference=inference, drift_with_time=timed, random_state=0).fit(X)
    still = KMeans(2, n_init=5, random_state=0).fit_predict(X)
    assert agreement(found.labels_, topic) > 0.97 > agreement(still, topic)
    first = found.labels_[topic == 0][0]
    assert found.centroids_[5, first, 0] < -2
    assert found.centroids_[-1, first, 0] > 2
    np.testing.assert_allclose(found.topic_proba_.sum(axis=1), 1)
    assert (found.centroid_variances_ > 0).all()


def test_many_topics_take_the_variational_version():
    rng = np.random.default_rng(1)
    topic = rng.integers(0, 6, 500)
    X = 5 * np.eye(6)[topic] + rng.normal(0, 0.6, (500, 6))
    found = TopicDriftTracker(6, random_state=0).fit(X)
    assert found.inference_ == "structured"
    pure = [np.bincount(topic[found.labels_ == k]).max() for k in np.unique(found.labels_)]
    assert sum(pure) / 500 > 0.95


def test_counts_go_through_latent_semantic_space():
    rng = np.random.default_rng(2)
    topic = rng.integers(0, 2, 300)
    rates = np.where(topic[:, None] == 0, np.repeat([3.0, 0.2], 10), np.repeat([0.2, 3.0], 10))
    X = sp.csr_matrix(rng.poisson(rates))
    words = [f"ball{i}" for i in range(10)] + [f"vote{i}" for i in range(10)]
    found = TopicDriftTracker(2, n_components=3, vocabulary=words, random_state=0).fit(X)
    assert agreement(found.labels_, topic) > 0.97
    k = found.labels_[topic == 0][0]
    assert all(word.startswith("ball") for word in found.topic_words(k, n=5))
    unnamed = TopicDriftTracker(2, n_components=3, random_state=0).fit(X)
    assert set(unnamed.topic_words(k, document=0, n=5)) <= set(range(10))
    with pytest.raises(InvalidInput, match="no words"):
        TopicDriftTracker(2).fit(X.toarray()).topic_words(0)


def test_a_burst_is_found():
    rng = np.random.default_rng(3)
    quiet, busy = np.sort(rng.uniform(0, 300, 300)), np.sort(rng.uniform(100, 110, 100))
    times = np.concatenate([quiet, busy])
    topic = np.concatenate([rng.random(300) < 0.2, np.ones(100)]).astype(int)
    X = 6 * np.eye(2)[topic] + rng.normal(0, 0.8, (400, 2))
    found = TopicDriftTracker(2, transition=0.02, random_state=0).fit(X, times=times)
    top = found.bursts_.to_pylist()[0]
    assert abs(top["start"] - 100) < 5
    assert abs(top["end"] - 110) < 5
    assert (found.intensity_lower_ <= found.intensity_upper_).all()


def test_labels_order_and_seeds():
    X, topic = crossing(4)
    labels = np.where(np.arange(400) < 20, topic, -1)
    times = np.arange(400.0)
    found = TopicDriftTracker(2, random_state=0).fit(X, times=times, labels=labels)
    assert (found.labels_ == topic).mean() > 0.97, "the labels name the topics"
    order = np.random.default_rng(0).permutation(400)
    mixed = TopicDriftTracker(2, random_state=0).fit(X[order], times=times[order], labels=labels[order])
    np.testing.assert_allclose(mixed.topic_proba_, found.topic_proba_[order])
    np.testing.assert_allclose(mixed.centroids_, found.centroids_[order])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_little_data_is_answered(n):
    rng = np.random.default_rng(0)
    for inference in ("mixture", "structured"):
        found = TopicDriftTracker(3, inference=inference, random_state=0).fit(rng.normal(size=(n, 2)))
        assert np.isfinite(found.centroids_).all()
        same = TopicDriftTracker(3, inference=inference, random_state=0).fit(np.ones((n, 2)), times=np.zeros(n))
        np.testing.assert_allclose(same.topic_proba_.sum(axis=1), 1)
