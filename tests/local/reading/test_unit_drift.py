import numpy as np
import pytest
import scipy.sparse as sp

from driftline.local.reading.unit_drift import unit_drift_speed
from driftline.streams.unit_counts import unit_counts

WHEN = np.linspace(5, 195, 39)


def stream(seed=0, step=0.0, shared=0.0, n_words=30):
    """Twenty documents per day for 200 days; the first five words step at day 100, days share events if asked."""
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(200.0), 20)
    rates = np.full((200, n_words), 0.1)
    rates[100:, :5] += step
    if shared:
        rates *= rng.gamma(1 / shared, shared, rates.shape)
    X = rng.random((4000, n_words)) < np.minimum(rates, 1.0)[day.astype(int)]
    return unit_counts(sp.csr_array(X.astype(float)), times=day)


def test_the_slope_is_that_of_the_shares():
    day = np.repeat(np.arange(100.0), 1000)
    rate = (0.2 + 0.004 * day)[:, None]
    X = (np.tile(np.arange(1000.0) / 1000, 100)[:, None] < rate).astype(float)
    found = unit_drift_speed(unit_counts(sp.csr_array(X), times=day), np.array([30.0, 60.0]), bandwidth=15.0)
    np.testing.assert_allclose(found.speed.value, 0.004, rtol=0.01)
    assert found.bandwidth == 15.0


@pytest.mark.parametrize("seed", range(5))
def test_a_step_stands_out_and_nothing_else_does(seed):
    speed = unit_drift_speed(stream(seed, step=0.15), WHEN).speed
    above = speed.lower > speed.noise_floor
    assert above[np.abs(WHEN - 100) < 4].any()
    assert abs(WHEN[np.argmax(speed.lower - speed.noise_floor)] - 100) < 12


@pytest.mark.parametrize("shared", [0.0, 1.0])
def test_days_that_share_events_are_not_drift(shared):
    above = [
        np.mean((s := unit_drift_speed(stream(seed, shared=shared), WHEN).speed).lower > s.noise_floor)
        for seed in range(8)
    ]
    assert np.mean(above) < 0.1


def test_too_few_units_or_no_informative_word():
    counted = stream()
    assert (
        unit_drift_speed(
            counted._replace(times=counted.times[:39], counts=counted.counts[:39], totals=counted.totals[:39]), WHEN
        )
        is None
    )
    always = counted._replace(counts=sp.csc_array(np.tile(counted.totals[:, None], (1, 2))))
    assert unit_drift_speed(always, WHEN) is None


def test_nothing_is_drawn_in_a_hole():
    counted = stream(step=0.1)
    kept = (counted.times < 80) | (counted.times > 130)
    part = counted._replace(
        times=counted.times[kept], counts=sp.csc_array(counted.counts.toarray()[kept]), totals=counted.totals[kept]
    )
    speed = unit_drift_speed(part, WHEN).speed
    np.testing.assert_array_equal(np.isnan(speed.value), (WHEN > 79) & (WHEN < 131))
