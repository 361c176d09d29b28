r"""Weights of the units of exchange (such as days) in the test of each word.

A word's count in unit :math:`d` of :math:`n_d` words varies for two reasons: variation between documents, and variation
of the unit as a whole, because its documents share events. With share :math:`p = \sum c / \sum n`, documents :math:`i`
and units :math:`d`,

.. math:: k = \frac{\sum_i (c_i - n_i p)^2}{\sum_i c_i} \quad (1), \qquad
   \varphi = \frac{\max\left(\sum_d (c_d - n_d p)^2 - \sum_i (c_i - n_i p)^2,\ 0\right)}{\sum_d (n_d p)^2} \quad (2)

the variance of :math:`c_d` is about :math:`n_d p\,(k + \varphi n_d p)`. The weight
:math:`w_d = 1 / \sqrt{n_d (k + \varphi n_d p)}` (3) gives all weighted residuals :math:`w_d (c_d - n_d p)` the same
variance. Only then are units exchangeable if busy and quiet days are not spread evenly over the stream: with any other
weights an interval of busy days has larger residuals than the same days in random order, and looks like a change.

Weights only matter up to a factor: :math:`w_d \propto 1 / \sqrt{n_d (1 + a n_d)}` with :math:`a = \varphi p / k` (4).
Rounding :math:`a` to half octaves leaves few distinct sets of weights, shared by many words; the test is then as fast
as without weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.smoothing.grouping import column_blocks

_STEPS_PER_OCTAVE = 2
_LEAST, _MOST = -6, 10
"""Range of a · (mean number of words of a unit), in octaves: below it weights are practically 1 / √n, above it 1 /
n."""


class UnitWeights(NamedTuple):
    """The weights of units: word w has the weights `sets[which[w]]`, one per unit, of mean one."""

    sets: Floats
    which: Ints

    @classmethod
    def equal(cls, n_units: int, n_words: int) -> UnitWeights:
        """Return weights of one."""
        return cls(np.ones((1, n_units)), np.zeros(n_words, dtype=np.int64))


class Variation(NamedTuple):
    """Variation of every word: `within`, k of (1), and `between`, φ of (2)."""

    within: Floats
    between: Floats


def squared_residuals(counts: sp.csc_array, tokens: Floats) -> Floats:
    """Return Σ (c - n p)² of every word."""
    squares, crossed = np.empty((2, counts.shape[1]))
    for block in column_blocks(counts):
        values = counts.data[block.entries]
        squares[block.columns] = block.sums(values**2)
        crossed[block.columns] = block.sums(values * tokens[counts.indices[block.entries]])
    share = np.asarray(counts.sum(axis=0)).ravel() / max(tokens.sum(), 1e-300)
    found: Floats = np.maximum(squares - 2 * share * crossed + share**2 * (tokens**2).sum(), 0.0)
    return found


def variation(counts: sp.csc_array, tokens: Floats, unit_counts: sp.csc_array, unit_tokens: Floats) -> Variation:
    """Return the variation of each word within units and between them."""
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    share = totals / max(tokens.sum(), 1e-300)
    of_documents = squared_residuals(counts, tokens)
    of_units = squared_residuals(unit_counts, unit_tokens)
    within = np.divide(of_documents, totals, out=np.zeros(len(totals)), where=totals > 0)
    expected = share**2 * (unit_tokens**2).sum()
    # the rounding error of a difference of equal sums is not variation
    excess = np.where(of_units > of_documents * (1 + 1e-9), of_units - of_documents, 0.0)
    return Variation(within, np.divide(excess, expected, out=np.zeros(len(totals)), where=expected > 0))


def unit_weights(counts: sp.csc_array, tokens: Floats, unit_counts: sp.csc_array, unit_tokens: Floats) -> UnitWeights:
    """Return the weights (4) of every unit for every word.

    `counts` and `tokens` are those of the documents, `unit_counts` and `unit_tokens` their sums by unit.
    """
    within, between = variation(counts, tokens, unit_counts, unit_tokens)
    share = np.asarray(counts.sum(axis=0)).ravel() / max(tokens.sum(), 1e-300)
    mean_tokens = unit_tokens.mean() if len(unit_tokens) else 1.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        octave = np.minimum(np.log2(between * share / within * mean_tokens), _MOST)  # undefined or −∞: no variation
    step = np.where(octave >= _LEAST, np.round(octave * _STEPS_PER_OCTAVE), _LEAST * _STEPS_PER_OCTAVE - 1)
    used, which = np.unique(step, return_inverse=True)
    a = np.where(used < _LEAST * _STEPS_PER_OCTAVE, 0.0, 2.0 ** (used / _STEPS_PER_OCTAVE) / mean_tokens)
    sets = 1 / np.sqrt(np.maximum(unit_tokens, 1e-300) * (1 + a[:, None] * unit_tokens))
    return UnitWeights(sets / sets.mean(axis=1, keepdims=True), which)
