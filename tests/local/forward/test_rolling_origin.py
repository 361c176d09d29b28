import statistics
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from driftline.local.forward.reach import Reach
from driftline.local.forward.reach_fit import log_losses
from driftline.local.forward.rolling_origin import (
    ALL,
    INSEPARABLE,
    MOST_AVERAGED,
    ROUGH,
    Forward,
    carry_out,
    inseparable,
    origins,
    validate,
)
from driftline.local.logistic.local_fit import Objective, Training
from driftline.smoothing.kernels import Kernel

OBJECTIVE = Objective(Kernel("tricube", "past"), 1.0, tol=1e-6)
HOW = {"n_origins": 4, "horizon": None, "average": True, "random_state": 0}


def stream(n=400, turn=300, seed=0):
    """Two classes; at `turn` the words exchange their meaning."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    sign = np.where(np.arange(n) < turn, 1.0, -1.0)
    y = (sign * X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(np.int64)
    return Training(sp.csr_matrix(X), y, np.arange(float(n)), 1)


def test_no_prediction_uses_its_own_or_a_later_document():
    for start, end in origins(np.arange(97.0), 7, None):
        assert 0 < start < end <= 97
    parts = origins(np.arange(97.0), 7, None)
    assert [end for _, end in parts[:-1]] == [start for start, _ in parts[1:]]
    assert parts[-1][1] == 97


def test_a_horizon_bounds_how_far_ahead_is_predicted():
    times = np.sort(np.random.default_rng(0).random(200)) * 100
    for start, end in origins(times, 5, 12.0):
        assert times[end - 1] <= times[start - 1] + 12.0
        assert end == 200 or times[end] > times[start - 1] + 12.0
    assert origins(np.arange(10.0), 3, 1e9) == [(5, 10)]
    assert origins(np.arange(10.0), 2, np.inf) == [(5, 10), (7, 10)]


def test_scores_are_those_of_refits_before_each_origin():
    training = stream()
    reach = Reach("documents", 100)
    found = validate(training, np.arange(400), [reach], [1.0], OBJECTIVE, **HOW)
    expected = []
    for start, end in origins(training.times, 4, None):
        peer = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000)
        peer.fit(training.X[start - 100 : start], training.labels[start - 100 : start])
        expected.append(peer.predict_log_proba(training.X[start:end]))
    expected = np.concatenate(expected)
    own = expected[np.arange(len(expected)), training.labels[found.documents]]
    assert found.scored[0].log_loss == pytest.approx(-own.mean(), abs=1e-2)  # validation fits are rough
    assert found.scored[0].accuracy == pytest.approx((expected.argmax(1) == training.labels[200:]).mean(), abs=0.02)


def test_a_short_window_wins_after_a_turn_and_all_documents_without_one():
    reaches = [ALL, Reach("documents", 50)]
    alone = {**HOW, "average": False}
    turned = validate(stream(turn=230), np.arange(400), reaches, [0.1, 1.0, 10.0], OBJECTIVE, **alone)
    assert turned.scored[0].plan.reaches == (reaches[1],)
    steady = validate(stream(turn=400), np.arange(400), reaches, [0.1, 1.0, 10.0], OBJECTIVE, **alone)
    assert steady.scored[0].plan.reaches == (ALL,)
    assert steady.scored[0].wins > 0.5


def test_differences_are_paired_and_the_average_is_first():
    reaches = [ALL, Reach("documents", 50), Reach("time", 70.0), Reach("kernel", 90.0)]
    found = validate(stream(turn=230), np.arange(400) // 5, reaches, [1.0, 10.0], OBJECTIVE, **HOW)
    best = found.scored[0]
    assert best.loss_behind == (0.0, 0.0, 0.0)
    for scored in found.scored[1:]:
        assert scored.log_loss - best.log_loss == pytest.approx(scored.loss_behind.mean)
        assert best.accuracy - scored.accuracy == pytest.approx(scored.accuracy_behind.mean)
        assert scored.loss_behind.low <= scored.loss_behind.mean <= scored.loss_behind.high
    assert sum(scored.wins for scored in found.scored) == pytest.approx(1.0)
    average, *others = found.scored
    assert average.plan.kind == "average"
    assert sorted(scored.plan.kind for scored in others) == ["all", "documents", "kernel", "time"]
    assert [scored.log_loss for scored in others] == sorted(scored.log_loss for scored in others)
    assert average.plan.reaches[0] == others[0].plan.reaches[0]
    assert len(average.plan.reaches) == len(average.plan.penalties) > 1


def _inseparable(losses, origin):
    """By definition: candidate by candidate, origin by origin."""
    best = min(range(len(losses)), key=lambda k: np.mean(losses[k]))
    near = []
    for k in range(len(losses)):
        differences = [np.mean(losses[k][origin == o] - losses[best][origin == o]) for o in sorted(set(origin))]
        error = statistics.stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else 0.0
        if np.mean(losses[k]) - np.mean(losses[best]) <= INSEPARABLE * error:
            near.append(k)
    return sorted(near, key=lambda k: np.mean(losses[k]))[:MOST_AVERAGED]


@pytest.mark.parametrize("seed", range(5))
def test_inseparable_candidates_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    origin = rng.integers(0, 5, 300)
    losses = rng.exponential(size=(30, 300)) + rng.normal(0, 0.2, (30, 5))[:, origin] + rng.uniform(0, 0.5, (30, 1))
    found = inseparable(losses, origin)
    assert found == _inseparable(losses, origin)
    assert 1 < len(found) <= MOST_AVERAGED
    assert inseparable(losses, np.zeros(300, dtype=int)) == found[:1]
    clear = losses.copy()
    clear[3] -= 5.0
    assert inseparable(clear, origin) == [3]


def test_origins_that_predict_the_same_documents_have_no_error_and_the_best_is_used_alone():
    reaches = [ALL, Reach("documents", 150), Reach("documents", 190)]
    steady = stream(turn=400)
    apart = validate(steady, np.arange(400), reaches, [1.0], OBJECTIVE, **HOW)
    assert apart.scored[0].plan.kind == "average"
    for horizon, kinds in ((np.inf, 0), (75.0, 0), (50.0, 1)):  # an origin every 50 documents
        found = validate(steady, np.arange(400), reaches, [1.0], OBJECTIVE, **{**HOW, "horizon": horizon})
        assert [scored.plan.kind for scored in found.scored].count("average") == kinds
        losses = [scored.log_loss for scored in found.scored[kinds:]]
        assert losses == sorted(losses)


def test_a_candidate_that_is_clearly_best_is_chosen_alone():
    reaches = [ALL, Reach("documents", 40)]
    X = sp.csr_matrix(np.eye(2)[np.arange(400) % 2])
    labels = (np.arange(400) + (np.arange(400) >= 150)) % 2  # the meaning of the columns turns once, for good
    found = validate(Training(X, labels, np.arange(400.0), 1), np.arange(400), reaches, [1.0], OBJECTIVE, **HOW)
    assert [scored.plan.kind for scored in found.scored].count("average") == 0
    assert found.scored[0].plan.reaches == (Reach("documents", 40),)


def test_an_average_at_an_origin_is_chosen_without_that_origin():
    """The words change after the last origin, so that what is best there differs from what is best elsewhere."""
    training = stream(turn=360)
    candidates = [Reach("documents", 40), Reach("documents", 190), Reach("time", 40.0), Reach("time", 190.0)]
    parts = origins(training.times, 4, None)
    labels = training.labels[200:]
    rough = replace(OBJECTIVE, tol=ROUGH)
    forward = Forward(training, parts, labels, rough, [None] * 4)
    scores = np.stack([forward.scores(reach, 1.0)[0] for reach in candidates])
    losses = log_losses(scores, labels)
    origin = np.repeat(np.arange(4), [end - start for start, end in parts])
    crossed, flattered = (np.empty(200) for _ in range(2))
    for number in range(4):
        held = origin == number
        for target, judged in ((crossed, ~held), (flattered, np.ones(200, dtype=bool))):
            best = _inseparable(losses[:, judged], origin[judged])
            target[held] = log_losses(scores[best][:, held].mean(axis=0), labels[held])
    found = validate(training, np.arange(400), candidates, [1.0], OBJECTIVE, **HOW)
    average = next(scored for scored in found.scored if scored.plan.kind == "average")
    assert abs(crossed.mean() - flattered.mean()) > 0.01
    assert average.log_loss == pytest.approx(crossed.mean())


def test_a_plan_of_one_window_is_its_regression():
    training = stream()
    found = validate(training, np.arange(400), [Reach("documents", 80)], [1.0], OBJECTIVE, **HOW)
    model, converged = carry_out(found.scored[0].plan, training, OBJECTIVE)
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(training.X[-80:], training.labels[-80:])
    assert converged
    assert np.allclose(model.coefficients, peer.coef_, atol=1e-3)
