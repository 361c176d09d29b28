from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from tests.oracles.partitions import log_words

from driftline.core.errors import NoWords
from driftline.nonparametric import DirichletProcessMixture
from driftline.nonparametric.cluster_methods import METHODS


def simulated(n_documents=150, n_clusters=4, n_words=40, length=40, seed=0):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(n_words, 0.2), n_clusters)
    labels = rng.choice(n_clusters, n_documents, p=[0.5, 0.25, 0.15, 0.1])
    return np.array([rng.multinomial(length, shares[label]) for label in labels], dtype=float), labels, shares


def test_the_true_clusters_and_their_number_are_found():
    X, labels, shares = simulated()
    model = DirichletProcessMixture(random_state=0).fit(X)
    assert adjusted_rand_score(labels, model.labels_) > 0.95
    assert np.median(model.n_clusters_samples_) == 4
    assert model.n_clusters_samples_.shape == (100,)
    assert model.r_hat_ < 1.2
    assert model.sizes_.tolist() == sorted(model.sizes_, reverse=True)
    biggest = np.bincount(labels).argmax()
    np.testing.assert_allclose(model.components_[0], shares[biggest], atol=0.03)
    unseen, true, _ = simulated(seed=0)
    assert adjusted_rand_score(true, model.predict(unseen)) > 0.95


def test_identical_documents_are_one_cluster_and_dissimilar_ones_many():
    alike = np.tile([[5.0, 3, 0, 2]], (20, 1))
    assert len(DirichletProcessMixture(random_state=0).fit(alike).sizes_) == 1
    unlike = np.eye(12) * 30
    assert len(DirichletProcessMixture(random_state=0, concentration=5.0).fit(unlike).sizes_) == 12


def test_short_or_constant_chains_have_no_diagnostics():
    model = DirichletProcessMixture(burn_in=0, n_samples=3, random_state=0).fit(np.eye(3))
    assert model.r_hat_ is None
    constant = DirichletProcessMixture(burn_in=0, n_samples=9, concentration=1.0, random_state=0).fit(np.eye(1))
    assert constant.effective_samples_ is None


def test_a_larger_concentration_makes_more_clusters():
    X = np.random.default_rng(0).poisson(1.0, (40, 10)).astype(float)
    few, many = (
        DirichletProcessMixture(concentration=a, word_prior=1.0, random_state=0).fit(X).n_clusters_samples_.mean()
        for a in (0.01, 20.0)
    )
    assert few + 2 < many


def test_scores_are_those_of_one_more_document():
    X, _, _ = simulated(30)
    model = DirichletProcessMixture(concentration=1.0, random_state=0).fit(X)
    new = X[:1]
    sizes = np.append(model.sizes_, 1.0) / (model.sizes_.sum() + 1.0)
    clusters = [X[model.labels_ == k] for k in range(len(model.sizes_))] + [X[:0]]
    parts = [
        np.log(size) + log_words([*held, new[0]], 0.1) - log_words([*held, 0 * new[0]], 0.1)
        for size, held in zip(sizes, clusters)
    ]
    assert model.score_samples(new)[0] == pytest.approx(np.logaddexp.reduce(parts))
    assert model.score(X) == pytest.approx(model.score_samples(X).mean())


def test_workers_do_not_matter():
    X, _, _ = simulated(40)
    one, two = (DirichletProcessMixture(n_chains=3, n_jobs=n, random_state=5).fit(X) for n in (1, 2))
    assert one.trace_.tobytes() == two.trace_.tobytes()
    assert (one.labels_ == two.labels_).all()
    assert one.trace_.shape == (3, 100)


@pytest.mark.parametrize("inference", METHODS)
def test_documents_without_words_belong_to_no_cluster(inference):
    X = np.repeat([[9.0, 8, 0, 0], [0, 0, 9, 7], [0, 0, 0, 0]], 6, axis=0)
    model = DirichletProcessMixture(inference=inference, random_state=0).fit(X)
    assert model.labels_[12:].tolist() == [-1] * 6
    assert (model.labels_[:12] >= 0).all()
    assert model.n_empty_ == 6
    assert model.sizes_.sum() == 12
    assert model.predict(X[[0, 12]])[1] == -1
    same = DirichletProcessMixture(inference=inference, random_state=0).fit(X[:12])
    assert same.labels_.tolist() == model.labels_[:12].tolist()
    assert same.n_empty_ == 0


def test_documents_of_which_none_has_a_word_are_refused():
    with pytest.raises(NoWords, match="no document has a word"):
        DirichletProcessMixture(random_state=0).fit(np.zeros((3, 4)))


def test_rows_of_zeros_are_numbers_like_others():
    X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 8, axis=0)
    model = DirichletProcessMixture(family="gaussian", random_state=0).fit(X)
    assert (model.labels_ >= 0).all()
    assert model.predict([[0.0, 0.0]])[0] == model.labels_[0]
