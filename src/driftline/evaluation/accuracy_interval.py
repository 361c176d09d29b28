"""Confidence interval of an accuracy when the errors of documents of one day are correlated."""

from __future__ import annotations

import numpy as np
from scipy.stats import t

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.confidence_levels import check_level
from driftline.smoothing.unit_mean import mean_errors


def accuracy_interval(right: Bools, unit: Ints, *, level: float = 0.95) -> tuple[float, float]:
    r"""Return Wilson's interval of a share, for the effective number of independent answers in the units (days).

    The variance :math:`V` of the share :math:`\hat p`, with whole units as independent, and the degrees of freedom of
    Student's quantile are those of `driftline.smoothing.unit_mean`: a few days that have most of the documents count
    as a few. The effective number of answers is :math:`\hat p (1 - \hat p) / V`, at most their number. If all answers
    are correct or all are wrong, the variance cannot be estimated; the number of units then replaces the number of
    answers.

    >>> right = np.array([True] * 60 + [False] * 20)
    >>> [round(end, 2) for end in accuracy_interval(right, np.arange(80))]
    [0.64, 0.83]
    >>> [round(end, 2) for end in accuracy_interval(right, np.arange(80) // 10)]
    [0.31, 0.95]
    """
    check_level(level)
    answers: Floats = np.asarray(right, dtype=np.float64)
    errors = mean_errors(answers, unit)
    if errors is None:
        return 0.0, 1.0
    share = float(answers.mean())
    size = float(len(np.unique(unit)))
    freedom = size - 1
    if 0 < share < 1:
        size = min(share * (1 - share) / max(float(errors.error[0]) ** 2, 1e-300), float(len(answers)))
        freedom = float(errors.freedom[0])
    z = float(t.ppf(0.5 + level / 2, freedom))
    centre = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    return max(float(centre - half), 0.0), min(float(centre + half), 1.0)
