"""Prequential evaluation: test first, then learn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np

from driftline.core.arrays import Counts, Floats, Matrix
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.progress import track
from driftline.core.results import Columns, Result


class _PrequentialScoreFields(NamedTuple):
    """The fields of `PrequentialScore`."""

    scores: Floats
    running_mean: Floats
    n_words: Floats


class PrequentialScore(Result, _PrequentialScoreFields):
    """Scores along a stream: the score of every batch before it was learned, and the running mean.

    The mean weights batches by their numbers of words. The first batch is not scored.
    """

    __slots__ = ()

    def _columns(self) -> Columns:
        batches = 1 + np.arange(len(self.scores))  # the first, number 0, is not scored
        return {"batch": batches, "score": self.scores, "running_mean": self.running_mean, "n_words": self.n_words}

    def _summary(self) -> str:
        mean = f", running mean {self.running_mean[-1]:.4g}" if len(self.running_mean) else ""
        return f"{len(self.scores):,} batches scored{mean}"

    def _picture(self) -> Picture:
        places = np.arange(float(len(self.scores)))
        return Curves([Series("score", places, self.scores), Series("running mean", places, self.running_mean)])


class LearnsAndScores(Protocol):
    """A model that learns incrementally and scores documents."""

    n_features_in_: int

    def partial_fit(self, X: Matrix, /) -> object:
        """Learn from documents."""

    def score(self, X: Matrix, /) -> float:
        """Return the score of documents."""


def prequential_score(
    model: LearnsAndScores, batches: Iterable[Counts | Floats], *, verbose: bool | int = False
) -> PrequentialScore:
    """Score each batch of documents with the model learned from all earlier batches, then learn from it.

    `model` has `partial_fit` and `score` (a mean per word). The number of columns may grow.

    >>> from driftline.topics import LDA
    >>> batches = [np.eye(3, dtype=int) * 4 + 1] * 4
    >>> result = prequential_score(LDA(n_topics=2, random_state=0), batches)
    >>> len(result.scores), bool(result.scores[-1] < 0)
    (3, True)
    """
    scores, words = [], []
    for number, batch in enumerate(track(batches, "test, then learn", verbose=verbose)):
        if number:
            known = model.n_features_in_
            scores.append(model.score(batch[:, :known] if batch.shape[1] > known else batch))
            words.append(float(batch.sum()))
        model.partial_fit(batch)
    weight = np.cumsum(words)
    total = np.cumsum(np.multiply(scores, words))
    running = np.divide(total, weight, out=np.zeros(len(scores)), where=weight > 0)
    return PrequentialScore(np.array(scores), running, np.array(words))
