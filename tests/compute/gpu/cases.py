"""What must hold on a graphics processor, real or simulated: the same answers as those of the processor.

    NUMBA_ENABLE_CUDASIM=1 python -m tests.compute.gpu.cases

prints the outcome of every case as JSON. Inputs are tiny, since the simulator runs every lane as a thread.
"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import driftline
from driftline.coding import LocalContextSparseCoding
from driftline.coding.local_contexts import arrays_of
from driftline.compute import current_device
from driftline.compute.cpu import document_completion as cpu_completion
from driftline.compute.cpu import lda_epochs as cpu_epochs
from driftline.compute.cpu import lda_memory as cpu_memory
from driftline.compute.cpu import lda_sampled as cpu_sampled
from driftline.compute.cpu import plsa as cpu_plsa
from driftline.compute.cpu import sparse_coding as cpu_sparse_coding
from driftline.compute.cpu import unigrams as cpu_unigrams
from driftline.core.errors import InvalidInput
from driftline.engines import engine_of
from driftline.engines import gpu as gpu_engine
from driftline.engines.gpu import GpuEngine, gpu_memory_limit
from driftline.engines.threads import Threads
from driftline.inference.pairs import Pairs
from driftline.intensity import IntensityTracker
from driftline.intensity.tracking.expectation_propagation import infer_ep
from driftline.intensity.tracking.implicit_model import IntensityModel
from driftline.topics import LDA, PLSA, MixtureOfUnigrams, lda_epochs

N_DOCUMENTS, N_WORDS = 3, 5
TWO_PASSES = ((2, 0.5), (0, 0.0))
"""Warm passes before each, and the share of earlier counts that is kept."""


def documents(seed=0, n=N_DOCUMENTS):
    X = np.random.default_rng(seed).poisson(0.8, (n, N_WORDS))
    X[1] = 0
    return sp.csr_matrix(X.astype(np.float64))


def one_pass(device, place, fetch, padded, n_topics, deterministic, n=N_DOCUMENTS, passes=TWO_PASSES, **options):
    """Return the counts of words and documents, and how far they moved, after some passes."""
    even, keep_documents = options.get("even", True), options.get("keep_documents", True)
    rng, X = np.random.default_rng(1), documents(n=n)
    pairs = [place(array) for array in Pairs.of(X)]
    width, rows = padded(n_topics), np.array([1, 3])
    seeds, alpha = np.zeros((2, width)), np.full(n_topics, 0.1)
    seeds[:, 0] = 3.0
    alpha[1:] *= 1.0 if even else 2.0
    prior = place(device.prior_of(alpha, n_topics))
    start = rng.gamma(1.0, 1.0, (N_WORDS, n_topics)).astype(np.float32)
    sums = device.sums_of(start, N_WORDS, n_topics, X.sum() + 6, deterministic)
    found = device.begin_documents(n if keep_documents else 0, n_topics)
    for n_warm, keep in passes:
        shares = device.word_shares(sums, N_WORDS, n_topics, 0.01)
        device.forget(sums, keep, rows, seeds)
        device.forget_moved(sums)
        device.learn_documents(found, *pairs, shares, prior, sums, n_topics, 0, n_warm, 1.0 - keep, 0, 1)
    moved = device.moved_by(sums)
    counts = fetch(device.counts_of(sums)).reshape(N_WORDS, width)
    return counts[:, :n_topics], fetch(found).reshape(-1, width)[:, :n_topics], moved


def case_a_pass_of_lda_equals_that_of_the_processor():
    from driftline.compute.gpu import lda_epochs as gpu_epochs
    from driftline.compute.gpu import lda_memory as gpu_memory
    from driftline.compute.gpu import memory

    gpu_epochs.QUANTA, gpu_epochs.LEAST = 2**20, 0.0  # as good as not rounded
    for n_topics in (3, 70):
        expected = one_pass(cpu_epochs, np.asarray, np.asarray, cpu_memory.padded, n_topics, True)
        for deterministic in (False, True) if n_topics == 3 else (True,):
            found = one_pass(gpu_epochs, memory.place, memory.fetch, gpu_memory.padded, n_topics, deterministic)
            for ours, theirs in zip(found, expected):
                np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-4)  # shares are float16


def sampled_pass(device, sampled, place, fetch, padded, n_topics, deterministic, even, n=N_DOCUMENTS):
    """Return the counts of words and documents after a pass that samples, and how far the documents moved."""
    X, width = documents(n=n), padded(n_topics)
    X = X[np.argsort(-np.diff(X.indptr), kind="stable")]
    alpha = np.full(n_topics, 0.1)
    alpha[1:] *= 1.0 if even else 2.0
    start = np.random.default_rng(1).gamma(1.0, 1.0, (N_WORDS, n_topics)).astype(np.float32)
    sums = device.sums_of(start, N_WORDS, n_topics, X.sum(), deterministic)
    shares = device.word_shares(sums, N_WORDS, n_topics, 0.01)
    device.forget(sums, 0.0, np.zeros(0, dtype=np.int64), np.zeros((0, width)))
    before = np.zeros((n, width), dtype=np.float32)
    before[:, 1] = 3.0
    found = place(before.reshape(-1))
    pairs, prior = [place(array) for array in Pairs.of(X)], place(device.prior_of(alpha, n_topics))
    n_long = device.n_long(Pairs.of(X).indptr)
    sampled.sample_documents(found, *pairs, shares, prior, sums, n_topics, n_long, 1.0, 7)
    moved = device.moved_by(sums)
    counts = fetch(device.counts_of(sums)).reshape(N_WORDS, width)[:, :n_topics]
    return X, counts, fetch(found).reshape(-1, width)[:, :n_topics], moved


def case_a_pass_that_samples_equals_that_of_the_processor():
    """The shares and what is added are the same if the layouts are; every token gets a topic."""
    from driftline.compute.gpu import lda_epochs as gpu_epochs
    from driftline.compute.gpu import lda_memory as gpu_memory
    from driftline.compute.gpu import lda_sampled as gpu_sampled
    from driftline.compute.gpu import memory

    gpu_epochs.QUANTA, gpu_epochs.LEAST = 2**20, 0.0  # as good as not rounded
    n_topics = 64
    for deterministic, even, gpu_epochs.LONG in ((False, True, 256), (True, False, 256), (True, True, 2)):
        processor = (cpu_epochs, cpu_sampled, np.asarray, np.asarray, cpu_memory.padded)
        device = (gpu_epochs, gpu_sampled, memory.place, memory.fetch, gpu_memory.padded)
        _, expected, _, _ = sampled_pass(*processor, n_topics, True, even)
        X, added, drawn, moved = sampled_pass(*device, n_topics, deterministic, even)
        np.testing.assert_allclose(added, expected, rtol=5e-3, atol=5e-4)  # shares are float16
        np.testing.assert_array_equal(drawn, np.rint(drawn))
        np.testing.assert_array_equal(drawn.sum(axis=1), np.asarray(X.sum(axis=1)).ravel())
        before = np.zeros_like(drawn)
        before[:, 1] = 3.0
        np.testing.assert_allclose(moved, np.abs(drawn - before).sum(), rtol=1e-5)


def case_topics_are_drawn_with_their_probabilities():
    from driftline.compute.gpu import lda_epochs as gpu_epochs
    from driftline.compute.gpu import lda_memory as gpu_memory
    from driftline.compute.gpu import lda_sampled as gpu_sampled
    from driftline.compute.gpu import memory

    gpu_epochs.QUANTA = 2**20  # as good as not rounded
    device = (gpu_epochs, gpu_sampled, memory.place, memory.fetch, gpu_memory.padded)
    _, added, drawn, _ = sampled_pass(*device, 6, True, True, n=150)
    assert np.abs(added.sum(axis=0) - drawn.sum(axis=0)).max() < 4 * np.sqrt(drawn.sum(axis=0).max())


def case_uneven_priors_and_documents_that_are_not_kept_equal_that_of_the_processor():
    from driftline.compute.gpu import lda_epochs as gpu_epochs
    from driftline.compute.gpu import lda_memory as gpu_memory
    from driftline.compute.gpu import memory

    gpu_epochs.QUANTA = 2**20  # as good as not rounded
    for options in ({"even": False}, {"keep_documents": False, "passes": ((2, 0.5), (1, 0.2))}):
        expected = one_pass(cpu_epochs, np.asarray, np.asarray, cpu_memory.padded, 3, True, **options)
        found = one_pass(gpu_epochs, memory.place, memory.fetch, gpu_memory.padded, 3, True, **options)
        assert found[1].shape == expected[1].shape == (N_DOCUMENTS if "even" in options else 0, 3)
        for ours, theirs in zip(found, expected):
            np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-4)


def case_rounded_additions_are_right_on_average():
    """A pair's additions are multiples of the quantum, less than a quantum per lane from the answer in all."""
    from driftline.compute.gpu import lda_epochs as gpu_epochs
    from driftline.compute.gpu import lda_memory as gpu_memory
    from driftline.compute.gpu import memory, pair_additions

    rounded, X, n_topics = [], documents(), 3
    for gpu_epochs.QUANTA in (4, 2**20):
        rounded.append(one_pass(gpu_epochs, memory.place, memory.fetch, gpu_memory.padded, n_topics, True)[0])
    coarse, fine = rounded
    seeds = np.zeros((N_WORDS, n_topics))
    seeds[[1, 3], 0] = 3.0
    units = (coarse - seeds) * 4
    np.testing.assert_allclose(units, np.round(units), atol=1e-4)
    n_pairs = np.asarray((X > 0).sum(axis=0)).ravel()
    assert (np.abs((coarse - fine).sum(axis=1)) <= 2 * n_pairs / 4 + 1e-4).all()
    assert np.abs(coarse - fine).max() > 1e-3
    fraction = getattr(pair_additions.fraction, "fn", None) or pair_additions.fraction.py_func
    fractions = [float(fraction(pair, lane, np.float32(0.3))) for pair in range(500) for lane in range(4)]
    assert abs(np.mean(fractions) - 0.5) < 0.03
    assert abs(np.std(fractions) - 12**-0.5) < 0.02


