r"""LDA on partitioned documents: topics are sent to partitions, and their statistics are summed in fixed order.

*Online.* In every round each partition learns from its next chunk on a private copy of the topics, and the differences
are added to the shared topics.

*Gibbs.* In every round each partition sweeps once over its tokens. With ``"average"`` (AD-LDA) it does so on a private
copy of all counts. With ``"hierarchical"`` (HD-LDA) it has its own topics,
:math:`\phi_{kp} \sim \mathrm{Dir}(b\,\Phi_k)`, and the shared ones are estimated from the expected numbers of
tables :math:`m_{wkp} = a(\psi(a + n_{wkp}) - \psi(a))`, :math:`a = b\,\Phi_{wk}`.

Priors are learned from sums over the partitions' documents (α) and from the shared counts, or tables (β).

A step is a pure function of its arguments, so it can be repeated elsewhere if a worker is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import psi

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.randomness import seed_of, spawn
from driftline.engines.contract import Engine
from driftline.engines.threads import Threads
from driftline.inference.checkpoint import generator_state, restored_generator
from driftline.inference.gibbs import Gibbs
from driftline.inference.lda_online import BOLDEST, LEARN_PRIORS_FROM, STREAM_PASSES, OnlineLearner, epochs_until
from driftline.inference.learned_priors import NONE_LEARNED, Learned
from driftline.inference.online_variational import Epoch, OnlineVariational
from driftline.inference.pairs import Pairs
from driftline.inference.run import Keep, Run, run
from driftline.inference.stopping import Stop
from driftline.inference.topic_counts import TopicCounts, TopicState, TopicSum
from driftline.inference.variational import better_concentrations, concentration_sums, learn_concentration
from driftline.inference.word_rules import NO_RULES, WordRules
from driftline.topics.lda_gibbs import GibbsSampler, Tokens, count_tokens, draw_first, lay_out

ROUNDS = 15
"""Rounds per epoch; each sends all topics to all partitions."""


class SentTopics(NamedTuple):
    """Topics as sent to a worker."""

    values: np.ndarray
    n_topics: int
    document_prior: np.ndarray
    word_prior: float
    rules: WordRules = NO_RULES

    @classmethod
    def of(cls, topics: TopicCounts) -> SentTopics:
        """Create the message from the current counts."""
        topics.settle()
        return cls(topics.values, topics.n_topics, topics.document_prior, topics.beta, topics.rules)

    def private(self) -> TopicCounts:
        """Return a private copy."""
        values = current_kernels().lda_memory.pad_columns(self.values, self.values.shape[1])
        return TopicCounts(values, self.n_topics, self.document_prior, self.word_prior, rules=self.rules)


class ChunkAnswer(NamedTuple):
    """Statistics of a chunk: its words, the additions to their counts, and the sums for the document prior."""

    words: np.ndarray
    difference: np.ndarray
    prior_sums: tuple[Floats, float] | None


def learn_chunk(
    part: Pairs, rows: Ints, sent: SentTopics, learn_prior: bool = False, own: Pairs | None = None
) -> ChunkAnswer:
    """Learn from some documents on a private copy of the topics."""
    topics = sent.private()
    chunk = np.unique(np.concatenate([part.words[part.indptr[row] : part.indptr[row + 1]] for row in rows]))
    with Threads(1) as engine:
        learner = OnlineLearner(topics, engine, own=own)
        old, new = (current_kernels().lda_memory.aligned((len(rows), topics.width)) for _ in range(2))
        with topics.as_seen():
            learner.warm(part, rows, STREAM_PASSES, old)
            learner.learn(part, rows, old, new, 1.0)
    sums = concentration_sums(sent.document_prior, new[:, : sent.n_topics]) if learn_prior else None
    return ChunkAnswer(chunk, topics.values[chunk] - sent.values[chunk], sums)


class PartedProblem(NamedTuple):
    """Handles of the parts of the documents and of their own priors (None without), sizes, and the initial topics."""

    parts: tuple[np.ndarray, ...]
    n_documents: tuple[int, ...]
    n_words: float
    start: TopicState
    n_topics: int
    seeds: dict[int, Floats]
    own: tuple[np.ndarray | None, ...]
    rules: WordRules = NO_RULES

    @classmethod
    def of(
        cls, topics: TopicCounts, parts: Sequence[Pairs], engine: Engine, own: Sequence[Pairs] | None = None
    ) -> PartedProblem:
        """Pass the parts to the engine."""
        words = float(sum(float(part.counts.sum(dtype=np.float64)) for part in parts))
        sizes = tuple(part.n_documents for part in parts)
        kept = (None,) * len(parts) if own is None else tuple(engine.keep(own))
        state, handles = topics.state(), tuple(engine.keep(parts))
        return cls(handles, sizes, words, state, topics.n_topics, topics.seeds, kept, topics.rules)


class PartedState(NamedTuple):
    """The topics, and the state of each part's random numbers."""

    topics: TopicState
    orders: tuple[np.ndarray, ...]


