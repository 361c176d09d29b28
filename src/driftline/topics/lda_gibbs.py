"""Gibbs sampling for LDA, started from the variational solution and averaged over samples.

The tasks form the same grid as in `driftline.inference.lda_online`, so no two tasks share a document or a word. Only
the totals of the topics, which all tasks share, keep their values from the start of the sub-step. A small corpus is one
block, for which the sampler is exact. Chunks are as large as memory allows, because long runs of tokens of the same
word are faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, DeviceArray, Floats
from driftline.core.errors import InvalidInput
from driftline.core.randomness import seed_of
from driftline.engines.contract import Engine
from driftline.inference.gibbs import Gibbs
from driftline.inference.lda_online import WARM_PASSES, OnlineLearner, blocks, grid_of
from driftline.inference.learned_priors import Learned
from driftline.inference.own_priors import prior_mass, prior_rows
from driftline.inference.pairs import Pairs, document_lengths
from driftline.inference.topic_counts import TopicCounts, TopicState, TopicSum
from driftline.inference.variational import better_concentrations, concentration_sums, learn_concentration
from driftline.inference.word_rules import NO_RULES, WordRules

MOST_TOKENS = 2**31
DRAW = 200
"""Cost of one draw, in units of one topic of a document–word pair in the online method."""
_DENSE_BYTES = 2**26
_CHUNK_BYTES = 2**28


class Block(NamedTuple):
    """The tokens of one block of documents, sorted by (block of words, word), with their topics."""

    rows: np.ndarray
    words: np.ndarray
    documents: np.ndarray
    weights: np.ndarray
    topics: np.ndarray
    bounds: np.ndarray


class PackedDocuments(NamedTuple):
    """The topics of a block's documents as concatenated lists: topic, number of tokens, weight."""

    starts: np.ndarray
    sizes: np.ndarray
    topics: np.ndarray
    uses: np.ndarray
    counts: np.ndarray


class Tokens(NamedTuple):
    """All tokens in the order in which they are sampled: chunks of blocks, and the documents' lengths."""

    chunks: tuple[tuple[Block, ...], ...]
    lengths: np.ndarray

    def assignments(self) -> np.ndarray:
        """Return the topics of all tokens as one array: with the documents, this is the whole state of a chain."""
        return np.concatenate([block.topics for chunk in self.chunks for block in chunk])

    def assigned(self, topics: np.ndarray) -> Tokens:
        """Return the same tokens with other topics; the arrays of topics are new."""
        ends = np.cumsum([len(block.topics) for chunk in self.chunks for block in chunk])
        parts = iter(np.split(np.array(topics, dtype=np.int32), ends[:-1]))
        chunks = tuple(tuple(block._replace(topics=next(parts)) for block in chunk) for chunk in self.chunks)
        return Tokens(chunks, self.lengths)


class SamplingProblem(NamedTuple):
    """The documents, the variational solution from which the first sample is drawn, and the documents' own priors."""

    pairs: Pairs
    start: TopicState
    n_topics: int
    seeds: dict[int, Floats]
    own: Pairs | None = None
    rules: WordRules = NO_RULES


class SamplingState(NamedTuple):
    """A sample: the topics of all tokens and their counts; the state of the random numbers; Σ ln p / n."""

    topics: TopicState
    tokens: Tokens
    packed: tuple[tuple[PackedDocuments, ...], ...]
    seed: int
    n_tasks: int
    likelihood: float


def sampling_method(engine: Engine, learned: Learned) -> Gibbs[SamplingProblem, SamplingState]:
    """Return the sampler: topics of all tokens, then priors."""

    def begin(problem: SamplingProblem, rng: np.random.Generator) -> SamplingState:
        seed = seed_of(rng)
        topics = TopicCounts.of(problem.start.fresh(), problem.n_topics, problem.seeds, problem.rules)
        tokens = lay_out(problem.pairs, topics.n_words, topics.width)
        draw_first(tokens, problem.pairs, topics, engine, seed, problem.own)
        recount(topics, count_tokens(tokens, topics.n_words, topics.width))
        packed = pack_all(tokens, topics.width, engine, problem.own)
        return SamplingState(topics.state(), tokens, packed, seed_of(rng), 0, np.nan)

    def sampler_of(state: SamplingState, problem: SamplingProblem) -> GibbsSampler:
        topics = TopicCounts.of(state.topics, problem.n_topics, problem.seeds, problem.rules)
        return GibbsSampler(topics, state.tokens, engine, state.seed, state.packed, state.n_tasks, problem.own)

    def draw_topics(state: SamplingState, problem: SamplingProblem, rng: np.random.Generator) -> SamplingState:
        sampler = sampler_of(state, problem)
        likelihood = sampler.sweep()
        return state._replace(topics=sampler.topics.state(), n_tasks=sampler.n_tasks, likelihood=likelihood)

    def learn_priors(state: SamplingState, problem: SamplingProblem, rng: np.random.Generator) -> SamplingState:
        sampler = sampler_of(state, problem)
        sampler.learn_priors(learned)
        return state._replace(topics=sampler.topics.state())

    return Gibbs(begin, (draw_topics, learn_priors), lambda state, problem: state.likelihood)


