"""The rivals that compete to predict the next documents."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from tests.oracles.local_logistic import losses, minimiser

from driftline.local import LocalLogisticRegression
from driftline.local.fit_times import just_after
from driftline.local.logistic import fit_contest
from driftline.local.logistic.fit_contest import RIVALS, Settings, advance, begin, latest, standing
from driftline.local.logistic.fit_path import fit_background
from driftline.local.logistic.local_fit import Objective, Training
from driftline.smoothing.kernels import Kernel


def stream(n=400, flips_at=None, seed=0):
    """Return a stream in whose first word the classes differ; it changes sides at `flips_at`."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    side = np.ones(n) if flips_at is None else np.where(np.arange(n) < flips_at, 1.0, -1.0)
    X = rng.normal(0, 0.5, (n, 4))
    X[:, 0] += side * (2.0 * labels - 1)
    return Training(sp.csr_matrix(X), labels, np.arange(n, dtype=float), 1)


@pytest.fixture
def small(monkeypatch):
    """Fewer documents for every rival, and accurate fits."""
    Rival = fit_contest.Rival
    rivals = (Rival("global", 0), Rival("kernel", 40), Rival("window", 30), Rival("bandwidth", 0))
    monkeypatch.setattr(fit_contest, "RIVALS", rivals)
    monkeypatch.setattr(fit_contest, "WINDOWS", (30, 60))
    monkeypatch.setattr(fit_contest, "STEP", 10)
    monkeypatch.setattr(fit_contest, "ROUGH", 1e-9)
    return rivals


def settings(**changes):
    objective = Objective(Kernel("tricube", "past"), C=2.0, center="global", tol=1e-9, **changes)
    return Settings(objective, Objective(Kernel("tricube", "past"), C=5.0, tol=1e-9), 25.0)


def test_every_rival_is_the_fit_it_says(small):
    training = stream(200)
    contest = begin(training, background := fit_background(training, settings().steady)[0], settings())
    dense, end = training.X.toarray(), just_after(training.times[-1])
    base = background.at(-1)
    np.testing.assert_array_equal(contest.coefficients[0], base.coefficients)
    for rival, reach in ((1, end - training.times[-40]), (3, 25.0)):
        weights = Kernel("tricube", "past").relative_weights(end - training.times, reach)
        offsets = dense @ base.coefficients.T + base.intercepts
        beyond = minimiser(dense, training.labels, weights, offsets, np.full((5, 1), 1 / 2.0))
        np.testing.assert_allclose(contest.coefficients[rival, 0], base.coefficients[0] + beyond[:-1, 0], atol=1e-4)
    window = LogisticRegression(C=5.0, tol=1e-9).fit(dense[-30:], training.labels[-30:])
    np.testing.assert_allclose(contest.coefficients[2], window.coef_, atol=1e-3)
    np.testing.assert_allclose(contest.intercepts[2], window.intercept_, atol=1e-3)


def test_losses_fade_and_count_only_documents_not_yet_seen(small):
    training = stream(160)
    given = settings()
    background = fit_background(training, given.steady)[0]
    contest = begin(training.rows(slice(0, 100)), background, given)
    models = [(contest.coefficients[r].copy(), contest.intercepts[r].copy()) for r in range(4)]
    after = advance(contest, training.rows(slice(100, 110)), background, given)
    X, labels = training.X[100:110], training.labels[100:110]
    fresh = [losses(X @ coefficients.T + intercepts, labels).sum() for coefficients, intercepts in models]
    fading = 0.5 ** (10 / fit_contest.HALF_LIFE)
    np.testing.assert_allclose(after.losses, fading * contest.losses + fresh, rtol=1e-9)
    assert after.evidence == pytest.approx(fading * contest.evidence + 10)
    waiting = advance(after, training.rows(slice(110, 117)), background, given)
    assert waiting.n_unseen == 7
    np.testing.assert_array_equal(waiting.losses, after.losses, "seven documents are too few for a round")
    best = latest(waiting, background, given)
    assert not np.allclose(best.coefficients, waiting.coefficients[waiting.leader]), (
        "the answer knows them all the same"
    )


def test_memory_is_bounded(small):
    training = stream(400)
    given = settings()
    background = fit_background(training, given.steady)[0]
    contest = begin(training.rows(slice(0, 100)), background, given)
    for start in range(100, 400, 25):
        contest = advance(contest, training.rows(slice(start, start + 25)), background, given)
        assert len(contest.recent.times) <= 60 + 10


def test_the_first_document_of_a_stream_is_enough_to_begin():
    contest = begin(stream(1), fit_background(stream(1), settings().steady)[0], settings())
    assert contest.leader == 0
    assert len(list(standing(contest))) == len(RIVALS)


def test_after_a_break_the_short_memory_takes_over():
    """The classes' word changes sides: a bandwidth chosen before that has long stopped being right."""
    training = stream(1600, flips_at=1000)
    X, y, times = training.X, training.labels, training.times
    model = LocalLogisticRegression(side="past").fit(X[:800], y[:800], times=times[:800])
    assert model.standing_[0][0] in {str(rival) for rival in RIVALS}
    before = model.standing_[0][0]
    kept = LocalLogisticRegression(
        side="past", bandwidth=800.0
    )  # as wide as what has been seen, in which nothing moved
    kept.fit(X[:800], y[:800], times=times[:800])
    errors = {id(model): 0, id(kept): 0}
    for start in range(800, 1600, 50):
        rows = slice(start, start + 50)
        for each in (model, kept):
            errors[id(each)] += (each.predict(X[rows], times=times[rows]) != y[rows]).sum()
            each.partial_fit(X[rows], y[rows], times=times[rows])
    assert errors[id(model)] < 0.7 * errors[id(kept)]
    assert model.standing_[0][0] != before
    assert model.standing_[0][0].startswith("kernel over")


def test_a_given_bandwidth_is_not_contested():
    training = stream(120)
    model = LocalLogisticRegression(side="past", bandwidth=30.0).fit(training.X, training.labels, times=training.times)
    assert model.standing_ == []


def test_documents_of_the_newest_instant_are_answered_by_what_was_learned_at_it():
    """An import gives many documents one time; the classifier must learn from those that came before in it."""
    rng = np.random.default_rng(0)
    labels = np.tile([0, 1], 300)
    X = rng.poisson(np.where(labels[:, None] == 1, [0.2, 2.0, 1.0], [2.0, 0.2, 1.0])).astype(float)
    X[:60, :2] = rng.poisson(1.0, (60, 2))  # before the import the words say nothing
    times = np.where(np.arange(600) < 60, np.arange(600.0), 60.0)
    model = LocalLogisticRegression(side="past", C=1.0).fit(X[:60], labels[:60], times=times[:60])
    model.partial_fit(X[60:400], labels[60:400], times=times[60:400])
    assert model.score(X[400:], labels[400:], times=times[400:]) > 0.85
