r"""A Gibbs chain: burn in, keep samples, and say whether the chain has settled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from driftline.core.arrays import Floats
from driftline.core.progress import track


class Chain(NamedTuple):
    """What a chain did: one number per sweep (a log-likelihood, say), how many sweeps were kept, and their split R̂.

    R̂ near one means that the halves of what was kept look alike; it is one if there is too little to tell.
    """

    trace: Floats
    n_kept: int
    split_r: float


def run_chain(
    sweep: Callable[[], float],
    keep: Callable[[], Any],
    burn_in: int,
    n_samples: int,
    *,
    description: str = "sampling",
    verbose: Any = False,
) -> Chain:
    """Call `sweep` again and again, and `keep` after each sweep once the burn-in is over."""
    trace = np.empty(burn_in + n_samples)
    for i in track(range(len(trace)), description, total=len(trace), verbose=verbose):
        trace[i] = sweep()
        if i >= burn_in:
            keep()
    return Chain(trace, n_samples, split_r(trace[burn_in:]))


def split_r(trace: Any) -> float:
    r"""Return the Gelman-Rubin statistic of the two halves of one chain.

    >>> split_r([1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]) < 1.01
    True
    >>> split_r([1.0, 1.1, 1.0, 1.1, 5.0, 5.1, 5.0, 5.1]) > 10
    True
    """
    trace = np.asarray(trace, dtype=np.float64)
    n = len(trace) // 2
    if n < 2:
        return 1.0
    halves = np.stack([trace[:n], trace[-n:]])
    within = float(halves.var(axis=1, ddof=1).mean())
    between = float(halves.mean(axis=1).var(ddof=1))
    if within <= 0:
        return 1.0
    return float(np.sqrt((n - 1) / n + between / within))
