r"""Losses of labelled documents, for targets of ±1.

========  ==================================  ==========================================
squared   :math:`(y - f)^2`                   regularised least squares, the paper's choice
hinge     :math:`\max(0, 1 - y f)`            the Laplacian support vector machine
logistic  :math:`\log(1 + e^{-y f})`          gives probabilities
========  ==================================  ==========================================
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit

from driftline.core.arrays import Floats

LossName: TypeAlias = Literal["squared", "hinge", "logistic"]


class Slopes(NamedTuple):
    """A loss at some scores, with its first and second derivative by the score."""

    value: Floats
    gradient: Floats
    curvature: Floats


def squared(targets: Floats, scores: Floats) -> Slopes:
    """Return the squared loss.

    >>> squared(np.array([1.0]), np.array([0.5]))
    Slopes(value=array([0.25]), gradient=array([-1.]), curvature=array([2.]))
    """
    residual = targets - scores
    return Slopes(residual**2, -2 * residual, np.full_like(residual, 2.0))


def logistic(targets: Floats, scores: Floats) -> Slopes:
    """Return the logistic loss."""
    margins = targets * scores
    wrong = expit(-margins)
    return Slopes(np.logaddexp(0.0, -margins), -targets * wrong, wrong * (1 - wrong))


def smoothed_hinge(targets: Floats, scores: Floats, multipliers: Floats, penalty: float) -> Slopes:
    r"""Return the hinge loss, smoothed around the current multipliers of its dual.

    .. math:: \psi(u) = \max_{0 \le \beta \le 1} \beta u - (\beta - \lambda)^2 / 2\sigma, \qquad u = 1 - y f

    If the multipliers :math:`\lambda` are those of the solution, it has the same minimiser as the hinge itself.
    """
    slack = 1 - targets * scores
    free = multipliers + penalty * slack
    chosen = np.clip(free, 0.0, 1.0)
    return Slopes(
        chosen * slack - (chosen - multipliers) ** 2 / (2 * penalty),
        -targets * chosen,
        np.where((free > 0) & (free < 1), penalty, 0.0),
    )
