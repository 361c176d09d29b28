"""The table of LDA's fitting methods: stages, with or without partitions, and reports."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput
from driftline.engines.choose import choose_engine, engine_of, traits_of
from driftline.engines.contract import Engine
from driftline.inference.gibbs import Gibbs
from driftline.inference.guide_arrays import Bounds
from driftline.inference.lda_online import OnlineLearner, blocks
from driftline.inference.learned_priors import Learned
from driftline.inference.online_variational import FIRST_STEP, Revision
from driftline.inference.pairs import Pairs
from driftline.inference.projection import Multipliers
from driftline.inference.run import Keep, Run, run
from driftline.inference.stopping import Stop
from driftline.inference.topic_counts import TopicCounts, TopicSum
from driftline.topics.forest_gibbs import FOREST_GIBBS, add_forest_sample, forest_problem
from driftline.topics.lda_epochs import FROM_NOISE, learn_in_passes
from driftline.topics.lda_gibbs import SamplingProblem, add_sample, sampling_method
from driftline.topics.lda_vb import EXCLUDED, fit_vb
from driftline.topics.partitioned import learn_in_parts, sample_in_parts
from driftline.topics.wide_start import begin_with_many

P = TypeVar("P")
S = TypeVar("S")
PARTS = 4
"""Default number of partitions for methods in which every step is a sum over all documents."""


class Settings(Protocol):
    """The parameters of LDA that the stages read."""

    inference: str
    max_epochs: int
    tolerance: float
    burn_in: int
    n_samples: int
    engine: str
    n_partitions: int | None
    synchronisation: str
    deterministic: bool
    n_jobs: int | None
    verbose: bool

    @property
    def learned_priors(self) -> Learned:
        """The priors that are learned."""
        ...


class FitReport(NamedTuple):
    """Report of a fit: epochs, one number per epoch or sweep (none for "online"), R̂ of the chain, multipliers."""

    n_epochs: int
    trace: Floats
    split_r: float
    multipliers: Multipliers | None = None


class FitWishes(NamedTuple):
    """Wishes beyond the topics' own rules: additions to the priors of documents, bounds, a warm start.

    A `revision` of the topics takes place in learning online from complete documents; other methods ignore it.
    """

    own: Pairs | None = None
    bounds: Bounds | None = None
    warm: bool = False
    revision: Revision | None = None


NO_WISHES = FitWishes()
"""A plain fit."""
NOTHING_DONE = FitReport(0, np.empty(0), 1.0)
"""Report before the first stage."""


class Work(NamedTuple):
    """Input of a stage: topics, changed in place; documents, complete and in parts; the engine and the generator.

    `own` are the additions of the documents' own priors to α, complete and in the same parts.
    """

    topics: TopicCounts
    pairs: Pairs
    parts: list[Pairs]
    engine: Engine
    rng: np.random.Generator
    own: Pairs | None
    own_parts: list[Pairs] | None
    wishes: FitWishes


Stage = Callable[[Work, Settings, FitReport], FitReport]
"""A stage changes the topics and returns the report of all stages so far."""


def learn_topics(
    topics: TopicCounts,
    pairs: Pairs,
    rng: np.random.Generator,
    settings: Settings,
    wishes: FitWishes = NO_WISHES,
) -> FitReport:
    """Fit the topics in place."""
    own = wishes.own
    report = NOTHING_DONE
    if not pairs.counts.sum(dtype=np.float64):
        return report
    ways = [way for inference, way in STAGES if inference == settings.inference]
    plain = own is None and wishes.bounds is None and not topics.rules.any
    possible = "passes" in ways and settings.n_partitions is None and plain
    name = choose_engine(settings.engine, float(len(pairs.words)) * topics.n_topics, possible=possible).name
    traits = traits_of(name)
    if not (traits.every_method or plain):
        raise InvalidInput(
            f"engine={name!r} takes only words of topics from a guide, and no priors of documents; use engine='threads'"
        )
    _check_wishes(wishes, topics, settings, parted=settings.n_partitions is not None or not traits.one_memory)
    if not (traits.every_method or possible):
        raise InvalidInput(
            f"engine={name!r} learns with inference='online' and without n_partitions; "
            "for the other methods use engine='threads' or 'dask'"
        )
    with engine_of(name, settings.n_jobs) as engine:
        n_parts = settings.n_partitions or (None if traits.one_memory else engine.n_workers)
        own_parts = None if own is None else partition(own, n_parts or PARTS)
        work = Work(topics, pairs, partition(pairs, n_parts or PARTS), engine, rng, own, own_parts, wishes)
        way = "passes" if traits.whole_passes else "whole" if n_parts is None else "parts"
        for stage in STAGES[settings.inference, way]:
            report = stage(work, settings, report)
    return report


def _check_wishes(wishes: FitWishes, topics: TopicCounts, settings: Settings, *, parted: bool) -> None:
    if wishes.bounds is not None and (settings.inference == "gibbs" or (parted and settings.inference == "online")):
        raise InvalidInput(
            "proportions of topics need inference='online' without partitions, or inference='vb'; a sampler has no "
            "posterior to project"
        )
    if topics.rules.groups is not None and settings.inference == "gibbs":
        if parted:
            raise InvalidInput("words together or apart are sampled in one part; leave out n_partitions and Dask")
        if settings.learned_priors.document or settings.learned_priors.word:
            raise InvalidInput(
                "words together or apart are sampled with given priors; pass numbers as doc_topic_prior and "
                "topic_word_prior, or use inference='online'"
            )


def partition(pairs: Pairs, n_parts: int) -> list[Pairs]:
    """Divide documents into consecutive parts of nearly equal size."""
    return [pairs.part(cut.start, cut.stop) for cut in blocks(pairs.n_documents, n_parts)]


def learn_whole(work: Work, settings: Settings, report: FitReport) -> FitReport:
    """Learn online, chunk by chunk."""
    learner = OnlineLearner(work.topics, work.engine, settings.learned_priors, work.own, work.wishes.bounds)
    n_epochs = learner.fit(
        work.pairs,
        settings.max_epochs,
        work.rng,
        tolerance=settings.tolerance,
        first_step=1.0 if work.wishes.warm else FIRST_STEP,
        revision=work.wishes.revision,
        verbose=settings.verbose,
    )
    return report._replace(n_epochs=n_epochs, multipliers=learner.multipliers)


def learn_parts(work: Work, settings: Settings, report: FitReport) -> FitReport:
    """Learn online, from a chunk of every part at a time."""
    n_epochs = learn_in_parts(
        work.topics,
        work.parts,
        work.engine,
        work.rng,
        settings.max_epochs,
        tolerance=settings.tolerance,
        learned=settings.learned_priors,
        own=work.own_parts,
        verbose=settings.verbose,
    )
    return report._replace(n_epochs=n_epochs)


def learn_passes(work: Work, settings: Settings, report: FitReport) -> FitReport:
    """Learn from all documents at once, in many passes; without given topics, start with more than requested."""
    topics, schedule = work.topics, None
    given = bool(topics.seeds) or work.wishes.warm or bool(np.ptp(topics.document_prior))
    if not given and settings.max_epochs > FROM_NOISE.stepwise:
        deterministic, verbose = settings.deterministic, settings.verbose
        schedule = begin_with_many(
            topics, work.pairs, work.engine, work.rng, deterministic=deterministic, verbose=verbose
        )
    n_epochs = learn_in_passes(
        work.topics,
        work.pairs,
        work.engine,
        work.rng,
        settings.max_epochs,
        tolerance=settings.tolerance,
        learned=settings.learned_priors,
        deterministic=settings.deterministic,
        schedule=schedule,
        verbose=settings.verbose,
    )
    return report._replace(n_epochs=n_epochs)


def sample_whole(work: Work, settings: Settings, report: FitReport) -> FitReport:
    """Sample, starting from the topics, and store the average of the samples in them."""
    topics = work.topics
    if topics.rules.groups is not None:
        return _sample_forest(work, settings, report)
    problem = SamplingProblem(work.pairs, topics.state(), topics.n_topics, topics.seeds, work.own, topics.rules)
    return _averaged(work, settings, report, sampling_method(work.engine, settings.learned_priors), problem, add_sample)


def _sample_forest(work: Work, settings: Settings, report: FitReport) -> FitReport:
    """Sample under rules about words that belong together or apart; the stored counts include these rules."""
    topics = work.topics
    problem = forest_problem(work.pairs, topics, work.own)
    add = partial(add_forest_sample, problem, topics.width, topics.document_prior)
    sampled = _averaged(work, settings, report, FOREST_GIBBS, problem, add)
    topics.rules = topics.rules._replace(groups=None)
    return sampled


def _averaged(
    work: Work,
    settings: Settings,
    report: FitReport,
    method: Gibbs[P, S],
    problem: P,
    add: Callable[[TopicSum | None, S], TopicSum],
) -> FitReport:
    """Sample from a problem, and store the average of the samples in the topics."""
    stop, keep = Stop(settings.burn_in + settings.n_samples), Keep(settings.burn_in, fold=add)
    done = run(method, problem, stop=stop, keep=keep, rng=work.rng, progress="sampling", verbose=settings.verbose)
    found = done.result[0]
    work.topics.take(found.mean, found.document_prior, found.word_prior)
    return _sampled(report, done)


def sample_parts(work: Work, settings: Settings, report: FitReport) -> FitReport:
    """Sample all parts in parallel."""
    done = sample_in_parts(
        work.topics,
        work.parts,
        work.engine,
        work.rng,
        settings.burn_in,
        settings.n_samples,
        synchronisation=settings.synchronisation,
        learned=settings.learned_priors,
        own=work.own_parts,
        verbose=settings.verbose,
    )
    return _sampled(report, done)


def climb_bound(work: Work, settings: Settings, report: FitReport) -> FitReport:
    """Run variational EM over the parts."""
    topics = work.topics
    n, prior = topics.n_topics, np.full((topics.n_words, topics.n_topics), topics.beta)
    for row, extra in topics.seeds.items():
        prior[row] += extra[:n]
    words, excluded = topics.rules.banned.T
    prior[words, excluded] = EXCLUDED
    found, bounds = fit_vb(
        work.parts,
        np.maximum(topics.values[:, :n].astype(np.float64) + topics.beta, prior),
        topics.document_prior,
        prior,
        work.engine,
        max_epochs=settings.max_epochs,
        tolerance=settings.tolerance,
        learned=settings.learned_priors,
        own=work.own_parts,
        rules=topics.rules,
        bounds=work.wishes.bounds,
        verbose=settings.verbose,
    )
    word_prior = float(np.min(found.word_prior, where=found.word_prior > EXCLUDED, initial=np.inf))
    topics.set_priors(found.document_prior, word_prior)
    topics.values[:, :n] = np.maximum(found.parameters - word_prior, 0.0)
    topics.settle()
    return FitReport(len(bounds), bounds, 1.0, found.multipliers)


STAGES: dict[tuple[str, str], tuple[Stage, ...]] = {
    ("online", "whole"): (learn_whole,),
    ("online", "parts"): (learn_parts,),
    ("online", "passes"): (learn_passes,),
    ("gibbs", "whole"): (learn_whole, sample_whole),
    ("gibbs", "parts"): (learn_parts, sample_parts),
    ("vb", "whole"): (climb_bound,),
    ("vb", "parts"): (climb_bound,),
}
"""Stages of every fitting method, by inference and division of documents ("passes" go through a device)."""


def _sampled(report: FitReport, done: Run[Any]) -> FitReport:
    """Add the trace of a chain and its R̂; R̂ is one if there are too few samples."""
    r_hat = done.diagnostics.r_hat
    return FitReport(report.n_epochs, done.objective[0], 1.0 if np.isnan(r_hat) else r_hat)
