r"""Collapsed variational inference in large steps: many documents are processed at once, then the topics are updated.

Documents are divided at random into parts of limited size, and sorted by length within each, longest first. In the
first epochs, the topics are updated after every few documents, with the steps of
`driftline.inference.online_variational`: after some parts, or, if there is only one part, after every n-th document of
it. Later, an epoch is several passes over all parts, and the topics are updated after each. Each part keeps the topic
counts of its documents where it is stored. The equations are those of the kernels' `lda_epochs`.

If there are many tokens per number that is learned, these later passes sample the topics of the documents, with the
equations of the kernels' `lda_sampled`: the remaining distance from the true topics is then due to the
independence that variational inference assumes, not to the finite number of documents
(`benchmarks/topics/gpu_schedule.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import DeviceArray, Floats, Ints
from driftline.engines.contract import Engine
from driftline.inference.lda_online import BOLDEST, LEARN_PRIORS_FROM, OnlineProblem, epochs_until
from driftline.inference.learned_priors import Learned
from driftline.inference.online_variational import Epoch, OnlineVariational
from driftline.inference.pairs import Pairs, document_lengths
from driftline.inference.run import run
from driftline.inference.topic_counts import TopicCounts
from driftline.inference.variational import learn_concentration, learn_concentrations

PASSES = 40
"""Passes per epoch once the topics are updated after whole passes (`benchmarks/topics/gpu.py`)."""
CHUNKS = 30
"""Number of updates of the topics in each of the first epochs, each after newly drawn documents."""
PART_PAIRS, PART_BYTES = 2**23, 2**27
"""Maximum number of pairs in a part, and maximum size in bytes of the topic counts of its documents."""
KEPT_BYTES = 2**36
"""Maximum size in bytes of the stored topic counts of all documents; larger ones are recomputed in every epoch."""
PASSES_UNKEPT = 5
"""Number of passes that recompute them."""
SAMPLED_FROM = 10.0
"""Minimum number of tokens per word and topic for later passes to sample (`benchmarks/topics/gpu_schedule.py`)."""
SAMPLED_PASSES, SAMPLED_EPOCHS = 10, 8
"""Passes per epoch that samples, and maximum number of such epochs."""
SAMPLE = 10_000
"""Number of documents from which the prior of the topics is learned."""


class Schedule(NamedTuple):
    """The schedule of the first epochs.

    In the first `stepwise` epochs, the topics are updated after every few documents. In the first `recomputed` epochs,
    the counts of documents are recomputed from the topics, in `n_warm` passes.
    """

    stepwise: int
    recomputed: int
    n_warm: int


FROM_NOISE = Schedule(20, 20, 20)
"""The schedule for topics that start nearly uniform."""
FROM_TOPICS = Schedule(8, 8, 20)
"""The schedule for topics that have already been learned, at least roughly."""
FROM_SAMPLE = Schedule(4, 4, 20)
"""The schedule for topics that have been learned from a small share of the documents."""


class Chunk(NamedTuple):
    """Documents that are processed together: `first`, `first` + `step` … of some parts."""

    parts: Ints
    first: int = 0
    step: int = 1


class EpochState(NamedTuple):
    """The counts of words × topics and those of each part's documents, both flat and padded, and the priors."""

    counts: DeviceArray
    documents: tuple[DeviceArray, ...]
    document_prior: Floats
    word_prior: float


def learn_in_passes(
    topics: TopicCounts,
    pairs: Pairs,
    engine: Engine,
    rng: np.random.Generator,
    max_epochs: int,
    *,
    tolerance: float,
    learned: Learned,
    deterministic: bool,
    schedule: Schedule | None = None,
    verbose: bool | int = False,
) -> int:
    """Learn topics in place; return the number of epochs.

    Learning stops early once the last pass of an epoch reassigns less than the share `tolerance` of all words, or, if
    passes sample, after `SAMPLED_EPOCHS` of them. Without a schedule, the topics start nearly uniform.
    """
    problem = OnlineProblem(pairs, topics.state(), topics.n_topics, topics.seeds)
    parts = random_parts(pairs, topics.n_topics, rng)
    method = epochs_method(engine, parts, topics.n_topics, learned, schedule, deterministic=deterministic)
    if samples(float(pairs.counts.sum(dtype=np.float64)), topics.n_words, topics.n_topics):
        max_epochs = min(max_epochs, (schedule or FROM_NOISE).stepwise + SAMPLED_EPOCHS)
    stop = epochs_until(max_epochs, tolerance)
    done = run(method, problem, stop=stop, rng=rng, progress="learning topics", verbose=verbose)
    found = done.result
    values = np.zeros_like(topics.values)
    values[:, : topics.n_topics] = fetched_counts(found, topics.n_words, topics.n_topics)
    topics.take(values, found.document_prior, found.word_prior)
    return int(done.n_steps[0])


def fetched_counts(state: EpochState, n_words: int, n_topics: int) -> Floats:
    """Return the counts of words × topics, without padding, in host memory."""
    found: Floats = _rows(current_kernels().memory.fetch(state.counts), n_words, n_topics)
    return found


