from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.sequences import Regimes
from driftline.sequences.regimes import (
    MOST_EVIDENCE,
    _best_fit,
    _chain,
    _evidence,
    _expect,
    _fitted,
    _Problem,
    _series,
)
from driftline.sequences.step_dispersion import clustering_of, dispersions

# The order of the documents is their time, which is what most of these tests mean
pytestmark = pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")


def shares(rng, level, totals, factor):
    """Draw counts whose variance is `factor` times that of binomial ones (beta-binomial)."""
    rho = (factor - 1) / (totals - 1)
    a, b = level * (1 - rho) / rho, (1 - level) * (1 - rho) / rho
    return rng.binomial(totals, rng.beta(a, b))


def test_a_step_is_found_with_its_levels():
    rng = np.random.default_rng(1)
    totals = rng.integers(80, 200, 200)
    level = np.where(np.arange(200) < 120, 0.1, 0.25)
    found = Regimes().fit(rng.binomial(totals, level), totals=totals)
    (row,) = found.changes_.to_pylist()
    assert abs(row["time"] - 120) <= 1
    assert row["earliest"] <= row["time"] <= row["latest"]
    assert row["probability"] > 0.95
    assert row["before_low"] < row["before"] < row["before_high"] < row["after_low"] < row["after"] < row["after_high"]
    assert found.levels_.tolist() == sorted(found.levels_)
    np.testing.assert_allclose(found.probabilities_.sum(axis=1), 1)
    assert found.bic_.argmin() == 1


def test_bands_contain_the_level():
    inside = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        totals = rng.integers(80, 200, 160)
        level = np.where(np.arange(160) < 80, 0.1, 0.25)
        found = Regimes(2).fit(shares(rng, level, totals, 3.0), totals=totals).changes_.to_pylist()
        inside += [
            row[f"{side}_low"] < true < row[f"{side}_high"]
            for row in found[:1]
            for side, true in (("before", 0.1), ("after", 0.25))
        ]
    assert len(inside) == 40
    assert np.mean(inside) > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_overdispersed_shares_without_change_have_none(seed):
    rng = np.random.default_rng(seed)
    totals = rng.integers(80, 200, 300)
    found = Regimes().fit(shares(rng, np.full(300, 0.1), totals, 4.0), totals=totals)
    assert found.changes_.num_rows == 0
    assert 2.5 < found.dispersion_ < 6


def test_without_the_dispersion_there_would_be_false_changes(monkeypatch):
    """The same series, treated as if it were binomial: this is what dividing by the dispersion prevents."""
    rng = np.random.default_rng(0)
    totals = rng.integers(80, 200, 300)
    counts = shares(rng, np.full(300, 0.1), totals, 4.0)
    monkeypatch.setattr("driftline.sequences.regimes.dispersions", lambda series: np.ones(len(series.values)))
    assert Regimes().fit(counts, totals=totals).changes_.num_rows > 5


def test_the_dispersion_is_not_that_of_the_changes():
    rng = np.random.default_rng(2)
    steady = rng.poisson(np.full(400, 30.0))
    turning = rng.poisson(np.where(np.arange(400) % 200 < 100, 30.0, 90.0))
    np.testing.assert_allclose(dispersions(_series(steady, None)), 1, atol=0.35)
    np.testing.assert_allclose(dispersions(_series(turning, None)), 1, atol=0.35)


def test_the_dispersion_is_the_larger_of_two_quantiles_of_squared_standardised_differences():
    counts = np.array([4.0, 9.0, 1.0, 16.0])
    squares = [25 / 13, 64 / 10, 225 / 17]
    np.testing.assert_allclose(dispersions(_series(counts, None)), np.median(squares) / 0.45493642)
    spikes = np.array([10.0, 10.0, 10.0, 10.0, 90.0, 10.0, 10.0, 10.0, 10.0])
    expected = np.quantile([0] * 6 + [64, 64], 0.9) / 2.70554345
    np.testing.assert_allclose(dispersions(_series(spikes, None)), expected)


def test_single_steps_far_from_their_neighbours_are_not_regimes():
    rng = np.random.default_rng(7)
    counts = rng.poisson(20.0, 150).astype(float)
    counts[rng.permutation(150)[:15]] *= 5
    assert Regimes().fit(counts).changes_.num_rows == 0


