"""Every method of the library keeps the contract: its state is a value, and a step changes nothing else."""

from __future__ import annotations

import dataclasses
import itertools
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.coding import batch, online_dictionary, sparse_topical
from driftline.coding.codes import Penalties
from driftline.coding.local_contexts import ContextMaker
from driftline.compute import current_kernels
from driftline.engines.threads import Threads
from driftline.inference import guided_em, lda_online, message_passing
from driftline.inference.contract import Info
from driftline.inference.ep import ExpectationPropagation
from driftline.inference.guide_arrays import WordGroups
from driftline.inference.learned_priors import Learned
from driftline.inference.own_priors import given_counts
from driftline.inference.pairs import Pairs
from driftline.inference.plain_values import copied, digest, flatten, rebuild
from driftline.inference.topic_counts import TopicCounts, nearly_even
from driftline.intensity.classification import class_sequence
from driftline.intensity.drift import drifting_centroids
from driftline.intensity.tracking import (
    expectation_propagation,
    explicit_process,
    level_gibbs,
    mean_field,
    particle_smoother,
    structured_variational,
)
from driftline.nonparametric import cluster_auxiliary, cluster_gibbs, cluster_variational, dp_means
from driftline.nonparametric.franchise import Carried, Franchise, Priors
from driftline.nonparametric.gaussian_items import Rows
from driftline.nonparametric.hdp_chains import FRANCHISE_GIBBS
from driftline.nonparametric.multinomial_items import Documents
from driftline.nonparametric.topic_start import lay_out
from driftline.sequences import baum_welch, constrained_perceptron
from driftline.sequences.crf_training import Sentences, seen_pairs
from driftline.text.sequences import TokenSequences
from driftline.topics import (
    forest_gibbs,
    guided_unigrams,
    lda_epochs,
    lda_gibbs,
    lda_vb,
    partitioned,
    plsa,
    unigram_parts,
    word_shares,
)
from driftline.topics.fitting import partition
from tests.intensity.streams import small_model

RNG = np.random.default_rng(3)
X = sp.csr_matrix(RNG.poisson(0.6, (30, 20)).astype(np.float64))
LEARNED = Learned(document=True, word=True)
ENGINE = Threads(1)


def topics():
    return TopicCounts.starting(nearly_even(X.sum(axis=0).A1, 3, np.random.default_rng(0), 0.3), np.full(3, 0.2), 0.1)


def chains(model):
    return (model.gaps, model.rates, *model.steps(), model.prior)


