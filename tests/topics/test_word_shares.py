import numpy as np
import pytest
import scipy.sparse as sp

from driftline.topics.word_shares import pooled_shares, word_shares


def topics_of(rng, n_topics=4, n_words=30):
    return rng.dirichlet(np.full(n_words, 0.3), n_topics)


def newton_step(topics, counts, shares):
    """One Newton step of the multinomial log-likelihood, from the definition, for one row of counts."""
    p = shares @ topics
    gradient = sum(counts[w] * topics[:, w] / p[w] for w in range(len(p)))
    information = sum(counts.sum() * topics[:, [w]] @ topics[:, [w]].T / p[w] for w in range(len(p)))
    # Along the simplex, the step solves information · step = gradient - λ with steps that sum to zero
    n = len(shares)
    system = np.block([[information, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    return shares + np.linalg.solve(system, np.append(gradient, 0.0))[:n]


def test_each_row_takes_one_newton_step_of_its_likelihood():
    rng = np.random.default_rng(0)
    topics = topics_of(rng)
    counts = rng.poisson(3.0, (5, 30)).astype(float)
    written, words = word_shares(topics, sp.csr_array(counts))
    pooled = pooled_shares(topics, counts.sum(axis=0))
    for row in range(5):
        np.testing.assert_allclose(written[row] / words[row], newton_step(topics, counts[row], pooled), rtol=1e-6)


def test_expected_counts_give_back_any_shares_exactly():
    rng = np.random.default_rng(1)
    topics = topics_of(rng)
    shares = rng.dirichlet(np.full(4, 0.2), 6)  # far apart from each other
    written, words = word_shares(topics, sp.csr_array(100 * shares @ topics))
    np.testing.assert_allclose(written, 100 * shares, atol=1e-8)
    np.testing.assert_allclose(written.sum(axis=1), words)


def test_rows_add_up():
    rng = np.random.default_rng(2)
    topics, counts = topics_of(rng), rng.poisson(0.3, (8, 30)).astype(float)
    single, words = word_shares(topics, sp.csr_array(counts))
    summed, total = word_shares(topics, sp.csr_array(counts.sum(axis=0, keepdims=True)))
    np.testing.assert_allclose(single.sum(axis=0), summed[0])
    assert words.sum() == pytest.approx(total[0])


def test_equal_topics_share_the_words_they_generated():
    topics = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.2, 0.8]])
    written, words = word_shares(topics, sp.csr_array([[50.0, 50.0, 0.0], [0.0, 20.0, 80.0]]))
    np.testing.assert_allclose(written[:, 0], written[:, 1], atol=1e-8)
    np.testing.assert_allclose(written.sum(axis=1), words)
    assert written[0, 2] == pytest.approx(0, abs=1e-6)


def test_words_of_no_topic_do_not_count():
    topics = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    written, words = word_shares(topics, sp.csr_array([[3.0, 1.0, 9.0], [0.0, 0.0, 2.0]]))
    np.testing.assert_allclose(written, [[3, 1], [0, 0]], atol=1e-9)
    np.testing.assert_array_equal(words, [4, 0])


def test_a_topic_without_a_word_gets_nothing():
    written, _ = word_shares(np.array([[0.5, 0.5], [0.0, 0.0]]), sp.csr_array([[3.0, 1.0]]))
    np.testing.assert_allclose(written, [[4, 0]], atol=1e-3)
