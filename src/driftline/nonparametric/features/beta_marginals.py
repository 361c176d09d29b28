r"""The base weights of words under a hierarchical beta process, integrated out by quadrature.

Word w has the base weight :math:`b_w`, an atom of a beta process of mass γ and concentration :math:`c_0`, and in class
j the weight :math:`p_{jw} \sim \mathrm{Beta}(c b_w, c (1 - b_w))` (1). The probability that :math:`m_{jw}` of the
:math:`n_j` documents of each class j contain it is

.. math:: P(m_w \mid b) = \prod_j \frac{B(c b + m_{jw},\; c (1 - b) + n_j - m_{jw})}{B(c b,\; c (1 - b))}.          (2)

Atoms have the density :math:`\gamma c_0\, b^{-1} (1 - b)^{c_0 - 1}`. With :math:`b = 1 / (1 + e^{-t})` this is
:math:`\gamma c_0 (1 - b)^{c_0} dt` (3), smooth in t, so sums over equidistant t converge fast. The K words that occur
are those of a thinned Poisson process: given K, with γ integrated out, their probability is

.. math:: \prod_w \frac{\int P(m_w \mid b) (1 - b)^{c_0} dt}{\int (1 - P(0 \mid b)) (1 - b)^{c_0} dt}.             (4)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import betaln, expit, gammaln, logsumexp

from driftline.core.arrays import Counts, Floats, Ints

STEP = 0.125
"""Distance between the points t."""
BELOW, ABOVE, FARTHEST = 14.0, 8.0, 300.0
"""Distance of the first point t below -ln n, that of the last above zero (plus 16 / c₀), and its maximum."""
CHUNK = 4096
"""Number of distinct words whose likelihoods are in memory at a time."""


class PresentWords(NamedTuple):
    """The number of documents of each class that contain each word; words with the same numbers share a row.

    `pairs` contains the distinct (class, m) with m > 0, and `rows` (distinct words × pairs) those of every row.
    `words` is the row of every word, `times` the number of words per row.
    """

    n_documents: Floats
    pairs: Ints
    rows: Counts
    words: Ints
    times: Ints

    @classmethod
    def of(cls, present: Ints, n_documents: Ints) -> PresentWords:
        """Summarise numbers of documents, classes × words; every word must be present in at least one."""
        word, group = np.nonzero(present.T)
        width = int(present.max(initial=0)) + 1
        keys, number = np.unique(group * width + present[group, word], return_inverse=True)
        starts = np.searchsorted(word, np.arange(present.shape[1] + 1))
        seen: dict[bytes, int] = {}
        words = np.array(
            [seen.setdefault(number[a:b].tobytes(), len(seen)) for a, b in pairwise(starts)], dtype=np.int64
        )
        firsts = np.unique(words, return_index=True)[1]
        lengths = np.diff(starts)[firsts]
        indices = np.concatenate([np.empty(0, dtype=np.int64), *(number[starts[i] : starts[i + 1]] for i in firsts)])
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        rows = sp.csr_matrix((np.ones(len(indices)), indices, indptr), shape=(len(firsts), len(keys)))
        pairs = np.column_stack(np.divmod(keys, width))
        return cls(n_documents.astype(np.float64), pairs, rows, words, np.bincount(words, minlength=len(firsts)))


class Quadrature(NamedTuple):
    """Points b, the logarithms of their weights (3) without γ c₀, of P(0 | b), and of P(m | b) / P(0 | b) by pair."""

    b: Floats
    log_weights: Floats
    log_absent: Floats
    log_pairs: Floats


def quadrature(words: PresentWords, concentration: float, base_concentration: float) -> Quadrature:
    """Evaluate (2) and (3) at all points."""
    c, n = concentration, words.n_documents
    last = min(ABOVE + 16.0 / base_concentration, FARTHEST)
    t = np.arange(-BELOW - np.log(max(n.sum(), 1.0)), last, STEP)
    b, rest = expit(t), expit(-t)
    log_weights = base_concentration * np.log(rest) + np.log(STEP)
    log_absent = (betaln(c * b, c * rest + n[:, None]) - betaln(c * b, c * rest)).sum(axis=0)
    group, m = words.pairs.T if len(words.pairs) else np.empty((2, 0), dtype=np.int64)
    without = (n[group] - m)[:, None]
    log_pairs = gammaln(c * b + m[:, None]) - gammaln(c * b)
    log_pairs += gammaln(c * rest + without) - gammaln(c * rest + n[group, None])
    return Quadrature(b, log_weights, log_absent, log_pairs)


def log_masses(words: PresentWords, points: Quadrature) -> Iterator[tuple[slice, Floats]]:
    """Yield rows of words and the logarithms of P(m | b) times the weight of every point."""
    for first in range(0, words.rows.shape[0], CHUNK):
        chunk = slice(first, first + CHUNK)
        yield chunk, words.rows[chunk] @ points.log_pairs + points.log_absent + points.log_weights


def log_occurring(points: Quadrature) -> float:
    """Return the logarithm of the denominator of (4): the expected number of words that occur, for γ c₀ = 1."""
    return float(np.log((np.exp(points.log_weights) * -np.expm1(points.log_absent)).sum()))


def log_evidence(words: PresentWords, concentration: float, base_concentration: float) -> float:
    """Return the logarithm of (4)."""
    points = quadrature(words, concentration, base_concentration)
    total = -float(words.times.sum()) * log_occurring(points)
    for chunk, logs in log_masses(words, points):
        total += float(words.times[chunk] @ logsumexp(logs, axis=1))
    return total


def expected_base(words: PresentWords, points: Quadrature) -> Floats:
    """Return the expected base weight of every word, given its presence in all classes."""
    found = np.empty(words.rows.shape[0])
    for chunk, logs in log_masses(words, points):
        masses = np.exp(logs - logs.max(axis=1, keepdims=True))
        found[chunk] = masses @ points.b / masses.sum(axis=1)
    return found[words.words]


def expected_new_words(words: PresentWords, points: Quadrature, concentration: float, mass: float) -> Floats:
    r"""Return the expected number of words in the next document of each class that no document contains so far.

    With :math:`\mu = \gamma c_0`, it is :math:`\frac{c}{c + n_j} \int \mu\, b\, P(0 \mid b) (1 - b)^{c_0} dt` (5).
    """
    left = mass * float((np.exp(points.log_weights + points.log_absent) * points.b).sum())
    return concentration / (concentration + words.n_documents) * left
