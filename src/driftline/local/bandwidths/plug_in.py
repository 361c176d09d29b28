"""The plug-in bandwidth (13): derivatives are estimated from the stream, corrected for noise, and inserted."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats
from driftline.local.bandwidths.asymptotics import best_bandwidth
from driftline.local.history import History
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import relative_weights

_KNOTS = 33
_PILOTS = (16, 8, 4, 2)
_SURE = 3.0
_CELLS = 4_000_000


def plugin_bandwidths(history: History, kernel: Kernel, dispersion: Floats) -> tuple[Floats, Floats]:
    """Return knots in time and the bandwidth of least squared error at each.

    Derivatives come from local quadratic (past-only: linear) fits over a pilot window, the shortest in which the change
    exceeds its noise. The numerator includes the dispersion factor of clustered words.
    """
    times = history.times
    span = float(times[-1] - times[0])
    knots = np.linspace(times[0], times[-1], _KNOTS)
    if not span > 0:
        return knots[:1], np.array([np.inf])
    tokens = history.tokens.sum()
    share = history.word_totals / max(tokens, 1.0)
    single = share * (1 - share)
    clumped = dispersion * single
    variance = float(single.sum() + clumped.sum() * history.token_pairs.sum() / max(tokens, 1.0))
    pilot = Kernel("epanechnikov")
    motion, density = np.zeros(_KNOTS), np.full(_KNOTS, tokens / span)
    for parts in _PILOTS:
        width = span / parts
        motion, noise, density = _motion(history, knots, pilot, width, kernel.side == "past", single, clumped)
        # overlapping windows are redundant: the number of independent ones is about that of disjoint parts
        if motion.mean() > _SURE * np.sqrt(noise.mean() / parts):
            break
    # a single knot has little information: neighbours are averaged
    steadied = np.convolve(np.pad(motion, 2, mode="edge"), np.full(5, 0.2), mode="valid")
    return knots, best_bandwidth(kernel, variance, density, steadied)


def _motion(
    history: History, knots: Floats, pilot: Kernel, width: float, past: bool, single: Floats, clumped: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the noise-corrected squared derivative at every knot, its variance, and the token density."""
    counts = sp.csr_array(history.counts)
    density, log_slope = _token_density(history, knots, pilot, width)
    motion, scatter = np.empty(len(knots)), np.empty(len(knots))
    chunk = max(1, min(_CELLS // max(counts.shape[1], 1), _CELLS // max(len(history.times), 1)))
    for start in range(0, len(knots), chunk):
        part = slice(start, start + chunk)
        lag = (history.times - knots[part, None]) / width
        mass = relative_weights(knots[part], history.times, pilot, width)
        first, second = _derivative_weights(lag, mass, history.tokens, 1 if past else 2)
        first, second = first / width, second / width**2
        weights = first if past else first * log_slope[part, None] + 0.5 * second
        total = ((counts.T @ weights.T) ** 2).sum(axis=0)
        squares = weights**2
        noise = np.outer(squares @ history.tokens, single) + np.outer(squares @ history.token_pairs, clumped)
        motion[part] = total - noise.sum(axis=1)
        scatter[part] = 2 * (noise**2).sum(axis=1)
    return motion, scatter, density


def _derivative_weights(lag: Floats, mass: Floats, tokens: Floats, degree: int) -> tuple[Floats, Floats]:
    """Return, per knot, the weights on counts that give θ̇ and θ̈ (in units of the width) by a local polynomial."""
    basis = np.stack([lag**k / (2.0 if k == 2 else 1.0) for k in range(degree + 1)], axis=-1)
    weighted = basis * mass[..., None]
    moments = np.einsum("kti,ktj,t->kij", weighted, basis, tokens)
    scale = np.maximum(np.trace(moments, axis1=1, axis2=2), np.finfo(np.float64).tiny)
    # the pseudo-inverse: a window with too few distinct times has no derivative there
    inverse = np.linalg.pinv(moments / scale[:, None, None], rcond=1e-10, hermitian=True) / scale[:, None, None]
    coefficients = np.einsum("kij,ktj->kit", inverse, weighted)
    second = coefficients[:, 2] if degree > 1 else np.zeros_like(coefficients[:, 1])
    return coefficients[:, 1], second


def _token_density(history: History, knots: Floats, pilot: Kernel, width: float) -> tuple[Floats, Floats]:
    """Return words per unit of time at every knot, and its logarithmic slope; window parts beyond the ends are cut."""

    def density(at: Floats) -> Floats:
        inside = np.linspace(history.times[0], history.times[-1], 1001)
        covered = pilot.weights(at, inside, width).mean(axis=1) * (inside[-1] - inside[0])
        found: Floats = pilot.weights(at, history.times, width) @ history.tokens / np.maximum(covered, 1e-12)
        return found

    step = width / 4
    left = np.clip(knots - step, history.times[0], history.times[-1])
    right = np.clip(knots + step, history.times[0], history.times[-1])
    here = np.maximum(density(knots), 1e-12)
    slope = (density(right) - density(left)) / np.maximum(right - left, 1e-300)
    return here, slope / here
