"""What the order of a stream says about its classes, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.class_sequence import neighbours_by_loops, sticky_em

from driftline.intensity.classification.class_sequence import (
    MOST_STAY,
    NEIGHBOUR_CONSTANT,
    NEIGHBOUR_ROUNDS,
    neighbour_posterior,
    new_shares,
    sticky_chain,
)


def likelihoods(seed, n=5, n_classes=3):
    rng = np.random.default_rng(seed)
    return rng.random((n, n_classes)) + 0.05, rng.dirichlet(np.ones(n_classes))


@pytest.mark.parametrize("seed", range(3))
def test_the_chain_s_em_is_that_of_the_enumeration(seed):
    likelihood, shares = likelihoods(seed)
    posterior, stay, current = sticky_em(likelihood, shares, 4)
    found = sticky_chain(np.log(likelihood), shares, max_rounds=4)
    np.testing.assert_allclose(found.posterior, posterior, rtol=1e-9)
    np.testing.assert_allclose([found.stay, *found.shares], [stay, *current], rtol=1e-9)


def test_the_evidence_does_not_depend_on_the_scale_of_a_document():
    likelihood, shares = likelihoods(5)
    logs = np.log(likelihood)
    shifts = np.array([3.0, -700.0, 0.0, 5.0, -1.0])
    moved = sticky_chain(logs + shifts[:, None], shares)
    plain = sticky_chain(logs, shares)
    np.testing.assert_allclose(moved.posterior, plain.posterior, rtol=1e-9)
    assert moved.log_evidence == pytest.approx(plain.log_evidence + shifts.sum())


def test_the_chain_learns_how_sticky_a_stream_is():
    rng = np.random.default_rng(0)
    for stay in (0.0, 0.9):
        y = [0]
        for _ in range(4000):
            y.append(y[-1] if rng.random() < stay else int(rng.random() < 0.3))
        x = rng.normal(3.0 * np.array(y), 1.0)
        logs = np.column_stack([-(x**2) / 2, -((x - 3.0) ** 2) / 2])
        found = sticky_chain(logs, np.array([0.5, 0.5]))
        assert found.stay == pytest.approx(stay, abs=0.05)
        assert found.stay <= MOST_STAY
    constant = sticky_chain(np.tile(np.log([0.9, 0.1]), (5000, 1)), np.array([0.5, 0.5]))
    assert constant.stay <= MOST_STAY


@pytest.mark.parametrize("half_life", [1.0, 3.0])
def test_neighbours_are_weighted_by_their_distance_on_both_sides(half_life):
    likelihood, _ = likelihoods(2, n=9)
    wanted = neighbours_by_loops(likelihood, half_life, NEIGHBOUR_CONSTANT, NEIGHBOUR_ROUNDS)
    np.testing.assert_allclose(neighbour_posterior(np.log(likelihood), half_life), wanted, rtol=1e-9)


def test_new_shares_are_a_fixed_point_and_recover_the_truth():
    rng = np.random.default_rng(1)
    y = (rng.random(5000) < 0.15).astype(int)
    x = rng.normal(2.0 * y, 1.0)
    logs = np.column_stack([-(x**2) / 2, -((x - 2.0) ** 2) / 2])
    shares = new_shares(logs, np.array([0.5, 0.5])).mean(axis=0)
    assert shares[1] == pytest.approx(y.mean(), abs=0.02)
    np.testing.assert_allclose(new_shares(logs, shares).mean(axis=0), shares, atol=1e-3)


def test_a_single_document_has_no_neighbours():
    logs, shares = np.log([[0.2, 0.8]]), np.array([0.5, 0.5])
    np.testing.assert_allclose(neighbour_posterior(logs), [[0.2, 0.8]])
    assert sticky_chain(logs, shares).posterior.sum() == pytest.approx(1.0)
