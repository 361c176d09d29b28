from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.topics.contexts.collection_em import Collections, Views, _begin, _expect, _maximise

SETTINGS = {"background_weight": 0.3, "smoothing": 0.01}


def problem(view=None, coverage=None, prior=5.0):
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(1.0, (9, 7)).astype(float))
    codes = np.array([0, 0, 0, 1, 1, 1, 1, -1, -1])
    return X, codes, Collections.of(X, codes, 2, 3, view=view, coverage=coverage, prior=prior, **SETTINGS)


def by_enumeration(views: Views, X, codes, background):
    """Return expected counts and the likelihood, one word and one component at a time."""
    counts = Views(*(np.zeros_like(each) for each in views))
    sums, likelihood = np.zeros((3, 4)), 0.0
    for d, w in zip(*X.nonzero()):
        c = codes[d] if codes[d] >= 0 else 2
        parts = {"background": 0.3 * background[w]}
        for k in range(3):
            for own in (0, 1):
                for shared in (0, 1):
                    word = views.own[c, k, w] * views.view[c] if own else views.common[k, w] * (1 - views.view[c])
                    topic = views.collections[c, k] * views.coverage[c]
                    topic = topic if shared else views.documents[d, k] * (1 - views.coverage[c])
                    parts[k, own, shared] = 0.7 * word * topic
        total = sum(parts.values())
        likelihood += X[d, w] * np.log(total)
        for part, value in parts.items():
            if part == "background":
                continue
            k, own, shared = part
            expected = X[d, w] * value / total
            (counts.own[c] if own else counts.common)[k, w] += expected
            (counts.collections[c] if shared else counts.documents[d])[k] += expected
            sums[c] += expected * np.array([own, 1 - own, shared, 1 - shared])
    counts.view[:], counts.coverage[:] = sums[:, 0] / sums[:, :2].sum(1), sums[:, 2] / sums[:, 2:].sum(1)
    return counts, likelihood


def test_expected_counts_are_those_of_enumeration():
    X, codes, given = problem()
    rng = np.random.default_rng(1)
    views = _begin(given, rng)
    for _ in range(3):
        expected, _ = _expect(views, given, rng)
        plain, _likelihood = by_enumeration(views, X, codes, given.background)
        for ours, theirs in zip(expected, plain):
            np.testing.assert_allclose(ours, theirs, atol=1e-10)
        views = _maximise(expected, views, given)
    objective = _expect(views, given._replace(prior=0.0, smoothing=0.0), rng)[1]
    assert objective == pytest.approx(by_enumeration(views, X, codes, given.background)[1])


def test_the_objective_increases_without_a_prior_that_changes():
    _, _, given = problem(view=0.7, coverage=0.0, prior=0.0)
    rng = np.random.default_rng(1)
    views, objectives = _begin(given, rng), []
    for _ in range(30):
        counts, objective = _expect(views, given, rng)
        objectives.append(objective)
        views = _maximise(counts, views, given)
    assert (np.diff(objectives) > -1e-9).all()
    assert (views.view[:2] == 0.7).all()
    assert views.view[2] == 0.0, "documents without a collection have the common view only"
