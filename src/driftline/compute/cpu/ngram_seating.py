r"""Seating customers in the restaurants of a hierarchical Pitman-Yor language model.

A context u is a restaurant, an n-gram uw the cell of dish w in it: :math:`c_{uw}` customers at :math:`t_{uw}` tables,
:math:`C_u` and :math:`T_u` in all. With π(u) the context without its first word, a word has the probability

.. math:: p(w \mid u) = \frac{c_{uw} - d t_{uw}}{\theta + C_u} + \frac{\theta + d T_u}{\theta + C_u}
          p(w \mid \pi(u)),                                                                                       (1)

and 1/V below the empty context. A customer joins a table of n customers with a weight of :math:`n - d` and opens one
with a weight of :math:`(\theta + d T_u)\, p(w \mid \pi(u))` (2); a new table is a customer of the parent restaurant.
d and θ depend on the length of u alone.

Cells are numbered as n-grams; `context_of` is the restaurant, `suffix_of` the cell of the parent (-1: none). The sizes
of the tables of cell g are ``sizes[starts[g] : starts[g] + tables[g]]``, and zeros after them up to ``starts[g + 1]``:
a cell never has more tables than its n-gram has tokens. Large tables come first, where a search begins.
"""

import math

import numpy as np

from driftline.compute.cpu.lda_gibbs import begin_random
from driftline.compute.jit import njit


@njit(cache=True, nogil=True, forceinline=True)
def next_uniform(state):
    """Return a double in [0, 1) and the next state (xorshift64*)."""
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    value = (state * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(11)
    return np.float64(value) * 2.0**-53, state


@njit(cache=True, nogil=True)
def _leave(path, n, context_of, starts, customers, tables, sizes, totals, n_tables, state):
    """Remove a customer from the first cell of a path; an emptied table removes a customer from the next cell."""
    for j in range(n):
        g = path[j]
        u, state = next_uniform(state)
        point, k = np.int64(u * customers[g]), starts[g]
        while point >= sizes[k]:
            point -= sizes[k]
            k += 1
        customers[g] -= 1
        totals[context_of[g]] -= 1
        sizes[k] -= 1
        if sizes[k] > 0:
            break
        last = starts[g] + tables[g] - 1
        sizes[k] = sizes[last]
        sizes[last] = 0
        tables[g] -= 1
        n_tables[context_of[g]] -= 1
    return state


@njit(cache=True, nogil=True)
def _enter(
    path, n, context_of, starts, discounts, concentrations, base, customers, tables, sizes, totals, n_tables, p, state
):
    """Seat a customer in the first cell of a path by (2), and its new tables in the next ones; return p(w | u)."""
    p[n] = base
    for j in range(n - 1, -1, -1):  # from the empty context to the longest
        g, m = path[j], n - 1 - j
        r = context_of[g]
        rest = (concentrations[m] + discounts[m] * n_tables[r]) * p[j + 1]
        p[j] = (customers[g] - discounts[m] * tables[g] + rest) / (concentrations[m] + totals[r])  # Eq. 1
    for j in range(n):
        g, m = path[j], n - 1 - j
        r, d = context_of[g], discounts[n - 1 - j]
        seated = customers[g] - d * tables[g]
        opened = (concentrations[m] + d * n_tables[r]) * p[j + 1]
        u, state = next_uniform(state)
        point = u * (seated + opened)
        customers[g] += 1
        totals[r] += 1
        if point < seated:  # Eq. 2
            k, last = starts[g], starts[g] + tables[g] - 1
            while k < last and point >= sizes[k] - d:
                point -= sizes[k] - d
                k += 1
            sizes[k] += 1
            if k > starts[g] and sizes[k] > sizes[k - 1]:
                sizes[k], sizes[k - 1] = sizes[k - 1], sizes[k]
            break
        sizes[starts[g] + tables[g]] = 1
        tables[g] += 1
        n_tables[r] += 1
    return p[0], state


@njit(cache=True, nogil=True)
def sweep_customers(
    direct,
    context_of,
    suffix_of,
    starts,
    discounts,
    concentrations,
    base,
    customers,
    tables,
    sizes,
    totals,
    n_tables,
    seated,
    seed,
):
    """Seat every customer again, given all others; return the sum of ln p(word | all others).

    `direct` has the number of tokens whose longest n-gram is a cell. If no customer is `seated` yet, they enter one by
    one.
    """
    state = begin_random(seed, 0)
    path, p = np.empty(len(discounts), np.int64), np.empty(len(discounts) + 1)
    likelihood = 0.0
    for g in range(len(direct)):
        if direct[g] == 0:
            continue
        n, cell = 0, g
        while cell >= 0:
            path[n] = cell
            n += 1
            cell = suffix_of[cell]
        for _ in range(direct[g]):
            if seated:
                state = _leave(path, n, context_of, starts, customers, tables, sizes, totals, n_tables, state)
            found, state = _enter(
                path,
                n,
                context_of,
                starts,
                discounts,
                concentrations,
                base,
                customers,
                tables,
                sizes,
                totals,
                n_tables,
                p,
                state,
            )
            likelihood += math.log(found)
    return likelihood


@njit(cache=True, nogil=True)
def add_probabilities(grams, offsets, shares, rest, base, found):
    """Add (1) of every token to `found`.

    `grams` has the cells of the n-grams that end at a token, tokens × orders, -1 if there is none. `shares` is the
    first term of a cell, `rest` the factor of the second in a restaurant; the last restaurant is the empty context.
    """
    root = len(rest) - 1
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            p = shares[grams[i, 0]] + rest[root] * base
            for m in range(1, grams.shape[1]):
                r = grams[i - 1, m - 1] if i > offsets[d] else -1
                if r < 0:
                    break
                p *= rest[r]
                if grams[i, m] >= 0:
                    p += shares[grams[i, m]]
            found[i] += p
