r"""Comparison of answers by their errors on held-out documents.

Let :math:`a` be the number of held-out documents on which only the standard answer is wrong, and :math:`b` that on
which only another one is wrong. If both were equally good, :math:`a - b` would have mean 0 and standard deviation
:math:`\sqrt{a + b}`. The other answer is clearly better if :math:`a - b > c \sqrt{a + b}` (1); among several such
answers, the one with the fewest errors is taken.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from driftline.core.arrays import Bools

CLEARLY = 1.0
"""Number of standard errors c by which another answer must be better: 0 leaves it to chance, 2 is rarely met."""


def clearly_better(standard: Bools, others: Mapping[str, Bools], by: float = CLEARLY) -> str | None:
    """Return the name of the answer with clearly fewer errors than the standard one, or None; True marks an error.

    `by` is c, the number of standard errors.

    >>> standard = np.array([True, True, True, False, False])
    >>> clearly_better(standard, {"chain": np.zeros(5, dtype=bool), "shares": standard})
    'chain'
    >>> clearly_better(standard, {"chain": np.array([True, True, False, False, False])}) is None
    True
    """
    ahead = {}
    for name, errors in others.items():
        only_standard = int((standard & ~errors).sum())
        only_other = int((errors & ~standard).sum())
        if only_standard - only_other > by * np.sqrt(only_standard + only_other):  # Eq. 1
            ahead[name] = only_standard - only_other
    return max(ahead, key=ahead.__getitem__) if ahead else None
