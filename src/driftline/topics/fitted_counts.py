"""Counts of documents to which a fitted topic model is applied."""

from __future__ import annotations

import scipy.sparse as sp

from driftline.base.checked_matrices import checked_counts
from driftline.core.arrays import Counts, Matrix
from driftline.core.errors import InvalidInput


def counts_for(model: object, X: Matrix | None, caller: str) -> Counts:
    """Return documents × words for the topics of a model, checked; errors name the caller.

    >>> import numpy as np
    >>> class Known:
    ...     components_ = np.eye(2)
    >>> counts_for(Known, [[0, 2, 1]], "coverage")
    Traceback (most recent call last):
    driftline.core.errors.InvalidInput: the counts have 3 columns but the topics 2; pass the counts that ...
    """
    components = getattr(model, "components_", None)
    if components is None:
        raise InvalidInput(f"{type(model).__name__} has no topics (components_); pass a fitted topic model")
    if X is None:
        raise InvalidInput(f"{caller} needs the counts of the documents; pass documents × words as X")
    counts = sp.csr_array(checked_counts(X, caller))
    if counts.shape[1] != components.shape[1]:
        raise InvalidInput(
            f"the counts have {counts.shape[1]} columns but the topics {components.shape[1]}; "
            f"pass the counts that the model was fitted to"
        )
    return counts
