r"""DenStream: clusters of any shape in a stream of vectors, by density (Cao, Ester, Qian and Zhou, 2006)."""

from __future__ import annotations

import numbers
from typing import ClassVar, Self

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, Interval, StrOptions
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Layout, Number
from driftline.core.arrays import Bools, Floats, Ints, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import Duration
from driftline.nonparametric.stories.micro_clusters import nearest, nearest_rows, radii
from driftline.nonparametric.stories.row_stream import RowStream


class DenStream(RowStream):
    r"""Cluster a stream of vectors by density, with weights that decay, in bounded memory.

    A row has weight :math:`2^{-\Delta/h}` after the time Δ. It joins the nearest potential micro-cluster if its radius
    stays within ε, otherwise the nearest outlier micro-cluster under the same condition; otherwise it starts one. An
    outlier micro-cluster becomes potential at weight βμ. At intervals of :math:`T_p = h \log_2\frac{\beta\mu}{\beta\mu
    - 1}` (1), potential micro-clusters below βμ are removed, and outliers started at :math:`t_0` below

    .. math:: \xi = \frac{2^{-(t - t_0 + T_p)/h} - 1}{2^{-T_p/h} - 1}.                                         (2)

    Dense micro-clusters, those with weight at least μ, belong to the same cluster if their centres are at most 2ε
    apart, directly or through others; the other potential ones belong to the cluster of a dense one within 2ε (3).

    Parameters
    ----------
    radius : float, ε, the maximum radius of a micro-cluster.
    min_weight : float, μ, the weight of a dense micro-cluster.
    outlier_share : float, β; βμ must be above 1.
    half_life : duration, h. Without times, a number of rows; if times are numbers, "10d" is a number of days.
    outliers : {"distance", "radius"}
        Rows to which `predict` assigns no cluster: those farther than ε from the nearest centre, or those that could
        not join the nearest micro-cluster, which is the rule for learning and follows drifting clusters.
    reorder_within : duration by which a row may be older than an earlier one; it is then treated as simultaneous.

    Attributes
    ----------
    centers_, weights_, radii_ : ndarray, the current potential micro-clusters, in the order in which they started.
    cluster_labels_ : ndarray, the cluster of each, −1 for those that no dense one reaches.
    labels_ : ndarray, the cluster of every row of the last call, as `predict` returns it after that call.
    n_clusters_, n_outlier_clusters_ : int.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([[0, 0], [9, 9]], 50, axis=0), 0.3)[rng.permutation(100)]
    >>> model = DenStream(radius=1.0).fit(X, times=range(100))
    >>> model.n_clusters_, len(set(model.predict([[0.1, 0], [9, 8.9]]).tolist()))
    (2, 2)
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        "_weights_": Array("clusters", kind="f8", least=0),
        "_sums_": Array("clusters", "words", kind="f8"),
        "_squares_": Array("clusters", kind="f8", least=0),
        "_starts_": Array("clusters", kind="f8"),
        "_potential_": Array("clusters", kind="b"),
        "_zero_": Array("words", kind="f8"),
        "_latest_": Number(),
        "_next_check_": Number(),
        "n_documents_": Number(least=0, whole=True),
        "labels_": Array(None, kind="i8", least=-1),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "radius": [Interval(numbers.Real, 0, None, closed="neither")],
        "min_weight": [Interval(numbers.Real, 0, None, closed="neither")],
        "outlier_share": [Interval(numbers.Real, 0, 1, closed="right")],
        "half_life": "no_validation",
        "reorder_within": "no_validation",
        "outliers": [StrOptions({"distance", "radius"})],
    }

    n_documents_: int
    _latest_: float
    _potential_: Bools
    _zero_: Floats

    def __init__(
        self,
        radius: float = 0.5,
        min_weight: float = 10.0,
        outlier_share: float = 0.2,
        half_life: Duration = 1000.0,
        reorder_within: Duration = 0,
        outliers: str = "distance",
    ) -> None:
        self.radius = radius
        self.min_weight = min_weight
        self.outlier_share = outlier_share
        self.half_life = half_life
        self.reorder_within = reorder_within
        self.outliers = outliers

    def predict(self, X: Matrix) -> Ints:
        """Return the cluster of the nearest potential micro-cluster, −1 for outliers."""
        check_is_fitted(self)
        return self._labels(self._check_rows(X, reset=False).toarray())

    @property
    def centers_(self) -> Floats:
        """The centres of potential micro-clusters."""
        return np.asarray(self._zero_ + self._sums_[self._potential_] / self.weights_[:, None])

    @property
    def weights_(self) -> Floats:
        """The weights of potential micro-clusters at the latest time."""
        found: Floats = self._weights_[self._potential_]
        return found

    @property
    def radii_(self) -> Floats:
        """The radii of potential micro-clusters."""
        return radii(self.weights_, self._sums_[self._potential_], self._squares_[self._potential_])

    @property
    def cluster_labels_(self) -> Ints:
        """The clusters of potential micro-clusters (3), numbered in their order."""
        dense, centers = self.weights_ >= self.min_weight, self.centers_
        if not dense.any():
            return np.full(len(dense), -1)
        distances = cdist(centers, centers[dense])
        near = distances <= 2 * self.radius
        components = connected_components(near[dense], directed=False)[1]
        first = np.argmin(np.where(near, distances, np.inf), axis=1)
        return np.where(near.any(axis=1), components[first], -1)

    @property
    def n_clusters_(self) -> int:
        """Number of clusters."""
        return int(self.cluster_labels_.max(initial=-1)) + 1

    @property
    def n_outlier_clusters_(self) -> int:
        """Number of outlier micro-clusters."""
        return int((~self._potential_).sum())

    def _labels(self, rows: Floats) -> Ints:
        if not self._potential_.any():
            return np.full(len(rows), -1)
        rows = rows - self._zero_
        weights, sums, squares = (held[self._potential_] for held in (self._weights_, self._sums_, self._squares_))
        centres = sums / weights[:, None]
        best = nearest_rows(centres, rows)
        if self.outliers == "distance":
            reach = np.sqrt(((rows - centres[best]) ** 2).sum(axis=1))
        else:
            reach = radii(weights[best] + 1.0, sums[best] + rows, squares[best] + (rows**2).sum(axis=1))
        return np.where(reach <= self.radius, self.cluster_labels_[best], -1).astype(np.int64)

    def _learn(self, X: Matrix, times: Times) -> Self:
        if self.outlier_share * self.min_weight <= 1:
            raise InvalidInput("outlier_share · min_weight must be above 1, or no micro-cluster would ever be removed")
        begun = hasattr(self, "_weights_")
        rows = self._check_rows(X, reset=not begun).toarray()
        when = self._times(times, len(rows), self.n_documents_ if begun else 0, reset=not begun)
        when = self._ordered(when, self._latest_ if begun else -np.inf)
        half_life = self._span(self.half_life)
        if not 0 < half_life < np.inf:
            raise InvalidInput(f"the half-life must be positive and finite, not {self.half_life!r}")
        if not begun:
            self._begin(rows[0], float(when[0]))
        self._potential_ = self._potential_.copy()
        for row, time in zip(rows - self._zero_, when.tolist()):
            self._decay(time, half_life)
            self._insert(row, time)
        self.n_documents_ += len(rows)
        self.labels_ = self._labels(rows)
        return self

    def _begin(self, zero: Floats, time: float) -> None:
        self._weights_, self._squares_, self._starts_ = np.empty(0), np.empty(0), np.empty(0)
        self._sums_, self._potential_ = np.empty((0, len(zero))), np.empty(0, np.bool_)
        self._zero_, self._latest_, self.n_documents_ = zero.copy(), time, 0
        self._next_check_ = time + self._check_every(self._span(self.half_life))

    def _check_every(self, half_life: float) -> float:
        """Return (1)."""
        least = self.outlier_share * self.min_weight
        return float(half_life * np.log2(least / (least - 1)))

    def _decay(self, time: float, half_life: float) -> None:
        """Decay all weights up to this time, and remove micro-clusters whose weight has become too small."""
        factor = 2.0 ** (-(time - self._latest_) / half_life)
        self._weights_, self._sums_ = self._weights_ * factor, self._sums_ * factor
        self._squares_, self._latest_ = self._squares_ * factor, time
        if time < self._next_check_:
            return
        every = self._check_every(half_life)
        self._next_check_ = time + every
        least = self.outlier_share * self.min_weight
        ages = (time - self._starts_ + every) / half_life
        lowest = (2.0**-ages - 1) / (2.0 ** (-every / half_life) - 1)  # (2)
        self._keep(self._weights_ >= np.where(self._potential_, least, lowest))

    def _keep(self, kept: Bools) -> None:
        self._weights_, self._sums_, self._squares_ = self._weights_[kept], self._sums_[kept], self._squares_[kept]
        self._starts_, self._potential_ = self._starts_[kept], self._potential_[kept]

    def _insert(self, row: Floats, time: float) -> None:
        square = float(row @ row)
        for is_potential in (True, False):
            numbers_of = np.flatnonzero(self._potential_ == is_potential)
            if not len(numbers_of):
                continue
            centres = self._sums_[numbers_of] / self._weights_[numbers_of, None]
            best = int(numbers_of[nearest(centres, row)[0]])
            weight, total = self._weights_[best] + 1.0, self._sums_[best] + row
            if radii(np.array([weight]), total[None], np.array([self._squares_[best] + square]))[0] <= self.radius:
                self._weights_[best], self._sums_[best] = weight, total
                self._squares_[best] += square
                self._potential_[best] |= weight >= self.outlier_share * self.min_weight
                return
        self._weights_, self._squares_ = np.append(self._weights_, 1.0), np.append(self._squares_, square)
        self._sums_, self._starts_ = np.vstack([self._sums_, row]), np.append(self._starts_, time)
        self._potential_ = np.append(self._potential_, False)
