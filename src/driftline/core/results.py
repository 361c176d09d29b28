"""Common interface of results: a data frame, one line as `repr`, and a picture in a notebook.

A result names its columns (`_columns`), describes itself in a few words (`_summary`) and, if there is something to
draw, has a picture (`_picture`); the rest is here. Functions that find several records of one kind return `Results`, a
list.
"""

from __future__ import annotations

import dataclasses
import datetime
import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Times
from driftline.core.display import one_line
from driftline.core.errors import InvalidInput, MissingDependency
from driftline.core.pictures import MOST_BARS, Bars, Picture, escaped, moment

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


T = TypeVar("T")
FrameKind: TypeAlias = Literal["pandas", "polars", "arrow"]
Frame: TypeAlias = "pd.DataFrame | pl.DataFrame | pa.Table"
"""A data frame of one of these kinds."""
Columns: TypeAlias = Mapping[str, Any]
"""Names of columns and their values: arrays, lists or Arrow arrays of one length."""
FRAME_KINDS: tuple[FrameKind, ...] = ("pandas", "polars", "arrow")
PREVIEWED = 10
_LONGEST_CELL = 60


class Result:
    """The base class of results. Subclasses of named tuples list it first."""

    __slots__ = ()

    @overload
    def to_frame(self, kind: Literal["pandas"] = ...) -> pd.DataFrame: ...
    @overload
    def to_frame(self, kind: Literal["polars"]) -> pl.DataFrame: ...
    @overload
    def to_frame(self, kind: Literal["arrow"]) -> pa.Table: ...
    @overload
    def to_frame(self, kind: FrameKind) -> Frame: ...
    def to_frame(self, kind: FrameKind = "pandas") -> Frame:
        """Return the result as a data frame of pandas or polars, or as an Arrow table.

        Dates are in UTC. pandas and polars are optional: ``pip install 'driftline[frames]'``.
        """
        return frame_of(self._columns(), kind)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {one_line(self._summary())}>"

    def _repr_html_(self) -> str:
        """Return the summary and the picture, or the first rows if there is no picture, for a notebook."""
        picture, preview = self._picture(), self._preview()
        parts = [f"<p><b>{escaped(type(self).__name__)}</b>: {escaped(self._summary())}</p>"]
        if picture is not None:
            parts.append(picture.svg())
        if preview is not None:
            parts.append(_html_table(preview))
        return f"<div>{''.join(parts)}</div>"

    def _columns(self) -> Columns:
        """Return the columns of the data frame; by default one row of the plain values."""
        return columns_of([self], type(self))

    def _summary(self) -> str:
        """Return the result in a few words; by default its values."""
        return ", ".join(f"{name} = {_shown(values[0])}" for name, values in self._columns().items())

    def _picture(self) -> Picture | None:
        """Return a picture, if there is something to draw."""
        return None

    def _preview(self) -> Columns | None:
        """Return the columns that a notebook shows as a table; by default all columns if there is no picture."""
        return self._columns() if self._picture() is None else None


class Results(list[T], Result):
    """A list of records of one kind, which is a data frame with a row for each.

    The picture has a bar for each of the first records, named by the field `name`; its length is the field `quantity`.

    >>> from typing import NamedTuple
    >>> class Use(NamedTuple):
    ...     word: str
    ...     n: int
    >>> found = Results(Use, [Use("war", 3), Use("sars", 2)], name="word", quantity="n")
    >>> found
    <Results: 2 records: Use>
    >>> found.to_frame("arrow").to_pydict()
    {'word': ['war', 'sars'], 'n': [3, 2]}
    """

    def __init__(self, kind: type[T], records: Iterable[T] = (), *, name: str, quantity: str) -> None:
        super().__init__(records)
        self._kind, self._name, self._quantity = kind, name, quantity

    def __reduce__(self) -> tuple[object, ...]:
        return _results, (self._kind, list(self), self._name, self._quantity)

    def __repr__(self) -> str:
        return Result.__repr__(self)

    def _columns(self) -> Columns:
        return columns_of(self, self._kind)

    def _summary(self) -> str:
        return f"{counted(len(self), 'record')}: {self._kind.__name__}"

    def _picture(self) -> Picture:
        shown = self[:MOST_BARS]
        values = [getattr(record, self._quantity) for record in shown]
        lengths = np.array([np.nan if value is None else float(value) for value in values])
        return Bars([str(getattr(record, self._name)) for record in shown], lengths, self._quantity.replace("_", " "))

    def _preview(self) -> Columns:
        return columns_of(self[: PREVIEWED + 1], self._kind)


def _results(kind: type[T], records: list[T], name: str, quantity: str) -> Results[T]:
    return Results(kind, records, name=name, quantity=quantity)


