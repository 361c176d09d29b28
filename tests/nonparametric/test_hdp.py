from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import driftline
from driftline.core.errors import InvalidInput
from driftline.nonparametric import HDP


def simulated(n_topics=5, n=150, n_words=100, length=50, seed=0):
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(n_words, 0.05), n_topics)
    theta = rng.dirichlet(np.full(n_topics, 0.2), n)
    return np.array([rng.multinomial(length, row) for row in theta @ phi]), phi


def least_overlap(model, phi):
    return min(np.minimum(row, model.components_).sum(axis=1).max() for row in phi)


@pytest.mark.parametrize("start", [1, 5, 20])
def test_true_topics_are_found_from_any_start(start):
    X, phi = simulated()
    model = HDP(start=start, burn_in=60, n_samples=10, n_chains=1, topic_word_prior=0.05, random_state=0).fit(X)
    assert least_overlap(model, phi) > 0.7
    assert 5 <= model.n_topics_99_.median <= 7
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0)
    assert (np.diff(model._counts_.sum(axis=1)) <= 0).all()


def test_numbers_of_topics_are_over_samples_and_starts():
    X, _ = simulated(n=60)
    model = HDP(start=8, burn_in=10, n_samples=6, n_chains=3, random_state=0).fit(X)
    assert model.n_topics_samples_.shape == (3, 6, 2)
    assert model.trace_.shape == (3, 16)
    assert model.n_topics_.low <= model.n_topics_.median <= model.n_topics_.high
    assert model.n_topics_99_.median <= model.n_topics_.median


def test_threads_and_repetition_do_not_matter():
    X, _ = simulated(n=60)
    one, two = (HDP(start=6, burn_in=8, n_samples=3, random_state=1, n_jobs=jobs).fit(X) for jobs in (1, 2))
    np.testing.assert_array_equal(one._counts_, two._counts_)
    np.testing.assert_array_equal(one.topic_ids_, two.topic_ids_)


def test_a_stream_finds_the_topics_and_parts_do_not_matter():
    X, phi = simulated(n=2000)
    whole = HDP(start=20, topic_word_prior=0.05, random_state=0).partial_fit(X)
    parts = HDP(start=20, topic_word_prior=0.05, random_state=0)
    for begin in range(0, 2000, 400):
        parts.partial_fit(X[begin : begin + 400])
    assert least_overlap(whole, phi) > 0.6
    np.testing.assert_allclose(whole.components_, parts.components_, atol=1e-4)
    assert whole.documents_seen_ == 2000
    assert whole.doc_topic_prior_.sum() == pytest.approx(whole.document_concentration_, rel=0.02)


def test_sampled_topics_can_continue_with_a_stream():
    X, phi = simulated(n=300)
    model = HDP(start=8, burn_in=40, n_samples=5, n_chains=1, topic_word_prior=0.05, random_state=0).fit(X[:150])
    ids = model.topic_ids_.copy()
    model.partial_fit(X[150:])
    np.testing.assert_array_equal(model.topic_ids_, ids)
    assert model.documents_seen_ == 300
    assert least_overlap(model, phi) > 0.6


def test_as_lda_it_scores_the_same_and_continues(tmp_path):
    X, _ = simulated(n=80)
    model = HDP(start=6, burn_in=10, n_samples=3, random_state=0).fit(X)
    lda = model.to_lda()
    assert lda.score(X) == pytest.approx(model.score(X), abs=1e-4)
    lda.partial_fit(X)
    lda.save(tmp_path / "lda")
    assert driftline.load(tmp_path / "lda").score(X) == pytest.approx(lda.score(X))


def test_a_loaded_model_has_the_same_ids_and_continues_identically(tmp_path):
    X, _ = simulated(n=80)
    model = HDP(start=6, burn_in=10, n_samples=3, random_state=0).fit(X)
    model.save(tmp_path / "hdp")
    again = driftline.load(tmp_path / "hdp")
    np.testing.assert_array_equal(again.topic_ids_, model.topic_ids_)
    np.testing.assert_array_equal(again.partial_fit(X).components_, model.partial_fit(X).components_)


def test_fractions_are_refused_and_empty_documents_are_not():
    X = sp.csr_matrix(simulated(n=20)[0], dtype=float)
    X.data[7] += 0.5
    with pytest.raises(InvalidInput, match=r"row \d+ has a count of .*whole numbers"):
        HDP().fit(X)
    some = np.vstack([simulated(n=20)[0], np.zeros((2, 100), dtype=int)])
    model = HDP(start=4, burn_in=5, n_samples=2, random_state=0).fit(some)
    np.testing.assert_allclose(
        model.transform(some)[-1], model.doc_topic_prior_ / model.doc_topic_prior_.sum(), rtol=1e-4
    )
    one = HDP(start=3, burn_in=60, n_samples=2, random_state=0).fit(np.tile([[5, 3, 0, 2]], (20, 1)))
    assert one.n_topics_99_.median <= 2