def case_small_additions_of_floats_are_right_on_average():
    """Four floats with a sum below ε are added as ε or not at all; a lane's additions are less than ε off in all."""
    from driftline.compute.gpu import lda_epochs as gpu_epochs
    from driftline.compute.gpu import lda_memory as gpu_memory
    from driftline.compute.gpu import memory
    from driftline.compute.gpu.lanes import VECTOR, layout_of

    added, X, n_topics, least = [], documents(n=2), 70, 0.25
    gpu_epochs.LARGEST_LEAST = least
    for gpu_epochs.LEAST in (np.inf, 0.0):
        own = (gpu_epochs, memory.place, memory.fetch, gpu_memory.padded)
        added.append(one_pass(*own, n_topics, False, n=2, passes=((2, 0.0),))[0])
    coarse, fine = (np.pad(counts, ((0, 0), (0, 2))).reshape(N_WORDS, -1, VECTOR) for counts in added)
    coarse[[1, 3], 0, 0] -= 3.0
    fine[[1, 3], 0, 0] -= 3.0  # the seeds
    large = fine.sum(axis=2) >= least
    np.testing.assert_allclose(coarse[large], fine[large], rtol=1e-3)
    rare = coarse[~large].sum(axis=1)
    np.testing.assert_allclose(rare[rare > 1e-4], least, rtol=1e-3)
    off = np.abs((coarse - fine).sum(axis=(1, 2)))
    assert (off <= layout_of(n_topics).team * least + 1e-3).all()
    assert (rare > 1e-4).any()
    assert (rare <= 1e-4).any()
    assert X[1].sum() == 0  # one document, so that a word's additions are those of one pair


