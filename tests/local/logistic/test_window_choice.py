"""The choice of bandwidth and penalty."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.local.drifting import labelled_stream
from tests.oracles.local_logistic import losses

from driftline.local.logistic import window_choice
from driftline.local.logistic.local_fit import Objective, Training
from driftline.local.logistic.local_logistic_regression import LocalLogisticRegression
from driftline.local.logistic.window_choice import Search
from driftline.smoothing.kernels import Kernel


def choice_of(side, center="global", bandwidths=(2.0, math.inf), Cs=(1.0,), n=200):
    X, y, times = labelled_stream(n=n)
    training = Training.in_order(X, y, times, 1)
    objective = Objective(Kernel("tricube", side), Cs[0], center=center, tol=1e-6)
    return training, window_choice.choose(training, objective, Search(list(bandwidths), list(Cs), 4, 5))


@pytest.mark.parametrize("center", ["zero", "global"])
def test_losses_are_those_of_documents_left_out(center, monkeypatch):
    monkeypatch.setattr(window_choice, "ROUGH", 1e-7)
    training, choice = choice_of("both", center)
    found = {candidate.bandwidth: candidate.log_loss for candidate in choice.candidates}
    for h, bandwidth in ((2.0, 2.0), (math.inf, "global")):
        expected = np.empty(200)
        for fold in range(5):
            held = np.arange(200) % 5 == fold
            model = LocalLogisticRegression(bandwidth=bandwidth, center=center, grid=4)
            model.fit(training.X[~held], training.labels[~held], times=training.times[~held])
            scores = model.decision_function(training.X[held], times=training.times[held])
            expected[held] = losses(scores[:, None], training.labels[held])
        assert found[h] == pytest.approx(expected.mean(), abs=1e-5)


def test_online_every_document_is_predicted_from_those_before(monkeypatch):
    monkeypatch.setattr(window_choice, "ROUGH", 1e-7)
    training, choice = choice_of("past", "zero")
    found = {candidate.bandwidth: candidate.log_loss for candidate in choice.candidates}
    model = LocalLogisticRegression(bandwidth=2.0, side="past", center="zero", grid=4)
    model.fit(training.X, training.labels, times=training.times)
    later = slice(20, None)
    scores = model.decision_function(training.X[later], times=training.times[later])
    assert found[2.0] == pytest.approx(losses(scores[:, None], training.labels[later]).mean(), abs=1e-5)


def test_the_global_fit_has_its_own_penalty_when_it_is_the_centre():
    _, choice = choice_of("both", "global", bandwidths=(1.0, 2.0, 4.0, math.inf), Cs=(0.01, 0.1, 1.0))
    steady = {c.C: c.log_loss for c in choice.candidates if math.isinf(c.bandwidth)}
    assert choice.C_of_background == min(steady, key=steady.get)
    assert math.isfinite(choice.bandwidth)
    best = min(c.log_loss for c in choice.candidates)
    assert best == next(c.log_loss for c in choice.candidates if (c.bandwidth, c.C) == (choice.bandwidth, choice.C))


def test_a_list_without_infinity_is_taken_at_its_word():
    X, y, times = labelled_stream(n=200)
    order = np.random.default_rng(0).permutation(200)
    training = Training.in_order(X[order], y[order], times, 1)
    objective = Objective(Kernel("tricube"), 1.0)
    assert window_choice.choose(training, objective, Search([1.0, 2.0], [1.0], 4, 5)).bandwidth == 2.0
    assert math.isinf(window_choice.choose(training, objective, Search([1.0, 2.0, math.inf], [1.0], 4, 5)).bandwidth)


def test_only_penalties_to_choose():
    X, y, times = labelled_stream()
    training = Training.in_order(X, y, times, 1).rows(times < 5)  # nothing moves yet
    choice = window_choice.choose(training, Objective(Kernel(), 1.0), Search([math.inf], [1e-4, 1.0], 4, 5))
    assert math.isinf(choice.bandwidth)
    assert choice.C == 1.0


def test_fewer_documents_than_parts():
    X, y, times = labelled_stream(n=3)
    training = Training.in_order(X, y, times, 1)
    choice = window_choice.choose(training, Objective(Kernel(), 1.0), Search([1.0, math.inf], [1.0, 2.0], 4, 5))
    assert np.isfinite([candidate.log_loss for candidate in choice.candidates]).all()
