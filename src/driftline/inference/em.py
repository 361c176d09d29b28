"""Expectation maximisation: the loop, written once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from driftline.core.arrays import Floats
from driftline.core.progress import track


class Convergence(NamedTuple):
    """How a run of EM went: the objective at the beginning of every step, and whether it stopped rising in time."""

    objective: Floats
    n_steps: int
    converged: bool


def run_em(
    step: Callable[[], float], max_steps: int, tolerance: float, *, description: str = "EM", verbose: Any = False
) -> Convergence:
    """Call `step`, which returns the objective it started from, until that rises by less than a share of its size.

    >>> values = iter([-10.0, -5.0, -4.999999])
    >>> run_em(lambda: next(values), 10, 1e-4)
    Convergence(objective=array([-10.      ,  -5.      ,  -4.999999]), n_steps=3, converged=True)
    """
    trace: list[float] = []
    for _ in track(range(max_steps), description, total=max_steps, verbose=verbose):
        trace.append(float(step()))
        if len(trace) > 1 and trace[-1] - trace[-2] <= tolerance * abs(trace[-1]):
            return Convergence(np.array(trace), len(trace), True)
    return Convergence(np.array(trace), len(trace), False)
