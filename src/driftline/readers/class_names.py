"""Names of the classes that data sets of Hugging Face keep beside the numbers of a label column."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_KEY = b"huggingface"
_LARGEST = 2**24
"""Largest description, in bytes, that is parsed."""


def class_names(metadata: Mapping[bytes, bytes] | None, column: str | None) -> list[str]:
    """Return the names of the classes 0, 1, … of a column; none if the metadata of the table has none.

    >>> features = {"label": {"names": ["neg", "pos"], "_type": "ClassLabel"}}
    >>> class_names({b"huggingface": json.dumps({"info": {"features": features}}).encode()}, "label")
    ['neg', 'pos']
    >>> class_names(None, "label")
    []
    """
    described = (metadata or {}).get(_KEY, b"")
    if column is None or not 0 < len(described) <= _LARGEST:
        return []
    try:
        names = json.loads(described)["info"]["features"][column]["names"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return names if isinstance(names, list) and all(isinstance(name, str) and name for name in names) else []


def with_class_names(values: dict[str, pa.Array], column: str | None, names: list[str]) -> dict[str, pa.Array]:
    """Replace the numbers of a column by the names of their classes; -1 is no class, other numbers stay unchanged.

    >>> with_class_names({"label": pa.array([1, -1, 7])}, "label", ["neg", "pos"])["label"].to_pylist()
    ['pos', None, '7']
    """
    if not names or column is None or not pa.types.is_integer(values[column].type):
        return values
    codes = values[column]
    known = np.asarray(pc.fill_null(pc.and_(pc.greater_equal(codes, 0), pc.less(codes, len(names))), False))
    places = np.where(known, np.asarray(pc.fill_null(codes, 0)), 0).astype(np.int64)
    other = pc.if_else(pc.equal(codes, -1), pa.scalar(None, pa.string()), pc.cast(codes, pa.string()))
    named = pc.if_else(pa.array(known), pa.array(names).take(pa.array(places)), other)
    return {**values, column: named}
