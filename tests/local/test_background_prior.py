"""Smoothed distributions are distributions, and wide ones are the global model."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.local.background_prior import Prior

PRIORS = [Prior("dirichlet", 7.0), Prior("jelinek-mercer", 0.3), Prior("additive", 0.2), Prior.bare()]


@pytest.mark.parametrize("prior", PRIORS, ids=lambda p: f"{p.kind}-{p.strength}")
def test_rows_sum_to_one_and_no_data_gives_the_background(prior):
    rng = np.random.default_rng(0)
    local = rng.random((3, 5)) * 4
    local[1] = 0
    totals = local.sum(axis=0)[None]
    background = prior.background(totals, totals.sum(axis=1), 5)
    found = prior.smooth(local, local.sum(axis=1), background, totals.sum(axis=1), 5)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found[1], background[0])


@pytest.mark.parametrize("prior", PRIORS[:2], ids=lambda p: p.kind)
def test_all_data_local_is_the_global_model(prior):
    totals = np.array([[3.0, 0.0, 5.0]])
    background = prior.background(totals, totals.sum(axis=1), 3)
    np.testing.assert_allclose(prior.smooth(totals, totals.sum(axis=1), background, totals.sum(axis=1), 3), background)


def test_bare_is_the_ratio_of_sums():
    prior, local = Prior.bare(), np.array([[3.0, 1.0]])
    background = prior.background(np.array([[9.0, 9.0]]), np.array([18.0]), 2)
    np.testing.assert_allclose(prior.smooth(local, np.array([4.0]), background, np.array([18.0]), 2), [[0.75, 0.25]])


def test_nothing_known_is_uniform():
    prior = Prior()
    np.testing.assert_allclose(prior.background(np.zeros((1, 4)), np.zeros(1), 4), np.full((1, 4), 0.25))


@pytest.mark.parametrize("prior", PRIORS, ids=lambda p: f"{p.kind}-{p.strength}")
def test_linear_form_is_the_same_estimate(prior):
    rng = np.random.default_rng(1)
    local = rng.random((4, 5)) * 3
    local[2] = 0
    tokens, totals = local.sum(axis=1), np.full((1, 5), 9.0)
    background = prior.background(totals, np.array([45.0]), 5)
    slope, constant, share = prior.linear(tokens, 45.0, 5)
    linear = slope[:, None] * local + constant[:, None] + share[:, None] * background
    np.testing.assert_allclose(linear, prior.smooth(local, tokens, background, np.array([45.0]), 5))


def test_strengths_worth_trying_fit_the_kind():
    assert (Prior("jelinek-mercer").strengths < 1).all()
    assert (np.diff(Prior("dirichlet").strengths) > 0).all()
