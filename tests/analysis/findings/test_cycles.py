import numpy as np
import pytest
import scipy.sparse as sp

from driftline.analysis.findings.cycles import curves_without_cycles, describe_cycles, words_with_cycles
from driftline.local.reading.reading_curves import reading_curves
from driftline.streams.unit_counts import unit_counts


@pytest.fixture(scope="module")
def counted():
    """Four years: a word of Decembers that doubles half-way, one of Saturdays, one without a cycle, and "friday"."""
    rng = np.random.default_rng(0)
    day = np.arange(4 * 365)
    dates = np.datetime64("2010-01-01") + day
    month, weekday = dates.astype("datetime64[M]").astype(int) % 12, (dates.astype(int) + 3) % 7
    level = np.where(day < 730, 0.02, 0.04)
    rates = [level * (1 + 7 * (month == 11)), 0.02 + 0.1 * (weekday == 5), np.full(1460, 0.05), 0.3 * (weekday == 4)]
    X = rng.random((1460 * 10, 4)) < np.repeat(np.column_stack(rates), 10, axis=0)
    return unit_counts(sp.csr_array(X.astype(float)), times=np.repeat(dates, 10))


def test_cycles_are_described(counted):
    found = words_with_cycles(counted)
    described = describe_cycles(found, counted, ["holiday", "match", "rain", "friday"])
    assert [(each.word, each.period, each.peak) for each in described] == [
        ("holiday", "year", "December"),
        ("match", "week", "Saturday"),
    ]
    assert described[0].n_blocks == described[0].agreeing == 4
    assert len(described[0].profile) == 12
    assert len(described[1].profile) == 7


def test_curves_are_drawn_without_the_cycle(counted):
    when = np.datetime64("2010-03-01") + np.arange(0, 1300, 13)
    columns = np.array([2, 0, 1])
    found = words_with_cycles(counted)
    plain = reading_curves(counted.words(columns), when=when)
    without = curves_without_cycles(counted.words(columns), columns, when, bandwidth="auto", cycles=found)
    np.testing.assert_array_equal(without.curve.value[0], plain.curve.value[0])
    early, late = when < np.datetime64("2011-11-01"), when > np.datetime64("2012-02-01")
    holiday = without.curve.value[1]
    assert (
        holiday[early].max() / np.median(holiday[early])
        < 2
        < plain.curve.value[1][early].max() / np.median(holiday[early])
    )
    assert 1.5 < np.median(holiday[late]) / np.median(holiday[early]) < 2.6, "the change is left"
    assert without.bandwidth[2] >= 7
