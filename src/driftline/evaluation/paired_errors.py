"""Test of the difference between two classifiers' errors when the documents of one day are not independent."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

from driftline.core.arrays import Bools, Ints


def paired_p_value(wrong_first: Bools, wrong_second: Bools, unit: Ints) -> float:
    r"""Return the exact two-sided p-value of the difference in errors if the classifiers are equally good.

    In unit :math:`d` (a day) the first makes :math:`D_d` more errors than the second. If the classifiers are equally
    good, whole units may change sign, so :math:`\sum_d D_d` is compared with all :math:`\sum_d \pm D_d`. If every
    document is a separate unit, this is McNemar's exact test.

    >>> first, second = np.array([True] * 8 + [False]), np.array([False] * 8 + [True])
    >>> round(paired_p_value(first, second, np.arange(9)), 3)
    0.039
    >>> paired_p_value(first, second, np.array([0] * 8 + [1]))
    1.0
    """
    difference = np.asarray(wrong_first, dtype=np.int64) - np.asarray(wrong_second, dtype=np.int64)
    by_unit = np.bincount(np.unique(unit, return_inverse=True)[1], weights=difference)
    steps = np.abs(np.rint(by_unit)).astype(np.int64)
    steps = steps[steps > 0]
    reach = int(steps.sum())
    probability = np.ones(1)
    sizes, counts = np.unique(steps, return_counts=True)
    for place in np.argsort(
        -counts, kind="stable"
    ).tolist():  # the largest group first, while the distribution is short
        step, n = int(sizes[place]), int(counts[place])
        # The number of positive signs among units of one size is binomial.
        wider = np.zeros(len(probability) + 2 * step * n)
        for positive, chance in enumerate(binom.pmf(np.arange(n + 1), n, 0.5).tolist()):
            wider[2 * step * positive : 2 * step * positive + len(probability)] += chance * probability
        probability = wider
    sums = np.arange(-reach, reach + 1)
    return float(min(probability[np.abs(sums) >= abs(round(by_unit.sum()))].sum(), 1.0))
