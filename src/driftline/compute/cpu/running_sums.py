"""Kernel-weighted sums of sparse counts over time, for kernels that running sums can evaluate at any bandwidth.

A word's counts lie at sorted times. With the cumulative count C(t) and the cumulative first moment M(t), the
triangular sum around t is C - (|t| C - M) / h over the two halves of the window: three look-ups for any h. Both
are kept as unevaluated pairs of doubles (Dekker), so the differences do not cancel; where every product is an integer
below 2**53 the plain sums are already exact and the second half is skipped.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit

_SPLITTER = 134217729.0  # 2**27 + 1


@njit(cache=True, nogil=True, inline="always")
def _two_sum(a, b):
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


@njit(cache=True, nogil=True, inline="always")
def _two_product(a, b):
    p = a * b
    x = _SPLITTER * a
    a1 = x - (x - a)
    a2 = a - a1
    y = _SPLITTER * b
    b1 = y - (y - b)
    b2 = b - b1
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


@njit(cache=True, nogil=True)
def _accumulate(start, end, rows, counts, times, exact, prefix):
    """Fill `prefix` with C (high, low) and M (high, low) before each of the entries start..end."""
    c_high = c_low = m_high = m_low = 0.0
    for i in range(start, end):
        j = i - start
        prefix[j, 0], prefix[j, 1], prefix[j, 2], prefix[j, 3] = c_high, c_low, m_high, m_low
        c, t = counts[i], times[rows[i]]
        if exact:
            c_high += c
            m_high += c * t
        else:
            c_high, error = _two_sum(c_high, c)
            c_low += error
            product, tail = _two_product(c, t)
            m_high, error = _two_sum(m_high, product)
            m_low += error + tail
    j = end - start
    prefix[j, 0], prefix[j, 1], prefix[j, 2], prefix[j, 3] = c_high, c_low, m_high, m_low


@njit(cache=True, nogil=True, inline="always")
def _mass(prefix, a, b, exact):
    if exact:
        return prefix[b, 0] - prefix[a, 0]
    high, error = _two_sum(prefix[b, 0], -prefix[a, 0])
    return high + (error + (prefix[b, 1] - prefix[a, 1]))


@njit(cache=True, nogil=True, inline="always")
def _distance(prefix, a, b, t, exact):
    """Return the sum of c (t - s) over the entries a..b."""
    if exact:
        return t * (prefix[b, 0] - prefix[a, 0]) - (prefix[b, 2] - prefix[a, 2])
    c_high, c_error = _two_sum(prefix[b, 0], -prefix[a, 0])
    c_error += prefix[b, 1] - prefix[a, 1]
    m_high, m_error = _two_sum(prefix[b, 2], -prefix[a, 2])
    m_error += prefix[b, 3] - prefix[a, 3]
    product, tail = _two_product(t, c_high)
    high, error = _two_sum(product, -m_high)
    return high + (error + (tail + t * c_error - m_error))


@njit(cache=True, nogil=True, inline="always")
def _window(prefix, low, middle, high, t, bandwidth, triangular, past, exact):
    """Weight the entries low..high around t (middle: the first entry not before t), relative to the kernel's peak."""
    if past:
        if low >= middle:
            return 0.0
        total = _mass(prefix, low, middle, exact)
        if triangular:
            total -= _distance(prefix, low, middle, t, exact) / bandwidth
    else:
        if low >= high:
            return 0.0
        total = _mass(prefix, low, high, exact)
        if triangular:
            total -= _distance(prefix, low, middle, t, exact) / bandwidth
            total += _distance(prefix, middle, high, t, exact) / bandwidth
    return max(total, 0.0)


@njit(cache=True, nogil=True)
def _advance(low, middle, high, start, end, rows, times, t, bandwidth):
    """Move the three pointers of a window to a later time t."""
    while low < end and (t - times[rows[low]]) / bandwidth >= 1.0:
        low += 1
    while middle < end and times[rows[middle]] < t:
        middle += 1
    while high < end and (times[rows[high]] - t) / bandwidth < 1.0:
        high += 1
    return low, max(middle, low), max(high, low)


@njit(cache=True, nogil=True)
def _prefix_table(indptr):
    """Return an empty table of running sums for the longest column."""
    longest = 0
    for w in range(len(indptr) - 1):
        longest = max(longest, indptr[w + 1] - indptr[w])
    return np.empty((longest + 1, 4))


