r"""Calibrated probabilities: one exponent, learned from documents before their labels were used.

.. math:: p'_c \propto p_c^{a}

An exponent above one sharpens probabilities, one below flattens them; the ranking of classes is unchanged. It minimises
the log-loss of held-out predictions of the recent past, and is shrunk towards one if these are few.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.optimize

from driftline.base.estimator import DriftEstimator
from driftline.base.state_layout import Array, Layout, Number
from driftline.core.arrays import Floats, Ints

FLOOR = 1e-12
PRIOR = 2.0
"""Prior penalty, in nats, on a factor of e in the exponent."""


class Calibration(DriftEstimator):
    """The exponent, and the held-out predictions from which it was learned."""

    _state_layout: ClassVar[Layout | None] = {
        "exponent_": Number(least=0),
        "logs_": Array("predictions", "classes"),
        "codes_": Array("predictions", kind="i", below="classes"),
        "_before_": Number(least=0, whole=True),
    }

    def __init__(self, *, memory: int = 500) -> None:
        self.memory = memory

    def begin(self) -> Calibration:
        """Reset the calibration."""
        self.exponent_ = 1.0
        self.logs_ = np.zeros((0, 0))
        self.codes_ = np.zeros(0, dtype=np.int64)
        self._before_ = 0
        return self

    def begin_frame(self) -> None:
        """Start a new frame of predictions."""
        self.logs_, self.codes_ = self.logs_[-self.memory :], self.codes_[-self.memory :]
        self._before_ = len(self.codes_)

    def restart_frame(self) -> None:
        """Discard the predictions of the current frame."""
        self.logs_, self.codes_ = self.logs_[: self._before_], self.codes_[: self._before_]
        self.exponent_ = 1.0

    def grow_classes(self, places: Ints, n_classes: int) -> None:
        """Add classes, which have probability zero in past predictions."""
        grown = np.full((len(self.codes_), n_classes), np.log(FLOOR))
        grown[:, places] = self.logs_
        self.logs_, self.codes_ = grown, places[self.codes_]

    def learn(self, probabilities: Floats, codes: Ints) -> None:
        """Add held-out predictions and the true classes."""
        self.logs_ = np.vstack([self.logs_, np.log(np.maximum(probabilities, FLOOR))])
        self.codes_ = np.concatenate([self.codes_, codes])
        if len(self.codes_) and self.logs_.shape[1] > 1:
            found = scipy.optimize.minimize_scalar(self._loss, bounds=(-4.0, 4.0), method="bounded")
            self.exponent_ = float(np.exp(found.x))

    def apply(self, probabilities: Floats) -> Floats:
        """Return calibrated probabilities.

        >>> calibration = Calibration().begin()
        >>> calibration.exponent_ = 2.0
        >>> calibration.apply(np.array([[0.75, 0.25]]))
        array([[0.9, 0.1]])
        """
        if probabilities.shape[1] < 2:
            return probabilities
        return np.exp(_normalised(self.exponent_ * np.log(np.maximum(probabilities, FLOOR))))

    def _loss(self, log_exponent: float) -> float:
        logs = _normalised(np.exp(log_exponent) * self.logs_)
        return float(-logs[np.arange(len(self.codes_)), self.codes_].sum() + PRIOR * log_exponent**2)


def _normalised(logs: Floats) -> Floats:
    shifted = logs - logs.max(axis=1, keepdims=True)
    found: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found
