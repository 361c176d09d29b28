"""Every word's own bandwidth: the closed form is the definition, and the choice follows the drift."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.local.streams import drifting, small
from tests.oracles.local_likelihood import poisson_scores

from driftline.datasets.newswire import simulate_newswire
from driftline.local.background_prior import Prior
from driftline.local.bandwidths.leave_one_out import LeaveOneOut
from driftline.local.bandwidths.word_bandwidths import (
    curve_bandwidths,
    steadied_choice,
    tempered_weights,
    typical_choice,
    word_scores,
)
from driftline.local.history import History
from driftline.local.multinomial.local_multinomial import LocalMultinomial
from driftline.smoothing.kernels import Kernel
from driftline.streams.corpus import Corpus


@pytest.mark.parametrize("side", ["both", "past"])
def test_scores_are_the_definition(side):
    counts, times = small(seed=1)
    kernel = Kernel("triangular", side)
    loo = LeaveOneOut(History.of(sp.csr_matrix(counts), times), kernel, by_word=True)
    widths = np.array([1.5, 3.0, np.inf])
    priors, prior_of_word = [Prior("dirichlet", 4.0, 0.0), Prior("dirichlet", 40.0, 0.0)], np.array([0, 1, 0, 1])
    found = word_scores(loo, widths, priors, prior_of_word)
    for j, h in enumerate(widths):
        expected = np.array([poisson_scores(counts, times, kernel, h, p) for p in priors])
        np.testing.assert_allclose(found[:, j], expected[prior_of_word, np.arange(4)], rtol=1e-10)


def test_a_moving_word_gets_a_narrower_curve_than_a_resting_one():
    rng = np.random.default_rng(0)
    times = np.sort(rng.random(3000))
    rates = np.column_stack([0.5 + 0.45 * np.sin(12 * np.pi * times), np.full(3000, 0.5), np.full(3000, 60.0)])
    counts = rng.poisson(rates).astype(float)
    loo = LeaveOneOut(History.of(sp.csr_matrix(counts), times), Kernel(), by_word=True)
    widths = np.append(np.geomspace(0.005, 2, 20), np.inf)
    chosen = widths[curve_bandwidths(loo, widths)]
    assert chosen[0] < 0.1
    assert chosen[1] > 3 * chosen[0]


def test_tempered_weights_are_shared_by_words_of_like_frequency():
    scores = np.array([[0.0, 10.0], [0.0, 10.0], [0.1, 0.0]])
    weights = tempered_weights(scores, np.ones(3), np.ones((3, 2), dtype=bool))
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert (weights[:, 1] > 0.9).all()
    only_first = tempered_weights(scores, np.ones(3), np.array([[True, False]] * 3))
    assert (only_first[:, 0] == 1).all()


def test_impossible_words_do_not_spoil_the_rest():
    scores = np.array([[-np.inf, -np.inf], [5.0, 0.0]])
    assert np.isfinite(tempered_weights(scores, np.ones(2), np.ones((2, 2), dtype=bool))).all()


def test_rare_words_do_not_stray_from_the_stream():
    counts, times, _ = drifting(n_documents=1500, n_words=120)
    loo = LeaveOneOut(History.of(counts, times), Kernel(), by_word=True)
    widths = np.append(np.geomspace(0.01, 2, 20), np.inf)
    chosen = np.minimum(widths[curve_bandwidths(loo, widths)], 2)
    totals = loo.history.word_totals
    typical = np.exp(np.log(chosen) @ totals / totals.sum())
    assert chosen.max() < 3 * typical


def test_a_word_with_little_to_say_follows_its_like():
    scores = np.array([[10.0, 0.0], [8.0, 0.0], [0.0, 0.5], [0.0, 900.0]])
    assert steadied_choice(scores[:3], np.ones(3)).tolist() == [0, 0, 0]
    assert steadied_choice(scores[3:], np.ones(1)).tolist() == [1]


def test_a_column_with_most_tokens_does_not_decide_for_the_others():
    wanted = np.array([2.0, 2.1, 2.2, 2.3, 2.4, -5.0])
    assert typical_choice(wanted, np.array([10.0, 10, 10, 10, 10, 5000])) == pytest.approx(2.2)
    assert typical_choice(wanted[:5], np.array([10.0, 10, 10, 10, 12])) == pytest.approx(
        wanted[:5] @ [10, 10, 10, 10, 12] / 52
    )
    assert typical_choice(wanted[:1], np.array([7.0])) == 2.0
    assert typical_choice(wanted, np.zeros(6)) == pytest.approx(wanted.mean())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_curves_of_the_newswire_do_not_collapse(seed):
    wire = simulate_newswire(6000, random_state=seed)
    corpus = Corpus.from_texts(wire.texts, wire.times, min_df=30)
    words = [str(word) for word in corpus.vocabulary.words]
    changed = np.array([words.index(word) for word in wire.changed_words if word in words])
    others = sp.csr_array(corpus.counts.sum(axis=1) - corpus.counts[:, changed].sum(axis=1))
    model = LocalMultinomial(bandwidth="cv").fit(sp.hstack([corpus.counts[:, changed], others]), times=corpus.times)
    assert np.median(365 / model.curve_bandwidth_[:-1]) < 40
    curve = model.frequency(np.arange(len(changed)))
    truth = wire.probabilities([words[column] for column in changed], curve.times, vocabulary=words).T
    assert np.median((curve.upper - curve.lower).mean(axis=1) / np.ptp(truth, axis=1)) < 1.0
    assert 0.8 < np.median(curve.value.max(axis=1) / truth.max(axis=1)) < 1.5
