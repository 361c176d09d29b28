"""Time steps: a corpus divided into months, weeks, hours, or a number of equal periods."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeGuard, overload

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.days_of_dates import MICROSECONDS_PER_DAY
from driftline.core.errors import InvalidInput
from driftline.core.times import days

if TYPE_CHECKING:
    import pyarrow as pa

    from driftline.core.arrays import Counts
    from driftline.streams.corpus import Corpus

MOST_FRAMES = 1_000_000
_MONDAY = -3 * MICROSECONDS_PER_DAY
"""Origin of weeks (1969-12-29), in microseconds since 1970."""


@dataclass(frozen=True)
class Frame:
    """One time step of a corpus: the documents with ``start <= time < end``.

    `index` is the slice of the corpus's rows. The last of n equal frames includes its end.
    """

    start: float | np.datetime64
    end: float | np.datetime64
    index: slice
    source: Corpus

    @property
    def corpus(self) -> Corpus:
        """The documents of this frame as a separate corpus."""
        return self.source[self.index]

    @property
    def counts(self) -> Counts:
        """Documents × words of this frame."""
        return self.source.counts[self.index]

    @property
    def times(self) -> np.ndarray:
        """The times of its documents."""
        return self.source.times[self.index]

    @property
    def labels(self) -> Ints | None:
        """The label codes of its documents, None if the corpus has no labels."""
        return None if self.source.labels is None else self.source.labels[self.index]

    @property
    def ids(self) -> pa.ChunkedArray:
        """The ids of its documents."""
        return self.source.ids[self.index]

    def __len__(self) -> int:
        return int(self.index.stop - self.index.start)

    def __repr__(self) -> str:
        return f"Frame({self.start} to {self.end}: {len(self):,} documents)"


class Frames(Sequence[Frame]):
    """All frames of a corpus from the first to the last document; those without documents are included."""

    def __init__(self, source: Corpus, edges: np.ndarray, bounds: Ints) -> None:
        self._source = source
        self.edges = edges
        """The starts of the frames, and the end of the last one."""
        self.bounds = bounds
        """The row at which each frame begins, and the number of rows at the end."""

    def __len__(self) -> int:
        return max(0, len(self.edges) - 1)

    @overload
    def __getitem__(self, number: int) -> Frame: ...
    @overload
    def __getitem__(self, number: slice) -> list[Frame]: ...
    def __getitem__(self, number: int | slice) -> Frame | list[Frame]:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(f"there is no frame {number}; there are {len(self)}, counted from 0")
        number = number % len(self)
        rows = slice(int(self.bounds[number]), int(self.bounds[number + 1]))
        return Frame(self.edges[number], self.edges[number + 1], rows, self._source)

    def __iter__(self) -> Iterator[Frame]:
        return iter(self[:])

    @property
    def sizes(self) -> Ints:
        """The number of documents of each frame."""
        return np.diff(self.bounds)

    def __repr__(self) -> str:
        if not len(self):
            return "Frames(none)"
        return f"Frames({len(self):,} from {self.edges[0]} to {self.edges[-1]})"


def frame_bounds(times: np.ndarray, every: Any) -> tuple[np.ndarray, Ints]:
    """Return the edges of the frames (one more than frames) and the row at which each begins.

    `times` are sorted: datetime64[us] or floats. `every` is a calendar step, a length, or a number of frames:

    ``"1mo"``, ``"3mo"``, ``"1y"``, ``"10y"``
        calendar months, quarters, years, decades, in UTC;
    ``"1w"``
        weeks from Monday;
    ``"1d"``, ``"6h"``, ``"15min"``, a `timedelta`, …
        steps of a fixed length, counted from 1970-01-01, so days begin at midnight and hours on the hour;
    a whole number
        this number of frames of equal length from the first to the last document;
    any other number
        for times that are numbers: steps of this length, counted from 0.

    Except for a number of frames, edges do not depend on the documents: two corpora with the same step have matching
    frames.

    >>> times = np.array(["2003-02-19", "2003-04-30"], dtype="datetime64[us]")
    >>> frame_bounds(times, "1mo")[0].astype("datetime64[D]")
    array(['2003-02-01', '2003-03-01', '2003-04-01', '2003-05-01'], dtype='datetime64[D]')
    >>> frame_bounds(np.array([0.5, 1.5, 7.0]), 2.5)
    (array([0. , 2.5, 5. , 7.5]), array([0, 2, 2, 3]))
    """
    if isinstance(every, datetime.timedelta):
        every = np.timedelta64(every)
    _check_step(times, every)
    if not len(times):
        return times[:0], np.zeros(1, dtype=np.int64)
    if _is_number_of_frames(every):
        edges = _equal_edges(times, int(every))
        bounds = np.searchsorted(times, edges, side="left")
        bounds[-1] = len(times)
        return edges, bounds
    if times.dtype.kind == "M":
        edges = _calendar_edges(times, every)
    else:
        edges = _number_edges(times, float(every))
    return edges, np.searchsorted(times, edges, side="left")


def _check_step(times: np.ndarray, every: object) -> None:
    is_date = times.dtype.kind == "M"
    if isinstance(every, bool | np.bool_) or not isinstance(every, Real | str | np.timedelta64):
        raise InvalidInput(f"frames are given by a step such as '1mo' or by a whole number of frames, not by {every!r}")
    if _is_number_of_frames(every):
        if every < 1:
            raise InvalidInput(f"there must be at least 1 frame, not {every}")
    elif not isinstance(every, str | np.timedelta64):
        if is_date:
            raise InvalidInput(f"times are dates, so a step needs a unit, such as '{every:g}d', not {every!r}")
        if not 0 < float(every) < np.inf:
            raise InvalidInput(f"a step must be a positive number, not {every!r}")
    elif not is_date:
        raise InvalidInput(f"times are numbers, so a step must be a number too, not {every!r}")


def _is_number_of_frames(every: object) -> TypeGuard[int]:
    # NumPy's timedelta64 is a subclass of its integers.
    return isinstance(every, Integral) and not isinstance(every, np.timedelta64)


def _equal_edges(times: np.ndarray, n: int) -> np.ndarray:
    first, last = times[0], times[-1]
    _check_number(n, n)
    if n > 1 and first == last:
        raise InvalidInput(f"all documents have the same time, {first}, and cannot be divided into {n} frames")
    if times.dtype.kind != "M":
        return np.linspace(first, last, n + 1)
    start, span = int(first.astype(np.int64)), int(last.astype(np.int64)) - int(first.astype(np.int64))
    return np.array([start + span * k // n for k in range(n + 1)], dtype=np.int64).astype("datetime64[us]")


def _number_edges(times: np.ndarray, step: float) -> np.ndarray:
    first, last = np.floor(times[0] / step), np.floor(times[-1] / step)
    _check_number(last - first + 1, step)
    edges = np.arange(first, last + 2) * step
    # Rounding may move a quotient to the wrong side of a whole number.
    if edges[0] > times[0]:
        edges = np.concatenate([[(first - 1) * step], edges])
    if edges[-1] <= times[-1]:
        edges = np.concatenate([edges, [(last + 2) * step]])
    return edges


def _calendar_edges(times: np.ndarray, every: Any) -> np.ndarray:
    months = _months(every) if isinstance(every, str) else 0
    if months:
        ends = times[[0, -1]].astype("datetime64[M]").astype(np.int64)
        # NumPy counts months from 1970; the calendar's decades and centuries count years from 0.
        first, last = (ends + 1970 * 12) // months
        _check_number(last - first + 1, every)
        edges = np.arange(first, last + 2) * months - 1970 * 12
        return edges.astype("datetime64[M]").astype("datetime64[us]")
    step = round(days(every) * MICROSECONDS_PER_DAY)
    if step < 1:
        raise InvalidInput(f"a step must be at least a microsecond long, not {every!r}")
    origin = _MONDAY if isinstance(every, str) and re.fullmatch(r"\s*\d+\s*w\s*", every) else 0
    first, last = (times[[0, -1]].astype(np.int64) - origin) // step
    _check_number(last - first + 1, every)
    return (np.arange(first, last + 2) * step + origin).astype("datetime64[us]")


def _months(every: str) -> int:
    """Return the length of a step of whole months or years in months, 0 for other steps."""
    if not re.search(r"mo|y", every):
        return 0
    step = re.fullmatch(r"\s*(\d+)\s*(mo|y)\s*", every)
    if step is None or int(step[1]) == 0:
        raise InvalidInput(
            f"{every!r} is not a calendar step; write whole months or years alone, such as '3mo' or '10y'"
        )
    return int(step[1]) * (12 if step[2] == "y" else 1)


def _check_number(n: float, every: object) -> None:
    if n > MOST_FRAMES:
        raise InvalidInput(f"{every!r} would give {n:,.0f} frames (the maximum is {MOST_FRAMES:,}); use a longer step")
