from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.engines.threads import Threads
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts
from driftline.topics.lda_gibbs import GibbsSampler, count_tokens, lay_out, recount
from tests.oracles.lda import pair_posterior
from tests.topics.corpora import drawn


def sampler_of(X, n_topics, alpha, beta, seed=0, engine=None):
    pairs = Pairs.of(sp.csr_matrix(X))
    topics = TopicCounts.starting(np.zeros((X.shape[1], n_topics)), alpha, beta)
    tokens = lay_out(pairs, topics.n_words, topics.width)
    recount(topics, count_tokens(tokens, topics.n_words, topics.width))
    return GibbsSampler(topics, tokens, engine or Threads(1), seed), tokens, topics


def test_samples_follow_the_exact_posterior():
    documents = [[0, 0, 1], [1, 2], [2, 0]]
    X = np.array([np.bincount(words, minlength=3) for words in documents], dtype=np.float64)
    alpha, beta = np.array([0.4, 0.9]), 0.3
    sampler, tokens, _ = sampler_of(X, 2, alpha, beta)
    exact = pair_posterior(documents, 3, alpha, beta)
    # the sampler lays tokens out in its own order: find each one's place by document and word
    laid_out = [
        (int(block.rows[d]), int(w))
        for chunk in tokens.chunks
        for block in chunk
        for d, w in zip(block.documents, block.words)
    ]
    place = [laid_out.index(token) for token in [(d, w) for d, words in enumerate(documents) for w in words]]
    place[1] = place[0] + 1  # the second use of word 0 in document 0
    n = 12_000
    same = np.zeros_like(exact)
    for _ in range(n):
        sampler.sweep()
        z = tokens.assignments()[place]
        same += z[:, None] == z[None, :]
    np.testing.assert_allclose(same / n, exact, atol=0.025)


def test_counts_always_belong_to_the_assignments(monkeypatch):
    monkeypatch.setattr("driftline.inference.lda_online.SMALL", 100)
    X, _ = drawn(300, 500, 3, 120)
    with Threads(2) as engine:
        sampler, tokens, topics = sampler_of(X, 5, np.full(5, 0.1), 0.01, engine=engine)
        assert len(tokens.chunks[0]) > 1, "a grid, not one block"
        for _ in range(3):
            sampler.sweep()
    counted = count_tokens(tokens, topics.n_words, topics.width)
    assert (counted == topics.values).all()
    assert (counted.sum(axis=0) == topics.totals).all()
    assert (counted[:, :5].sum(axis=1) == np.asarray(X.sum(axis=0)).ravel()).all()


def test_the_likelihood_increases():
    X, _ = drawn(200, 60, 4)
    sampler, _, _ = sampler_of(X, 4, np.full(4, 0.2), 0.05)
    trace = [sampler.sweep() for _ in range(60)]
    assert np.mean(trace[-10:]) > trace[0] + 0.3


def test_fractional_counts_are_weights():
    X = np.array([[0.5, 2.25], [3.0, 0.0]])
    sampler, tokens, topics = sampler_of(X, 2, np.full(2, 0.5), 0.1)
    sampler.sweep()
    np.testing.assert_allclose(topics.values.sum(axis=1), X.sum(axis=0), rtol=1e-6)
    assert sorted(np.concatenate([b.weights for c in tokens.chunks for b in c])) == [0.25, 0.5, 1, 1, 1, 1, 1]


FIT = """
import hashlib
import numpy as np
from driftline.topics import LDA
X = np.random.default_rng(0).poisson(0.3, (400, 150))
lda = LDA(40, inference="gibbs", max_epochs=2, burn_in=2, n_samples=2, random_state=0).fit(X)
print(hashlib.sha256(lda.components_.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_code_from_the_cache_gives_the_bytes_of_code_just_compiled(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    digests = [
        subprocess.run(
            [sys.executable, "-c", FIT], env=environment, capture_output=True, text=True, check=True
        ).stdout.split()[-1]
        for _ in range(2)
    ]
    assert any(tmp_path.rglob("*.nbc")), "the second run loads what the first compiled"
    assert digests[0] == digests[1]
