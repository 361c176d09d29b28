"""The context of every document: a group such as its party, source or month, or a combination of groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Bools, Counts, Floats, Ints, Times
from driftline.core.errors import InvalidInput
from driftline.core.labels import label_codes
from driftline.smoothing.permutable_units import permutable_units
from driftline.streams.exchange import exchange_units, given_or_exchange_units
from driftline.streams.units import Units

BETWEEN_GROUPS = ", "


class DocumentContexts(NamedTuple):
    """The context of every document as a code of `names`; −1 for documents that have none."""

    codes: Ints
    names: tuple[str, ...]

    @property
    def n(self) -> int:
        """The number of contexts."""
        return len(self.names)

    @property
    def left_out(self) -> int:
        """The number of documents without a context."""
        return int((self.codes < 0).sum())

    def members(self, context: int) -> Bools:
        """Return a mask of the documents in a context."""
        found: Bools = self.codes == context
        return found


def contexts_of(by: object, n: int, name: str = "by") -> DocumentContexts:
    """Return the contexts of documents from one group per document, or from several kinds of groups by name.

    None and NaN mean that a document has no group; it then has no context.

    >>> contexts_of(["b", None, "a"], 3)
    DocumentContexts(codes=array([ 1, -1,  0]), names=('a', 'b'))
    >>> contexts_of({"party": ["x", "y", "x"], "year": [2001, 2001, 2002]}, 3)
    DocumentContexts(codes=array([0, 2, 1]), names=('x, 2001', 'x, 2002', 'y, 2001'))
    """
    parts = list(by.values()) if isinstance(by, Mapping) else [by]
    if not parts:
        raise InvalidInput(f"{name}= has no groups; pass one group per document")
    coded = [_coded(part, n, name) for part in parts]
    known = np.all([codes >= 0 for codes, _ in coded], axis=0)
    if not known.any():
        raise InvalidInput(f"no document has a group in {name}=; pass one group per document")
    rows, codes = np.unique(np.array([codes[known] for codes, _ in coded]), axis=1, return_inverse=True)
    names = [
        BETWEEN_GROUPS.join(names[code] for code, (_, names) in zip(row, coded)) for row in rows.T.tolist()
    ]  # codes of each kind are sorted, and so are their combinations
    every = np.full(n, -1, dtype=np.int64)
    every[known] = codes.ravel()
    return DocumentContexts(every, tuple(names))


def _coded(groups: Any, n: int, name: str) -> tuple[Ints, tuple[str, ...]]:
    array = np.asarray(groups) if isinstance(groups, np.ndarray | list | tuple) else groups
    dtype = str(getattr(array, "dtype", getattr(array, "type", ""))).lower()
    if dtype.startswith(("float", "double")):
        array = _whole(np.asarray(array, dtype=np.float64), name)
    if isinstance(array, np.ndarray) and array.dtype.kind in "bMU":
        missing = np.isnat(array) if array.dtype.kind == "M" else np.zeros(len(array), dtype=np.bool_)
        array = array.astype(str).astype(object)
        array[missing] = None
    codes, names = label_codes(array)
    if codes.shape != (n,):
        raise InvalidInput(f"there are {n} documents but {name}= has {len(codes)} groups; pass one per document")
    return codes, names


def _whole(values: Floats, name: str) -> np.ndarray:
    """Return whole numbers, and None for NaN: a column of numbers with missing values is one of floats."""
    known = ~np.isnan(values)
    if not (np.isfinite(values[known]) & (values[known] == np.round(values[known]))).all():
        raise InvalidInput(f"{name}= has numbers that are not whole; group them into intervals, or use effects")
    found = np.full(len(values), None, dtype=object)
    found[known] = values[known].astype(np.int64)
    return found


def check_two(contexts: DocumentContexts, name: str) -> None:
    """Refuse a comparison of fewer than two contexts."""
    if contexts.n < 2:
        raise InvalidInput(f"{name}= has only one group, {contexts.names[0]!r}; a comparison needs at least two")


def check_shares(**named: float) -> None:
    """Refuse values that do not lie between 0 and 1, by name."""
    for name, value in named.items():
        if not 0 < value < 1:
            raise InvalidInput(f"{name} must lie between 0 and 1, not {value}")


def independent_units(times: Times, unit: object, n: int) -> Units:
    """Return the independent unit of each of n documents; "auto" without times means documents."""
    if times is None and isinstance(unit, str):
        if unit not in ("auto", "document"):
            raise InvalidInput(f"unit={unit!r} needs times=; pass them, or an array with the unit of every document")
        return exchange_units(None, unit="document", n=n)
    return given_or_exchange_units(np.arange(n) if times is None else times, unit=unit, n=n)


def smallest_p_values(contexts: DocumentContexts, units: Units) -> Floats:
    """Return the smallest p-value that a comparison of each context with all others can have."""
    known = contexts.codes >= 0
    inside = [contexts.members(context) for context in range(contexts.n)]
    return np.array([permutable_units(units.index, each, known & ~each).smallest_p for each in inside])


def sums_by_unit(counts: Counts, units: Units, members: Bools) -> tuple[Counts, Floats]:
    """Return the counts of some documents, summed by unit, units × words, and the number of documents of each."""
    rows = np.flatnonzero(members)
    gather = sp.csr_array((np.ones(len(rows)), (units.index[rows], rows)), shape=(units.n, counts.shape[0]))
    return gather @ counts, np.bincount(units.index[rows], minlength=units.n).astype(np.float64)