def test_documents_of_a_step_are_correlated_as_much_as_differences_of_neighbours_say():
    rng = np.random.default_rng(8)
    totals = rng.choice([10, 100, 1000], 600)
    rho = 0.05
    day = rng.beta(0.2 * (1 - rho) / rho, 0.8 * (1 - rho) / rho, 600)
    counts = rng.binomial(totals, day).astype(float)
    found = dispersions(_series(counts, totals))
    np.testing.assert_allclose((found - 1) / (totals - 1), rho, atol=0.015)
    assert np.ptp((found - 1) / (totals - 1)) < 1e-12
    shares, pooled = counts / totals, (counts[1:] + counts[:-1]) / (totals[1:] + totals[:-1])
    variance = found / totals
    squares = np.diff(shares) ** 2 / (pooled * (1 - pooled) * (variance[1:] + variance[:-1]))
    ratios = np.quantile(squares, [0.5, 0.9]) / [0.45493642, 2.70554345]
    assert ratios.max() == pytest.approx(1, abs=1e-3)


def test_a_single_step_with_many_documents_is_not_a_regime():
    """As in mail that was imported in one go: a third of all documents, and hardly any of them with the word."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        totals = rng.integers(20, 60, 80).astype(float)
        counts = rng.binomial(totals.astype(int), rng.beta(4, 16, 80)).astype(float)
        totals[40], counts[40] = 1200.0, 12.0
        assert Regimes().fit(counts, totals=totals).changes_.num_rows == 0


def test_one_step_counts_against_a_level_by_a_bounded_factor():
    series = _series([0.0, 50.0, 0.0], [100.0, 100.0, 0.0])
    logs, trust = _evidence(series, _best_fit(series), np.array([1e-6, 0.5, 1 - 1e-6]))
    assert logs.min() == pytest.approx(-MOST_EVIDENCE, abs=1e-6)
    assert logs.max() <= np.log1p(np.exp(-MOST_EVIDENCE)) + 1e-12
    np.testing.assert_allclose(trust[0], [1 / (1 + np.exp(-MOST_EVIDENCE)), 0, 0], atol=1e-3)
    assert logs[2].tolist() == [0.0] * 3
    assert trust[2].tolist() == [0.0] * 3


def test_levels_are_where_the_bounded_evidence_is_highest():
    """The evidence by enumeration of all paths, and no better levels near those that were found."""
    rng = np.random.default_rng(9)
    series = _series(rng.binomial(40, np.repeat([0.1, 0.4], 4)).astype(float), np.full(8, 40.0))
    levels = _fitted(series, _best_fit(series), 2, 0.99).levels
    centre = series.emissions.together(series.values, np.ones(8))
    problem = _Problem(series, _best_fit(series), _chain(2, 0.99), centre)

    def enumerated(levels):
        logs = _evidence(series, _best_fit(series), levels)[0]
        paths = np.array(list(itertools.product(range(2), repeat=8)))
        moves = np.where(np.diff(paths, axis=1) == 0, np.log(0.99), np.log(0.01)).sum(axis=1)
        return np.logaddexp.reduce(np.log(0.5) + moves + logs[np.arange(8), paths].sum(axis=1))

    best = enumerated(levels)
    assert _expect(levels, problem)[1] == pytest.approx(best, abs=1e-9)
    prior = 0.5 * problem.centre[0, 0], 0.5 * (1 - problem.centre[0, 0])

    def posterior(levels):
        return enumerated(levels) + (prior[0] * np.log(levels) + prior[1] * np.log1p(-levels)).sum()

    for change in ([0.01, 0], [-0.01, 0], [0, 0.01], [0, -0.01]):
        assert posterior(levels + np.array(change)) < posterior(levels)


def test_counts_without_totals_are_levels_per_step():
    rng = np.random.default_rng(3)
    found = Regimes(2).fit(rng.poisson(np.repeat([20.0, 50.0, 20.0], 50)))
    assert found.changes_["time"].to_pylist() == pytest.approx([50, 100], abs=1)
    np.testing.assert_allclose(found.levels_, [20, 50], rtol=0.1)


def test_gaps_are_uninformative():
    rng = np.random.default_rng(4)
    counts = rng.poisson(np.repeat([20.0, 60.0], 60)).astype(float)
    counts[20:30] = np.nan
    assert abs(Regimes().fit(counts).changes_["time"].to_pylist()[0] - 60) <= 1
    totals = np.full(120, 1000.0)
    totals[20:30], counts[20:30] = 0, 0
    assert Regimes().fit(counts, totals=totals).changes_.num_rows == 1


def test_times_may_be_dates_in_any_order():
    rng = np.random.default_rng(5)
    days = np.datetime64("2003-03-01") + np.arange(80)
    counts = rng.poisson(np.repeat([10.0, 40.0], 40))
    order = rng.permutation(80)
    found = Regimes().fit(counts[order], times=days[order])
    assert pa.types.is_timestamp(found.changes_["time"].type)
    assert abs(found.changes_["time"].to_numpy()[0].astype("datetime64[D]") - days[40]) <= np.timedelta64(1, "D")


def test_an_uncertain_change_has_a_wider_interval():
    rng = np.random.default_rng(6)
    clear = Regimes(2).fit(rng.poisson(np.repeat([10.0, 60.0], 50))).changes_.to_pylist()[0]
    vague = Regimes(2).fit(rng.poisson(np.repeat([10.0, 14.0], 50))).changes_.to_pylist()
    assert clear["latest"] - clear["earliest"] <= 1  # the evidence of a single step is bounded
    assert clear["probability"] == 1.0
    assert vague[0]["latest"] - vague[0]["earliest"] > 1


def test_constant_and_short_series():
    assert Regimes().fit([5.0, 5.0, 5.0]).changes_.num_rows == 0
    assert Regimes().fit([3]).levels_.shape == (1,)
    assert Regimes().fit([0, 0, 0], totals=[1, 2, 3]).changes_.num_rows == 0
    assert Regimes().fit([2, 3], totals=[2, 3]).changes_.num_rows == 0


@pytest.mark.parametrize(
    "counts, totals, message",
    [
        ([], None, "the series is empty"),
        ([1, -1], None, "step 1 has the count -1"),
        ([1, np.inf], None, "step 1 has the count inf"),
        ([1, 5], [1, 4], "step 1 has the count 5 of 4"),
        ([1, 5], [9], "2 counts and 1 totals"),
        ([np.nan, 0], [4, 0], "nothing was observed"),
        (["a"], None, "must be numbers"),
        ([[1, 2], [3, 4]], None, "2 dimensions"),
    ],
)
def test_bad_series_are_refused(counts, totals, message):
    with pytest.raises(InvalidInput, match=message):
        Regimes().fit(counts, totals=totals)


def test_more_regimes_than_values_are_refused():
    with pytest.raises(InvalidInput, match="only 2 distinct values"):
        Regimes(3).fit([1, 2, 1])


@pytest.mark.parametrize("size", [1e2, 1e4, 1e6, 1e8])
def test_changes_of_large_counts_are_found(size):
    counts = np.random.default_rng(0).poisson(np.repeat([1.0, 2.0, 1.0], 40) * size)
    found = Regimes().fit(counts)
    assert found.changes_["time"].to_pylist() == [40.0, 80.0]
    np.testing.assert_allclose(found.levels_, [size, 2 * size], rtol=1 / np.sqrt(size))


def correlated(seed, n=300, correlation=0.5):
    """Draw daily counts around one level: an event of several days makes neighbouring days alike."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=n)
    for day in range(1, n):
        noise[day] = correlation * noise[day - 1] + np.sqrt(1 - correlation**2) * noise[day]
    return rng.poisson(30 * np.exp(0.4 * noise))


