"""Labels of documents, some of which are missing: masks, classes, and codes.

A document without a label has −1, None or NaN. Classes are kept sorted, and the code of a label is its index among
them: 0, 1, 2, …, with −1 for unlabelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Bools, Ints, Labels
from driftline.core.errors import InvalidInput

UNLABELLED = -1
_SEVERAL_KINDS = "labels of one kind are needed, all numbers or all strings"


def labelled_values(
    y: Labels | None, n: int, *, classes: Labels | None = None, signs: bool = False
) -> tuple[np.ndarray, Bools]:
    """Return the labels as an array, and a mask of the documents that have one: not −1, None or NaN.

    If −1 is one of the `classes`, it is a label. With `signs` and without classes it is one, too, if the labels are
    exactly −1 and 1: these are the customary signs of two classes. Without `y` no document has a label.

    >>> labelled_values(["war", None, "peace"], 3)
    (array(['war', None, 'peace'], dtype=object), array([ True, False,  True]))
    >>> labelled_values([1, -1, 1], 3)[1].tolist(), labelled_values([1, -1, 1], 3, signs=True)[1].tolist()
    ([True, False, True], [True, True, True])
    """
    # scikit-learn takes a second to import, and reading a stream does not need it
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import column_or_1d

    if y is None:
        return np.full(n, UNLABELLED), np.zeros(n, dtype=np.bool_)
    values = column_or_1d(_as_array(y), warn=True)
    if len(values) != n:
        raise InvalidInput(f"there are {n} documents but {len(values)} labels; pass one per document, −1 if unknown")
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise InvalidInput("Input y contains infinity; labels are names or whole numbers, −1 if unknown")
    known = _is_present(values)
    if not _names_minus_one(values[known], classes, signs):
        known = is_known(values)
    if known.any():
        try:
            check_classification_targets(plain_labels(values[known]))
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"{error} Labels are names or whole numbers, −1 if unknown.") from error
    return values, known


def is_known(values: np.ndarray) -> Bools:
    """Return a mask of the values that are not −1, None or NaN.

    >>> is_known(np.array(["war", None, -1, float("nan")], dtype=object))
    array([ True, False, False, False])
    """
    known = _is_present(values)
    if values.dtype.kind in "ifO":
        known[known] = values[known] != UNLABELLED
    return known


def plain_labels(values: np.ndarray) -> np.ndarray:
    """Return complete labels as an array of their own type, not of objects."""
    if values.dtype.kind != "O" or not len(values):
        return values
    if len({isinstance(value, str) for value in values.tolist()}) > 1:
        raise InvalidInput(_SEVERAL_KINDS)
    return np.array(values.tolist())


def check_given(y: Labels | None, owner: str) -> None:
    """Refuse to fit `owner` without labels, in scikit-learn's words."""
    if y is None:
        raise InvalidInput(f"{owner} requires y to be passed, but the target y is None; pass one label per document")


def classes_of(*parts: npt.ArrayLike) -> np.ndarray:
    """Return the classes of all parts, once each, in order.

    >>> classes_of(np.array(["b"], dtype=object), ["a", "b"])
    array(['a', 'b'], dtype='<U1')
    """
    arrays = [plain_labels(_as_array(part)) for part in parts]
    arrays = [array for array in arrays if len(array)]
    if len({array.dtype.kind in "US" for array in arrays}) > 1:
        raise InvalidInput(_SEVERAL_KINDS)
    return np.unique(np.concatenate(arrays)) if arrays else np.empty(0)


def first_classes(values: np.ndarray, known: Bools, classes: Labels | None = None, *, at_least: int = 1) -> np.ndarray:
    """Return the classes that a first fit establishes: those given, otherwise those of the labels.

    >>> first_classes(*labelled_values(["war", None, "peace"], 3))
    array(['peace', 'war'], dtype='<U5')
    """
    names = classes_of(values[known] if classes is None else classes)
    if not len(names):
        raise InvalidInput("no document has a label; label some documents of each class")
    if len(names) < at_least:
        raise InvalidInput(
            f"the labels have only one class, {names.tolist()[0]!r}; "
            f"a classifier needs documents of at least two classes"
        )
    return names