def case_teams_divide_a_long_document():
    """Each of two teams sees its own pairs as new, and those of the other as they were after the last pass."""
    from driftline.compute.gpu import lda_epochs as gpu_epochs
    from driftline.compute.gpu import memory
    from driftline.compute.gpu.lanes import layout_of

    gpu_epochs.QUANTA, gpu_epochs.LONG = 2**20, 4
    n_topics, teams = 3, gpu_epochs.teams_of(layout_of(3))
    X = sp.csr_matrix(np.array([[2.0, 1, 1, 3, 1], [1, 0, 0, 0, 2]]))
    start = np.random.default_rng(1).gamma(1.0, 1.0, (N_WORDS, n_topics)).astype(np.float32)
    width = layout_of(n_topics).width
    alpha = np.zeros(width, dtype=np.float32)
    alpha[:n_topics] = 0.1
    sums = gpu_epochs.sums_of(start, N_WORDS, n_topics, X.sum(), True)
    found = gpu_epochs.begin_documents(2, n_topics)
    shares = gpu_epochs.word_shares(sums, N_WORDS, n_topics, 0.01)
    phi = memory.fetch(shares).reshape(N_WORDS, -1)[:, :n_topics].astype(float)
    gpu_epochs.forget(sums, 0.0, np.zeros(0, dtype=np.int64), np.zeros((0, width)))
    pairs = [memory.place(array) for array in Pairs.of(X)]
    gpu_epochs.learn_documents(found, *pairs, shares, memory.place(alpha), sums, n_topics, 1, 2, 1.0, 0, 1)
    counts = memory.fetch(found).reshape(2, width)[:, :n_topics]
    for d, parts in ((0, teams), (1, 1)):
        expected = divided_document(X[d].indices, X[d].data, phi, 0.1, parts, n_warm=2)
        np.testing.assert_allclose(counts[d], expected, rtol=2e-4, atol=2e-5)
    learned = memory.fetch(gpu_epochs.counts_of(sums)).reshape(N_WORDS, width)[:, :n_topics]
    np.testing.assert_allclose(learned.sum(axis=1), np.asarray(X.sum(axis=0)).ravel(), rtol=1e-4)


