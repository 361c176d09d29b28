r"""A combination of models is kept unless something simpler errs clearly less on held-out documents.

On held-out documents let the combination alone err on :math:`a` of them and a simpler rule alone on :math:`b`. If both
were equally good, :math:`a - b` would have mean 0 and standard deviation :math:`\sqrt{a + b}`. The simpler rule is
taken if :math:`a - b > c \sqrt{a + b}` (1); among several, the one with the fewest errors.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from driftline.core.arrays import Bools

CLEARLY = 1.0
"""Standard errors c by which a simpler rule has to be better. At 0 chance alone decides, at 2 it hardly ever wins."""


def clearly_better(default: Bools, simpler: Mapping[str, Bools]) -> str | None:
    """Return the name of the simpler rule that errs clearly less than the default, or None; truth values mark errors.

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
