r"""CluStream: micro-clusters of a stream with snapshots, and clusters of any recent period (Aggarwal et al., 2003)."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtri
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, Interval
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Each, Layout, Number, Together
from driftline.core.arrays import Floats, Ints, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, seed_of
from driftline.core.times import Duration
from driftline.nonparametric.stories.micro_clusters import nearest, nearest_rows, radii
from driftline.nonparametric.stories.row_stream import RowStream

SNAPSHOT = Together(
    {
        "time": Number(),
        "number": Number(least=0, whole=True),
        "ids": Array(None, kind="i8", least=0),
        "weights": Array(None, kind="f8", least=0),
        "sums": Array(None, "words", kind="f8"),
    }
)
MOST_MERGERS = 10_000
"""Number of mergers to keep before those of micro-clusters that are in no snapshot are dropped."""


class CluStream(RowStream):
    r"""Keep a fixed number of micro-clusters of a stream of vectors, and cluster any recent period from them.

    A row joins the nearest micro-cluster if its distance is at most `boundary` times the radius (for a single row: the
    distance to the next micro-cluster). Otherwise it starts a new one. To keep the number constant, the micro-cluster
    with the oldest relevance is removed if that is before ``now - horizon``; otherwise the two nearest are merged. The
    relevance of n rows with times of mean m and deviation s is :math:`m + s\,\Phi^{-1}(1 - \tfrac{l}{2n})` (1),
    approximately the time at which the last l arrived, and m if there are fewer than 2l. The first rows each start a
    micro-cluster.

    Snapshots are kept in a pyramid: one of order i after every row n that :math:`2^i` divides, and of every order the
    last :math:`2^p + 1`. The difference between the current micro-clusters and a snapshot gives those of the time since
    the snapshot; k-means on their centres gives the clusters.

    Parameters
    ----------
    n_clusters, n_micro_clusters : int, number of clusters of k-means, and of micro-clusters to keep.
    boundary : float, in radii.
    horizon : duration. Without times, a number of rows; if times are numbers, "10d" is a number of days.
    n_relevant : int, l of (1).
    precision : int, p; larger values keep more snapshots, closer to any requested time.
    reorder_within : duration by which a row may be older than an earlier one; it is then treated as simultaneous.
    random_state : seed of k-means.

    Attributes
    ----------
    centers_, weights_, radii_ : ndarray, the current micro-clusters.
    cluster_centers_ : ndarray of shape (n_clusters, n_columns), of all micro-clusters.
    labels_ : ndarray, the cluster of every row of the last call.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([[0, 0], [9, 9]], 60, axis=0), 0.5)
    >>> model = CluStream(n_clusters=1, n_micro_clusters=20, random_state=0).fit(X, times=range(120))
    >>> model.cluster_centers_.round(1), model.centers_over(50).round(1)  # of all rows, and of about the last 50
    (array([[4.4, 4.5]]), array([[8.9, 9. ]]))
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        "_ids_": Array("clusters", kind="i8", least=0),
        "_weights_": Array("clusters", kind="f8", least=1),
        "_sums_": Array("clusters", "words", kind="f8"),
        "_squares_": Array("clusters", kind="f8", least=0),
        "_time_sums_": Array("clusters", kind="f8"),
        "_time_squares_": Array("clusters", kind="f8", least=0),
        "_merged_": Array(None, 2, kind="i8", least=0),
        "_snapshots_": Each(SNAPSHOT),
        "_zero_": Array("words", kind="f8"),
        "_origin_": Number(),
        "_latest_": Number(),
        "_next_id_": Number(least=0, whole=True),
        "_seed_": Number(least=0, whole=True),
        "n_documents_": Number(least=0, whole=True),
        "labels_": Array(None, kind="i", least=0),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "n_clusters": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_micro_clusters": [Interval(numbers.Integral, 2, None, closed="left")],
        "boundary": [Interval(numbers.Real, 0, None, closed="neither")],
        "horizon": "no_validation",
        "n_relevant": [Interval(numbers.Integral, 1, None, closed="left")],
        "precision": [Interval(numbers.Integral, 0, 16, closed="both")],
        "reorder_within": "no_validation",
        "random_state": "no_validation",
    }

    _snapshots_: list[dict[str, Any]]
    n_documents_: int
    _latest_: float

    def __init__(
        self,
        n_clusters: int = 5,
        n_micro_clusters: int = 100,
        boundary: float = 2.0,
        horizon: Duration = 1000.0,
        n_relevant: int = 10,
        precision: int = 2,
        reorder_within: Duration = 0,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_micro_clusters = n_micro_clusters
        self.boundary = boundary
        self.horizon = horizon
        self.n_relevant = n_relevant
        self.precision = precision
        self.reorder_within = reorder_within
        self.random_state = random_state

    def predict(self, X: Matrix) -> Ints:
        """Return the nearest cluster of each row."""
        check_is_fitted(self)
        return nearest_rows(self.cluster_centers_, self._check_rows(X, reset=False).toarray())

    @property
    def centers_(self) -> Floats:
        """The centres of micro-clusters."""
        return np.asarray(self._zero_ + self._sums_ / self._weights_[:, None])

    @property
    def weights_(self) -> Floats:
        """The number of rows of each micro-cluster."""
        found: Floats = self._weights_
        return found

    @property
    def radii_(self) -> Floats:
        """The radii of micro-clusters."""
        return radii(self._weights_, self._sums_, self._squares_)

    @property
    def cluster_centers_(self) -> Floats:
        """The centres of k-means on micro-clusters, in the order of their coordinates."""
        return self._grouped(self.centers_, self._weights_)

    def centers_over(self, horizon: Duration) -> Floats:
        """Return the centres of clusters of the rows since about ``now - horizon``, from the snapshot before it."""
        check_is_fitted(self)
        since = self._latest_ - self._span(horizon)
        before = [snapshot for snapshot in self._snapshots_ if snapshot["time"] <= since]
        if not before:
            return self.cluster_centers_
        held = max(before, key=lambda snapshot: (snapshot["time"], snapshot["number"]))
        weights, sums = self._weights_.copy(), self._sums_.copy()
        places = {number: place for place, number in enumerate(self._ids_.tolist())}
        now_in = self._now_in(held["ids"])
        for number, weight, total in zip(now_in, held["weights"], held["sums"]):
            if number in places:  # otherwise it was removed, and has had no rows since
                weights[places[number]] -= weight
                sums[places[number]] -= total
        some = weights > 0.5
        if not some.any():
            return self.cluster_centers_
        return self._grouped(self._zero_ + sums[some] / weights[some, None], weights[some])

    def _now_in(self, ids: Ints) -> list[int]:
        """Return the micro-cluster that each has been merged into, or its own number."""
        targets: dict[int, int] = {int(gone): int(kept) for gone, kept in self._merged_}
        found = []
        for number in ids.tolist():
            for _ in range(len(targets)):
                if number not in targets:
                    break
                number = targets[number]
            found.append(number)
        return found

    def _grouped(self, centres: Floats, weights: Floats) -> Floats:
        n = min(int(self.n_clusters), len(np.unique(centres, axis=0)))
        found = KMeans(n, n_init=5, random_state=self._seed_).fit(centres, sample_weight=weights).cluster_centers_
        return np.asarray(found[np.lexsort(found.T[::-1])])

    def _learn(self, X: Matrix, times: Times) -> Self:
        begun = hasattr(self, "_weights_")
        rows = self._check_rows(X, reset=not begun).toarray()
        when = self._times(times, len(rows), self.n_documents_ if begun else 0, reset=not begun)
        when = self._ordered(when, self._latest_ if begun else -np.inf)
        horizon = self._span(self.horizon)
        if not horizon > 0:
            raise InvalidInput(f"the horizon must be positive, not {self.horizon!r}")
        if not begun:
            self._begin(rows[0], float(when[0]))
        self._snapshots_ = list(self._snapshots_)
        for row, time in zip(rows - self._zero_, when.tolist()):
            self._insert(row, time - self._origin_, horizon)
            self._latest_ = time
            self.n_documents_ += 1
            self._keep_snapshot()
        self.labels_ = nearest_rows(self.cluster_centers_, rows)
        return self

    def _begin(self, zero: Floats, time: float) -> None:
        self._ids_, self._weights_, self._squares_ = np.empty(0, np.int64), np.empty(0), np.empty(0)
        self._sums_, self._time_sums_, self._time_squares_ = np.empty((0, len(zero))), np.empty(0), np.empty(0)
        self._merged_, self._zero_, self._origin_ = np.empty((0, 2), np.int64), zero.copy(), time
        self._latest_, self._next_id_, self.n_documents_ = time, 0, 0
        self._snapshots_ = []
        self._seed_ = seed_of(self.random_state)

    def _insert(self, row: Floats, time: float, horizon: float) -> None:
        if len(self._ids_):
            centres = self._sums_ / self._weights_[:, None]
            best, distance = nearest(centres, row)
            if len(self._ids_) >= self.n_micro_clusters and distance <= self._boundary(best, centres):
                self._add(best, 1.0, row, float(row @ row), time, time**2)
                return
        if len(self._ids_) >= self.n_micro_clusters:
            self._make_room(time - horizon)
        self._ids_ = np.append(self._ids_, self._next_id_)
        self._next_id_ += 1
        self._weights_, self._sums_ = np.append(self._weights_, 1.0), np.vstack([self._sums_, row])
        self._squares_, self._time_sums_ = np.append(self._squares_, row @ row), np.append(self._time_sums_, time)
        self._time_squares_ = np.append(self._time_squares_, time**2)

    def _add(self, place: int, weight: float, total: Floats, square: float, time: float, time_square: float) -> None:
        for name, more in (
            ("weights", weight),
            ("squares", square),
            ("time_sums", time),
            ("time_squares", time_square),
        ):
            column = getattr(self, f"_{name}_").copy()
            column[place] += more
            setattr(self, f"_{name}_", column)
        self._sums_ = self._sums_.copy()
        self._sums_[place] += total

    def _boundary(self, place: int, centres: Floats) -> float:
        """Return the distance up to which a row joins a micro-cluster."""
        if self._weights_[place] > 1:
            part = slice(place, place + 1)
            return float(self.boundary * radii(self._weights_[part], self._sums_[part], self._squares_[part])[0])
        others = np.delete(centres, place, axis=0)
        return nearest(others, centres[place])[1]

    def _make_room(self, before: float) -> None:
        """Remove the micro-cluster of the oldest relevance (1) if it is old enough, or merge the two nearest."""
        means = self._time_sums_ / self._weights_
        deviations = np.sqrt(np.maximum(self._time_squares_ / self._weights_ - means**2, 0.0))
        share = np.clip(1.0 - self.n_relevant / (2.0 * self._weights_), 0.5, 1.0)
        relevance = means + np.where(self._weights_ >= 2 * self.n_relevant, deviations * ndtri(share), 0.0)
        oldest = int(relevance.argmin())
        if relevance[oldest] < before:
            self._remove(oldest)
            return
        centres = self._sums_ / self._weights_[:, None]
        distances = ((centres[:, None] - centres) ** 2).sum(axis=2)
        distances[np.tril_indices(len(centres))] = np.inf
        one, other = np.unravel_index(int(distances.argmin()), distances.shape)
        facts = (self._weights_, self._sums_, self._squares_, self._time_sums_, self._time_squares_)
        self._add(int(one), *(fact[other] for fact in facts))
        self._merged_ = np.vstack([self._merged_, [self._ids_[other], self._ids_[one]]])
        self._remove(int(other))
        if len(self._merged_) > MOST_MERGERS:
            held = np.unique(np.concatenate([snapshot["ids"] for snapshot in self._snapshots_]))
            pairs = np.column_stack([held, self._now_in(held)])
            self._merged_ = pairs[pairs[:, 0] != pairs[:, 1]]

    def _remove(self, place: int) -> None:
        for name in ("ids", "weights", "sums", "squares", "time_sums", "time_squares"):
            setattr(self, f"_{name}_", np.delete(getattr(self, f"_{name}_"), place, axis=0))

    def _keep_snapshot(self) -> None:
        """Keep the current state if a snapshot is due, and drop the oldest of its order."""
        number = self.n_documents_
        facts = {"ids": self._ids_, "weights": self._weights_, "sums": self._sums_}
        self._snapshots_.append({"time": self._latest_, "number": number, **facts})
        order, most = _order(number), 2 ** int(self.precision) + 1
        same = [snapshot for snapshot in self._snapshots_ if _order(snapshot["number"]) == order]
        if len(same) > most:
            oldest = same[0]["number"]
            self._snapshots_ = [snapshot for snapshot in self._snapshots_ if snapshot["number"] != oldest]


def _order(number: int) -> int:
    """Return the exponent of 2 in a positive number."""
    return (number & -number).bit_length() - 1
