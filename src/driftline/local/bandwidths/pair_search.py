"""Search for the best pair of two settings."""

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
    """Return a pair of values no worse than its neighbours; all first values are tried at one second value initially.

    The loss is evaluated repeatedly at the same points, so it should cache its values.

    >>> climb(lambda x, y: (x - y) ** 2 + (y - 30) ** 2, [0.0, 10.0, 20.0, 30.0], [10.0, 20.0, 30.0], 10.0)
    (30.0, 30.0)
    """
    for x in track(first, "choosing the bandwidth", total=len(first), verbose=verbose):
        loss(x, start)
    y = start
    x = min(first, key=lambda value: loss(value, start))
    while True:
        i, j = first.index(x), second.index(y)
        # diagonal neighbours too: the optimum of one setting often depends on the other
        around = [(a, b) for a in first[max(i - 1, 0) : i + 2] for b in second[max(j - 1, 0) : j + 2]]
        best = min(around, key=lambda pair: loss(*pair))
        if loss(*best) >= loss(x, y):
            return x, y
        x, y = best
