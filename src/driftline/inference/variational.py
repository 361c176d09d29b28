r"""Functions for variational inference with Dirichlet distributions.

A Dirichlet distribution with parameters :math:`\gamma` has
:math:`E[\ln\theta_k] = \psi(\gamma_k) - \psi(\sum\gamma)` (1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, psi

from driftline.core.arrays import Counts, Floats

LEAST, MOST = 1e-5, 1e5
"""Bounds of learned concentrations: below, a topic is unused; above, the prior dominates the data."""


def expected_log(parameters: Any) -> Floats:
    """Return E[ln θ] of the Dirichlet distributions in the rows (1).

    >>> expected_log([[1.0, 1.0]])
    array([[-1., -1.]])
    """
    parameters = np.asarray(parameters, dtype=np.float64)
    found: Floats = psi(parameters) - psi(parameters.sum(axis=-1, keepdims=True))
    return found


def divergence(posterior: Any, prior: Any) -> float:
    """Return the sum over the rows of the Kullback-Leibler divergence of Dirichlet(posterior) from Dirichlet(prior).

    >>> divergence([[2.0, 3.0]], [[2.0, 3.0]])
    0.0
    """
    posterior = np.atleast_2d(np.asarray(posterior, dtype=np.float64))
    prior = np.broadcast_to(np.asarray(prior, dtype=np.float64), posterior.shape)
    normalisers = gammaln(posterior.sum(axis=1)) - gammaln(prior.sum(axis=1))
    terms = gammaln(prior) - gammaln(posterior) + (posterior - prior) * expected_log(posterior)
    return float(normalisers.sum() + terms.sum())


def learn_concentrations(concentrations: Any, counts: Counts, *, n_steps: int = 1) -> Floats:
    r"""Return better parameters of the Dirichlet distribution from which the rows of counts were drawn.

    One step is the fixed point :math:`\alpha_k \leftarrow \alpha_k \frac{\sum_d \psi(n_{dk}+\alpha_k) - \psi(\alpha_k)}
    {\sum_d \psi(n_d+\alpha_0) - \psi(\alpha_0)}`, which never decreases the likelihood of the counts.
    """
    alpha = np.array(concentrations, dtype=np.float64)
    for _ in range(n_steps):
        alpha = better_concentrations(alpha, *concentration_sums(alpha, counts))
    return alpha


def concentration_sums(concentrations: Any, counts: Counts) -> tuple[Floats, float]:
    """Return the numerator and denominator of that step, which may be summed over parts of the rows."""
    alpha, counts = np.asarray(concentrations), np.asarray(counts, dtype=np.float64)
    lengths = counts.sum(axis=1)
    counts, lengths = counts[lengths > 0], lengths[lengths > 0]
    above = (psi(counts + alpha) - psi(alpha)).sum(axis=0)
    return above, float((psi(lengths + alpha.sum()) - psi(alpha.sum())).sum())


def better_concentrations(concentrations: Any, above: Any, below: float) -> Floats:
    """Take the step, given its sums; without counts nothing changes."""
    alpha = np.array(concentrations, dtype=np.float64)
    return np.clip(alpha * above / below, LEAST, MOST) if below > 0 else alpha


def learn_concentration(concentration: float, counts: Counts, *, n_steps: int = 1) -> float:
    """Return a better value of one concentration that is shared by all columns; see `learn_concentrations`."""
    beta = float(concentration)
    counts = np.asarray(counts)
    n = counts.shape[1]
    lengths = counts.sum(axis=1, dtype=np.float64)
    for _ in range(n_steps if lengths.any() else 0):
        above = sum(float((psi(row.astype(np.float64) + beta) - psi(beta)).sum()) for row in counts)
        below = n * float((psi(lengths + n * beta) - psi(n * beta)).sum())
        beta = float(np.clip(beta * above / max(below, np.finfo(np.float64).tiny), LEAST, MOST))
    return beta
