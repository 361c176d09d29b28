"""Running sums agree with adding up every weighted count."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.local_likelihood import weighted_sums

from driftline.compute import current_kernels
from driftline.smoothing.kernels import KERNEL_NAMES, Kernel
from driftline.smoothing.running_sums import relative_weights, running_sums, sums_at_pairs

BANDWIDTHS = (0.5, 1.0, 7.3, 400.0, 1e12, np.inf)


def _data(whole: bool, seed: int = 0):
    rng = np.random.default_rng(seed)
    if whole:
        times = np.sort(rng.choice(90, 40, replace=False)) + 12_000.0
        when = np.concatenate([times[:5], rng.integers(11_950, 12_150, 20).astype(float)])
    else:
        times = np.sort(rng.random(40) * 90 + 12_000)
        when = np.concatenate([times[:5], rng.random(20) * 200 + 11_950])
    counts = sp.csc_array(np.where(rng.random((40, 7)) < 0.4, rng.random((40, 7)), 0.0))
    counts.data = np.ceil(counts.data * 5) if whole else counts.data * 3
    return counts, times, when


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_equal_to_the_definition(name, side, whole):
    counts, times, when = _data(whole)
    kernel = Kernel(name, side)
    for bandwidth in BANDWIDTHS:
        found = running_sums(counts, times, when, kernel, bandwidth)
        expected = weighted_sums(counts.toarray(), times, when, kernel, bandwidth)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
        weights = relative_weights(when, times, kernel, bandwidth)
        np.testing.assert_allclose(weights @ counts.toarray(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_pairs_are_entries_of_the_whole(name, side):
    counts, times, when = _data(whole=False)
    kernel = Kernel(name, side)
    asked = np.sort(when)
    wanted = sp.csc_array(np.random.default_rng(1).random((len(asked), counts.shape[1])).round())
    for bandwidth in BANDWIDTHS:
        dense = running_sums(counts, times, asked, kernel, bandwidth)
        found = sums_at_pairs(counts, times, wanted.indptr, asked[wanted.indices], kernel, bandwidth)
        columns = np.repeat(np.arange(counts.shape[1]), np.diff(wanted.indptr))
        np.testing.assert_allclose(found, dense[wanted.indices, columns], rtol=1e-12, atol=1e-12)


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=12, unique=True),
    st.lists(st.integers(0, 9), min_size=12, max_size=12),
    st.integers(1, 40),
)
@settings(max_examples=60, deadline=None)
def test_whole_days_are_exact(days, counts, bandwidth):
    times = np.array(sorted(days), dtype=float)
    column = np.array(counts[: len(times)], dtype=float)[:, None]
    for side in ("both", "past"):
        kernel = Kernel("triangular", side)
        found = running_sums(sp.csc_array(column), times, times, kernel, float(bandwidth))
        expected = weighted_sums(column, times, times, kernel, float(bandwidth))
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-13)


def test_no_cancellation_far_from_the_origin():
    """Seconds since 1970 and a bandwidth of milliseconds: sums of a million before must not drown the last one."""
    times = np.concatenate([np.linspace(0, 1, 1000), [1.7e9, 1.7e9 + 2e-3]])
    counts = sp.csc_array(np.concatenate([np.full(1000, 1e6), [1.0, 3.0]])[:, None])
    found = running_sums(counts, times, times[-1:], Kernel("triangular"), 4e-3)
    lag = times[-1] - times[-2]
    np.testing.assert_allclose(found, [[3 + 1 - lag / 4e-3]], rtol=1e-12)


def test_no_data_near_and_no_data():
    counts = sp.csc_array(np.array([[2.0], [1.0]]))
    times = np.array([0.0, 1.0])
    for name in KERNEL_NAMES:
        assert running_sums(counts, times, np.array([1e9, -1e9]), Kernel(name), 1.0).tolist() == [[0.0], [0.0]]
        assert running_sums(counts, times, np.empty(0), Kernel(name), 1.0).shape == (0, 1)
    assert running_sums(sp.csc_array((2, 0)), times, times, Kernel(), 1.0).shape == (2, 0)
    assert running_sums(sp.csc_array((2, 3)), times, times, Kernel(), 1.0).sum() == 0


def test_underflowing_distances_weigh_nothing():
    counts = sp.csc_array(np.array([[2.0], [1.0]]))
    times = np.array([0.0, 1.0])
    for name in KERNEL_NAMES:
        found = running_sums(counts, times, times, Kernel(name), 1e-300)
        np.testing.assert_allclose(found, [[2.0], [1.0]])


def test_dense_and_sparse_products_agree(monkeypatch):
    counts, times, when = _data(whole=False, seed=3)
    kernel = Kernel("tricube")
    monkeypatch.setattr("driftline.smoothing.running_sums._CELLS", 100)
    dense = running_sums(counts, times, when, kernel, 20.0)
    monkeypatch.setattr("driftline.smoothing.running_sums._DENSE_SHARE", 1.0)
    np.testing.assert_allclose(dense, running_sums(counts, times, when, kernel, 20.0), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("whole", [True, False])
def test_kernels_are_not_compiled_again_for_wide_indices(whole):
    counts, times, when = _data(whole)
    wide = counts.copy()
    wide.indices, wide.indptr = counts.indices.astype(np.int64), counts.indptr.astype(np.int64)
    kernel = Kernel("uniform")
    first = running_sums(counts, times, np.sort(when), kernel, 7.0)
    compiled = current_kernels().running_sums
    before = [len(function.signatures) for function in (compiled.sums_on_grid, compiled.sums_on_ticks)]
    assert np.array_equal(running_sums(wide, times, np.sort(when), kernel, 7.0), first)
    assert [len(function.signatures) for function in (compiled.sums_on_grid, compiled.sums_on_ticks)] == before
