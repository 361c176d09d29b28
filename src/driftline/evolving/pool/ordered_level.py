r"""Combination of the order of one function with the level of another.

Documents are ordered by a blend of two members' scores, each standardised over the documents,

.. math:: g = (1 - w)\,\frac{f_0 - \mu_0}{\sigma_0} + w\,\frac{f_j - \mu_j}{\sigma_j} \tag{1}

and the probabilities of the same documents under the mixture of all members are sorted and assigned in the order of g:
the members that rank best determine the order, those that forecast best determine the level. Between and beyond these
documents log-odds are a piecewise linear function of g. With more than two classes this is done for each class, and
rows are normalised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from scipy.special import logit

from driftline.base.estimator import DriftEstimator
from driftline.base.state_layout import Array, Each, Layout
from driftline.core.arrays import Floats
from driftline.core.errors import ModelFileError
from driftline.evolving.frames.frame_data import class_probabilities
from driftline.evolving.pool.ranking_evidence import Trust

MOST_KNOTS = 2000
"""Number of documents at which the function from order to log-odds is stored."""
FLOOR = 1e-12
"""Minimum probability, and minimum spread of scores that are not all equal."""


class OrderedLevel(DriftEstimator):
    """The function from scores to probabilities, learned from some documents."""

    _state_layout: ClassVar[Layout | None] = {
        "members_": Array(2, kind="i", least=0),
        "weights_": Array(2, least=0, most=1),
        "centres_": Array(2, "outputs"),
        "scales_": Array(2, "outputs", least=FLOOR),
        "knots_": Each(Array(None, ordered=True), "functions"),
        "log_odds_": Each(Array(None), "functions"),
    }

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        pairs = zip(self.knots_, self.log_odds_) if sizes else ()
        if sizes and (
            sizes["functions"] not in (0, sizes["outputs"])
            or any(len(knots) != len(levels) or not len(knots) for knots, levels in pairs)
        ):
            raise ModelFileError("the levels of the model do not match its order; it is damaged")
        return sizes

    def begin(self) -> OrderedLevel:
        """Reset: probabilities are those of the mixture."""
        self.members_ = np.zeros(2, dtype=np.int64)
        self.weights_ = np.array([1.0, 0.0])
        self.centres_ = np.zeros((2, 0))
        self.scales_ = np.ones((2, 0))
        self.knots_: list[Floats] = []
        self.log_odds_: list[Floats] = []
        return self

    def learn(self, scores: Sequence[Floats], mixture: Floats, plainest: int, trust: Trust) -> None:
        """Learn from the members' scores, in the layout of `signs`, and the mixture's probabilities of every class."""
        self.begin()
        if not len(mixture):
            return
        self.members_ = np.array([plainest, trust.member])
        self.weights_ = np.array([1 - trust.weight, trust.weight])
        chosen = np.stack([scores[plainest], scores[trust.member]])
        self.centres_, spreads = chosen.mean(axis=1), chosen.std(axis=1)
        self.scales_ = np.where(spreads > FLOOR, spreads, 1.0)
        order = self._order(scores)
        columns = mixture[:, 1:] if mixture.shape[1] == 2 else mixture
        handed_out = [_handed_out(order[:, c], columns[:, c]) for c in range(order.shape[1])]
        self.knots_ = [knots for knots, _ in handed_out]
        self.log_odds_ = [levels for _, levels in handed_out]

    def probabilities(self, scores: Sequence[Floats], mixture: Floats) -> Floats:
        """Return the probability of every class for documents with these scores.

        Those of the mixture are returned if nothing has been learned.
        """
        if not self.knots_:
            return mixture
        order = self._order(scores)
        found = [_extended(order[:, c], self.knots_[c], self.log_odds_[c]) for c in range(order.shape[1])]
        return class_probabilities(np.stack(found, axis=1), mixture.shape[1])

    def linear_function(self, functions: Sequence[Floats]) -> Floats | None:
        """Return the linear function of words (and, last, the intercept) that is closest to the order and the level."""
        if not self.knots_:
            return None
        order = self._order(functions)
        # μ is subtracted from the intercept alone.
        for _, weight, centre, scale in self._parts():
            order[:-1] += weight * centre / scale
        slopes = [_ratio(levels.std(), knots.std()) for knots, levels in zip(self.knots_, self.log_odds_)]
        function: Floats = order * np.array(slopes)
        function[-1] += [
            levels.mean() - slope * knots.mean() for slope, knots, levels in zip(slopes, self.knots_, self.log_odds_)
        ]
        return function

    def _order(self, scores: Sequence[Floats]) -> Floats:
        (a, v, m, s), (b, w, n, t) = self._parts()
        found: Floats = v * (scores[a] - m) / s + w * (scores[b] - n) / t  # (1)
        return found

    def _parts(self) -> list[tuple[int, float, float, float]]:
        return list(zip(self.members_.tolist(), self.weights_.tolist(), self.centres_, self.scales_))


def _handed_out(order: Floats, probabilities: Floats) -> tuple[Floats, Floats]:
    """Return distinct values of the order and their log-odds; tied documents get their mean."""
    knots, sizes = np.unique(order, return_counts=True)
    ends = np.cumsum(sizes)
    total = np.concatenate([[0.0], np.cumsum(np.sort(probabilities))])
    levels = logit(np.clip((total[ends] - total[ends - sizes]) / sizes, FLOOR, 1 - FLOOR))
    if len(knots) > MOST_KNOTS:
        kept = np.linspace(0, len(knots) - 1, MOST_KNOTS).astype(np.int64)
        knots, levels = knots[kept], levels[kept]
    return knots, levels


def _extended(order: Floats, knots: Floats, levels: Floats) -> Floats:
    """Return log-odds: linear between the knots, and beyond them with the mean slope, so that there are no ties."""
    slope = _ratio(levels.std(), knots.std())
    beyond = np.minimum(order - knots[0], 0.0) + np.maximum(order - knots[-1], 0.0)
    found: Floats = np.interp(order, knots, levels) + slope * beyond
    return found


def _ratio(one: float, other: float) -> float:
    return one / other if other > FLOOR else 0.0
