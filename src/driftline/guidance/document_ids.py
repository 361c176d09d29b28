"""Wishes about documents: from ids to rows, and from calendar units to groups."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from driftline.core.arrays import Ints, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import time_array
from driftline.guidance.wishes import LabelWish, LinkWish, ProportionWish, Wish

UNKNOWN = -1
"""Row of a document that is not among those of the fit."""
UNITS = {"day": "D", "week": "W", "month": "M", "year": "Y"}
"""Calendar units, and NumPy's names of them."""


def resolved(wish: Wish, ids: Sequence[str] | None, times: Times) -> Wish:
    """Return a wish about rows and groups instead of ids and calendar units."""
    if isinstance(wish, LabelWish):
        return dataclasses.replace(wish, documents=rows_of(wish.documents, ids))
    if isinstance(wish, LinkWish):
        return dataclasses.replace(wish, sources=rows_of(wish.sources, ids), targets=rows_of(wish.targets, ids))
    if isinstance(wish, ProportionWish) and isinstance(wish.by, str):
        return dataclasses.replace(wish, by=groups_of(wish.by, times))
    return wish


def rows_of(documents: np.ndarray, ids: Sequence[str] | None) -> Ints:
    """Return the rows of documents; −1 for an id that is unknown.

    >>> rows_of(np.array(["b", "x"]), ["a", "b"])
    array([ 1, -1])
    """
    if documents.dtype.kind in "iu" or not len(documents):
        return documents.astype(np.int64)
    if ids is None:
        raise InvalidInput("the guide names documents by their ids; call for_documents(ids=…) first")
    places = {str(one): row for row, one in enumerate(ids)}
    return np.array([places.get(str(one), UNKNOWN) for one in documents], dtype=np.int64)


def groups_of(unit: str, times: Times) -> Ints:
    """Return the number of every document's day, week, month or year.

    >>> groups_of("month", np.array(["2003-03-20", "2003-04-02", "2003-04-09"], dtype="datetime64[s]"))
    array([0, 1, 1])
    """
    if unit not in UNITS:
        raise InvalidInput(f"a proportion is by {', '.join(UNITS)}, or by an array of groups, not by {unit!r}")
    if times is None:
        raise InvalidInput(f"a proportion by {unit} needs times; call for_documents(times=…) first")
    dates = time_array(times)
    if dates.dtype.kind != "M":
        raise InvalidInput(f"a proportion by {unit} needs dates, and the times are numbers; give an array of groups")
    units = dates.astype(f"datetime64[{UNITS[unit]}]")
    found: Ints = np.unique(units, return_inverse=True)[1].astype(np.int64)
    return found
