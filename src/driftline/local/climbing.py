"""The search for the best pair of two settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from driftline.core.progress import track


def climb(
    loss: Callable[[float, float], float],
    first: Sequence[float],
    second: Sequence[float],
    start: float,
    *,
    verbose: bool | int = False,
) -> tuple[float, float]:
    """Return a pair of values that no neighbouring pair beats, beginning with all of the first at one of the second.

    The loss is asked for again and again, so it should remember its answers.

    >>> climb(lambda x, y: (x - y) ** 2 + (y - 30) ** 2, [0.0, 10.0, 20.0, 30.0], [10.0, 20.0, 30.0], 10.0)
    (30.0, 30.0)
    """
    for x in track(first, "choosing the bandwidth", total=len(first), verbose=verbose):
        loss(x, start)
    y = start
    x = min(first, key=lambda value: loss(value, start))
    while True:
        i, j = first.index(x), second.index(y)
        around = [(x, y)]
        around += [(x, second[k]) for k in (j - 1, j + 1) if 0 <= k < len(second)]
        around += [(first[k], y) for k in (i - 1, i + 1) if 0 <= k < len(first)]
        best = min(around, key=lambda pair: loss(*pair))
        if best == (x, y):
            return best
        x, y = best
