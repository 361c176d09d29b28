r"""Evidence for the member that ranks documents best.

The members are compared with the plainest one (the least smoothed, number 0 below) by two kinds of evidence, which are
both independent of the level of scores:

*Leave-pair-out*: with placements :math:`p` of the positive and :math:`q` of the negative documents in memory, as
`driftline.evolving.pool.dual_logistic` returns them,

.. math:: z_1 = \frac{\overline{p_j - p_0}}
          {\sqrt{\operatorname{var}(p_j - p_0) / n_1 + \operatorname{var}(q_j - q_0) / n_0 + 1 / (2 n_1 n_0)}} \tag{1}

*Forecasts*: among the labels of a frame, before they are learned, :math:`d = (A_j - A_0)\, n_1 n_0 / n` with the areas
:math:`A` under the ROC curve within the frame,

.. math:: z_2 = \sum d \Big/ \sqrt{\max(\textstyle\sum \max(d^2, 0.02),\ 0.05)} \tag{2}

and together :math:`z = (z_1 + z_2) / \sqrt 3`: both use the same labels, and if no member is better their correlation
is about one half.

*Signal*: if no member ranks better than chance, the differences between them are noise. Let s be the largest over the
members of :math:`\overline{p - \frac12}` over its standard error, which is that of (1) with :math:`p - \frac12` and
:math:`q - \frac12` instead of the differences. The member with the largest z orders the documents with weight

.. math:: w = \operatorname{clip}(z / 2,\ 0,\ 1)\,\operatorname{clip}((s - 2) / 2,\ 0,\ 1) \tag{3}

against the plainest one. While a class has fewer than four labels in memory nothing is compared, and w = 0.

With more than two classes there is one column per class against the rest, and numerators and variances are summed over
the columns that have enough labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.stats import rankdata

from driftline.base.estimator import DriftEstimator
from driftline.base.state_layout import Array, Layout, Number, Optional
from driftline.core.arrays import Bools, Floats
from driftline.core.errors import ModelFileError

LEAST_LABELS = 4
"""Number of labels in memory that both sides of a column need before its ranking is compared."""
LEAST_SQUARE = 0.02
"""Minimum contribution of one frame to the variance of the forecasts' evidence."""
LEAST_VARIANCE = 0.05
"""Minimum variance of the forecasts' evidence."""
CORRELATION = 0.5
"""Correlation of the two kinds of evidence if no member is better."""
NOISE = 2.0
"""Number of standard errors above chance up to which a ranking counts as noise."""
SIGNAL = 4.0
"""Number of standard errors above chance at which it counts fully as signal."""


class Trust(NamedTuple):
    """The member that contributes to the order of the documents, and its weight against the plainest member."""

    member: int
    weight: float


