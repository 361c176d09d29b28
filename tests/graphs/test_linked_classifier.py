"""The classifier of linked documents: against enumeration, with simulated truth, and with awkward links."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from tests.oracles.factor_graphs import enumerated

from driftline.core.errors import InvalidInput
from driftline.graphs import LinkedClassifier


def linked_documents(n=300, n_classes=3, n_words=30, length=6, degree=4, same=0.85, seed=0):
    """Return short documents, links of which most join documents of one class, and the classes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n)
    shares = rng.dirichlet(np.full(n_words, 1.0), n_classes)
    X = np.array([rng.multinomial(length, shares[k]) for k in labels], dtype=float)
    links = sp.lil_matrix((n, n))
    for d in range(n):
        for _ in range(degree // 2):
            alike = np.flatnonzero((labels == labels[d]) == (rng.random() < same))
            links[d, rng.choice(alike)] = 1
    return X, links.tocsr(), labels


def few(labels, n_known=30, seed=0):
    y = np.full(len(labels), -1)
    known = np.random.default_rng(seed).permutation(len(labels))[:n_known]
    y[known] = labels[known]
    return y


def test_probabilities_are_those_of_the_random_field():
    rng = np.random.default_rng(1)
    X, y = rng.poisson(1.0, (6, 4)).astype(float), np.array([0, 1, 2, -1, -1, -1])
    pairs = [(0, 3), (3, 4), (2, 4), (1, 5)]
    links = np.zeros((6, 6))
    links[tuple(np.transpose(pairs))] = 1
    model = LinkedClassifier(MultinomialNB(), coupling=1.3, text_weight=0.7).fit(X, y, links=links)
    text = 0.7 * np.log(MultinomialNB().fit(X[:3], y[:3]).predict_proba(X))
    for d in range(3):
        text[d] = np.where(np.arange(3) == y[d], 0.0, -np.inf)
    expected = enumerated(list(text), [(pair, 1.3 * np.eye(3)) for pair in pairs])[0]
    np.testing.assert_allclose(model.label_proba_, expected, atol=1e-10)
    assert model.converged_
    again = model.predict_proba(X, links=links, known=y)
    np.testing.assert_allclose(again, model.label_proba_)
    assert (model.label_proba_[:3].argmax(axis=1) == y[:3]).all()


def test_links_help_and_the_coupling_is_chosen():
    X, links, labels = linked_documents()
    y = few(labels)
    model = LinkedClassifier().fit(X, y, links=links)
    hidden = y == -1
    text_only = LogisticRegression(max_iter=1000).fit(X[~hidden], labels[~hidden])
    alone = (text_only.predict(X) == labels)[hidden].mean()
    assert (model.labels_ == labels)[hidden].mean() > alone + 0.05
    assert model.coupling_ > 0
    assert model.validation_.shape == (12, 3)
    best = model.validation_[:, 2].argmax()
    assert model.validation_[best, :2].tolist() == [model.coupling_, model.text_weight_]


def test_links_without_meaning_are_not_used():
    X, links, labels = linked_documents(length=60, same=1 / 3)
    model = LinkedClassifier().fit(X, few(labels, 120), links=links)
    assert model.coupling_ <= 0.5


def test_known_labels_reach_documents_several_links_away():
    chain = sp.diags([np.ones(9)], [1])
    y = ["a", *[None] * 8, "b"]
    model = LinkedClassifier(coupling=3.0, text_weight=0.0).fit(np.ones((10, 1)), y, links=chain)
    assert model.labels_.tolist() == ["a"] * 5 + ["b"] * 5
    assert (np.diff(model.label_proba_[:, 1]) > 0).all()


def test_without_links_it_is_the_classifier_of_the_text():
    X, _, labels = linked_documents()
    model = LinkedClassifier().fit(X, labels)
    base = LogisticRegression(max_iter=1000).fit(X, labels)
    np.testing.assert_allclose(model.predict_proba(X), base.predict_proba(X), rtol=1e-9)
    assert (model.coupling_, model.text_weight_, len(model.validation_)) == (0.0, 1.0, 0)
    assert model.score(X, labels) == pytest.approx(base.score(X, labels))


def test_direction_weight_and_loops_of_links_do_not_matter():
    X, links, labels = linked_documents(60)
    y, settings = few(labels), {"coupling": 1.0, "text_weight": 1.0}
    plain = LinkedClassifier(**settings).fit(X, y, links=links)
    other = links.T * 7.0 + sp.eye(60)
    assert LinkedClassifier(**settings).fit(X, y, links=other).label_proba_.tobytes() == plain.label_proba_.tobytes()
    dense = LinkedClassifier(**settings).fit(X, y, links=links.toarray())
    assert dense.label_proba_.tobytes() == plain.label_proba_.tobytes()


def test_new_documents_with_their_own_links():
    X, links, labels = linked_documents()
    model = LinkedClassifier().fit(X[:200], few(labels[:200], 60), links=links[:200, :200])
    linked = model.score(X, labels, links=links, known=few(labels, 60))
    assert linked > model.score(X, labels) + 0.1


def test_too_few_labels_to_choose():
    X, links, labels = linked_documents(40)
    y = np.full(40, -1)
    for k in range(3):
        y[np.flatnonzero(labels == k)[0]] = k
    model = LinkedClassifier().fit(X, y, links=links)
    assert (model.coupling_, model.text_weight_) == (1.0, 0.5)
    assert LinkedClassifier(coupling=0.3).fit(X, y, links=links).coupling_ == 0.3


def test_messages_that_do_not_converge_are_reported():
    n = 12
    links = np.ones((n, n))
    X = np.random.default_rng(0).poisson(1.0, (n, 3)).astype(float)
    model = LinkedClassifier(coupling=3.0, text_weight=1.0, max_steps=1).fit(X, [0, 1, *[-1] * (n - 2)], links=links)
    assert (model.converged_, model.n_steps_) == (False, 1)
    settled = LinkedClassifier(coupling=0.05, text_weight=1.0, damping=0.3).fit(X, [0, 1, *[-1] * (n - 2)], links=links)
    assert settled.converged_


def test_wrong_links_and_labels_are_named():
    X, links, labels = linked_documents(20)
    with pytest.raises(InvalidInput, match="links is 19 × 20, but there are 20 documents"):
        LinkedClassifier().fit(X, labels, links=links[:19])
    wrong = links.toarray()
    wrong[0, 1] = np.nan
    with pytest.raises(InvalidInput, match="NaN or infinity"):
        LinkedClassifier().fit(X, labels, links=wrong)
    with pytest.raises(InvalidInput, match="no document has a label"):
        LinkedClassifier().fit(X, np.full(20, -1), links=links)
    model = LinkedClassifier(coupling=1.0, text_weight=1.0).fit(X, labels, links=links)
    with pytest.raises(InvalidInput):
        model.predict(X, known=[9] * 20)


def test_the_best_labels_of_a_tree_fit_enumeration():
    X, _, labels = linked_documents(7)
    y = np.array([*labels[:3], -1, -1, -1, -1])
    tree = np.zeros((7, 7))
    for d in range(1, 7):
        tree[d, d // 2] = 1
    model = LinkedClassifier(MultinomialNB(), coupling=0.8, text_weight=1.0).fit(X, y, links=tree)
    text = np.log(model.estimator_.predict_proba(X))
    classes, total = len(model.classes_), 0.0
    sums = np.zeros((7, classes))
    for states in itertools.product(range(classes), repeat=7):
        if any(model.classes_[s] != k for s, k in zip(states, y) if k >= 0):
            continue
        score = sum(text[d, s] for d, s in enumerate(states) if y[d] < 0)
        weight = np.exp(score + 0.8 * sum(states[d] == states[d // 2] for d in range(1, 7)))
        total += weight
        sums[np.arange(7), states] += weight
    np.testing.assert_allclose(model.label_proba_, sums / total, atol=1e-9)


def test_joint_labels_are_the_most_probable_of_all():
    """Oracle: every joint labelling. If the ends of a chain disagree, separate labels differ from the joint ones."""
    differs = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.poisson(1.0, (6, 4)).astype(float), np.array([0, 1, -1, -1, -1, -1])
        pairs = [(0, 2), (2, 3), (3, 4), (4, 5), (1, 5)]
        links = np.zeros((6, 6))
        links[tuple(np.transpose(pairs))] = 1
        model = LinkedClassifier(MultinomialNB(), coupling=0.8, text_weight=1.0).fit(X, y, links=links)
        text = np.log(MultinomialNB().fit(X[:2], y[:2]).predict_proba(X))
        scores = {
            labels: text[range(2, 6), labels[2:]].sum() + 0.8 * sum(labels[a] == labels[b] for a, b in pairs)
            for labels in itertools.product(range(2), repeat=6)
            if labels[:2] == (0, 1)
        }
        found = model.predict_jointly(X, links=links, known=y)
        assert scores[tuple(found.tolist())] == pytest.approx(max(scores.values()))
        differs += (found != model.predict(X, links=links, known=y)).any()
    assert differs
