import numpy as np
import pytest

from driftline.analysis.curve_times import grid
from driftline.analysis.findings.volume import certain_peak, documents_per_day
from driftline.analysis.shown_curves import no_curve
from driftline.evaluation import band_coverage


def poisson_times(rng, rate, n_days):
    counts = rng.poisson(rate, size=n_days)
    days = np.repeat(np.arange(n_days), counts) + rng.random(counts.sum())
    return np.datetime64("2020-01-01", "us") + (days * 86400e6).astype("timedelta64[us]")


def test_constant_rate_is_found_and_covered():
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(20):
        times = poisson_times(rng, 12.0, 300)
        curve = documents_per_day(times, grid(times, 60))
        assert curve.value.mean() == pytest.approx(12, rel=0.1)
        covered.append(band_coverage(np.full(60, 12.0), curve.lower, curve.upper))
    assert 0.9 <= np.mean(covered) <= 0.995


def test_clumped_counts_widen_the_band():
    rng = np.random.default_rng(1)
    calm = poisson_times(rng, 12.0, 300)
    clumped = poisson_times(rng, rng.gamma(1.0, 12.0, 300), 300)
    width = [np.mean(c.upper - c.lower) for c in (documents_per_day(t, grid(t, 50)) for t in (calm, clumped))]
    assert width[1] > 2 * width[0]


def test_one_document_and_one_instant():
    times = np.array(["2020-01-01T12:00"], dtype="datetime64[us]")
    for given in (times, np.repeat(times, 5)):
        curve = documents_per_day(given, grid(given, 50))
        assert np.isfinite(curve.value).all()
        assert (curve.lower <= curve.value).all()
        assert (curve.value <= curve.upper).all()


def test_volume_adds_up_to_the_documents():
    rng = np.random.default_rng(2)
    times = poisson_times(rng, np.linspace(1, 30, 200), 200)
    curve = documents_per_day(times, grid(times, 400))
    assert np.trapezoid(curve.value, dx=(times.max() - times.min()) / np.timedelta64(1, "D") / 399) == pytest.approx(
        len(times), rel=0.05
    )


def test_before_and_after_the_documents_the_volume_is_zero():
    times = np.arange("2020-03-01", "2020-04-01", dtype="datetime64[D]").astype("datetime64[us]")
    when = np.array(["2020-01-01", "2020-03-15", "2020-06-01"], dtype="datetime64[us]")
    curve = documents_per_day(times, when)
    np.testing.assert_allclose(curve.value, [0, 1, 0], atol=0.05)
    assert (curve.upper > 0).all()


def test_a_last_bin_that_is_hardly_begun_does_not_pull_the_end_down():
    hours = np.arange(0, 24 * 101 + 2)  # the bins are a day long; the last covers two hours
    times = np.datetime64("2020-01-01", "us") + hours * np.timedelta64(1, "h")
    found = documents_per_day(times, times[[1200, -1]])
    assert found.value == pytest.approx([24, 24], rel=0.02)


@pytest.mark.parametrize(("peak", "least", "most"), [(6.0, 0, 2), (12.0, 18, 20)])
def test_the_highest_volume_is_certain_only_where_it_stands_out(peak, least, most):
    """Without a peak the largest of many values is above the mean by more than its band in most streams."""
    rng = np.random.default_rng(3)
    found = above_band = 0
    for _ in range(20):
        times = poisson_times(rng, np.where(np.abs(np.arange(700) - 300) < 10, peak, 6.0), 700)
        curve = documents_per_day(times, grid(times, 160))
        found += certain_peak(curve) is not None
        above_band += curve.lower[curve.value.argmax()] > curve.value.mean()
    assert least <= found <= most
    assert above_band > 10


def test_no_volume_has_no_peak():
    assert certain_peak(no_curve()) is None
    times = np.repeat(np.array(["2020-01-01T12:00"], dtype="datetime64[us]"), 5)
    assert certain_peak(documents_per_day(times, grid(times, 50))) is None


def test_the_rate_is_not_finer_than_the_precision_of_the_dates():
    """Documents of a day, month or year that all have its first moment are not those of that moment."""
    for dates, n, length in [
        (["2025-04-18", "2025-04-25"], 600, 1.0),
        ([f"{year}-{month:02}-01" for year in (2021, 2022) for month in range(1, 13)], 50, 365.25 / 12),
        ([f"{year}-01-01" for year in range(2000, 2020)], 100, 365.25),
    ]:
        times = np.repeat(np.array(dates, "datetime64[us]"), n)
        rates = length * documents_per_day(times, np.unique(times)).value
        assert rates.max() <= 1.05 * n
        if len(dates) > 2:
            assert rates.min() >= 0.95 * n
