"""The sweep of the n-gram model against dictionaries recomputed for every evaluation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.oracles import local_ngram as oracle

from driftline.base.sequence_input import as_sequences
from driftline.local.ngram.ngram_scores import LocalCounts, distribution, log_probabilities
from driftline.smoothing.kernels import Kernel
from driftline.text.ngram_index import index_ngrams

N_WORDS = 5


def stream(n=14, seed=0):
    rng = np.random.default_rng(seed)
    documents = [rng.integers(-1 if i % 5 == 0 else 0, 4, rng.integers(0, 9)).tolist() for i in range(n)]
    return documents, np.sort(rng.uniform(0, 10, n))


def local_counts(documents, times, order, side="both", h=2.5, rho=0.1, kernel="triangular"):
    index = index_ngrams(as_sequences(documents), order, N_WORDS)
    return LocalCounts(index, index.context_of, times, Kernel(kernel, side), h, rho, float(times[0]))


CASES = [
    (order, side, h, rho) for order in (1, 2, 3) for side in ("both", "past") for h, rho in ((2.5, 0.0), (2.5, 0.2))
]
CASES += [(3, "both", math.inf, 0.0), (3, "past", math.inf, 0.3), (2, "both", 0.05, 0.0), (2, "past", 0.05, 0.1)]


@pytest.mark.parametrize(("order", "side", "h", "rho"), CASES)
def test_exact_log_probabilities(order, side, h, rho):
    documents, times = stream()
    local = local_counts(documents, times, order, side, h, rho)
    asked = [[0, 1, 2, 3], [4, 4, 0], [], [2, -1, 2, 2, 1], [1], [3, 0, 0, 1]]
    when = np.array([-20.0, 2.0, 3.0, 5.5, 10.2, 40.0])
    found = log_probabilities(local, as_sequences(asked), when, 0)
    expected = [
        oracle.log_probability(documents, times, N_WORDS, order, local.kernel, h, rho, tokens, t)
        for tokens, t in zip(asked, when)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("order", "side", "h", "rho"), CASES)
def test_every_document_from_the_others(order, side, h, rho):
    documents, times = stream()
    local = local_counts(documents, times, order, side, h, rho)
    found = log_probabilities(local, as_sequences(documents), times, 0, leave_out=True)
    for i, tokens in enumerate(documents):
        alone = side == "both" and math.isfinite(h) and np.sort(np.abs(times - times[i]))[1] >= h
        if alone:  # nothing else is near: in the sum the document itself was there, so the local model answers
            assert np.isfinite(found[i])
            continue
        expected = oracle.log_probability(
            documents, times, N_WORDS, order, local.kernel, h, rho, tokens, times[i], without=i
        )
        assert found[i] == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("h", [2.5, math.inf])
def test_probabilities_sum_to_one_at_every_time_and_after_every_context(side, h):
    documents, times = stream()
    local = local_counts(documents, times, 3, side, h)
    contexts = [[], *([a] for a in range(N_WORDS)), *([a, b] for a in range(N_WORDS) for b in range(N_WORDS))]
    for t in (-20.0, 0.3, 4.0, 10.1, 99.0):
        for context in contexts:
            p = distribution(local, context, t)
            assert p.sum() == pytest.approx(1, abs=1e-12)
            assert (p > 0).all()
        for context in contexts[::7]:
            p = distribution(local, context, t)
            for word in range(N_WORDS):
                expected = oracle.probability(documents, times, N_WORDS, 3, local.kernel, h, 0.1, context, word, t)
                assert p[word] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("side", ["both", "past"])
def test_interpolated_probabilities_sum_to_one_as_well(side):
    documents, times = stream()
    local = local_counts(documents, times, 3, side, 2.0, 0.05, "tricube")
    for t in (1.234, 5.678):
        for context in ([], [1], [0, 2]):
            whole = as_sequences([[*context, word] for word in range(N_WORDS)])
            first = as_sequences([context])
            log_p = log_probabilities(local, whole, np.full(N_WORDS, t), 4)
            before = log_probabilities(local, first, np.array([t]), 4)[0]
            assert np.exp(log_p - before).sum() == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("leave_out", [False, True])
def test_the_grid_is_close(side, leave_out):
    documents, times = stream(n=120)
    local = local_counts(documents, times, 3, side, 2.0, 0.1)
    sequences = as_sequences(documents)
    exact, coarse, fine = (
        log_probabilities(local, sequences, times, points, leave_out=leave_out) for points in (0, 4, 32)
    )
    assert np.abs(fine - exact).mean() < np.abs(coarse - exact).mean()
    assert np.abs(fine - exact).mean() < 0.01 * np.abs(exact).mean()


def test_the_order_of_the_questions_does_not_matter():
    documents, times = stream(n=60)
    when = np.random.default_rng(0).uniform(-1, 14, 60)
    order = np.random.default_rng(1).permutation(60)
    for side in ("both", "past"):
        local = local_counts(documents, times, 2, side, 1.0)
        straight = log_probabilities(local, as_sequences(documents), when, 8)
        mixed = log_probabilities(local, as_sequences([documents[i] for i in order]), when[order], 8)
        np.testing.assert_allclose(mixed, straight[order], rtol=1e-12)


def test_whole_counts_are_the_rule_of_witten_and_bell():
    documents = [[0, 1, 0, 2, 0, 1]]
    local = local_counts(documents, np.array([0.0]), 2, h=math.inf, rho=0.0)
    p = distribution(local, [0], 0.0)
    single = distribution(local, [], 0.0)
    assert p[1] == pytest.approx((2 + 2 * single[1]) / (3 + 2))
    assert p[3] == pytest.approx(2 * single[3] / (3 + 2))
