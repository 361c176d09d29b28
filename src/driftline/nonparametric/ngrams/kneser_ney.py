r"""Interpolated and modified Kneser-Ney smoothing, as restaurants with one table per dish and θ = 0.

A cell of the longest contexts has its counts; a cell of a shorter context has a customer for every distinct word before
it, and for every document that begins there. With :math:`n_i` cells of i customers among those of an order,
interpolated smoothing subtracts

.. math:: d = n_1 / (n_1 + 2 n_2)                                                                                 (1)

from every count; modified smoothing (Chen and Goodman, 1998) subtracts :math:`d_i` from a count of i (the last from all
above 2):

.. math:: d_i = i - (i + 1)\, \frac{n_1}{n_1 + 2 n_2}\, \frac{n_{i + 1}}{n_i}, \qquad i = 1, 2, 3.                (2)
"""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats
from driftline.nonparametric.ngrams.restaurants import Restaurants

USUAL = 0.5
"""Default d of an order whose counts do not determine it."""


def one_table_per_dish(problem: Restaurants) -> np.ndarray:
    """Return the customers of every cell if every dish has one table."""
    customers = problem.direct.astype(np.int32)
    for m in range(len(problem.orders) - 2, 0, -1):
        cells = slice(int(problem.orders[m]), int(problem.orders[m + 1]))
        seated = problem.suffix_of[cells][customers[cells] > 0]
        customers += np.bincount(seated, minlength=len(customers)).astype(np.int32)
    return customers


def discounts_of(problem: Restaurants, customers: np.ndarray, modified: bool) -> Floats:
    """Return the discounts of counts of 1, 2 and more, by length of the context: lengths × 3."""
    found = []
    for m in range(len(problem.orders) - 1):
        cells = customers[problem.orders[m] : problem.orders[m + 1]]
        n = np.bincount(np.minimum(cells, 5), minlength=6)[1:5].astype(np.float64)
        plain = n[0] / (n[0] + 2 * n[1]) if n[0] else USUAL  # Eq. 1
        found.append([_modified(n, i, plain) if modified else plain for i in (1, 2, 3)])
    return np.array(found)


def _modified(n: Floats, i: int, plain: float) -> float:
    """Return Eq. 2, or Eq. 1 if the numbers of cells are too small for it."""
    if not n[0] or not n[i - 1]:
        return plain
    value = i - (i + 1) * plain * n[i] / n[i - 1]
    return float(value) if 0 < value <= i and n[1] else plain
