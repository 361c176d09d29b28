r"""The words to show for a topic: likely in it, rare elsewhere, and used together.

Likely words alone (φ) are often common in all topics; exclusive words alone are often rare. For word w and topic k,
with :math:`C_w` uses in all documents, :math:`\pi_k` the share of the topic, and
:math:`C_{kw} = C_w \frac{\pi_k\phi_{kw}}{\sum_j \pi_j\phi_{jw}}` expected uses in the topic:

.. math::
    e_{kw} &= \frac{(C_{kw} + 10\,\pi_k) / (C_w + 10)}{\pi_k} \quad (1) \\
    s_{kw} &= \ln \phi_{kw} + \tfrac{3}{10} \ln \frac{e_{kw}}{\sum_j e_{jw}} \quad (2) \\
    m_{wv} &= e_{wv} \frac{n_{wv} + 0.3}{e_{wv} + 0.3}, \qquad e_{wv} = \frac{n_w n_v}{N} \quad (3) \\
    a_{wv} &= (1 - \exp(-m_{wv} / 3))\, \frac{\ln (m_{wv} / e_{wv})}{-\ln (m_{wv} / N)} - \exp(-m_{wv} / 3) \quad (4)

(1) is the exclusivity of the word, shrunk to one by ten uses at the share of the topic. Of N documents, :math:`n_w`
contain w, and :math:`n_{wv}` both words; (3) is the number expected in as many other documents, the mean of a Poisson
rate whose prior is a Gamma of shape 0.3 with its mean at chance. (4) is the normalised pointwise mutual information
expected in a third as many documents, which is −1 for words that never occur together. (4) alone prefers common words,
and so does not distinguish topics; with

.. math:: b_{wv} = \ln\frac{n_{wv} + 1}{e_{wv} + 1} \quad (5)

the words are those with the largest :math:`s_{kw} + \mathrm{mean}_v\,(10\,a_{wv} + 8\,b_{wv})` over the chosen words
v ≠ w (6), out of the 60 with the largest :math:`s_{kw}`, starting with the first by (2), in three rounds. The constants
were chosen by coherence in held-out documents of four sets (`benchmarks/topics/map_constants.py`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from driftline.base.checked_matrices import checked_counts
from driftline.core.arrays import Counts, Floats, Ints, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.fitted_models import FittedTopics
from driftline.topics.word_shares import pooled_shares

SHRINKAGE = 10.0
"""Uses of a word at the share of the topic that are added to its own."""
EXCLUSIVITY = 0.3
"""Power of exclusivity relative to the probability of the word."""
CANDIDATES = 60
"""Number of words among which the shown ones are chosen (twice the number shown, if that is more)."""
TOGETHER, LIFT = 10.0, 8.0
"""Weights of the expected NPMI and of the association with the other shown words."""
TO_CHANCE = 0.3
"""Shape of the prior that shrinks the number of documents with two words towards chance."""
OTHER_DOCUMENTS = 1 / 3
"""Number of new documents for which NPMI is expected, as a share of those given; fewer favour more frequent words."""
ROUNDS = 3
MOST_DOCUMENTS = 20_000
"""Number of documents, evenly spaced, in which words that occur together are counted."""


def show_words(model: FittedTopics | npt.ArrayLike, X: Matrix, n: int = 10) -> list[list[str]] | list[list[int]]:
    """Return the `n` words that best show what each topic is about; column numbers if there is no vocabulary.

    The model is not changed; any matrix of topics × words is accepted.

    Parameters
    ----------
    model : fitted topic model, or array of shape (n_topics, n_words)
        The topics. Rows of non-negative weights, such as those of a matrix factorisation, are accepted.
    X : sparse or dense counts
        Documents × words, such as those of the fit.
    n : int
        Words per topic.

    >>> X = np.repeat([[4, 3, 0, 0, 5], [0, 0, 5, 2, 5]], 10, axis=0)
    >>> topics = np.array([[0.4, 0.35, 0.0, 0.0, 0.25], [0.0, 0.0, 0.4, 0.35, 0.25]])
    >>> show_words(topics, X, n=2)
    [[0, 1], [2, 3]]
    """
    if n < 1:
        raise InvalidInput(f"n must be at least 1, not {n}")
    components = np.asarray(getattr(model, "components_", model), dtype=np.float64)
    counts = sp.csr_array(checked_counts(X, "show_words"), dtype=np.float64)
    if components.ndim != 2 or components.shape[1] != counts.shape[1]:
        raise InvalidInput(f"the topics have shape {components.shape}, but the documents {counts.shape[1]} words")
    if not (np.isfinite(components).all() and (components >= 0).all()):
        raise InvalidInput("the weights of words in topics must be finite and not negative")
    words = getattr(model, "vocabulary", None)
    found: list[list[str]] | list[list[int]] = shown_columns(components, counts, n).tolist()
    if words is None or len(words) < counts.shape[1]:
        return found
    return [[str(words[column]) for column in row] for row in found]


def shown_columns(components: Floats, counts: Counts, n: int) -> Ints:
    """Return the columns of the `n` shown words of every topic, best first; fewer, if there are fewer words."""
    n = min(n, counts.shape[1])
    scores = word_scores(components, np.asarray(counts.sum(axis=0)).ravel())
    n_candidates = min(max(CANDIDATES, 2 * n), counts.shape[1])
    candidates = np.argsort(-scores, axis=1, kind="stable")[:, :n_candidates]
    used, place = np.unique(candidates, return_inverse=True)
    coherence = TOGETHER * expected_npmi(counts, used) + LIFT * associations(counts, used)
    place = place.reshape(candidates.shape)
    chosen = [_together(scores[k, row], coherence, place[k], n) for k, row in enumerate(candidates)]
    found: Ints = np.take_along_axis(candidates, np.array(chosen, dtype=np.int64), axis=1)
    return found


def word_scores(components: Floats, uses: Floats) -> Floats:
    """Return s, topics × words (2); words that a topic, or every document, never uses come last."""
    totals = components.sum(axis=1, keepdims=True)
    phi = np.divide(components, totals, out=np.full_like(components, 1.0 / components.shape[1]), where=totals > 0)
    shares = pooled_shares(phi, uses)
    exclusive = (
        (uses * owned_uses(phi, shares) + SHRINKAGE * shares[:, None]) / (uses + SHRINKAGE) / shares[:, None]
    )  # (1)
    exclusive /= exclusive.sum(axis=0)
    with np.errstate(divide="ignore"):
        scores: Floats = np.log(phi) + EXCLUSIVITY * np.log(exclusive)  # (2)
    scores[:, uses <= 0] = -np.inf
    return scores


def owned_uses(phi: Floats, shares: Floats) -> Floats:
    """Return the share of the uses of each word that each topic generated, topics × words: C_kw / C_w.

    >>> owned_uses(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5]))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    expected = shares @ phi
    found: Floats = np.divide(shares[:, None] * phi, expected, out=np.zeros_like(phi), where=expected > 0)
    return found


