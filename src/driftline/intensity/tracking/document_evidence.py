"""Evidence of each document about its topic: log-likelihoods and known labels, checked and scaled."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats, Ints, Labels
from driftline.core.errors import InvalidInput
from driftline.core.labels import UNLABELLED, is_known, plain_labels


def known_topics(labels: Labels | None, n: int, n_topics: int) -> Ints:
    """Return one column number per document, or -1 if the topic is unknown (-1, None or NaN).

    >>> known_topics([0, None, -1], 3, 2)
    array([ 0, -1, -1])
    """
    topics = np.full(n, UNLABELLED)
    if labels is None:
        return topics
    values = np.asarray(labels, dtype=object).ravel()
    if len(values) != n:
        raise InvalidInput(f"there are {n} documents but {len(values)} labels; pass one each, -1 if unknown")
    known = is_known(values)
    given = plain_labels(values[known])
    whole = given.dtype.kind in "iu" or (given.dtype.kind == "f" and not (given % 1).any())
    if len(given) and not (whole and given.min() >= 0 and given.max() < n_topics):
        raise InvalidInput(f"labels must be columns of X, 0 to {n_topics - 1}, or -1 if unknown")
    topics[known] = given
    return topics


def text_evidence(log_likelihood: Floats, known: Ints) -> Floats:
    """Return p(document | topic) with each row's maximum scaled to one; a known topic is the only possible one.

    >>> text_evidence(np.log([[0.5, 0.25], [0.5, 0.5]]), np.array([-1, 1]))
    array([[1. , 0.5],
           [0. , 1. ]])
    """
    best = log_likelihood.max(axis=1, keepdims=True)
    wrong = ~np.isfinite(best[:, 0])
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        what = "has NaN" if np.isnan(best[at, 0]) else "is impossible" if best[at, 0] < 0 else "is infinitely likely"
        raise InvalidInput(
            f"document {at} {what} under its topics (X contains NaN or infinity); pass finite log-likelihoods, "
            f"-inf only if a topic is excluded"
        )
    text: Floats = np.subtract(log_likelihood, best)
    np.exp(text, out=text)
    labelled = np.flatnonzero(known >= 0)
    text[labelled] = 0.0
    text[labelled, known[labelled]] = 1.0
    return text


def unsorted(values: np.ndarray, order: Ints) -> np.ndarray:
    """Return rows, given in time order, in their original order.

    >>> unsorted(np.array(["early", "late"]), np.array([1, 0])).tolist()
    ['late', 'early']
    """
    if not (order[1:] < order[:-1]).any():
        return values
    found = np.empty_like(values)
    found[order] = values
    return found
