r"""Textbook variational EM for LDA: slow, in double precision, with a bound that never decreases.

:math:`q(\phi_k) = \mathrm{Dir}(\lambda_k)` with :math:`\lambda_{kw} = \beta + \sum_d c_{dw} r_{dwk}`; the E step is in
the kernels' `lda_vb`. Documents are divided into parts whose statistics are summed in fixed order, on any worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import DeviceArray, Floats, Ints
from driftline.engines.contract import Engine
from driftline.inference.em import EM
from driftline.inference.guide_arrays import Bounds
from driftline.inference.learned_priors import NONE_LEARNED, Learned
from driftline.inference.pairs import Pairs, document_lengths
from driftline.inference.projection import OUTSIDE, Multipliers, distance_of, next_multipliers, worth_of
from driftline.inference.run import run
from driftline.inference.stopping import Both, LittleMoved, SmallChange, Stop
from driftline.inference.variational import divergence, expected_log, learn_concentration, learn_concentrations
from driftline.inference.word_maps import mapped_counts, mapped_rows
from driftline.inference.word_rules import NO_RULES, WordRules

PASSES = 100
EXCLUDED = 1e-9
"""β of a word in a topic from which it is excluded: its expected logarithm is so small that its share is zero."""
DOCUMENT_TOLERANCE = 1e-4
PROJECTIONS = 8
"""Largest number of E steps per epoch in which the multipliers of bounds are found."""


class VariationalTopics(NamedTuple):
    """λ (words × topics), α, β (one number, or words × topics), and the multipliers of bounds."""

    parameters: Floats
    document_prior: Floats
    word_prior: Floats
    multipliers: Multipliers | None = None


class FittedTopics(NamedTuple):
    """Result of variational EM, and the bound before every epoch."""

    topics: VariationalTopics
    bounds: Floats


class PartAnswer(NamedTuple):
    """Statistics of one part of the documents for the topics, and the topic counts of its documents."""

    statistics: Floats
    counts: Floats
    bound: float


class Expected(NamedTuple):
    """Answers of all parts, and the multipliers with which they satisfy the bounds (None without bounds)."""

    answers: list[PartAnswer]
    multipliers: Multipliers | None


def expectation(
    part: Pairs,
    b: Floats,
    document_prior: Floats,
    own: Pairs | None = None,
    groups: Ints | None = None,
    multipliers: Floats | None = None,
) -> PartAnswer:
    """Do the E step for one part of the documents; multipliers λ of its group scale topics by e^−λ."""
    if groups is not None and multipliers is not None:
        return _expectation_by_group(part, b, document_prior, own, groups, multipliers)
    gamma = np.empty((part.n_documents, len(document_prior)))
    if own is not None:
        document_prior = np.tile(document_prior, (part.n_documents, 1))
        rows = np.repeat(np.arange(part.n_documents), np.diff(own.indptr))
        document_prior[rows, own.words] += own.counts
    statistics = np.zeros_like(b)
    counts = part.counts.astype(np.float64)
    bound = current_kernels().lda_vb.expect(
        part.indptr, part.words, counts, b, document_prior, PASSES, DOCUMENT_TOLERANCE, gamma, statistics
    )
    return PartAnswer(statistics, gamma - document_prior, bound - divergence(gamma, document_prior))


def _expectation_by_group(
    part: Pairs, b: Floats, document_prior: Floats, own: Pairs | None, groups: Ints, multipliers: Floats
) -> PartAnswer:
    counts, statistics, bound = np.empty((part.n_documents, len(document_prior))), np.zeros_like(b), 0.0
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        mine = None if own is None else own.take(rows)
        answer = expectation(part.take(rows), b * np.exp(-multipliers[group]), document_prior, mine)
        counts[rows] = answer.counts
        statistics, bound = statistics + answer.statistics, bound + answer.bound
    return PartAnswer(statistics, counts, bound)


def fit_vb(
    parts: Sequence[Pairs],
    start: Floats,
    document_prior: Floats,
    word_prior: Floats,
    engine: Engine,
    *,
    max_epochs: int,
    tolerance: float,
    learned: Learned = NONE_LEARNED,
    own: Sequence[Pairs] | None = None,
    rules: WordRules = NO_RULES,
    bounds: Bounds | None = None,
    verbose: bool | int = False,
) -> FittedTopics:
    """Run variational EM from λ = `start` (words × topics); `word_prior` is β, words × topics or one number.

    `bounds` limit the topics' shares of the words; their groups are in the order of the documents over all parts. EM
    stops when the bound increases by less than the share `tolerance` of its size.
    """
    lam, eta = np.array(start, dtype=np.float64), np.asarray(word_prior, dtype=np.float64)
    kept = (None,) * len(parts) if own is None else tuple(engine.keep(own))
    first = VariationalTopics(lam, document_prior, eta, None if bounds is None else Multipliers.none(bounds))
    ends = np.cumsum([part.n_documents for part in parts])
    groups = (None,) * len(parts) if bounds is None else tuple(np.split(bounds.groups, ends[:-1]))
    lengths = None if bounds is None else np.concatenate([document_lengths(part) for part in parts])
    problem = _Parts(tuple(engine.keep(parts)), first, engine, kept, rules, bounds, groups, lengths)
    stop = Stop(max_epochs, Both(SmallChange(tolerance), LittleMoved(OUTSIDE)))
    done = run(vb_method(learned), problem, stop=stop, progress="variational EM", verbose=verbose)
    return FittedTopics(done.result, done.objective[0])


def vb_method(learned: Learned) -> EM[_Parts, VariationalTopics, Expected]:
    """Return variational EM whose M step also learns these priors."""
    return EM(
        lambda problem, rng: problem.start,
        _expect,
        partial(_maximise, learned),
        lambda _, topics: distance_of(topics.multipliers),
    )


class _Parts(NamedTuple):
    """Handles of the parts of the documents and of their own priors (None without), and the initial parameters."""

    parts: tuple[DeviceArray, ...]
    start: VariationalTopics
    engine: Engine
    own: tuple[DeviceArray | None, ...]
    rules: WordRules = NO_RULES
    bounds: Bounds | None = None
    groups: tuple[Ints | None, ...] = ()
    lengths: Floats | None = None


def _expect(topics: VariationalTopics, problem: _Parts, rng: np.random.Generator) -> tuple[Expected, float]:
    """Do the E step; with bounds, repeat it with better multipliers until they hold."""
    lam, groups = topics.parameters, problem.groups or (None,) * len(problem.parts)
    b = problem.engine.share(np.exp(expected_log(_seen(lam, topics.word_prior, problem.rules).T)).T.copy())
    multipliers = topics.multipliers
    for _ in range(PROJECTIONS):
        used = None if multipliers is None else multipliers.values
        of_groups = used if used is None or problem.bounds is None else problem.bounds.by_group(used)
        tasks = [
            (part, b, topics.document_prior, own, group, of_groups)
            for part, own, group in zip(problem.parts, problem.own, groups)
        ]
        answers = problem.engine.map(expectation, tasks)
        if multipliers is None or problem.bounds is None or problem.lengths is None:
            break
        counts = np.concatenate([answer.counts for answer in answers])
        multipliers = next_multipliers(counts, multipliers, problem.bounds, problem.lengths)
        if multipliers.outside <= OUTSIDE:
            break
    prior = np.broadcast_to(topics.word_prior, lam.shape)
    bound = sum(answer.bound for answer in answers) - divergence(lam.T, prior.T)
    if used is not None and problem.bounds is not None and problem.lengths is not None:
        bound += worth_of(used, problem.bounds, problem.lengths)
    return Expected(answers, multipliers), bound


def _seen(lam: Floats, word_prior: Floats, rules: WordRules) -> Floats:
    """Return λ as the E step uses it: with the counts of words that belong together or apart transformed."""
    if rules.groups is None:
        return lam
    rows, prior = mapped_rows(rules.groups), np.broadcast_to(word_prior, lam.shape)
    seen = lam.copy()
    seen[rows] = mapped_counts(np.maximum(lam[rows] - prior[rows], 0.0), rules.groups) + prior[rows]
    return seen


def _maximise(learned: Learned, expected: Expected, topics: VariationalTopics, problem: _Parts) -> VariationalTopics:
    answers, alpha, eta = expected.answers, topics.document_prior, topics.word_prior
    statistics = sum((answer.statistics for answer in answers[1:]), answers[0].statistics)
    if learned.document:
        alpha = learn_concentrations(alpha, np.concatenate([answer.counts for answer in answers]))
    words, excluded = problem.rules.banned.T
    if learned.word:
        least = np.min(eta, where=eta > EXCLUDED, initial=np.inf)
        eta = eta + (learn_concentration(float(least), statistics.T) - least)
    if len(words):
        eta[words, excluded] = EXCLUDED
    return VariationalTopics(statistics + eta, alpha, eta, expected.multipliers)
