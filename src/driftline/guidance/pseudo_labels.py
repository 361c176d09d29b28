"""Labels by seed words: documents that use a topic's words train a classifier, whose probabilities are priors."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.naive_bayes import ComplementNB

from driftline.core.arrays import Counts, Floats, Ints

UNDECIDED = -1


def seed_labels(X: Counts, seeds: dict[int, Ints]) -> Ints:
    """Return the topic whose words a document uses most often; −1 if it uses none, or two as often.

    >>> seed_labels(sp.csr_matrix([[2, 1, 0], [1, 1, 0], [0, 0, 3]]), {0: np.array([0]), 4: np.array([1])})
    array([ 0, -1, -1])
    """
    topics = sorted(seeds)
    used = np.column_stack([np.asarray(X[:, seeds[k]].sum(axis=1)).ravel() for k in topics])
    best = used.argmax(axis=1)
    decided = (used == used.max(axis=1, keepdims=True)).sum(axis=1) == 1
    found: Ints = np.where(decided & (used.max(axis=1) > 0), np.array(topics)[best], UNDECIDED)
    return found


def seed_probabilities(X: Counts, seeds: dict[int, Ints]) -> tuple[Ints, Floats]:
    """Return the topics with seeds, and every document's probabilities of them, by complement naive Bayes on tf-idf.

    It learns from the documents that `seed_labels` decides; with fewer than two topics among them it has nothing to
    tell, and all are equal.
    """
    labels = seed_labels(X, seeds)
    known = labels != UNDECIDED
    topics = np.unique(labels[known])
    if len(topics) < 2:
        every = np.array(sorted(seeds))
        return every, np.full((X.shape[0], len(every)), 1.0 / len(every))
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    model = ComplementNB().fit(weighted[known], labels[known])
    return model.classes_, model.predict_proba(weighted)


def seed_priors(X: Counts, seeds: dict[int, Ints], n_topics: int, strength: float, power: float) -> sp.csr_array:
    """Return additions to the documents' priors: sharpened probabilities times `strength`; small ones are left out."""
    topics, probabilities = seed_probabilities(X, seeds)
    sharp = probabilities**power
    sharp /= np.maximum(sharp.sum(axis=1, keepdims=True), 1e-300)
    sharp[sharp < 1e-3] = 0.0
    found = np.zeros((X.shape[0], n_topics))
    found[:, topics] = strength * sharp
    return sp.csr_array(found)
