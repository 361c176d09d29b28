from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.engines.threads import Threads
from driftline.inference.own_priors import added_priors, divided_priors, given_counts, prior_mass, prior_rows
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts
from driftline.topics import LDA, PLSA
from driftline.topics.lda_gibbs import GibbsSampler, count_tokens, draw_first, lay_out, recount
from driftline.topics.lda_vb import expectation
from tests.oracles.lda import pair_posterior
from tests.topics.corpora import drawn

METHODS = [
    {"inference": "online"},
    {"inference": "vb"},
    {"inference": "gibbs", "burn_in": 5, "n_samples": 5},
    {"inference": "online", "n_partitions": 2},
    {"inference": "gibbs", "burn_in": 5, "n_samples": 5, "n_partitions": 2},
    {"inference": "gibbs", "burn_in": 5, "n_samples": 5, "n_partitions": 2, "synchronisation": "hierarchical"},
]


def test_rows_are_divided_and_put_together_again():
    rng = np.random.default_rng(0)
    rows = rng.gamma(0.5, 1.0, (7, 3)) * (rng.random((7, 3)) < 0.7) + 0.01 * np.eye(3)[rng.integers(0, 3, 7)]
    for given in (rows, sp.csr_matrix(rows), sp.coo_array(rows)):
        shared, own = divided_priors(given, 7, 3)
        order = np.array([5, 0, 0, 6])
        np.testing.assert_allclose(prior_rows(shared, own, order), rows[order], rtol=1e-6, atol=1e-15)
        np.testing.assert_allclose(shared.sum() + prior_mass(own, order), rows[order].sum(axis=1), rtol=1e-6)
    assert prior_rows(shared, None, order) is shared


def test_samples_follow_the_exact_posterior_with_a_prior_for_every_document():
    documents = [[0, 0, 1], [1, 2], [2, 0]]
    X = np.array([np.bincount(words, minlength=3) for words in documents], dtype=np.float64)
    alpha, beta = np.array([[0.4, 0.9], [3.0, 0.2], [0.4, 0.0]]), 0.3
    shared, own = divided_priors(alpha, 3, 2)
    pairs, engine = Pairs.of(sp.csr_matrix(X)), Threads(1)
    topics = TopicCounts.starting(np.full((3, 2), 0.5), shared, beta)
    tokens = lay_out(pairs, topics.n_words, topics.width)
    draw_first(tokens, pairs, topics, engine, 1, own)
    recount(topics, count_tokens(tokens, topics.n_words, topics.width))
    sampler = GibbsSampler(topics, tokens, engine, 0, own=own)
    exact = pair_posterior(documents, 3, np.maximum(alpha, 1e-20), beta)
    block = tokens.chunks[0][0]
    laid_out = list(zip(block.documents.tolist(), block.words.tolist()))
    place = [laid_out.index(token) for token in [(d, w) for d, words in enumerate(documents) for w in words]]
    place[1] = place[0] + 1
    n, same = 12_000, np.zeros_like(exact)
    for _ in range(n):
        sampler.sweep()
        z = tokens.assignments()[place]
        same += z[:, None] == z[None, :]
    np.testing.assert_allclose(same / n, exact, atol=0.025)
    assert (z[5:] == 0).all(), "document 2 excludes topic 1"


