"""Gibbs sampling for LDA, all documents at once: one team of lanes per document, topics in registers.

The equations are those of ``compute/cpu/lda_sampled.py``. A team reads the row of a word, computes the running sum of
the probabilities over its lanes, and the lane that contains a uniform random point of it draws the topic of the token.
A long document is divided among several teams, which draw the same shares from the same counts.
"""

from __future__ import annotations

import functools

from numba import cuda, float32, int32, int64

from driftline.compute.contracts.kernel import LaunchedKernel
from driftline.compute.gpu import lda_epochs, memory
from driftline.compute.gpu.driver import is_simulated
from driftline.compute.gpu.lanes import VECTOR, WARP, Layout, grid_of, layout_of, team_scan, team_sum
from driftline.compute.gpu.pair_additions import fraction, pair_addition
from driftline.compute.gpu.vectors import load_four, load_four_halves
from driftline.compute.random_draws import TOKENS, draws_for
from driftline.core.progress import announce

REGISTERS = {(True, 16): 80, (True, 32): 128, (False, 16): 80, (False, 32): 128}
"""Number of registers of a lane, by whether sums are in fixed point, and its number of topics."""


def can_sample(n_topics: int) -> bool:
    """Return whether documents with this number of topics can be sampled: a team must not exceed a warp."""
    return layout_of(n_topics).team <= WARP


def sample_documents(documents, indptr, words, counts, shares, alpha, sums, n_topics, n_long, weight, seed):
    """Draw the counts of all documents once, in place, and add `weight` times their probabilities to those of words.

    Documents are sorted by their number of pairs, longest first; `n_long` is that of `lda_epochs`.
    """
    layout, fixed, n = layout_of(n_topics), bool(sums.scale), len(indptr) - 1
    unit = int(weight * sums.scale / sums.finest) if fixed else float32(weight)
    arrays = (indptr, words, counts, shares, alpha, documents, sums.values, sums.moved)
    arguments = (*arrays, unit, float32(sums.finest), int64(seed))
    stream = memory.beside()
    longest, teams = lda_epochs.LONG, lda_epochs.teams_of(layout)
    if n_long and teams > 1:
        _sampling(layout, fixed, len(alpha) == 1, teams, longest)[n_long, (layout.team, teams), stream](*arguments)
    blocks, threads = grid_of(layout, n)
    _sampling(layout, fixed, len(alpha) == 1, 1, longest)[blocks, threads, stream](*arguments)


@functools.cache
def _sampling(layout: Layout, fixed: bool, even: bool, teams: int, longest: int) -> LaunchedKernel:
    """Return the kernel for a layout of topics: of documents with one team, or of long ones, with several.

    `fixed` means sums in fixed point instead of floats, `even` that α is the same for all topics.
    """
    announce("compiling for the graphics processor; a few seconds, once per process")
    team, per_lane, width = layout.team, layout.per_lane, layout.width
    n_loads, shared, may_share = per_lane // VECTOR, teams > 1, lda_epochs.teams_of(layout) > 1
    scan, add_lanes, add_teams = team_scan(team), team_sum(team), lda_epochs.sum_over_teams(layout, teams)
    load, load_halves, add = load_four(), load_four_halves(), pair_addition(layout, fixed)
    uniform, gamma = draws_for(cuda.jit(device=True, fastmath=True))
    pair_at, cells, moved_unit = lda_epochs.pair_at, lda_epochs.CELLS, lda_epochs.MOVED
    most = None if is_simulated() else REGISTERS.get((fixed, per_lane))
    options = {} if most is None else {"max_registers": most}

    @cuda.jit(fastmath=True, **options)
    def sample(indptr, words, counts, shares, alpha, documents, sums, moved, unit, finest, seed):
        lane, mine = cuda.threadIdx.x, cuda.threadIdx.y
        d = cuda.blockIdx.x if shared else cuda.blockIdx.x * cuda.blockDim.y + mine
        if d >= len(indptr) - 1:
            return
        start, end = indptr[d], indptr[d + 1]
        if may_share and (end - start > longest) != shared:
            return
        n, first = end - start, start
        if shared:  # all teams have the same number of steps, so that they synchronise at the additions
            n = (n + teams - 1) // teams
            first += mine * n
        theta, out = cuda.local.array(per_lane, float32), cuda.local.array(per_lane, float32)
        g = cuda.local.array(per_lane, float32)
        own = int64(d) * width + VECTOR * lane
        for j in range(per_lane):
            k = (j // VECTOR) * VECTOR * team + j % VECTOR
            prior = alpha[0] if even else alpha[VECTOR * lane + k]
            theta[j] = gamma(documents[own + k] + prior, seed, own + k) if prior > float32(0) else float32(0)  # Eq. 1
        for j in range(per_lane):
            out[j] = float32(0)
        word, said = pair_at(words, counts, first, start, end)
        for p in range(first, first + n):
            row, count = int64(word) * width + VECTOR * lane, said
            word, said = pair_at(words, counts, p + 1, start, end)  # loaded one step ahead, because loads are slow
            for i in range(n_loads):
                j = VECTOR * i
                g[j], g[j + 1], g[j + 2], g[j + 3] = load_halves(shares, row + VECTOR * team * i)
            of_lane = float32(0)
            for j in range(per_lane):
                g[j] *= theta[j]
                of_lane += g[j]
            before, total = scan(of_lane)
            n_drawn = int32(count)
            if count > float32(n_drawn) and uniform(seed, p, TOKENS - 1) < count - float32(n_drawn):
                n_drawn += 1
            for i in range(n_drawn):  # Eq. 2
                left = uniform(seed, p, TOKENS + i) * total - before
                if left >= float32(0) and left < of_lane:
                    for j in range(per_lane):
                        out[j] += float32(1) if left >= float32(0) and left < g[j] else float32(0)
                        left -= g[j]
            share = count / total
            for j in range(per_lane):
                g[j] *= share
            add(sums, row, g, unit, finest, fraction(p, lane, share))
        add_teams(out)
        far = float32(0)
        for i in range(n_loads):
            j, k = VECTOR * i, VECTOR * team * i
            g[j], g[j + 1], g[j + 2], g[j + 3] = load(documents, own + k)
        for j in range(per_lane):
            far += abs(out[j] - g[j])
        far = add_lanes(far)
        if shared and mine > 0:
            return
        for j in range(per_lane):
            documents[own + (j // VECTOR) * VECTOR * team + j % VECTOR] = out[j]
        if lane == 0:
            cuda.atomic.add(moved, d % cells, int64(far * float32(moved_unit)))

    return sample