def divided_document(words, counts, phi, alpha, n_parts, n_warm):
    """Return the topic counts of one document after a pass, Eq. 1 to 3 of `lda_epochs` within each part."""
    old = np.full(phi.shape[1], alpha)
    for _ in range(n_warm):
        g = phi[words] * (old + alpha)
        old = (g / g.sum(axis=1, keepdims=True) * counts[:, None]).sum(axis=0)
    size, new = -(-len(words) // n_parts), np.zeros(phi.shape[1])
    for first in range(0, len(words), size):
        out, left = np.zeros(phi.shape[1]), counts.sum()
        for w, c in zip(words[first : first + size], counts[first : first + size]):
            n = old * left / counts.sum() + out
            left -= c
            guess = phi[w] * (n + alpha)
            g = phi[w] * (np.maximum(n - guess / guess.sum(), 0) + alpha)
            out += c * g / g.sum()
        new += out
    return new


def case_completion_equals_that_of_the_processor():
    from driftline.compute.gpu import document_completion
    from driftline.compute.gpu import lda_memory as gpu_memory

    X, n_topics = documents(), 3
    phi = np.random.default_rng(2).dirichlet(np.ones(N_WORDS), n_topics).T
    rows = np.arange(1, N_DOCUMENTS)
    for prior in (0.3, 0.0):
        answers = []
        for module, layout in ((cpu_completion, cpu_memory), (document_completion, gpu_memory)):
            width = layout.padded(n_topics)
            shares, alpha = layout.pad_columns(phi, width), layout.pad_columns(np.full(n_topics, prior), width)
            expected, scores = layout.aligned((len(rows), width)), np.zeros(len(rows))
            scratch = layout.scratch_rows(2, width)
            module.settle(rows, *Pairs.of(X), shares, alpha, 4, np.float32(1e-3), expected, scratch)
            if prior:
                module.predicted(rows, *Pairs.of(X), shares, alpha, expected, scores)
            answers.append((expected[:, :n_topics], scores))
        for ours, theirs in zip(*answers):
            np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)


