r"""Test of bursts against random order: a scan of sums over neighbouring steps, which are permuted as a whole.

Step :math:`d` (a day) has :math:`c_d` documents, with mean :math:`\mu` and variance :math:`\sigma^2` over all steps,
quiet ones included. A window of :math:`m` steps with the sum :math:`S` has :math:`z = (S - m\mu) / \sqrt{m \sigma^2}`.
A burst is compared with the largest :math:`z` of any window of 2, 4, 8, … steps with the steps in random order: a
single day with very many documents occurs in every order, so a burst must have several days to be significant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import Seed, generator

N_PERMUTATIONS = 199


def burst_p_values(
    counts: Floats,
    windows: Sequence[tuple[int, int]],
    *,
    n_permutations: int = N_PERMUTATIONS,
    random_state: Seed = 0,
) -> Floats:
    """Return the p-value of each window with the steps in random order; 1 for a window of one step.

    `counts` are the documents of each step, and a window is (first step, last step).

    >>> quiet = np.random.default_rng(0).poisson(5, 200)
    >>> burst, one_day = quiet.copy(), quiet.copy()
    >>> burst[50:56] += 20
    >>> one_day[50] += 120
    >>> burst_p_values(burst, [(50, 55)]), burst_p_values(one_day, [(50, 50), (50, 51)])
    (array([0.005]), array([1.   , 0.665]))
    """
    counts = np.asarray(counts, dtype=np.float64)
    spread = float(counts.std())
    result = np.ones(len(windows))
    if not spread or len(counts) < 4:
        return result
    residuals = (counts - counts.mean()) / spread
    random = generator(random_state)
    orders = random.permuted(np.broadcast_to(residuals, (n_permutations, len(residuals))), axis=1)
    sums = np.cumsum(np.concatenate([np.zeros((n_permutations, 1)), orders], axis=1), axis=1)
    largest = np.full(n_permutations, -np.inf)
    for power in range(1, int(np.log2(len(counts)))):
        m = 2**power
        largest = np.maximum(largest, (sums[:, m:] - sums[:, :-m]).max(axis=1) / np.sqrt(m))
    for i, (first, last) in enumerate(windows):
        if last > first:
            z = residuals[first : last + 1].sum() / np.sqrt(last + 1 - first)
            result[i] = (1 + (largest >= z - 1e-9).sum()) / (1 + n_permutations)
    return result


def steps_of(times: Floats, length: float, most: int = 4000) -> tuple[Ints, float]:
    """Return the step of every time, counted from the first, and the length of a step: longer if there are too many.

    >>> steps_of(np.array([10.2, 10.9, 12.0]), 1.0)
    (array([0, 0, 2]), 1.0)
    """
    first = np.floor(times.min() / length)
    if times.max() / length - first > most:
        length = float(np.ptp(times)) / most
        first = np.floor(times.min() / length)
    return (np.floor(times / length) - first).astype(np.int64), length
