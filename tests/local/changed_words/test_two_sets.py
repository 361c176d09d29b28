from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from tests.oracles import two_sets as oracle

from driftline.core.errors import InvalidInput
from driftline.local import compare_sets


def stream(seed, *, n_days=40, per_day=6, n_words=12, split=None):
    """Documents on days that share events; word 0 is three times as frequent from the middle on."""
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(n_days), per_day)
    rate = rng.gamma(4, 0.05, (n_days, n_words))[day]
    rate[:, 0] *= np.where(day >= n_days // 2, 3.0, 1.0)
    X = rng.random(rate.shape) < np.minimum(rate, 0.9)
    in_a = day >= n_days // 2 if split is None else rng.random(len(day)) < split
    return sp.csr_array(X.astype(float)), day, in_a


def matches(found, slow):
    assert found.columns.tolist() == list(slow)
    for name, place in (("ratio", 0), ("p_value", 1), ("q_value", 2), ("lower", 3), ("upper", 4)):
        np.testing.assert_allclose(getattr(found, name), [slow[word][place] for word in slow], rtol=1e-7)


@pytest.mark.parametrize("split", [None, 0.5, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_plain_version(seed, split):
    X, day, in_a = stream(seed, split=split)
    found = compare_sets(X, in_a, ~in_a, times=day.astype(float))
    rows = [set(X.indices[X.indptr[i] : X.indptr[i + 1]].tolist()) for i in range(len(day))]
    sides = [[rows[i] for i in np.flatnonzero(side)] for side in (in_a, ~in_a)]
    units = [day[side].tolist() for side in (in_a, ~in_a)]
    matches(found, oracle.compare(*sides, *units, X.shape[1]))


@pytest.mark.parametrize("n_days", [2, 4, 6, 8])
def test_few_units_stay_the_units_and_nothing_is_below_the_smallest_p(n_days):
    """Days share events: of 2 to 4 days per set none can be significant, for any number of documents."""
    X, day, in_a = stream(0, n_days=n_days, per_day=200)
    found = compare_sets(X, in_a, ~in_a, times=day.astype(float))
    assert (found.unit, found.units_a, found.units_b) == ("time", n_days // 2, n_days // 2)
    assert found.smallest_p == pytest.approx(oracle.smallest_p(day[in_a], day[~in_a]))
    assert (found.p_value >= found.smallest_p).all()
    assert not found.differs.any()
    if n_days <= 6:
        assert not found.lower.any()
        assert np.isinf(found.upper).all()
        assert "too few for a claim" in repr(found)


def test_one_day_against_many_claims_nothing():
    X, day, _ = stream(0, n_days=40, per_day=50)
    found = compare_sets(X, day == 0, day > 0, times=day.astype(float))
    assert (found.p_value == 1).all()
    assert not found.differs.any()
    by_document = compare_sets(X, day == 0, day > 0, times=day.astype(float), unit="document")
    assert by_document.unit == "document"
    assert by_document.smallest_p < 1e-20


def test_sets_exchanged_give_the_reciprocal():
    X, day, in_a = stream(1)
    one = compare_sets(X, in_a, ~in_a, times=day.astype(float))
    other = compare_sets(X, ~in_a, in_a, times=day.astype(float))
    np.testing.assert_allclose(one.ratio, 1 / other.ratio)
    np.testing.assert_allclose(one.lower, 1 / other.upper)
    np.testing.assert_allclose(one.q_value, other.q_value)


def test_a_word_of_one_day_does_not_differ():
    X, day, in_a = stream(2, n_words=30)
    X = X.toarray()
    X[:, 1] = 0
    X[day == 30, 1] = 1
    found = compare_sets(sp.csr_array(X), in_a, ~in_a, times=day.astype(float))
    assert found.differs[0]
    assert not found.differs[1]
    assert found.lower[1] < 1 < found.upper[1]


def test_a_word_that_only_one_set_has():
    X, day, in_a = stream(3)
    X = X.toarray()
    X[~in_a, 2] = 0
    found = compare_sets(sp.csr_array(X), in_a, ~in_a, times=day.astype(float))
    assert found.ratio[2] == found.upper[2] == np.inf
    assert 1 < found.lower[2] < np.inf
    assert found.differs[2]
    other = compare_sets(sp.csr_array(X), ~in_a, in_a, times=day.astype(float))
    assert other.ratio[2] == other.lower[2] == 0


@pytest.mark.slow
def test_intervals_cover_and_the_null_is_kept():
    """Days share events: the ratio of word 0 is three, that of the others one."""
    covered, false, some = [], [], []
    for seed in range(60):
        X, day, in_a = stream(100 + seed, n_days=60, per_day=12, n_words=40)
        found = compare_sets(X, in_a, ~in_a, times=day.astype(float))
        true = np.where(found.columns == 0, 3.0, 1.0)
        covered.append((found.lower <= true) & (true <= found.upper))
        false.append((found.differs & (found.columns != 0)).sum() / max(found.differs.sum(), 1))
        some.append(found.differs[found.columns == 0].all())
    assert 0.92 <= np.mean(covered) <= 0.98
    assert np.mean(false) < 0.08
    assert np.mean(some) > 0.9


@pytest.mark.parametrize(
    ("in_a", "in_b", "options", "message"),
    [
        ([True] * 3, [False] * 3, {}, "4 truth values"),
        ([True] * 4, [True] * 4, {}, "document 0 is in both"),
        ([True] * 4, [False] * 4, {}, "set B has no documents"),
        ([True, True, False, False], [False, False, True, True], {"false_discovery_rate": 1.0}, "between 0 and 1"),
    ],
)
def test_bad_input_is_refused(in_a, in_b, options, message):
    with pytest.raises(InvalidInput, match=message):
        compare_sets(sp.csr_array(np.eye(4)), in_a, in_b, **options)


@pytest.mark.parametrize("in_a", [[0, 1, 2, 3], ["a", "a", "b", "b"], [True, None, True, False], [0.5, 1, 0, 0]])
def test_numbers_of_documents_and_labels_are_no_truth_values(in_a):
    with pytest.raises(InvalidInput, match="truth values"):
        compare_sets(sp.csr_array(np.eye(4)), in_a, [False] * 4)


@pytest.mark.parametrize(
    ("X", "message"),
    [(-np.eye(4), "Negative"), (np.full((4, 4), np.nan), "NaN"), (np.arange(4), "2D array")],
)
def test_what_is_not_counts_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        compare_sets(X, [True, True, False, False], [False, False, True, True])


def test_counts_of_every_kind_give_the_same():
    X, day, in_a = stream(0)
    expected = compare_sets(X, in_a, ~in_a, times=day).p_value
    dense = X.toarray()
    for given in (dense.astype(np.float16), dense.astype(">i4"), dense.astype(object), pl.DataFrame(dense)):
        np.testing.assert_array_equal(
            compare_sets(given, in_a.astype(int), pl.Series(~in_a), times=day).p_value, expected
        )


def test_no_frequent_word_no_result():
    found = compare_sets(sp.csr_array(np.eye(4)), [True, True, False, False], [False, False, True, True])
    assert len(found.columns) == len(found.q_value) == 0