def case_a_step_of_plsa_equals_that_of_the_processor():
    from driftline.compute.gpu import memory, plsa

    X, n_topics = documents(), 3
    start = np.random.default_rng(3).dirichlet(np.ones(N_WORDS), n_topics).T
    for temperature in (1.0, 0.7):
        answers = []
        for module, place in ((cpu_plsa, np.asarray), (plsa, memory.place)):
            pairs = [place(array) for array in Pairs.of(X)]
            phi, theta = module.begin_topics(start), module.begin_documents(N_DOCUMENTS, n_topics)
            theta, sums = module.expect(theta, *pairs, phi, temperature, X.sum())
            _, more = module.expect(theta, *pairs, phi, temperature, X.sum())
            sums = module.added(sums, more)
            likelihood = module.likelihood_of(sums)
            answers.append((module.topics_of(module.word_shares(sums, n_topics, 1e-3), n_topics), likelihood))
        for ours, theirs in zip(*answers):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def case_a_step_of_a_mixture_equals_that_of_the_processor():
    from driftline.compute.gpu import memory, unigrams

    X, n_topics = documents(n=5), 3
    start, weights = np.random.default_rng(3).dirichlet(np.ones(N_WORDS), n_topics).T, np.array([0.5, 0.3, 0.2])
    known, mass = np.array([-1, -1, 2, -1, 0]), np.array([1.0, 0.3, 1.0, 0.3, 0.3])
    for power in (1.0, 0.6):
        answers = []
        for module, place in ((cpu_unigrams, np.asarray), (unigrams, memory.place)):
            pairs = [place(array) for array in Pairs.of(X)]
            mixture = module.begin(start, weights)
            sums = module.expect(*pairs, place(known), place(mass), *mixture, power, X.sum())
            sums = module.added(sums, module.expect(*pairs, place(known), place(mass), *mixture, power, X.sum()))
            evidence = module.evidence_of(sums)
            fresh = module.maximise(sums, n_topics, 0.05)
            joint = module.joint(*pairs, *fresh, power, n_topics)
            found = (*module.parameters_of(fresh, n_topics), joint, module.log_prior(fresh, n_topics, 0.05), evidence)
            answers.append(found)
        for ours, theirs in zip(*answers):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def stream(kind, timed):
    """Return a model of seven documents, three topics and three levels, with a long silence."""
    rng = np.random.default_rng(5)
    text, gaps = rng.gamma(0.5, 1.0, (7, 3)).astype(kind), rng.gamma(1.0, 0.5, 7)
    text /= text.max(axis=1, keepdims=True)
    gaps[3] = 40.0
    return IntensityModel(text, gaps, np.array([0.2, 0.7, 2.5]), 0.3, np.array([0.5, 0.3, 0.2]), timed)


