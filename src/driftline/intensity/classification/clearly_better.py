r"""Selection between a combination of models and simpler rules, by errors on held-out documents.

Let :math:`a` be the number of held-out documents on which only the combination is wrong, and :math:`b` that on which
only a simpler rule is wrong. If both were equally good, :math:`a - b` would have mean 0 and standard deviation
:math:`\sqrt{a + b}`. The simpler rule is selected if :math:`a - b > c \sqrt{a + b}` (1); among several, the one with
the fewest errors.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from driftline.core.arrays import Bools

CLEARLY = 1.0
"""Number of standard errors c by which a simpler rule must be better: at 0 chance decides, at 2 it rarely wins."""


def clearly_better(default: Bools, simpler: Mapping[str, Bools]) -> str | None:
    """Return the name of the simpler rule with clearly fewer errors than the default, or None; True marks an error.

    >>> default = np.array([True, True, True, False, False])
    >>> clearly_better(default, {"base": np.zeros(5, dtype=bool), "calibration": default})
    'base'
    >>> clearly_better(default, {"base": np.array([True, True, False, False, False])}) is None
    True
    """
    ahead = {}
    for name, errors in simpler.items():
        only_default = int((default & ~errors).sum())
        only_simpler = int((errors & ~default).sum())
        if only_default - only_simpler > CLEARLY * np.sqrt(only_default + only_simpler):  # Eq. 1
            ahead[name] = only_default - only_simpler
    return max(ahead, key=ahead.__getitem__) if ahead else None
