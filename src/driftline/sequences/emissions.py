r"""Emissions of the states of a hidden Markov model: words, numbers, counts, or shares.

Each kind is a few functions of the distinct observations (`values`, one row each) and of the expected number of times
that each state emitted them (`counts`, distinct observations × states). The parameters of a kind are one array, with a
column per state. Every kind has a prior worth `strength` observations, so that a state that emits almost nothing has
finite parameters: means, rates and shares shrink towards those of all observations (`centre`, a column).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlogy

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Floats


@dataclass(frozen=True)
class Emissions:
    """One kind of emission.

    Attributes
    ----------
    n_columns : int or None
        Number of values in one observation; None if any number is allowed.
    together : function of the values and of their numbers of occurrences
        Returns the parameters of all observations together, numbers × 1.
    estimate : function of the values, the expected counts, the centre and the strength of the prior
        Returns the parameters, numbers × states.
    log_likelihood : function of the values and the parameters
        Returns the logarithm of the probability (or density) of every value in every state, values × states.
    log_prior : function of the parameters, the centre and the strength of the prior
        Returns the logarithm of the prior's density, up to a constant.
    rule, allowed : str, function of the values
        The condition on an observation, for error messages; which observations satisfy it.
    """

    n_columns: int | None
    together: Callable[[Floats, Floats], Floats]
    estimate: Callable[[Floats, Floats, Floats, float], Floats]
    log_likelihood: Callable[[Floats, Floats], Floats]
    log_prior: Callable[[Floats, Floats, float], float]
    rule: str
    allowed: Callable[[Floats], Bools]


def _words_together(values: Floats, counts: Floats) -> Floats:
    found: Floats = (counts + 1.0) / (counts.sum() + len(counts))
    return found[:, None]


def _words_estimate(values: Floats, counts: Floats, centre: Floats, strength: float) -> Floats:
    found: Floats = (counts + strength) / (counts + strength).sum(axis=0)
    return found


def _words_log_likelihood(values: Floats, parameters: Floats) -> Floats:
    return np.log(parameters)


def _words_log_prior(parameters: Floats, centre: Floats, strength: float) -> float:
    return float(strength * np.log(parameters).sum())


def _gaussian_together(values: Floats, counts: Floats) -> Floats:
    means = np.einsum("r,rd->d", counts, values) / counts.sum()
    spread = np.einsum("r,rd->d", counts, (values - means) ** 2) / counts.sum()
    return np.concatenate([means, np.maximum(spread, 1e-20 * (1 + means**2))])[:, None]


def _gaussian_estimate(values: Floats, counts: Floats, centre: Floats, strength: float) -> Floats:
    m, v = np.split(centre, 2)
    sums = np.zeros((1 + 2 * len(m), counts.shape[1]))
    current_kernels().hidden_markov.gaussian_sums(values, np.ascontiguousarray(counts), m[:, 0].copy(), sums)
    n, (firsts, seconds) = sums[0], np.split(sums[1:], 2)
    means = firsts / (n + strength)
    squares = seconds - 2 * means * firsts + means**2 * n
    spread = (np.maximum(squares, 0) + strength * (means**2 + v)) / (n + strength)
    return np.concatenate([means + m, np.maximum(spread, 1e-12 * v)])


def _gaussian_log_likelihood(values: Floats, parameters: Floats) -> Floats:
    means, spread = np.split(np.ascontiguousarray(parameters), 2)
    found: Floats = np.empty((len(values), means.shape[1]))
    current_kernels().hidden_markov.gaussian_logs(values, means, spread, found)
    return found


def _gaussian_log_prior(parameters: Floats, centre: Floats, strength: float) -> float:
    (means, spread), (m, v) = np.split(parameters, 2), np.split(centre, 2)
    return float(-0.5 * strength * (np.log(spread) + ((means - m) ** 2 + v) / spread).sum())


def _poisson_together(values: Floats, counts: Floats) -> Floats:
    return np.array([[(counts @ values[:, 0] + 0.5) / (counts.sum() + 0.5)]])


def _poisson_estimate(values: Floats, counts: Floats, centre: Floats, strength: float) -> Floats:
    found: Floats = (values.T @ counts + strength * centre) / (counts.sum(axis=0) + strength)
    return found


def _poisson_log_likelihood(values: Floats, parameters: Floats) -> Floats:
    found: Floats = xlogy(values, parameters) - parameters - gammaln(values + 1)
    return found


def _poisson_log_prior(parameters: Floats, centre: Floats, strength: float) -> float:
    return float(strength * (centre * np.log(parameters) - parameters).sum())


def _binomial_together(values: Floats, counts: Floats) -> Floats:
    hits, totals = counts @ values
    return np.array([[(hits + 0.5) / (totals + 1.0)]])


def _binomial_estimate(values: Floats, counts: Floats, centre: Floats, strength: float) -> Floats:
    hits, totals = values.T @ counts
    found: Floats = np.clip((hits + strength * centre) / (totals + strength), 1e-12, 1 - 1e-12)
    return found


def _binomial_log_likelihood(values: Floats, parameters: Floats) -> Floats:
    hits, totals = values[:, :1], values[:, 1:]
    ways = gammaln(totals + 1) - gammaln(hits + 1) - gammaln(totals - hits + 1)
    found: Floats = ways + xlogy(hits, parameters) + xlogy(totals - hits, 1 - parameters)
    return found


def _binomial_log_prior(parameters: Floats, centre: Floats, strength: float) -> float:
    return float(strength * (centre * np.log(parameters) + (1 - centre) * np.log1p(-parameters)).sum())


def _are_finite(values: Floats) -> Bools:
    return np.asarray(np.isfinite(values).all(axis=1))


def _are_counts(values: Floats) -> Bools:
    return _are_finite(values) & (values[:, 0] >= 0)


def _are_pairs(values: Floats) -> Bools:
    return _are_counts(values) & (values[:, 0] <= values[:, 1])


def damage(kind: str, emission: Floats) -> str | None:
    """Return the fault in the parameters of a saved model, states × numbers; None if they are valid."""
    n_numbers = emission.shape[1]
    if kind == "gaussian" and (n_numbers % 2 or not (np.split(emission.T, 2)[1] > 0).all()):
        return "does not end in positive variances"
    if KINDS[kind].n_columns and n_numbers != 1:
        return "has more than one number per state"
    if kind != "gaussian" and (emission < 0).any():
        return "contains a negative number"
    return None


KINDS = {
    "categorical": Emissions(
        0,
        _words_together,
        _words_estimate,
        _words_log_likelihood,
        _words_log_prior,
        "non-negative word numbers (-1 for an unknown word)",
        lambda values: np.ones(len(values), dtype=np.bool_),
    ),
    "gaussian": Emissions(
        None,
        _gaussian_together,
        _gaussian_estimate,
        _gaussian_log_likelihood,
        _gaussian_log_prior,
        "finite numbers (NaN where nothing was observed)",
        _are_finite,
    ),
    "poisson": Emissions(
        1,
        _poisson_together,
        _poisson_estimate,
        _poisson_log_likelihood,
        _poisson_log_prior,
        "non-negative counts (NaN where nothing was observed)",
        _are_counts,
    ),
    "binomial": Emissions(
        2,
        _binomial_together,
        _binomial_estimate,
        _binomial_log_likelihood,
        _binomial_log_prior,
        "pairs of a count and a total, 0 ≤ count ≤ total (a total of 0 where nothing was observed)",
        _are_pairs,
    ),
}
"""The kinds of emission by name."""
