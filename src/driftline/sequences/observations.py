"""Sequences of numbers, counts or shares: the input of hidden Markov models whose states do not emit words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.sequences.emissions import KINDS

Series: TypeAlias = Sequence[npt.ArrayLike]
"""Sequences of observations before they are checked."""


class Observations(NamedTuple):
    """Observation t is ``values[rows[t]]``, or missing where the row is −1; sequences begin at `offsets`."""

    rows: Ints
    offsets: Ints
    values: Floats


def as_observations(X: Series, kind: str, n_columns: int | None = None) -> Observations:
    """Return sequences of observations of one kind; each sequence is an array of numbers, or of rows of numbers.

    >>> as_observations([[3.0, 1.0, 3.0], [np.nan]], "poisson").rows
    array([ 1,  0,  1, -1])
    """
    if isinstance(X, str | bytes) or not hasattr(X, "__len__"):
        raise InvalidInput(f"X must be a list of sequences of numbers, not {type(X).__name__}")
    if n_columns is None:
        n_columns = KINDS[kind].n_columns
    parts = []
    for number, given in enumerate(X):
        part = _as_part(given, number, kind)
        n_columns = part.shape[1] if n_columns is None and len(part) else n_columns
        if len(part) and part.shape[1] != n_columns:
            raise InvalidInput(
                f"an observation of sequence {number} has {part.shape[1]} numbers, not {n_columns}; "
                f"{kind} emissions are {KINDS[kind].rule}"
            )
        parts.append(part.reshape(-1, n_columns or 1))
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    values = np.concatenate([*parts, np.empty((0, n_columns or 1))])
    missing = np.isnan(values).any(axis=1)
    if kind == "binomial":
        missing |= (values == 0).all(axis=1)
    bad = ~missing & ~KINDS[kind].allowed(values)
    if bad.any():
        first = int(np.argmax(bad))
        sequence = int(np.searchsorted(offsets, first, side="right")) - 1
        raise InvalidInput(
            f"step {first - offsets[sequence]} of sequence {sequence} is {values[first].tolist()}; "
            f"{kind} emissions are {KINDS[kind].rule}"
        )
    rows = np.full(len(values), -1, dtype=np.int64)
    if kind == "gaussian":  # almost all observations differ
        rows[~missing] = np.arange(int((~missing).sum()))
        return Observations(rows, offsets, np.ascontiguousarray(values[~missing]))
    distinct, inverse = np.unique(values[~missing], axis=0, return_inverse=True)
    rows[~missing] = inverse.reshape(-1)
    return Observations(rows, offsets, np.ascontiguousarray(distinct))


def _as_part(given: npt.ArrayLike, number: int, kind: str) -> Floats:
    try:
        part = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"sequence {number} does not consist of numbers ({error})") from error
    if part.ndim not in (1, 2):
        raise InvalidInput(
            f"sequence {number} has {part.ndim} dimensions; pass a list of arrays of numbers, or of rows of numbers"
        )
    if part.ndim == 1 and len(part) and KINDS[kind].n_columns == 2:
        raise InvalidInput(f"sequence {number} has one number per step; {kind} emissions are {KINDS[kind].rule}")
    return part[:, None] if part.ndim == 1 else part
