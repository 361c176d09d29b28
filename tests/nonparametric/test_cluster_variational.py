"""Truncated variational inference: its bound term by term, below the evidence and never decreasing; and the clusters it
finds."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.metrics import adjusted_rand_score
from tests.oracles import cluster_bound
from tests.oracles.partitions import all_partitions, log_words

from driftline.inference.crp import log_partition
from driftline.inference.run import run
from driftline.inference.stopping import SmallRise, Stop
from driftline.nonparametric import DirichletProcessMixture
from driftline.nonparametric import cluster_variational as variational
from driftline.nonparametric.multinomial_items import Documents

RNG = np.random.default_rng(0)
X = RNG.poisson(0.8, (25, 12)).astype(float)


def simulated(n_documents=150, n_clusters=4, n_words=40, length=40):
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(n_words, 0.2), n_clusters)
    labels = rng.choice(n_clusters, n_documents, p=[0.5, 0.25, 0.15, 0.1])
    return np.array([rng.multinomial(length, shares[label]) for label in labels], dtype=float), labels, shares


def problem_of(X, concentration=0.0, beta=0.3):
    return Documents.of(sp.csr_matrix(X), beta, concentration)


@pytest.mark.parametrize("concentration", [0.0, 1.7])
def test_the_bound_is_the_one_term_by_term(concentration):
    problem, method = problem_of(X, concentration), variational.truncated_variational(6)
    state = method.init(problem, np.random.default_rng(1))
    state = variational.update_sticks(variational.order_clusters(state, problem).factors, problem).factors
    alpha = {"alpha": concentration} if concentration else {"alpha": state.concentration, "prior": (1.0, 1.0)}
    expected = cluster_bound.bound(X, state.sticks, state.counts, 0.3, **alpha)
    assert variational.update_items(state, problem).factors.bound == pytest.approx(expected)


@pytest.mark.parametrize("concentration", [0.0, 0.5, 8.0])
@pytest.mark.parametrize("max_clusters", [1, 3, 30])
def test_the_bound_never_decreases(concentration, max_clusters):
    for seed in range(3):
        done = run(
            variational.truncated_variational(max_clusters), problem_of(X, concentration), stop=Stop(25), rng=seed
        )
        trace = done.objective[0]
        assert (np.diff(trace) >= -1e-9 * np.abs(trace[0])).all()
        assert trace[-1] == pytest.approx(done.result.bound)


def test_the_final_sticks_are_optimal():
    problem = problem_of(X)
    settled = run(variational.truncated_variational(5), problem, stop=Stop(500, SmallRise(1e-14)), rng=0).result

    def bound(sticks):
        return cluster_bound.bound(X, sticks, settled.counts, 0.3, settled.concentration, (1.0, 1.0))

    for place in np.ndindex(settled.sticks.shape):
        for factor in (0.9, 1.1):
            other = settled.sticks.copy()
            other[place] *= factor
            assert bound(other) < bound(settled.sticks)


def test_the_bound_lies_below_the_evidence_over_all_partitions():
    few = RNG.poisson(2.0, (5, 4)).astype(float)
    evidence = logsumexp(
        [
            log_partition(np.bincount(labels), 1.0)
            + sum(log_words(few[np.array(labels) == k], 0.5) for k in set(labels))
            for labels in all_partitions(5)
        ]
    )
    found = run(variational.truncated_variational(20), problem_of(few, 1.0, 0.5), stop=Stop(200), rng=0).result.bound
    assert evidence - 6 < found < evidence


def test_the_true_clusters_are_found():
    X, labels, shares = simulated()
    model = DirichletProcessMixture(inference="variational", random_state=0).fit(X)
    assert adjusted_rand_score(labels, model.labels_) > 0.95
    assert model.sizes_.tolist() == sorted(np.bincount(model.labels_), reverse=True)
    assert model.n_clusters_samples_.tolist() == [len(model.sizes_)]
    assert 4 <= len(model.sizes_) <= 5, "a small one may be left over"
    assert (model.r_hat_, model.effective_samples_) == (None, None)
    np.testing.assert_allclose(model.components_[0], shares[np.bincount(labels).argmax()], atol=0.03)
    assert adjusted_rand_score(labels, model.predict(X)) > 0.95
    assert len(model.trace_) == 2


def test_new_documents_are_scored_by_expected_weights():
    X, _, _ = simulated(30)
    model = DirichletProcessMixture(inference="variational", concentration=1.0, random_state=0).fit(X)
    assert model._weights_.sum() == pytest.approx(1.0)
    assert model._weights_[-1] > 0
    alone = model.score_samples(np.zeros((1, X.shape[1])))
    np.testing.assert_allclose(alone, 0.0, atol=1e-12, err_msg="a document without words is certain")


def test_the_best_of_several_starts_is_kept(monkeypatch):
    monkeypatch.setattr(variational, "FIRST_SWEEPS", 1)
    problem = problem_of(X)
    done = run(variational.truncated_variational(10), problem, stop=Stop(10), chains=4, rng=0)
    ends = done.objective[:, -1]
    assert np.ptp(ends) > 0
    assert done.result.bound == pytest.approx(ends.max())


def test_one_cluster_and_no_more_clusters_than_documents():
    assert DirichletProcessMixture(inference="variational", max_clusters=1).fit(X).sizes_.tolist() == [25]
    alike = np.tile([[5.0, 3, 0, 2]], (20, 1))
    assert len(DirichletProcessMixture(inference="variational", random_state=0).fit(alike).sizes_) == 1
    assert DirichletProcessMixture(inference="variational", random_state=0).fit(X[:1]).labels_.tolist() == [0]