def associations(counts: Counts, columns: Ints) -> Floats:
    """Return b, columns × columns (5)."""
    together, chance, _ = _pairs(counts, columns)
    found: Floats = np.log((together + 1.0) / (chance + 1.0))
    return found


def expected_npmi(counts: Counts, columns: Ints) -> Floats:
    """Return a, columns × columns (4)."""
    together, chance, n = _pairs(counts, columns)
    chance = np.maximum(chance, 1e-12)
    mean = chance * (together + TO_CHANCE) / (chance + TO_CHANCE)  # (3)
    never = np.exp(-OTHER_DOCUMENTS * mean)
    found: Floats = (1.0 - never) * np.log(mean / chance) / np.maximum(-np.log(mean / n), 1e-12) - never  # (4)
    return found


def _pairs(counts: Counts, columns: Ints) -> tuple[Floats, Floats, int]:
    """Return the number of documents that contain two columns, that expected by chance, and that of all documents."""
    every = max(1, -(-counts.shape[0] // MOST_DOCUMENTS))
    present = (sp.csc_array(counts[::every])[:, columns] > 0).astype(np.float64)
    together = np.asarray((present.T @ present).todense())
    alone, n = np.diag(together), max(present.shape[0], 1)
    return together, np.outer(alone, alone) / n, n


def _together(scores: Floats, coherence: Floats, place: Ints, n: int) -> Ints:
    """Return the positions of the chosen candidates, best first."""
    between = coherence[np.ix_(place, place)]
    np.fill_diagonal(between, 0.0)
    chosen = np.arange(n)
    for _ in range(ROUNDS):
        is_chosen = np.zeros(len(scores), dtype=np.bool_)
        is_chosen[chosen] = True
        others = np.maximum(n - is_chosen, 1)  # a chosen word is not compared with itself
        total = scores + between[:, is_chosen].sum(axis=1) / others  # (6)
        chosen = np.argsort(-total, kind="stable")[:n]
    return chosen
