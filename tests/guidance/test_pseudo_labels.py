"""Labels from seed words: the classifier against scikit-learn's, the second round, and the weight of priors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import ComplementNB

from driftline import LDA, Guide, MixtureOfUnigrams
from driftline.guidance.pseudo_labels import (
    complement_bayes,
    seed_labels,
    seed_priors,
    seed_probabilities,
    sharpened,
)
from driftline.guidance.wishes import SpreadWish

SEEDS = {0: np.array([0, 1]), 3: np.array([20, 21]), 4: np.array([40, 41])}


@pytest.fixture(scope="module")
def documents():
    """Return 300 documents of three groups, whose words have 20 columns each and are used by the others as well."""
    rng = np.random.default_rng(0)
    labels = np.arange(300) % 3
    topics = 0.6 * np.kron(np.eye(3), np.full(20, 1 / 20)) + 0.4 / 60
    lengths = rng.integers(4, 30, 300)
    return sp.csr_matrix([rng.multinomial(n, topics[k]) for n, k in zip(lengths, labels)]), labels


def test_hard_labels_give_the_probabilities_of_scikit_learn(documents):
    X, _ = documents
    labels = seed_labels(X, SEEDS)
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    theirs = ComplementNB().fit(weighted[labels >= 0], labels[labels >= 0])
    topics, ours = seed_probabilities(X, SEEDS, power=10.0, again=False)
    assert topics.tolist() == theirs.classes_.tolist() == [0, 3, 4]
    np.testing.assert_allclose(ours, theirs.predict_proba(weighted), rtol=1e-9)


def test_weighted_labels_are_documents_counted_in_part(documents):
    """Half a label in each of two classes is the same as two copies of the document with half a weight each."""
    X, _ = documents
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    weights = np.random.default_rng(1).dirichlet(np.ones(3), X.shape[0])
    copies, classes = sp.vstack([weighted] * 3), np.repeat([0, 1, 2], X.shape[0])
    theirs = ComplementNB().fit(copies, classes, sample_weight=weights.T.ravel())
    np.testing.assert_allclose(complement_bayes(weighted, weights), theirs.predict_proba(weighted), rtol=1e-9)


def test_in_the_second_round_decided_documents_keep_their_labels(documents):
    X, _ = documents
    labels = seed_labels(X, SEEDS)
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    topics, first = seed_probabilities(X, SEEDS, power=10.0, again=False)
    taught = sharpened(first, 10.0)
    for row in np.flatnonzero(labels >= 0):
        taught[row] = topics == labels[row]
    np.testing.assert_allclose(
        seed_probabilities(X, SEEDS, power=10.0)[1], complement_bayes(weighted, taught), rtol=1e-9
    )


def test_the_second_round_learns_from_undecided_documents(documents):
    X, truth = documents
    aucs = []
    for again in (False, True):
        found = seed_probabilities(X, SEEDS, power=10.0, again=again)[1]
        aucs.append(np.mean([roc_auc_score(truth == k, found[:, k]) for k in range(3)]))
    assert aucs[1] > aucs[0]


def test_without_two_topics_in_use_all_are_equal():
    topics, found = seed_probabilities(sp.csr_matrix([[2, 0], [1, 0]]), {0: np.array([0]), 1: np.array([1])}, power=5.0)
    assert topics.tolist() == [0, 1]
    assert found.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_priors_are_measured_in_words_of_the_document(documents):
    X, _ = documents
    sharp, plain = seed_priors(X, SEEDS, 6, SpreadWish(20.0, 10.0, 4.0))
    lengths = np.asarray(X.sum(axis=1)).ravel()
    np.testing.assert_allclose(plain.sum(axis=1), 20 + 4 * lengths)
    np.testing.assert_allclose(sharp.sum(axis=1), 20 + 4 * lengths, rtol=3e-3)
    assert not plain.toarray()[:, [1, 2, 5]].any()
    assert (sharp.max(axis=1).toarray() >= plain.max(axis=1).toarray() * (1 - 3e-3)).all()


def test_shares_rank_documents_by_plain_probabilities(documents):
    """The shares of documents use the classifier's unsharpened probabilities, in addition to labels."""
    X, truth = documents
    guide = Guide()
    for name, words in zip("abc", SEEDS.values()):
        guide = guide.topic(name, words.tolist())
    aucs = {}
    for name, wished in {"words": guide, "spread": guide.spread()}.items():
        model = LDA(6, guide=wished, random_state=0).fit(X)
        shares = model.guided_shares(X)
        aucs[name] = np.mean([roc_auc_score(truth == k, shares[:, k]) for k in range(3)])
    assert aucs["spread"] > aucs["words"]
    report = model.guide_report_[-1]
    assert report.heeded
    assert report.with_guide >= report.without > 0.5
    labelled = LDA(6, guide=guide.label([0, 1, 2], "b", strength=1e4).spread(), random_state=0).fit(X)
    assert (labelled.guided_shares(X)[:3, 1] > 0.9).all()


def test_a_mixture_takes_the_same_priors(documents):
    X, truth = documents
    guide = Guide().topic("a", [0, 1]).topic("b", [20, 21]).topic("c", [40, 41]).spread()
    model = MixtureOfUnigrams(3, guide=guide, random_state=0).fit(X)
    assert (model.predict(X) == truth).mean() > 0.8
