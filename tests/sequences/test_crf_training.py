from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import crf as oracle

from driftline.sequences.crf_training import Sentences, Weights, loss_of, seen_pairs, train_lbfgs, train_sgd

N_TAGS, N_ATTRIBUTES, LENGTH = 2, 4, 3


def problem(n=12, seed=0, length=LENGTH):
    rng = np.random.default_rng(seed)
    tags = rng.integers(0, N_TAGS, n * length)
    attributes = np.where(rng.random(n * length) < 0.7, tags, rng.integers(0, N_TAGS, n * length))
    attributes = np.stack([attributes, 2 + rng.integers(0, 2, n * length)], axis=1).astype(np.int32)
    sentences = Sentences(attributes, np.arange(0, n * length + 1, length), tags, np.ones(n))
    pairs = seen_pairs(sentences, N_ATTRIBUTES, np.ones((N_TAGS, N_TAGS)), np.ones(N_TAGS))
    return sentences, pairs, Weights(np.zeros(len(pairs.pair_tags)), np.zeros((N_TAGS, N_TAGS)))


def objective(weights, sentences, pairs, l2=0.0, l1=0.0):
    flat = np.concatenate([weights.pairs, weights.transition.ravel()])
    return loss_of(weights, sentences, pairs)[0] + l2 * (flat**2).sum() + l1 * np.abs(flat).sum()


def test_only_what_occurs_has_a_weight():
    sentences = Sentences(
        np.array([[0, 3], [1, -1], [0, 3]], dtype=np.int32), np.array([0, 2, 3]), np.array([0, 1, 1]), np.ones(2)
    )
    pairs = seen_pairs(sentences, 5, np.ones((2, 2)), np.ones(2))
    assert pairs.pointers.tolist() == [0, 2, 3, 3, 5, 5]
    assert pairs.pair_tags.tolist() == [0, 1, 1, 0, 1]
    assert pairs.trained.tolist() == [[False, True], [False, False]], "not from one sentence to the next"


def test_lbfgs_reaches_the_likelihood_of_iterative_scaling():
    """Without a penalty both maximise the likelihood over the same features."""
    sentences, pairs, start = problem()
    listed = [
        (sentences.attributes[i : i + LENGTH], sentences.tags[i : i + LENGTH])
        for i in range(0, len(sentences.tags), LENGTH)
    ]
    path, _, _ = oracle.iterative_scaling(listed, N_ATTRIBUTES, N_TAGS, 400)
    assert (np.diff(path) > -1e-9).all(), "every round raises the likelihood"
    found = train_lbfgs(start, sentences, pairs, 0.0, 0.0, 500, 1e-12)
    assert -objective(found.weights, sentences, pairs) == pytest.approx(path[-1], abs=0.01)
    assert -objective(found.weights, sentences, pairs) >= path[-1] - 1e-6


def test_sgd_comes_close_to_lbfgs():
    sentences, pairs, start = problem(200)
    exact = train_lbfgs(start, sentences, pairs, 0.5, 0.0, 500, 1e-12)
    fast = train_sgd(start, sentences, pairs, 0.5, 30, np.random.default_rng(0), False)
    best = objective(exact.weights, sentences, pairs, 0.5)
    assert objective(start, sentences, pairs, 0.5) > 1.2 * best
    assert objective(fast.weights, sentences, pairs, 0.5) < 1.01 * best
    assert len(fast.objective) == 30


def test_the_l1_penalty_gives_the_minimum_with_exact_zeros():
    sentences, pairs, start = problem(60)
    found = train_lbfgs(start, sentences, pairs, 0.01, 3.0, 500, 1e-12).weights
    flat = np.concatenate([found.pairs, found.transition.ravel()])
    assert (flat == 0).any()
    assert (flat != 0).any()
    best = objective(found, sentences, pairs, 0.01, 3.0)
    rng = np.random.default_rng(1)
    for _ in range(50):
        step = 1e-3 * rng.normal(size=len(flat))
        other = Weights(
            found.pairs + step[: len(found.pairs)], found.transition + step[len(found.pairs) :].reshape(2, 2)
        )
        assert objective(other, sentences, pairs, 0.01, 3.0) >= best - 1e-6


def test_weights_of_sentences_are_repetitions():
    sentences, pairs, start = problem(20)
    doubled = sentences._replace(counts_of=np.where(np.arange(20) < 5, 2.0, 1.0))
    offsets = np.concatenate([sentences.offsets, sentences.offsets[-1] + LENGTH * np.arange(1, 6)])
    longer = Sentences(
        np.concatenate([sentences.attributes, sentences.attributes[: 5 * LENGTH]]),
        offsets,
        np.concatenate([sentences.tags, sentences.tags[: 5 * LENGTH]]),
        np.ones(25),
    )
    one, other = (train_lbfgs(start, each, pairs, 0.5, 0.0, 500, 1e-12).weights for each in (doubled, longer))
    np.testing.assert_allclose(one.pairs, other.pairs, atol=1e-4)
