r"""The energies of cosine scores, and their distribution if the units are in random order.

For word :math:`w` and unit :math:`i` (a day, or a document) of weight :math:`v_i` the residual is
:math:`r_i = v_i (c_{iw} - n_i p_w)` with :math:`p_w = \sum v c / \sum v n`, so that residuals sum to zero. The score
:math:`U_k = \sum_i r_i \varphi_k(u_i)` is the projection on the cosine :math:`\varphi_k` of the position :math:`u` in
(0, 1); energies :math:`Q_g = \sum_{k \in g} U_k^2` are summed over dyadic groups {1}, {2, 3}, {4…7}, … Under a random
order of the units mean and variance of :math:`Q_g` are known exactly,

.. math:: E\,Q = \frac{r_2}{n-1}\operatorname{tr} S, \qquad
   E\,Q^2 = \frac{r_4 F}{n} + \frac{4 r_4 F + (r_2^2 - r_4)(P - 3F)}{n(n-1)}
   + \frac{(2r_4 - r_2^2)(12F - 2P)}{n(n-1)(n-2)} + \frac{(3r_2^2 - 6r_4)(P - 6F)}{n(n-1)(n-2)(n-3)}

with :math:`r_m = \sum r_i^m`, :math:`S` the scatter of the centred cosines,
:math:`P = (\operatorname{tr} S)^2 + 2\|S\|^2` and :math:`F = \sum_i (\sum_k \varphi_{ik}^2)^2`; a gamma distribution
with these moments is the null of each group. Clustering within a unit is included in :math:`r_2` and :math:`r_4`, so
overdispersion is accounted for.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaincc, gammaln, log_ndtr

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.matrices import index_arrays
from driftline.core.progress import track
from driftline.core.randomness import Seed, spawn
from driftline.local.changed_words.time_features import TimeFeatures
from driftline.local.changed_words.unit_weights import UnitWeights
from driftline.smoothing.grouping import BLOCK, column_blocks, group_sums, group_sums_of_rows

_WORDS_PER_CLASS = 400
_ENTRIES_PER_CLASS = 300_000
_FEWEST_NULL_VALUES = 4000
_TAIL = 0.005
_FEWEST_IN_TAIL = 50
_VALUES_AT_ONCE = 32_768
"""Number of scores from which evidence is computed at once, because the overhead of small arrays dominates."""

FEW_UNITS = 20.0
"""Effective number of units below which a word's p-value is bounded by the number of permutations."""


class _Selected(NamedTuple):
    """Input of the kernel for some words: pointers, units and counts; shares; tokens of their sets of weights."""

    pointers: Ints
    units: Ints
    counts: Floats
    shares: Floats
    tokens: Floats
    which: Ints