def codes_of(values: np.ndarray, known: Bools, classes: np.ndarray) -> Ints:
    """Return the index of every label among the classes, −1 for unlabelled.

    >>> codes_of(*labelled_values(["war", None, "peace"], 3), np.array(["peace", "war"])).tolist()
    [1, -1, 0]
    """
    codes = np.full(len(values), UNLABELLED, dtype=np.int64)
    if not known.any():
        return codes
    given = plain_labels(values[known])
    if (given.dtype.kind in "US") != (classes.dtype.kind in "US"):
        strange = np.ones(len(given), dtype=np.bool_)
    else:
        codes[known] = np.minimum(np.searchsorted(classes, given), max(len(classes) - 1, 0))
        strange = classes[codes[known]] != given if len(classes) else np.ones(len(given), dtype=np.bool_)
    if strange.any():
        first = int(np.flatnonzero(known)[np.argmax(strange)])
        raise InvalidInput(
            f"document {first} has the label {values[[first]].tolist()[0]!r}, which is not among the classes "
            f"{classes.tolist()}; name all classes in the first call"
        )
    return codes


def numbered_labels(y: Labels | None, n: int) -> Ints:
    """Return labels that are codes already: whole numbers starting at 0, −1 for unlabelled.

    >>> numbered_labels([2, None, 0], 3).tolist()
    [2, -1, 0]
    """
    values, known = labelled_values(y, n)
    given = plain_labels(values[known])
    if given.dtype.kind not in "iuf" and len(given):
        raise InvalidInput(f"labels must be numbers counted from 0, or −1 for unlabelled, not {given.dtype}")
    codes = np.full(n, UNLABELLED, dtype=np.int64)
    codes[known] = given
    return _no_other_negative(codes)


def labelled_accuracy(
    predicted: np.ndarray,
    y: Labels | None,
    sample_weight: npt.ArrayLike | None = None,
    *,
    classes: Labels | None = None,
) -> float:
    """Return the share of labelled documents that were predicted correctly; at least one must be labelled.

    If −1 is one of the `classes`, it is a label.

    >>> labelled_accuracy(np.array([1, 0, 1]), [1, 1, -1])
    0.5
    """
    values, known = labelled_values(y, len(predicted), classes=classes)
    if not known.any():
        raise InvalidInput("no document has a label, so there is no accuracy; pass the true labels of some")
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights is not None:
        if weights.shape != known.shape:
            raise InvalidInput(f"there are {len(known)} documents but sample_weight has the shape {weights.shape}")
        weights = weights[known]
        if not weights.sum() > 0:
            raise InvalidInput("the weights of the labelled documents sum to zero, so there is no accuracy")
    return float(np.average(predicted[known] == values[known], weights=weights))


class LabelCoder:
    """Turns names into codes, part by part; the final code of a name is its rank among all names.

    >>> coder = LabelCoder()
    >>> coder.add(pa.array(["war", None]))
    >>> coder.add(pa.array(["peace"]))
    >>> coder.finish()
    (array([ 1, -1,  0]), ('peace', 'war'))
    """

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._parts: list[Ints] = []

    def add(self, names: pa.Array | pa.ChunkedArray) -> None:
        """Add the names of more documents; null is unlabelled."""
        for chunk in names.chunks if isinstance(names, pa.ChunkedArray) else [names]:
            encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
            # One more entry at the end, so that −1 (null) looks up −1.
            codes = [self._codes.setdefault(name, len(self._codes)) for name in encoded.dictionary.to_pylist()]
            # The indices of polars' categories are unsigned
            local = pc.fill_null(encoded.indices.cast(pa.int64()), UNLABELLED).to_numpy(zero_copy_only=False)
            self._parts.append(np.array([*codes, UNLABELLED], dtype=np.int64)[local])

    def finish(self) -> tuple[Ints, tuple[str, ...]]:
        """Return one code per document, and the names in the order of their codes."""
        codes = np.concatenate([np.empty(0, dtype=np.int64), *self._parts])
        n_documents = np.bincount(codes[codes >= 0], minlength=len(self._codes))
        used = [name for name, code in self._codes.items() if name is not None and n_documents[code]]
        names = tuple(sorted(used))
        rank = np.full(len(self._codes) + 1, UNLABELLED, dtype=np.int64)
        for place, name in enumerate(names):
            rank[self._codes[name]] = place
        return rank[codes], names