def learn_in_parts(
    topics: TopicCounts,
    parts: Sequence[Pairs],
    engine: Engine,
    rng: np.random.Generator,
    max_epochs: int,
    *,
    tolerance: float = 0.0,
    learned: Learned = NONE_LEARNED,
    own: Sequence[Pairs] | None = None,
    verbose: bool | int = False,
) -> int:
    """Fit topics by the online method; return the number of epochs.

    It stops early once an epoch reassigns less than the share `tolerance` of all words.
    """
    problem, stop = PartedProblem.of(topics, parts, engine, own), epochs_until(max_epochs, tolerance)
    method = parted_method(engine, learned)
    done = run(method, problem, stop=stop, rng=rng, progress="learning topics", verbose=verbose)
    found = done.result.topics
    topics.take(found.values, found.document_prior, found.word_prior)
    return int(done.n_steps[0])


def parted_method(engine: Engine, learned: Learned) -> OnlineVariational[PartedProblem, PartedState]:
    """Return the method whose step is one epoch over all parts."""

    def begin(problem: PartedProblem, rng: np.random.Generator) -> PartedState:
        orders = tuple(generator_state(one) for one in spawn(rng, len(problem.parts)))
        return PartedState(problem.start.fresh(), orders)

    def learn(
        state: PartedState, problem: PartedProblem, epoch: Epoch, rng: np.random.Generator
    ) -> tuple[PartedState, float]:
        topics = TopicCounts.of(state.topics, problem.n_topics, problem.seeds, problem.rules)
        orders = [restored_generator(order) for order in state.orders]
        n_rounds = max(1, min(ROUNDS, *problem.n_documents))
        step = min(epoch.step, BOLDEST * n_rounds)
        learn_prior = learned.document and epoch.number >= LEARN_PRIORS_FROM
        before = topics.values.copy()
        chunks = [np.array_split(order.permutation(n), n_rounds) for order, n in zip(orders, problem.n_documents)]
        for turn in range(n_rounds):
            sent = engine.share(SentTopics.of(topics))
            tasks = [
                (part, chunk[turn], sent, learn_prior, own)
                for part, chunk, own in zip(problem.parts, chunks, problem.own)
                if len(chunk[turn])
            ]
            answers = engine.map(learn_chunk, tasks)
            said = sum(float(answer.difference.sum(dtype=np.float64)) for answer in answers)
            topics.forget(max(1.0 - step * said / problem.n_words, 1.0 - BOLDEST))
            for answer in answers:
                topics.values[answer.words] += answer.difference * np.float32(step / topics.scale)
            topics.settle()
            if learn_prior:
                _learn_document_prior(topics, [answer.prior_sums for answer in answers])
        if learned.word and epoch.number >= LEARN_PRIORS_FROM:
            _learn_word_prior(topics, topics.values)
        moved = float(np.abs(topics.values - before).sum(dtype=np.float64))
        fresh = PartedState(topics.state(), tuple(generator_state(order) for order in orders))
        return fresh, moved / (2 * problem.n_words)

    return OnlineVariational(begin, learn)


def _learn_document_prior(topics: TopicCounts, sums: Sequence[Any]) -> None:
    topics.set_priors(_better_prior(topics.document_prior, sums), topics.beta)