class PermutationNull:
    """Scores, energies and evidence of every word, given the features of each unit's position in time, and weights."""

    def __init__(
        self,
        counts: sp.csc_array,
        tokens: Floats,
        features: TimeFeatures,
        weights: UnitWeights | None = None,
    ) -> None:
        weights = weights if weights is not None else UnitWeights.equal(len(tokens), counts.shape[1])
        self.n_units = len(tokens)
        self.which = weights.which
        self.tokens = weights.sets * tokens
        weighted = np.empty(counts.nnz)
        for block in column_blocks(counts):
            chosen = weights.sets[self.which[block.columns][block.column], counts.indices[block.entries]]
            np.multiply(counts.data[block.entries], chosen, out=weighted[block.entries])
        self.counts = sp.csc_array((weighted, counts.indices, counts.indptr), shape=counts.shape)
        self.cells, self.groups = features.cells, features.groups
        occupied = group_sums(self.cells, np.ones(self.n_units), len(features.table))
        self.table = features.table - occupied @ features.table / max(self.n_units, 1)
        self.totals = np.asarray(self.counts.sum(axis=0), dtype=np.float64).ravel()
        self.shares = self.totals / np.maximum(self.tokens.sum(axis=1), 1e-300)[self.which]
        self._find_moments(occupied)

    def scores(self, order: Ints | None = None, words: Ints | slice = slice(None)) -> Floats:
        """Return the scores, words × features; `order` permutes the units."""
        cells = self.cells if order is None else self.cells[order]
        return next(self._scores(self._selected(words), [cells]))

    def _selected(self, words: Ints | slice) -> _Selected:
        counts = self.counts if isinstance(words, slice) else self.counts[:, words]
        sets, which = np.unique(self.which[words], return_inverse=True)
        return _Selected(*index_arrays(counts), counts.data, self.shares[words], self.tokens[sets], which)

    def _scores(self, selected: _Selected, orders: Iterable[Ints]) -> Iterator[Floats]:
        """Yield the scores of the selected words with each of several orders of the units' cells.

        Scores of the tokens are computed for many orders at once, because the overhead of products of small matrices
        dominates.
        """
        pointers, units, counts, shares, tokens, which = selected
        at_once = max(BLOCK // max(len(tokens) * len(self.table), self.n_units, 1), 1)
        orders = iter(orders)
        while some := list(itertools.islice(orders, at_once)):
            cells = np.stack(some)
            of_tokens = group_sums_of_rows(cells, tokens, len(self.table))
            of_tokens = (of_tokens.reshape(-1, len(self.table)) @ self.table).reshape(len(cells), len(tokens), -1)
            for each, token_scores in zip(cells, of_tokens):
                yield current_kernels().cosine_scores.cosine_scores(
                    pointers, units, counts, each, self.table, shares, token_scores, which
                )

    def energies(self, scores: Floats) -> Floats:
        """Return the energy of every group: groups × words."""
        return np.array([(scores[:, group] ** 2).sum(axis=1) for group in self.groups])

    def evidence(self, energies: Floats, words: Ints | slice = slice(None)) -> Floats:
        """Return the evidence of each word against a random order: minus the logarithm of a combined p-value.

        Fisher's combination finds changes visible at all scales, such as a burst; Cauchy's those visible at one, such
        as a trend or a periodicity. The better of the two is used, so this is not yet calibrated.
        """
        shapes, log_gammas, per_scale = (each[:, words] for each in self._gamma)
        log_p = _log_gamma_tail(energies * per_scale, shapes, log_gammas)
        n_groups = np.full(log_p.shape[1], float(len(log_p)))
        fisher = _log_gamma_tail(-log_p.sum(axis=0), n_groups, gammaln(n_groups))
        found: Floats = np.maximum(-fisher, -_cauchy(log_p))
        return found

    def excess(self, scores: Floats, words: Ints | slice = slice(None)) -> Floats:
        """Return the evidence that each single score is too high: words × features."""
        deviation = np.sqrt(np.maximum(self.mean[:, words].T, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(deviation > 0, -log_ndtr(-scores / deviation), 0.0)

    def p_values(self, n_permutations: int, random_state: Seed, *, verbose: bool | int = False) -> Floats:
        """Return the calibrated p-value of every word's evidence."""
        return self._calibrated(
            lambda scores, words: self.evidence(self.energies(scores), words)[:, None],
            n_permutations,
            random_state,
            verbose,
        )[:, 0]

    def excess_p_values(self, n_permutations: int, random_state: Seed, *, verbose: bool | int = False) -> Floats:
        """Return the calibrated p-value of the excess in every feature: words × features."""
        return self._calibrated(self.excess, n_permutations, random_state, verbose)

    def _calibrated(
        self,
        evidence_of: Callable[[Floats, Ints | slice], Floats],
        n_permutations: int,
        random_state: Seed,
        verbose: bool | int,
    ) -> Floats:
        """Calibrate evidence (words × columns) by permutations, shared among words spread over about as many units.

        In the far tail, beyond the reach of permutations, evidence decays exponentially; its rate is estimated from the
        largest values under the null.
        """
        found = evidence_of(self.scores(), slice(None))
        classes = _classes(self.spread, n_permutations)
        members = [np.flatnonzero(classes == c) for c in range(classes.max(initial=-1) + 1)]
        entries = np.diff(self.counts.indptr)
        chosen = [_spread_out(words, self.spread, entries) for words in members]
        words = np.concatenate(chosen) if chosen else np.empty(0, dtype=np.int64)
        selected = self._selected(words)
        null = np.empty((n_permutations, len(words), found.shape[1]))
        orders = (self.cells[stream.permutation(self.n_units)] for stream in spawn(random_state, n_permutations))
        permuted = track(self._scores(selected, orders), "permutations", total=n_permutations, verbose=verbose)
        at_once = max(1, _VALUES_AT_ONCE // max(1, len(words) * self.table.shape[1]))
        for first in range(0, n_permutations, at_once):
            part = null[first : first + at_once]
            scores = np.concatenate(list(itertools.islice(permuted, len(part))))
            part[:] = evidence_of(scores, np.tile(words, len(part))).reshape(part.shape)
        result = np.ones(found.shape)
        start = 0
        for all_words, sample in zip(members, chosen):
            few = self.spread[all_words] < FEW_UNITS
            for column in range(found.shape[1]):
                drawn = np.sort(null[:, start : start + len(sample), column].ravel())
                beyond = tail_probability(found[all_words, column], drawn)
                # if few units contain a word, two adjacent ones cause a jump that no smooth tail predicts
                result[all_words, column] = np.where(few, np.maximum(beyond, 1 / (1 + len(drawn))), beyond)
            start += len(sample)
        return result

    def _find_moments(self, occupied: Floats) -> None:
        n, p = self.n_units, self.shares
        squares, fourths = ((self.tokens**power).sum(axis=1)[self.which] for power in (2, 4))
        sums = self._power_sums([(2, 0), (1, 1), (4, 0), (3, 1), (2, 2), (1, 3)])
        r2 = sums[2, 0] - 2 * p * sums[1, 1] + p**2 * squares
        r4 = sums[4, 0] - 4 * p * sums[3, 1] + 6 * p**2 * sums[2, 2]
        r4 += p**4 * fourths - 4 * p**3 * sums[1, 3]
        with np.errstate(divide="ignore", invalid="ignore"):
            # the number of units with a word: besides the variance, the null depends only on it, to a good
            # approximation
            self.spread = np.where(r4 > 0, r2**2 / r4, 1.0)
        scatter = (self.table * occupied[:, None]).T @ self.table
        mean, variance = [], []
        for group in self.groups:
            own = scatter[group, group]
            trace = np.trace(own)
            P = trace**2 + 2 * (own**2).sum()
            F = (occupied * (self.table[:, group] ** 2).sum(axis=1) ** 2).sum()
            mean.append(r2 / max(n - 1, 1) * trace)
            second = r4 * F / n + (4 * r4 * F + (r2**2 - r4) * (P - 3 * F)) / (n * (n - 1))
            second += (2 * r4 - r2**2) * (12 * F - 2 * P) / (n * (n - 1) * (n - 2))
            second += (3 * r2**2 - 6 * r4) * (P - 6 * F) / (n * (n - 1) * (n - 2) * (n - 3))
            # the rounding error of a perfectly even word is not variance
            variance.append(np.where(second > (1 + 1e-9) * mean[-1] ** 2, second - mean[-1] ** 2, 0.0))
        self.mean, self.variance = np.array(mean), np.array(variance)
        testable = (self.mean > 0) & (self.variance > 0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            shapes = np.where(testable, self.mean**2 / self.variance, 1.0)
            per_scale = np.where(testable, self.mean / self.variance, 0.0)
        self._gamma = shapes, gammaln(shapes), per_scale

    def _power_sums(self, powers: list[tuple[int, int]]) -> dict[tuple[int, int], Floats]:
        """Return for each pair (a, b) the sums Σ cᵃ nᵇ of every word over the units that have it."""
        sums = {pair: np.empty(self.counts.shape[1]) for pair in powers}
        for block in column_blocks(self.counts):
            c = self.counts.data[block.entries]
            length = self.tokens[self.which[block.columns][block.column], self.counts.indices[block.entries]]
            for (a, b), found in sums.items():
                found[block.columns] = block.sums(c**a * length**b)
        return sums


def tail_probability(evidence: Floats, null: Floats) -> Floats:
    """Return the chance of at least this much evidence under the null, from sorted draws of it.

    >>> draws = np.sort(np.random.default_rng(0).exponential(size=20_000))
    >>> tail_probability(np.array([1.0, 20.0]), draws) / np.exp([-1.0, -20.0])
    array([0.99..., ...])
    """
    n = len(null)
    if not n:
        return np.ones(len(evidence))
    ranks = (1 + n - np.searchsorted(null, evidence, side="left")) / (1 + n)
    n_tail = min(max(_FEWEST_IN_TAIL, int(_TAIL * n)), n)
    threshold = null[n - n_tail]
    excess = float(np.mean(null[n - n_tail :] - threshold))
    with np.errstate(divide="ignore", over="ignore"):
        far = n_tail / n * np.exp(-(evidence - threshold) / max(excess, 1e-12))
    return np.where(evidence > threshold, far, ranks)


def _log_gamma_tail(x: Floats, shapes: Floats, log_gammas: Floats) -> Floats:
    """Return log Q(a, x), the tail of a gamma distribution of scale one, given log Γ(a) of the shapes a."""
    kernels = current_kernels().gamma_tails
    large = shapes > kernels.LARGEST_SHAPE
    found = np.empty(x.shape)
    rows = (np.ascontiguousarray(each).reshape(-1) for each in (x, shapes, log_gammas))
    kernels.log_tails(*rows, found.reshape(-1))
    with np.errstate(divide="ignore"):
        found[large] = np.log(gammaincc(shapes[large], x[large]))
    return found


def _cauchy(log_p: Floats) -> Floats:
    """Return the logarithm of Cauchy's combination of p-values (the first axis)."""
    p = np.exp(np.maximum(log_p, -690.0))
    score = np.where(p < 1e-8, 1 / (np.pi * p), np.tan(np.pi * (0.5 - np.maximum(p, 1e-9)))).mean(axis=0)
    near = np.log(np.clip(0.5 - np.arctan(score) / np.pi, 1e-300, 1.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(score > 1e6, -np.log(np.pi * np.maximum(score, 1.0)), near)
        return found


def _classes(spread: Floats, n_permutations: int) -> Ints:
    """Number words by the half octave of their spread; small classes are merged with the one below."""
    step = np.maximum(2 * np.log2(np.maximum(spread, 1.0)), 0.0).astype(np.int64)
    result = np.zeros(len(spread), dtype=np.int64)
    current, gathered = 0, 0
    for value in range(step.max(initial=0) + 1):
        here = step == value
        above = int((step > value).sum())
        result[here] = current
        gathered += int(here.sum())
        if gathered * n_permutations >= _FEWEST_NULL_VALUES and above * n_permutations >= _FEWEST_NULL_VALUES:
            current, gathered = current + 1, 0
    return result


def _spread_out(words: Ints, spread: Floats, entries: Ints) -> Ints:
    """Return a sample of the words, evenly distributed over their spread, small enough for fast permutations."""
    words = words[np.argsort(spread[words], kind="stable")]
    n = min(len(words), _WORDS_PER_CLASS)
    if len(words):
        n = max(1, min(n, int(_ENTRIES_PER_CLASS / max(float(entries[words].mean()), 1.0))))
    return words[np.linspace(0, len(words) - 1, n).astype(np.int64)]
