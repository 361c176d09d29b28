r"""Kernel-weighted sums of counts over time, :math:`S_w(t) = \sum_\tau K((t-\tau)/h)\, c_{\tau w} / K(0)`.

Weights are relative to the kernel's peak: an observation at :math:`t` itself counts one, so an infinite bandwidth gives
plain totals. Triangular and uniform kernels are evaluated from running sums, at the same cost for any bandwidth; the
others by products with slices of the data (an expansion into global moments would suffer from cancellation).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.matrices import index_arrays
from driftline.smoothing.kernels import KERNEL_NAMES, Kernel

_CHUNK = 64
_EXACT_LIMIT = 2.0**53
_TICKS_PER_TIME = 4
_DENSE_SHARE = 0.05
_CELLS = 4_000_000


def running_sums(counts: Counts, times: Floats, when: Floats, kernel: Kernel, bandwidth: float) -> Floats:
    """Return the weighted sum of every column of `counts` at every requested time, one row per time.

    `counts` is a sparse matrix, one row per time in `times`, which must be sorted; `when` need not be.

    >>> counts = sp.csc_array(np.array([[4.0], [0.0], [2.0]]))
    >>> running_sums(counts, np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0]), Kernel("triangular"), 2.0)
    array([[4.], [3.]])
    """
    when = np.atleast_1d(np.asarray(when, dtype=np.float64))
    order = np.argsort(when, kind="stable")
    sums = _sorted_sums(counts, np.asarray(times, dtype=np.float64), when[order], kernel, bandwidth)
    if np.array_equal(order, np.arange(len(when))):
        return sums
    result = np.empty_like(sums)
    result[order] = sums
    return result


def sums_at_pairs(
    counts: sp.csc_array, times: Floats, pair_indptr: Ints, pair_times: Floats, kernel: Kernel, bandwidth: float
) -> Floats:
    """Return the weighted sums only at the requested (column, time) pairs: memory is that of the pairs.

    Pairs have the layout of a CSC matrix: column w has the sorted times
    ``pair_times[pair_indptr[w] : pair_indptr[w + 1]]``. This suffices for scoring documents and for leave-one-out.
    """
    if np.isinf(bandwidth) and kernel.side == "both":
        totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        return np.repeat(totals, np.diff(pair_indptr))
    pairs = (counts.indptr, counts.indices, counts.data, times, pair_indptr, pair_times, bandwidth)
    past = kernel.side == "past"
    if np.isinf(bandwidth) or kernel.name in ("uniform", "triangular"):
        triangular = kernel.name == "triangular" and np.isfinite(bandwidth)
        found: Floats = current_kernels().running_sums.sums_at_pairs(
            *pairs, triangular, past, _plain_sums_are_exact(counts, times, pair_times)
        )
        return found
    found = current_kernels().running_sums.direct_sums_at_pairs(
        *pairs, KERNEL_NAMES.index(kernel.name), kernel.support, past
    )
    return found


def relative_weights(when: Floats, times: Floats, kernel: Kernel, bandwidth: float) -> Floats:
    """Return the weights themselves, relative to the peak: shape (requested times, times). Dense: for short axes."""
    if np.isinf(bandwidth):
        return kernel.weights(when, times, bandwidth)
    with np.errstate(over="ignore"):
        lag = (np.asarray(when)[:, None] - times) / bandwidth
    return kernel.density(lag) / kernel.peak


def _sorted_sums(counts: Counts, times: Floats, when: Floats, kernel: Kernel, bandwidth: float) -> Floats:
    if np.isinf(bandwidth) and kernel.side == "both":
        totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        return np.tile(totals, (len(when), 1))
    if np.isinf(bandwidth) or kernel.name in ("uniform", "triangular"):
        return _by_running_sums(sp.csc_array(counts), times, when, kernel, bandwidth)
    return _by_products(counts, times, when, kernel, bandwidth)


def _by_products(counts: Counts, times: Floats, when: Floats, kernel: Kernel, bandwidth: float) -> Floats:
    """Multiply the weights of a few times at once with the slice of the data in their support.

    If many counts are not zero, the slice is made dense, one block of columns at a time: dense products are faster.
    """
    result = np.zeros((len(when), counts.shape[1]))
    dense = counts.nnz > _DENSE_SHARE * counts.shape[0] * counts.shape[1]
    width = max(1, _CELLS // max(len(times), 1)) if dense else max(counts.shape[1], 1)
    columns = sp.csc_array(counts)
    reach = kernel.support * bandwidth
    for left in range(0, counts.shape[1], width):
        block = columns[:, left : left + width].toarray() if dense else sp.csr_array(counts)
        for start in range(0, len(when), _CHUNK):
            asked = when[start : start + _CHUNK]
            first = np.searchsorted(times, asked[0] - reach, side="left")
            last = np.searchsorted(times, asked[-1] + reach, side="right")
            if last > first:
                weights = relative_weights(asked, times[first:last], kernel, bandwidth)
                part = weights @ block[first:last] if dense else (block[first:last].T @ weights.T).T
                result[start : start + _CHUNK, left : left + width] = part
    return result


def _by_running_sums(counts: sp.csc_array, times: Floats, when: Floats, kernel: Kernel, bandwidth: float) -> Floats:
    counts.sort_indices()
    data = counts.data.astype(np.float64, copy=False)
    triangular, past = kernel.name == "triangular" and np.isfinite(bandwidth), kernel.side == "past"
    exact = _plain_sums_are_exact(counts, times, when)
    n_ticks = times[-1] - times[0] + 1 if exact and len(times) else np.inf
    if n_ticks <= _TICKS_PER_TIME * max(len(when), len(times)):
        asked = when - times[0]
        reach = _whole_reach(bandwidth)
        edges = np.column_stack([asked - reach, asked, asked + reach + 1]).clip(0, n_ticks).astype(np.int64)
        places = (times - times[0]).astype(np.int64)
        found: Floats = current_kernels().running_sums.sums_on_ticks(
            *index_arrays(counts), data, places, int(n_ticks), asked, edges, bandwidth, triangular, past
        )
        return found
    found = (
        current_kernels()
        .running_sums.sums_on_grid(*index_arrays(counts), data, times, when, bandwidth, triangular, past, exact)
        .T
    )
    return found


def _whole_reach(bandwidth: float) -> float:
    """Return the largest whole distance that is still inside the window, by the kernel's own comparison."""
    reach = min(np.ceil(bandwidth), _EXACT_LIMIT)
    while reach / bandwidth >= 1.0:
        reach -= 1.0
    return float(reach)


def _plain_sums_are_exact(counts: Counts, times: Floats, when: Floats) -> bool:
    """Return whether all products are integers that doubles represent exactly: whole ticks (days) and whole counts."""
    if not counts.nnz:
        return True
    largest = max(np.abs(times).max(initial=0.0), np.abs(when).max(initial=0.0))
    return bool(
        largest * counts.data.sum() < _EXACT_LIMIT
        and np.array_equal(times, np.rint(times))
        and np.array_equal(when, np.rint(when))
        and np.array_equal(counts.data, np.rint(counts.data))
    )
