"""EM with a guide: prior counts and rules of words in the M step, and initial topics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Counts, Floats
from driftline.inference.guide_arrays import GuideArrays, WordStart
from driftline.inference.guided_start import start_words
from driftline.inference.word_maps import mapped_counts, mapped_rows
from driftline.inference.word_rules import NO_RULES, WordRules

IMPOSSIBLE = 1e-300
"""Share of a word in a topic from which it is excluded: its logarithm is finite."""


class EmWishes(NamedTuple):
    """Prior counts of words × topics (or zero), and rules about words."""

    prior: Floats
    rules: WordRules = NO_RULES

    @classmethod
    def of(cls, arrays: GuideArrays, n_words: int, n_topics: int) -> EmWishes:
        """Return the wishes about words of a compiled guide."""
        prior = np.zeros((n_words, n_topics))
        if arrays.prior is None:
            return cls(prior, WordRules(groups=arrays.groups))
        prior[arrays.prior.words] = arrays.prior.counts
        return cls(prior, WordRules(arrays.prior.banned, arrays.groups))

    def word_shares(self, counts: Floats, smoothing: float) -> Floats:
        """Do the M step: return the shares of words in topics, words × topics."""
        groups = self.rules.groups
        if groups is not None:
            rows = mapped_rows(groups)
            counts = counts.copy()
            counts[rows] = mapped_counts(counts[rows], groups)
        found: Floats = self.rules.without_banned(counts + smoothing + self.prior, 0.0)
        shares: Floats = np.maximum(found / found.sum(axis=0), IMPOSSIBLE)
        return shares

    def log_prior(self, shares: Floats) -> float:
        """Return Σ prior · ln share."""
        return float((self.prior * np.log(np.maximum(shares, IMPOSSIBLE))).sum())

    def counts_of(self, shares: Floats, totals: Floats) -> Floats:
        """Return expected counts without the prior, from shares and the number of words in every topic."""
        found: Floats = np.maximum(shares * (totals + self.prior.sum(axis=0)) - self.prior, 0.0)
        return found


def guided_start(start: Floats, X: Counts, arrays: GuideArrays) -> Floats:
    """Return initial shares of words in topics (words × topics) in which the words of a guide are in their topics."""
    if arrays.start is None:
        return start
    return started_shares(start, np.asarray(X.sum(axis=0), dtype=np.float64).ravel(), arrays.start)


def started_shares(shares: Floats, said: Floats, start: WordStart) -> Floats:
    """Return shares of words in topics (words × topics) in which words have the initial topics of a guide."""
    counts = shares / np.maximum(shares.sum(axis=1, keepdims=True), IMPOSSIBLE) * said[:, None]
    start_words(counts, said, start, np.arange(len(said)))
    counts += 1.0 / len(said)
    found: Floats = counts / counts.sum(axis=0)
    return found
