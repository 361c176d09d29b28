"""Confidence interval of an accuracy when the errors of documents of one day are correlated."""

from __future__ import annotations

import numpy as np
from scipy.stats import t

from driftline.core.arrays import Bools, Ints
from driftline.core.confidence_levels import check_level
from driftline.smoothing.grouping import group_sums


def accuracy_interval(right: Bools, unit: Ints, *, level: float = 0.95) -> tuple[float, float]:
    r"""Return Wilson's interval of a share, for the effective number of independent answers in the units (days).

    With deviations :math:`e_i` from the share :math:`\hat p` of :math:`n` answers in :math:`G` units, the design effect
    is :math:`\frac{G}{G-1} \sum_d (\sum_{i \in d} e_i)^2 / (n \hat p (1 - \hat p))`, at least one; :math:`n` is divided
    by it, and the quantile is Student's with :math:`G - 1` degrees of freedom. If all answers are correct or all are
    wrong, the design effect cannot be estimated; the number of units then replaces the number of answers.

    >>> right = np.array([True] * 60 + [False] * 20)
    >>> [round(end, 2) for end in accuracy_interval(right, np.arange(80))]
    [0.64, 0.83]
    >>> [round(end, 2) for end in accuracy_interval(right, np.arange(80) // 10)]
    [0.33, 0.95]
    """
    check_level(level)
    right = np.asarray(right, dtype=np.float64)
    index = np.unique(unit, return_inverse=True)[1]
    n, n_units = len(right), int(index.max(initial=-1)) + 1
    if n_units < 2:
        return 0.0, 1.0
    share = float(right.mean())
    size = float(n_units)
    if 0 < share < 1:
        squares = (group_sums(index, right - share, n_units) ** 2).sum()
        effect = n_units / (n_units - 1) * squares / (n * share * (1 - share))
        size = n / max(effect, 1.0)
    z = float(t.ppf(0.5 + level / 2, n_units - 1))
    centre = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    return max(float(centre - half), 0.0), min(float(centre + half), 1.0)
