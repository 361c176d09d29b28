"""A check of counts that must be integers, because every token gets a topic."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Counts
from driftline.core.errors import InvalidInput


def check_whole(X: Counts, model: str) -> None:
    """Raise an `InvalidInput` that names the first row with a fractional count.

    >>> import scipy.sparse as sp
    >>> check_whole(sp.csr_matrix([[1.0, 0.0], [0.5, 2.0]]), "HDP")
    Traceback (most recent call last):
    driftline.core.errors.InvalidInput: row 1 has a count of 0.5; HDP gives every token a topic and needs whole numbers
    """
    broken = np.flatnonzero(X.data != np.floor(X.data))
    if len(broken):
        row = int(np.searchsorted(X.indptr, broken[0], side="right")) - 1
        raise InvalidInput(
            f"row {row} has a count of {X.data[broken[0]]:g}; {model} gives every token a topic and needs whole numbers"
        )
