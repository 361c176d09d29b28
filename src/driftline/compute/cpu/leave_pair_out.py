"""The rate at which each labelled document would be ranked correctly if it and its opposite had not been labelled."""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit

TIE = 1e-6
"""Relative difference below which scores count as tied, given the precision of the solution."""


@njit(cache=True, nogil=True)
def pair_placements(inverse, working, duals, positive):
    """Return, for every document, the share of those of the other class against which it is ranked correctly: (n,).

    For a pair S = {a, b} of opposite classes f_S = z_S − (C_SS)⁻¹ β_S, a system of two equations. `inverse` is the
    symmetric C, `working` z, `duals` β; equal scores count one half. With one class alone every placement is one half.
    """
    n = len(working)
    placements = np.zeros(n)
    n_positive = 0
    for a in range(n):
        if not positive[a]:
            continue
        n_positive += 1
        for b in range(n):
            if positive[b]:
                continue
            c_aa, c_bb, c_ab = inverse[a, a], inverse[b, b], inverse[a, b]
            determinant = c_aa * c_bb - c_ab * c_ab
            if determinant <= 0.0:  # only by rounding: C is positive definite
                c_ab, determinant = 0.0, c_aa * c_bb
            f_a = working[a] - (c_bb * duals[a] - c_ab * duals[b]) / determinant
            f_b = working[b] - (c_aa * duals[b] - c_ab * duals[a]) / determinant
            difference = f_a - f_b
            right = 1.0 if difference > 0.0 else 0.0
            if abs(difference) <= TIE * (1.0 + abs(f_a) + abs(f_b)):
                right = 0.5
            placements[a] += right
            placements[b] += right
    n_negative = n - n_positive
    for i in range(n):
        others = n_negative if positive[i] else n_positive
        placements[i] = placements[i] / others if others else 0.5
    return placements
