import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.streams.unit_counts import unit_counts
from tests.oracles.reading_curves import by_unit


def test_rows_with_a_word_are_counted_by_day():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.6, (300, 5))
    times = np.datetime64("2020-01-01") + np.sort(rng.integers(0, 50 * 24, 300)).astype("timedelta64[h]")
    counted = unit_counts(sp.csr_array(X), times=times)
    assert counted.kind == "day"
    days = np.unique(times.astype("datetime64[D]"), return_inverse=True)[1]
    counts, totals = by_unit(X, days)
    np.testing.assert_array_equal(counted.counts.toarray(), counts)
    np.testing.assert_array_equal(counted.totals, totals)
    np.testing.assert_allclose(counted.shares, (X > 0).mean(axis=0))
    np.testing.assert_array_equal(counted.words(np.array([3, 1])).counts.toarray(), counts[:, [3, 1]])


def test_explicit_zeros_are_not_occurrences():
    X = sp.csr_array((np.array([0.0, 2.0]), (np.array([0, 1]), np.array([0, 0]))), shape=(2, 1))
    assert unit_counts(X, times=[0.0, 1.0]).counts.toarray().ravel().tolist() == [0.0, 1.0]


def test_negative_counts_are_refused():
    with pytest.raises(InvalidInput, match="Negative values"):
        unit_counts(sp.csr_array([[-1.0]]), times=[0.0])


def test_a_month_of_dates_without_times_of_day_is_counted_by_day():
    days = np.datetime64("2020-01-01") + np.repeat(np.arange(30), 20)
    X = sp.csr_array(np.ones((600, 1)))
    assert unit_counts(X, times=days).kind == "day"
    assert unit_counts(X, times=days, unit="document").kind == "document"
    few = np.datetime64("2020-01-01") + np.repeat(np.arange(5), 20)
    assert unit_counts(X[:100], times=few).kind == "document"
    apart = np.datetime64("2020-01-01T00:00:00") + (np.arange(30) * 86400).astype("timedelta64[s]")
    assert unit_counts(X[:30], times=apart).kind == "document"
