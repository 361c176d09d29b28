"""Labels of which some are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from driftline.core.arrays import Bools, Ints
from driftline.core.errors import InvalidInput

UNLABELLED = -1


def labelled(y: Any, n: int, classes: Any = None) -> tuple[np.ndarray, Bools]:
    """Return the labels as an array and which documents have one: -1, None and NaN mean that there is none.

    Where -1 is one of the `classes` it is a label. So it is when labels are nothing but -1 and 1, both, and no classes
    are named: these are the customary signs of two classes.

    >>> labelled([0, -1, 2], 3)[1].tolist(), labelled([1, -1, 1], 3)[1].tolist()
    ([True, False, True], [True, True, True])
    """
    if y is None:
        raise InvalidInput("requires y to be passed, but the target y is None; pass one label per document")
    labels = column_or_1d(np.asarray(y), warn=True)
    if len(labels) != n:
        raise InvalidInput(f"there are {n} documents but {len(labels)} labels; pass one label per document")
    if labels.dtype.kind == "O":
        known = np.array([value is not None and value == value for value in labels], dtype=bool)
    elif labels.dtype.kind == "f":
        if np.isinf(labels).any():
            raise InvalidInput("Input y contains infinity; labels are names or whole numbers")
        known = ~np.isnan(labels)
    else:
        known = np.ones(n, dtype=bool)
    if labels.dtype.kind in "ifO":
        named = set(labels[known].tolist()) if classes is None else set(np.asarray(classes).tolist())
        if UNLABELLED not in named or (classes is None and named != {-1, 1}):
            known &= labels != UNLABELLED
    return labels, known


def encode(labels: np.ndarray, known: Bools, classes: Any = None) -> tuple[np.ndarray, Ints]:
    """Return the classes and the number of every known label's class; `classes` may name them beforehand."""
    given = labels[known]
    if given.dtype.kind == "O" and len(given):
        given = np.array(given.tolist())
    if len(given) == 0 and classes is None:
        raise InvalidInput("no document has a label; label at least one document of each of two classes")
    if len(given):
        check_classification_targets(given)
    names = np.unique(given if classes is None else np.asarray(classes))
    numbers = np.searchsorted(names, given) if len(given) else np.empty(0, dtype=np.int64)
    strange = (numbers >= len(names)) | (names[np.minimum(numbers, len(names) - 1)] != given)
    if np.any(strange):
        first = int(np.flatnonzero(known)[np.flatnonzero(strange)[0]])
        raise InvalidInput(
            f"document {first} has the label {labels[[first]].tolist()[0]!r}, which is none of the classes "
            f"{names.tolist()}; name all classes in the first call"
        )
    return names, numbers.astype(np.int64)


def encode_first(labels: np.ndarray, known: Bools, classes: Any = None) -> tuple[np.ndarray, Ints]:
    """Do the same for the first documents of a classifier: there must be a label, and at least two classes."""
    names, codes = encode(labels, known, classes)
    if len(names) < 2:
        raise InvalidInput(
            f"the labels have only one class, {names.tolist()[0]!r}; "
            f"a classifier needs documents of at least two classes"
        )
    if not known.any():
        raise InvalidInput("no document has a label; label at least one document")
    return names, codes
