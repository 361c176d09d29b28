"""Limits of document frequency for words, by scikit-learn's rules."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TypedDict

import numpy as np

from driftline.core.arrays import Bools, Ints
from driftline.core.errors import InvalidInput


class WordLimits(TypedDict, total=False):
    """The limits that choose the words of a vocabulary."""

    min_df: int | float
    max_df: int | float
    max_features: int | None


def frequent_enough(
    n_documents: Ints,
    n_uses: Ints,
    *,
    total_documents: int,
    min_df: int | float = 1,
    max_df: int | float = 1.0,
    max_features: int | None = None,
) -> Bools:
    """Return a mask of the words to keep, from the number of documents with each and its number of uses.

    A whole number is a number of documents, a fraction a share of them, and both limits are inclusive, as in
    scikit-learn: ``min_df=1`` and ``max_df=1.0`` keep all words. `max_features` then keeps the most used words. Ties
    are broken by NumPy's default sort of the negated numbers, exactly as in scikit-learn; the result may differ between
    processors, so use `min_df` where that matters.

    >>> frequent_enough(np.array([1, 2, 4]), np.array([1, 9, 4]), total_documents=4, min_df=2, max_df=0.75)
    array([False,  True, False])
    """
    check_limits(min_df, max_df, max_features)
    least = min_df if isinstance(min_df, Integral) else min_df * total_documents
    most = max_df if isinstance(max_df, Integral) else max_df * total_documents
    if most < least:
        raise InvalidInput(
            f"max_df={max_df!r} of {total_documents} documents are fewer than min_df={min_df!r}; "
            f"no word would be kept; lower min_df or raise max_df"
        )
    keep = (n_documents >= least) & (n_documents <= most) & (n_documents > 0)
    if max_features is not None and keep.sum() > max_features:
        candidates = np.flatnonzero(keep)
        # The unstable sort is intended: it reproduces scikit-learn's, including ties.
        keep = np.zeros_like(keep)
        keep[candidates[(-n_uses[candidates]).argsort()[:max_features]]] = True
    return keep


def check_limits(min_df: int | float, max_df: int | float, max_features: int | None) -> None:
    """Raise an error if a limit is not a number of documents (an integer ≥ 1), share (0 to 1) or number of words."""
    for name, limit in (("min_df", min_df), ("max_df", max_df)):
        is_number = isinstance(limit, Integral) and not isinstance(limit, bool) and limit >= 1
        is_share = isinstance(limit, Real) and not isinstance(limit, Integral) and 0 <= limit <= 1
        if not (is_number or is_share):
            raise InvalidInput(
                f"{name} must be a number of documents (a whole number from 1) or a share (0.0 to 1.0), not {limit!r}"
            )
    if max_features is not None and (not isinstance(max_features, Integral) or max_features < 1):
        raise InvalidInput(f"max_features must be None or a whole number from 1, not {max_features!r}")
