r"""Online collapsed variational inference: the topics are learned from one chunk of documents at a time.

Steps and their sizes are those of `driftline.inference.online_variational`, the equations of a chunk those of
the kernels' `lda_online`.

Within a chunk the tasks form a grid of blocks of documents × blocks of words. There are as many sub-steps as blocks; in
each, every block of documents is combined with another block of words, so no two tasks share a row and no locks are
needed. The grid does not depend on the number of threads, so neither does the result.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.engines.contract import Engine, Tasks
from driftline.inference.guide_arrays import Bounds
from driftline.inference.learned_priors import NONE_LEARNED, Learned
from driftline.inference.online_variational import FIRST_STEP, Epoch, OnlineVariational, Revision
from driftline.inference.own_priors import prior_part, prior_rows
from driftline.inference.pairs import Pairs, document_lengths
from driftline.inference.projection import Multipliers, next_multipliers
from driftline.inference.random_chunks import in_runs, n_chunks
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop
from driftline.inference.topic_counts import TopicCounts, TopicState
from driftline.inference.variational import learn_concentration, learn_concentrations
from driftline.inference.word_rules import NO_RULES, WordRules

R = TypeVar("R")

SMALL = 20_000
"""Number of pairs below which the grid is one block, so that every pair sees the updates of all before it; above, it is
at least two by two."""
TASK_SIZE = 400_000
"""Number of pairs × topics per task; with far fewer, threads mostly wait."""
LARGEST_GRID = 16
LEAST_DOCUMENTS = 50
"""Number of documents per task that needs no grid; there are at most as many tasks as blocks in the largest grid."""
WARM_PASSES = 5
STREAM_PASSES = 5
BOLDEST = 0.5
"""Largest share of the counts that one chunk may replace."""
KEPT_BYTES = 2**29
"""Largest size in bytes of document counts kept between epochs; larger ones are recomputed."""
LEARN_PRIORS_FROM = 3
PROJECTED = 20_000
"""Largest number of documents whose shares are projected onto bounds; if there are more, a sample of this size is
used."""


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
    own : Pairs, optional
        Additions of the documents' own priors to α: (topic, addition) pairs, in the order of the documents.
    bounds : Bounds, optional
        Bounds of the topics' shares of the words, with groups in the order of the documents.
    multipliers : Multipliers, optional
        The multipliers of these bounds, to continue from.
    """

    def __init__(
        self,
        topics: TopicCounts,
        engine: Engine,
        learned: Learned = NONE_LEARNED,
        own: Pairs | None = None,
        bounds: Bounds | None = None,
        multipliers: Multipliers | None = None,
    ) -> None:
        self.topics = topics
        self.own = own
        self.bounds = bounds
        self.multipliers = Multipliers.none(bounds) if bounds is not None and multipliers is None else multipliers
        self.engine = engine
        self.learned = learned
        self._scratch: list[object] = []

    def fit(
        self,
        pairs: Pairs,
        max_epochs: int,
        rng: np.random.Generator,
        *,
        tolerance: float = 0.0,
        first_step: float = FIRST_STEP,
        revision: Revision | None = None,
        verbose: bool | int = False,
    ) -> int:
        """Process all documents `max_epochs` times, or until a share `tolerance` of words moves; return the epochs."""
        if not pairs.counts.any():
            return 0
        topics = self.topics
        problem = OnlineProblem(
            pairs, topics.state(), topics.n_topics, topics.seeds, self.own, topics.rules, self.bounds
        )
        method = online_method(self.engine, self.learned, first_step=first_step, revision=revision)
        stop = epochs_until(max_epochs, tolerance)
        done = run(method, problem, stop=stop, rng=rng, progress="learning topics", verbose=verbose)
        found, self.multipliers = done.result.topics, done.result.multipliers
        topics.take(found.values, found.document_prior, found.word_prior)
        return int(done.n_steps[0])

    def epoch(self, documents: Shuffled, epoch: Epoch, rng: np.random.Generator, *, revised: bool = False) -> float:
        """Learn from all documents once, in chunks; return the share of the words that changed their topic."""
        pairs, kept, lengths, words, _, _ = documents
        topics, n = self.topics, pairs.n_documents
        cuts = n_chunks(n, topics.width)
        learn_priors = epoch.number >= LEARN_PRIORS_FROM
        # The same memory is used for every chunk: new memory would have to be paged in each time.
        before, after = (current_kernels().lda_memory.aligned((-(-n // cuts), topics.width)) for _ in range(2))
        moved = 0.0
        for rows in np.array_split(in_runs(rng, n), cuts):
            old, new = before[: len(rows)], after[: len(rows)]
            do, grid = self._workers(pairs, rows)
            cut = blocks(len(rows), grid)
            if kept is None or epoch.number == 0 or revised:
                with topics.as_seen():
                    self.warm(pairs, rows, WARM_PASSES, old)
            else:
                do(current_kernels().lda_online.fetch_rows, [(kept, rows[block], old[block]) for block in cut])
            share = float(lengths[rows].sum()) / words
            step = min(epoch.step, BOLDEST / share) if share else 1.0
            topics.forget(1.0 - step * share)
            with topics.as_seen():
                moved += self.learn(pairs, rows, old, new, step)
            if kept is not None:
                do(current_kernels().lda_online.store_rows, [(kept, rows[block], new[block]) for block in cut])
            if self.learned.document and learn_priors:
                self._learn_document_prior(new)
        topics.settle()
        if self.learned.word and learn_priors:
            self._learn_word_prior()
        if self.bounds is not None:
            self._learn_multipliers(pairs, kept, lengths, rng)
        return moved / (2 * words)

    def stream(self, pairs: Pairs, step: float, keep: float, *, learn_prior: bool = True) -> None:
        """Learn from one chunk of new documents: discount the counts, add these `step` times.

        The document prior is learned if that was requested and `learn_prior` is not False.
        """
        rows = np.arange(pairs.n_documents)
        old, new = (current_kernels().lda_memory.aligned((len(rows), self.topics.width)) for _ in range(2))
        with self.topics.as_seen():
            self.warm(pairs, rows, STREAM_PASSES, old)
        self.topics.forget(keep)
        with self.topics.as_seen():
            self.learn(pairs, rows, old, new, step)
        if self.learned.document and learn_prior:
            self._learn_document_prior(new)

    def warm(self, pairs: Pairs, rows: Ints, passes: int, documents: np.ndarray) -> None:
        """Write the expected topic counts of some documents to `documents`, with fixed topics."""
        topics = self.topics
        alpha = prior_rows(topics.alpha, self.own, rows)
        documents[:] = alpha
        inverse, beta, scale = self._inverse(rows), np.float32(topics.beta), np.float32(topics.scale)
        self.engine.map(
            current_kernels().lda_online.warm_documents,
            [
                (
                    rows[part],
                    *pairs,
                    topics.values,
                    prior_part(inverse, part),
                    prior_part(alpha, part),
                    beta,
                    scale,
                    passes,
                    documents[part],
                    current_kernels().lda_memory.scratch_rows(2, topics.width),
                )
                for part in document_tasks(len(rows))
            ],
        )

    def learn(self, pairs: Pairs, rows: Ints, old: np.ndarray, new: np.ndarray, step: float) -> float:
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
        inverse, beta, scale = self._inverse(rows), np.float32(topics.beta), np.float32(topics.scale)
        weight = np.float32(step / topics.scale)
        scratch, alpha = self._scratch_of(len(cut)), prior_rows(topics.alpha, self.own, rows)
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
                        prior_part(inverse, block),
                        prior_part(alpha, block),
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

    def _inverse(self, rows: Ints) -> np.ndarray:
        """Return 1 / (n_k + Vβ), times e^−λ where shares of topics are bounded: one row, or one for each of `rows`."""
        inverse = self.topics.inverse()
        if self.bounds is None or self.multipliers is None:
            return inverse
        values = self.bounds.by_group(self.multipliers.values)
        groups = self.bounds.groups[rows] if len(values) > 1 else np.zeros(1, dtype=np.int64)
        pad_columns = current_kernels().lda_memory.pad_columns
        found: np.ndarray = pad_columns(np.exp(-values)[groups] * inverse[: self.topics.n_topics], len(inverse))
        return found if len(values) > 1 else found[0]

    def _learn_multipliers(
        self, pairs: Pairs, kept: np.ndarray | None, lengths: Floats, rng: np.random.Generator
    ) -> None:
        """Project the shares of documents (a sample if many), without the current multipliers, onto the bounds."""
        bounds, present = self.bounds, self.multipliers
        if bounds is None or present is None:
            return
        n = pairs.n_documents
        rows = np.arange(n) if n <= PROJECTED else np.sort(rng.choice(n, PROJECTED, replace=False))
        if kept is None:
            counts = current_kernels().lda_memory.aligned((len(rows), self.topics.width))
            with self.topics.as_seen():
                self.warm(pairs, rows, WARM_PASSES, counts)
        else:
            counts = kept[rows]
        bounds = bounds._replace(groups=bounds.groups[rows])
        counts = counts[:, : self.topics.n_topics]
        self.multipliers = next_multipliers(counts, present, bounds, lengths[rows], damped=False)

    def _scratch_of(self, n_tasks: int) -> list[object]:
        """Return scratch memory for a number of tasks, reused for every chunk."""
        while len(self._scratch) < n_tasks:
            self._scratch.append(current_kernels().lda_memory.scratch_rows(3, self.topics.width))
        return self._scratch[:n_tasks]

    def _workers(self, pairs: Pairs, rows: Ints) -> tuple[Callable[[Callable[..., R], Tasks], list[R]], int]:
        """Return the function that runs the tasks of a chunk, and its grid; very small tasks run in this thread."""
        topics_per_pair = len(rows) / pairs.n_documents * self.topics.width
        grid = grid_of(len(pairs.words), topics_per_pair)
        worth_it = len(pairs.words) * topics_per_pair >= TASK_SIZE * grid**2
        return (self.engine.map if worth_it else _one_by_one), grid

    def _learn_document_prior(self, documents: np.ndarray) -> None:
        topics = self.topics
        counts = documents[:, : topics.n_topics]
        topics.set_priors(learn_concentrations(topics.document_prior, counts), topics.beta)

    def _learn_word_prior(self) -> None:
        topics = self.topics
        counts = np.maximum(topics.values[:, : topics.n_topics].T, 0.0)
        topics.set_priors(topics.document_prior, learn_concentration(topics.beta, counts))


def _one_by_one(function: Callable[..., R], tasks: Tasks) -> list[R]:
    return [function(*task) for task in tasks]


class OnlineProblem(NamedTuple):
    """The documents, the initial topics, and the wishes of a guide: priors of documents, rules of words, bounds."""

    pairs: Pairs
    start: TopicState
    n_topics: int
    seeds: dict[int, Floats]
    own: Pairs | None = None
    rules: WordRules = NO_RULES
    bounds: Bounds | None = None


class Shuffled(NamedTuple):
    """The documents in random order: topic counts (None if they are recomputed), lengths, own priors, and groups."""

    pairs: Pairs
    kept: np.ndarray | None
    lengths: Floats
    n_words: float
    own: Pairs | None = None
    groups: Ints | None = None


class OnlineState(NamedTuple):
    """The topics, the state of the documents, and the multipliers of bounds."""

    topics: TopicState
    documents: Shuffled
    multipliers: Multipliers | None = None


def online_method(
    engine: Engine, learned: Learned, *, first_step: float = FIRST_STEP, revision: Revision | None = None
) -> OnlineVariational[OnlineProblem, OnlineState]:
    """Return the method whose step is one epoch; after a revision of the topics, documents are computed again."""

    def begin(problem: OnlineProblem, rng: np.random.Generator) -> OnlineState:
        n, width = problem.pairs.n_documents, problem.start.values.shape[1]
        order = rng.permutation(n)
        pairs = problem.pairs.take(order)
        own = None if problem.own is None else problem.own.take(order)
        kept = current_kernels().lda_memory.aligned((n, width)) if n * width * 4 <= KEPT_BYTES else None
        n_words = float(pairs.counts.sum(dtype=np.float64))
        groups = None if problem.bounds is None else problem.bounds.groups[order]
        documents = Shuffled(pairs, kept, document_lengths(pairs), n_words, own, groups)
        return OnlineState(problem.start.fresh(), documents)

    def learn(
        state: OnlineState, problem: OnlineProblem, epoch: Epoch, rng: np.random.Generator
    ) -> tuple[OnlineState, float]:
        topics = TopicCounts.of(state.topics, problem.n_topics, problem.seeds, problem.rules)
        bounds = problem.bounds
        if bounds is not None and state.documents.groups is not None:
            bounds = bounds._replace(groups=state.documents.groups)
        learner = OnlineLearner(topics, engine, learned, state.documents.own, bounds, state.multipliers)
        revised = revision is not None and epoch.number == revision.at and revision.change(topics)
        moved = learner.epoch(state.documents, epoch, rng, revised=revised)
        return OnlineState(topics.state(), state.documents, learner.multipliers), moved

    return OnlineVariational(begin, learn, first_step)


def epochs_until(max_epochs: int, tolerance: float) -> Stop:
    """Return the rule that stops after a later epoch that reassigns at most the share `tolerance`; zero disables it.

    >>> epochs_until(30, 0.0).rule([]), epochs_until(30, 0.1).rule.amount
    (False, 0.1)
    """
    return Stop(max_epochs, LittleMoved(tolerance, first=2)) if tolerance else Stop(max_epochs)


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


def blocks(n: int, n_blocks: int) -> list[slice]:
    """Divide n documents into blocks of nearly equal size.

    >>> blocks(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    edges = np.arange(n_blocks + 1) * n // n_blocks
    return [slice(start, end) for start, end in itertools.pairwise(edges.tolist())]
