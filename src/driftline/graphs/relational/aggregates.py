"""Aggregates of the values of many objects: mode, mean, count, exists.

Each is a fold: a summary that starts empty and is updated with one value after another, in any order, and the number of
the state that a summary represents. If values are unknown, the summaries become variables of a chain, so that the
distribution of an aggregate of many unknown values needs only small tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from driftline.core.errors import InvalidInput

MOST_COUNTED = 3
"""Smallest count of the last state, which covers all larger counts."""
NONE = "none"
"""State of an aggregate, or of a path, that reaches no object."""

Summary = tuple[float, ...]
Fold = Callable[[Summary, int], Summary]


class Aggregate(NamedTuple):
    """A fold over the codes of values: names of its states, the empty summary, the next summary, and its state."""

    states: list[str]
    start: Summary
    add: Fold
    state: Callable[[Summary], int]


def mode(states: Sequence[object], value: int | None) -> Aggregate:
    """Return the aggregate "most frequent value"; ties go to the first.

    >>> most = mode(["x", "y"], None)
    >>> most.states[most.state(most.add(most.start, 1))]
    'y'
    """
    return Aggregate([*map(str, states), NONE], (0,) * len(states), _count_up, _most_frequent)


def mean(states: Sequence[object], value: int | None) -> Aggregate:
    """Return the aggregate "value nearest to the mean", of numbers; ties go to the first."""
    numbers = [float(one) for one in states if isinstance(one, int | float)]
    if len(numbers) < len(states):
        raise InvalidInput(f"a mean needs values that are numbers, not {states[0]!r}; use mode")
    return Aggregate([*map(str, states), NONE], (0.0, 0.0), partial(_sum_up, numbers), partial(_nearest, numbers))


def count(states: Sequence[object], value: int | None) -> Aggregate:
    """Return the aggregate "number of objects", or of those with a given value: 0, 1, 2, 3 or more."""
    names = [*map(str, range(MOST_COUNTED)), f"{MOST_COUNTED} or more"]
    return Aggregate(names, (0,), partial(_counted, value, MOST_COUNTED), _first)


def exists(states: Sequence[object], value: int | None) -> Aggregate:
    """Return the aggregate "there is an object", or one with a given value."""
    return Aggregate(["no", "yes"], (0,), partial(_counted, value, 1), _first)


AGGREGATES: dict[str, Callable[[Sequence[object], int | None], Aggregate]] = {
    "mode": mode,
    "mean": mean,
    "count": count,
    "exists": exists,
}
"""The aggregates by name: functions of the states of the attribute, and of the code of the counted value."""


def _count_up(counts: Summary, code: int) -> Summary:
    return (*counts[:code], counts[code] + 1, *counts[code + 1 :])


def _most_frequent(counts: Summary) -> int:
    return counts.index(max(counts)) if any(counts) else len(counts)


def _sum_up(numbers: Sequence[float], sums: Summary, code: int) -> Summary:
    return (sums[0] + numbers[code], sums[1] + 1)


def _nearest(numbers: Sequence[float], sums: Summary) -> int:
    if not sums[1]:
        return len(numbers)
    distances = [abs(one - sums[0] / sums[1]) for one in numbers]
    return distances.index(min(distances))


def _counted(value: int | None, most: int, so_far: Summary, code: int) -> Summary:
    return (min(so_far[0] + (value is None or code == value), most),)


def _first(so_far: Summary) -> int:
    return int(so_far[0])
