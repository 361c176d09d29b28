"""Small streams whose truth is known: two or more classes whose words move on from frame to frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp


class MadeFrame(NamedTuple):
    X: sp.csr_matrix
    truth: np.ndarray
    labels: np.ndarray
    """−1 where hidden."""


def drifting_frames(
    n_frames=5, n=40, n_words=60, n_classes=2, n_labelled=8, length=12, own=0.5, drift=2, seed=0
) -> list[MadeFrame]:
    """A class speaks `own` of its words from a window of its own, which moves on by `drift` words a frame."""
    rng = np.random.default_rng(seed)
    window = n_words // (2 * n_classes)
    frames = []
    for t in range(n_frames):
        truth = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
        X = np.zeros((n, n_words))
        for i, c in enumerate(truth):
            mine = (c * n_words // n_classes + t * drift + rng.integers(0, window, length)) % n_words
            words = np.where(rng.random(length) < own, mine, rng.integers(0, n_words, length))
            np.add.at(X[i], words, 1.0)
        labels = np.full(n, -1)
        labels[:n_classes] = truth[:n_classes]
        more = rng.permutation(np.arange(n_classes, n))[: n_labelled - n_classes]
        labels[more] = truth[more]
        frames.append(MadeFrame(sp.csr_matrix(X), truth, labels))
    return frames


def whole(frames: list[MadeFrame]) -> tuple[sp.csr_matrix, np.ndarray, np.ndarray]:
    """Return all documents, their labels, and the number of the frame as the time of each."""
    times = np.repeat(np.arange(len(frames), dtype=float), [f.X.shape[0] for f in frames])
    return sp.vstack([f.X for f in frames], format="csr"), np.concatenate([f.labels for f in frames]), times