def methods():
    """Yield the name of every method, the method, and a small problem."""
    pairs, parts, start = Pairs.of(X), partition(Pairs.of(X), 2), topics()
    own = given_counts(RNG.poisson(0.4, (30, 3)), 30, 3)
    own_parts = tuple(partition(own, 2))
    parted = partitioned.PartedProblem.of(start, parts, ENGINE, own_parts)
    known = np.full(30, -1)
    known[:3] = [0, 1, 2]
    documents = (X, known, np.ones(30), 3, 0.01, 1.0)
    yield "mixture of unigrams", unigram_parts.PARTED, unigram_parts.Parted.of(*documents, ENGINE, 2)
    wishes = guided_em.EmWishes(np.zeros((20, 3)))
    guided = guided_unigrams.GuidedDocuments(*documents, wishes, None, None, None, None)
    yield "guided mixture of unigrams", guided_unigrams.GUIDED_EM, guided
    tagged = Sentences(RNG.integers(0, 6, (12, 2)), np.array([0, 5, 12]), RNG.integers(0, 3, 12), np.ones(2))
    weighted = seen_pairs(tagged, 6, np.ones((3, 3)), np.ones(3))
    keys = np.repeat(np.arange(6), np.diff(weighted.pointers)) * 3 + weighted.pair_tags
    yield (
        "constrained perceptron",
        constrained_perceptron.ConstrainedPerceptron(),
        constrained_perceptron.PerceptronProblem(
            tagged, weighted, keys, lambda number, weights: np.zeros(5 + 2 * number, dtype=int)
        ),
    )
    shares = RNG.dirichlet(np.ones(20), 3).T
    yield "word shares", word_shares._METHOD, word_shares._Words(shares.T, X.sum(axis=0).A1)
    sizes = tuple(part.n_documents for part in parts)
    yield "plsa", plsa.METHOD, plsa._Parts(tuple(parts), sizes, shares, 1.0, 0.01, X.sum(), ENGINE, own_parts)
    first = lda_vb.VariationalTopics(RNG.gamma(10, 0.1, (20, 3)), np.full(3, 0.3), np.full((20, 3), 0.1))
    yield "lda, variational", lda_vb.vb_method(LEARNED), lda_vb._Parts(tuple(parts), first, ENGINE, own_parts)
    seeds = {2: np.ones(16, dtype=np.float32)}
    online = lda_online.OnlineProblem(pairs, start.state(), 3, seeds)
    yield "lda, online", lda_online.online_method(ENGINE, LEARNED), online._replace(own=own)
    yield "lda in passes", lda_epochs.epochs_method(ENGINE, parts, 3, LEARNED, deterministic=True), online
    sampling = lda_gibbs.SamplingProblem(pairs, start.state(), 3, seeds, own)
    yield "lda, gibbs", lda_gibbs.sampling_method(ENGINE, LEARNED), sampling
    grouped = topics()
    pair = WordGroups((np.array([0, 1]),), np.array([[2, 3]]), 10.0, X.sum(axis=0).A1)
    grouped.rules = grouped.rules._replace(groups=pair)
    yield "lda, gibbs under a forest", forest_gibbs.FOREST_GIBBS, forest_gibbs.forest_problem(pairs, grouped, own)
    yield "lda in parts, online", partitioned.parted_method(ENGINE, LEARNED), parted
    for kind in ("average", "hierarchical"):
        yield f"lda in parts, {kind}", partitioned.parted_sampler(ENGINE, kind, LEARNED), parted
    model = small_model(0, n=6, n_topics=3, n_levels=3)
    fixed = (model.gaps, model.rates, *model.steps(), model.prior)
    ep = expectation_propagation
    groups = tuple(itertools.pairwise((0, 2, 3)))
    combine = partial(ep._combine, ((0, 4), (4, 6)), ENGINE)
    method = ExpectationPropagation(ep._begin, ep._refine, combine, groups, ENGINE)
    yield (
        "expectation propagation",
        method,
        ep._Stream(model.text, current_kernels().intensity_ep.decays_of(*fixed[:2]), fixed, 0.05),
    )
    structured = structured_variational
    yield "structured", structured.METHOD, structured._Stream(model.text, fixed)
    mean = mean_field._Stream(model.text, model.gaps, model.rates, mean_field._log_moves(model), np.log(model.prior))
    yield "mean field", mean_field.METHOD, mean
    yield "levels, gibbs", level_gibbs.METHOD, level_gibbs._Stream(model.text, model.rates, fixed)
    filters = dataclasses.replace(particle_smoother.level_filter(20), block=2)
    stream = particle_smoother.Stream.of(model)
    yield "levels, particles", filters, stream
    explicit = explicit_process
    times = (stream.text, stream.gaps, np.cumsum(stream.gaps), *stream[2:])
    scheduling = dataclasses.replace(explicit.schedule_filter(20), block=2)
    yield "schedules, particles", scheduling, explicit._Stream(*times)
    points, start_labels = RNG.normal(size=(6, 2)), RNG.dirichlet(np.ones(3), 6)
    drift = drifting_centroids.DriftingTopics(
        points, RNG.normal(size=(3, 2)), np.ones((3, 2)), np.ones((3, 2)), np.full(6, 0.01), np.full(6, -1)
    )
    problem = drifting_centroids._Drifting(drift, model.rates, fixed, start_labels)
    yield "drifting centroids", drifting_centroids.METHOD, problem
    topical = sparse_topical.SparseTopicalCoding(3)._problem(X, ENGINE)
    yield "sparse topical coding", sparse_topical.METHOD, topical
    words = TokenSequences(RNG.integers(0, 20, 30), np.array([0, 12, 30]))
    contexts = ContextMaker("gaussian", 2.0, 20, np.empty(0))(words)
    for loss in ("squared", "hellinger"):
        coding = batch.Problem(contexts, sp.csr_matrix(RNG.dirichlet(np.ones(20), 3)), Penalties(loss), ENGINE)
        yield f"local contexts, {loss}", batch.METHOD, coding
        how = (online_dictionary.Statistics.nothing(3, 20), Penalties(loss), 0.01, ENGINE, 3)
        batches = online_dictionary.Batches(lambda number: contexts, coding.topics, *how)
        yield f"mini-batches, {loss}", online_dictionary.MiniBatches(), batches
    likelihood = RNG.dirichlet(np.ones(3), 10)
    yield "new shares", class_sequence.NEW_SHARES, (np.log(likelihood), np.full(3, 1 / 3))
    yield "sticky chain", class_sequence.STICKY_CHAIN, class_sequence._Classes(likelihood, np.full(3, 1 / 3))
    tokens = RNG.integers(-1, 5, 20)
    known = np.where(RNG.random(20) < 0.3, RNG.integers(0, 3, 20), -1)
    for kind, values in [("categorical", np.empty((5, 0))), ("gaussian", RNG.normal(size=(5, 2)))]:
        chains = baum_welch.Sequences(tokens, np.array([0, 4, 4, 20]), 3, values, 0.1, known, kind)
        yield f"baum-welch, {kind}", baum_welch.BAUM_WELCH, chains
    rows = Rows.of(RNG.normal(size=(20, 2)), np.zeros(2), np.full(2, 0.1), 0.0)
    for family, items in [("documents", Documents.of(X, 0.0, 0.0)), ("rows", rows)]:
        yield f"clusters of {family}, gibbs", cluster_gibbs.COLLAPSED_GIBBS, items
        yield f"clusters of {family}, auxiliary", cluster_auxiliary.auxiliary_gibbs(2), items
        yield f"clusters of {family}, variational", cluster_variational.truncated_variational(5), items
        yield f"clusters of {family}, dp-means", dp_means.dp_means(0.5), items
    tokens = lay_out(sp.csr_matrix(X))
    first = np.arange(len(tokens.words), dtype=np.int32) % 3
    yield "franchise", FRANCHISE_GIBBS, Franchise(tokens, first, Priors(word=0.0), Carried.nothing(X.shape[1], 1), 10)
    links = [*itertools.pairwise(range(6)), (0, 5), (1, 4)]
    graph = message_passing.FactorGraph.pairwise(RNG.normal(size=(6, 3)), links, RNG.normal(size=(3, 3)))
    for maximise in (False, True):
        name = "max-product" if maximise else "sum-product"
        yield name, message_passing.MessagePassing(maximise, damping=0.2), graph