def label_codes(labels: Labels, names: Sequence[str] | None = None) -> tuple[Ints, tuple[str, ...]]:
    """Return codes and names of a corpus's labels: strings, or whole numbers, which become names; some may be missing.

    With `names`, the labels are codes of these already.

    >>> label_codes(["b", None, "a"])
    (array([ 1, -1,  0]), ('a', 'b'))
    >>> label_codes([7, -1, 5])
    (array([ 1, -1,  0]), ('5', '7'))
    """
    if hasattr(labels, "to_arrow"):  # polars
        labels = labels.to_arrow()
    if getattr(getattr(labels, "dtype", None), "kind", "") == "T":
        labels = _as_array(labels)
    try:
        array = labels if isinstance(labels, pa.Array | pa.ChunkedArray) else pa.array(labels, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InvalidInput(f"labels must be all strings or all whole numbers, with None if unknown: {error}") from error
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if pa.types.is_integer(kind) or pa.types.is_null(kind):
        numbers = pc.fill_null(array.cast(pa.int64()), UNLABELLED).to_numpy(zero_copy_only=False)
        return _number_codes(numbers, names)
    if names is not None:
        raise InvalidInput(f"with label_names the labels must be codes 0, 1, 2, … or −1, not {kind}")
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view"):
        raise InvalidInput(f"labels must be strings or whole numbers, with None if unknown, not {kind}")
    coder = LabelCoder()
    coder.add(array)
    return coder.finish()


def _number_codes(numbers: Ints, names: Sequence[str] | None) -> tuple[Ints, tuple[str, ...]]:
    _no_other_negative(numbers)
    if names is not None:
        if numbers.size and numbers.max() >= len(names):
            raise InvalidInput(f"a label is {numbers.max()}, but there are only {len(names)} label_names")
        return numbers, tuple(map(str, names))
    values = np.unique(numbers[numbers >= 0])
    codes = np.where(numbers >= 0, np.searchsorted(values, numbers), UNLABELLED)
    return codes, tuple(str(value) for value in values)


def _no_other_negative(codes: Ints) -> Ints:
    if (codes < UNLABELLED).any():
        raise InvalidInput(f"a label is {codes.min()}; −1 means unlabelled, and other negative numbers are not labels")
    return codes


def _as_array(y: Labels) -> np.ndarray:
    if hasattr(y, "to_pylist"):  # Arrow
        y = y.to_pylist()
    array = np.asarray(y)
    if array.dtype.kind == "T":  # NumPy's strings of variable length, which scikit-learn does not know
        array = array.astype(object)
    if array.dtype.kind in "US" and not isinstance(y, np.ndarray):
        # A list such as ["war", -1] became strings; keep the original values.
        array = np.asarray(y, dtype=object)
    return array


def _is_present(values: np.ndarray) -> Bools:
    """Return a mask of the values that are not None or NaN."""
    if values.dtype.kind == "O":
        return ~np.array([_is_missing(value) for value in values.tolist()], dtype=np.bool_)
    return np.ones(len(values), dtype=np.bool_) if values.dtype.kind != "f" else ~np.isnan(values)


def _is_missing(value: object) -> bool:
    """Return whether a single value means unlabelled; pandas has its own constants for that."""
    missing = value is None or type(value).__name__ in ("NAType", "NaTType")
    return missing or (isinstance(value, Real) and value != value)


def _names_minus_one(given: np.ndarray, classes: Labels | None, signs: bool) -> bool:
    """Return whether −1 is one of the classes."""
    if classes is not None:
        return UNLABELLED in np.asarray(classes).tolist()
    return signs and set(given.tolist()) == {-1, 1}
