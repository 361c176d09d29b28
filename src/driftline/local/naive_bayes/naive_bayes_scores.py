"""Joint log-probabilities of documents and classes at the documents' times, in one sweep along the time line."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Counts, Floats, Ints
from driftline.local.fit_times import Blend, answering_times, blend, grid_times, has_support, window
from driftline.smoothing.kernels import Kernel

SMALL_COUNT = 0.1
"""β: pseudo-count of every word of the vocabulary in the background of every class."""

CLASS_STRENGTH = 2.0
"""ν: weight, in documents, of the overall class shares in the local ones."""


class Sums(NamedTuple):
    """Word counts (words, classes), tokens and documents by class."""

    counts: Floats
    tokens: Floats
    documents: Floats

    @classmethod
    def zeros(cls, n_words: int, n_classes: int) -> Sums:
        """Return empty counts."""
        return cls(np.zeros((n_words, n_classes)), np.zeros(n_classes), np.zeros(n_classes))


class Labelled(NamedTuple):
    """Labelled documents in time order, and the sums of older ones that are no longer kept.

    Grid times count from `anchor`, the time of the first document.
    """

    X: Counts
    labels: Ints
    times: Floats
    forgotten: Sums
    anchor: float
    remembered_since: float = -math.inf

    def add(self, sums: Sums, first: int, weights: Floats) -> None:
        """Add weighted documents to the sums, in place."""
        current_kernels().naive_bayes.add_documents(_rows(self.X), self.labels, first, weights, tuple(sums))

    def supported(self, kernel: Kernel, bandwidth: float, when: Floats) -> Bools:
        """Return for every time whether a document has positive weight there."""
        if math.isinf(bandwidth):
            return np.ones(len(when), dtype=bool)
        return has_support(self.times, kernel, bandwidth, when) & (when >= self.remembered_since)


def joint_log_probabilities(
    documents: Labelled,
    kernel: Kernel,
    bandwidth: float,
    points: int,
    strengths: Floats,
    X: Counts,
    when: Floats,
    *,
    leave_out: bool = False,
) -> Floats:
    """Return log p(y, x) at the documents' times: (documents, strengths, classes).

    `points` is the number of grid times per bandwidth; 0 evaluates at every time. `leave_out` means that X are the
    labelled documents, each of which is predicted from the others.
    """
    remembered = when >= documents.remembered_since
    when = answering_times(documents.times, kernel, when)
    result = np.empty((X.shape[0], len(strengths), len(documents.forgotten.tokens)))
    sweep = _Sweep(documents, kernel, bandwidth)
    if math.isinf(bandwidth):
        grid = np.empty(0)
    elif points:
        grid = grid_times(documents.times, kernel, bandwidth, points, documents.anchor)
    else:
        grid = np.unique(when)
    local = remembered & has_support(documents.times, kernel, bandwidth, when) & (len(grid) > 0)
    mixed = blend(grid, kernel, when, when) if len(grid) else None
    cell = np.full(len(when), -1) if mixed is None else np.where(local, mixed.left, -1)
    share = np.zeros(len(when)) if mixed is None else mixed.share
    settings = (strengths, SMALL_COUNT, CLASS_STRENGTH, result)
    # past-only totals grow from document to document, so time order must be kept; otherwise cells may be grouped
    order = np.argsort(when if kernel.side == "past" else cell, kind="stable")
    own_class = np.full(len(when), -1)
    own_weight = np.zeros(len(when))
    if leave_out and kernel.side == "both":
        own_class = documents.labels
        own_weight = _own_weights(kernel, bandwidth, grid, mixed, when)
    for chosen in np.split(order, np.flatnonzero(np.diff(cell[order])) + 1):
        if len(chosen) == 0:
            continue
        g = int(cell[chosen[0]])
        if kernel.side == "past":
            sweep.score_forward(X, chosen, g, grid, when, settings)
            continue
        totals = sweep.totals_before(math.inf)
        if g < 0:
            left = right = totals if math.isinf(bandwidth) else sweep.nothing
        else:
            left, right = sweep.local(g, grid), sweep.local(min(g + 1, len(grid) - 1), grid)
        current_kernels().naive_bayes.joint_scores(
            _rows(X), chosen, own_class, own_weight, tuple(left), tuple(right), share, tuple(totals), *settings
        )
    return result


def sums_at(documents: Labelled, kernel: Kernel, bandwidth: float, when: float) -> tuple[Sums, Sums]:
    """Return the local sums and the totals at one time, without a grid."""
    sweep = _Sweep(documents, kernel, bandwidth)
    totals = sweep.totals_before(when)
    if math.isinf(bandwidth):
        return totals, totals
    answering = answering_times(documents.times, kernel, np.array([when]))
    if when < documents.remembered_since or not has_support(documents.times, kernel, bandwidth, answering)[0]:
        return sweep.nothing, totals
    return sweep.local(0, answering), totals


class _Sweep:
    """Sums along the time line: the totals so far, and the local sums of the last two grid times evaluated."""

    def __init__(self, documents: Labelled, kernel: Kernel, bandwidth: float) -> None:
        self.documents = documents
        self.kernel = kernel
        self.bandwidth = bandwidth
        shape = documents.forgotten.counts.shape
        self.nothing = Sums.zeros(*shape)
        self._totals = Sums(*(part.copy() for part in documents.forgotten))
        self._n_counted = 0
        self._held: dict[int, tuple[Sums, int, int]] = {}
        self._free = [Sums.zeros(*shape), Sums.zeros(*shape)]

    def totals_before(self, when: float) -> Sums:
        """Return the sums of all documents (past-only kernels: of those before a time that never decreases)."""
        times = self.documents.times
        end = len(times) if self.kernel.side == "both" else int(np.searchsorted(times, when, side="left"))
        if end > self._n_counted:
            self.documents.add(self._totals, self._n_counted, np.ones(end - self._n_counted))
            self._n_counted = end
        return self._totals

    def score_forward(
        self, X: Counts, chosen: Ints, g: int, grid: Floats, when: Floats, settings: tuple[object, ...]
    ) -> None:
        """Score documents of one cell in time order; documents after its grid time count fully.

        Without a cell there are no near documents, or, with an infinite bandwidth, all earlier ones.
        """
        local = self._totals if math.isinf(self.bandwidth) else self.nothing
        in_local = 0
        if g >= 0:
            local = self.local(g, grid)
            in_local = self._held[g][2]
        self._n_counted, in_local = current_kernels().naive_bayes.joint_scores_forward(
            _rows(X),
            chosen,
            _rows(self.documents.X),
            self.documents.labels,
            (self._n_counted, in_local),
            np.searchsorted(self.documents.times, when, side="left"),
            tuple(local),
            g >= 0,
            tuple(self._totals),
            *settings,
        )
        if g >= 0:
            self._held[g] = (local, self._held[g][1], in_local)

    def local(self, g: int, grid: Floats) -> Sums:
        """Return the local sums at a grid time; the oldest cached one is replaced."""
        if g in self._held:
            return self._held[g][0]
        if not self._free:
            sums, first, last = self._held.pop(min(self._held))
            X = self.documents.X
            current_kernels().naive_bayes.clear_documents(_rows(X), first, last, tuple(sums))
            self._free.append(sums)
        sums = self._free.pop()
        first, last = window(self.documents.times, self.kernel, self.bandwidth, grid[g])
        weights = self.kernel.relative_weights(grid[g] - self.documents.times[first:last], self.bandwidth)
        self.documents.add(sums, first, weights)
        self._held[g] = (sums, first, last)
        return sums


def _rows(X: Counts) -> tuple[Ints, Ints, Floats]:
    return X.indptr, X.indices, X.data


def _own_weights(kernel: Kernel, bandwidth: float, grid: Floats, mixed: Blend | None, when: Floats) -> Floats:
    """Return the weight of every document in the blended sums at its own time."""
    if mixed is None:
        return np.ones(len(when))
    left = kernel.relative_weights(grid[mixed.left] - when, bandwidth)
    right = kernel.relative_weights(grid[mixed.right] - when, bandwidth)
    return (1 - mixed.share) * left + mixed.share * right
