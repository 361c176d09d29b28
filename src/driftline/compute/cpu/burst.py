r"""Kleinberg's automaton: cheapest state sequence, nested bursts, and all words of a corpus at once.

Both versions of the automaton have a cost that is linear in two numbers per step, so one loop serves both:

    cost of state i at step t = events[t] · event_cost[i] + exposure[t] · exposure_cost[i]          (1)

gaps      events = 1,   event_cost = -ln α_i,   exposure = the gap,            exposure_cost = α_i
batches   events = r_t, event_cost = -ln p_i,   exposure = d_t - r_t,          exposure_cost = -ln(1 - p_i)

A transition up from state l to j > l costs (j - l) · climb_cost, transitions down are free (2); the automaton starts in
state 0.
"""

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def cheapest_path(events, exposure, event_cost, exposure_cost, climb_cost, path):
    """Write the cheapest state of every step into `path` (int16) and return its cost; O(steps · states).

    The cheapest transition into state j is the cheaper of two running minima: over the states from j upwards
    (transitions down are free), and over those from j downwards (every step up adds `climb_cost`). Of equally cheap
    ones the lower state is taken.
    """
    n, k = len(events), len(event_cost)
    if n == 0:
        return 0.0
    origin = np.empty((n, k), dtype=np.int16)
    cost = np.full(k, np.inf)
    cost[0] = 0.0
    enter = np.empty(k)
    for t in range(n):
        best, source = np.inf, 0
        for j in range(k):
            best += climb_cost
            if cost[j] < best:
                best, source = cost[j], j
            enter[j] = best
            origin[t, j] = source
        best, source = np.inf, k - 1
        for j in range(k - 1, -1, -1):
            if cost[j] <= best:
                best, source = cost[j], j
            if best < enter[j]:
                enter[j] = best
                origin[t, j] = source
            cost[j] = enter[j] + events[t] * event_cost[j] + exposure[t] * exposure_cost[j]  # Eq. 1
    state = 0
    for j in range(1, k):
        if cost[j] < cost[state]:
            state = j
    total = cost[state]
    for t in range(n - 1, -1, -1):
        path[t] = state
        state = origin[t, state]
    return total


@njit(cache=True, nogil=True)
def nested_bursts(path):
    """Return first step, last step, level and parent of every burst: a longest run of states at or above a level.

    Bursts come in the order in which they begin, outer before inner; an outermost burst has parent -1.
    """
    n = len(path)
    count, below, top = 0, 0, 0
    for t in range(n):
        count += max(0, path[t] - below)
        below = path[t]
        top = max(top, path[t])
    first = np.empty(count, dtype=np.int64)
    last = np.empty(count, dtype=np.int64)
    level = np.empty(count, dtype=np.int64)
    parent = np.empty(count, dtype=np.int64)
    running = np.empty(top + 1, dtype=np.int64)
    running[0] = -1
    depth, found = 0, 0
    for t in range(n + 1):
        state = path[t] if t < n else 0
        while depth > state:
            last[running[depth]] = t - 1
            depth -= 1
        while depth < state:
            depth += 1
            first[found], level[found], parent[found] = t, depth, running[depth - 1]
            running[depth] = found
            found += 1
    return first, last, level, parent


@njit(cache=True, nogil=True)
def burst_weights(first, last, level, events, exposure, event_cost, exposure_cost):
    """Return for every burst the saving of its level over the one below, summed over its steps, and its events."""
    n = len(events)
    sum_events = np.zeros(n + 1)
    sum_exposure = np.zeros(n + 1)
    for t in range(n):
        sum_events[t + 1] = sum_events[t] + events[t]
        sum_exposure[t + 1] = sum_exposure[t] + exposure[t]
    weight = np.empty(len(first))
    inside = np.empty(len(first))
    for b in range(len(first)):
        j = level[b]
        inside[b] = sum_events[last[b] + 1] - sum_events[first[b]]
        outside = sum_exposure[last[b] + 1] - sum_exposure[first[b]]
        weight[b] = inside[b] * (event_cost[j - 1] - event_cost[j]) + outside * (
            exposure_cost[j - 1] - exposure_cost[j]
        )
    return weight, inside


