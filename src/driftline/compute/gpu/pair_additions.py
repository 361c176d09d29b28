r"""Additions of a pair's assignment to the counts of its word: in fixed point, or of floats, four at a time.

Sums of floats in arbitrary order differ in their last digits from run to run. Sums in fixed point do not, but such
additions are expensive, and a pair's assignment is almost zero for most topics. Fixed-point additions are therefore
rounded at random to multiples of a quantum :math:`1/Q` of a token, and zeros are not added. A lane rounds its topics in
turn, and carries the remainder to the next,

.. math:: s_j = u + Q \sum_{i \le j} c\,g_i, \qquad \Delta M_j = (\lfloor s_j \rfloor - \lfloor s_{j-1} \rfloor) / Q,
    \qquad (4)

with :math:`u` uniform between 0 and 1: the expected addition is :math:`c\,g_j`, and the sum of a lane's additions
deviates by less than :math:`1/Q` from the exact one.

Floats are added four at a time, and most of these additions are also small. Those whose sum :math:`s` is less than
:math:`\epsilon` are multiplied by :math:`\epsilon / s` and added with probability :math:`s / \epsilon`, by the same
rule (5).
"""

from __future__ import annotations

import functools

from numba import cuda, float32, int32, int64

from driftline.compute.contracts.kernel import Kernel
from driftline.compute.gpu.lanes import VECTOR, Layout
from driftline.compute.gpu.vectors import add_four


@functools.cache
def pair_addition(layout: Layout, fixed: bool) -> Kernel:
    """Return the function by which a lane adds its part of an assignment, times a unit, to a row of the sums.

    Its arguments are the sums, the place of the lane's first topic, the assignment, the unit, the number of quanta per
    token or ε, and u.
    """
    team, per_lane = layout.team, layout.per_lane
    n_loads = per_lane // VECTOR

    @cuda.jit(device=True)
    def add_quanta(sums, row, g, unit, finest, carried):
        for j in range(per_lane):
            carried += g[j] * finest  # Eq. 4
            whole = int32(carried)
            carried -= float32(whole)
            if whole > 0:
                place = row + (j // VECTOR) * VECTOR * team + j % VECTOR
                cuda.atomic.add(sums, place, int64(whole) * unit)

    if fixed:
        return add_quanta
    add = add_four()

    @cuda.jit(device=True, fastmath=True)  # not inherited from the caller, and exact divisions are slow
    def add_floats(sums, row, g, unit, finest, carried):
        for i in range(n_loads):
            j, place, by = VECTOR * i, row + VECTOR * team * i, unit
            four = g[j] + g[j + 1] + g[j + 2] + g[j + 3]
            if four < finest:
                carried += four / finest  # Eq. 5
                by = float32(0)
                if carried >= float32(1):
                    carried -= float32(1)
                    by = unit * finest / four
            if by > float32(0):
                add(sums, place, g[j] * by, g[j + 1] * by, g[j + 2] * by, g[j + 3] * by)

    return add_floats


@cuda.jit(device=True)
def fraction(pair, lane, share):
    """Return a pseudo-random number between 0 and 1: a hash of a pair, a lane and a share."""
    mixed = (int64(pair) * 2654435769 + int64(lane) * 2246822519 + int64(share * float32(2**27))) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 2146121005) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 12)) * 1540483477) & 0xFFFFFFFF
    return float32(mixed >> 8) * float32(2.0**-24)
