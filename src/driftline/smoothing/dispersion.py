r"""Overdispersion :math:`\rho_w` of every word: the similarity of the parts of one observation beyond chance.

Two words of one document agree on :math:`w` with probability :math:`\theta^2 + \rho\,\theta(1-\theta)`, two words of
different documents near in time with :math:`\theta^2`. The difference of the two, over documents in which the word
occurs, estimates :math:`\rho_w` without a dense pass over all documents. Rare words are shrunk to words that occur in
about as many documents. Shrinking to words with about as many uses would be biased: of two similar words, the one that
happened to cluster has more uses, so that rare words would seem less clustered than they are.
"""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.smoothing.grouping import group_sums

_NEIGHBOURS = 200


def dispersion(word: Ints, count: Floats, tokens: Floats, share_elsewhere: Floats, n_words: int) -> Floats:
    """Return ρ for every word, from one entry per (document, word).

    `share_elsewhere` is the word's share at the document's time, estimated without the document; `tokens` is the
    document's length.
    """
    expected = count * np.maximum(tokens - 1, 0.0)
    residual = count * np.maximum(count - 1, 0.0) - expected * share_elsewhere
    excess = group_sums(word, residual, n_words)
    mass = group_sums(word, expected * (1 - share_elsewhere), n_words)
    noise = group_sums(word, residual**2, n_words)
    documents = group_sums(word, (count > 0).astype(np.float64), n_words)
    return _shrink(excess, np.maximum(mass, 0.0), noise, documents)


def _shrink(excess: Floats, mass: Floats, noise: Floats, documents: Floats) -> Floats:
    """Shrink each ρ = excess / mass towards that of words in about as many documents, more so the noisier it is."""
    result = np.zeros(len(documents))
    used = np.flatnonzero((documents > 0) & (mass > 0))
    if not len(used):
        return result
    used = used[np.argsort(documents[used], kind="stable")]
    e, m, z, n = excess[used], mass[used], noise[used], documents[used]
    low = np.maximum(np.arange(len(used)) - _NEIGHBOURS // 2, 0)
    high = np.minimum(low + _NEIGHBOURS, len(used))
    low = np.maximum(high - _NEIGHBOURS, 0)

    def windowed(values: Floats) -> Floats:
        cumulative = np.concatenate([[0.0], np.cumsum(values)])
        found: Floats = cumulative[high] - cumulative[low]
        return found

    size = windowed(np.ones(len(used)))
    common = windowed(e) / windowed(m)
    own = e / m
    # noise of a word's own ρ, from the class's mean squared residual per document with the word
    variance = windowed(z) / windowed(n) * n / m**2
    between = np.maximum(windowed((own - common) ** 2) / size - windowed(variance) / size, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        trust = np.where(between > 0, between / (between + variance), 0.0)
    result[used] = np.clip(common + trust * (own - common), 0.0, 1.0)
    return result
