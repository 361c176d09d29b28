"""The parts of a band are the sums of its definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import gamma
from tests.oracles.local_likelihood import band_weights

from driftline.core.errors import InvalidInput
from driftline.smoothing.bands import band_terms, corrected_shares, gamma_band, share_bands, wider
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import relative_weights


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("name", ["triangular", "tricube"])
def test_terms_are_the_sums_over_documents(name, side):
    rng = np.random.default_rng(0)
    times = np.sort(rng.random(30))
    tokens = rng.integers(1, 20, 30).astype(float)
    counts = rng.binomial(tokens.astype(int), 0.3).astype(float)
    kernel, bandwidth, when = Kernel(name, side), 0.2, np.array([0.5, 0.9, 0.31])
    terms = band_terms(times, tokens, tokens * (tokens - 1), when, kernel, bandwidth)
    shares = corrected_shares(sp.csc_array(counts[:, None]), times, when, kernel, bandwidth, terms)
    for i, t in enumerate(when):
        weights = band_weights(times, tokens, t, kernel, bandwidth)
        assert shares[i, 0] == pytest.approx(weights @ counts)
        assert terms.single[i] == pytest.approx(weights**2 @ tokens)
        assert terms.paired[i] == pytest.approx(weights**2 @ (tokens * (tokens - 1)))
        plain = relative_weights(np.array([t]), times, kernel, bandwidth)[0]
        assert terms.effective_size[i] == pytest.approx((plain @ tokens) ** 2 / (plain**2 @ tokens))


def test_many_times_are_the_same_as_few(monkeypatch):
    rng = np.random.default_rng(1)
    times = np.sort(rng.random(50))
    tokens = np.full(50, 5.0)
    when = np.linspace(-0.5, 1.5, 33)
    whole = band_terms(times, tokens, tokens, when, Kernel(), 0.1)
    monkeypatch.setattr("driftline.smoothing.bands._CELLS", 100)
    for part, all_at_once in zip(band_terms(times, tokens, tokens, when, Kernel(), 0.1), whole):
        np.testing.assert_allclose(part, all_at_once)
    assert not whole.supported[0]
    assert whole.supported[16]


def test_jackknife_removes_a_parabola_offline_and_a_trend_online():
    times = np.linspace(0, 1, 4001)
    tokens = np.full(4001, 1000.0)
    for side, path in (("both", 0.1 + 0.2 * times**2), ("past", 0.1 + 0.2 * times)):
        kernel = Kernel("triangular", side)
        counts = sp.csc_array((tokens * path)[:, None])
        terms = band_terms(times, tokens, tokens, np.array([0.5]), kernel, 0.2)
        found = corrected_shares(counts, times, np.array([0.5]), kernel, 0.2, terms)[0, 0]
        assert found == pytest.approx(path[2000], abs=2e-5)
        assert wider(kernel, 1.0) == pytest.approx(np.sqrt(2) if side == "both" else 2)


def test_band_is_the_gamma_quantile_and_defined_at_zero():
    lower, upper = gamma_band(np.array([0.0, 0.2]), np.array([0.01, 0.01]), 0.9)
    np.testing.assert_allclose(upper, 0.01 * gamma.ppf(0.95, [0.5, 20.5]))
    np.testing.assert_allclose(lower, [0.0, 0.01 * gamma.ppf(0.05, 20.5)])
    assert gamma_band(np.array([0.5]), np.array([0.9]))[1] == 1.0


def test_wider_with_dispersion_and_with_level():
    rng = np.random.default_rng(2)
    tokens = np.full(40, 30.0)
    counts = sp.csc_array(rng.binomial(30, 0.2, (40, 1)).astype(float))
    times, when = np.arange(40.0), np.array([20.0])

    def width(dispersion, level):
        pairs = tokens * (tokens - 1)
        _, lower, upper, _ = share_bands(
            counts, tokens, pairs, times, when, Kernel(), 10.0, np.array([dispersion]), level
        )
        return (upper - lower)[0, 0]

    assert width(0.0, 0.5) < width(0.0, 0.95) < width(0.1, 0.95)
    given = (counts, tokens, tokens, times, when, Kernel(), 10.0, np.array([0.0]))
    for default, explicit in zip(share_bands(*given)[:3], share_bands(*given, 0.95)[:3]):
        np.testing.assert_array_equal(default, explicit)


def test_without_support_the_band_says_nothing():
    value, lower, upper, terms = share_bands(
        sp.csc_array(np.ones((2, 1))),
        np.ones(2),
        np.zeros(2),
        np.array([0.0, 1.0]),
        np.array([9.0]),
        Kernel(),
        1.0,
        [0.0],
    )
    assert (value[0, 0], lower[0, 0], upper[0, 0]) == (0.0, 0.0, 1.0)
    assert not terms.supported[0]
    assert terms.effective_size[0] == 0


def test_a_window_with_little_weight_is_supported():
    terms = band_terms(np.array([0.0]), np.ones(1), np.zeros(1), np.array([0.0999]), Kernel("triangular"), 0.1)
    assert 0 < terms.tokens[0] < 1
    assert terms.supported[0]
    assert terms.effective_size[0] == pytest.approx(1.0)


def test_levels_are_checked():
    with pytest.raises(InvalidInput, match="it is 95"):
        gamma_band(0.1, 0.1, 95)
