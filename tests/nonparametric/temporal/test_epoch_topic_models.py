from __future__ import annotations

import numpy as np
import pytest

import driftline
from driftline.core.errors import InvalidInput, ModelFileError, NoWords
from driftline.nonparametric import HDP, EvolutionaryHDP, InfiniteDynamicTopics

QUICK = {"start": 6, "burn_in": 60, "n_samples": 5, "topic_word_prior": 0.05, "random_state": 0}


def simulated(n=120, n_words=60, length=40, seed=0):
    """Return documents of four epochs: topic 0 lasts and drifts, topic 1 ends after two epochs, topic 2 begins then."""
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(n_words, 0.05), 4)
    times, rows, truth = np.sort(rng.integers(0, 4, n)).astype(float), [], []
    for time in times.astype(int):
        drifted = (1 - time / 6) * phi[0] + time / 6 * phi[3]
        topics = np.stack([drifted, phi[1] if time < 2 else phi[2]])
        theta = rng.dirichlet([0.3, 0.3])
        rows.append(rng.multinomial(length, theta @ topics))
        truth.append(theta[0])
    return np.array(rows), times, phi, np.array(truth)


def test_births_ends_and_drift_are_found():
    X, times, phi, truth = simulated()
    model = InfiniteDynamicTopics(every=1.0, **QUICK).fit(X, times=times)
    large = {life.cluster: life for life in model.lifetimes_ if life.n_documents > 100}
    assert len(large) == 3
    assert sorted((life.start, life.end) for life in large.values()) == [(0.0, 1.0), (0.0, 3.0), (2.0, 3.0)]
    lasting = next(number for number, life in large.items() if life.end - life.start == 3.0)
    overlaps = []
    for epoch in range(4):
        ids, shares = model.components_at(float(epoch))
        own = shares[ids == lasting][0]
        overlaps.append(np.minimum(own, (1 - epoch / 6) * phi[0] + epoch / 6 * phi[3]).sum())
    assert min(overlaps) > 0.7
    assert np.corrcoef(model.transform(X, times=times)[:, lasting], truth)[0, 1] > 0.95
    curve = model.shares_
    assert ((curve.lower <= curve.value) & (curve.value <= curve.upper)).all()
    assert model.history_.born[0][0] == 2
    assert model.history_.born[0].sum() == model.history_.ended[0].sum() + 2
    assert len(model.n_topics_) == len(model.n_topics_99_) == 4


def test_one_epoch_is_the_hierarchical_dirichlet_process():
    X, _, _, _ = simulated(n=50)
    options = {"start": 6, "burn_in": 12, "n_samples": 4, "random_state": 3}
    model = InfiniteDynamicTopics(every=1, **options).fit(X, times=range(len(X)))
    hdp = HDP(n_chains=1, **options).fit(X)
    np.testing.assert_array_equal(model.topic_ids_, hdp.topic_ids_)
    np.testing.assert_array_equal(model._counts_[0], hdp._counts_)
    np.testing.assert_allclose(model.doc_topic_prior_, hdp.doc_topic_prior_)
    assert model.score(X) == pytest.approx(hdp.score(X))


def test_one_corpus_is_infinite_dynamic_topics():
    X, times, _, _ = simulated(n=60)
    options = {"every": 1.0, "start": 4, "burn_in": 10, "n_samples": 3, "random_state": 3}
    one = EvolutionaryHDP(**options).fit(X, times=times, corpora=["same"] * len(X))
    plain = InfiniteDynamicTopics(**options).fit(X, times=times)
    for first, second in zip(one._counts_, plain._counts_):
        np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(one.n_topics_samples_, plain.n_topics_samples_)


def test_corpora_share_topics_with_weights_of_their_own():
    rng = np.random.default_rng(0)
    phi = rng.dirichlet(np.full(40, 0.05), 2)
    corpora, times = np.tile(["a", "b"], 60), np.repeat([0.0, 1.0], 60)
    theta = np.where((corpora == "a")[:, None], [0.9, 0.1], [0.1, 0.9])
    X = np.array([rng.multinomial(30, rng.dirichlet(3 * row) @ phi) for row in theta])
    model = EvolutionaryHDP(every=1.0, **QUICK).fit(X, times=times, corpora=corpora)
    assert model.corpora_.tolist() == ["a", "b"]
    for time in (0.0, 1.0):
        ids, shares = model.components_at(time)
        weights = model.weights_at(time)
        np.testing.assert_allclose(weights.sum(axis=1), 1.0)
        assert len(ids) == weights.shape[1]
        for row, truth in zip(weights, phi):
            assert np.minimum(shares[row.argmax()], truth).sum() > 0.7
    kept = [set(ids.tolist()) for ids in model._ids_]
    assert len(kept[0] & kept[1]) >= 2, "topics keep their ids"


def test_bad_input(tmp_path):
    X, times, _, _ = simulated(n=40)
    X[3] = 0
    model = InfiniteDynamicTopics(every=2, start=3, burn_in=3, n_samples=2, random_state=0).fit(X, times=times)
    assert model.predict(X, times=times)[3] == -1
    with pytest.raises(InvalidInput, match=r"row 0 has a count of 0\.5"):
        InfiniteDynamicTopics().fit([[0.5, 1.0]], times=[0])
    with pytest.raises(NoWords):
        InfiniteDynamicTopics().fit(np.zeros((2, 2)), times=range(2))
    with pytest.raises(InvalidInput, match="40 documents and 2 corpora"):
        EvolutionaryHDP().fit(X, times=times, corpora=["a", "b"])
    far = times.copy()
    far[-1] = 1e14
    assert len(InfiniteDynamicTopics(every=1.0, start=3, burn_in=2, n_samples=1).fit(X, times=far)._epochs_) < 6
    loaded = driftline.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.transform(X, times=times), model.transform(X, times=times))
    model._own_ = [own[:-1] for own in model._own_]
    with pytest.raises(ModelFileError, match="damaged"):
        driftline.load(model.save(tmp_path / "damaged"))
