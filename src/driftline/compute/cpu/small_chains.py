"""The recursions of `markov` for chains of at most four states and one matrix, whose numbers fit into registers.

Fewer states are filled up with states of likelihood zero. The results are those of the general loops, up to the order
of the sums. Messages are scaled only when they leave a range around one, so that the next step need not wait for a
division.
"""

import numpy as np

from driftline.compute.jit import njit

MOST_STATES = 4
TINY = 1e-300
LEAST, MOST = 1e-15, 1e15
"""Range of the sum of a message in which it is not scaled."""


@njit(cache=True, nogil=True)
def four(row):
    """Return the entries of a row of at most four, with zeros behind."""
    n = len(row)
    return row[0], row[1] if n > 1 else 0.0, row[2] if n > 2 else 0.0, row[3] if n > 3 else 0.0


@njit(cache=True, nogil=True)
def _put(row, a, b, c, d):
    n = len(row)
    row[0] = a
    if n > 1:
        row[1] = b
    if n > 2:
        row[2] = c
    if n > 3:
        row[3] = d


@njit(cache=True, nogil=True)
def _sixteen(matrix):
    found = np.zeros((MOST_STATES, MOST_STATES))
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            found[i, j] = matrix[i, j]
    return found


@njit(cache=True, nogil=True)
def filter_small(likelihood, entering, moves_first, matrix, filtered):
    """Filter a block of steps; return the logarithm of its evidence."""
    m = _sixteen(matrix)
    m00, m01, m02, m03 = m[0, 0], m[0, 1], m[0, 2], m[0, 3]
    m10, m11, m12, m13 = m[1, 0], m[1, 1], m[1, 2], m[1, 3]
    m20, m21, m22, m23 = m[2, 0], m[2, 1], m[2, 2], m[2, 3]
    m30, m31, m32, m33 = m[3, 0], m[3, 1], m[3, 2], m[3, 3]
    e0, e1, e2, e3 = four(entering)
    evidence = 0.0
    for t in range(len(likelihood)):
        if t > 0 or moves_first:
            s0 = e0 * m00 + e1 * m10 + e2 * m20 + e3 * m30
            s1 = e0 * m01 + e1 * m11 + e2 * m21 + e3 * m31
            s2 = e0 * m02 + e1 * m12 + e2 * m22 + e3 * m32
            s3 = e0 * m03 + e1 * m13 + e2 * m23 + e3 * m33
        else:
            s0, s1, s2, s3 = e0, e1, e2, e3
        l0, l1, l2, l3 = four(likelihood[t])
        s0, s1 = max(s0, TINY) * l0, max(s1, TINY) * l1
        s2, s3 = max(s2, TINY) * l2, max(s3, TINY) * l3
        total = s0 + s1 + s2 + s3
        share = 1.0 / total
        _put(filtered[t], s0 * share, s1 * share, s2 * share, s3 * share)
        if LEAST < total < MOST:
            e0, e1, e2, e3 = s0, s1, s2, s3
        else:
            evidence += np.log(total)
            e0, e1, e2, e3 = s0 * share, s1 * share, s2 * share, s3 * share
    return evidence + np.log(e0 + e1 + e2 + e3)


@njit(cache=True, nogil=True)
def backward_small(filtered, likelihood, entering, moves_first, matrix, message, moves):
    """Turn `filtered` into p(s_t | all data), last step first; add expected transitions to `moves`, if not empty."""
    n, size = filtered.shape
    m, joint = _sixteen(matrix), np.zeros((MOST_STATES, MOST_STATES))
    m00, m01, m02, m03 = m[0, 0], m[0, 1], m[0, 2], m[0, 3]
    m10, m11, m12, m13 = m[1, 0], m[1, 1], m[1, 2], m[1, 3]
    m20, m21, m22, m23 = m[2, 0], m[2, 1], m[2, 2], m[2, 3]
    m30, m31, m32, m33 = m[3, 0], m[3, 1], m[3, 2], m[3, 3]
    count = moves.shape[0] > 0
    r0, r1, r2, r3 = four(message)
    for t in range(n - 1, -1, -1):
        l0, l1, l2, l3 = four(likelihood[t])
        b0, b1, b2, b3 = l0 * r0, l1 * r1, l2 * r2, l3 * r3
        f0, f1, f2, f3 = four(filtered[t])
        f0, f1, f2, f3 = f0 * r0, f1 * r1, f2 * r2, f3 * r3
        share = 1.0 / (f0 + f1 + f2 + f3)
        _put(filtered[t], f0 * share, f1 * share, f2 * share, f3 * share)
        if t == 0 and not moves_first:
            continue
        r0 = m00 * b0 + m01 * b1 + m02 * b2 + m03 * b3
        r1 = m10 * b0 + m11 * b1 + m12 * b2 + m13 * b3
        r2 = m20 * b0 + m21 * b1 + m22 * b2 + m23 * b3
        r3 = m30 * b0 + m31 * b1 + m32 * b2 + m33 * b3
        p0, p1, p2, p3 = four(filtered[t - 1]) if t > 0 else four(entering)
        agreement = p0 * r0 + p1 * r1 + p2 * r2 + p3 * r3
        if agreement <= 0:  # the data contradict the matrix here: later steps are uninformative about earlier ones
            r0, r1, r2, r3 = 1.0, 1.0, 1.0, 1.0
            continue
        if count:
            share = 1.0 / agreement
            b0, b1, b2, b3 = b0 * share, b1 * share, b2 * share, b3 * share
            joint[0, 0] += p0 * b0
            joint[0, 1] += p0 * b1
            joint[0, 2] += p0 * b2
            joint[0, 3] += p0 * b3
            joint[1, 0] += p1 * b0
            joint[1, 1] += p1 * b1
            joint[1, 2] += p1 * b2
            joint[1, 3] += p1 * b3
            joint[2, 0] += p2 * b0
            joint[2, 1] += p2 * b1
            joint[2, 2] += p2 * b2
            joint[2, 3] += p2 * b3
            joint[3, 0] += p3 * b0
            joint[3, 1] += p3 * b1
            joint[3, 2] += p3 * b2
            joint[3, 3] += p3 * b3
        total = r0 + r1 + r2 + r3
        if not LEAST < total < MOST:
            share = size / total
            r0, r1, r2, r3 = r0 * share, r1 * share, r2 * share, r3 * share
    share = size / (r0 + r1 + r2 + r3)
    _put(message, r0 * share, r1 * share, r2 * share, r3 * share)
    if count:
        for i in range(size):
            for j in range(size):
                moves[0, i, j] += joint[i, j] * matrix[i, j]
