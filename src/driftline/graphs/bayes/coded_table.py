"""Tables of categories as integer codes: one column per variable, −1 where a value is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


MOST_STATES = 10_000
"""Maximum number of states of a variable."""

Value = str | int | float | bool

Table: TypeAlias = "Mapping[str, Sequence[object]] | pa.Table | IntoDataFrame"
"""Columns by name: a mapping, an Arrow table, or a data frame."""
Column: TypeAlias = pa.ChunkedArray | np.ndarray | Sequence[object]


def columns_of(table: Table, names: Sequence[str]) -> dict[str, list[Value | None]]:
    """Return the columns of a table by name: a mapping, an Arrow table, or a data frame. NaN is a missing value.

    >>> columns_of({"rain": [True, None], "other": [1, 2]}, ["rain"])
    {'rain': [True, None]}
    """
    if isinstance(table, Mapping):
        given: Mapping[str, object] = table
    elif isinstance(table, pa.Table):
        given = {name: table[name] for name in table.column_names}
    else:
        import narwhals as nw

        try:
            given = nw.from_native(table, eager_only=True).to_dict(as_series=False)
        except TypeError as error:
            raise InvalidInput(
                f"a table is a mapping from names to columns, or a data frame, not a {type(table).__name__}"
            ) from error
    absent = [name for name in names if name not in given]
    if absent:
        raise InvalidInput(f"the table has no column {absent[0]!r}; its columns are {', '.join(map(repr, given))}")
    found = {name: [_plain(value, name) for value in _listed(given[name])] for name in names}
    lengths = {name: len(column) for name, column in found.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(f"the columns differ in length: {lengths}")
    return found


def states_of(column: Sequence[Value | None], name: str) -> list[Value]:
    """Return the distinct values of a column, in order."""
    found = {value for value in column if value is not None}
    if len(found) > MOST_STATES:
        raise InvalidInput(f"{name!r} has {len(found):,} distinct values (limit {MOST_STATES:,}); group them")
    if not found:
        raise InvalidInput(f"all values of {name!r} are missing; pass its states with states={{{name!r}: […]}}")
    return sorted(found, key=lambda value: (isinstance(value, str), value))


def codes_of(column: Sequence[Value | None], states: Sequence[Value], name: str) -> Ints:
    """Return the number of the state of every row; −1 where it is missing."""
    number = {state: i for i, state in enumerate(states)}
    found = np.empty(len(column), dtype=np.int64)
    for row, value in enumerate(column):
        if value is not None and value not in number:
            shown = ", ".join(map(repr, states[:10]))
            raise InvalidInput(f"{name!r} has no state {value!r} (row {row}); its states are {shown}")
        found[row] = -1 if value is None else number[value]
    return found


def _listed(column: Column) -> list[object]:
    if hasattr(column, "to_pylist"):
        return list(column.to_pylist())
    return list(column.tolist()) if hasattr(column, "tolist") else list(column)


def _plain(value: object, name: str) -> Value | None:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value != value:
        return None
    if not isinstance(value, str | int | float):
        raise InvalidInput(f"{name!r} contains {value!r}; values are strings, numbers or truth values")
    return value
