"""Input of a model for learning one frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from driftline.core.arrays import Floats, Ints
from driftline.core.times import TimeAxis
from driftline.evolving.frames.neighbour_graph import Matrix
from driftline.streams.frames import frame_bounds


class FrameData(NamedTuple):
    """The documents of a frame, then those of earlier frames in its graph, and the labels of both.

    `features` are rows of unit length (or the user's own), or the kernel between the documents. `cross` is the kernel
    with the documents of the frame before, for precomputed kernels only.
    """

    features: Matrix
    neighbours: sp.csr_matrix
    """Cosine similarities of every document and its nearest neighbours, among all documents."""
    codes: Ints
    """One class per document, −1 = unlabelled."""
    n_classes: int
    n_documents: int
    """Number of documents of this frame; they come first."""
    number: int
    """The number of the frame, from 0."""
    cross: Floats | None = None

    @property
    def labelled(self) -> Ints:
        """The rows that have a label."""
        return np.flatnonzero(self.codes >= 0)

    def targets(self) -> Floats:
        """Return ±1 for labelled documents × classes; of two classes only the second, whose negative is the first."""
        return signs(self.codes[self.labelled], self.n_classes)


def frame_edges(axis: TimeAxis, moments: Floats, every: object) -> tuple[Floats, Ints]:
    """Divide sorted times into frames: return their starts (and the end of the last), and first rows; None means one.

    >>> frame_edges(TimeAxis("number"), np.array([0.5, 1.5, 1.7]), 1.0)
    (array([0., 1., 2.]), array([0, 1, 3]))
    """
    if every is None:
        return np.array([moments[0], moments[-1]]), np.array([0, len(moments)])
    edges, bounds = frame_bounds(axis.restore(moments), every)
    return axis.values(edges), bounds


def signs(codes: Ints, n_classes: int) -> Floats:
    """Return one column of ±1 per class, or for two classes one column for the second.

    >>> signs(np.array([0, 2]), 3)
    array([[ 1., -1., -1.],
           [-1., -1.,  1.]])
    """
    classes = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    return np.where(codes[:, None] == classes, 1.0, -1.0)


def for_every_class(columns: Floats, n_classes: int) -> Floats:
    """Return one column per class from those of `signs`."""
    return np.hstack([-columns, columns]) if n_classes == 2 else columns


def with_classes(columns: Floats, places: Ints, n_classes: int) -> Floats:
    """Return columns for more classes; the old ones are now at `places` (both in the layout of `signs`)."""
    old = for_every_class(columns, len(places))
    grown = np.zeros((old.shape[0], n_classes))
    grown[:, places] = old
    if n_classes == 2 and len(places) == 1:
        grown[:, 1 - places[0]] = -grown[:, places[0]]
    return grown[:, 1:] if n_classes == 2 else grown


def class_probabilities(columns: Floats, n_classes: int) -> Floats:
    """Return probabilities from scores in the layout of `signs`: logistic, and normalised for many classes."""
    if n_classes == 1:
        return np.ones((columns.shape[0], 1))
    each = expit(for_every_class(columns, n_classes))
    found: Floats = each / np.maximum(each.sum(axis=1, keepdims=True), 1e-300)
    return found
