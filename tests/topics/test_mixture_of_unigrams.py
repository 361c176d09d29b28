from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from driftline.core.errors import InvalidInput
from driftline.guidance import Guide
from driftline.topics import MixtureOfUnigrams


@pytest.fixture
def sorted_documents():
    rng = np.random.default_rng(2)
    topics = rng.dirichlet(np.full(40, 0.3), 3)
    y = rng.integers(0, 3, 150)
    return np.array([rng.multinomial(12, topics[k]) for k in y]), y


def test_topics_are_recovered(sorted_documents):
    X, y = sorted_documents
    model = max((MixtureOfUnigrams(3, random_state=seed).fit(X) for seed in range(5)), key=lambda m: m.objective_[-1])
    agreement = max(
        (model.labels_ == np.array(p)[y]).mean()
        for p in ([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0])
    )
    assert agreement > 0.9


def test_the_posterior_is_bayes(sorted_documents):
    X, _ = sorted_documents
    model = MixtureOfUnigrams(3, random_state=0).fit(X)
    joint = np.log(model.weights_) + np.array(
        [[sum(c * np.log(p) for c, p in zip(x, row)) for row in model.components_] for x in X[:4]]
    )
    np.testing.assert_allclose(model.transform(X[:4]), np.exp(joint - logsumexp(joint, axis=1)[:, None]))
    assert (model.predict(X) == model.labels_).all()


def test_the_objective_never_decreases(sorted_documents):
    X, _ = sorted_documents
    model = MixtureOfUnigrams(4, random_state=1, tolerance=0.0, max_steps=40).fit(X)
    assert (np.diff(model.objective_) >= -1e-8).all()


def test_a_few_labels_name_the_topics(sorted_documents):
    X, y = sorted_documents
    partial = np.where(np.arange(len(y)) < 15, y, -1)
    model = MixtureOfUnigrams(3, random_state=0).fit(X, partial)
    assert (model.predict(X) == y).mean() > 0.9
    assert (model.labels_[:15] == y[:15]).all()
    alone = MixtureOfUnigrams(3, random_state=0, unlabelled_weight=0.0).fit(X, partial)
    labelled = MixtureOfUnigrams(3, random_state=5, max_steps=1).fit(X[:15], y[:15])
    np.testing.assert_allclose(alone.components_, labelled.components_)


def test_more_labels_make_more_topics_and_bad_ones_are_refused(sorted_documents):
    X, y = sorted_documents
    assert MixtureOfUnigrams(1, random_state=0).fit(X, y).components_.shape[0] == 3
    for bad in (y[:3], np.full(len(y), -2), y + 0.5, np.array(["a"] * len(y))):
        with pytest.raises(InvalidInput, match="label"):
            MixtureOfUnigrams(3).fit(X, bad)


def test_the_number_of_threads_changes_nothing(sorted_documents):
    X, y = sorted_documents
    partial = np.where(np.arange(len(y)) < 15, y, -1)
    one, two = (MixtureOfUnigrams(3, random_state=0, n_jobs=n).fit(X, partial) for n in (1, 2))
    assert one.components_.tobytes() == two.components_.tobytes()
    assert one.transform(X).tobytes() == two.transform(X).tobytes()


@pytest.mark.parametrize("power", [1.0, 0.5])
def test_a_step_is_the_plain_one(sorted_documents, power):
    X, y = sorted_documents
    X[3] = 0
    known = np.where(np.arange(len(y)) < 15, y, -1)
    options = {"random_state": 0, "unlabelled_weight": 0.4, "likelihood_power": power, "smoothing": 0.2}
    before, after = (MixtureOfUnigrams(3, max_steps=n, tolerance=0.0, **options).fit(X, known) for n in (3, 4))
    belief = before.transform(X)
    belief[:15] = np.eye(3)[y[:15]]
    belief *= np.where(known >= 0, 1.0, 0.4)[:, None]
    counts = X.T @ belief + 0.2
    np.testing.assert_allclose(after.components_, (counts / counts.sum(axis=0)).T)
    weights = belief.sum(axis=0) + 1
    np.testing.assert_allclose(after.weights_, weights / weights.sum())


def test_other_engines_do_not_accept_a_guide(sorted_documents):
    X, _ = sorted_documents
    with pytest.raises(InvalidInput, match="takes no guide"):
        MixtureOfUnigrams(3, engine="dask", guide=Guide().topic("first", [1])).fit(X)