def case_chains_of_intensities_equal_that_of_the_processor():
    from driftline.compute.gpu import intensity_segments

    for kind, timed, smallest in ((np.float64, False, 1e-100), (np.float64, True, 0.9), (np.float32, False, 1e-100)):
        intensity_segments.SMALLEST = smallest  # with 0.9, rows are divided by their sums after most documents
        intensity_segments.carrying.cache_clear()
        model, options = stream(kind, timed), {"tolerance": 0.0, "max_sweeps": 2, "count": True}
        expected, found = (infer_ep(model, engine=name, **options) for name in ("threads", "gpu"))
        close = {"rtol": 1e-9 if kind == np.float64 else 2e-4, "atol": 1e-12 if kind == np.float64 else 1e-6}
        for name in ("topic_proba", "intensity", "log_evidence"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), **close)
        for name in ("lower", "middle", "upper"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        for ours, theirs in zip(found.statistics, expected.statistics):
            np.testing.assert_allclose(ours, theirs, **close)


def case_a_tracker_finds_what_threads_find():
    model = stream(np.float64, False)
    times = np.cumsum(model.gaps)
    options = {"levels": "learn", "n_levels": 3, "inference": "ep", "max_rounds": 2, "max_sweeps": 3}
    trackers = [
        IntensityTracker(engine=name, **options).fit(np.log(model.text), times=times) for name in ("threads", "gpu")
    ]
    np.testing.assert_allclose(trackers[1].topic_proba_, trackers[0].topic_proba_, rtol=1e-8)
    np.testing.assert_allclose(trackers[1].levels_, trackers[0].levels_, rtol=1e-8)
    with pytest.raises(InvalidInput, match="at most 32 levels"):
        IntensityTracker(engine="gpu", n_levels=33).fit(np.log(model.text), times=times)


def case_sparse_codes_equal_that_of_the_processor():
    """Few and many active topics, with and without means, from nothing and from codes; one document is empty."""
    from driftline.compute.gpu import sparse_coding

    rng = np.random.default_rng(6)
    topics = sp.random(7, 8, 0.5, "csr", random_state=1)
    contexts = sp.random(5, 8, 0.6, "csr", random_state=2)
    topics, contexts = (sp.csr_matrix(rows / np.maximum(rows.sum(axis=1), 1e-9)) for rows in (topics, contexts))
    nothing = sp.csr_matrix((5, 7))
    old = sp.csr_matrix(np.where(rng.random((5, 7)) < 0.3, rng.random((5, 7)), 0.0))
    offsets, gram = np.array([0, 2, 2, 5]), (topics @ topics.T).toarray()
    for penalties, limits, start in (
        ((0.05, 0.1), (4, 6), nothing),
        ((0.0, 0.0), (1, 2), nothing),
        ((0.1, 0.3), (3, 6), old),
    ):
        given = (arrays_of(contexts), offsets, arrays_of(topics), arrays_of(topics.tocsc()), gram, arrays_of(start))
        answers = [
            module.code_documents(*given, penalties, 1e-6, limits) for module in (cpu_sparse_coding, sparse_coding)
        ]
        expected, found = (sp.csr_matrix((c[2], c[1], c[0]), shape=(5, 7)).toarray() for c, _ in answers)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(answers[1][1], answers[0][1], rtol=1e-9, atol=1e-12)
        assert (expected > 0).any()


def case_local_contexts_are_coded_as_in_threads():
    texts = [[0, 1, 0, 1, 2], [0, 2, 0, 2, 1], [], [2, 1]]
    model = LocalContextSparseCoding(2, bandwidth=0.7, random_state=0).fit(texts)
    expected, flow = model.transform(texts).toarray(), model.flow(texts[0]).toarray()
    model.set_params(engine="gpu")
    np.testing.assert_allclose(model.transform(texts).toarray(), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.flow(texts[0]).toarray(), flow, rtol=1e-9, atol=1e-12)
    with pytest.raises(InvalidInput, match="supports only loss='squared'"):
        model.set_params(loss="hellinger").transform(texts)


def parts_doubled(values):
    """Return twice the values, on the device."""
    from driftline.compute import kernels

    return kernels().memory.place(2.0 * kernels().memory.fetch(values))


def doubled(state, part):
    state.copy_to_device(2.0 * state.copy_to_host())
    return state, len(part.indptr)


def small_steps(**changes):
    """Let LDA learn in few and small steps, as the simulator is slow."""
    once = lda_epochs.Schedule(1, 1, 1)
    for name, value in {"PASSES": 1, "FROM_NOISE": once, "CHUNKS": 2, **changes}.items():
        setattr(lda_epochs, name, value)


def lda(**options):
    return LDA(2, max_epochs=2, random_state=0, engine="gpu", **options).fit(documents())


def case_lda_learns_scores_and_is_saved():
    small_steps()
    model = lda(seed_words={0: [1]}, doc_topic_prior="learned", topic_word_prior="learned")
    shares = model.transform(documents())
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-5)
    score = model.score(documents(5))
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        again = driftline.load(Path(folder) / "model").set_params(engine="threads")
    np.testing.assert_allclose(again.transform(documents()), shares, rtol=1e-2, atol=1e-3)
    np.testing.assert_allclose(again.score(documents(5)), score, rtol=1e-3)
    np.testing.assert_array_equal(again.components_, model.components_)


