r"""Gibbs sampling for hierarchical topics: a path through a tree for every document, a level for every token.

A document chooses a path from the root to a leaf by the nested Chinese restaurant process: at node u, which
:math:`m_u` other documents visit, it goes to child c in proportion to :math:`m_c`, or to a new one in proportion to γ.
Given the path, its tokens are drawn one after the other: level l and word w with

.. math:: p(l, w) = \frac{n_{dl} + \alpha}{n_d + L\alpha} \, \frac{n_{u_l w} + \eta_l}{n_{u_l} + V\eta_l}.          (1)

A path and all levels of a document are drawn together: levels z are proposed for every path by (1) in the order of the
tokens, those of the current path being kept, and a path is drawn in proportion to

.. math:: p(\text{path}) \prod_i \sum_l p(l, w_i \mid z_1 \ldots z_{i-1}),                                          (2)

the weights p(z, w) / q(z) of these proposals. This leaves the posterior unchanged for any number of paths, as in
conditional importance sampling. Then each level is drawn by (1) given all others.

A node is a row of `counts` (nodes × words), with its sum in `totals`, its parent, its level, and the documents that
visit it in `members`; rows without members are free. Row 0 is the root. The words of a document are sorted.
"""

import math

import numpy as np

from driftline.compute.cpu.lda_gibbs import begin_random, next_random
from driftline.compute.cpu.resampling import draw
from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def change_counts(words, levels, path, sign, members, counts, totals):
    """Add a document to the nodes of its path, or remove it."""
    for u in path:
        members[u] += sign
    for i in range(len(words)):
        counts[path[levels[i]], words[i]] += sign
        totals[path[levels[i]]] += sign


@njit(cache=True, nogil=True)
def propose_levels(words, path, kept, alpha, eta, counts, totals, state, levels):
    """Write proposed levels on a path, in which -1 is an empty node; return the product of (2) and the random state.

    If there are `kept` levels, these are the proposal.
    """
    depth, n_words, found = len(path), counts.shape[1], 0.0
    own, again, chance = np.zeros(depth), np.zeros(depth), np.empty(depth)
    for i in range(len(words)):
        if i == 0 or words[i] != words[i - 1]:
            again[:] = 0.0
        total = 0.0
        for level in range(depth):
            u = path[level]
            said, all_said = (counts[u, words[i]], totals[u]) if u >= 0 else (0.0, 0.0)
            share = (said + again[level] + eta[level]) / (all_said + own[level] + n_words * eta[level])
            chance[level] = (own[level] + alpha) * share
            total += chance[level]
        found += math.log(total / (i + depth * alpha))
        if len(kept) > 0:
            level = kept[i]
        else:
            uniform, state = next_random(state)
            level = draw(chance, uniform * total)
        levels[i] = level
        own[level] += 1
        again[level] += 1
    return found, state


@njit(cache=True, nogil=True)
def draw_path(words, gamma, alpha, eta, parents, depths, members, counts, totals, state, path, levels, trials):
    """Draw a path and levels (2) into `path` and `levels`, which contain the current ones.

    New nodes get free rows, of which there must be enough; `trials` is memory for proposals, nodes × tokens.
    """
    rows, depth = len(members), len(path)
    present = 0
    for level in range(1, depth):
        if members[path[level]] > 0:
            present = path[level]
    prior, choices, route = np.full(rows, -np.inf), np.full(rows, -np.inf), np.empty(depth, dtype=np.int64)
    nothing = levels[:0]
    for level in range(depth):
        for u in range(rows):
            if depths[u] != level or (members[u] == 0 and u > 0):
                continue
            prior[u] = prior[parents[u]] + math.log(members[u] / (members[parents[u]] + gamma)) if u > 0 else 0.0
            route[:] = -1
            node = u
            for place in range(level, -1, -1):
                route[place] = node
                node = parents[node]
            kept = levels if u == present else nothing
            fit, state = propose_levels(words, route, kept, alpha, eta, counts, totals, state, trials[u])
            ends = 0.0 if level == depth - 1 else math.log(gamma / (members[u] + gamma))
            choices[u] = prior[u] + ends + fit
    uniform, state = next_random(state)
    chosen = _drawn(choices, uniform)
    levels[:] = trials[chosen, : len(levels)]
    node = chosen
    for place in range(depths[chosen], -1, -1):
        path[place] = node
        node = parents[node]
    free = 1
    for place in range(depths[chosen] + 1, depth):
        while members[free] > 0:
            free += 1
        parents[free], depths[free], path[place] = path[place - 1], place, free
        free += 1
    return state


