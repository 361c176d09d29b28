r"""Shares of classes over time, from a classifier's probabilities, with bias correction.

The mean of posterior probabilities is shrunk towards the shares of the training documents, and the count of predicted
labels contains the classifier's confusions: both flatten every curve. Let :math:`p(x)` be the probabilities that the
classifier gives a document, calibrated and converted to equal class shares (so that a rare class still counts), and,
measured on held-out labelled documents,

.. math:: M_{jk} = \mathrm{E}[p_j(x) \mid y = k]. \qquad (1)

Then :math:`z(x) = M^{-1} p(x)` has the mean :math:`\mathrm{E}[z_k(x)] = P(y = k)` (2) for any shares, as long as the
distribution of documents within a class is constant. The curve is the local mean of z over units of exchange (days).
Its band includes the variation of the units and the error of M, which contributes
:math:`\sum_k \pi_k^2\, M^{-1} (C_k / n_k) M^{-\top}` (3), with :math:`C_k` the covariance of :math:`p(x)` in class k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from driftline.core.arrays import Floats, Ints, Labels, Times
from driftline.core.errors import InvalidInput
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.results import Columns, Result, counted, long_columns, time_range
from driftline.core.times import Duration, TimeAxis, note_missing_times
from driftline.intensity.classification.vector_scaling import fit_vector_scaling
from driftline.smoothing.curve import Curve
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.reading_windows import reading_bandwidths
from driftline.smoothing.unit_means import UnitSums, choose_bandwidths, unit_means
from driftline.streams.units import merged_units, units_of

GRID_POINTS = 200
MOST_UNITS = 4000
"""Largest number of units; beyond it, neighbouring units are merged."""

SMALLEST = 1e-12
"""Lower bound of probabilities before the logarithm."""

LEAST_APART = 0.02
"""Minimum singular value of M; below it, the classifier hardly distinguishes some classes and shares are noise."""


class _PredictedSharesFields(NamedTuple):
    """The fields of `PredictedShares`."""

    times: np.ndarray
    share: Floats
    lower: Floats
    upper: Floats
    uncorrected: Floats
    effective_size: Floats
    bandwidth: Floats
    unit: str
    level: float


class PredictedShares(Result, _PredictedSharesFields):
    """Shares of classes over time, classes × times, with bands at the confidence `level`.

    `uncorrected` is the local mean of the probabilities themselves; `bandwidth` has one value per class.
    """

    __slots__ = ()

    def curve(self, column: int) -> Curve:
        """Return one class as a curve."""
        return Curve(
            self.times, self.share[column], self.lower[column], self.upper[column], self.effective_size, self.level
        )

    def _columns(self) -> Columns:
        names = {"class": range(len(self.share))}
        bands = {"share": self.share, "lower": self.lower, "upper": self.upper}
        return long_columns(names, self.times, **bands, uncorrected=self.uncorrected)

    def _summary(self) -> str:
        shape = f"{counted(len(self.share), 'class', 'classes')}, {time_range(self.times)}"
        return f"{shape}, bands at {self.level:.0%}"

    def _picture(self) -> Picture:
        return Curves([Series(f"class {k}", *self.curve(k)[:4]) for k in range(len(self.share))])


def predicted_shares(
    proba: npt.ArrayLike,
    held_out: npt.ArrayLike,
    labels: Labels,
    *,
    times: Times = None,
    when: Times = None,
    bandwidth: Duration = "auto",
    unit: Duration = "auto",
    level: float = 0.95,
) -> PredictedShares:
    """Return the shares of classes among unlabelled documents as curves with bands.

    Parameters
    ----------
    proba : array, documents × classes
        The classifier's probabilities for each document of the stream.
    held_out : array, labelled documents × classes
        Its probabilities for held-out labelled documents (`cross_val_predict`).
    labels : array of int
        The column of the true class of each of those.
    times, when, bandwidth, unit, level :
        As in `topics_over_time`.

    >>> rng = np.random.default_rng(0)
    >>> y = (rng.random(4000) < np.linspace(0.1, 0.9, 4000)).astype(int)
    >>> known = rng.integers(0, 2, 2000)
    >>> p = lambda y: 1 / (1 + np.exp(-rng.normal(2.0 * y - 1, 1.4)))
    >>> proba, held_out = (np.column_stack([1 - q, q]) for q in (p(y), p(known)))
    >>> times = range(len(proba))
    >>> found = predicted_shares(proba, held_out, known, times=times, bandwidth=800.0, when=[1000.0, 3000.0])
    >>> abs(found.uncorrected[1] - [0.3, 0.7]).round(1), abs(found.share[1] - [0.3, 0.7]).round(1)
    (array([0.1, 0.1]), array([0., 0.]))
    """
    note_missing_times(times, "predicted_shares")
    held_out = _checked(held_out, "held_out")
    proba = _checked(proba, "proba")
    labels = _checked_labels(labels, held_out)
    if proba.shape[1] != held_out.shape[1]:
        raise InvalidInput(f"proba has {proba.shape[1]} classes but held_out {held_out.shape[1]}; pass the same")
    calibration = fit_vector_scaling(np.log(np.maximum(held_out, SMALLEST)), labels)
    shares = np.log(np.bincount(labels) / len(labels))
    held_out, balanced = (
        softmax(calibration.scores(np.log(np.maximum(given, SMALLEST))) - shares, axis=1) for given in (held_out, proba)
    )
    confusion = _Confusion.of(held_out, labels)
    axis = TimeAxis.of(times)
    at = axis.values(times, n=len(proba))
    grid = np.linspace(at.min(), at.max(), GRID_POINTS) if when is None else axis.values(when)
    units = merged_units(units_of(times, unit=unit, n=len(at)), MOST_UNITS)
    values = np.hstack([balanced @ confusion.inverse.T, proba])
    sums = np.zeros((units.n, values.shape[1]))
    np.add.at(sums, units.index, values)
    by_unit = UnitSums(units.middle, sums, np.bincount(units.index, minlength=units.n).astype(np.float64))
    kernel, n_classes = Kernel("triangular"), proba.shape[1]
    candidates = reading_bandwidths(units.middle) if bandwidth == "auto" else np.array([axis.span(bandwidth)])
    if not candidates[0] > 0:
        raise InvalidInput(f"a bandwidth must be above zero, not {bandwidth!r}")
    corrected = by_unit._replace(sums=sums[:, :n_classes])
    widths = choose_bandwidths(corrected, kernel, candidates)
    share, half, plain = (np.empty((n_classes, len(grid))) for _ in range(3))
    size = np.empty(len(grid))
    for width in np.unique(widths):
        means = unit_means(by_unit, grid, kernel, float(width), level)
        found = np.clip(means.value[:, :n_classes], 0.0, 1.0)
        error = np.sqrt(means.error[:, :n_classes] ** 2 + confusion.variance(found))
        mine = widths == width
        share[mine], plain[mine] = found.T[mine], means.value[:, n_classes:].T[mine]
        half[mine], size = (means.quantile[:, None] * error).T[mine], means.effective_size
    return PredictedShares(
        axis.restore(grid),
        share,
        np.clip(share - half, 0.0, 1.0),
        np.clip(share + half, 0.0, 1.0),
        np.clip(plain, 0.0, 1.0),
        size,
        widths,
        units.kind,
        level,
    )


class _Confusion(NamedTuple):
    """The inverse of M, and the covariance of each of M's columns (Eq. 1, 3)."""

    inverse: Floats
    spread: Floats

    @classmethod
    def of(cls, held_out: Floats, labels: Ints) -> _Confusion:
        groups = [held_out[labels == k] for k in range(held_out.shape[1])]
        mixing = np.column_stack([group.mean(axis=0) for group in groups])
        if np.linalg.svd(mixing, compute_uv=False)[-1] < LEAST_APART:
            raise InvalidInput(
                "the classifier hardly distinguishes some classes, so their shares cannot be estimated; "
                "merge them or train it on more documents"
            )
        spread = np.stack([np.atleast_2d(np.cov(group.T)) / len(group) for group in groups])
        return cls(np.linalg.inv(mixing), spread)

    def variance(self, shares: Floats) -> Floats:
        """Return the variance that the error of M adds to the shares, times × classes (Eq. 3)."""
        by_class = np.einsum("ij,kjl,il->ki", self.inverse, self.spread, self.inverse)
        found: Floats = shares**2 @ by_class
        return found


def _checked_labels(labels: Labels, held_out: Floats) -> Ints:
    found = np.asarray(labels)
    n_classes = held_out.shape[1]
    if found.shape != (len(held_out),) or found.dtype.kind not in "iu":
        raise InvalidInput(f"labels must be columns of held_out, one per document ({len(held_out)})")
    counts = np.bincount(found[(found >= 0) & (found < n_classes)], minlength=n_classes)
    if counts.sum() < len(found) or (counts < 2).any():
        raise InvalidInput(
            f"labels must name every column of held_out (0 to {n_classes - 1}) at least twice; "
            f"the columns have {counts.tolist()}"
        )
    return found.astype(np.int64)


def _checked(probabilities: npt.ArrayLike, name: str) -> Floats:
    found = np.asarray(probabilities, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] < 2 or not len(found):
        raise InvalidInput(f"{name} must have one row per document and one column per class, not shape {found.shape}")
    if not np.isfinite(found).all() or (found < 0).any():
        raise InvalidInput(f"{name} must contain probabilities; it has negative, infinite or missing values")
    return found
