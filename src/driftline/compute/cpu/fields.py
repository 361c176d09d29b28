r"""Single variables of a factor graph given the others: Gibbs sampling, and steps that raise the score.

The conditional log-probability of variable v in state s is, up to a constant, its own log-potential plus those of its
factors with all other variables unchanged,

.. math:: \theta_v(s) + \sum_{f \ni v} \theta_f(x_{f \setminus v}, s).                                            (1)

Factors are given as in `driftline.compute.cpu.message_passing`; ``slots[starts[v] : starts[v + 1]]`` are the slots of
variable v, and `factor_of` contains the factor of every slot.
"""

import math

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def _conditional(v, states, field, found):
    """Write (1) for every state of a variable."""
    sizes, pointers, variables, table_of, table_pointers, tables, unary, starts, slots, factor_of = field
    for s in range(sizes[v]):
        found[s] = unary[v, s]
    for i in range(starts[v], starts[v + 1]):
        f = factor_of[slots[i]]
        base, stride, own_stride = table_pointers[table_of[f]], 1, 1
        for slot in range(pointers[f + 1] - 1, pointers[f] - 1, -1):
            if slot == slots[i]:
                own_stride = stride
            else:
                base += stride * states[variables[slot]]
            stride *= sizes[variables[slot]]
        for s in range(sizes[v]):
            found[s] += tables[base + s * own_stride]


@njit(cache=True, nogil=True)
def sweep(
    order,
    states,
    uniforms,
    temperature,
    sizes,
    pointers,
    variables,
    table_of,
    table_pointers,
    tables,
    unary,
    starts,
    slots,
    factor_of,
):
    """Draw the variables in `order` given the others, from (1) divided by the temperature; return the change of score.

    `uniforms` has a number from 0 to 1 for each. A variable without a possible state is unchanged.
    """
    field = (sizes, pointers, variables, table_of, table_pointers, tables, unary, starts, slots, factor_of)
    found, change = np.empty(unary.shape[1]), 0.0
    for place in range(len(order)):
        v = order[place]
        _conditional(v, states, field, found)
        largest = -np.inf
        for s in range(sizes[v]):
            largest = max(largest, found[s])
        if largest == -np.inf:
            continue
        total = 0.0
        for s in range(sizes[v]):
            total += math.exp((found[s] - largest) / temperature)
        left, chosen = uniforms[place] * total, -1
        for s in range(sizes[v]):
            weight = math.exp((found[s] - largest) / temperature)
            if weight > 0.0:
                chosen = s
                left -= weight
                if left < 0.0:
                    break
        if chosen != states[v]:
            if found[states[v]] > -np.inf:
                change += found[chosen] - found[states[v]]
            states[v] = chosen
    return change


@njit(cache=True, nogil=True)
def climb(order, states, sizes, pointers, variables, table_of, table_pointers, tables, unary, starts, slots, factor_of):
    """Set each variable in `order` to its best state given the others; return the number of changes."""
    field = (sizes, pointers, variables, table_of, table_pointers, tables, unary, starts, slots, factor_of)
    found, changed = np.empty(unary.shape[1]), 0
    for v in order:
        _conditional(v, states, field, found)
        best = states[v]
        for s in range(sizes[v]):
            if found[s] > found[best]:
                best = s
        if best != states[v]:
            states[v] = best
            changed += 1
    return changed