def test_variational_step_equals_the_oracle():
    rng = np.random.default_rng(2)
    X, lam = rng.poisson(1.0, (6, 5)).astype(np.float64), rng.gamma(5.0, 0.2, (5, 3))
    alpha = rng.uniform(0.1, 2.0, (6, 3))
    shared, own = divided_priors(alpha, 6, 3)
    from driftline.inference.variational import expected_log

    b = np.exp(expected_log(lam.T)).T.copy()
    answer = expectation(Pairs.of(sp.csr_matrix(X)), b, shared, own)
    single = [expectation(Pairs.of(sp.csr_matrix(row[None])), b, one) for row, one in zip(X, alpha)]
    np.testing.assert_allclose(answer.counts, np.concatenate([one.counts for one in single]), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(answer.statistics, sum(one.statistics for one in single), rtol=1e-5)
    np.testing.assert_allclose(answer.bound, sum(one.bound for one in single), rtol=1e-5)


@pytest.mark.parametrize("settings", METHODS)
def test_every_method_heeds_the_prior_of_a_document(settings):
    X, truth = drawn(120, 60, 3, 40)
    strongest = np.argmax(X @ np.log(truth + 1e-9).T, axis=1)
    # Without the prior, the numbers of the topics would be arbitrary.
    rows = 0.1 + 20.0 * np.eye(3)[strongest]
    lda = LDA(3, doc_topic_prior=0.1, random_state=0, max_epochs=15, **settings)
    lda.fit(X, document_prior=rows)
    assert (np.argmax(lda.components_ @ truth.T, axis=1) == np.arange(3)).all()
    np.testing.assert_allclose(lda.doc_topic_prior_, 0.1, err_msg="the prior of other documents")


@pytest.mark.parametrize("settings", METHODS)
def test_the_same_row_for_all_is_the_shared_prior(settings):
    X, _ = drawn(80, 40, 3, 30)
    alpha = np.array([0.1, 0.3, 0.2])
    plain = LDA(3, doc_topic_prior=alpha, random_state=0, max_epochs=5, **settings).fit(X)
    same = LDA(3, doc_topic_prior=alpha, random_state=0, max_epochs=5, **settings)
    same.fit(X, document_prior=np.tile(alpha, (80, 1)))
    np.testing.assert_allclose(same.components_, plain.components_, rtol=1e-3, atol=1e-5)


def test_excluded_topics_stay_empty():
    X, _ = drawn(60, 40, 3, 30)
    rows = np.full((60, 4), 0.2)
    rows[:, 3] = 0.0
    rows[:30, 2] = 0.0
    lda = LDA(4, random_state=0, max_epochs=10).fit(X, document_prior=rows)
    shares = lda.transform(X, document_prior=rows)
    assert (shares[:, 3] < 1e-6).all()
    assert (shares[:30, 2] < 1e-6).all()


def test_transform_with_a_prior_per_document_equals_that_of_each_alone():
    X, _ = drawn(40, 30, 3, 20)
    lda = LDA(3, random_state=0, max_epochs=5).fit(X)
    rows = np.random.default_rng(1).gamma(1.0, 1.0, (40, 3)) + 0.05
    found = lda.transform(X, document_prior=rows)
    for d in (0, 7, 39):
        alone = LDA(3, random_state=0, max_epochs=5).fit(X)
        alone.doc_topic_prior_ = rows[d]
        np.testing.assert_allclose(found[d], alone.transform(X[d])[0], rtol=2e-3, atol=1e-4)


def test_plsa_adds_the_counts_of_the_prior():
    X, truth = drawn(90, 50, 3, 40)
    strongest = np.argmax(X @ np.log(truth + 1e-9).T, axis=1)
    rows = np.zeros((90, 3))
    rows[::3] = 50.0 * np.eye(3)[strongest[::3]]
    model = PLSA(3, random_state=0, max_steps=60).fit(X, document_prior=sp.csr_matrix(rows))
    assert (np.argmax(model.components_ @ truth.T, axis=1) == np.arange(3)).all()
    assert (np.diff(model.objective_) > -1e-9 * np.abs(model.objective_[1:])).all(), "the log posterior never decreases"
    nothing = PLSA(3, random_state=0, max_steps=20).fit(X, document_prior=np.zeros((90, 3)))
    plain = PLSA(3, random_state=0, max_steps=20).fit(X)
    np.testing.assert_allclose(nothing.components_, plain.components_, atol=1e-12)
    tempered = PLSA(3, random_state=0, max_steps=10, temperature="held-out").fit(X, document_prior=rows)
    assert tempered.temperature_ <= 1


def test_refused_priors():
    X, _ = drawn(10, 20, 3, 20)
    with pytest.raises(InvalidInput, match="10 × 3"):
        LDA(3).fit(X, document_prior=np.ones((10, 2)))
    for bad in (np.full((10, 3), -1.0), np.full((10, 3), np.nan)):
        with pytest.raises(InvalidInput, match="finite"):
            LDA(3).fit(X, document_prior=bad)
        with pytest.raises(InvalidInput, match="finite"):
            PLSA(3).fit(X, document_prior=bad)
    rows = np.ones((10, 3))
    rows[4] = 0
    with pytest.raises(InvalidInput, match="document 4"):
        LDA(3).fit(X, document_prior=rows)
    with pytest.raises(InvalidInput, match="exclude each other"):
        LDA(3, doc_topic_prior="learned").fit(X, document_prior=np.ones((10, 3)))
    assert len(given_counts(np.zeros((0, 3)), 0, 3).words) == 0
    assert len(added_priors(sp.csr_array((2, 2))).words) == 0