class RankingEvidence(DriftEstimator):
    """The evidence so far; the contribution of the current frame can be removed."""

    _state_layout: ClassVar[Layout | None] = {
        "plainest_": Number(least=0, whole=True),
        "forecast_sums_": Array("members"),
        "forecast_squares_": Array("members", least=0),
        "pair_scores_": Array("members"),
        "signal_": Optional(Number()),
        "n_compared_": Number(least=0, whole=True),
        "_before_": Array(3, "members"),
        "_signal_before_": Optional(Number()),
        "_n_before_": Number(least=0, whole=True),
    }

    def _check_state(self) -> dict[str, int]:
        if hasattr(self, "plainest_") and not hasattr(self, "signal_"):
            # Models saved before the signal was measured used every difference.
            self.signal_ = self._signal_before_ = SIGNAL
        sizes = super()._check_state()
        if sizes and self.plainest_ >= sizes["members"]:
            raise ModelFileError("the model uses a member that does not exist; it is damaged")
        return sizes

    def begin(self, smoothing: Sequence[float]) -> RankingEvidence:
        """Reset the evidence for members of these strengths of smoothing."""
        self.plainest_ = int(np.argmin(smoothing))
        self.forecast_sums_ = np.zeros(len(smoothing))
        self.forecast_squares_ = np.zeros(len(smoothing))
        self.pair_scores_ = np.zeros(len(smoothing))
        """z₁ of every member."""
        self.signal_ = 0.0
        """Ranking of the best member on the documents in memory, in standard errors above chance."""
        self.n_compared_ = 0
        """Number of columns in z₁; 0 if there are too few labels for a comparison."""
        self.begin_frame()
        return self

    def begin_frame(self) -> None:
        """Start a new frame of evidence."""
        self._before_ = np.stack([self.forecast_sums_, self.forecast_squares_, self.pair_scores_])
        self._signal_before_, self._n_before_ = self.signal_, self.n_compared_

    def restart_frame(self) -> None:
        """Discard the evidence of the current frame."""
        self.forecast_sums_, self.forecast_squares_, self.pair_scores_ = self._before_.copy()
        self.signal_, self.n_compared_ = self._signal_before_, self._n_before_

    def add_forecasts(self, scores: Sequence[Floats], positive: Bools) -> None:
        """Compare forecasts of labels: documents × columns of every member, and where each column's class is true."""
        n_positive = positive.sum(axis=0)
        pairs = n_positive * (len(positive) - n_positive)
        columns = np.flatnonzero(pairs)
        if not len(columns):
            return
        weights = pairs[columns] / len(positive)
        areas = np.array([[_area(each[:, c], positive[:, c]) for c in columns] for each in scores])
        gains = (areas - areas[self.plainest_]) @ weights
        self.forecast_sums_ = self.forecast_sums_ + gains
        self.forecast_squares_ = self.forecast_squares_ + np.maximum(gains**2, LEAST_SQUARE)

    def compare_placements(self, placements: Sequence[Floats], positive: Bools) -> None:
        """Compare the leave-pair-out placements of the documents in memory: documents × columns of every member."""
        n_positive = positive.sum(axis=0)
        n_negative = len(positive) - n_positive
        columns = np.flatnonzero(np.minimum(n_positive, n_negative) >= LEAST_LABELS)
        self.n_compared_ = len(columns)
        self.pair_scores_, self.signal_ = np.zeros(len(placements)), 0.0
        if self.n_compared_:
            each, positive = np.stack(placements)[:, :, columns], positive[:, columns]
            self.pair_scores_ = _standardised(each - each[self.plainest_], positive)  # (1)
            # ½ throughout: too many documents for leave-pair-out, so only the forecasts are used.
            unknown = bool((each == 0.5).all())
            self.signal_ = SIGNAL if unknown else float(_standardised(each - 0.5, positive).max())

    @property
    def scores(self) -> Floats:
        """z of every member; that of the plainest is 0."""
        forecasts = self.forecast_sums_ / np.sqrt(np.maximum(self.forecast_squares_, LEAST_VARIANCE))  # (2)
        found: Floats = (self.pair_scores_ + forecasts) / np.sqrt(2 * (1 + CORRELATION))
        return found

    @property
    def trust(self) -> Trust:
        """The member with the strongest evidence, and its weight (3)."""
        scores = self.scores
        best = int(np.argmax(scores))
        if not self.n_compared_ or best == self.plainest_:
            return Trust(self.plainest_, 0.0)
        signal = np.clip((self.signal_ - NOISE) / (SIGNAL - NOISE), 0.0, 1.0)
        return Trust(best, float(np.clip(scores[best] / 2, 0.0, 1.0) * signal))


def _standardised(values: Floats, positive: Bools) -> Floats:
    """Return, of members × documents × columns, the mean over positive documents divided by its standard error.

    The mean over negative documents is the same: both are the mean over pairs.
    """
    means, variances = np.zeros(len(values)), np.zeros(len(values))
    for c in range(positive.shape[1]):
        own, other = values[:, positive[:, c], c], values[:, ~positive[:, c], c]
        means += own.mean(axis=1)
        variances += own.var(axis=1, ddof=1) / own.shape[1] + other.var(axis=1, ddof=1) / other.shape[1]
        variances += 1 / (2 * own.shape[1] * other.shape[1])
    return means / np.sqrt(variances)


def _area(scores: Floats, positive: Bools) -> float:
    """Return the area under the ROC curve, from the ranks of the positive scores."""
    n_positive = int(positive.sum())
    ranks = rankdata(scores)[positive].sum()
    return float(ranks - n_positive * (n_positive + 1) / 2) / (n_positive * (len(scores) - n_positive))
