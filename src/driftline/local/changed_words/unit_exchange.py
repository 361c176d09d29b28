"""Tests of words by permuting units or texts, and the information in each word's course."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import Seed
from driftline.local.changed_words.largest_unit import mostly_one_unit, without_largest_unit
from driftline.local.changed_words.permutation_null import PermutationNull
from driftline.local.changed_words.time_features import TimeFeatures
from driftline.local.changed_words.unit_weights import UnitWeights, unit_weights
from driftline.smoothing.grouping import column_blocks, gathering, group_sums
from driftline.streams.exchange import FEWEST_FOR_LASTING
from driftline.streams.units import Units

_FEWEST_TEXTS = 2.0
"""Minimum mean number of texts per unit for the search for words concentrated in units."""
_LARGEST_P = 0.05
"""p-value above which a word is not tested again without its largest unit, because it is not reported."""
_FEWEST_NULL_VALUES = 4000
"""Minimum number of permuted values of the words that are tested again, whatever their number."""
_GRID = 256
_CHUNK = 2000


class ExchangeTest:
    """The documents of a stream and their sums by unit, for several tests."""

    def __init__(
        self,
        counts: sp.csc_array,
        tokens: Floats,
        times: Floats,
        units: Units,
        texts: Ints,
        n_permutations: int,
        random_state: Seed,
        verbose: bool,
    ) -> None:
        self.counts, self.tokens, self.times, self.units, self.texts = counts, tokens, times, units, texts
        self.how = (n_permutations, random_state)
        self.verbose = verbose
        gather = gathering(units.index, units.n)
        self.unit_counts = sp.csc_array(gather @ counts)
        self.unit_tokens = np.asarray(gather @ tokens)

    def lasting(self, n_cosines: int | None) -> Floats:
        """Return p-values by permuting whole units, each at its rank; all one if there are too few.

        For a word that is mostly in one unit, permutations test only the position of that unit: at an end of the stream
        it looks like a change. Such a word must also change without its largest unit.
        """
        if self.units.n < FEWEST_FOR_LASTING:
            return np.ones(self.counts.shape[1])
        weights = unit_weights(self.counts, self.tokens, self.unit_counts, self.unit_tokens)
        rank = np.arange(self.units.n)
        found = self._p_values(self.unit_counts, self.unit_tokens, rank, weights, n_cosines)
        words = np.flatnonzero((found < _LARGEST_P) & mostly_one_unit(self.unit_counts, self.unit_tokens))
        if len(words):
            rest = without_largest_unit(self.unit_counts[:, words], self.unit_tokens)
            of_words = UnitWeights(weights.sets, weights.which[words])
            repeated = max(self.how[0], -(-_FEWEST_NULL_VALUES // len(words)))
            again = self._p_values(rest, self.unit_tokens, rank, of_words, n_cosines, n_permutations=repeated)
            found[words] = np.maximum(found[words], again)
        return found

    def bunched(self) -> Floats:
        """Return p-values by permuting texts between units; all one if there are hardly more texts than units."""
        counts, tokens, place = self._by_text()
        if not self.units.n or len(tokens) < _FEWEST_TEXTS * self.units.n:
            return np.ones(self.counts.shape[1])
        alone = unit_weights(counts, tokens, counts, tokens)
        return self._p_values(counts, tokens, place, alone, None)

    def _by_text(self) -> tuple[sp.csc_array, Floats, Ints]:
        """Return counts, sizes and unit of every text; a text of one unit has the mean of its documents."""
        place = self.units.index
        names, text = np.unique(self.texts, return_inverse=True)
        key = place * np.int64(len(names)) + text
        _, first, text = np.unique(key, return_index=True, return_inverse=True)
        if len(first) == len(place):
            return self.counts, self.tokens, place
        share = 1 / np.bincount(text)
        return mean_rows(self.counts, text, share), group_sums(text, self.tokens, len(first)) * share, place[first]

    def time_of_most(self) -> Floats:
        """Return for every word the mean time of its uses in the unit with the largest excess over expectation."""
        best = np.zeros(self.counts.shape[1], dtype=np.int64)
        share = np.asarray(self.unit_counts.sum(axis=0)).ravel() / max(self.unit_tokens.sum(), 1e-300)
        for w in range(len(best)):
            held = slice(self.unit_counts.indptr[w], self.unit_counts.indptr[w + 1])
            units = self.unit_counts.indices[held]
            excess = self.unit_counts.data[held] - share[w] * self.unit_tokens[units]
            best[w] = units[np.argmax(excess)]
        mean = np.empty(len(best))
        for block in column_blocks(self.counts):
            rows = self.counts.indices[block.entries]
            there = self.units.index[rows] == best[block.columns][block.column]
            uses = np.where(there, self.counts.data[block.entries], 0.0)
            mean[block.columns] = block.sums(uses * self.times[rows]) / block.sums(uses)
        return mean

    def information_of_units(self) -> Floats:
        """Return the information in each word's course, with the variation between units treated as noise."""
        return self._information(self.unit_counts, self.unit_tokens, np.arange(self.units.n))

    def information_of_documents(self) -> Floats:
        """Return the information in each word's course, with the variation between documents treated as noise."""
        return self._information(self.counts, self.tokens, self.units.index)

    def _p_values(
        self,
        counts: sp.csc_array,
        tokens: Floats,
        place: Ints,
        weights: UnitWeights,
        n_cosines: int | None,
        n_permutations: int | None = None,
    ) -> Floats:
        n_words = counts.shape[1]
        n_places = int(place.max(initial=-1)) + 1
        if n_places < 2 or len(tokens) < 4 or not n_words:
            return np.ones(n_words)
        features = TimeFeatures.cosines((place + 0.5) / n_places, n_cosines)
        null = PermutationNull(counts, tokens, features, weights)
        return null.p_values(n_permutations or self.how[0], self.how[1], verbose=self.verbose)

    def _information(self, counts: sp.csc_array, tokens: Floats, place: Ints) -> Floats:
        """Return Σ N_t p (r log r - r + 1) with r the word's relative course, a noise-corrected cosine series.

        Here position is the share of all words written so far, so that the cosines are orthogonal over the words.
        """
        n_words = counts.shape[1]
        if self.units.n < 2 or len(tokens) < 4 or not n_words:
            return np.zeros(n_words)
        position = (np.cumsum(self.unit_tokens) - self.unit_tokens / 2) / self.unit_tokens.sum()
        return information(PermutationNull(counts, tokens, TimeFeatures.cosines(position[place])))


