r"""Tails of gamma distributions of scale one, as logarithms, for shapes that are used many times.

With the incomplete gamma functions :math:`P(a, x) = 1 - Q(a, x)`,

.. math:: P(a, x) = \frac{x^a e^{-x}}{\Gamma(a)} \sum_{n \ge 0} \frac{x^n}{a (a+1) \cdots (a+n)}, \qquad
   Q(a, x) = \frac{x^a e^{-x}}{\Gamma(a)}
   \cfrac{1}{x + 1 - a - \cfrac{1 (1 - a)}{x + 3 - a - \cfrac{2 (2 - a)}{x + 5 - a - \cdots}}}
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit

ROUNDING = 1e-16
"""Relative size of the last term or factor."""
TINY = 1e-300
"""Stands for a denominator of zero in the continued fraction."""
LARGEST_SHAPE = 500.0
"""Largest shape; the number of terms is a small multiple of its square root."""
MOST_TERMS = 2_000
"""Largest number of terms."""


@njit(cache=True, nogil=True)
def log_tails(x, shapes, log_gammas, tails):
    """Write log Q(a, x) into `tails` for each x and shape a, whose log Γ(a) is given; all arrays have one dimension.

    Nothing is written for shapes above `LARGEST_SHAPE`.
    """
    for i in range(x.shape[0]):
        if shapes[i] <= LARGEST_SHAPE:
            tails[i] = log_tail(x[i], shapes[i], log_gammas[i])


@njit(cache=True, nogil=True, error_model="numpy")
def log_tail(x, a, log_gamma):
    """Return log Q(a, x): by the series if x is below a + 1, otherwise by the continued fraction."""
    if x <= 0.0:
        return 0.0
    if x == np.inf:
        return -np.inf
    scale = a * np.log(x) - x - log_gamma
    if x < a + 1.0:
        term = 1.0 / a
        total = term
        for n in range(1, MOST_TERMS):
            term *= x / (a + n)
            total += term
            if term < total * ROUNDING:
                break
        return np.log1p(-min(total * np.exp(scale), 1.0))
    b = x + 1.0 - a
    c = 1.0 / TINY
    d = 1.0 / b
    fraction = d
    for n in range(1, MOST_TERMS):
        numerator = -n * (n - a)
        b += 2.0
        d = numerator * d + b
        d = 1.0 / (d if abs(d) > TINY else TINY)
        c = b + numerator / c
        c = c if abs(c) > TINY else TINY
        fraction *= c * d
        if abs(c * d - 1.0) < 3.0 * ROUNDING:
            break
    return scale + np.log(fraction)