def case_the_same_seed_gives_the_same_bytes():
    from driftline.compute.gpu import lda_epochs as gpu_epochs

    small_steps()
    assert lda().components_.tobytes() == lda().components_.tobytes()
    gpu_epochs.QUANTA = 2**20  # as good as not rounded
    loose = lda(deterministic=False)
    np.testing.assert_allclose(loose.components_, lda().components_, rtol=1e-3, atol=1e-5)
    small_steps(SAMPLED_FROM=0.0, SAMPLED_PASSES=2)
    sampled = lda().components_
    assert sampled.tobytes() == lda().components_.tobytes()
    assert np.abs(sampled - loose.components_).max() > 1e-3, "passes that sample give other topics"


def case_memory_that_is_too_small_changes_nothing():
    resident = gpu_engine.RESIDENT
    for sampled_from in (np.inf, 0.0):
        small_steps(SAMPLED_FROM=sampled_from, SAMPLED_PASSES=2)
        gpu_engine.RESIDENT = resident
        expected = lda()
        gpu_engine.RESIDENT = 0.0
        passed = lda()
        assert passed.components_.tobytes() == expected.components_.tobytes()


def case_parts_pass_through_a_small_memory():
    parts = [Pairs.of(documents(seed)) for seed in range(4)]
    answers = []
    for resident in (0.5, 0.0):
        gpu_engine.RESIDENT = resident
        with GpuEngine() as engine:
            kept = engine.keep(parts)
            assert [part.stays for part in kept] == [resident > 0] * 4
            states, _ = engine.advance(lambda: (parts_doubled(np.ones(3)), None), [()] * 4)
            for _ in range(2):
                states, lengths = engine.advance(doubled, list(zip(states, kept)))
            answers.append(([state.copy_to_host().tolist() for state in states], lengths))
    assert answers[0] == answers[1]
    assert answers[0] == ([[8.0] * 3] * 4, [N_DOCUMENTS + 1] * 4)


def case_large_arrays_come_back_as_they_are():
    from driftline.compute.gpu import memory

    for memory.TOUCHED in (2**40, 1):
        values = np.arange(3000, dtype=np.float32).reshape(3, 1000)
        np.testing.assert_array_equal(memory.fetch(memory.place(values)), values)


def case_too_many_topics_are_refused():
    from driftline.compute.gpu import lanes

    most = lanes.LARGEST_TEAM * lanes.MOST_PER_LANE
    assert lanes.layout_of(most).width == most
    with pytest.raises(InvalidInput, match=f"at most {most:,} topics"):
        lanes.layout_of(most + 1)


def case_too_little_memory_is_said():
    from driftline.core.errors import DeviceUnavailable

    small_steps()
    with gpu_memory_limit(50), pytest.raises(DeviceUnavailable, match="too little memory"):
        lda()


def case_plsa_learns_what_threads_learn():
    X = documents()
    parts = N_DOCUMENTS + 1  # one of them is empty
    options = {"max_steps": 3, "random_state": 0, "n_partitions": parts}
    models = [PLSA(2, engine=name, **options).fit(X) for name in ("threads", "gpu")]
    np.testing.assert_allclose(models[1].components_, models[0].components_, rtol=2e-3, atol=1e-4)
    np.testing.assert_allclose(models[1].objective_, models[0].objective_, rtol=1e-4)