METHODS = {name: (method, problem) for name, method, problem in methods()}


def arrays_of(problem):
    """Return the digest of all arrays of a problem; engines and sparse matrices are left out."""
    if isinstance(problem, np.ndarray):
        return digest(problem)
    return [arrays_of(part) for part in problem] if isinstance(problem, tuple) else None


def stepped(method, state, problem, seed):
    state, info = method.step(state, problem, np.random.default_rng(seed))
    return digest(state), str(info), state


@pytest.mark.parametrize("name", METHODS)
def test_a_state_is_all_that_a_step_depends_on(name):
    method, problem = METHODS[name]
    state = method.init(problem, np.random.default_rng(0))
    for seed in range(3):
        template = method.init(problem, np.random.default_rng(99))
        one = stepped(method, copied(state), problem, seed)
        read = rebuild(template, {path: np.array(array) for path, array in flatten(state).items()})
        assert stepped(method, read, problem, seed)[:2] == one[:2], "written down and read back, it is the same"
        assert stepped(method, copied(state), problem, seed)[:2] == one[:2], "nothing is remembered elsewhere"
        state = one[2]


@pytest.mark.parametrize("name", METHODS)
def test_steps_do_not_change_the_problem_and_report_what_they_did(name):
    method, problem = METHODS[name]
    before = arrays_of(problem)
    state = method.init(problem, np.random.default_rng(0))
    for seed in range(3):
        state, info = method.step(state, problem, np.random.default_rng(seed))
        assert isinstance(info, Info)
        assert all(isinstance(number, float) for number in info)
    method.summary([state])
    assert arrays_of(problem) == before
