r"""The polarity of words from a few known ones, by pseudo-labels.

Documents are ordered by their share of known positive words, :math:`(n_+ - n_-)/(n_+ + n_- + 1)`; the highest and the
lowest share `OUTER` of them are the pseudo-labelled examples of a logistic regression on tf-idf, whose coefficients are
the polarities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.errors import InvalidInput

OUTER = 0.3
"""Share of documents at each end that are pseudo-labelled."""


class WordPolarity(NamedTuple):
    """A coefficient per word, above zero if positive; the intercept; the weight of each word in a document."""

    coefficients: Floats
    intercept: float
    idf: Floats

    def of_documents(self, X: Counts) -> Floats:
        """Return the probability that each document is positive."""
        score = np.asarray(_tf_idf(X, self.idf) @ self.coefficients) + self.intercept
        found: Floats = 1 / (1 + np.exp(-score))
        return found

    def distributions(self, totals: Floats) -> tuple[Floats, Floats]:
        """Return the positive and the negative distribution of words: uses times polarity, if it has that sign."""
        found = [np.maximum(sign * self.coefficients, 0.0) * totals + 1e-12 for sign in (1, -1)]
        return found[0] / found[0].sum(), found[1] / found[1].sum()


def counted_polarity(X: Counts, positive: Ints, negative: Ints) -> Floats:
    """Return (n₊ − n₋)/(n₊ + n₋ + 1) of every document.

    >>> counted_polarity(sp.csr_array([[2.0, 0.0], [0.0, 1.0]]), np.array([0]), np.array([1]))
    array([ 0.66666667, -0.5       ])
    """
    up, down = (np.asarray(X[:, columns].sum(axis=1)).ravel() for columns in (positive, negative))
    return np.asarray((up - down) / (up + down + 1))


def learn_polarity(X: Counts, positive: Ints, negative: Ints) -> WordPolarity:
    """Return the polarity of all words, learned from the known ones."""
    counted = counted_polarity(X, positive, negative)
    n = max(int(OUTER * X.shape[0]), 1)
    order = np.argsort(counted, kind="stable")
    low, high = order[:n], order[-n:]
    if not counted[low].max() < counted[high].min():
        raise InvalidInput(
            "the positive and the negative words do not separate documents: too few documents contain them; "
            "name more frequent words"
        )
    idf = np.log((1 + X.shape[0]) / (1 + np.bincount(X.indices, minlength=X.shape[1]))) + 1
    rows = np.concatenate([low, high])
    y = np.repeat([0, 1], n)
    model = LogisticRegression(C=10.0, max_iter=1000).fit(_tf_idf(X[rows], idf), y)
    return WordPolarity(model.coef_[0].astype(np.float64), float(model.intercept_[0]), idf)


def _tf_idf(X: Counts, idf: Floats) -> Counts:
    rows = sp.csr_array(X, dtype=np.float64, copy=True)
    rows.data = (1 + np.log(np.maximum(rows.data, 1e-12))) * idf[rows.indices]
    length = np.sqrt(np.asarray(rows.power(2).sum(axis=1)).ravel())
    return sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-12)) @ rows)
