"""Topics from a stream of contexts, in bounded memory: code a batch, discount the past, update the topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.coding.codes import Codes, Dictionary, Penalties
from driftline.coding.local_contexts import Contexts, arrays_of
from driftline.coding.seeding import draw, pruned, row_maxima
from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.engines.contract import Engine
from driftline.inference.contract import Info

MEMORY = 20
"""Memory of the statistics, in batches."""
DEAD = 1e-3
"""Mean square code, relative to that of the other topics, below which a topic is replaced."""
PATIENCE = 3
"""Number of batches before a topic may be replaced."""
NEGLIGIBLE = 1e-3
"""Share of a row's largest statistic below which statistics are dropped."""


class Statistics(NamedTuple):
    """Sufficient statistics A = Σββᵀ and B = Σβφᵀ, discounted; under the Hellinger loss B contains gradients."""

    pairs: sp.csr_matrix
    words: sp.csr_matrix
    n_batches: int = 0

    @classmethod
    def nothing(cls, n_topics: int, n_words: int) -> Statistics:
        """Return the statistics before the first batch."""
        return cls(sp.csr_matrix((n_topics, n_topics)), sp.csr_matrix((n_topics, n_words)))


class Batches(NamedTuple):
    """The problem: the contexts of a batch by its number, the initial topics, and the learning options."""

    contexts: Callable[[int], Contexts]
    topics: sp.csr_matrix
    seen: Statistics
    penalties: Penalties
    least: float
    engine: Engine
    seed: int


Rows = tuple[Ints, Ints, Floats]
"""A sparse matrix in the form of the state: (indptr, indices, data)."""


class OnlineFit(NamedTuple):
    """The state: topics and statistics as rows, the number of batches learned from, and that of the next one."""

    topics: Rows
    pairs: Rows
    words: Rows
    n_batches: int
    position: int

    def matrices(self, shape: tuple[int, int]) -> tuple[sp.csr_matrix, Statistics]:
        """Return the topics and the statistics; `shape` is topics × words."""
        pairs, words = _matrix(self.pairs, (shape[0], shape[0])), _matrix(self.words, shape)
        return _matrix(self.topics, shape), Statistics(pairs, words, self.n_batches)


class MiniBatches:
    """Learn from one batch per step; batches without contexts are skipped."""

    def init(self, problem: Batches, rng: np.random.Generator) -> OnlineFit:
        """Start with the given topics and statistics."""
        pairs, words, n_batches = problem.seen
        return OnlineFit(_rows(problem.topics), _rows(pairs), _rows(words), n_batches, 0)

    def step(self, state: OnlineFit, problem: Batches, rng: np.random.Generator) -> tuple[OnlineFit, Info]:
        """Learn from the next batch; the objective is the negative of its mean loss under the topics before it."""
        contexts, position = problem.contexts(state.position), state.position + 1
        if contexts.matrix.shape[0] == 0:
            return state._replace(position=position), Info()
        topics, seen = state.matrices(problem.topics.shape)
        how = (problem.penalties, problem.least, problem.engine, batch_generator(problem.seed, state.n_batches))
        topics, seen, codes = learn_batch(contexts, topics, seen, *how)
        loss = float(np.average(codes.losses, weights=contexts.weights))
        pairs, words, n_batches = seen
        return OnlineFit(_rows(topics), _rows(pairs), _rows(words), n_batches, position), Info(-loss)

    def summary(self, states: Sequence[OnlineFit]) -> OnlineFit:
        """Return the topics and statistics after the last batch."""
        return states[-1]


def batch_generator(seed: int, number: int) -> np.random.Generator:
    """Return the random numbers of a batch, which are the same in `fit` and in `partial_fit`."""
    return np.random.default_rng([seed, 1_000 + number])


def learn_batch(
    contexts: Contexts,
    topics: sp.csr_matrix,
    seen: Statistics,
    penalties: Penalties,
    least: float,
    engine: Engine,
    rng: np.random.Generator,
) -> tuple[sp.csr_matrix, Statistics, Codes]:
    """Return the topics and the statistics after one more batch, and the batch's codes under the topics before it."""
    codes = Dictionary(topics).code(contexts, penalties, engine)
    kept = 1 - 1 / min(seen.n_batches + 1, MEMORY)
    weighted = sp.diags(contexts.weights) @ codes.matrix
    pairs = _faded(seen.pairs, kept) + codes.matrix.T @ weighted
    if penalties.loss == "squared":
        words = _faded(seen.words, kept) + weighted.T @ contexts.matrix
    else:
        words = _faded(seen.words, kept) + _pulls(contexts, codes, topics)
    topics, pairs, words = _reseed(
        contexts, codes, topics, sp.csr_matrix(pairs), sp.csr_matrix(words), seen, least, rng
    )
    if penalties.loss == "squared":
        topics = _swept(topics, pairs, words, least)
    else:
        topics = _squared(topics, words, least)
    return topics, Statistics(_light(pairs), _light(words), seen.n_batches + 1), codes


