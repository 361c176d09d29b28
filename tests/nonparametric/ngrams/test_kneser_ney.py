"""Kneser-Ney smoothing against a version by dictionaries, and against the hierarchical Pitman-Yor model."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.pitman_yor_ngrams import kneser_ney, kneser_ney_counts

from driftline.nonparametric.ngrams.hpylm import HPYLM


def documents(n=30, seed=0):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(7, 0.4), 7)
    found = []
    for _ in range(n):
        document = [int(rng.integers(7))]
        for _ in range(int(rng.integers(0, 12))):
            document.append(int(rng.choice(7, p=shares[document[-1]])))
        found.append(document)
    return found


@pytest.mark.parametrize("smoothing", ["kn", "mkn"])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_probabilities_are_those_of_the_plain_version(smoothing, order):
    learned = documents()
    model = HPYLM(order, smoothing, min_count=1).fit(learned)
    counts, discounts = kneser_ney_counts(learned, order), model.discounts_[0]
    for context in [(), (0,), (3, 1), (6, 6, 6), (2, 5, 0, 1), (9,)]:
        p = model.probabilities(context)
        plain = (
            tuple(word if word < 7 else 7 for word in context)[max(len(context) - order + 1, 0) :] if order > 1 else ()
        )
        expected = [kneser_ney(counts, word, plain, discounts, 8) for word in range(8)]
        np.testing.assert_allclose(p, expected, rtol=1e-12)
        assert p.sum() == pytest.approx(1)


def test_discounts_are_those_of_chen_and_goodman():
    model = HPYLM(1, "mkn", min_count=1).fit([[0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6]])
    n1, n2, n3, n4 = 3, 2, 1, 1
    y = n1 / (n1 + 2 * n2)
    expected = [1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
    np.testing.assert_allclose(model.discounts_[0, 0], expected)
    plain = HPYLM(1, "kn", min_count=1).fit([[0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6]])
    np.testing.assert_allclose(plain.discounts_[0, 0], y)


def test_a_seating_with_one_table_per_dish_and_no_concentration_is_kneser_ney():
    learned = documents()
    sampled, plain = (
        HPYLM(3, burn_in=0, n_samples=1, min_count=1, random_state=0).fit(learned),
        HPYLM(3, "kn", min_count=1),
    )
    plain.fit(learned)
    sampled._customers_, sampled._tables_ = plain._customers_, plain._tables_
    sampled.discounts_, sampled.concentrations_ = plain.discounts_, np.zeros((1, 3))
    np.testing.assert_array_equal(sampled.score_samples(documents(seed=1)), plain.score_samples(documents(seed=1)))


@pytest.mark.parametrize("smoothing", ["kn", "mkn"])
@pytest.mark.parametrize("learned", [[[0, 0, 0, 0]], [[0, 1, 2, 3]], [[0, 0, 1, 1, 2, 2]] * 9, [[]], [[-1, -1]]])
def test_discounts_that_counts_do_not_determine(smoothing, learned):
    model = HPYLM(2, smoothing, min_count=1).fit(learned)
    for context in ([], [0], [5]):
        p = model.probabilities(context)
        assert (p > 0).all()
        assert p.sum() == pytest.approx(1)
    assert np.isfinite(model.score_samples([[0, 3, 9], []])).all()
