"""Weights of units against the sums of their definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.changed_words import weights_of_units

from driftline.local.changed_words import unit_weights as module
from driftline.local.changed_words.unit_weights import UnitWeights, Variation, unit_weights, variation


def _stream(seed, n_units=20, per_unit=6, n_words=8, shared=1.0):
    """Documents by unit; a word's rate varies from unit to unit with the variance `shared`."""
    rng = np.random.default_rng(seed)
    unit = np.sort(rng.integers(0, n_units, n_units * per_unit))
    unit[:n_units] = np.arange(n_units)
    unit.sort()
    tokens = rng.integers(5, 60, len(unit)).astype(float)
    rate = 0.05 * (rng.gamma(1 / shared, shared, (n_units, n_words)) if shared else np.ones((n_units, n_words)))
    counts = rng.poisson(tokens[:, None] * rate[unit]).astype(float)
    return counts, tokens, unit


def _sums(counts, tokens, unit):
    gather = sp.csr_array((np.ones(len(unit)), (unit, np.arange(len(unit)))))
    return sp.csc_array(counts), tokens, sp.csc_array(gather @ sp.csc_array(counts)), gather @ tokens


@pytest.mark.parametrize("seed", range(3))
def test_variation_and_weights_are_those_of_the_definition(seed):
    counts, tokens, unit = _stream(seed)
    sums = _sums(counts, tokens, unit)
    within, between = variation(*sums)
    found = unit_weights(*sums)
    for w in range(counts.shape[1]):
        weights, k, phi = weights_of_units(counts[:, w].tolist(), tokens.tolist(), unit.tolist())
        assert within[w] == pytest.approx(k)
        assert between[w] == pytest.approx(phi, abs=1e-12)
        # the ratio of k and φ is rounded to half octaves, which moves the weights of these units by up to 3 %
        np.testing.assert_allclose(found.sets[found.which[w]], weights, rtol=0.05)


def test_where_documents_are_units_weights_depend_on_their_length_alone():
    counts, tokens, _ = _stream(0)
    documents = np.arange(len(tokens))
    found = unit_weights(*_sums(counts, tokens, documents))
    assert len(found.sets) == 1
    np.testing.assert_allclose(found.sets[0] * np.sqrt(tokens), (found.sets[0] * np.sqrt(tokens))[0])
    np.testing.assert_array_equal(found.which, UnitWeights.equal(len(tokens), counts.shape[1]).which)


@pytest.mark.parametrize("shared", [0.0, 1.0])
def test_busy_and_quiet_units_have_residuals_of_the_same_variance(shared):
    """Whether documents are independent or all documents of a unit share its rate."""
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(120), np.tile([2, 40], 60))
    tokens = np.full(len(unit), 50.0)
    rate = 0.1 * (rng.gamma(1 / shared, shared, (120, 40)) if shared else np.ones((120, 40)))
    sums = _sums(rng.poisson(tokens[:, None] * rate[unit]).astype(float), tokens, unit)
    found = unit_weights(*sums)
    weighted = found.sets[found.which].T
    residuals = weighted * (sums[2].toarray() - np.outer(sums[3], sums[2].sum(axis=0) / sums[3].sum()))
    quiet, busy = residuals[::2].var(), residuals[1::2].var()
    assert 0.7 < busy / quiet < 1.4


def test_words_that_never_occur_or_never_vary_have_weights():
    counts = np.column_stack([np.zeros(12), np.full(12, 2.0)])
    found = unit_weights(*_sums(counts, np.full(12, 9.0), np.repeat(np.arange(4), 3)))
    assert np.isfinite(found.sets).all()
    assert (found.sets > 0).all()


@pytest.mark.parametrize("seed", range(2))
def test_weights_of_busy_units_that_share_a_rate_are_those_of_the_definition(seed):
    counts, tokens, unit = _stream(seed, per_unit=80, n_words=4)
    sums = _sums(counts, tokens, unit)
    found = unit_weights(*sums)
    for w in range(counts.shape[1]):
        weights, _, _ = weights_of_units(counts[:, w].tolist(), tokens.tolist(), unit.tolist())
        np.testing.assert_allclose(found.sets[found.which[w]], weights, rtol=0.05)


def test_a_word_that_occurs_once_varies_as_the_definition_says():
    counts, tokens, unit = np.zeros((12, 1)), np.full(12, 9.0), np.repeat(np.arange(4), 3)
    counts[5] = 1.0
    _, k, phi = weights_of_units(counts[:, 0].tolist(), tokens.tolist(), unit.tolist())
    within, between = variation(*_sums(counts, tokens, unit))
    assert within[0] == pytest.approx(k)
    assert between[0] == pytest.approx(phi, abs=1e-12)


@pytest.mark.parametrize(
    ("octave", "rounded"), [(-7.0, None), (-6.0, -6.0), (-5.8, -6.0), (0.0, 0.0), (3.3, 3.5), (9.9, 10.0), (25.0, 10.0)]
)
def test_the_ratio_is_rounded_to_half_octaves_between_its_bounds(octave, rounded, monkeypatch):
    """Below the least octave weights are 1 / √n; above the largest they no longer change."""
    tokens = np.array([8.0, 16.0, 24.0, 80.0])  # of mean 32
    counts = sp.csc_array(np.full((4, 1), 4.0))
    share = 16 / 128
    given = Variation(np.array([1.0]), np.array([2.0**octave / share / 32]))
    monkeypatch.setattr(module, "variation", lambda *arguments: given)
    found = unit_weights(counts, tokens, counts, tokens).sets[0]
    a = 0.0 if rounded is None else 2.0**rounded / 32
    expected = 1 / np.sqrt(tokens * (1 + a * tokens))
    np.testing.assert_allclose(found, expected / expected.mean(), rtol=1e-12)


def test_a_share_that_is_the_same_everywhere_does_not_vary_between_units():
    tokens = np.array([3.0, 7.0, 11.0, 13.0, 17.0, 19.0])
    _, between = variation(*_sums(0.1 * tokens[:, None], tokens, np.repeat(np.arange(3), 2)))
    assert between[0] == 0.0


def test_equal_weights_are_one_set_for_all_words():
    found = UnitWeights.equal(3, 2)
    assert found.sets.tolist() == [[1.0, 1.0, 1.0]]
    assert found.which.tolist() == [0, 0]
