r"""The share of the words that each topic generated, given the topics: linear in the counts, and unbiased.

Words of a set of documents with shares s are drawn from :math:`s^\top \Phi`, whatever the shares of its individual
documents. The log-likelihood of the shares, expanded around pooled shares m, has gradient and information

.. math:: G_w = \phi_w / (m \cdot \phi_w), \qquad S = \sum_w c_w (G_w - 1), \qquad
          H = \sum_w (m \cdot \phi_w)\, G_w G_w^\top

and one Newton step from m gives :math:`n \hat s = n m + H^+ S` for n words. Since
:math:`\operatorname{E} S = n (H s - 1)` and :math:`H m = 1`, the step is unbiased for *every* s, not only near m: the
estimate is the weighted least-squares solution of a linear model. Posterior means of documents are not: they are shrunk
towards the prior, more strongly for short documents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats
from driftline.inference.em import EM
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop

_ROUNDS = 200
_TOLERANCE = 1e-6
_LEAST_SHARE = 1e-4
"""Lower bound of pooled shares, relative to an equal share, so that no word of a topic gets an unbounded weight."""
_SINGULAR = 1e-8


def pooled_shares(components: Floats, word_totals: Floats) -> Floats:
    """Return the shares that maximise the likelihood of all words, by expectation maximisation.

    >>> topics = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> pooled_shares(topics, np.array([60.0, 40.0])).round(2)
    array([0.57, 0.43])
    """
    n_topics = len(components)
    stop = Stop(_ROUNDS if word_totals.any() else 0, LittleMoved(_TOLERANCE))
    shares = run(_METHOD, _Words(components, word_totals), stop=stop).result
    shares = np.maximum(shares, _LEAST_SHARE / n_topics)
    found: Floats = shares / shares.sum()
    return found


class _Words(NamedTuple):
    """The problem: topics × words, and the number of uses of each word."""

    components: Floats
    totals: Floats


def _expect(shares: Floats, words: _Words, rng: np.random.Generator) -> tuple[Floats, float]:
    """Return the expected share of the words that each topic generated, and the log-likelihood per word."""
    expected, total = shares @ words.components, words.totals.sum()
    possible = expected > 0
    ratio = np.divide(words.totals, expected, out=np.zeros_like(expected), where=possible)
    likelihood = words.totals[possible] @ np.log(expected[possible]) / total
    return shares * (words.components @ ratio) / total, float(likelihood)


_METHOD: EM[_Words, Floats, Floats] = EM(
    begin=lambda words, rng: np.full(len(words.components), 1 / len(words.components)),
    expect=_expect,
    maximise=lambda written, shares, words: written / written.sum(),
    change=lambda before, after: float(np.abs(after - before).max()),
)


def word_shares(components: Floats, counts: Counts) -> tuple[Floats, Floats]:
    """Return, for every row of counts, the words of each topic (n ŝ, rows × topics) and all words (n).

    A row may sum the counts of many documents. Values are unbiased and so may be negative, or exceed n. Words that no
    topic uses are not counted.

    >>> topics = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])
    >>> written, words = word_shares(topics, sp.csr_array([[30.0, 50.0, 20.0], [0.0, 5.0, 5.0]]))
    >>> written.round(6), words
    (array([[60., 40.], [ 0., 10.]]), array([100.,  10.]))
    """
    topics = np.asarray(components, dtype=np.float64)
    topics = topics / np.maximum(topics.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    table = sp.csr_array(counts, dtype=np.float64)
    used = topics.sum(axis=0) > 0
    if not used.all():
        topics, table = topics[:, used], table[:, used]
    shares = pooled_shares(topics, np.asarray(table.sum(axis=0)).ravel())
    gradient = topics / (shares @ topics)  # G, topics × words
    information = gradient @ topics.T  # H for one word drawn at the pooled shares
    words = np.asarray(table.sum(axis=1)).ravel()
    score = table @ gradient.T - words[:, None]  # S
    inverse = np.linalg.pinv((information + information.T) / 2, rcond=_SINGULAR, hermitian=True)
    return words[:, None] * shares + score @ inverse, words
