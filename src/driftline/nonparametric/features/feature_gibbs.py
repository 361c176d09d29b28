r"""Gibbs sampling for the linear-Gaussian latent feature model: features, then variances, then the mass.

.. math:: Z \sim \mathrm{IBP}(\alpha), \quad A_{kd} \sim \mathcal{N}(0, \sigma_A^2), \quad
          X_{id} \sim \mathcal{N}((Z A)_{id}, \sigma_X^2).                                                         (1)

A is integrated out while features are drawn. For the variances, which have inverse gamma priors, A is drawn and then
discarded (2); given the K features of N rows, α is Gamma(1 + K, 1 + 1 + 1/2 + … + 1/N) (3).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import seed_of
from driftline.inference.gibbs import Gibbs
from driftline.inference.plain_values import copied
from driftline.nonparametric.priors.indian_buffet_process import IndianBuffetProcess

SHAPE = 2.0
"""Shape of the priors of both variances, whose mean is the mean square of all numbers."""
ROOM = 16
"""Number of free columns allocated beyond those that a row may add."""


class Rows(NamedTuple):
    """Rows, the mean square of their numbers, and the parameters that are given (0: learned)."""

    values: Floats
    scale: float
    mass: float
    noise: float
    effect: float


class Features(NamedTuple):
    """A sample: Z (rows × features, only used ones), α, and the variances of noise and effects."""

    Z: Ints
    mass: float
    noise: float
    effect: float


def begin(problem: Rows, rng: np.random.Generator) -> Features:
    """Start without features; half of the variance is noise."""
    half = problem.scale / 2
    none = np.zeros((len(problem.values), 0), dtype=np.int64)
    return Features(none, problem.mass or 1.0, problem.noise or half, problem.effect or half)


def effects_given(sample: Features, problem: Rows) -> tuple[Floats, Floats]:
    """Return M and μ: the expected effects are μ, and their covariance in a column is σ_X² M."""
    Z = sample.Z.astype(np.float64)
    ridge = sample.noise / sample.effect * np.eye(Z.shape[1])
    M: Floats = np.asarray(np.linalg.inv(Z.T @ Z + ridge), dtype=np.float64)
    return M, M @ (Z.T @ problem.values)


def draw_features(sample: Features, problem: Rows, rng: np.random.Generator, *, pairs: bool = False) -> Features:
    """Draw the features of every row given all others, one or (`pairs`) two at a time."""
    done, Z = 0, sample.Z
    while done < len(Z):
        n_used = Z.shape[1]
        room = n_used + current_kernels().latent_features.MOST_NEW + ROOM
        M, mu = np.zeros((room, room)), np.zeros((room, problem.values.shape[1]))
        M[:n_used, :n_used], mu[:n_used] = effects_given(sample._replace(Z=Z), problem)
        wide = np.zeros((len(Z), room), dtype=np.int64)
        wide[:, :n_used] = Z
        settings = (sample.noise, sample.effect, sample.mass, pairs, seed_of(rng))
        done, n_used = current_kernels().latent_features.sweep_features(
            done, problem.values, wide, wide.sum(axis=0), n_used, M, mu, *settings
        )
        Z = np.ascontiguousarray(wide[:, :n_used])
    return sample._replace(Z=Z)


def draw_variances(sample: Features, problem: Rows, rng: np.random.Generator) -> Features:
    """Draw A, and the variances that are learned given A (2)."""
    M, mu = effects_given(sample, problem)
    n_columns = problem.values.shape[1]
    A = mu + np.sqrt(sample.noise) * np.linalg.cholesky(M) @ rng.standard_normal((len(mu), n_columns))
    noise, effect = problem.noise, problem.effect
    if not noise:
        noise = _inverse_gamma(problem.values - sample.Z @ A, problem.scale, rng)
    if not effect:
        effect = _inverse_gamma(A, problem.scale, rng)
    return sample._replace(noise=noise, effect=effect)


def _inverse_gamma(values: Floats, scale: float, rng: np.random.Generator) -> float:
    """Draw the variance of centred normal values."""
    rate = (SHAPE - 1) * scale + 0.5 * float((values**2).sum())
    return rate / float(rng.gamma(SHAPE + 0.5 * values.size))


def draw_mass(sample: Features, problem: Rows, rng: np.random.Generator) -> Features:
    """Draw α, if it is learned, given the number of features (3)."""
    if problem.mass:
        return sample
    n, n_features = sample.Z.shape
    harmonic = float((1.0 / np.arange(1, n + 1)).sum())
    return sample._replace(mass=max(float(rng.gamma(1.0 + n_features, 1.0 / (1.0 + harmonic))), 1e-6))


def log_joint(sample: Features, problem: Rows) -> float:
    """Return ln p(Z, rows | α, variances), with effects integrated out."""
    M, mu = effects_given(sample, problem)
    n, d = problem.values.shape
    fitted = float((problem.values * (sample.Z @ mu)).sum())
    spread = np.linalg.slogdet(M)[1] + len(mu) * np.log(sample.noise / sample.effect)
    square = float((problem.values**2).sum()) - fitted
    rows = 0.5 * d * spread - 0.5 * n * d * np.log(2 * np.pi * sample.noise) - 0.5 * square / sample.noise
    return float(rows + IndianBuffetProcess(sample.mass).log_probability(sample.Z))


class Best(NamedTuple):
    """The record of a chain: the sample of highest joint probability, that probability, and the numbers of features."""

    sample: Features
    objective: float
    n_features: Ints


def keep_best(problem: Rows, kept: Best | None, sample: Features) -> Best:
    """Add a sample to the record."""
    objective, number = log_joint(sample, problem), np.array([sample.Z.shape[1]])
    if kept is None:
        return Best(copied(sample), objective, number)
    numbers = np.concatenate([kept.n_features, number])
    if objective > kept.objective:
        return Best(copied(sample), objective, numbers)
    return kept._replace(n_features=numbers)


FEATURE_GIBBS: Gibbs[Rows, Features] = Gibbs(begin, (draw_features, draw_variances, draw_mass), log_joint)
"""Draws of the features of all rows, then of the variances, then of α."""
