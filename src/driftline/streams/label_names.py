"""Labels as codes: names ↔ 0, 1, 2, …, with −1 for a document that has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput


class LabelCoder:
    """Turns names into codes, part by part; a name's code is its rank among all names in the end.

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
        """Take the names of some more documents; null is unlabelled."""
        for chunk in names.chunks if isinstance(names, pa.ChunkedArray) else [names]:
            encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
            # One more place at the end, so that −1 (null) looks up −1.
            codes = [self._codes.setdefault(name, len(self._codes)) for name in encoded.dictionary.to_pylist()]
            local = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
            self._parts.append(np.array([*codes, -1], dtype=np.int64)[local])

    def finish(self) -> tuple[Ints, tuple[str, ...]]:
        """Return one code per document, and the names in the order of their codes."""
        codes = np.concatenate([np.empty(0, dtype=np.int64), *self._parts])
        used = [name for name, code in self._codes.items() if name is not None and (codes == code).any()]
        names = tuple(sorted(used))
        rank = np.full(len(self._codes) + 1, -1, dtype=np.int64)
        for place, name in enumerate(names):
            rank[self._codes[name]] = place
        return rank[codes], names


def label_codes(labels: Any, names: Sequence[str] | None = None) -> tuple[Ints, tuple[str, ...]]:
    """Return codes and names of labels as a user has them: strings, or whole numbers; None, NaN and −1 are unlabelled.

    With `names`, the labels are codes of these already.

    >>> label_codes(["b", None, "a"])
    (array([ 1, -1,  0]), ('a', 'b'))
    >>> label_codes([7, -1, 5])
    (array([ 1, -1,  0]), ('5', '7'))
    """
    if hasattr(labels, "to_arrow"):  # polars
        labels = labels.to_arrow()
    try:
        array = labels if isinstance(labels, pa.Array | pa.ChunkedArray) else pa.array(labels, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InvalidInput(
            f"labels must be all strings or all whole numbers, with None where unknown: {error}"
        ) from error
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if pa.types.is_integer(kind) or pa.types.is_null(kind):
        numbers = pc.fill_null(array.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
        return _number_codes(numbers, names)
    if names is not None:
        raise InvalidInput(f"with label_names the labels must be codes 0, 1, 2, … or −1, not {kind}")
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view"):
        raise InvalidInput(f"labels must be strings or whole numbers, with None where unknown, not {kind}")
    coder = LabelCoder()
    coder.add(array)
    return coder.finish()


def _number_codes(numbers: Ints, names: Sequence[str] | None) -> tuple[Ints, tuple[str, ...]]:
    if (numbers < -1).any():
        raise InvalidInput(f"a label is {numbers.min()}; −1 means unlabelled, and other negative numbers are no labels")
    if names is not None:
        if numbers.size and numbers.max() >= len(names):
            raise InvalidInput(f"a label is {numbers.max()}, but there are only {len(names)} label_names")
        return numbers, tuple(map(str, names))
    values = np.unique(numbers[numbers >= 0])
    codes = np.where(numbers >= 0, np.searchsorted(values, numbers), -1)
    return codes, tuple(str(value) for value in values)
