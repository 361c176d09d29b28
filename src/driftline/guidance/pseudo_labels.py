"""Labels from seed words: documents that use a topic's words train a classifier, whose probabilities are priors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.feature_extraction.text import TfidfTransformer

from driftline.core.arrays import Counts, Floats, Ints
from driftline.guidance.wishes import SpreadWish

UNDECIDED = -1
NEGLIGIBLE = 1e-3
"""Sharpened probability below which an entry is left out."""


class SeedPriors(NamedTuple):
    """Additions to the documents' priors (documents × topics): sharpened to learn topics, plain for shares."""

    sharp: sp.csr_array
    plain: sp.csr_array


def seed_labels(X: Counts, seeds: dict[int, Ints]) -> Ints:
    """Return the topic whose words a document uses most often; −1 if it uses none, or if there is a tie.

    >>> seed_labels(sp.csr_matrix([[2, 1, 0], [1, 1, 0], [0, 0, 3]]), {0: np.array([0]), 4: np.array([1])})
    array([ 0, -1, -1])
    """
    topics = sorted(seeds)
    used = np.column_stack([np.asarray(X[:, seeds[k]].sum(axis=1)).ravel() for k in topics])
    best = used.argmax(axis=1)
    decided = (used == used.max(axis=1, keepdims=True)).sum(axis=1) == 1
    found: Ints = np.where(decided & (used.max(axis=1) > 0), np.array(topics)[best], UNDECIDED)
    return found


def seed_probabilities(X: Counts, seeds: dict[int, Ints], *, power: float, again: bool = True) -> tuple[Ints, Floats]:
    """Return the topics with seeds, and every document's probabilities of them, by complement naive Bayes on tf-idf.

    The classifier is trained on the documents that `seed_labels` labels, and again (`again`) on all: labelled documents
    keep their labels, and the others have their probabilities to the `power`. If fewer than two topics have labelled
    documents, all probabilities are equal.
    """
    labels = seed_labels(X, seeds)
    decided = labels != UNDECIDED
    topics = np.unique(labels[decided])
    if len(topics) < 2:
        every = np.array(sorted(seeds))
        return every, np.full((X.shape[0], len(every)), 1.0 / len(every))
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    certain = (labels[:, None] == topics).astype(np.float64)
    found = complement_bayes(weighted, certain)
    if again:
        found = complement_bayes(weighted, np.where(decided[:, None], certain, sharpened(found, power)))
    return topics, found


def complement_bayes(weighted: Counts, labels: Floats) -> Floats:
    """Return the probabilities of complement naive Bayes trained on weighted labels, documents × classes.

    A class is modelled by the words of all others (Rennie et al. 2003); one is added to every count.
    """
    uses = labels.T @ weighted
    others = uses.sum(axis=0) - uses + 1.0
    found: Floats = softmax(-(weighted @ np.log(others / others.sum(axis=1, keepdims=True)).T), axis=1)
    return found


def sharpened(probabilities: Floats, power: float) -> Floats:
    """Return probabilities to a power, rows summing to one.

    >>> sharpened(np.array([[0.8, 0.2]]), 2.0).round(3)
    array([[0.941, 0.059]])
    """
    found = (probabilities / probabilities.max(axis=1, keepdims=True)) ** power
    result: Floats = found / found.sum(axis=1, keepdims=True)
    return result


def seed_priors(X: Counts, seeds: dict[int, Ints], n_topics: int, wish: SpreadWish) -> SeedPriors:
    """Return additions to the documents' priors: probabilities times their weight in the wish."""
    topics, probabilities = seed_probabilities(X, seeds, power=wish.power)
    sharp = sharpened(probabilities, wish.power)
    sharp[sharp < NEGLIGIBLE] = 0.0
    worth = wish.strength + wish.per_word * np.asarray(X.sum(axis=1), dtype=np.float64).reshape(-1, 1)
    placed = []
    for part in (sharp, probabilities):
        found = np.zeros((X.shape[0], n_topics))
        found[:, topics] = worth * part
        placed.append(sp.csr_array(found))
    return SeedPriors(*placed)
