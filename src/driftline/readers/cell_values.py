"""Raw values of any kind as texts, labels and ids."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.readers.records import Values, bad_encoding

BETWEEN_TOKENS = " "
"""Separator of the words of a text given as a list."""
BETWEEN_LABELS = "|"
"""Separator of the labels of a document that has several."""
BETWEEN_COLUMNS = "\n"
"""Separator of the texts of several columns."""

_NO_TEXT = "no text"


class Strings(NamedTuple):
    """Strings, null if missing, and the reason if the value is present but unusable."""

    values: pa.Array
    problems: dict[int, str]


class NotText(NamedTuple):
    """A cell whose value cannot be a text, a label or a time, and the reason."""

    reason: str


def to_strings(values: Values, *, between: str = BETWEEN_TOKENS) -> Strings:
    """Return an Arrow array or a list of Python values as large strings.

    Numbers and truth values are converted, lists are joined; an object (a mapping) is a problem.

    >>> to_strings([5, True, ["a", "b"], None, {"x": 1}])
    Strings(values=<pyarrow.lib.LargeStringArray object at ...>
    [ "5", "true", "a b", null, null ], problems={4: 'not text: an object'})
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        return _from_objects(values, between)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    kind = values.type
    if _is_string(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        try:
            strings = values.cast(pa.large_string())
            strings.validate(full=True)  # Parquet and data frames may declare bytes as strings
            return Strings(strings, {})
        except (pa.ArrowInvalid, UnicodeDecodeError):
            return _from_objects(values.cast(pa.large_binary()).to_pylist(), between)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return Strings(values.cast(pa.large_string()), {})
    if pa.types.is_list(kind) and _is_string(kind.value_type) and not values.flatten().null_count:
        return Strings(pc.binary_join(values, between).cast(pa.large_string()), {})
    if pa.types.is_null(kind):
        return Strings(values.cast(pa.large_string()), {})
    return _from_objects(values.to_pylist(), between)


def to_texts(columns: list[object]) -> Strings:
    """Return the texts of one or several columns, joined by line ends; empty and missing parts are skipped.

    >>> to_texts([["subject", "", None], ["body", "only body", None]]).values.to_pylist()
    ['subject\\nbody', 'only body', None]
    """
    parts = [to_strings(column) for column in columns]
    if len(parts) == 1:
        return parts[0]
    problems = {row: problem for part in reversed(parts) for row, problem in part.problems.items()}
    there = np.any([part.values.is_valid().to_numpy(zero_copy_only=False) for part in parts], axis=0)
    joined, *others = [pc.fill_null(part.values, "") for part in parts]
    for other in others:
        both = pc.and_(pc.greater(pc.binary_length(joined), 0), pc.greater(pc.binary_length(other), 0))
        between = pc.if_else(both, BETWEEN_COLUMNS, "").cast(pa.large_string())
        joined = pc.binary_join_element_wise(joined, between, other, pa.scalar("", pa.large_string()))
    for row in problems:
        there[row] = False
    return Strings(pc.if_else(pa.array(there), joined, None), problems)


def to_labels(values: Values) -> pa.Array:
    """Return labels as strings: null if missing or empty, several joined by a vertical bar.

    >>> to_labels([["grain", "wheat"], [], "", 3, 1.0]).to_pylist()
    ['grain|wheat', None, None, '3', '1']
    """
    strings = to_strings(values, between=BETWEEN_LABELS).values.cast(pa.string())
    return pc.if_else(pc.equal(pc.binary_length(strings), 0), None, strings)


def reason_for(strings: Strings, row: int) -> str:
    """Return the reason why a row has no text."""
    return strings.problems.get(row, _NO_TEXT)


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _from_objects(values: Iterable[object], between: str) -> Strings:
    strings: list[str | None] = []
    problems: dict[int, str] = {}
    for row, value in enumerate(values):
        try:
            if isinstance(value, NotText):
                problems[row] = value.reason
                strings.append(None)
                continue
            strings.append(_string_of(value, between))
        except UnicodeDecodeError as error:
            problems[row] = bad_encoding(error)
        except UnicodeEncodeError:
            problems[row] = "bad encoding: half of a surrogate pair, which is not a character"
        except TypeError as error:
            problems[row] = f"not text: {error}"
        if row in problems:
            strings.append(None)
    return Strings(pa.array(strings, pa.large_string()), problems)


def _string_of(value: object, between: str) -> str | None:
    if isinstance(value, str):
        value.encode()
        return value
    if value is None or _is_nan(value):
        return None
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        return str(int(value)) if math.isfinite(value) and value == int(value) else repr(float(value))
    if isinstance(value, list | tuple | np.ndarray):
        parts = [_string_of(item, between) for item in value]
        return between.join(part for part in parts if part is not None)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, dict):
        raise TypeError("an object")
    return str(value)


def _is_nan(value: object) -> bool:
    return type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, float | np.floating) and math.isnan(value)
    )