@njit(cache=True, nogil=True)
def sums_on_grid(indptr, rows, counts, times, when, bandwidth, triangular, past, exact):
    """Return the weighted sum of every column at every requested (sorted) time: shape (columns, times)."""
    n_columns, n_when = len(indptr) - 1, len(when)
    result = np.zeros((n_columns, n_when))
    prefix = _prefix_table(indptr)
    for w in range(n_columns):
        start, end = indptr[w], indptr[w + 1]
        if start == end:
            continue
        _accumulate(start, end, rows, counts, times, exact, prefix)
        low = middle = high = start
        for i in range(n_when):
            t = when[i]
            low, middle, high = _advance(low, middle, high, start, end, rows, times, t, bandwidth)
            result[w, i] = _window(
                prefix, low - start, middle - start, high - start, t, bandwidth, triangular, past, exact
            )
    return result


@njit(cache=True, nogil=True)
def sums_on_ticks(indptr, rows, counts, ticks, n_ticks, when, edges, bandwidth, triangular, past):
    """Return the same as `sums_on_grid`, requested times × columns, for whole ticks and whole counts.

    ``ticks[r]`` is the tick of row r; `when` is in ticks too, and ``edges[i]`` contains the first ticks inside the
    window of when[i], not before when[i], and beyond the window. Columns are processed in blocks whose tables stay in
    the cache, and the innermost loops run over columns.
    """
    n_columns, n_when = len(indptr) - 1, len(when)
    result = np.empty((n_when, n_columns))
    width = 128
    mass = np.empty((n_ticks + 1, width))
    moment = np.empty((n_ticks + 1, width))
    for start in range(0, n_columns, width):
        size = min(width, n_columns - start)
        mass[:] = 0.0
        for w in range(size):
            for i in range(indptr[start + w], indptr[start + w + 1]):
                mass[ticks[rows[i]] + 1, w] += counts[i]
        moment[0] = 0.0
        for k in range(n_ticks):
            for w in range(size):
                c = mass[k + 1, w]
                moment[k + 1, w] = moment[k, w] + k * c
                mass[k + 1, w] = mass[k, w] + c
        for i in range(n_when):
            t, low, middle, high = when[i], edges[i, 0], edges[i, 1], edges[i, 2]
            if past:
                high = middle
            for w in range(size):
                before = mass[middle, w] - mass[low, w]
                after = mass[high, w] - mass[middle, w]
                total = before + after
                if triangular:
                    distance = t * (before - after) - (moment[middle, w] - moment[low, w])
                    distance += moment[high, w] - moment[middle, w]
                    total -= distance / bandwidth
                result[i, start + w] = max(total, 0.0)
    return result


@njit(cache=True, nogil=True)
def sums_at_pairs(indptr, rows, counts, times, pair_indptr, pair_times, bandwidth, triangular, past, exact):
    """Return the weighted sum of column w at the (sorted) times pair_times[pair_indptr[w] : pair_indptr[w + 1]]."""
    n_columns = len(indptr) - 1
    result = np.zeros(len(pair_times))
    prefix = _prefix_table(indptr)
    for w in range(n_columns):
        start, end = indptr[w], indptr[w + 1]
        if start == end or pair_indptr[w] == pair_indptr[w + 1]:
            continue
        _accumulate(start, end, rows, counts, times, exact, prefix)
        low = middle = high = start
        for i in range(pair_indptr[w], pair_indptr[w + 1]):
            t = pair_times[i]
            low, middle, high = _advance(low, middle, high, start, end, rows, times, t, bandwidth)
            result[i] = _window(
                prefix, low - start, middle - start, high - start, t, bandwidth, triangular, past, exact
            )
    return result


@njit(cache=True, nogil=True, inline="always")
def _shape(distance, kernel):
    """Evaluate a kernel relative to its peak: 0 uniform, 1 triangular, 2 Epanechnikov, 3 tricube, 4 Gaussian."""
    if kernel == 0:
        return 1.0
    if kernel == 1:
        return 1.0 - distance
    if kernel == 2:
        return (1.0 - distance) * (1.0 + distance)
    if kernel == 3:
        cube = 1.0 - distance * distance * distance
        return cube * cube * cube
    return np.exp(-0.5 * distance * distance)


@njit(cache=True, nogil=True)
def direct_sums_at_pairs(indptr, rows, counts, times, pair_indptr, pair_times, bandwidth, kernel, support, past):
    """Return the same as `sums_at_pairs` for any kernel, by adding up each window."""
    result = np.zeros(len(pair_times))
    for w in range(len(indptr) - 1):
        start, end = indptr[w], indptr[w + 1]
        low = start
        for i in range(pair_indptr[w], pair_indptr[w + 1]):
            t = pair_times[i]
            while low < end and (t - times[rows[low]]) / bandwidth >= support:
                low += 1
            total = 0.0
            for j in range(low, end):
                lag = (t - times[rows[j]]) / bandwidth
                if lag <= -support or (past and lag <= 0.0):
                    break
                total += counts[j] * _shape(abs(lag), kernel)
            result[i] = total
    return result
