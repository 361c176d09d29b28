"""Prediction of held-out documents by topics: document completion, computed in the same way for every model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.base.checked_matrices import checked_counts
from driftline.core.arrays import Matrix
from driftline.core.errors import InvalidInput
from driftline.core.results import Result
from driftline.engines.threads import Threads
from driftline.inference.document_completion import KnownTopics, completion


class _CompletionScoreFields(NamedTuple):
    """The fields of `CompletionScore`."""

    nats_per_word: float
    perplexity: float
    n_words: float


class CompletionScore(Result, _CompletionScoreFields):
    """Result of document completion: nats per word, the perplexity, and the number of words predicted."""

    __slots__ = ()


def document_completion(
    components: npt.ArrayLike, X: Matrix, *, doc_topic_prior: npt.ArrayLike | None = None, n_jobs: int | None = None
) -> CompletionScore:
    """Score topics of any origin on held-out documents: half of a document's words predict the other half.

    Parameters
    ----------
    components : array of shape (n_topics, n_words), or a model that has `components_`
        The share of every word in every topic; rows are scaled to sum to one.
    X : sparse or dense counts
        Held-out documents × words.
    doc_topic_prior : float or array, optional
        α. By default the model's own, or 5 / n_topics.
    n_jobs : int, optional
        Number of threads.

    >>> X = np.array([[4, 4, 0, 0], [0, 0, 4, 4]])
    >>> topics = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    >>> score = document_completion(topics, X, doc_topic_prior=0.01)
    >>> round(score.perplexity, 1)
    2.0
    """
    shares = np.asarray(getattr(components, "components_", components), dtype=np.float64)
    if doc_topic_prior is None:
        doc_topic_prior = getattr(components, "doc_topic_prior_", 5.0 / len(shares))
    X = checked_counts(X, "document_completion")
    if shares.ndim != 2 or shares.shape[1] != X.shape[1]:
        raise InvalidInput(f"the topics have shape {shares.shape}, but the documents {X.shape[1]} words")
    totals = shares.sum(axis=1, keepdims=True)
    if not np.isfinite(shares).all() or (shares < 0).any() or not (totals > 0).all():
        raise InvalidInput("topics must be finite, not negative, and none may be empty")
    with Threads(n_jobs) as engine:
        likelihood, words = completion(KnownTopics.of(shares / totals, np.asarray(doc_topic_prior)), X, engine)
    n = float(words.sum())
    nats = float(-likelihood.sum() / n) if n else 0.0
    return CompletionScore(nats, float(np.exp(nats)), n)
