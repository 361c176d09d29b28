r"""Probabilities of words under samples of a hierarchical Pitman-Yor language model, or under Kneser-Ney smoothing.

A sample contains the customers c and tables t of every cell. :math:`\delta = d_{\min(c, 3)}\, t` is subtracted from a
cell:

.. math:: p(w \mid u) = \frac{c_{uw} - \delta_{uw}}{\theta + C_u} + \frac{\theta + \sum_w \delta_{uw}}{\theta + C_u}
          p(w \mid \pi(u)),                                                                                       (1)

where the three discounts differ only in modified Kneser-Ney smoothing. Probabilities are averaged over samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.text.ngram_index import NGramIndex
from driftline.text.sequences import TokenSequences


class Samples(NamedTuple):
    """Samples of one model: customers and tables (samples × cells), discounts (samples × lengths × 3), θ."""

    ngrams: NGramIndex
    customers: np.ndarray
    tables: np.ndarray
    discounts: Floats
    concentrations: Floats


def terms(samples: Samples) -> Iterator[tuple[Floats, Floats]]:
    """Yield, for every sample, the first term of (1) by cell and the factor of the second by restaurant."""
    index, starts = samples.ngrams, samples.ngrams.starts
    context_of = index.context_of
    sizes = np.diff(starts)
    length_of_cell = np.repeat(np.arange(len(sizes)), sizes)  # the number of words in the context
    # a restaurant is the n-gram of its context, which is one word longer than the context of that n-gram
    length_of_context = np.append(np.minimum(length_of_cell + 1, len(sizes) - 1), 0)
    for customers, tables, discounts, theta in zip(*samples[1:]):
        taken = discounts[length_of_cell, np.clip(customers, 1, 3) - 1] * tables
        total = np.bincount(context_of, weights=customers, minlength=len(length_of_context))
        all_taken = np.bincount(context_of, weights=taken, minlength=len(length_of_context))
        weight = theta[length_of_context] + total
        occupied = total > 0
        rest = np.ones(len(weight))
        rest[occupied] = (theta[length_of_context] + all_taken)[occupied] / weight[occupied]
        shares = np.zeros(len(customers))
        used = customers > 0
        shares[used] = (customers - taken)[used] / weight[context_of[used]]
        yield shares, rest


def token_probabilities(samples: Samples, sequences: TokenSequences) -> Floats:
    """Return p(word | words before it in the document) of every token."""
    grams = samples.ngrams.grams(sequences)
    found = np.zeros(len(sequences.ids))
    for shares, rest in terms(samples):
        current_kernels().ngram_seating.add_probabilities(
            grams, sequences.offsets, shares, rest, 1.0 / samples.ngrams.n_words, found
        )
    return found / len(samples.customers)


class Predictor:
    """The probabilities of all words after a context, for many contexts."""

    def __init__(self, samples: Samples) -> None:
        self._index, self._terms = samples.ngrams, [*terms(samples)]

    def after(self, context: Ints) -> Floats:
        """Return the probability of every word after a context."""
        index = self._index
        known = context[max(len(context) - len(index.keys), 0) :] if index.keys else context[:0]
        document = TokenSequences(known.astype(np.int32), np.array([0, len(known)]))
        ends = index.grams(document)[-1] if len(known) else np.empty(0, dtype=np.int64)
        total = np.zeros(index.n_words)
        for shares, rest in self._terms:
            p = shares[: index.n_words] + rest[-1] / index.n_words
            for m in range(len(known)):
                if ends[m] < 0:
                    break
                numbers, words = index.children(int(ends[m]), m + 2)
                p *= rest[ends[m]]
                p[words] += shares[numbers]
            total += p
        return total / len(self._terms)
