"""Speed of change of a word distribution: the norm of its derivative, with the norm expected from noise alone."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from scipy.stats import norm

from driftline.core.arrays import Counts, Floats
from driftline.core.confidence_levels import check_level
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.progress import track
from driftline.core.results import Columns, Result, time_range
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import relative_weights

_CELLS = 4_000_000


class Summed(Protocol):
    """Counts by time, from which slopes are estimated."""

    @property
    def times(self) -> Floats:
        """The distinct times, ascending."""

    @property
    def counts(self) -> Counts:
        """Times × words, sparse."""

    @property
    def tokens(self) -> Floats:
        """Σ n at each time."""

    @property
    def token_pairs(self) -> Floats:
        """Weight of the dispersion at each time: Σ n (n − 1)."""


class LocalSlopes(NamedTuple):
    """The slopes of all shares at some times and their variances, times × words, and the effective sizes."""

    slopes: Floats
    variance: Floats
    effective_size: Floats


class _DriftSpeedFields(NamedTuple):
    """The fields of `DriftSpeed`."""

    times: np.ndarray
    value: Floats
    lower: Floats
    upper: Floats
    noise_floor: Floats
    effective_size: Floats
    level: float = 0.95


class DriftSpeed(Result, _DriftSpeedFields):
    """The speed of the whole distribution over time.

    `value` is the norm of the estimated derivative per unit of time, `lower` and `upper` its sampling band, and
    `noise_floor` the norm expected without any drift. `effective_size` is in words.
    """

    __slots__ = ()

    @property
    def signal(self) -> Floats:
        """The noise-corrected speed: zero where it is not above the floor."""
        return np.sqrt(np.maximum(self.value**2 - self.noise_floor**2, 0.0))

    def _columns(self) -> Columns:
        bands = {"value": self.value, "lower": self.lower, "upper": self.upper, "noise_floor": self.noise_floor}
        return {"time": self.times, **bands, "effective_size": self.effective_size}

    def _summary(self) -> str:
        return f"{time_range(self.times)}, bands at {self.level:.0%}"

    def _picture(self) -> Picture:
        return Curves([Series("speed of drift", self.times, self.value, self.lower, self.upper)])


def drift_speed(
    history: Summed,
    when: Floats,
    kernel: Kernel,
    bandwidth: float,
    dispersion: Floats,
    *,
    level: float = 0.95,
    verbose: bool | int = False,
) -> DriftSpeed:
    """Return ‖dθ/dt‖ at every requested time, from local linear slopes (unbiased at edges and on uneven streams).

    A slope is Σ B c with B = K (τ - τ̄) / Σ K n (τ - τ̄)², τ̄ the local mean time; its variance adds up, word by word, to
    the square of the noise floor.
    """
    check_level(level)
    counts = sp.csr_array(history.counts)
    columns = [np.zeros(len(when)) for _ in range(5)]
    chunk = max(1, min(_CELLS // max(counts.shape[1], 1), _CELLS // max(len(history.times), 1)))
    for start in track(range(0, len(when), chunk), "drift speed", verbose=verbose):
        asked = slice(start, start + chunk)
        for column, values in zip(columns, _chunk(history, counts, when[asked], kernel, bandwidth, dispersion)):
            column[asked] = values
    squared, floor, scatter, cross, effective = columns
    # the squared norm is a sum of squares of nearly independent slopes: variance 2Σσ⁴ + 4Σ slope² σ²
    signal = np.maximum(squared - floor, 0.0)
    spread = norm.ppf(0.5 + level / 2) * np.sqrt(2 * scatter + 4 * np.minimum(cross, signal * np.sqrt(scatter)))
    return DriftSpeed(
        times=when,
        value=np.sqrt(squared),
        lower=np.sqrt(np.maximum(squared - spread, 0.0)),
        upper=np.sqrt(squared + spread),
        noise_floor=np.sqrt(floor),
        effective_size=effective,
        level=level,
    )


def _chunk(
    history: Summed, counts: sp.csr_array, when: Floats, kernel: Kernel, bandwidth: float, dispersion: Floats
) -> tuple[Floats, ...]:
    slopes, variance, effective = local_slopes(history, counts, when, kernel, bandwidth, dispersion)
    squares = slopes**2
    return (
        squares.sum(axis=1),
        variance.sum(axis=1),
        (variance**2).sum(axis=1),
        (squares * variance).sum(axis=1),
        effective,
    )


def local_slopes(
    history: Summed, counts: sp.csr_array, when: Floats, kernel: Kernel, bandwidth: float, dispersion: Floats
) -> LocalSlopes:
    """Return the local linear slope of every share; zero where all data are at one time."""
    weights = relative_weights(when, history.times, kernel, bandwidth)
    tokens = weights @ history.tokens
    moved = tokens > 0
    safe = np.where(moved, tokens, 1.0)
    effective = np.where(moved, tokens**2 / np.where(moved, weights**2 @ history.tokens, 1.0), 0.0)
    lag = history.times - when[:, None]
    lag -= ((weights * lag) @ history.tokens / safe)[:, None]
    leverage = (weights * lag**2) @ history.tokens
    # with all data at one time there is no slope
    reach = np.max(np.abs(lag), axis=1, initial=0.0, where=weights > 0)
    moved &= leverage > 1e-12 * tokens * np.maximum(reach, np.finfo(np.float64).tiny) ** 2
    slope_weights = np.where(moved[:, None], weights * lag / np.where(moved, leverage, 1.0)[:, None], 0.0)
    slopes = (counts.T @ slope_weights.T).T
    share = (counts.T @ (weights / safe[:, None]).T).T
    share *= np.maximum(1 - share, 0.0)  # rounding may raise a share above one
    single = slope_weights**2 @ history.tokens
    paired = slope_weights**2 @ history.token_pairs
    return LocalSlopes(slopes, share * (single[:, None] + dispersion * paired[:, None]), effective)