def epochs_method(
    engine: Engine,
    parts: Sequence[Pairs],
    n_topics: int,
    learned: Learned,
    schedule: Schedule | None = None,
    *,
    deterministic: bool,
) -> OnlineVariational[OnlineProblem, EpochState]:
    """Return the method whose step is one epoch on an engine, which keeps random parts of the documents.

    Without a schedule, the topics start nearly uniform. Topic counts of documents that are too large to be kept are
    recomputed in every epoch, and all epochs are stepwise.
    """
    schedule = schedule or FROM_NOISE
    kept, sizes = engine.keep(parts), [part.n_documents for part in parts]
    tokens = [float(part.counts.sum(dtype=np.float64)) for part in parts]
    n_tokens, lengths = float(sum(tokens)), [document_lengths(part) for part in parts] if len(parts) < CHUNKS else []
    n_long = [current_kernels().lda_epochs.n_long(part.indptr) for part in parts]
    everything = Chunk(np.arange(len(parts)))
    keeps = learned.document or kept_bytes(sum(sizes), n_topics) > 0

    def share_of(chunk: Chunk) -> float:
        if chunk.step == 1:
            return float(sum(tokens[i] for i in chunk.parts)) / n_tokens
        return sum(float(lengths[i][chunk.first :: chunk.step].sum()) for i in chunk.parts) / n_tokens

    def begin(problem: OnlineProblem, rng: np.random.Generator) -> EpochState:
        start = problem.start
        documents, _ = engine.advance(_begin_part, [(size if keeps else 0, n_topics) for size in sizes])
        values = np.array(start.values[:, :n_topics] * np.float32(start.scale)).reshape(-1)
        return EpochState(values, tuple(documents), start.document_prior, start.word_prior)

    def learn(
        state: EpochState, problem: OnlineProblem, epoch: Epoch, rng: np.random.Generator
    ) -> tuple[EpochState, float]:
        n_words = len(problem.start.values)
        width = current_kernels().lda_memory.padded(n_topics)
        alpha = engine.share(current_kernels().lda_epochs.prior_of(state.document_prior, n_topics))
        seeds = _seeds(problem.seeds, width, n_topics)
        documents = [_repadded(one, size, n_topics) for one, size in zip(state.documents, sizes)]
        sums = current_kernels().lda_epochs.sums_of(state.counts, n_words, n_topics, n_tokens, deterministic)
        stepwise = epoch.number < schedule.stepwise or not keeps
        sampled = not stepwise and samples(n_tokens, n_words, n_topics)
        chunks = random_chunks(sizes, rng) if stepwise else [everything] * (SAMPLED_PASSES if sampled else PASSES)
        for number, chunk in enumerate(chunks):
            shares = current_kernels().lda_epochs.word_shares(sums, n_words, n_topics, state.word_prior)
            share = share_of(chunk) if len(chunks) > 1 and stepwise else 1.0
            weight = min(epoch.step, BOLDEST / share) if 0.0 < share < 1.0 else 1.0
            current_kernels().lda_epochs.forget(sums, 1.0 - weight * share, *seeds)
            if number == 0 or (not stepwise and number == len(chunks) - 1):
                current_kernels().lda_epochs.forget_moved(sums)
            n_warm = schedule.n_warm if epoch.number < schedule.recomputed else 0
            n_warm = n_warm if keeps else PASSES_UNKEPT
            own = [(documents[i], kept[i], shares, alpha, sums, n_topics, n_long[i]) for i in chunk.parts]
            if sampled:
                tasks = [(*task, int(rng.integers(2**31))) for task in own]
            else:
                tasks = [(*task, n_warm, weight, chunk.first, chunk.step) for task in own]
            for i, found in zip(chunk.parts, engine.advance(sample_part if sampled else learn_part, tasks)[0]):
                documents[i] = found
            current_kernels().lda_epochs.give_back(shares)
        moved = current_kernels().lda_epochs.moved_by(sums)
        after = EpochState(
            current_kernels().lda_epochs.counts_of(sums), tuple(documents), state.document_prior, state.word_prior
        )
        if epoch.number >= LEARN_PRIORS_FROM:
            after = _with_priors(after, learned, engine, sizes, n_words, n_topics)
        return after, moved / (2 * n_tokens)

    return OnlineVariational(begin, learn)


