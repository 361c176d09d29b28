r"""Coherence of the top words of a topic: normalised pointwise mutual information, and C_v.

With probabilities estimated from documents (a word is in a document or not),
:math:`\mathrm{NPMI}(a,b) = \ln\frac{p(a,b)}{p(a)p(b)} / -\ln p(a,b)` (1). C_v compares each top word's
vector of NPMI to all top words with the sum of these vectors, by cosine (2); windows are whole documents here.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.base.checked_matrices import checked_counts
from driftline.core.arrays import Floats, Matrix
from driftline.core.errors import InvalidInput

MEASURES = ("npmi", "c_v")


def coherence(model: object, X: Matrix, *, measure: str = "npmi", n_words: int = 10) -> Floats:
    """Return the coherence of every topic on the documents in `X`.

    Parameters
    ----------
    model : fitted topic model, or array of shape (n_topics, n_words)
        The topics.
    X : sparse or dense counts
        Documents × words, preferably other documents than those from which the topics were learned.
    measure : {"npmi", "c_v"}
        Mean NPMI of the pairs of top words (−1 to 1), or C_v (usually 0 to 1).
    n_words : int
        Number of top words used.

    >>> X = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    >>> coherence(np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]), X, n_words=2)
    array([ 1., -1.])
    """
    if measure not in MEASURES:
        raise InvalidInput(f"measure must be one of {', '.join(MEASURES)}, not {measure!r}")
    components = np.asarray(getattr(model, "components_", model), dtype=np.float64)
    X = sp.csc_matrix(checked_counts(X, "coherence"))
    if components.ndim != 2 or components.shape[1] != X.shape[1]:
        raise InvalidInput(f"the topics have shape {components.shape}, but the documents {X.shape[1]} words")
    if n_words < 2:
        raise InvalidInput("coherence needs at least 2 top words")
    top = np.argsort(-components, axis=1, kind="stable")[:, :n_words]
    used, place = np.unique(top, return_inverse=True)
    place = place.reshape(top.shape)
    present = (X[:, used] > 0).astype(np.float64)
    together = np.asarray((present.T @ present).todense()) / X.shape[0]
    npmi = _npmi(together)
    score = _mean_of_pairs if measure == "npmi" else _c_v
    return np.array([score(npmi[np.ix_(words, words)]) for words in place])


def _npmi(together: Floats) -> Floats:
    """Return Eq. 1 for all pairs; −1 for words that never occur together, 1 for words that always do."""
    alone = np.diag(together)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(together / np.outer(alone, alone)) / -np.log(together)
    value = np.where(together > 0, value, -1.0)
    return np.where(together >= 1.0, 1.0, value)


def _mean_of_pairs(npmi: Floats) -> float:
    return float(npmi[np.triu_indices(len(npmi), 1)].mean())


def _c_v(npmi: Floats) -> float:
    """Return Eq. 2."""
    whole = npmi.sum(axis=0)
    lengths = np.linalg.norm(npmi, axis=1) * np.linalg.norm(whole)
    return float(np.divide(npmi @ whole, lengths, out=np.zeros(len(npmi)), where=lengths > 0).mean())
