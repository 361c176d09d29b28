r"""Sum-product and max-product on factor graphs, in logarithms.

Factor f with log-potentials :math:`\theta_f` sends to each of its variables v, in state s,

.. math:: m_{f \to v}(s) = \ln \sum_{x : x_v = s} \exp\Bigl(\theta_f(x) + \sum_{u \in f,\, u \ne v} n_{u \to f}(x_u)
          \Bigr), \qquad n_{u \to f} = \theta_u + \sum_{g \ni u,\, g \ne f} m_{g \to u};                          (1)

max-product has the maximum instead of the sum. A slot is a factor's position for one variable; `variables` contains the
variable of every slot, and those of factor f are `pointers[f]` to `pointers[f + 1]`. A factor's log-potentials are one
of the `tables`, the first slot's state most significant. The belief of variable v, :math:`\theta_v + \sum_g m_{g \to
v}`, is stored as the sum of its finite terms (`sums`) and the number of those that are −∞ (`impossible`), so that a
term can be removed again.
"""

import math

import numpy as np

from driftline.compute.jit import njit

SAFE = 1e-250
"""Minimum reliable sum of products; below it, sums are computed from logarithms."""


@njit(cache=True, nogil=True)
def _incoming(f, sizes, pointers, variables, messages, sums, impossible, incoming):
    """Write n of (1) for every slot of a factor, the largest of each being zero."""
    for slot in range(pointers[f], pointers[f + 1]):
        v, row = variables[slot], slot - pointers[f]
        largest = -np.inf
        for s in range(sizes[v]):
            message = messages[slot, s]
            if message == -np.inf:
                possible, value = impossible[v, s] == 1, sums[v, s]
            else:
                possible, value = impossible[v, s] == 0, sums[v, s] - message
            incoming[row, s] = value if possible else -np.inf
            largest = max(largest, incoming[row, s])
        if largest > -np.inf:
            for s in range(sizes[v]):
                incoming[row, s] -= largest


@njit(cache=True, nogil=True)
def _next_state(states, sizes, pointers, variables, f):
    """Advance to the next joint state of a factor, the last slot first."""
    for row in range(pointers[f + 1] - pointers[f] - 1, -1, -1):
        states[row] += 1
        if states[row] < sizes[variables[pointers[f] + row]]:
            return
        states[row] = 0


@njit(cache=True, nogil=True)
def _summed(f, own, maximise, sizes, pointers, variables, table, incoming, states, values, found):
    """Write the message (1) of a factor to the slot `own`; with own = -1 return the log-sum over all joint states."""
    arity = pointers[f + 1] - pointers[f]
    n_own = sizes[variables[pointers[f] + own]] if own >= 0 else 1
    found[:n_own] = -np.inf
    states[:arity] = 0
    for entry in range(len(table)):
        value = table[entry]
        for row in range(arity):
            if row != own:
                value += incoming[row, states[row]]
        values[entry] = value
        s = states[own] if own >= 0 else 0
        found[s] = max(found[s], value)
        _next_state(states, sizes, pointers, variables, f)
    if maximise:
        return
    largest, total = found[:n_own].copy(), np.zeros(n_own)
    states[:arity] = 0
    for entry in range(len(table)):
        s = states[own] if own >= 0 else 0
        if values[entry] > -np.inf:
            total[s] += math.exp(values[entry] - largest[s])
        _next_state(states, sizes, pointers, variables, f)
    for s in range(n_own):
        if total[s] > 0:
            found[s] = largest[s] + math.log(total[s])


@njit(cache=True, nogil=True)
def _summed_quickly(f, own, sizes, pointers, variables, table, weights, states, found):
    """Write the normalised message (1) from exponentials, one logarithm per state; False if a sum is too small."""
    arity = pointers[f + 1] - pointers[f]
    n_own = sizes[variables[pointers[f] + own]]
    found[:n_own] = 0.0
    if arity == 2:
        n_other = len(table) // n_own
        for s in range(n_own):
            for other in range(n_other):
                entry = s * n_other + other if own == 0 else other * n_own + s
                found[s] += table[entry] * weights[1 - own, other]
    else:
        states[:arity] = 0
        for entry in range(len(table)):
            value = table[entry]
            for row in range(arity):
                if row != own:
                    value *= weights[row, states[row]]
            found[states[own]] += value
            _next_state(states, sizes, pointers, variables, f)
    total = found[:n_own].sum()
    for s in range(n_own):
        if not found[s] > SAFE:
            return False
        found[s] = math.log(found[s] / total)
    return True


@njit(cache=True, nogil=True)
def _log_total(row, maximise):
    """Return the logarithm of the sum (or the maximum) of the exponentials."""
    largest = -np.inf
    for s in range(len(row)):
        largest = max(largest, row[s])
    if maximise or largest == -np.inf:
        return largest
    total = 0.0
    for s in range(len(row)):
        total += math.exp(row[s] - largest)
    return largest + math.log(total)


