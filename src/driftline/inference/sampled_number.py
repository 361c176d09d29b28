"""A whole number over samples: its median, and the interval that contains 95 % of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class SampledNumber(NamedTuple):
    """The median of a number of clusters or topics over samples and starts, and its central 95 % interval."""

    median: int
    low: int
    high: int

    @classmethod
    def of(cls, numbers: npt.ArrayLike) -> SampledNumber:
        """Summarise samples.

        >>> SampledNumber.of([4, 5, 5, 6, 5])
        SampledNumber(median=5, low=4, high=6)
        """
        low, median, high = np.quantile(np.asarray(numbers), (0.025, 0.5, 0.975), method="nearest")
        return cls(int(median), int(low), int(high))
