r"""Functions for variational inference with Dirichlet distributions.

A Dirichlet distribution with parameters :math:`\gamma` has
:math:`E[\ln\theta_k] = \psi(\gamma_k) - \psi(\sum\gamma)` (1).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, psi

from driftline.core.arrays import Counts, Floats

LEAST, MOST = 1e-5, 1e5
"""Bounds of learned concentrations: below them a topic is unused, above them the prior dominates the data."""
SHAPE, RATE = 1.001, 1.0
"""The Gamma distribution from which learned concentrations are drawn: it favours small ones slightly."""


def expected_log(parameters: npt.ArrayLike) -> Floats:
    """Return E[ln θ] of the Dirichlet distributions in the rows (1).

    >>> expected_log([[1.0, 1.0]])
    array([[-1., -1.]])
    """
    parameters = np.asarray(parameters, dtype=np.float64)
    found: Floats = psi(parameters) - psi(parameters.sum(axis=-1, keepdims=True))
    return found


def divergence(posterior: npt.ArrayLike, prior: npt.ArrayLike) -> float:
    """Return the sum over the rows of the Kullback-Leibler divergence of Dirichlet(posterior) from Dirichlet(prior).

    >>> divergence([[2.0, 3.0]], [[2.0, 3.0]])
    0.0
    """
    posterior = np.atleast_2d(np.asarray(posterior, dtype=np.float64))
    prior = np.broadcast_to(np.asarray(prior, dtype=np.float64), posterior.shape)
    normalisers = gammaln(posterior.sum(axis=1)) - gammaln(prior.sum(axis=1))
    terms = gammaln(prior) - gammaln(posterior) + (posterior - prior) * expected_log(posterior)
    return float(normalisers.sum() + terms.sum())


def learn_concentrations(concentrations: npt.ArrayLike, counts: Counts, *, n_steps: int = 1) -> Floats:
    r"""Return better parameters of the Dirichlet distribution from which the rows of counts were drawn.

    One step is :math:`\alpha_k \leftarrow \frac{s - 1 + \alpha_k \sum_d g(n_{dk}, \alpha_k)}
    {r + \sum_d \psi(n_d+\alpha_0) - \psi(\alpha_0)}` (2), where :math:`\alpha_k \sim \mathrm{Gamma}(s, r)` and g is
    `digamma_gain` (3). It never decreases the posterior of whole counts (Minka).
    """
    alpha = np.array(concentrations, dtype=np.float64)
    for _ in range(n_steps):
        alpha = better_concentrations(alpha, *concentration_sums(alpha, counts))
    return alpha


def digamma_gain(counts: Counts, concentrations: Floats | float) -> Floats:
    r"""Return the expected increase of ψ by uncertain counts, Eq. 3.

    .. math:: g(n, \alpha) = \psi(\lfloor n\rfloor+\alpha) - \psi(\alpha)
        + \frac{n - \lfloor n\rfloor}{\lfloor n\rfloor + \alpha}

    For whole n it is :math:`\psi(n+\alpha) - \psi(\alpha)`; between whole numbers it is linear. An expected count of
    0.1 is a count of one with probability 0.1, not a tenth of a word: with ψ of the expected count itself, the many
    small expected counts of short documents would look like evidence of a flat prior, which would make them still
    smaller, and the concentrations would grow without bound.

    >>> digamma_gain(np.array([0.0, 0.5, 1.0, 2.0]), 0.1).round(3)
    array([ 0.   ,  5.   , 10.   , 10.909])
    """
    whole = np.floor(counts)
    start = whole + concentrations
    found: Floats = psi(start) - psi(concentrations) + (counts - whole) / start
    return found


def concentration_sums(concentrations: npt.ArrayLike, counts: Counts) -> tuple[Floats, float]:
    """Return the sums over the rows in (2); sums of parts of the rows may be added."""
    alpha, counts = np.asarray(concentrations), np.asarray(counts, dtype=np.float64)
    lengths = counts.sum(axis=1)
    counts, lengths = counts[lengths > 0], lengths[lengths > 0]
    above = digamma_gain(counts, alpha).sum(axis=0)
    return above, float((psi(lengths + alpha.sum()) - psi(alpha.sum())).sum())


def better_concentrations(concentrations: npt.ArrayLike, above: Floats, below: float) -> Floats:
    """Take the step, given its sums; without counts nothing changes."""
    alpha = np.array(concentrations, dtype=np.float64)
    return _braked(alpha * above, below) if below > 0 else alpha


def learn_concentration(concentration: float, counts: Counts, *, n_steps: int = 1) -> float:
    """Return a better value of one concentration that is shared by all columns; see `learn_concentrations`."""
    beta = float(concentration)
    counts = np.asarray(counts)
    n = counts.shape[1]
    lengths = counts.sum(axis=1, dtype=np.float64)
    for _ in range(n_steps if lengths.any() else 0):
        above = sum(float(digamma_gain(row.astype(np.float64), beta).sum()) for row in counts)
        below = n * float((psi(lengths + n * beta) - psi(n * beta)).sum())
        beta = float(_braked(beta * above, below))
    return beta


def _braked(numerator: Floats | float, denominator: float) -> Floats:
    return np.asarray(np.clip((SHAPE - 1.0 + numerator) / (RATE + denominator), LEAST, MOST))