def mean_rows(counts: sp.csc_array, group: Ints, share: Floats) -> sp.csc_array:
    """Return the mean row of every group, weighted by `share`, entry by entry, so that few copies are made."""
    values, rows = np.empty(counts.nnz), np.empty(counts.nnz, dtype=counts.indices.dtype)
    for block in column_blocks(counts):
        to = group[counts.indices[block.entries]]
        rows[block.entries] = to
        np.multiply(counts.data[block.entries], share[to], out=values[block.entries])
    found = sp.csc_array((values, rows, counts.indptr.copy()), shape=(len(share), counts.shape[1]))
    found.sum_duplicates()
    return found


def information(null: PermutationNull) -> Floats:
    """Return the information of every word: Σ n p (r log r - r + 1), in nats, r shrunk group by group."""
    scores = null.scores()
    energies = null.energies(scores)
    result = np.empty(len(scores))
    centre = (np.arange(_GRID) + 0.5) / _GRID
    waves = np.sqrt(2.0) * np.cos(np.pi * np.outer(np.arange(1, scores.shape[1] + 1), centre))
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = np.where(energies > 0, np.maximum(1 - null.mean / energies, 0.0), 0.0)
    for start in range(0, len(scores), _CHUNK):
        part = slice(start, start + _CHUNK)
        coefficients = scores[part] / np.maximum(null.totals[part, None], 1e-300)
        for group, factor in zip(null.groups, kept[:, part]):
            coefficients[:, group] *= factor[:, None]
        course = np.maximum(1 + coefficients @ waves, 1e-9)
        result[part] = null.totals[part] * (course * np.log(course) - course + 1).mean(axis=1)
    return result
