"""Clumping within documents is measured, and rare words borrow from others."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from driftline.smoothing.dispersion import dispersion

dispersion_module = sys.modules["driftline.smoothing.dispersion"]


def _documents(rho, share, n_documents, length, rng):
    """Counts of words whose share differs between documents so that two words of one agree by `rho` more."""
    if not rho:
        return rng.binomial(length, share, n_documents).astype(float)
    concentration = 1 / rho - 1
    shares = rng.beta(share * concentration, (1 - share) * concentration, n_documents)
    return rng.binomial(length, shares).astype(float)


@pytest.mark.parametrize("rho", [0.0, 0.02, 0.1])
def test_recovers_the_truth(rho):
    rng = np.random.default_rng(0)
    words, counts, n_words, n_documents, length, share = [], [], 40, 4000, 50, 0.02
    for w in range(n_words):
        c = _documents(rho, share, n_documents, length, rng)
        counts.append(c[c > 0])
        words.append(np.full((c > 0).sum(), w))
    word, count = np.concatenate(words), np.concatenate(counts)
    found = dispersion(word, count, np.full(len(word), float(length)), np.full(len(word), share), n_words)
    assert found.mean() == pytest.approx(rho, abs=0.004)
    assert (found >= 0).all()


def test_rare_words_are_pulled_towards_their_like():
    rng = np.random.default_rng(1)
    words, counts, n_words = [], [], 300
    for w in range(n_words):
        c = _documents(0.05, 0.001, 1000, 40, rng)
        counts.append(c[c > 0])
        words.append(np.full((c > 0).sum(), w))
    word, count = np.concatenate(words), np.concatenate(counts)
    totals = np.bincount(word, weights=count, minlength=n_words)
    found = dispersion(word, count, np.full(len(word), 40.0), np.full(len(word), 0.001), n_words)
    excess = np.bincount(word, weights=count * (count - 1), minlength=n_words)
    raw = excess / np.maximum(totals * 39, 1)
    assert found.std() < raw.std()
    assert found.mean() == pytest.approx(0.05, abs=0.02)


def test_a_frequent_word_by_hand():
    """ρ is the excess over θ², in units of θ(1 − θ): with θ = ½ forgetting the second factor halves it."""
    count, tokens, share = np.array([4.0, 3.0]), np.array([4.0, 5.0]), np.array([0.5, 0.5])
    # pairs of uses 12 + 6, expected of 12 + 12 pairs 6 + 6, so the excess is 6 of (12 + 12) · ½
    assert dispersion(np.array([0, 0]), count, tokens, share, 1).tolist() == [0.5]


def test_documents_of_one_word_say_nothing():
    found = dispersion(np.array([0, 0]), np.ones(2), np.ones(2), np.array([0.5, 0.5]), 2)
    assert found.tolist() == [0.0, 0.0]


def test_rare_words_do_not_seem_less_clumped_than_frequent_ones():
    """Ordered by uses, the words that happened to clump would pass for more frequent ones."""
    rng = np.random.default_rng(2)
    words, counts, n_words = [], [], 900
    for w in range(n_words):
        c = _documents(0.1, 0.01 / (1 + w / 30), 1500, 40, rng)
        counts.append(c[c > 0])
        words.append(np.full((c > 0).sum(), w))
    word, count = np.concatenate(words), np.concatenate(counts)
    share = 0.01 / (1 + word / 30)
    found = dispersion(word, count, np.full(len(word), 40.0), share, n_words)
    for part in (slice(0, 100), slice(100, 300), slice(300, 900)):
        assert found[part].mean() == pytest.approx(0.1, abs=0.012)


def shrunk_by_loops(excess, mass, noise, documents, n_neighbours):
    """Return ρ of every word, shrunk towards that of the words in about as many documents, one word at a time."""
    used = [w for w in range(len(documents)) if documents[w] > 0 and mass[w] > 0]
    used.sort(key=lambda w: documents[w])
    windows = []
    for i in range(len(used)):
        high = min(max(i - n_neighbours // 2, 0) + n_neighbours, len(used))
        windows.append(used[max(high - n_neighbours, 0) : high])
    common, variance = {}, {}
    for w, window in zip(used, windows):
        common[w] = sum(excess[v] for v in window) / sum(mass[v] for v in window)
        per_document = sum(noise[v] for v in window) / sum(documents[v] for v in window)
        variance[w] = per_document * documents[w] / mass[w] ** 2
    found = np.zeros(len(documents))
    for w, window in zip(used, windows):
        spread = np.mean([(excess[v] / mass[v] - common[v]) ** 2 for v in window])
        between = max(spread - np.mean([variance[v] for v in window]), 0.0)
        trust = between / (between + variance[w]) if between > 0 else 0.0
        found[w] = min(max(common[w] + trust * (excess[w] / mass[w] - common[w]), 0.0), 1.0)
    return found


@pytest.mark.parametrize("spread", [0.01, 0.3])
def test_shrinkage_is_that_of_plain_loops(monkeypatch, spread):
    monkeypatch.setattr(dispersion_module, "_NEIGHBOURS", 7)
    rng = np.random.default_rng(0)
    documents = rng.integers(0, 30, 40).astype(float)
    mass = rng.uniform(1, 5, 40) * (documents != 3)
    excess, noise = mass * np.clip(rng.normal(0.3, spread, 40), -0.2, 1.3), 0.05 * documents
    found = dispersion_module._shrink(excess, mass, noise, documents)
    np.testing.assert_allclose(found, shrunk_by_loops(excess, mass, noise, documents, 7), atol=1e-12)
    assert not dispersion_module._shrink(excess, np.zeros(40), noise, documents).any()
