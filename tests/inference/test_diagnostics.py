from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.diagnostics import diagnose, halves, normal_scores
from tests.oracles.chain_diagnostics import bulk_size, rank_normalised_r_hat, size, split, tail_size


def autoregressive(rng, phi, shape):
    noise = rng.normal(size=shape)
    found = noise.copy()
    for t in range(1, shape[1]):
        found[:, t] = phi * found[:, t - 1] + noise[:, t]
    return found


def cases():
    rng = np.random.default_rng(5)
    return {
        "sluggish": autoregressive(rng, 0.9, (4, 200)),
        "alternating": autoregressive(rng, -0.5, (2, 150)),
        "one chain, odd": autoregressive(rng, 0.3, (1, 61)),
        "heavy tails": rng.standard_cauchy((3, 100)),
        "apart": autoregressive(rng, 0.5, (4, 100)) + np.arange(4)[:, None],
        "other spread": rng.normal(size=(2, 80)) * np.array([[1], [5]]),
        "ties": rng.poisson(2, (2, 40)).astype(float),
        "short": rng.normal(size=(2, 8)),
    }


@pytest.mark.parametrize("name", cases())
def test_equals_the_formulas(name):
    draws = cases()[name]
    found = diagnose(draws)
    chains = draws.tolist()
    assert found.r_hat == pytest.approx(rank_normalised_r_hat(chains), rel=1e-9)
    assert found.ess_bulk == pytest.approx(bulk_size(chains), rel=1e-9)
    assert found.ess_tail == pytest.approx(tail_size(chains, np.quantile(draws, [0.05, 0.95])), rel=1e-9)


ARVIZ = {
    "sluggish": (1.1853583991041001, 22.54880866358092, 129.04968395216864),
    "alternating": (0.9984709534066145, 743.1363764158988, 339.7140834102017),
    "heavy tails": (1.01775201079746, 222.39767811971902, 261.1664363795887),
    "apart": (1.3598396172006415, 10.183634706437003, 120.41918829456539),
    "other spread": (1.4700770553060656, 165.54588739453533, 96.16130283055442),
    "ties": (0.9900894787731385, 73.43869354227094, 89.35920047031159),
    "short": (1.5476798775009868, 19.265919722494797, 19.265919722494797),
}
"""What ArviZ 0.20.0 (`rhat(method="rank")`, `ess(method="bulk")`, `ess(method="tail")`) gives for the same draws."""


@pytest.mark.parametrize("name", ARVIZ)
def test_equals_arviz(name):
    np.testing.assert_allclose(diagnose(cases()[name]), ARVIZ[name], rtol=1e-8)


def test_one_chain_has_the_size_that_arviz_gives_it():
    # ArviZ gives no R̂ for one chain, and its quantiles of 61 draws differ from a draw by rounding
    assert diagnose(cases()["one chain, odd"]).ess_bulk == pytest.approx(33.04093598605592, rel=1e-8)


def test_a_drift_within_one_chain_shows():
    noise = np.random.default_rng(0).normal(size=400)
    assert diagnose(noise).r_hat < 1.05
    assert diagnose(noise + np.linspace(0, 10, 400)).r_hat > 1.5


def test_a_difference_in_spread_alone_shows():
    rng = np.random.default_rng(0)
    assert diagnose(rng.normal(size=(2, 500)) * np.array([[1.0], [10.0]])).r_hat > 1.3


def test_the_size_of_an_autoregression_is_known():
    # an AR(1) of parameter φ is worth n (1 - φ) / (1 + φ) independent draws
    draws = autoregressive(np.random.default_rng(1), 0.8, (4, 20_000))
    assert diagnose(draws).ess_bulk == pytest.approx(80_000 / 9, rel=0.1)


@pytest.mark.parametrize("draws", [[], [1.0], [1.0, 2.0, 3.0], [2.0] * 8, [1.0, 2.0, np.nan, 3.0, 1.0]])
def test_too_little_to_tell(draws):
    assert np.isnan(diagnose(draws)).all()


def test_four_draws_are_enough_to_tell():
    assert np.isfinite(diagnose([1.0, 3.0, 2.0, 5.0])).all()


def test_a_tail_that_every_draw_reaches_counts_in_full():
    """The 95 % quantile of draws of 0 and 1 is 1, which all of them reach: only the lower tail limits the size."""
    draws = np.random.default_rng(3).integers(0, 2, (2, 40)).astype(float)
    lower = size([[float(value <= 0) for value in chain] for chain in split(draws.tolist())])
    assert diagnose(draws).ess_tail == pytest.approx(min(lower, 80.0), rel=1e-9)


def test_halves_that_do_not_vary_but_differ_are_infinitely_far_apart():
    assert diagnose([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]).r_hat == np.inf


def test_the_ranks_are_those_of_all_chains_together():
    found = normal_scores(np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert (np.diff(found.ravel()) > 0).all()
    np.testing.assert_allclose(found, -found[::-1, ::-1])
    assert halves(np.arange(6.0)[None]).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("n", range(8, 31))
def test_short_chains_that_mix_badly_equal_the_formulas(n):
    draws = np.cumsum(np.random.default_rng(n).normal(size=(2, n)), axis=1)
    assert diagnose(draws).ess_bulk == pytest.approx(bulk_size(draws.tolist()), rel=1e-9)


def test_draws_at_one_distance_from_their_median_do_not_differ_in_spread():
    draws = np.where(np.random.default_rng(0).permuted(np.tile([0, 1], (2, 50)), axis=1), 1.0, -1.0)
    assert diagnose(draws).r_hat < 1.1