def _better_prior(prior: Floats, sums: Sequence[Any]) -> Floats:
    above, below = sum(one[0] for one in sums), sum(one[1] for one in sums)
    return better_concentrations(prior, above, below)


def _learn_word_prior(topics: TopicCounts, counts: Counts) -> None:
    topics.set_priors(
        topics.document_prior, learn_concentration(topics.beta, np.maximum(counts[:, : topics.n_topics].T, 0))
    )


def first_assignments(
    part: Pairs, tokens: Tokens, sent: SentTopics, seed: int, own: Pairs | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the first topics of a partition; return them, and the counts of its words."""
    fresh = tokens.assigned(tokens.assignments())
    with Threads(1) as engine:
        draw_first(fresh, part, sent.private(), engine, seed, own)
    return fresh.assignments(), count_tokens(fresh, *sent.values.shape)


class SweepAnswer(NamedTuple):
    """Result of a sweep over a partition: its statistics, Σ ln p, and the sums for the document prior."""

    statistics: np.ndarray
    likelihood: float
    prior_sums: tuple[Floats, float] | None


def sweep_average(
    assignments: np.ndarray,
    tokens: Tokens,
    sent: SentTopics,
    seed: int,
    learn_prior: bool = False,
    own: Pairs | None = None,
) -> tuple[np.ndarray, SweepAnswer]:
    """Sweep over a partition on a private copy of all counts; the statistics are their changes."""
    topics, fresh = sent.private(), tokens.assigned(assignments)
    likelihood, sums = _sweep(topics, fresh, seed, learn_prior, own)
    return fresh.assignments(), SweepAnswer(topics.values - sent.values, likelihood, sums)


def sweep_hierarchical(
    assignments: np.ndarray,
    tokens: Tokens,
    sent: SentTopics,
    seed: int,
    learn_prior: bool = False,
    own: Pairs | None = None,
) -> tuple[np.ndarray, SweepAnswer]:
    """Sweep over a partition with its own topics; `sent` is b·Φ; the statistics are its counts and tables."""
    topics, fresh = sent.private(), tokens.assigned(assignments)
    topics.values += count_tokens(fresh, *topics.values.shape)
    topics.settle()
    likelihood, sums = _sweep(topics, fresh, seed, learn_prior, own)
    counts = count_tokens(fresh, *topics.values.shape)
    a = np.maximum(np.asarray(sent.values, dtype=np.float64), 1e-12)
    tables = np.where(counts > 0, a * (psi(a + counts) - psi(a)), 0.0).astype(np.float32)
    return fresh.assignments(), SweepAnswer(np.stack([counts, tables]), likelihood, sums)


def _sweep(
    topics: TopicCounts, tokens: Tokens, seed: int, learn_prior: bool, own: Pairs | None
) -> tuple[float, tuple[Floats, float] | None]:
    """Sweep once over the tokens; return Σ ln p, and the sums for the document prior if it is learned."""
    with Threads(1) as engine:
        sampler = GibbsSampler(topics, tokens, engine, seed, own=own)
        likelihood = sampler.sweep() * sampler.words
    return likelihood, sampler.prior_sums() if learn_prior else None


class PartedSample(NamedTuple):
    """A sample: handles of the assignments, counts and tables, the parts' seeds, α, β and Σ ln p / n."""

    assignments: tuple[np.ndarray, ...]
    layouts: tuple[np.ndarray, ...]
    counts: np.ndarray
    tables: np.ndarray
    seeds: tuple[int, ...]
    n_rounds: int
    document_prior: Floats
    word_prior: float
    likelihood: float


def sample_in_parts(
    topics: TopicCounts,
    parts: Sequence[Pairs],
    engine: Engine,
    rng: np.random.Generator,
    burn_in: int,
    n_samples: int,
    *,
    synchronisation: str = "average",
    learned: Learned = NONE_LEARNED,
    own: Sequence[Pairs] | None = None,
    verbose: bool | int = False,
) -> Run[Any]:
    """Sample, starting from `topics`, and store the average of the samples in them."""
    topics.settle()
    problem, method = PartedProblem.of(topics, parts, engine, own), parted_sampler(engine, synchronisation, learned)
    stop, keep = Stop(burn_in + n_samples), Keep(burn_in, fold=add_parted_sample)
    done = run(method, problem, stop=stop, keep=keep, rng=rng, progress="sampling", verbose=verbose)
    found = done.result[0]
    topics.take(found.mean, found.document_prior, found.word_prior)
    return done


def add_parted_sample(kept: TopicSum | None, sample: PartedSample) -> TopicSum:
    """Add the counts of a sample to those before it."""
    priors = (sample.document_prior, sample.word_prior)
    return TopicSum(np.array(sample.counts), 1, *priors) if kept is None else kept.added(sample.counts, *priors)


def parted_sampler(engine: Engine, synchronisation: str, learned: Learned) -> Gibbs[PartedProblem, PartedSample]:
    """Return the sampler in which all parts sweep in parallel."""
    hierarchical = synchronisation == "hierarchical"

    def begin(problem: PartedProblem, rng: np.random.Generator) -> PartedSample:
        start = problem.start
        layouts = engine.derive(lay_out, [(part, *start.values.shape) for part in problem.parts])
        priors = (start.document_prior, start.word_prior)
        sent = engine.share(SentTopics(start.values, problem.n_topics, *priors, problem.rules))
        seeds = tuple(seed_of(one) for one in spawn(rng, len(problem.parts)))
        tasks = [
            (part, layout, sent, seed, own)
            for part, layout, seed, own in zip(problem.parts, layouts, seeds, problem.own)
        ]
        assignments, counts = engine.advance(first_assignments, tasks)
        current = _seeded(problem) + sum(counts)
        return PartedSample(tuple(assignments), tuple(layouts), current, current.copy(), seeds, 0, *priors, np.nan)

    def draw_topics(sample: PartedSample, problem: PartedProblem, rng: np.random.Generator) -> PartedSample:
        n_topics, alpha, beta = problem.n_topics, sample.document_prior, sample.word_prior
        rules = problem.rules
        sent = SentTopics(rules.without_banned(sample.counts, -beta), n_topics, alpha, beta, rules)
        if hierarchical:
            shares = (sample.tables + np.float32(beta)) / (sample.tables + np.float32(beta)).sum(axis=0)
            shares[:, n_topics:] = 0
            shares = rules.without_banned(shares, 0.0)
            own = problem.n_words / (n_topics * len(problem.parts))
            sent = SentTopics(shares * np.float32(own), n_topics, alpha, 0.0)
        shared = engine.share(sent)
        numbers = [seed + 7919 * (sample.n_rounds + 1) for seed in sample.seeds]
        tasks = [
            (assigned, layout, shared, number, learned.document, own)
            for assigned, layout, number, own in zip(sample.assignments, sample.layouts, numbers, problem.own)
        ]
        assignments, answers = engine.advance(sweep_hierarchical if hierarchical else sweep_average, tasks)
        start = sent.values if not hierarchical else sample.counts
        statistics: Any = sum(answer.statistics for answer in answers)
        counts, tables = start + statistics, sample.tables
        if hierarchical:
            counts, tables = _seeded(problem) + statistics[0], _seeded(problem) + statistics[1]
        if learned.document:
            alpha = _better_prior(alpha, [answer.prior_sums for answer in answers])
        if learned.word:
            beta = learn_concentration(beta, (tables if hierarchical else counts)[:, :n_topics].T)
        likelihood = sum(answer.likelihood for answer in answers) / problem.n_words
        return sample._replace(
            assignments=tuple(assignments),
            counts=counts,
            tables=tables,
            n_rounds=sample.n_rounds + 1,
            document_prior=alpha,
            word_prior=beta,
            likelihood=likelihood,
        )

    return Gibbs(begin, (draw_topics,), lambda sample, problem: sample.likelihood)


def _seeded(problem: PartedProblem) -> Any:
    """Return the counts of the seeds alone."""
    seeded = np.zeros_like(problem.start.values)
    for row, extra in problem.seeds.items():
        seeded[row, : len(extra)] += extra
    return seeded