def add_sample(kept: TopicSum | None, state: SamplingState) -> TopicSum:
    """Add the counts of a sample to those before it."""
    values, priors = state.topics.values, (state.topics.document_prior, state.topics.word_prior)
    return TopicSum(np.array(values), 1, *priors) if kept is None else kept.added(values, *priors)


class GibbsSampler:
    """Samples the topics of all tokens; `topics` contains the counts of the current sample.

    Parameters
    ----------
    topics : TopicCounts
        The counts that belong to the tokens' topics; changed in place.
    tokens : Tokens
        The tokens; their topics are changed in place.
    engine : Engine
        The engine that runs the tasks.
    seed : int
        The seed of all random numbers, together with the number of the task.
    packed : tuple, optional
        The documents of the tokens' blocks as packed lists, to continue from; changed in place.
    n_tasks : int
        Number of tasks already run with this seed.
    own : Pairs, optional
        What the documents' own priors add to α.
    """

    def __init__(
        self,
        topics: TopicCounts,
        tokens: Tokens,
        engine: Engine,
        seed: int,
        packed: DeviceArray | None = None,
        n_tasks: int = 0,
        own: Pairs | None = None,
    ) -> None:
        self.topics, self.engine = topics, engine
        self.lengths = tokens.lengths
        self.words = float(self.lengths.sum())
        self.n_tasks = n_tasks
        self._seed, self._chunks = seed, tokens.chunks
        self._grid = len(tokens.chunks[0]) if tokens.chunks else 1
        self.packed = pack_all(tokens, topics.width, engine, own) if packed is None else packed
        self._own = own

    def sweep(self) -> float:
        """Redraw the topic of every token; return the mean log-likelihood of a word given all others."""
        topics, likelihood = self.topics, 0.0
        alpha_sum = float(topics.document_prior.sum())
        for chunk, packed in zip(self._chunks, self.packed):
            lengths = [
                (self.lengths[block.rows] + (alpha_sum + prior_mass(self._own, block.rows))).astype(np.float32)
                for block in chunk
            ]
            for turn in range(self._grid):
                totals = [topics.totals.copy() for _ in chunk]
                tasks = []
                for i, block in enumerate(chunk):
                    word_block = (i + turn) % self._grid
                    part = slice(block.bounds[word_block], block.bounds[word_block + 1])
                    tasks.append(
                        (
                            block.words[part],
                            block.documents[part],
                            block.weights[part],
                            block.topics[part],
                            topics.values,
                            totals[i],
                            topics.n_words * topics.beta,
                            topics.alpha,
                            np.float32(topics.beta),
                            *packed[i],
                            lengths[i],
                            self._seed,
                            self.n_tasks,
                            current_kernels().lda_memory.scratch_rows(5, topics.width),
                        )
                    )
                    self.n_tasks += 1
                likelihood += sum(self.engine.map(current_kernels().lda_gibbs.sweep_tokens, tasks))
                topics.totals = topics.totals + sum(own - topics.totals for own in totals)
        return likelihood / self.words if self.words else 0.0

    def learn_priors(self, learned: Learned) -> None:
        """Learn α from the documents and β from the counts."""
        topics = self.topics
        if learned.document:
            topics.set_priors(better_concentrations(topics.document_prior, *self.prior_sums()), topics.beta)
        if learned.word:
            counts = np.maximum(topics.values[:, : topics.n_topics].T, 0.0)
            topics.set_priors(topics.document_prior, learn_concentration(topics.beta, counts))

    def prior_sums(self) -> tuple[np.ndarray, float]:
        """Return the sums from which a better document prior is computed (see `concentration_sums`)."""
        topics = self.topics
        above, below = np.zeros(topics.n_topics), 0.0
        for packed in (packed for chunk in self.packed for packed in chunk):
            n = len(packed.sizes)
            for part in blocks(n, max(1, -(-n * topics.width * 4 // _DENSE_BYTES))):
                counts = current_kernels().lda_memory.aligned((part.stop - part.start, topics.width))
                current_kernels().lda_gibbs.unpack_documents(
                    packed.starts[part], packed.sizes[part], packed.topics, packed.counts, counts
                )
                sums = concentration_sums(topics.document_prior, counts[:, : topics.n_topics])
                above, below = above + sums[0], below + sums[1]
        return above, below


def pack_all(
    tokens: Tokens, width: int, engine: Engine, own: Pairs | None = None
) -> tuple[tuple[PackedDocuments, ...], ...]:
    """Pack the documents of all blocks."""
    tasks = [
        (block, width, None if own is None else own.take(block.rows)) for chunk in tokens.chunks for block in chunk
    ]
    packed = iter(engine.map(pack, tasks))
    return tuple(tuple(next(packed) for _ in chunk) for chunk in tokens.chunks)


def pack(block: Block, width: int, own: Pairs | None = None) -> PackedDocuments:
    """Pack the documents of a block; each list has capacity for all topics that its document may have.

    What a document's own prior adds to α is a permanent entry, so that the two add up to n_dk + α_dk.
    """
    room = np.minimum(np.bincount(block.documents, minlength=len(block.rows)), width)
    if own is not None:
        room = np.minimum(room + np.diff(own.indptr), width)
    starts, total = np.cumsum(room) - room, int(room.sum())
    packed = PackedDocuments(
        starts,
        np.zeros(len(block.rows), dtype=np.int32),
        np.zeros(total, dtype=np.int32),
        np.zeros(total, dtype=np.int32),
        np.zeros(total, dtype=np.float32),
    )
    if own is not None:
        documents = np.repeat(np.arange(len(block.rows), dtype=block.documents.dtype), np.diff(own.indptr))
        current_kernels().lda_gibbs.pack_documents(documents, own.words, own.counts, *packed)
    current_kernels().lda_gibbs.pack_documents(block.documents, block.topics, block.weights, *packed)
    return packed


def lay_out(pairs: Pairs, n_words: int, width: int) -> Tokens:
    """Arrange the tokens of documents for sampling; all topics are zero."""
    if pairs.counts.sum(dtype=np.float64) > MOST_TOKENS:
        raise InvalidInput(f"sampling stores every token, and there are more than {MOST_TOKENS:,}; use 'online'")
    n = pairs.n_documents
    cuts = max(1, min(n, -(-n * width * 4 // _CHUNK_BYTES)))
    grid = grid_of(len(pairs.words), DRAW / cuts)
    chunks = []
    for rows in np.array_split(np.arange(n), cuts):
        chunk = []
        for part in blocks(len(rows), grid):
            words, documents, counts, bounds, _ = current_kernels().lda_online.arrange(
                rows[part], *pairs, n_words, grid
            )
            tokens = expanded_tokens(words, documents, counts)
            ends = np.concatenate([[0], np.cumsum(np.ceil(counts).astype(np.int64))])
            first = np.zeros(len(tokens[0]), dtype=np.int32)
            chunk.append(Block(rows[part], *tokens, first, ends[bounds]))
        chunks.append(tuple(chunk))
    return Tokens(tuple(chunks), document_lengths(pairs))


def draw_first(
    tokens: Tokens, pairs: Pairs, topics: TopicCounts, engine: Engine, seed: int, own: Pairs | None = None
) -> None:
    """Draw the initial topic of every token from the variational solution in `topics`."""
    learner = OnlineLearner(topics, engine, own=own)
    inverse, beta = topics.inverse(), np.float32(topics.beta)
    for number, chunk in enumerate(tokens.chunks):
        tasks = []
        for i, block in enumerate(chunk):
            expected = current_kernels().lda_memory.aligned((len(block.rows), topics.width))
            learner.warm(pairs, block.rows, WARM_PASSES, expected)
            if own is not None:
                expected += prior_rows(topics.alpha, own, block.rows) - topics.alpha
            tasks.append(
                (
                    block.words,
                    block.documents,
                    topics.values,
                    inverse,
                    topics.alpha,
                    beta,
                    expected,
                    block.topics,
                    seed,
                    number * len(chunk) + i,
                    current_kernels().lda_memory.scratch_rows(2, topics.width),
                )
            )
        engine.map(current_kernels().lda_gibbs.start_tokens, tasks)


def count_tokens(tokens: Tokens, n_words: int, width: int) -> np.ndarray:
    """Return the number of times that every word is assigned to every topic, words × topics, padded."""
    values: np.ndarray = current_kernels().lda_memory.aligned((n_words, width))
    for chunk in tokens.chunks:
        for block in chunk:
            current_kernels().lda_gibbs.count_words(block.words, block.weights, block.topics, values)
    return values


def recount(topics: TopicCounts, counts: Counts) -> None:
    """Replace the counts of the topics by those of a sample, keeping the seeds."""
    topics.values[:] = counts
    for row, extra in topics.seeds.items():
        topics.values[row, : len(extra)] += extra
    topics.scale = 1.0
    topics.settle()


def expanded_tokens(
    words: np.ndarray, documents: np.ndarray, counts: Counts
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Expand pairs into tokens: whole ones, and one fractional token for the remainder of a non-integer count.

    >>> expanded_tokens(np.array([4, 7]), np.array([0, 1]), np.array([2.0, 0.5]))
    (array([4, 4, 7]), array([0, 0, 1]), array([1. , 1. , 0.5], dtype=float32))
    """
    times = np.ceil(counts).astype(np.int64)
    ends = np.cumsum(times)
    weights = np.ones(times.sum(), dtype=np.float32)
    weights[ends[times > 0] - 1] = (counts - (times - 1))[times > 0]
    return np.repeat(words, times), np.repeat(documents, times), weights