def frame_of(columns: Columns, kind: FrameKind) -> Frame:
    """Return columns as a data frame of the given kind.

    >>> frame_of({"word": ["war"], "uses": np.array([492])}, "arrow").to_pydict()
    {'word': ['war'], 'uses': [492]}
    """
    if kind not in FRAME_KINDS:
        raise InvalidInput(f"kind must be one of {', '.join(map(repr, FRAME_KINDS))}, not {kind!r}")
    import pyarrow as pa

    table = pa.table({name: _arrow_array(values) for name, values in columns.items()})
    if kind == "arrow":
        return table
    try:
        library = importlib.import_module(kind)
    except ImportError:
        raise MissingDependency(f"to_frame({kind!r})", kind, "frames") from None
    return table.to_pandas() if kind == "pandas" else library.from_arrow(table)


def columns_of(records: Sequence[object], kind: type) -> dict[str, list[object]]:
    """Return named tuples or data classes of one kind as columns; values too large for a cell (curves) are left out.

    A data class within the records has a column for each of its fields, such as ``change_word``.
    """
    values: dict[str, list[object]] = {}
    for name in _field_names(kind):
        column = [getattr(record, name) for record in records]
        inner = {type(value) for value in column if value is not None}
        if len(inner) == 1 and dataclasses.is_dataclass(part := inner.pop()):
            for field in _field_names(part):
                values[f"{name}_{field}"] = [getattr(each, field, None) for each in column]
        else:
            values[name] = column
    fitting = {name: column for name, column in values.items() if all(map(_fits, column))}
    return {name: [_in_cell(value) for value in column] for name, column in fitting.items()}


def long_columns(
    names: Mapping[str, Sequence[object]], times: Times, **matrices: npt.ArrayLike
) -> dict[str, np.ndarray]:
    """Return matrices of series × times as columns with a row per series and time; `names` identify the series.

    >>> table = long_columns({"word": ["war", "tax"]}, [1.0, 2.0], share=np.array([[0.1, 0.2], [0.3, 0.4]]))
    >>> {name: list(map(str, values)) for name, values in table.items()}
    {'word': ['war', 'war', 'tax', 'tax'], 'time': ['1.0', '2.0', '1.0', '2.0'], 'share': ['0.1', '0.2', '0.3', '0.4']}
    """
    n_series, n_times = next(np.shape(matrix) for matrix in matrices.values())
    columns: dict[str, np.ndarray] = {name: np.repeat(np.asarray(each), n_times) for name, each in names.items()}
    columns["time"] = np.tile(np.asarray(times), n_series)
    columns |= {name: np.broadcast_to(matrix, (n_series, n_times)).ravel() for name, matrix in matrices.items()}
    return columns


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "word"), counted(1200, "word"), counted(2, "class", "classes")
    ('1 word', '1,200 words', '2 classes')
    """
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def time_range(times: np.ndarray) -> str:
    """Return the number of times, the first and the last.

    >>> time_range(np.array(["2003-01-01", "2003-12-31"], dtype="datetime64[us]"))
    '2 times from 2003-01-01 to 2003-12-31'
    """
    if not len(times):
        return "no times"
    return f"{counted(len(times), 'time')} from {moment(times, 0)} to {moment(times, -1)}"


def _field_names(kind: type) -> tuple[str, ...]:
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    return names


def _fits(value: object) -> bool:
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return all(isinstance(each, str | int | float | np.generic) for each in value)
    return value is None or isinstance(value, str | int | float | dict | np.generic) or hasattr(value, "isoformat")


def _in_cell(value: object) -> object:
    return str(value) if isinstance(value, dict) else value


def _arrow_array(values: np.ndarray | Sequence[object] | pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return values as an Arrow array; those of several kinds become strings."""
    import pyarrow as pa

    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if isinstance(values, np.ndarray) and values.dtype.kind not in "OUS":
        return pa.array(values)
    listed = values.tolist() if isinstance(values, np.ndarray) else [_python(value) for value in values]
    try:
        return pa.array(listed)
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        return pa.array([None if value is None else _text(value) for value in listed])


def _python(value: object) -> object:
    """Convert a NumPy value to a Python value; dates keep their type and precision."""
    return value.item() if isinstance(value, np.generic) and not isinstance(value, np.datetime64) else value


def _text(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _html_table(columns: Columns) -> str:
    """Return the first rows as a table."""
    n_rows = max((len(values) for values in columns.values()), default=0)
    head = "".join(f"<th>{escaped(name)}</th>" for name in columns)
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{escaped(_shown(values[row]), _LONGEST_CELL)}</td>" for values in columns.values())
        + "</tr>"
        for row in range(min(n_rows, PREVIEWED))
    )
    more = f"<p>… and {counted(n_rows - PREVIEWED, 'more row')}</p>" if n_rows > PREVIEWED else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _shown(value: object) -> str:
    """Format a value for display."""
    value = value.as_py() if hasattr(value, "as_py") else value
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, np.datetime64 | datetime.datetime):
        return str(value)[:19].replace("T", " ").removesuffix(" 00:00:00")
    return "" if value is None else str(value)