def case_a_mixture_learns_what_threads_learn():
    X, known = documents(n=9), np.array([0, -1, 1, *[-1] * 6])
    models = [
        MixtureOfUnigrams(2, engine=name, max_steps=3, random_state=0).fit(X, known) for name in ("threads", "gpu")
    ]
    np.testing.assert_allclose(models[1].components_, models[0].components_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(models[1].weights_, models[0].weights_, rtol=1e-5)
    np.testing.assert_allclose(models[1].objective_, models[0].objective_, rtol=1e-5)
    np.testing.assert_allclose(models[1].transform(X), models[0].transform(X), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(models[1].score(X), models[0].score(X), rtol=1e-3)
    assert (models[1].labels_ == models[0].labels_).all()


def case_workers_of_a_cluster_have_devices():
    import dask
    import distributed

    X, options = documents(n=5), {"max_steps": 2, "random_state": 0}
    models = {"mixture": MixtureOfUnigrams(2, **options), "plsa": PLSA(2, n_partitions=2, **options)}
    expected = {name: model.fit(X).components_ for name, model in models.items()}
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    )
    with cluster, distributed.Client(cluster), dask.config.set({"driftline.device": "gpu"}):
        with engine_of("dask") as engine:
            assert engine.map(current_device, [(), ()]) == ["gpu", "gpu"]
        found = {name: model.set_params(engine="dask").fit(X).components_ for name, model in models.items()}
    for name, components in found.items():
        np.testing.assert_allclose(components, expected[name], rtol=2e-3, atol=1e-4)


def case_a_checkpoint_is_resumed_on_the_processor():
    from driftline.compute.gpu import lda_epochs as gpu_epochs
    from driftline.inference.checkpoint import FileCheckpoint
    from driftline.inference.lda_online import OnlineProblem
    from driftline.inference.learned_priors import NONE_LEARNED
    from driftline.inference.run import run
    from driftline.inference.stopping import Stop
    from driftline.inference.topic_counts import TopicCounts

    small_steps()
    gpu_epochs.QUANTA = 2**20  # as good as not rounded
    pairs, n_topics = Pairs.of(documents()), 2
    start = np.random.default_rng(0).gamma(1.0, 1.0, (N_WORDS, n_topics)).astype(np.float32)
    problem = OnlineProblem(pairs, TopicCounts.starting(start, np.full(n_topics, 0.1), 0.01).state(), n_topics, {})

    def learn(engine, n_epochs, checkpoint):
        rng = np.random.default_rng(1)
        with engine:
            parts = lda_epochs.random_parts(pairs, n_topics, rng)
            method = lda_epochs.epochs_method(engine, parts, n_topics, NONE_LEARNED, deterministic=True)
            found = run(method, problem, stop=Stop(n_epochs), rng=rng, checkpoint=checkpoint).result.counts
            values = np.array(found.copy_to_host() if hasattr(found, "copy_to_host") else found)
        return values.reshape(N_WORDS, -1)[:, :n_topics]

    with tempfile.TemporaryDirectory() as folder:
        learn(GpuEngine(), 1, FileCheckpoint(Path(folder) / "run"))
        resumed = learn(Threads(1), 3, FileCheckpoint(Path(folder) / "run"))
    np.testing.assert_allclose(resumed, learn(Threads(1), 3, None), rtol=1e-3, atol=1e-4)


CASES = {name.removeprefix("case_"): value for name, value in list(globals().items()) if name.startswith("case_")}


def outcomes(names):
    """Run cases; return what went wrong in each, or an empty string."""
    from driftline.compute.gpu import intensity_segments, memory
    from driftline.compute.gpu import lda_epochs as gpu_epochs

    constants = {
        intensity_segments: ("SMALLEST",),
        lda_epochs: ("PASSES", "FROM_NOISE", "CHUNKS", "PART_PAIRS", "SAMPLED_FROM", "SAMPLED_PASSES"),
        memory: ("TOUCHED",),
        gpu_epochs: ("QUANTA", "LEAST", "LARGEST_LEAST", "LONG"),
    }
    kept = {module: {name: getattr(module, name) for name in of_it} for module, of_it in constants.items()}
    resident, found = gpu_engine.RESIDENT, {}
    for name in names:
        try:
            CASES[name]()
            found[name] = ""
        except Exception:
            found[name] = traceback.format_exc()
        gpu_engine.RESIDENT = resident
        for module, names_kept in kept.items():
            for constant, value in names_kept.items():
                setattr(module, constant, value)
    return found


if __name__ == "__main__":
    json.dump(outcomes(sys.argv[1:] or CASES), sys.stdout)
