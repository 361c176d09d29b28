"""Labels as a user has them ↔ codes 0, 1, 2, …, where −1 is a document without a label; classes may be added later."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from driftline.core.arrays import Bools, Ints
from driftline.core.errors import InvalidInput


def labelled_values(y: Any, n: int) -> tuple[np.ndarray, Bools]:
    """Return the labels as an array and which of them are there; None, NaN among strings, and −1 are unlabelled.

    >>> labelled_values(["war", None, "peace"], 3)
    (array(['war', None, 'peace'], dtype=object), array([ True, False,  True]))
    >>> labelled_values([3, -1], 2)
    (array([ 3, -1]), array([ True, False]))
    """
    if y is None:
        return np.full(n, -1), np.zeros(n, dtype=np.bool_)
    values = column_or_1d(_as_array(y), warn=True)
    if len(values) != n:
        raise InvalidInput(f"there are {n} documents but {len(values)} labels; pass one per document, −1 if unknown")
    if values.dtype.kind in "OU":
        missing = [v is None or v != v or (not isinstance(v, str) and v == -1) for v in values.tolist()]
        labelled = ~np.array(missing, dtype=np.bool_)
    else:
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise InvalidInput("Input y contains NaN or infinity; a document without a label has the label −1")
        labelled = values != -1
    if labelled.any():
        check_classification_targets(values[labelled])
    return values, labelled


def sorted_classes(*parts: Any) -> np.ndarray:
    """Return the classes of all parts, once each, in order.

    >>> sorted_classes(np.array(["b"], dtype=object), ["a", "b"])
    array(['a', 'b'], dtype='<U1')
    """
    together: list[Any] = []
    for part in parts:
        together += np.asarray(part).tolist()
    try:
        return np.unique(np.array(sorted(set(together))))
    except TypeError as error:
        raise InvalidInput(f"labels of one kind are needed, all numbers or all strings: {error}") from error


def codes_of(values: np.ndarray, labelled: Bools, classes: np.ndarray) -> Ints:
    """Return the place of every label among the classes, −1 where there is none."""
    codes = np.full(len(values), -1, dtype=np.int64)
    if labelled.any():
        known = np.array(values[labelled].tolist())
        places = np.minimum(np.searchsorted(classes, known), len(classes) - 1)
        strange = classes[places] != known
        if strange.any():
            raise InvalidInput(
                f"the label {known[strange].tolist()[0]!r} is not among the classes {classes.tolist()}; "
                f"leave `classes` out to let new ones in"
            )
        codes[labelled] = places
    return codes


def labelled_accuracy(predicted: np.ndarray, y: Any) -> float:
    """Return the share of labelled documents that were predicted rightly, NaN if none is labelled.

    >>> labelled_accuracy(np.array([1, 0, 1]), [1, 1, -1])
    0.5
    """
    values, labelled = labelled_values(y, len(predicted))
    return float(np.mean(predicted[labelled] == values[labelled])) if labelled.any() else float("nan")


def _as_array(y: Any) -> np.ndarray:
    if hasattr(y, "to_pylist"):  # Arrow
        y = y.to_pylist()
    array = np.asarray(y)
    if array.dtype.kind == "U" and not isinstance(y, np.ndarray):
        # A list such as ["war", -1] became strings; keep what was given.
        array = np.asarray(y, dtype=object)
    return array
