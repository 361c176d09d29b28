r"""Weights of rules by pseudo-likelihood: each atom of an observed world given all others.

With :math:`\Delta_{ar}` the number of true groundings of rule r minus that after changing atom a,

.. math:: \max_w \; -\sum_a \ln\bigl(1 + e^{-\sum_r w_r \Delta_{ar}}\bigr) - \tfrac{\lambda}{2} \lVert w \rVert^2. (1)
"""

from __future__ import annotations

import numpy as np
import scipy.optimize
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.graphs.logic.ground_network import GroundNetwork


def truth_changes(network: GroundNetwork, world: Ints, n_rules: int) -> sp.csr_matrix:
    """Return Δ of (1), atoms × rules."""
    clause_of = np.repeat(np.arange(len(network.clauses) - 1), np.diff(network.clauses))
    formula_of = np.repeat(np.arange(len(network.formulas) - 1), np.diff(network.formulas))
    atoms = network.literals // 2
    true = world[atoms] != network.literals % 2
    n_true = np.bincount(clause_of, weights=true, minlength=len(network.clauses) - 1)
    n_broken = np.bincount(formula_of, weights=n_true == 0, minlength=len(network.formulas) - 1)
    # The changes in a clause when one of its atoms changes, then those in the formulas
    pairs, place = np.unique(np.column_stack([clause_of, atoms]), axis=0, return_inverse=True)
    after = n_true[pairs[:, 0]] + np.bincount(place.ravel(), weights=np.where(true, -1, 1), minlength=len(pairs))
    broken = (after == 0).astype(np.int64) - (n_true[pairs[:, 0]] == 0)
    both, place = np.unique(np.column_stack([formula_of[pairs[:, 0]], pairs[:, 1]]), axis=0, return_inverse=True)
    then = n_broken[both[:, 0]] + np.bincount(place.ravel(), weights=broken, minlength=len(both))
    change = (n_broken[both[:, 0]] == 0).astype(np.float64) - (then == 0)
    cells = (change, (both[:, 1], network.rule_of[both[:, 0]]))
    return sp.csr_matrix(cells, shape=(network.n_atoms, n_rules))


def learned_weights(changes: sp.csr_matrix, penalty: float) -> Floats:
    """Return the weights that maximise (1)."""

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = changes @ weights
        slope = penalty * weights - changes.T @ (1 / (1 + np.exp(np.clip(odds, -500, 500))))
        return float(np.logaddexp(0, -odds).sum() + 0.5 * penalty * (weights**2).sum()), slope

    found: Floats = scipy.optimize.minimize(loss, np.zeros(changes.shape[1]), jac=True, method="L-BFGS-B").x
    return found
