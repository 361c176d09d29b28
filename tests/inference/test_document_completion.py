from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.engines.threads import Threads
from driftline.inference.document_completion import KnownTopics, completion, document_shares, halves
from driftline.inference.pairs import Pairs
from tests.oracles.lda import completion as plain_completion
from tests.topics.corpora import drawn


@pytest.mark.parametrize("n_topics", [2, 20])
def test_equals_the_oracle(n_topics):
    rng = np.random.default_rng(n_topics)
    X, _ = drawn(30, 40, 3)
    components, alpha = rng.dirichlet(np.ones(40), n_topics), rng.uniform(0.2, 1, n_topics)
    with Threads(1) as engine:
        found, words = completion(KnownTopics.of(components, alpha), X, engine)
    given, asked = halves(X)
    expected = plain_completion(given.toarray(), asked.toarray(), components, alpha, 100)
    np.testing.assert_allclose(found, expected, rtol=2e-3)
    np.testing.assert_allclose(words, asked.sum(axis=1).A1)


def test_the_number_of_threads_does_not_matter():
    X, truth = drawn(700, 60, 3)
    topics = KnownTopics.of(truth + 1e-6, 0.1)
    results = []
    for n in (1, 3):
        with Threads(n) as engine:
            results.append((document_shares(topics, Pairs.of(X), engine), completion(topics, X, engine)[0]))
    assert (results[0][0] == results[1][0]).all()
    assert (results[0][1] == results[1][1]).all()


def test_known_shares_are_found():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.full(300, 0.05), 3)
    shares = np.array([0.6, 0.3, 0.1])
    X = sp.csr_matrix(rng.multinomial(20_000, shares @ truth)[None].astype(float))
    with Threads(1) as engine:
        found = document_shares(KnownTopics.of(truth + 1e-9, 0.1), Pairs.of(X), engine)
    np.testing.assert_allclose(found[0], shares, atol=0.02)


def test_without_a_prior():
    topics = KnownTopics.of(np.array([[0.5, 0.5, 0], [0, 0.5, 0.5]]), 0.0)
    X = sp.csr_matrix([[6.0, 0, 0], [0, 0, 0]])
    with Threads(1) as engine:
        np.testing.assert_allclose(document_shares(topics, Pairs.of(X), engine), [[1, 0], [0.5, 0.5]], atol=1e-3)
        likelihood, words = completion(topics, X, engine)
    assert likelihood[0] == pytest.approx(words[0] * np.log(0.5), abs=1e-2)
    assert likelihood[1] == words[1] == 0


def test_documents_are_taken_in_any_order():
    X, _ = drawn(20, 15, 3)
    X = sp.vstack([X, sp.csr_matrix((1, X.shape[1]))], format="csr")
    rows = np.random.default_rng(0).permutation(21)
    taken = Pairs.of(X).take(rows)
    again = sp.csr_matrix((taken.counts, taken.words, taken.indptr), shape=X.shape)
    np.testing.assert_array_equal(again.toarray(), X[rows].toarray())
