"""Coverage of a band: how often it contains the truth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def band_coverage(truth: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike) -> float:
    """Return the share of points at which the truth lies within the band (edges included); NaN and None are ignored.

    >>> band_coverage([1.0, 2.0, 3.0, 4.0], [0, 0, 0, 5], [2, 2, 2, 6])
    0.5
    """
    truth, lower, upper = np.broadcast_arrays(
        *(np.asarray(values, dtype=np.float64) for values in (truth, lower, upper))
    )
    drawn = ~(np.isnan(truth) | np.isnan(lower) | np.isnan(upper))
    return float(np.mean(((lower <= truth) & (truth <= upper))[drawn])) if drawn.any() else float("nan")