@njit(cache=True, nogil=True)
def _drawn(logs, uniform):
    """Return a draw in proportion to the exponentials of logarithms."""
    largest, total = logs.max(), 0.0
    for k in range(len(logs)):
        total += math.exp(logs[k] - largest)
    left, chosen = uniform * total, 0
    for k in range(len(logs)):
        if logs[k] > -np.inf:
            chosen = k
            left -= math.exp(logs[k] - largest)
            if left < 0:
                break
    return chosen


@njit(cache=True, nogil=True)
def draw_levels(words, levels, path, alpha, eta, counts, totals, state):
    """Draw the levels of a document's tokens by (1), each given all others, in place."""
    depth = len(path)
    own, chance = np.zeros(depth), np.empty(depth)
    for i in range(len(words)):
        own[levels[i]] += 1
    for i in range(len(words)):
        w, level = words[i], levels[i]
        own[level] -= 1
        counts[path[level], w] -= 1
        totals[path[level]] -= 1
        total = 0.0
        for each in range(depth):
            u = path[each]
            share = (counts[u, w] + eta[each]) / (totals[u] + counts.shape[1] * eta[each])
            chance[each] = (own[each] + alpha) * share
            total += chance[each]
        uniform, state = next_random(state)
        level = draw(chance, uniform * total)
        levels[i] = level
        own[level] += 1
        counts[path[level], w] += 1
        totals[path[level]] += 1
    return state


@njit(cache=True, nogil=True)
def sweep_paths(begin, starts, words, gamma, alpha, eta, seed, levels, paths, parents, depths, members, counts, totals):
    """Draw paths and levels of documents from `begin`; return the first for which too few rows were free, or n."""
    n, depth = paths.shape
    state = begin_random(seed, begin)
    longest = 0
    for d in range(n):
        longest = max(longest, starts[d + 1] - starts[d])
    trials = np.empty((len(members), longest), dtype=levels.dtype)
    for d in range(begin, n):
        n_free = 0
        for u in range(len(members)):
            n_free += members[u] == 0
        if n_free < depth:
            return d
        part = slice(starts[d], starts[d + 1])
        own, path = levels[part], paths[d]
        change_counts(words[part], own, path, -1, members, counts, totals)
        state = draw_path(
            words[part], gamma, alpha, eta, parents, depths, members, counts, totals, state, path, own, trials
        )
        change_counts(words[part], own, path, 1, members, counts, totals)
        state = draw_levels(words[part], own, path, alpha, eta, counts, totals, state)
    return n


@njit(cache=True, nogil=True)
def infer_paths(
    indptr,
    words,
    said,
    asked_indptr,
    asked_words,
    asked_said,
    shares,
    paths,
    log_prior,
    alpha,
    passes,
    weights,
    leaves,
    likelihoods,
):
    r"""Write the expected shares of nodes and leaves of documents, and ln p(requested words | given words).

    On each path :math:`\theta_l \propto \alpha + \sum_w x_w r_{wl}` with :math:`r_{wl} \propto \theta_l \phi_{lw}`,
    iterated a fixed number of times; a path has the probability of its prior times :math:`\prod_w (\sum_l \theta_l
    \phi_{lw})^{x_w}`.
    """
    n_paths, depth = paths.shape
    theta, logs, more, own = np.empty((n_paths, depth)), np.empty(n_paths), np.empty(depth), np.empty(depth)
    for d in range(len(indptr) - 1):
        for k in range(n_paths):
            theta[k] = 1.0 / depth
            for _ in range(passes):
                more[:] = alpha
                for i in range(indptr[d], indptr[d + 1]):
                    total = 0.0
                    for level in range(depth):
                        own[level] = theta[k, level] * shares[paths[k, level], words[i]]
                        total += own[level]
                    for level in range(depth):
                        more[level] += said[i] * own[level] / total
                theta[k] = more / more.sum()
            logs[k] = log_prior[k] + _log_words(d, indptr, words, said, theta[k], shares, paths[k])
        chance = np.exp(logs - logs.max())
        leaves[d] = chance / chance.sum()
        weights[d] = 0.0
        for k in range(n_paths):
            for level in range(depth):
                weights[d, paths[k, level]] += leaves[d, k] * theta[k, level]
        for k in range(n_paths):
            logs[k] = -np.inf
            if leaves[d, k] > 0:
                asked = _log_words(d, asked_indptr, asked_words, asked_said, theta[k], shares, paths[k])
                logs[k] = math.log(leaves[d, k]) + asked
        largest = logs.max()
        likelihoods[d] = largest + math.log(np.exp(logs - largest).sum())


@njit(cache=True, nogil=True)
def _log_words(d, indptr, words, said, theta, shares, path):
    """Return ln p(words | shares of levels, path)."""
    found = 0.0
    for i in range(indptr[d], indptr[d + 1]):
        total = 0.0
        for level in range(len(path)):
            total += theta[level] * shares[path[level], words[i]]
        found += said[i] * math.log(total)
    return found
