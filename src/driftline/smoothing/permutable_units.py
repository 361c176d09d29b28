r"""The smallest p-value that a comparison of two sets of few units can have.

If nothing differs, every assignment of the units to the two sets is as likely as the observed one. Of the :math:`a`
units that only A has and the :math:`b` that only B has, any :math:`a` could be those of A; in each of the :math:`m`
units of both sets, the two parts could be exchanged:

.. math:: D = \binom{a + b}{a} 2^m, \qquad p_{\min} = \begin{cases} 2 / D & a = b \\ 1 / D & \text{otherwise}
          \end{cases}

where the 2 counts the assignment with A and B exchanged, which deviates as much. An exact permutation test cannot have
a smaller p-value, and no approximation may claim one: with 2 and 3 days one assignment in ten is the most extreme, so
no difference between them is significant. A set of one unit is uninformative about the variance between units,
whatever the number of units in the other set.
"""

from __future__ import annotations

from math import exp, lgamma, log
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Ints


class PermutableUnits(NamedTuple):
    """The number of units of each set, and the smallest p-value of their comparison."""

    in_a: int
    in_b: int
    smallest_p: float


def permutable_units(unit: Ints, in_a: Bools, in_b: Bools) -> PermutableUnits:
    """Return the numbers of units of two sets of documents, and the smallest p-value of a comparison (lone unit: one).

    `unit` is the unit of every document.

    >>> unit = np.array([0, 0, 1, 2, 3, 4])
    >>> permutable_units(unit, unit < 2, unit >= 2)
    PermutableUnits(in_a=2, in_b=3, smallest_p=0.1)
    """
    of_a, of_b = np.unique(unit[in_a]), np.unique(unit[in_b])
    both = len(np.intersect1d(of_a, of_b, assume_unique=True))
    only_a, only_b = len(of_a) - both, len(of_b) - both
    if min(len(of_a), len(of_b)) < 2:
        return PermutableUnits(len(of_a), len(of_b), 1.0)
    log_exchanges = lgamma(only_a + only_b + 1) - lgamma(only_a + 1) - lgamma(only_b + 1) + both * log(2)
    smallest = exp(min((log(2) if only_a == only_b else 0.0) - log_exchanges, 0.0))
    return PermutableUnits(len(of_a), len(of_b), float(f"{smallest:.12g}"))
