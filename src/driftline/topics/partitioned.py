r"""LDA on documents that live in partitions: topics are sent out, statistics come back and are summed in fixed order.

*Online.* In every round each partition learns from its next chunk on a private copy of the topics, and the differences
are added to the shared topics.

*Gibbs.* In every round each partition sweeps once over its tokens. With ``"average"`` (AD-LDA) it does so on a private
copy of all counts. With ``"hierarchical"`` (HD-LDA) it has topics of its own,
:math:`\phi_{kp} \sim \mathrm{Dir}(b\,\Phi_k)`, and the shared ones are estimated from the expected numbers of
tables :math:`m_{wkp} = a(\psi(a + n_{wkp}) - \psi(a))`, :math:`a = b\,\Phi_{wk}`.

Priors are learned from sums over the partitions' documents (α) and from the shared counts, or tables (β).

A step is a function of what it is given alone, so it can be repeated elsewhere when a worker is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import psi

from driftline.compute.cpu.lda_memory import aligned, pad_columns
from driftline.core.progress import track
from driftline.core.randomness import seed_of, spawn
from driftline.engines.threads import one_thread
from driftline.inference.gibbs import Chain, run_chain
from driftline.inference.variational import better_concentrations, concentration_sums, learn_concentration
from driftline.inference.variational_completion import Pairs
from driftline.topics.lda_gibbs import GibbsSampler, Tokens, count_tokens, draw_first, lay_out
from driftline.topics.lda_online import BOLDEST, LEARN_PRIORS_FROM, STREAM_PASSES, OnlineLearner
from driftline.topics.topic_counts import TopicCounts

ROUNDS = 15
"""Rounds per epoch; each sends all topics to all partitions."""


class SentTopics(NamedTuple):
    """Topics on their way to a worker."""

    values: Any
    n_topics: int
    document_prior: Any
    word_prior: float

    @classmethod
    def of(cls, topics: TopicCounts) -> SentTopics:
        """Send the counts as they are now."""
        topics.settle()
        return cls(topics.values, topics.n_topics, topics.document_prior, topics.beta)

    def private(self) -> TopicCounts:
        """Return a copy to work on."""
        values = pad_columns(self.values, self.values.shape[1])
        return TopicCounts(values, self.n_topics, self.document_prior, self.word_prior)


class Priors(NamedTuple):
    """Which priors are learned: that of the topics in a document, that of the words in a topic."""

    document: bool = False
    word: bool = False


NONE_LEARNED = Priors()


class ChunkAnswer(NamedTuple):
    """What a chunk says: its words, what it adds to their counts, and the sums for the document prior."""

    words: Any
    difference: Any
    prior_sums: Any


def learn_chunk(part: Pairs, rows: Any, sent: SentTopics, learn_prior: bool = False) -> ChunkAnswer:
    """Learn some documents on a private copy of the topics."""
    topics = sent.private()
    chunk = np.unique(np.concatenate([part.words[part.indptr[row] : part.indptr[row + 1]] for row in rows]))
    with one_thread() as engine:
        learner = OnlineLearner(topics, engine)
        old, new = (aligned((len(rows), topics.width)) for _ in range(2))
        learner.warm(part, rows, STREAM_PASSES, old)
        learner.learn(part, rows, old, new, 1.0)
    sums = concentration_sums(sent.document_prior, new[:, : sent.n_topics]) if learn_prior else None
    return ChunkAnswer(chunk, topics.values[chunk] - sent.values[chunk], sums)


def learn_in_parts(
    topics: TopicCounts,
    parts: Sequence[Pairs],
    engine: Any,
    rng: Any,
    max_epochs: int,
    *,
    tolerance: float = 0.0,
    learned: Priors = NONE_LEARNED,
    verbose: Any = False,
) -> int:
    """Fit topics by the online method; return the number of epochs.

    It ends early once an epoch moves less than the share `tolerance` of all words from topic to topic.
    """
    kept = engine.keep(parts)
    words = [float(part.counts.sum(dtype=np.float64)) for part in parts]
    n_rounds = max(1, min(ROUNDS, min(part.n_documents for part in parts)))
    orders = spawn(rng, len(parts))
    for epoch in track(range(max_epochs), "learning topics", total=max_epochs, verbose=verbose):
        step = min(max(1.0, 10.0 / (1 + epoch)), BOLDEST * n_rounds)
        before = topics.values.copy()
        chunks = [np.array_split(order.permutation(part.n_documents), n_rounds) for order, part in zip(orders, parts)]
        for turn in range(n_rounds):
            sent = engine.share(SentTopics.of(topics))
            learn_prior = learned.document and epoch >= LEARN_PRIORS_FROM
            pieces = [(part, chunk[turn], sent, learn_prior) for part, chunk in zip(kept, chunks) if len(chunk[turn])]
            answers = engine.map(learn_chunk, pieces)
            said = sum(float(answer.difference.sum(dtype=np.float64)) for answer in answers)
            topics.forget(max(1.0 - step * said / sum(words), 1.0 - BOLDEST))
            for answer in answers:
                topics.values[answer.words] += answer.difference * np.float32(step / topics.scale)
            topics.settle()
            if learn_prior:
                _learn_document_prior(topics, [answer.prior_sums for answer in answers])
        if learned.word and epoch >= LEARN_PRIORS_FROM:
            _learn_word_prior(topics, topics.values)
        moved = float(np.abs(topics.values - before).sum(dtype=np.float64))
        if epoch and moved < 2 * tolerance * sum(words):
            return epoch + 1
    return max_epochs


def _learn_document_prior(topics: TopicCounts, sums: Sequence[Any]) -> None:
    above, below = sum(one[0] for one in sums), sum(one[1] for one in sums)
    topics.set_priors(better_concentrations(topics.document_prior, above, below), topics.beta)


def _learn_word_prior(topics: TopicCounts, counts: Any) -> None:
    topics.set_priors(topics.document_prior, learn_concentration(topics.beta, counts[:, : topics.n_topics].T))


def first_assignments(part: Pairs, tokens: Tokens, sent: SentTopics, seed: int) -> tuple[Any, Any]:
    """Draw the first topics of a partition; return them, and the counts of its words."""
    fresh = tokens.assigned(tokens.assignments())
    with one_thread() as engine:
        draw_first(fresh, part, sent.private(), engine, seed)
    return fresh.assignments(), count_tokens(fresh, *sent.values.shape)


class SweepAnswer(NamedTuple):
    """What a sweep over a partition says: its statistics, Σ ln p, and the sums for the document prior."""

    statistics: Any
    likelihood: float
    prior_sums: Any


def sweep_average(
    assignments: Any, tokens: Tokens, sent: SentTopics, seed: int, learn_prior: bool = False
) -> tuple[Any, SweepAnswer]:
    """Sweep over a partition on a private copy of all counts; the statistics are what changed in them."""
    topics, fresh = sent.private(), tokens.assigned(assignments)
    with one_thread() as engine:
        sampler = GibbsSampler(topics, fresh, engine, seed)
        likelihood = sampler.sweep() * sampler.words
    sums = sampler.prior_sums() if learn_prior else None
    return fresh.assignments(), SweepAnswer(topics.values - sent.values, likelihood, sums)


def sweep_hierarchical(
    assignments: Any, tokens: Tokens, sent: SentTopics, seed: int, learn_prior: bool = False
) -> tuple[Any, SweepAnswer]:
    """Sweep over a partition with topics of its own; `sent` holds b·Φ; the statistics are its counts and tables."""
    topics, fresh = sent.private(), tokens.assigned(assignments)
    topics.values += count_tokens(fresh, *topics.values.shape)
    topics.settle()
    with one_thread() as engine:
        sampler = GibbsSampler(topics, fresh, engine, seed)
        likelihood = sampler.sweep() * sampler.words
    counts = count_tokens(fresh, *topics.values.shape)
    a = np.maximum(np.asarray(sent.values, dtype=np.float64), 1e-12)
    tables = np.where(counts > 0, a * (psi(a + counts) - psi(a)), 0.0).astype(np.float32)
    sums = sampler.prior_sums() if learn_prior else None
    return fresh.assignments(), SweepAnswer(np.stack([counts, tables]), likelihood, sums)


def sample_in_parts(
    topics: TopicCounts,
    parts: Sequence[Pairs],
    engine: Any,
    rng: Any,
    burn_in: int,
    n_samples: int,
    *,
    synchronisation: str = "average",
    learned: Priors = NONE_LEARNED,
    verbose: Any = False,
) -> Chain:
    """Sample from where `topics` are, and leave the average of the samples in them."""
    kept = engine.keep(parts)
    layouts = engine.derive(lay_out, [(part, topics.n_words, topics.width) for part in kept])
    sent = engine.share(SentTopics.of(topics))
    seeds = [seed_of(one) for one in spawn(rng, len(parts))]
    pieces = [(part, layout, sent, seed) for part, layout, seed in zip(kept, layouts, seeds)]
    states, counts = engine.advance(first_assignments, pieces)
    seeded = np.zeros_like(topics.values)
    for row, extra in topics.seeds.items():
        seeded[row] += extra
    current = seeded + sum(counts)
    tables = current.copy()
    average = np.zeros_like(current)
    words, rounds = float(sum(float(part.counts.sum(dtype=np.float64)) for part in parts)), 0

    def sweep() -> float:
        nonlocal states, current, tables, rounds
        hierarchical = synchronisation == "hierarchical"
        if hierarchical:
            shares = (tables + np.float32(topics.beta)) / (tables + np.float32(topics.beta)).sum(axis=0)
            shares[:, topics.n_topics :] = 0
            own = words / (topics.n_topics * len(parts))
            sent = SentTopics(shares * np.float32(own), topics.n_topics, topics.document_prior, 0.0)
        else:
            sent = SentTopics(current, topics.n_topics, topics.document_prior, topics.beta)
        shared = engine.share(sent)
        function = sweep_hierarchical if hierarchical else sweep_average
        numbers = [seed + 7919 * (rounds + 1) for seed in seeds]
        pieces = [(state, layout, shared, n, learned.document) for state, layout, n in zip(states, layouts, numbers)]
        states, answers = engine.advance(function, pieces)
        rounds += 1
        if hierarchical:
            both = sum(answer.statistics for answer in answers)
            current, tables = seeded + both[0], seeded + both[1]
        else:
            current = current + sum(answer.statistics for answer in answers)
        if learned.document:
            _learn_document_prior(topics, [answer.prior_sums for answer in answers])
        if learned.word:
            _learn_word_prior(topics, tables if hierarchical else current)
        return sum(answer.likelihood for answer in answers) / words

    def keep() -> None:
        np.add(average, current, out=average)

    chain = run_chain(sweep, keep, burn_in, n_samples, verbose=verbose)
    topics.values[:] = average / np.float32(n_samples)
    topics.scale = 1.0
    topics.settle()
    return chain
