r"""Predictions of learned and of new documents by one fit that learned from neither, so that they can be compared.

The predictions of a saved model for new documents are not comparable with those of its validation, which are made by
fits to fewer documents: with fewer documents, rare labels are predicted less often. Nor are they comparable with its
predictions for the documents that it learned from. Therefore the way of learning that was chosen is fitted again to the
older of the learned documents, and this fit predicts the later ones and the new ones. If nothing has changed, it cannot
know which documents are new.

That must hold for the words as well. A word of the compared learned documents is in the vocabulary because they contain
it, a word of new documents is not, and its weight would change the length of the row. Both are therefore reduced to the
words that the older documents alone bring into the vocabulary, with the weights of these documents.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from driftline.core.arrays import Counts, Floats, Ints
from driftline.monitoring.reference import MOST_DOCUMENTS
from driftline.monitoring.text_classifier import TextClassifier
from driftline.streams.exchange import exchange_units
from driftline.text.rows import Texts


class Predicted(NamedTuple):
    """Label probabilities of learned and of new documents, by a fit to `n_fitted` older documents."""

    n_fitted: int
    times_before: np.ndarray
    before: Floats
    now: Floats


def predict_by_earlier_fit(model: TextClassifier, texts: Texts) -> Predicted | str:
    """Return predictions for the later half of the learned documents, at most 3,000, and for new texts; or why not.

    The halves are divided between two days.
    """
    X, labels, times = model.estimator_.learned_documents()
    first = _first_compared(exchange_units(times).index)
    if first in (0, len(labels)):
        return "the learned documents all have the same time"
    if len(np.unique(labels[:first])) < 2:
        return "the older half of the learned documents has fewer than two labels"
    factors = _factors(model, X[:first])
    known = _reduced(model, X, factors)
    fit = model.estimator_.refitted(known[:first], labels[:first], times=times[:first])
    new = _reduced(model, model.transform_texts(texts), factors)
    return Predicted(first, times[first:], fit.predict_proba(known[first:]), fit.predict_proba(new))


def _first_compared(unit: Ints) -> int:
    """Return the number of older documents: about half, at least all but 3,000, in whole units.

    >>> _first_compared(np.array([0, 0, 0, 1, 1, 2])), _first_compared(np.array([0, 0, 0, 1]))
    (3, 3)
    """
    half = unit[max(len(unit) // 2, len(unit) - MOST_DOCUMENTS)]
    return int(np.searchsorted(unit, half) or np.searchsorted(unit, half, side="right"))


def _factors(model: TextClassifier, older: Counts) -> Floats:
    """Return the factor of every column that replaces its weight by that of a vocabulary of the older documents."""
    n = older.shape[0]
    documents = np.bincount(older.indices, minlength=older.shape[1])
    least = model.min_df if isinstance(model.min_df, int) else math.ceil(model.min_df * model.n_documents_)
    known: Floats = (documents >= least).astype(np.float64)
    if model.weighting == "counts":
        return known
    rarity: Floats = np.log((1 + n) / (1 + documents)) + 1
    return known * rarity / model.inverse_document_frequencies


def _reduced(model: TextClassifier, X: Counts, factors: Floats) -> Counts:
    """Return rows with other weights of the columns, of unit length if the model's rows are."""
    scaled = sp.csr_matrix(X @ sp.diags(factors))
    scaled.eliminate_zeros()
    return scaled if model.weighting == "counts" else normalize(scaled, copy=False)
