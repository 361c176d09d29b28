r"""A pool of regressions that trust the graph more or less, weighted by how well each foresaw the labels.

Every new label is first predicted by each member and only then learned. A member's share in the pool is
:math:`\propto e^{-\eta \ell}`, where :math:`\ell` is the sum of its log-losses, those of the last frame counting 3 %
less than those of this one. The member without smoothing is logistic regression on the labels so far: where the graph
misleads, it takes over.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.base.estimator import DriftEstimator
from driftline.core.arrays import Floats, Ints
from driftline.evolving.frame import FrameData, class_probabilities, for_every_class
from driftline.evolving.graph import Matrix, laplacian, weighted
from driftline.evolving.propagation import Propagation
from driftline.evolving.smoothed_logistic import SmoothedLogistic

FORGETTING = 0.97
"""What the losses of a frame count for after one more frame."""
TRUST = 0.3
"""How strongly a nat of log-loss moves the shares (η)."""


class Pool(DriftEstimator):
    """The default way to learn a frame: several smoothed regressions, and shares that follow their forecasts."""

    def __init__(
        self,
        *,
        smoothing: Sequence[float] = (0.0, 0.6, 0.85),
        ridge: float = 0.02,
        memory: int = 200,
    ) -> None:
        self.smoothing = smoothing
        self.ridge = ridge
        self.memory = memory

    def begin(self, n_features: int) -> Pool:
        """Start anew, knowing nothing."""
        self.members_ = [
            SmoothedLogistic(smoothing=strength, ridge=self.ridge, memory=self.memory).begin(n_features)
            for strength in self.smoothing
        ]
        self.losses_ = np.zeros(len(self.members_))
        self._losses_before_ = self.losses_
        self.n_classes_ = 0
        self._previous_function_ = np.zeros((n_features + 1, 0))
        return self

    @property
    def shares(self) -> Floats:
        """How much each member has to say."""
        relative = np.exp(-TRUST * (self.losses_ - self.losses_.min()))
        return relative / relative.sum()

    def begin_frame(self, number: int) -> None:
        """Let the past fade a little, and freeze what no longer fits into the memory."""
        self.losses_ = self.losses_ * FORGETTING
        self._losses_before_ = self.losses_
        self._previous_function_ = self.linear_function()
        for member in self.members_:
            member.begin_frame()

    def grow_classes(self, places: Ints, n_classes: int) -> None:
        """Make room for more classes; the old ones are now at `places`."""
        for member in self.members_:
            member.grow_classes(places, n_classes)
        grown = np.zeros((len(self._previous_function_), n_classes))
        grown[:, places] = self._previous_function_
        self._previous_function_ = grown
        self.n_classes_ = n_classes

    def grow_features(self, n_features: int) -> None:
        """Make room for more words."""
        for member in self.members_:
            member.grow_features(n_features)
        known, intercept = self._previous_function_[:-1], self._previous_function_[-1:]
        new = np.zeros((n_features - len(known), known.shape[1]))
        self._previous_function_ = np.vstack([known, new, intercept])

    def learn(self, frame: FrameData, fresh: Ints) -> None:
        """Learn the current frame; the labels of the rows `fresh` have not been seen and are foreseen first."""
        graph = weighted(frame.neighbours, weights="cosine_squared")
        n, K = frame.n_documents, frame.n_classes
        labelled = frame.labelled
        is_fresh = np.isin(labelled, fresh)
        truth = frame.codes[labelled[is_fresh]]
        foreseen, held_out, inside, losses = [], [], [], np.zeros(len(self.members_))
        for number, member in enumerate(self.members_):
            spread = Propagation(graph, member.smoothing)
            rows = spread.rows(labelled) @ frame.features
            foreseen.append(class_probabilities(member.scores(rows[is_fresh]), K))
            losses[number] = -np.log(np.maximum(foreseen[-1][np.arange(len(truth)), truth], 1e-12)).sum()
            scores = member.learn(rows, frame.codes[labelled], frame.number, K)
            held_out.append(class_probabilities(scores[is_fresh], K))
            plain = member.scores(frame.features)
            intercept = member.weights_[-1]
            inside.append(class_probabilities((spread.smooth(plain - intercept) + intercept)[:n], K))
        self.foreseen_ = self._mixed(foreseen)
        self.losses_ = self.losses_ + losses
        self.held_out_ = self._mixed(held_out)
        self.frame_probabilities_ = self._mixed(inside)
        self._measure(frame, graph)

    def restart_frame(self) -> None:
        """Go back to before the current frame, which will be learned anew."""
        self.losses_ = self._losses_before_
        for member in self.members_:
            member.restart_frame()

    def probabilities(self, features: Matrix) -> Floats:
        """Return one row per document, one column per class; rows sum to one."""
        return self._mixed([class_probabilities(member.scores(features), self.n_classes_) for member in self.members_])

    def linear_function(self) -> Floats:
        """Return words and, last, the intercept × classes: the members' in their shares."""
        mean = sum(share * member.weights_ for share, member in zip(self.shares, self.members_))
        return for_every_class(np.asarray(mean), self.n_classes_)

    def _mixed(self, parts: list[Floats]) -> Floats:
        return np.einsum("m,mnk->nk", self.shares, np.stack(parts))

    def _measure(self, frame: FrameData, graph: Matrix) -> None:
        """Work out the spatial and the temporal cost of the mean linear function."""
        function = self.linear_function()
        scores = frame.features @ function[:-1]
        n = max(frame.features.shape[0], 1)
        self.spatial_cost_ = np.einsum("ic,ic->c", scores, laplacian(graph) @ scores) / n**2
        self.temporal_cost_ = ((function - self._previous_function_) ** 2).sum(axis=0)