def widened(topics: sp.csr_matrix, seen: Statistics, least: float) -> sp.csr_matrix:
    """Add every word of their contexts to the topics: the Hellinger loss cannot add a word to a topic."""
    totals = np.maximum(np.asarray(seen.words.sum(axis=1)).ravel(), 1e-300)
    return pruned(sp.csr_matrix(0.5 * topics + 0.5 * (sp.diags(1 / totals) @ seen.words)), 0.2 * least)


def _pulls(contexts: Contexts, codes: Codes, topics: sp.csr_matrix) -> sp.csr_matrix:
    by_word = topics.tocsc()
    pulls = np.zeros(by_word.nnz)
    n_topics = topics.shape[0]
    current_kernels().hellinger.add_pulls(
        contexts.arrays, arrays_of(codes.matrix), n_topics, contexts.weights, arrays_of(by_word), pulls
    )
    return sp.csc_matrix((pulls, by_word.indices, by_word.indptr), shape=topics.shape).tocsr()


def _reseed(
    contexts: Contexts,
    codes: Codes,
    topics: sp.csr_matrix,
    pairs: sp.csr_matrix,
    words: sp.csr_matrix,
    seen: Statistics,
    least: float,
    rng: np.random.Generator,
) -> tuple[sp.csr_matrix, sp.csr_matrix, sp.csr_matrix]:
    """Replace unused topics by contexts that the topics reconstruct poorly."""
    use = pairs.diagonal()
    dead = np.flatnonzero(use <= DEAD * use.mean())
    n = min(len(dead), int((codes.losses > 0).sum()))
    if seen.n_batches < PATIENCE or n == 0:
        return topics, pairs, words
    dead = dead[:n]
    alive = np.ones(topics.shape[0])
    alive[dead] = 0.0
    keep = sp.diags(alive)
    place = sp.csr_matrix((np.ones(n), (dead, np.arange(n))), shape=(topics.shape[0], n))
    drawn = contexts.matrix[draw(codes.losses, n, rng)]
    topics = sp.csr_matrix(keep @ topics + place @ pruned(drawn, least))
    pairs, words = sp.csr_matrix(keep @ pairs @ keep), sp.csr_matrix(keep @ words)
    for matrix in (topics, pairs, words):
        matrix.eliminate_zeros()
    return topics, pairs, words


def _swept(topics: sp.csr_matrix, pairs: sp.csr_matrix, words: sp.csr_matrix, least: float) -> sp.csr_matrix:
    n_topics, n_words = topics.shape
    sizes = np.diff(topics.indptr).astype(np.int64)
    room = n_words if least <= 0 else min(n_words, int(1 / least) + 1)
    room = max(room, int(sizes.max(initial=1)))
    shares, places = np.zeros((n_topics, room)), np.zeros((n_topics, room), dtype=np.int32)
    filled = np.arange(room) < sizes[:, None]
    shares[filled], places[filled] = topics.data, topics.indices
    current_kernels().dictionary.sweep_topics(
        shares, sizes, places, arrays_of(pairs), arrays_of(words), n_words, float(least)
    )
    filled = np.arange(room) < sizes[:, None]
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    moved = sp.csr_matrix((shares[filled], places[filled], indptr), shape=topics.shape)
    moved.sort_indices()
    return moved


def _squared(topics: sp.csr_matrix, pulls: sp.csr_matrix, least: float) -> sp.csr_matrix:
    """Return topics proportional to the squared gradients; those with a zero gradient are unchanged."""
    moved = pulls.copy()
    moved.data **= 2
    totals = np.asarray(moved.sum(axis=1)).ravel()
    idle = sp.diags((totals <= 0).astype(np.float64))
    scale = sp.diags(np.where(totals > 0, 1 / np.maximum(totals, 1e-300), 0.0))
    moved = sp.csr_matrix(scale @ moved + idle @ topics)
    moved.eliminate_zeros()
    return pruned(moved, least)


def _faded(matrix: sp.csr_matrix, kept: float) -> sp.csr_matrix:
    return matrix * kept if kept else sp.csr_matrix(matrix.shape)


def _rows(matrix: sp.csr_matrix) -> Rows:
    return matrix.indptr, matrix.indices, matrix.data


def _matrix(rows: Rows, shape: tuple[int, int]) -> sp.csr_matrix:
    indptr, indices, data = rows
    return sp.csr_matrix((data, indices, indptr), shape=shape)


def _light(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """Return a matrix without entries that are negligible in their rows."""
    matrix = sp.csr_matrix(matrix)
    matrix.data[matrix.data < NEGLIGIBLE * row_maxima(matrix)] = 0.0
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix
