"""Training data by age: all documents, the last ones, the last days, or weights that fall with age."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats
from driftline.core.times import describe_span
from driftline.local.fit_times import just_after
from driftline.smoothing.kernels import Kernel

KINDS = ("all", "documents", "time", "kernel")
"""The kinds of reach, in the order in which they are tried."""

WINDOWS = (250, 500, 1000, 2000, 4000, 8000)
"""Sizes of the windows that are tried, in latest documents."""

HALVINGS = {"time": 5, "kernel": 8}
"""Number of successive halves of the whole span that are tried."""

FEWEST_DOCUMENTS = {"time": 100, "kernel": 30}
"""Minimum number of documents within a span of time that is tried; fits with falling weights are shrunk towards that to
all documents, so they need fewer."""

WHOLE = 0.9
"""Share of all documents above which a window is not tried, because it hardly differs from all documents."""

LONG = 10.0
"""Minimum number of days of a span that is described in whole days."""

_AGE = Kernel("tricube", "past")


class Reach(NamedTuple):
    """A way to weight documents by their age.

    ``"all"`` weights all equally; ``"documents"`` is the last `size` documents, ``"time"`` those of the last `size`
    days (or units of numeric times), and ``"kernel"`` has weights that fall with age and reach zero at `size` days. A
    window from which a class is absent is shrunk towards the fit to all documents, unless it is to be fitted `alone`.
    """

    kind: str
    size: float
    alone: bool = False

    def weights(self, times: Floats) -> tuple[int, Floats]:
        """Return the first document (of the sorted `times`) that counts, and the weights of it and all later ones.

        >>> Reach("documents", 2).weights(np.array([0.0, 1.0, 5.0]))
        (1, array([1., 1.]))
        >>> Reach("time", 4.5).weights(np.array([0.0, 1.0, 5.0]))
        (1, array([1., 1.]))
        """
        n = len(times)
        if self.kind == "all" or not n:
            return 0, np.ones(n)
        if self.kind == "documents":
            first = max(n - int(self.size), 0)
            return first, np.ones(n - first)
        first = int(np.searchsorted(times, times[-1] - self.size, side="left"))
        if self.kind == "time":
            return first, np.ones(n - first)
        age = just_after(float(times[-1])) - times[first:]
        weights = _AGE.relative_weights(age, self.size)
        return first, np.where(weights > 0, weights, np.finfo(np.float64).tiny)

    def described(self, *, dated: bool) -> str:
        """Return the reach in a few words; `dated` is whether times are dates.

        >>> Reach("documents", 500).described(dated=True), Reach("kernel", 90.0).described(dated=True)
        ('last 500 documents', 'weights falling over 90 days')
        >>> Reach("documents", 500, alone=True).described(dated=True)
        'last 500 documents alone'
        """
        if self.kind == "all":
            return "all documents"
        if self.alone:
            return f"{self._replace(alone=False).described(dated=dated)} alone"
        if self.kind == "documents":
            return f"last {int(self.size):,} documents"
        length = f"{self.size:.4g} units of time"
        if dated:
            length = f"{self.size:,.0f} days" if self.size >= LONG else describe_span(self.size)
        return f"last {length}" if self.kind == "time" else f"weights falling over {length}"


def reaches(times: Floats, kinds: Sequence[str] = KINDS) -> list[Reach]:
    """Return the reaches to try for documents at the sorted `times`.

    Spans of time are halves, quarters, … of the whole span. Those with too few documents, or with nearly
    all of them and equal weights, are left out.

    >>> [reach.size for reach in reaches(np.arange(1000.0), ("documents", "time"))]
    [250, 500, 499.5, 249.75, 124.875]
    """
    n = len(times)
    span = float(times[-1] - times[0]) if n else 0.0
    found = [Reach("all", math.inf)] if "all" in kinds else []
    found += [Reach("documents", size) for size in WINDOWS if "documents" in kinds and size < WHOLE * n]
    for kind in ("time", "kernel"):
        for halvings in range(HALVINGS[kind] + 1):
            reach = Reach(kind, span / 2**halvings)
            if kind not in kinds or not reach.size > 0 or (kind == "time" and not halvings):
                continue
            first = reach.weights(times)[0]
            if n - first >= FEWEST_DOCUMENTS[kind] and (kind == "kernel" or n - first < WHOLE * n):
                found.append(reach)
    return found or [Reach("all", math.inf)]
