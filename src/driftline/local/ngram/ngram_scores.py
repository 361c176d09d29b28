"""Log-probabilities of token sequences at their times, in one sweep along the time line."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Counts, Floats, Ints
from driftline.local.fit_times import answering_times, blend, grid_times, has_support, window
from driftline.smoothing.kernels import Kernel
from driftline.text.ngram_index import NGramIndex
from driftline.text.sequences import TokenSequences

SMALL_COUNT = 0.1
"""β: pseudo-count of every word of the vocabulary in the background."""


class LocalCounts(NamedTuple):
    """Indexed documents in time order, the kernel that weights them, and the weight ρ of the whole stream.

    Grid times count from `anchor`, the time of the first document. The sum of documents that are no longer kept
    individually may be the first row, with a time of -inf: it is in no window, but before all documents.
    """

    ngrams: NGramIndex
    context_of: Ints
    times: Floats
    kernel: Kernel
    bandwidth: float
    background: float
    anchor: float
    remembered_since: float = -math.inf

    def supported(self, when: Floats) -> Bools:
        """Return for every time whether a document has positive weight there."""
        if math.isinf(self.bandwidth):
            return np.ones(len(when), dtype=bool)
        return has_support(self.times, self.kernel, self.bandwidth, when) & (when >= self.remembered_since)

    @property
    def rows(self) -> tuple[Ints, Ints, Floats]:
        """The arrays of the table of counts."""
        counts: Counts = self.ngrams.counts
        return counts.indptr, counts.indices, counts.data


def log_probabilities(
    local: LocalCounts, sequences: TokenSequences, when: Floats, points: int, *, leave_out: bool = False
) -> Floats:
    """Return the log-probability of every document at its time.

    `points` is the number of grid times per bandwidth; 0 evaluates at every time. `leave_out` means that the sequences
    are the indexed documents, each of which is predicted from the others.
    """
    kept = local.times[np.isfinite(local.times)]
    remembered = when >= local.remembered_since
    when = answering_times(kept, local.kernel, when)
    grams = local.ngrams.grams(sequences)
    result = np.zeros(len(sequences))
    sweep = Sweep(local)
    past = local.kernel.side == "past"
    if math.isinf(local.bandwidth):
        grid = np.empty(0)
    elif points:
        grid = grid_times(kept, local.kernel, local.bandwidth, points, local.anchor)
    else:
        grid = np.unique(when)
    mixed = blend(grid, local.kernel, when, when) if len(grid) else None
    inside = remembered & has_support(kept, local.kernel, local.bandwidth, when) & (mixed is not None)
    cell = np.full(len(when), -1) if mixed is None else np.where(inside, mixed.left, -1)
    share = np.zeros(len(when)) if mixed is None else mixed.share
    own_weight = np.zeros(len(when))
    if leave_out and mixed is not None:
        own_weight = (1 - share) * local.kernel.relative_weights(grid[mixed.left] - when, local.bandwidth)
        own_weight += share * local.kernel.relative_weights(grid[mixed.right] - when, local.bandwidth)
    settings = (local.background, SMALL_COUNT, local.ngrams.n_words, result)
    # past-only sums grow from document to document, so time order must be kept; otherwise cells may be grouped
    order = np.argsort(when if past else cell, kind="stable")
    for chosen in np.split(order, np.flatnonzero(np.diff(cell[order])) + 1):
        if len(chosen) == 0:
            continue
        g = int(cell[chosen[0]])
        if past:
            sweep.score_forward(grams, sequences.offsets, chosen, g, grid, when, settings)
            continue
        sweep.count_before(math.inf)
        left = sweep.nothing if g < 0 else sweep.local_at(g, grid)
        right = left if g < 0 else sweep.local_at(min(g + 1, len(grid) - 1), grid)
        models = (left, right, share, g < 0, sweep.totals)
        if leave_out:
            current_kernels().ngram.score_left_out(
                grams, sequences.offsets, local.rows, local.context_of, chosen, own_weight, *models, *settings
            )
        else:
            current_kernels().ngram.score_documents(grams, sequences.offsets, chosen, *models, *settings)
    return result


def distribution(local: LocalCounts, context: list[int], when: float) -> Floats:
    """Return the probability of every word after a context at one time."""
    index, rho = local.ngrams, local.background
    kept = local.times[np.isfinite(local.times)]
    answering = answering_times(kept, local.kernel, np.array([when]))
    reached = when >= local.remembered_since and has_support(kept, local.kernel, local.bandwidth, answering)[0]
    whole = math.isinf(local.bandwidth) or not reached
    sweep = Sweep(local)
    sweep.count_before(when)
    counts, contexts, followers, floors = sweep.totals
    if whole:
        S, N, T = counts, contexts, followers
    else:
        near_counts, near_contexts, near_followers = sweep.local_at(0, answering)
        S, N = (near_counts + rho * counts) / (1 + rho), (near_contexts + rho * contexts) / (1 + rho)
        T = floors + near_followers
    root, n_words = len(contexts) - 1, index.n_words
    if contexts[root] == 0:
        p = np.full(n_words, 1 / n_words)
    else:
        near = (S[:n_words], N[root]) if N[root] > 0 else (counts[:n_words], contexts[root])
        share = SMALL_COUNT * near[1] / contexts[root]
        p = (near[0] + share) / (near[1] + share * n_words)
    document = TokenSequences(np.array(context, dtype=np.int32), np.array([0, len(context)]))
    ends = index.grams(document)[-1] if context else np.empty(0, dtype=np.int64)
    for order in range(2, min(len(context), len(index.keys)) + 2):
        c = int(ends[order - 2])
        if c < 0 or N[c] <= current_kernels().ngram.NEGLIGIBLE:
            break
        numbers, followed_by = index.children(c, order)
        seen = np.zeros(n_words)
        seen[followed_by] = S[numbers]
        p = (seen + T[c] * p) / (N[c] + T[c])
    return p


class Sweep:
    """Sums along the time line: the totals so far, and the local sums of the last two grid times evaluated."""

    def __init__(self, local: LocalCounts) -> None:
        self.local = local
        n_grams = int(local.ngrams.starts[-1])
        self._shape = n_grams
        self.totals = (np.zeros(n_grams), *(np.zeros(n_grams + 1) for _ in range(3)))
        self.nothing = self._empty()
        self._n_counted = 0
        self._held: dict[int, tuple[tuple[Floats, Floats, Floats], int, int]] = {}
        self._free = [self._empty(), self._empty()]

    def _empty(self) -> tuple[Floats, Floats, Floats]:
        return np.zeros(self._shape), np.zeros(self._shape + 1), np.zeros(self._shape + 1)

    def count_before(self, when: float) -> None:
        """Update the totals: all documents, or for past-only kernels all before a time."""
        times = self.local.times
        end = len(times) if self.local.kernel.side == "both" else int(np.searchsorted(times, when, side="left"))
        if end > self._n_counted:
            current_kernels().ngram.add_totals(
                *self.local.rows, self._n_counted, end, self.local.context_of, self.local.background, self.totals
            )
            self._n_counted = end

    def score_forward(
        self, grams: Ints, offsets: Ints, chosen: Ints, g: int, grid: Floats, when: Floats, settings: tuple[object, ...]
    ) -> None:
        """Score documents of one cell in time order; documents after its grid time count fully."""
        local, whole = self.nothing, g < 0
        in_local = 0
        if not whole:
            self.count_before(float(grid[g]))
            local = self.local_at(g, grid)
            in_local = self._held[g][2]
        before = np.searchsorted(self.local.times, when, side="left")
        self._n_counted, in_local = current_kernels().ngram.score_forward(
            grams,
            offsets,
            chosen,
            self.local.rows,
            self.local.context_of,
            (self._n_counted, in_local),
            before,
            local,
            whole,
            self.totals,
            *settings,
        )
        if not whole:
            self._held[g] = (local, self._held[g][1], in_local)

    def local_at(self, g: int, grid: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the local sums at a grid time; the oldest cached one is replaced."""
        local = self.local
        if g in self._held:
            return self._held[g][0]
        indptr, indices, _ = local.rows
        if not self._free:
            sums, first, last = self._held.pop(min(self._held))
            current_kernels().ngram.clear_local(indptr, indices, first, last, local.context_of, sums)
            self._free.append(sums)
        sums = self._free.pop()
        first, last = window(local.times, local.kernel, local.bandwidth, grid[g])
        weights = local.kernel.relative_weights(grid[g] - local.times[first:last], local.bandwidth)
        current_kernels().ngram.add_local(
            *local.rows, first, weights, local.context_of, local.background, self.totals[0], sums
        )
        self._held[g] = (sums, first, last)
        return sums