@njit(cache=True, nogil=True)
def batch_levels(base, scaling, largest, max_level):
    """Return the number of states p_i = base · scaling^i on optimal paths: up to the largest share, all below 1."""
    k, share = 1, base
    while share < largest and share * scaling < 1.0 and k <= max_level:
        share *= scaling
        k += 1
    return k


@njit(cache=True, nogil=True)
def batch_costs(base, scaling, k):
    """Return event_cost and exposure_cost of the batched automaton's states."""
    event_cost = np.empty(k)
    exposure_cost = np.empty(k)
    for i in range(k):
        share = base * scaling**i
        event_cost[i] = -np.log(share)
        exposure_cost[i] = -np.log1p(-share)
    return event_cost, exposure_cost


@njit(cache=True, nogil=True)
def word_bursts(start, bins, relevant, totals, n_batches, scaling, gamma, max_level):
    """Run each word of a chunk through the batched automaton; return word, first and last bin, level, parent, …

    Word w has ``relevant[start[w]:start[w + 1]]`` documents in the bins ``bins[start[w]:start[w + 1]]`` (ascending).
    Bins without the word are processed as runs, not one by one. This is exact: absence costs more in higher states, so
    the cheapest path through a run stays in one state, its lowest there, from the first bin to the last. The work is
    O(bins that have the word · states).
    """
    n_bins = len(totals)
    before = np.zeros(n_bins + 1)
    for t in range(n_bins):
        before[t + 1] = before[t] + totals[t]
    climb_cost = gamma * np.log(n_batches)
    capacity, found = 1024, 0
    table = np.empty((5, capacity), dtype=np.int64)
    numbers = np.empty((2, capacity))
    for w in range(len(start) - 1):
        a, b = start[w], start[w + 1]
        n_events, largest = 0.0, 0.0
        for s in range(a, b):
            n_events += relevant[s]
            largest = max(largest, relevant[s] / totals[bins[s]])
        if b == a or n_events >= before[n_bins]:
            continue
        base = n_events / before[n_bins]
        k = batch_levels(base, scaling, largest, max_level)
        if k == 1:
            continue
        event_cost, exposure_cost = batch_costs(base, scaling, k)
        events = np.empty(2 * (b - a) + 1)
        exposure = np.empty(2 * (b - a) + 1)
        opens = np.empty(2 * (b - a) + 1, dtype=np.int64)
        n, reached = 0, 0
        for s in range(a, b + 1):
            here = bins[s] if s < b else n_bins
            if here > reached:
                events[n], exposure[n], opens[n] = 0.0, before[here] - before[reached], reached
                n += 1
            if s < b:
                events[n], exposure[n], opens[n] = relevant[s], totals[here] - relevant[s], here
                n += 1
                reached = here + 1
        path = np.empty(n, dtype=np.int16)
        cheapest_path(events[:n], exposure[:n], event_cost, exposure_cost, climb_cost, path)
        first, last, level, parent = nested_bursts(path)
        m = len(first)
        if m == 0:
            continue
        weight, inside = burst_weights(first, last, level, events[:n], exposure[:n], event_cost, exposure_cost)
        if found + m > capacity:
            capacity = 2 * (found + m)
            wider = np.empty((5, capacity), dtype=np.int64)
            longer = np.empty((2, capacity))
            for i in range(found):  # loops, because Numba takes seconds to compile assignments of slices
                for row in range(5):
                    wider[row, i] = table[row, i]
                longer[0, i], longer[1, i] = numbers[0, i], numbers[1, i]
            table, numbers = wider, longer
        for i in range(m):
            closes = opens[last[i] + 1] - 1 if last[i] + 1 < n else n_bins - 1
            table[0, found + i] = w
            table[1, found + i] = opens[first[i]]
            table[2, found + i] = closes
            table[3, found + i] = level[i]
            table[4, found + i] = parent[i] + found if parent[i] >= 0 else -1
            numbers[0, found + i] = weight[i]
            numbers[1, found + i] = inside[i]
        found += m
    return table[:, :found].copy(), numbers[:, :found].copy()
