r"""Online collapsed variational inference: the topics are learned from one chunk of documents at a time.

Steps and their sizes are those of `driftline.inference.online_variational`, the equations of a chunk those of
the kernels' `lda_online`.

Within a chunk the tasks form a grid of blocks of documents × blocks of words. In each of as many sub-steps as there are
blocks, every block of documents is combined with another block of words, so no two tasks share a row and no locks are
needed. The grid does not depend on the number of threads, so neither does the result.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.engines.contract import Engine
from driftline.inference.online_variational import Epoch, OnlineVariational
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop
from driftline.inference.variational import learn_concentration, learn_concentrations
from driftline.topics.document_completion import Pairs
from driftline.topics.priors import NONE_LEARNED, Learned
from driftline.topics.topic_counts import TopicCounts, TopicState

CHUNKS = 30
"""Chunks per epoch: with fewer, updates are too rare; with more, each is noisy and synchronisation is longer."""
SMALL = 20_000
"""Number of pairs below which the grid is one block, so that every pair sees the updates of all before it; above, it is
at least two by two."""
TASK_SIZE = 400_000
"""Pairs × topics per task; with far fewer, threads mostly wait."""
LARGEST_GRID = 16
LEAST_DOCUMENTS = 50
"""Documents per task that needs no grid; there are at most as many tasks as blocks in the largest grid."""
LONGEST_RUN, RUNS = 8, 5_000
"""Size of the groups of documents that stay neighbours (drawn at the start), and the minimum number of groups."""
WARM_PASSES = 5
STREAM_PASSES = 5
BOLDEST = 0.5
"""The largest share of the counts that one chunk may replace."""
KEPT_BYTES = 2**29
"""Largest size in bytes of document counts kept between epochs; larger ones are recomputed."""
LEARN_PRIORS_FROM = 3
_CHUNK_BYTES = 2**26


class OnlineLearner:
    """Learns topic counts from documents, in epochs or as a stream.

    Parameters
    ----------
    topics : TopicCounts
        The topics to learn, in place.
    engine : Engine
        The engine that runs the tasks.
    learned : Learned
        Whether to learn α (one value per topic) and β.
    """

    def __init__(self, topics: TopicCounts, engine: Engine, learned: Learned = NONE_LEARNED) -> None:
        self.topics = topics
        self.engine = engine
        self.learned = learned
        self._scratch: list[Any] = []

    def fit(self, pairs: Pairs, max_epochs: int, rng: Any, *, tolerance: float = 0.0, verbose: Any = False) -> int:
        """Process all documents up to `max_epochs` times and return the number of epochs.

        It stops early once an epoch reassigns less than the share `tolerance` of all words.
        """
        if not pairs.counts.any():
            return 0
        topics = self.topics
        problem = OnlineProblem(pairs, topics.state(), topics.n_topics, topics.seeds)
        method, stop = online_method(self.engine, self.learned), epochs_until(max_epochs, tolerance)
        done = run(method, problem, stop=stop, rng=rng, progress="learning topics", verbose=verbose)
        found = done.result.topics
        topics.take(found.values, found.document_prior, found.word_prior)
        return int(done.n_steps[0])

    def epoch(self, documents: Shuffled, epoch: Epoch, rng: np.random.Generator) -> float:
        """Learn from all documents once, in chunks; return the share of the words that changed their topic."""
        pairs, kept, lengths, words = documents
        topics, n = self.topics, pairs.n_documents
        cuts = n_chunks(n, topics.width)
        learn_priors = epoch.number >= LEARN_PRIORS_FROM
        # The same memory for every chunk: new memory would have to be paged in each time.
        before, after = (current_kernels().lda_memory.aligned((-(-n // cuts), topics.width)) for _ in range(2))
        moved = 0.0
        for rows in np.array_split(in_runs(rng, n), cuts):
            old, new = before[: len(rows)], after[: len(rows)]
            do, grid = self._workers(pairs, rows)
            cut = blocks(len(rows), grid)
            if kept is None or epoch.number == 0:
                self.warm(pairs, rows, WARM_PASSES, old)
            else:
                do(current_kernels().lda_online.fetch_rows, [(kept, rows[block], old[block]) for block in cut])
            share = float(lengths[rows].sum()) / words
            step = min(epoch.step, BOLDEST / share) if share else 1.0
            topics.forget(1.0 - step * share)
            moved += self.learn(pairs, rows, old, new, step)
            if kept is not None:
                do(current_kernels().lda_online.store_rows, [(kept, rows[block], new[block]) for block in cut])
            if self.learned.document and learn_priors:
                self._learn_document_prior(new)
        topics.settle()
        if self.learned.word and learn_priors:
            self._learn_word_prior()
        return moved / (2 * words)

    def stream(self, pairs: Pairs, step: float, keep: float) -> None:
        """Learn from one chunk of new documents: discount the counts, add these `step` times."""
        rows = np.arange(pairs.n_documents)
        old, new = (current_kernels().lda_memory.aligned((len(rows), self.topics.width)) for _ in range(2))
        self.warm(pairs, rows, STREAM_PASSES, old)
        self.topics.forget(keep)
        self.learn(pairs, rows, old, new, step)
        if self.learned.document:
            self._learn_document_prior(new)

    def warm(self, pairs: Pairs, rows: Ints, passes: int, documents: Any) -> None:
        """Write the expected topic counts of some documents to `documents`, with fixed topics."""
        topics = self.topics
        documents[:] = topics.alpha
        inverse, beta, scale = topics.inverse(), np.float32(topics.beta), np.float32(topics.scale)
        self.engine.map(
            current_kernels().lda_online.warm_documents,
            [
                (
                    rows[part],
                    *pairs,
                    topics.values,
                    inverse,
                    topics.alpha,
                    beta,
                    scale,
                    passes,
                    documents[part],
                    current_kernels().lda_memory.scratch_rows(2, topics.width),
                )
                for part in document_tasks(len(rows))
            ],
        )

    def learn(self, pairs: Pairs, rows: Ints, old: Any, new: Any, step: float) -> float:
        """Add the expected counts of some documents to the topics; write the documents' own to `new`.

        Returns the difference between `old`, the counts of the last pass, and `new`.
        """
        topics = self.topics
        new[:] = 0
        do, grid = self._workers(pairs, rows)
        cut = blocks(len(rows), grid)
        arranged = do(
            current_kernels().lda_online.arrange, [(rows[block], *pairs, topics.n_words, grid) for block in cut]
        )
        inverse, beta, scale = topics.inverse(), np.float32(topics.beta), np.float32(topics.scale)
        weight = np.float32(step / topics.scale)
        scratch = self._scratch_of(len(cut))
        left = [lengths.copy() for *_, lengths in arranged]
        for turn in range(grid):
            work = []
            for i, block in enumerate(cut):
                words, documents, counts, bounds, lengths = arranged[i]
                word_block = (i + turn) % grid
                part = slice(bounds[word_block], bounds[word_block + 1])
                work.append(
                    (
                        words[part],
                        documents[part],
                        counts[part],
                        topics.values,
                        inverse,
                        topics.alpha,
                        beta,
                        scale,
                        weight,
                        old[block],
                        new[block],
                        lengths,
                        left[i],
                        scratch[i],
                    )
                )
            do(current_kernels().lda_online.learn_pairs, work)
        said = [np.zeros(topics.width) for _ in cut]
        moved = do(current_kernels().lda_online.add_up, [(old[b], new[b], totals) for b, totals in zip(cut, said)])
        topics.totals += step * sum(said)
        return float(sum(moved))

    def _scratch_of(self, n_tasks: int) -> list[Any]:
        """Return memory for so many tasks, the same for every chunk."""
        while len(self._scratch) < n_tasks:
            self._scratch.append(current_kernels().lda_memory.scratch_rows(3, self.topics.width))
        return self._scratch[:n_tasks]

    def _workers(self, pairs: Pairs, rows: Ints) -> tuple[Callable[[Any, list[Any]], list[Any]], int]:
        """Return what does the tasks of a chunk, and its grid; tasks too small to hand out are done here."""
        topics_per_pair = len(rows) / pairs.n_documents * self.topics.width
        grid = grid_of(len(pairs.words), topics_per_pair)
        worth_it = len(pairs.words) * topics_per_pair >= TASK_SIZE * grid**2
        return (self.engine.map if worth_it else _one_by_one), grid

    def _learn_document_prior(self, documents: Any) -> None:
        topics = self.topics
        counts = documents[:, : topics.n_topics]
        topics.set_priors(learn_concentrations(topics.document_prior, counts), topics.beta)

    def _learn_word_prior(self) -> None:
        topics = self.topics
        counts = topics.values[:, : topics.n_topics].T
        topics.set_priors(topics.document_prior, learn_concentration(topics.beta, counts))


def _one_by_one(function: Callable[..., Any], tasks: list[Any]) -> list[Any]:
    return [function(*task) for task in tasks]


class OnlineProblem(NamedTuple):
    """The documents, and the initial topics."""

    pairs: Pairs
    start: TopicState
    n_topics: int
    seeds: dict[int, Any]


class Shuffled(NamedTuple):
    """The documents in random order, their topic counts (None if they are recomputed), and their lengths."""

    pairs: Pairs
    kept: Any
    lengths: Floats
    n_words: float


class OnlineState(NamedTuple):
    """The topics, and the state of the documents."""

    topics: TopicState
    documents: Shuffled


def online_method(engine: Engine, learned: Learned) -> OnlineVariational[OnlineProblem, OnlineState]:
    """Return the method whose step is one epoch."""

    def begin(problem: OnlineProblem, rng: np.random.Generator) -> OnlineState:
        n, width = problem.pairs.n_documents, problem.start.values.shape[1]
        pairs = problem.pairs.take(rng.permutation(n))
        kept = current_kernels().lda_memory.aligned((n, width)) if n * width * 4 <= KEPT_BYTES else None
        n_words = float(pairs.counts.sum(dtype=np.float64))
        return OnlineState(problem.start.fresh(), Shuffled(pairs, kept, document_lengths(pairs), n_words))

    def learn(
        state: OnlineState, problem: OnlineProblem, epoch: Epoch, rng: np.random.Generator
    ) -> tuple[OnlineState, float]:
        topics = TopicCounts.of(state.topics, problem.n_topics, problem.seeds)
        moved = OnlineLearner(topics, engine, learned).epoch(state.documents, epoch, rng)
        return OnlineState(topics.state(), state.documents), moved

    return OnlineVariational(begin, learn)


def epochs_until(max_epochs: int, tolerance: float) -> Stop:
    """Return the stopping rule: an epoch after the first reassigns at most the share `tolerance`; never early at zero.

    >>> epochs_until(30, 0.0).rule([]), epochs_until(30, 0.1).rule.amount
    (False, 0.1)
    """
    return Stop(max_epochs, LittleMoved(tolerance, first=2)) if tolerance else Stop(max_epochs)


def n_chunks(n_documents: int, width: int) -> int:
    """Return the number of chunks: at least 30, more if one would be large in memory.

    >>> n_chunks(1000, 208), n_chunks(7, 208), n_chunks(10_000_000, 1008)
    (30, 7, 1202)
    """
    return max(1, min(n_documents, max(CHUNKS, -(-n_documents * width * 4 // _CHUNK_BYTES) * 2)))


def in_runs(rng: np.random.Generator, n: int) -> Any:
    """Return 0 … n − 1 in random order of runs of neighbours: contiguous memory is read faster.

    >>> in_runs(np.random.default_rng(0), 10_001)[:6].tolist()
    [5622, 5623, 2110, 2111, 454, 455]
    """
    run = max(1, min(LONGEST_RUN, n // RUNS))
    starts = rng.permutation(-(-n // run)) * run
    order = (starts[:, None] + np.arange(run)).ravel()
    return order[order < n]


def grid_of(n_pairs: int, topics_per_pair: float) -> int:
    """Return the number of blocks of documents, and of words, of a chunk.

    `topics_per_pair` is the work on the chunk over all pairs: the number of topics times the chunk's share.

    >>> grid_of(1_000, 1e9), grid_of(1_000_000, 200 / 30), grid_of(1_000_000, 1000 / 30)
    (1, 4, 8)
    """
    if n_pairs < SMALL:
        return 1
    grid = 2
    while grid < LARGEST_GRID and n_pairs * topics_per_pair >= TASK_SIZE * (2 * grid) ** 2:
        grid *= 2
    return grid


def document_tasks(n_documents: int) -> list[slice]:
    """Divide documents into tasks that can run in any order.

    >>> len(document_tasks(10)), len(document_tasks(200)), len(document_tasks(5000))
    (1, 4, 16)
    """
    return blocks(n_documents, max(1, min(LARGEST_GRID, n_documents // LEAST_DOCUMENTS)))


def document_lengths(pairs: Pairs) -> Any:
    """Return the number of words in every document."""
    running = np.concatenate([[0.0], np.cumsum(pairs.counts, dtype=np.float64)])
    return running[pairs.indptr[1:]] - running[pairs.indptr[:-1]]


def blocks(n: int, n_blocks: int) -> list[slice]:
    """Divide n documents into blocks of nearly equal size.

    >>> blocks(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    edges = np.arange(n_blocks + 1) * n // n_blocks
    return [slice(start, end) for start, end in itertools.pairwise(edges.tolist())]
