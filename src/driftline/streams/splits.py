"""Train and test splits that respect time: all training documents are older than all test documents."""

from __future__ import annotations

import datetime

import numpy as np

from driftline.core.arrays import Ints, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import Instant, Moment
from driftline.streams.moments import exact_times


def row_at(times: np.ndarray, time: Moment) -> int:
    """Return the first row of sorted `times` that is not before `time`.

    >>> row_at(np.array(["2003-03-19", "2003-03-20"], dtype="datetime64[us]"), "2003-03-20")
    1
    """
    return int(np.searchsorted(times, _moment(times, time), side="left"))


def row_of_share(times: np.ndarray, test_fraction: float) -> int:
    """Return the row at which to split sorted `times` so that about this share follows, and no time is on both sides.

    >>> row_of_share(np.array([0.0, 1.0, 1.0, 2.0]), 0.5)
    1
    """
    if not 0 < test_fraction < 1:
        raise InvalidInput(f"test_fraction must be between 0 and 1, not {test_fraction!r}")
    return int(_nearest_cuts(times, np.array([(1 - test_fraction) * len(times)]))[0])


def time_folds(times: Times, n: int = 5) -> list[tuple[Ints, Ints]]:
    """Return `n` pairs of training and test rows: each test block follows all of its training documents.

    The documents are divided into ``n + 1`` blocks of about equal size; fold k is tested on block k + 1 and trained on
    all documents before it. Documents with equal times are never on both sides. The result can be used as the ``cv`` of
    scikit-learn's searches; `times` need not be sorted.

    >>> [(train.tolist(), test.tolist()) for train, test in time_folds([0, 1, 1, 2, 3, 4], n=2)]
    [([0], [1, 2, 3]), ([0, 1, 2, 3], [4, 5])]
    """
    if not isinstance(n, int | np.integer) or n < 1:
        raise InvalidInput(f"there must be at least 1 fold, not {n!r}")
    given = exact_times(times)
    order = np.argsort(given, kind="stable")
    ordered = given[order]
    cuts = _nearest_cuts(ordered, np.arange(1, n + 1) * len(ordered) / (n + 1))
    ends = np.append(cuts[1:], len(ordered))
    return [(np.sort(order[:cut]), np.sort(order[cut:end])) for cut, end in zip(cuts, ends)]


def _nearest_cuts(times: np.ndarray, wanted: np.ndarray) -> Ints:
    """Return the rows nearest to the requested ones, in ascending order, at which the time changes."""
    allowed = np.flatnonzero(times[1:] > times[:-1]) + 1
    if len(allowed) < len(wanted):
        raise InvalidInput(
            f"the documents have {len(allowed) + 1 if len(times) else 0} distinct times, which is too "
            f"few to split them into {len(wanted) + 1} parts; equal times are never split"
        )
    cuts = np.empty(len(wanted), dtype=np.int64)
    least = 0
    for k, row in enumerate(wanted):
        # Enough positions must remain for the following splits.
        choice = allowed[least : len(allowed) - (len(wanted) - k - 1)]
        nearest = int(np.argmin(np.abs(choice - row)))
        cuts[k] = choice[nearest]
        least += nearest + 1
    return cuts


def _moment(times: np.ndarray, time: Moment) -> Instant:
    """Return one time with the type of the others."""
    if times.dtype.kind != "M":
        if isinstance(time, str | datetime.date | np.datetime64):
            raise InvalidInput(f"times are numbers, so {time!r} cannot be compared with them; pass a number")
        return float(time)
    if not isinstance(time, str | datetime.date | np.datetime64):
        raise InvalidInput(f"times are dates, so {time!r} cannot be compared with them; pass a date")
    exact: np.datetime64 = exact_times([time])[0]
    return exact
