r"""Weights of groups of factors by pseudo-likelihood, the product of each variable's probability given the others.

With features :math:`\theta_f` and a weight per group g(f), the objective of observed joint states x is

.. math:: \sum_v \ln p(x_v \mid x_{-v}; w) - \tfrac{\lambda}{2} \lVert w - 1 \rVert^2, \qquad p(x_v = s \mid \cdot)
          \propto \exp\Bigl(\theta_v(s) + \sum_{f \ni v} w_{g(f)} \theta_f(x_{f \setminus v}, s)\Bigr),           (1)

which is concave and needs no partition function.
"""

from __future__ import annotations

import numpy as np
import scipy.optimize

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.inference.message_passing import FactorGraph


def learned_weights(graph: FactorGraph, rows: Ints, groups: Ints, penalty: float) -> tuple[Floats, float]:
    """Return the weights that maximise (1), and the mean pseudo-log-likelihood per variable."""
    features = conditional_features(graph, rows, groups)
    n_groups = int(groups.max(initial=-1)) + 1

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, slope = 0.5 * penalty * float(((weights - 1) ** 2).sum()), penalty * (weights - 1)
        for v, (own, sums) in enumerate(features):
            scores = own + sums @ weights
            scores -= scores.max(axis=1, keepdims=True)
            shares = np.exp(scores)
            shares /= shares.sum(axis=1, keepdims=True)
            at = np.arange(len(rows)), rows[:, v]
            with np.errstate(divide="ignore"):
                total -= float(np.log(shares[at]).sum())
            slope = slope - (sums[at] - (shares[..., None] * sums).sum(axis=1)).sum(axis=0)
        return total, slope

    found = scipy.optimize.minimize(loss, np.ones(n_groups), jac=True, method="L-BFGS-B")
    if not np.isfinite(found.fun):
        raise InvalidInput("an observed state is impossible under the factors; −∞ must not forbid what was observed")
    fitted = loss(found.x)[0] - 0.5 * penalty * float(((found.x - 1) ** 2).sum())
    return found.x, -fitted / rows.size


def conditional_features(graph: FactorGraph, rows: Ints, groups: Ints) -> list[tuple[Floats, Floats]]:
    """Return for every variable its own log-potentials and, by group, those of its factors: rows × states × groups."""
    n_groups = int(groups.max(initial=-1)) + 1
    found = [
        (graph.unary[v, :size][None, :], np.zeros((len(rows), int(size), n_groups)))
        for v, size in enumerate(graph.sizes)
    ]
    for f, number in enumerate(graph.table_of):
        members = graph.variables[graph.pointers[f] : graph.pointers[f + 1]]
        table = graph.tables[graph.table_pointers[number] : graph.table_pointers[number + 1]]
        table = table.reshape(tuple(graph.sizes[members]))
        for axis, v in enumerate(members):
            others = tuple(rows[:, u] for u in np.delete(members, axis))
            found[v][1][:, :, groups[f]] += np.moveaxis(table, axis, -1)[others]
    return found
