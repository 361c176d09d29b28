"""From a plan to fitted topics: which method, where it runs, and what is reported about it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.core.arrays import Floats
from driftline.core.randomness import seed_of
from driftline.engines.choose import engine_of
from driftline.engines.threads import Threads
from driftline.inference.gibbs import Chain, run_chain
from driftline.inference.variational_completion import Pairs
from driftline.topics.lda_gibbs import GibbsSampler, count_tokens, draw_first, lay_out, recount
from driftline.topics.lda_online import OnlineLearner, blocks
from driftline.topics.lda_vb import fit_vb
from driftline.topics.partitioned import Priors, learn_in_parts, sample_in_parts
from driftline.topics.topic_counts import TopicCounts

PARTS = 4
"""Default number of partitions for methods in which every step is a sum over all documents."""


class FitPlan(NamedTuple):
    """How LDA is to be fitted; the names are those of its parameters."""

    inference: str
    max_epochs: int
    tolerance: float
    burn_in: int
    n_samples: int
    learn_document_prior: bool
    learn_word_prior: bool
    engine: Any
    n_partitions: int | None
    synchronisation: str
    n_jobs: int | None
    verbose: Any


class FitReport(NamedTuple):
    """What happened: epochs, one number per epoch or sweep (none for "online"), and R̂ of the chain."""

    n_epochs: int
    trace: Floats
    split_r: float


def learn_topics(topics: TopicCounts, pairs: Pairs, rng: Any, plan: FitPlan) -> FitReport:
    """Fit the topics in place."""
    if not pairs.counts.sum(dtype=np.float64):
        return FitReport(0, np.empty(0), 1.0)
    with engine_of(plan.engine, plan.n_jobs) as engine:
        n_parts = plan.n_partitions or (None if isinstance(engine, Threads) else engine.n_workers)
        if plan.inference == "vb":
            return _vb(topics, partition(pairs, n_parts or PARTS), engine, plan)
        if n_parts is None:
            learner = OnlineLearner(
                topics,
                engine,
                learn_document_prior=plan.learn_document_prior,
                learn_word_prior=plan.learn_word_prior,
            )
            n_epochs = learner.fit(pairs, plan.max_epochs, rng, tolerance=plan.tolerance, verbose=plan.verbose)
            if plan.inference == "gibbs":
                chain = _gibbs(topics, pairs, engine, rng, plan)
                return FitReport(n_epochs, chain.trace, chain.split_r)
            return FitReport(n_epochs, np.empty(0), 1.0)
        parts, learned = partition(pairs, n_parts), Priors(plan.learn_document_prior, plan.learn_word_prior)
        n_epochs = learn_in_parts(
            topics,
            parts,
            engine,
            rng,
            plan.max_epochs,
            tolerance=plan.tolerance,
            learned=learned,
            verbose=plan.verbose,
        )
        if plan.inference == "gibbs":
            chain = sample_in_parts(
                topics,
                parts,
                engine,
                rng,
                plan.burn_in,
                plan.n_samples,
                synchronisation=plan.synchronisation,
                learned=learned,
                verbose=plan.verbose,
            )
            return FitReport(n_epochs, chain.trace, chain.split_r)
        return FitReport(n_epochs, np.empty(0), 1.0)


def partition(pairs: Pairs, n_parts: int) -> list[Pairs]:
    """Cut documents into consecutive parts of nearly the same number."""
    return [pairs.part(cut.start, cut.stop) for cut in blocks(pairs.n_documents, n_parts)]


def _gibbs(topics: TopicCounts, pairs: Pairs, engine: Threads, rng: Any, plan: FitPlan) -> Chain:
    seed = seed_of(rng)
    tokens = lay_out(pairs, topics.n_words, topics.width)
    draw_first(tokens, pairs, topics, engine, seed)
    recount(topics, count_tokens(tokens, topics.n_words, topics.width))
    sampler = GibbsSampler(
        topics,
        tokens,
        engine,
        seed_of(rng),
        learn_document_prior=plan.learn_document_prior,
        learn_word_prior=plan.learn_word_prior,
    )
    average = np.zeros_like(topics.values)

    def keep() -> None:
        np.add(average, topics.values, out=average)

    chain = run_chain(sampler.sweep, keep, plan.burn_in, plan.n_samples, verbose=plan.verbose)
    topics.values[:] = average / np.float32(plan.n_samples)
    topics.settle()
    return chain


def _vb(topics: TopicCounts, parts: list[Pairs], engine: Any, plan: FitPlan) -> FitReport:
    n, prior = topics.n_topics, np.full((topics.n_words, topics.n_topics), topics.beta)
    for row, extra in topics.seeds.items():
        prior[row] += extra[:n]
    found = fit_vb(
        parts,
        topics.values[:, :n].astype(np.float64) + topics.beta,
        topics.document_prior,
        prior,
        engine,
        max_epochs=plan.max_epochs,
        tolerance=plan.tolerance,
        learn_document_prior=plan.learn_document_prior,
        learn_word_prior=plan.learn_word_prior,
        verbose=plan.verbose,
    )
    topics.set_priors(found.document_prior, found.word_prior)
    topics.values[:, :n] = np.maximum(found.parameters - found.word_prior, 0.0)
    topics.settle()
    return FitReport(len(found.bounds), found.bounds, 1.0)
