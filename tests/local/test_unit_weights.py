"""Weights of units against the sums of their definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.changed_words import weights_of_units

from driftline.local.unit_weights import UnitWeights, unit_weights, variation


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
        # rounding the ratio of k and φ to half octaves moves weights by no more than a quarter octave
        np.testing.assert_allclose(found.sets[found.which[w]], weights, rtol=0.2)


def test_where_documents_are_units_all_weights_are_one():
    counts, tokens, _ = _stream(0)
    documents = np.arange(len(tokens))
    found = unit_weights(*_sums(counts, tokens, documents))
    np.testing.assert_array_equal(found.sets, np.ones((1, len(tokens))))
    np.testing.assert_array_equal(found.which, UnitWeights.equal(len(tokens), counts.shape[1]).which)


def test_a_shared_event_makes_busy_units_count_no_more_than_others():
    unit = np.repeat(np.arange(60), np.tile([2, 40], 30))
    tokens = np.full(len(unit), 50.0)
    rng = np.random.default_rng(0)
    shared = rng.gamma(0.3, 3.0, 60)[unit]  # all documents of a unit have the word about equally often
    counts = np.column_stack([rng.poisson(20 * shared), rng.poisson(2.0, len(unit))]).astype(float)
    found = unit_weights(*_sums(counts, tokens, unit))
    influence = found.sets[found.which] * np.bincount(unit, weights=tokens)
    assert influence[0].max() / influence[0].min() < 2
    assert influence[1].max() / influence[1].min() > 15


def test_words_that_never_occur_or_never_vary_have_weights():
    counts = np.column_stack([np.zeros(12), np.full(12, 2.0)])
    found = unit_weights(*_sums(counts, np.full(12, 9.0), np.repeat(np.arange(4), 3)))
    assert np.isfinite(found.sets).all()
    assert (found.sets > 0).all()
