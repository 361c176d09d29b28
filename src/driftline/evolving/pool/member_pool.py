r"""A pool of regressions with different weights of the graph: separate evidence for order and level.

*Level*: every new label is first predicted by each member and only then learned. A member's share in the mixture is
:math:`\propto e^{-\eta \ell}`, where :math:`\ell` is the sum of its log-losses, in which the losses of each earlier
frame are discounted by another 3 %.

*Order*: log-loss does not show which member ranks documents best. The member without smoothing, which is logistic
regression on the labels so far, orders the documents of a frame, unless `RankingEvidence` favours another one; the
mixture's probabilities are assigned in that order (`OrderedLevel`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from driftline.base.estimator import DriftEstimator
from driftline.base.state_layout import Array, Each, Layout, Number, Optional, Part
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import ModelFileError
from driftline.evolving.frames.frame_data import FrameData, class_probabilities, for_every_class, signs
from driftline.evolving.frames.neighbour_graph import Matrix, laplacian, weighted
from driftline.evolving.pool.ordered_level import OrderedLevel
from driftline.evolving.pool.propagation import Propagation
from driftline.evolving.pool.ranking_evidence import RankingEvidence
from driftline.evolving.pool.smoothed_logistic import SmoothedLogistic

FORGETTING = 0.97
"""Factor by which the losses of a frame are discounted with each later frame."""
TRUST = 0.3
"""Learning rate η of the shares, per nat of log-loss."""


class Pool(DriftEstimator):
    """The default method for a frame: several smoothed regressions, weighted by their forecasts."""

    _state_layout: ClassVar[Layout | None] = {
        "members_": Each(Part(SmoothedLogistic, {"words": "words", "outputs": "outputs"}), "members"),
        "losses_": Array("members"),
        "evidence_": Part(RankingEvidence, {"members": "members"}),
        "inside_": Part(OrderedLevel),
        "outside_": Part(OrderedLevel),
        "_losses_before_": Array("members"),
        "n_classes_": Number("classes", least=0),
        "_previous_function_": Array("words+1", "classes"),
        "predicted_": Optional(Array("fresh", "classes", least=0)),
        "held_out_": Optional(Array("fresh", "classes", least=0)),
        "frame_probabilities_": Optional(Array("frame documents", "classes", least=0)),
        "spatial_cost_": Optional(Array("classes")),
        "temporal_cost_": Optional(Array("classes")),
    }

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        for level in (self.inside_, self.outside_) if sizes else ():
            n_outputs = level.centres_.shape[1]
            if (level.members_ >= sizes["members"]).any() or n_outputs not in (0, sizes.get("outputs", n_outputs)):
                raise ModelFileError("the model orders documents by a member that does not exist; it is damaged")
        return sizes

    def __init__(
        self,
        *,
        smoothing: Sequence[float] = (0.0, 0.6, 0.85),
        ridge: Sequence[float] = (0.1, 0.01, 0.01),
        memory: int = 200,
    ) -> None:
        self.smoothing = smoothing
        self.ridge = ridge
        self.memory = memory

    def begin(self, n_features: int) -> Pool:
        """Reset the pool."""
        self.members_ = [
            SmoothedLogistic(smoothing=strength, ridge=ridge, memory=self.memory).begin(n_features)
            for strength, ridge in zip(self.smoothing, self.ridge)
        ]
        self.evidence_ = RankingEvidence().begin(self.smoothing)
        self.inside_ = OrderedLevel().begin()
        """The order and level of the documents of the frame, by their positions in the graph."""
        self.outside_ = OrderedLevel().begin()
        """The same for documents classified by their words alone."""
        self.losses_ = np.zeros(len(self.members_))
        self._losses_before_ = self.losses_
        self.n_classes_ = 0
        self._previous_function_ = np.zeros((n_features + 1, 0))
        return self

    @property
    def shares(self) -> Floats:
        """The share of each member in the mixture."""
        relative = np.exp(-TRUST * (self.losses_ - self.losses_.min()))
        found: Floats = relative / relative.sum()
        return found

    def begin_frame(self, number: int) -> None:
        """Discount past losses, and freeze documents that no longer fit into the memory."""
        self.losses_ = self.losses_ * FORGETTING
        self._losses_before_ = self.losses_
        self._previous_function_ = self.linear_function()
        self.evidence_.begin_frame()
        for member in self.members_:
            member.begin_frame()

    def grow_classes(self, places: Ints, n_classes: int) -> None:
        """Add classes; the old ones are now at `places`."""
        for member in self.members_:
            member.grow_classes(places, n_classes)
        self.inside_.begin()
        self.outside_.begin()
        grown = np.zeros((len(self._previous_function_), n_classes))
        grown[:, places] = self._previous_function_
        self._previous_function_ = grown
        self.n_classes_ = n_classes

    def grow_features(self, n_features: int) -> None:
        """Add words."""
        for member in self.members_:
            member.grow_features(n_features)
        known, intercept = self._previous_function_[:-1], self._previous_function_[-1:]
        new = np.zeros((n_features - len(known), known.shape[1]))
        self._previous_function_ = np.vstack([known, new, intercept])

    def learn(self, frame: FrameData, fresh: Ints) -> None:
        """Learn the current frame; the labels of the rows `fresh` are new and are predicted first."""
        graph = weighted(frame.neighbours, weights="cosine_squared")
        labelled, K = frame.labelled, frame.n_classes
        is_fresh = np.isin(labelled, fresh)
        knew_something = any(member.weights_.any() for member in self.members_)
        forecasts, held_out, placements, plain, smoothed = [], [], [], [], []
        for member in self.members_:
            spread = Propagation(graph, member.smoothing)
            rows = spread.rows(labelled) @ frame.features
            forecasts.append(member.scores(rows[is_fresh]))
            learned = member.learn(rows, frame.codes[labelled], frame.number, K)
            held_out.append(learned.held_out[is_fresh])
            placements.append(learned.placements)
            plain.append(member.scores(frame.features))
            intercept = member.weights_[-1]
            smoothed.append((spread.smooth(plain[-1] - intercept) + intercept)[: frame.n_documents])
        self._judge(forecasts, frame.codes[labelled[is_fresh]], ranked=knew_something)
        self.evidence_.compare_placements(placements, signs(self.members_[0].codes_, K) > 0)
        trust, plainest = self.evidence_.trust, self.evidence_.plainest_
        self.inside_.learn(smoothed, self._mixed(smoothed), plainest, trust)
        self.outside_.learn(plain, self._mixed(plain), plainest, trust)
        self.held_out_ = self._mixed(held_out)
        self.frame_probabilities_ = self.inside_.probabilities(smoothed, self._mixed(smoothed))
        self._measure(frame, graph)

    def _judge(self, forecasts: list[Floats], truth: Ints, *, ranked: bool) -> None:
        """Compare the members' forecasts with the labels; `ranked` is whether members could rank them."""
        each = [class_probabilities(scores, self.n_classes_) for scores in forecasts]
        self.predicted_ = self._mixed(forecasts)
        own = np.stack([chances[np.arange(len(truth)), truth] for chances in each])
        self.losses_ = self.losses_ - np.log(np.maximum(own, 1e-12)).sum(axis=1)
        if ranked:
            self.evidence_.add_forecasts(forecasts, signs(truth, self.n_classes_) > 0)

    def restart_frame(self) -> None:
        """Restore the state before the current frame, which will be learned again."""
        self.losses_ = self._losses_before_
        self.evidence_.restart_frame()
        for member in self.members_:
            member.restart_frame()

    def probabilities(self, features: Matrix) -> Floats:
        """Return one row per document, one column per class; rows sum to one."""
        scores = [member.scores(features) for member in self.members_]
        return self.outside_.probabilities(scores, self._mixed(scores))

    def linear_function(self) -> Floats:
        """Return words and, last, the intercept × classes: of the pool, or the weighted mean of the members."""
        functions = [member.weights_ for member in self.members_]
        found = self.outside_.linear_function(functions)
        if found is None:
            found = np.einsum("m,mvc->vc", self.shares, np.stack(functions))
        return for_every_class(found, self.n_classes_)

    def _mixed(self, scores: list[Floats]) -> Floats:
        """Return the probabilities of the mixture from the members' scores."""
        each = [class_probabilities(one, self.n_classes_) for one in scores]
        found: Floats = np.einsum("m,mnk->nk", self.shares, np.stack(each))
        return found

    def _measure(self, frame: FrameData, graph: Matrix) -> None:
        """Compute the spatial and the temporal cost of the mean linear function."""
        function = self.linear_function()
        scores = frame.features @ function[:-1]
        n = max(frame.features.shape[0], 1)
        self.spatial_cost_ = np.einsum("ic,ic->c", scores, laplacian(graph) @ scores) / n**2
        self.temporal_cost_ = ((function - self._previous_function_) ** 2).sum(axis=0)