def test_events_of_several_days_are_hardly_ever_regimes(monkeypatch):
    found = [Regimes().fit(correlated(seed)) for seed in range(8)]
    assert sum(each.changes_.num_rows for each in found) <= 6
    monkeypatch.setattr("driftline.sequences.regimes.clustering_of", lambda *_: 1.0)
    as_independent = [Regimes().fit(correlated(seed)) for seed in range(8)]
    assert sum(each.changes_.num_rows for each in as_independent) > 12
    assert np.mean([each.dispersion_ for each in found]) > 1.5 * np.mean([each.dispersion_ for each in as_independent])


def test_changes_of_level_do_not_count_as_correlation():
    rng = np.random.default_rng(4)
    counts = rng.poisson(np.repeat([15, 45, 15], 60))
    assert Regimes().fit(counts).changes_["time"].to_pylist() == [60, 120]
    assert Regimes().fit(counts).dispersion_ < 1.5


@pytest.mark.parametrize("correlation", [0.3, 0.7])
def test_the_factor_is_that_of_the_variance_of_a_mean(correlation):
    rng = np.random.default_rng(5)
    means, factors = [], []
    for _ in range(60):
        noise = rng.normal(size=500)
        for step in range(1, 500):
            noise[step] = correlation * noise[step - 1] + np.sqrt(1 - correlation**2) * noise[step]
        means.append(noise.mean())
        factors.append(clustering_of(noise, np.ones(500, dtype=bool)))
    assert np.mean(factors) == pytest.approx(500 * np.var(means), rel=0.4)
    assert np.mean(factors) == pytest.approx((1 + correlation) / (1 - correlation), rel=0.1)


def test_gaps_separate_neighbours_and_few_steps_are_independent():
    seen = np.arange(100) % 2 == 0
    assert clustering_of(np.ones(100), seen) == 1
    assert clustering_of(np.linspace(-1, 1, 20), np.ones(20, dtype=bool)) == 1
    assert clustering_of(np.linspace(-1, 1, 200), np.ones(200, dtype=bool)) == pytest.approx(39)
