"""A tiny estimator that keeps the whole contract: the shortest example of one, and what the harness is tested with."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Interval, fit_context
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Layout, Number
from driftline.core.randomness import generator


class RecentShares(TransformerMixin, DriftEstimator):
    """Word shares in which a document counts half as much every `half_life`; `transform` projects at random."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "half_life": [Interval(Real, 0, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        "counts_": Array("words", least=0),
        "newest_": Number(finite=False),
        "projection_": Array("words", None),
        "shares_": Array("words", least=0),
    }

    def __init__(self, half_life=2.0, n_components=2, random_state=None):
        self.half_life = half_life
        self.n_components = n_components
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, times=None):
        return self._learn(X, times, reset=True)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, *, times=None):
        return self._learn(X, times, reset=not hasattr(self, "counts_"))

    def transform(self, X):
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        return self._shares_of(X) @ self.projection_

    def score_samples(self, X):
        """Return the log-likelihood of every document."""
        check_is_fitted(self)
        return self._check_counts(X, reset=False) @ np.log(self.shares_)

    def score(self, X, y=None, *, times=None):
        """Return the mean log-likelihood of the documents; times only have to fit the model's."""
        scores = self.score_samples(X)
        self._check_times(times, len(scores), reset=False)
        return float(scores.mean())

    def shares_at(self, times):
        """Return the shares, which are the same at all times."""
        check_is_fitted(self)
        return np.tile(self.shares_, (len(self._time_axis.values(times)), 1))

    def _learn(self, X: Any, times: Any, *, reset: bool) -> RecentShares:
        X = self._check_counts(X, reset=reset)
        times = self._check_times(times, X.shape[0], reset=reset)
        if reset:
            self.counts_ = np.zeros(X.shape[1])
            self.newest_ = times.max()
            self.projection_ = generator(self.random_state).normal(size=(X.shape[1], self.n_components))
        newest = max(self.newest_, times.max())
        self.counts_ = self.counts_ * np.exp2((self.newest_ - newest) / self.half_life)
        self.counts_ += X.T @ np.exp2((times - newest) / self.half_life)
        self.newest_ = newest
        self.shares_ = (self.counts_ + 0.5) / (self.counts_.sum() + 0.5 * X.shape[1])
        return self

    @staticmethod
    def _shares_of(X: Any) -> np.ndarray:
        totals = np.asarray(X.sum(axis=1)).reshape(-1, 1)
        return X.toarray() / np.maximum(totals, np.finfo(float).tiny)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
