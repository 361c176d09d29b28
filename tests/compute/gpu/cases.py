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
from driftline.compute.cpu import completion as cpu_completion
from driftline.compute.cpu import lda_epochs as cpu_epochs
from driftline.compute.cpu import lda_memory as cpu_memory
from driftline.compute.cpu import plsa as cpu_plsa
from driftline.engines import gpu as gpu_engine
from driftline.engines.gpu import GpuEngine, gpu_memory_limit
from driftline.engines.threads import Threads
from driftline.topics import LDA, PLSA, lda_epochs
from driftline.topics.document_completion import Pairs

N_DOCUMENTS, N_WORDS = 3, 5


def documents(seed=0, n=N_DOCUMENTS):
    X = np.random.default_rng(seed).poisson(0.8, (n, N_WORDS))
    X[1] = 0
    return sp.csr_matrix(X.astype(np.float64))


def one_pass(device, place, fetch, padded, n_topics, deterministic):
    """Return the counts of words and documents, and how far they moved, after two passes."""
    rng, X = np.random.default_rng(1), documents()
    pairs = [place(array) for array in Pairs.of(X)]
    width, rows = padded(n_topics), np.array([1, 3])
    seeds, alpha = np.zeros((2, width)), np.zeros(width, dtype=np.float32)
    seeds[:, 0], alpha[:n_topics] = 3.0, 0.1
    start = rng.gamma(1.0, 1.0, (N_WORDS, n_topics)).astype(np.float32)
    sums = device.sums_of(start, N_WORDS, n_topics, X.sum() + 6, deterministic)
    found = device.begin_documents(N_DOCUMENTS, n_topics)
    for n_warm, keep in ((2, 0.5), (0, 0.0)):
        shares = device.word_shares(sums, N_WORDS, n_topics, 0.01)
        device.forget(sums, keep, rows, seeds)
        device.learn_documents(found, *pairs, shares, place(alpha), sums, n_topics, n_warm, 1.0 - keep)
    moved = device.moved_by(sums)
    counts = fetch(device.counts_of(sums)).reshape(N_WORDS, width)
    return counts[:, :n_topics], fetch(found).reshape(N_DOCUMENTS, width)[:, :n_topics], moved


def case_a_pass_of_lda_equals_that_of_the_processor():
    from driftline.compute.gpu import lda_epochs as gpu_epochs
    from driftline.compute.gpu import lda_memory as gpu_memory
    from driftline.compute.gpu import memory

    for n_topics in (3, 70):
        expected = one_pass(cpu_epochs, np.asarray, np.asarray, cpu_memory.padded, n_topics, True)
        for deterministic in (False, True) if n_topics == 3 else (True,):
            found = one_pass(gpu_epochs, memory.place, memory.fetch, gpu_memory.padded, n_topics, deterministic)
            for ours, theirs in zip(found, expected):
                np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5)


def case_completion_equals_that_of_the_processor():
    from driftline.compute.gpu import completion
    from driftline.compute.gpu import lda_memory as gpu_memory

    X, n_topics = documents(), 3
    phi = np.random.default_rng(2).dirichlet(np.ones(N_WORDS), n_topics).T
    rows = np.arange(1, N_DOCUMENTS)
    for prior in (0.3, 0.0):
        answers = []
        for module, layout in ((cpu_completion, cpu_memory), (completion, gpu_memory)):
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


def parts_doubled(values):
    """Return twice the values, on the device."""
    from driftline.compute import kernels

    return kernels().memory.place(2.0 * kernels().memory.fetch(values))


def doubled(state, part):
    state.copy_to_device(2.0 * state.copy_to_host())
    return state, len(part.indptr)


def small_steps(**changes):
    """Let LDA learn in few and small steps, as the simulator is slow."""
    for name, value in {"PASSES": 1, "STEPWISE": 1, "PARTS": 2, "WARM_PASSES": 1, "ANEW": 1, **changes}.items():
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
    small_steps()
    assert lda().components_.tobytes() == lda().components_.tobytes()
    loose = lda(deterministic=False)
    np.testing.assert_allclose(loose.components_, lda().components_, rtol=1e-3, atol=1e-5)


def case_memory_that_is_too_small_changes_nothing():
    small_steps()
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


def case_a_checkpoint_is_resumed_on_the_processor():
    from driftline.inference.checkpoint import FileCheckpoint
    from driftline.inference.run import run
    from driftline.inference.stopping import Stop
    from driftline.topics.lda_online import OnlineProblem
    from driftline.topics.priors import NONE_LEARNED
    from driftline.topics.topic_counts import TopicCounts

    small_steps()
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
    kept = {name: getattr(lda_epochs, name) for name in ("PASSES", "STEPWISE", "PARTS", "WARM_PASSES", "ANEW")}
    resident, found = gpu_engine.RESIDENT, {}
    for name in names:
        try:
            CASES[name]()
            found[name] = ""
        except Exception:
            found[name] = traceback.format_exc()
        gpu_engine.RESIDENT = resident
        for constant, value in kept.items():
            setattr(lda_epochs, constant, value)
    return found


if __name__ == "__main__":
    json.dump(outcomes(sys.argv[1:] or CASES), sys.stdout)