@njit(cache=True, nogil=True)
def _exponentials(table_pointers, tables):
    """Return the exponentials of all log-potentials, the largest of each table being one."""
    found = np.empty(len(tables))
    for number in range(len(table_pointers) - 1):
        part = slice(table_pointers[number], table_pointers[number + 1])
        largest = -np.inf
        for value in tables[part]:
            largest = max(largest, value)
        for entry in range(part.start, part.stop):
            found[entry] = math.exp(tables[entry] - largest) if largest > -np.inf else 0.0
    return found


@njit(cache=True, nogil=True)
def send_messages(
    order, maximise, damping, sizes, pointers, variables, table_of, table_pointers, tables, messages, sums, impossible
):
    """Send the messages of one factor after the other to all its variables; each uses those sent before it.

    The logarithm of a message is a mean of the old one, with weight `damping`, and the new one. Returns the largest
    change of the exponential of a message, or NaN if no joint state is possible.
    """
    widest = int(np.max(np.diff(pointers))) if len(pointers) > 1 else 0
    longest = int(np.max(np.diff(table_pointers))) if len(table_pointers) > 1 else 0
    incoming, found = np.empty((widest, messages.shape[1])), np.empty(messages.shape[1])
    states, values = np.zeros(widest, dtype=np.int64), np.empty(longest)
    exponentials = _exponentials(table_pointers, tables)
    weights, moved = np.empty(incoming.shape), 0.0
    for f in order:
        part = slice(table_pointers[table_of[f]], table_pointers[table_of[f] + 1])
        _incoming(f, sizes, pointers, variables, messages, sums, impossible, incoming)
        for row in range(0 if maximise else pointers[f + 1] - pointers[f]):
            for s in range(sizes[variables[pointers[f] + row]]):
                weights[row, s] = math.exp(incoming[row, s])
        for slot in range(pointers[f], pointers[f + 1]):
            own, v = slot - pointers[f], variables[slot]
            scale = 0.0
            if maximise or not _summed_quickly(
                f, own, sizes, pointers, variables, exponentials[part], weights, states, found
            ):
                _summed(f, own, maximise, sizes, pointers, variables, tables[part], incoming, states, values, found)
                scale = _log_total(found[: sizes[v]], maximise)
            if scale == -np.inf:
                return np.nan
            for s in range(sizes[v]):
                old, new = messages[slot, s], found[s] - scale
                if old > -np.inf and new > -np.inf:
                    new = damping * old + (1.0 - damping) * new
                if not abs(new - old) <= moved:  # messages are at most zero, so their exponentials differ by less
                    moved = max(moved, abs(math.exp(new) - math.exp(old)))
                if old == -np.inf:
                    impossible[v, s] -= 1
                else:
                    sums[v, s] -= old
                if new == -np.inf:
                    impossible[v, s] += 1
                else:
                    sums[v, s] += new
                messages[slot, s] = new
    return moved


@njit(cache=True, nogil=True)
def log_partition(
    maximise, sizes, pointers, variables, table_of, table_pointers, tables, messages, sums, impossible, beliefs
):
    r"""Write the normalised logarithms of beliefs, and return the Bethe approximation of the log-partition function.

    It is :math:`\sum_v \ln Z_v + \sum_f \ln Z_f - \sum_{f \ni v} \ln Z_{fv}` (2), with the normalisers of the beliefs
    of variables, of those of factors, and of the products of messages in both directions.
    """
    widest = int(np.max(np.diff(pointers))) if len(pointers) > 1 else 0
    longest = int(np.max(np.diff(table_pointers))) if len(table_pointers) > 1 else 0
    incoming, found = np.empty((widest, messages.shape[1])), np.empty(max(messages.shape[1], 1))
    states, values = np.zeros(widest, dtype=np.int64), np.empty(longest)
    total = 0.0
    for v in range(len(sizes)):
        for s in range(beliefs.shape[1]):
            known = s < sizes[v] and impossible[v, s] == 0
            beliefs[v, s] = sums[v, s] if known else -np.inf
        scale = _log_total(beliefs[v], maximise)
        beliefs[v] -= scale
        total += scale
    for f in range(len(pointers) - 1):
        table = tables[table_pointers[table_of[f]] : table_pointers[table_of[f] + 1]]
        _incoming(f, sizes, pointers, variables, messages, sums, impossible, incoming)
        _summed(f, -1, maximise, sizes, pointers, variables, table, incoming, states, values, found)
        total += found[0]
        for slot in range(pointers[f], pointers[f + 1]):
            n = sizes[variables[slot]]
            total -= _log_total(incoming[slot - pointers[f], :n] + messages[slot, :n], maximise)
    return total