def random_chunks(sizes: Sequence[int], rng: np.random.Generator) -> list[Chunk]:
    """Return the documents of each update of the topics, in random order: whole parts, or slices of a part.

    >>> [chunk.first for chunk in random_chunks([100], np.random.default_rng(0))][:4]
    [2, 11, 26, 21]
    >>> [(chunk.parts.tolist(), chunk.step) for chunk in random_chunks([4] * 60, np.random.default_rng(0))][:2]
    [([16, 27], 1), ([20, 8], 1)]
    """
    n_parts, n_chunks = len(sizes), max(1, min(CHUNKS, sum(sizes)))
    if n_parts >= n_chunks:
        return [Chunk(group) for group in np.array_split(rng.permutation(n_parts), n_chunks)]
    step = max(1, n_chunks // n_parts)
    drawn = rng.permutation(n_parts * step)
    return [Chunk(np.array([i // step]), int(i % step), step) for i in drawn]


def learn_part(
    documents: DeviceArray,
    part: Pairs,
    shares: DeviceArray,
    alpha: DeviceArray,
    sums: DeviceArray,
    n_topics: int,
    n_long: int,
    n_warm: int,
    weight: float,
    first: int,
    step: int,
) -> tuple[DeviceArray, None]:
    """Update some documents of a part once, and add their expected counts to those of the words."""
    learn = current_kernels().lda_epochs.learn_documents
    learn(documents, *part, shares, alpha, sums, n_topics, n_long, n_warm, weight, first, step)
    return documents, None


def sample_part(
    documents: DeviceArray,
    part: Pairs,
    shares: DeviceArray,
    alpha: DeviceArray,
    sums: DeviceArray,
    n_topics: int,
    n_long: int,
    seed: int,
) -> tuple[DeviceArray, None]:
    """Draw the topics of all documents of a part once, and add their probabilities to the counts of the words."""
    sample = current_kernels().lda_sampled.sample_documents
    sample(documents, *part, shares, alpha, sums, n_topics, n_long, 1.0, seed)
    return documents, None


def samples(n_tokens: float, n_words: int, n_topics: int) -> bool:
    """Return whether passes over all documents sample: if there are many tokens per number that is learned.

    >>> samples(1e6, n_words=1000, n_topics=50), samples(1e6, n_words=1000, n_topics=200)
    (True, False)
    """
    many = n_tokens >= SAMPLED_FROM * n_words * n_topics
    return many and bool(current_kernels().lda_sampled.can_sample(n_topics))


def random_parts(pairs: Pairs, n_topics: int, rng: np.random.Generator) -> list[Pairs]:
    """Return the documents in random parts of limited size, each sorted by the number of pairs, longest first.

    There is one part, or there are at least `CHUNKS`.

    >>> pairs = Pairs(np.array([0, 1, 3]), np.array([0, 0, 1]), np.ones(3))
    >>> len(random_parts(pairs, 20, np.random.default_rng(0)))
    1
    """
    n, lengths = pairs.n_documents, np.diff(pairs.indptr)
    least = max(-(-len(pairs.words) // PART_PAIRS), -(-kept_bytes(n, n_topics) // PART_BYTES))
    n_parts = 1 if least <= 1 else min(n, max(CHUNKS, least))
    drawn = np.array_split(rng.permutation(n), n_parts)
    return [pairs.take(rows[np.argsort(-lengths[rows], kind="stable")]) for rows in drawn]


def kept_bytes(n_documents: int, n_topics: int) -> int:
    """Return the size of the topic counts of documents; zero if it is too large for them to be kept."""
    n_bytes = n_documents * n_topics * 4
    return n_bytes if n_bytes <= KEPT_BYTES else 0


def _begin_part(n_documents: int, n_topics: int) -> tuple[DeviceArray, None]:
    return current_kernels().lda_epochs.begin_documents(n_documents, n_topics), None


def _rows(flat: DeviceArray, n_rows: int, n_topics: int) -> DeviceArray:
    return flat.reshape(n_rows, -1)[:, :n_topics]


def _repadded(documents: DeviceArray, n_documents: int, n_topics: int) -> DeviceArray:
    """Return the counts of documents padded for this device; those of a checkpoint may come from another."""
    width = current_kernels().lda_memory.padded(n_topics)
    if not isinstance(documents, np.ndarray) or documents.size in (0, n_documents * width):
        return documents
    return current_kernels().lda_memory.pad_columns(_rows(documents, n_documents, n_topics), width).reshape(-1)


def _seeds(seeds: dict[int, Floats], width: int, n_topics: int) -> tuple[DeviceArray, DeviceArray]:
    rows = np.array(sorted(seeds), dtype=np.int64)
    extra = np.zeros((len(rows), width))
    for i, row in enumerate(rows):
        extra[i, :n_topics] = seeds[int(row)][:n_topics]
    return rows, extra


def _with_priors(
    state: EpochState, learned: Learned, engine: Engine, sizes: list[int], n_words: int, n_topics: int
) -> EpochState:
    """Return the state, with priors learned from its counts if requested."""
    if learned.document:
        every = -(-sum(sizes) // SAMPLE)
        tasks = [(one, size, n_topics, every) for one, size in zip(state.documents, sizes)]
        sample = np.concatenate(engine.map(_sampled, tasks))
        state = state._replace(document_prior=learn_concentrations(state.document_prior, sample))
    if learned.word:
        counts = fetched_counts(state, n_words, n_topics)
        state = state._replace(word_prior=learn_concentration(state.word_prior, counts.T))
    return state


def _sampled(documents: DeviceArray, n_documents: int, n_topics: int, every: int) -> DeviceArray:
    return _rows(current_kernels().memory.fetch(documents), n_documents, n_topics)[::every]
