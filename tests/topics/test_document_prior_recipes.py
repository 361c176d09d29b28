"""The recipes of docs/models/guide.md: labelled LDA and the author–topic model as rows of a document prior."""

from __future__ import annotations

import numpy as np

from driftline.guidance.heeded import cosine
from driftline.topics import LDA


def documents(shares, seed):
    """Return documents of 60 words with given shares of topics, and the topics."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(80, 0.05), shares.shape[1])
    return np.array([rng.multinomial(60, row @ topics) for row in shares]), topics


def test_labelled_lda_finds_the_topic_of_every_label():
    rng = np.random.default_rng(0)
    labels = np.zeros((300, 4), dtype=bool)
    for row in labels:
        row[rng.choice(4, rng.integers(1, 3), replace=False)] = True
    shares = np.array([rng.dirichlet(np.where(row, 1.0, 1e-9)) for row in labels])
    X, topics = documents(shares, 1)
    lda = LDA(4, random_state=0).fit(X, document_prior=0.5 * labels)
    assert min(cosine(topics[k], lda.components_[k]) for k in range(4)) > 0.97
    found = lda.transform(X, document_prior=0.5 * labels)
    assert found[~labels].max() < 1e-6
    assert np.corrcoef(found[labels], shares[labels])[0, 1] > 0.9


def shares_of_authors(authors, shares):
    """Return the shares of authors whose mean, over the authors of a document, comes nearest to its shares."""
    found = np.maximum(np.linalg.lstsq(authors, shares, rcond=None)[0], 1e-3)
    return found / found.sum(axis=1, keepdims=True)


def test_the_author_topic_model_finds_the_topics_of_every_author():
    rng = np.random.default_rng(2)
    authors = np.zeros((400, 12))
    for row in authors:
        row[rng.choice(12, rng.integers(1, 3), replace=False)] = 1.0
    authors /= authors.sum(axis=1, keepdims=True)
    own = rng.dirichlet(np.full(3, 0.3), 12)
    X, topics = documents(authors @ own, 3)
    lda = LDA(3, doc_topic_prior=0.3, random_state=0).fit(X)
    prior = None
    for _ in range(3):
        by_author = shares_of_authors(authors, lda.transform(X, document_prior=prior))
        prior = 20.0 * authors @ by_author
        lda.fit(X, document_prior=prior)
    order = [max(range(3), key=lambda k: cosine(topics[j], lda.components_[k])) for j in range(3)]
    assert sorted(order) == [0, 1, 2]
    by_author = shares_of_authors(authors, lda.transform(X, document_prior=prior))
    assert np.corrcoef(by_author[:, order].ravel(), own.ravel())[0, 1] > 0.9
