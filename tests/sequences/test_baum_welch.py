from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize
from tests.oracles.markov import enumerate_paths

from driftline.inference.contract import Info
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.sequences.baum_welch import (
    BAUM_WELCH,
    Converged,
    Parameters,
    Sequences,
    best_paths,
    expected_counts,
    state_probabilities,
)
from driftline.sequences.emissions import KINDS

DOCUMENTS = [[0, 1, 3], [2], [], [1, -1, 0, 2, 3]]
ROWS = np.array([word for words in DOCUMENTS for word in words])
OFFSETS = np.concatenate([[0], np.cumsum([len(words) for words in DOCUMENTS])])
VALUES = {
    "categorical": np.empty((4, 0)),
    "gaussian": np.array([[0.3, -1.0], [1.2, 0.5], [-0.7, 2.0], [2.2, 0.1]]),
    "poisson": np.array([[0.0], [2.0], [3.0], [9.0]]),
    "binomial": np.array([[0.0, 4.0], [2.0, 3.0], [5.0, 5.0], [1.0, 20.0]]),
}
UNKNOWN = np.full(len(ROWS), -1)
SOME = np.where(np.arange(len(ROWS)) % 3 == 1, np.arange(len(ROWS)) % 2, -1)


def example(kind="categorical", seed=0, n_states=3, known=UNKNOWN):
    rng = np.random.default_rng(seed)
    problem = Sequences(ROWS, OFFSETS, n_states, VALUES[kind], 0.1, known, kind)
    return BAUM_WELCH.begin(problem, rng), problem


def log_likelihoods(parameters, problem):
    """Return the log-likelihood of every step, by the textbook density; impossible where another state is known."""
    seen = np.zeros((len(problem.rows), problem.n_states))
    for t, row in enumerate(problem.rows):
        for s in range(problem.n_states):
            if row >= 0:
                seen[t, s] = density(problem.kind, problem.values[row], row, parameters.emission[:, s])
            if len(problem.known) and problem.known[t] >= 0 and problem.known[t] != s:
                seen[t, s] = -np.inf
    return seen


def density(kind, value, row, numbers):
    if kind == "categorical":
        return np.log(numbers[row])
    if kind == "gaussian":
        means, spread = np.split(numbers, 2)
        return stats.norm.logpdf(value, means, np.sqrt(spread)).sum()
    if kind == "poisson":
        return stats.poisson.logpmf(value[0], numbers[0])
    return stats.binom.logpmf(value[0], value[1], numbers[0])


@pytest.mark.parametrize("known", [UNKNOWN, SOME], ids=["no tags", "some tags"])
@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_all_paths(kind, known):
    parameters, problem = example(kind, known=known)
    counts, evidence = expected_counts(parameters, problem)
    beliefs = state_probabilities(parameters, problem)
    starts, moves, emissions = np.zeros(3), np.zeros((3, 3)), np.zeros((4, 3))
    seen = log_likelihoods(parameters, problem)
    for d, found in enumerate(evidence):
        begin, end = OFFSETS[d : d + 2]
        if begin == end:
            assert found == 0
            continue
        paths, logs = enumerate_paths(parameters.initial, [parameters.transition] * (end - begin), seen[begin:end])
        assert found == pytest.approx(np.logaddexp.reduce(logs))
        expected = np.zeros((end - begin, 3))
        for path, weight in zip(paths, np.exp(logs - np.logaddexp.reduce(logs))):
            starts[path[0]] += weight
            np.add.at(moves, (path[:-1], path[1:]), weight)
            expected[np.arange(end - begin), path] += weight
        np.testing.assert_allclose(beliefs[d], expected, atol=1e-12)
        for row, belief in zip(ROWS[begin:end], expected):
            if row >= 0:
                emissions[row] += belief
    np.testing.assert_allclose(counts.initial, starts, atol=1e-12)
    np.testing.assert_allclose(counts.transition, moves, atol=1e-12)
    np.testing.assert_allclose(counts.emission, emissions, atol=1e-12)
    np.testing.assert_array_equal(expected_counts(parameters, problem, evidence_only=True)[1], evidence)


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_path_is_the_best_of_all(kind):
    parameters, problem = example(kind, 1)
    seen = log_likelihoods(parameters, problem)
    for d, path in enumerate(best_paths(parameters, problem)):
        begin, end = OFFSETS[d : d + 2]
        assert len(path) == end - begin
        if len(path):
            paths, logs = enumerate_paths(parameters.initial, [parameters.transition] * len(path), seen[begin:end])
            assert path.tolist() == paths[logs.argmax()].tolist()


@pytest.mark.parametrize("kind", ["gaussian", "poisson", "binomial"])
def test_the_m_step_is_the_maximum(kind):
    """No parameters have a higher expected log posterior than those of the M step; the optimiser knows no formula."""
    parameters, problem = example(kind)
    counts, _ = expected_counts(parameters, problem)
    kind = problem.emissions
    centre = problem.summary().centre
    found = kind.estimate(problem.values, counts.emission, centre, problem.smoothing)

    def loss(flat):
        tried = found * np.exp(flat.reshape(found.shape))
        if problem.kind == "gaussian":
            tried[:2] = found[:2] + flat.reshape(found.shape)[:2]
        elif problem.kind == "binomial":
            tried = 1 / (1 + np.exp(-np.log(found / (1 - found)) - flat.reshape(found.shape)))
        fit = (counts.emission * kind.log_likelihood(problem.values, tried)).sum()
        return -(fit + kind.log_prior(tried, centre, problem.smoothing))

    best = minimize(loss, np.full(found.size, 0.05), method="BFGS")
    assert loss(np.zeros(found.size)) <= best.fun + 1e-6
    assert np.abs(best.x).max() < 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_the_log_posterior_never_decreases_unless_a_state_was_moved(kind):
    _, problem = example(kind)
    done = run(BAUM_WELCH, problem, stop=Stop(40), chains=3, rng=0)
    for infos in done.infos:
        for before, after in itertools.pairwise(infos):
            assert before.moved > 0 or after.objective - before.objective > -1e-9
    np.testing.assert_allclose(done.result.initial.sum(), 1)
    np.testing.assert_allclose(done.result.transition.sum(axis=1), 1)


def test_the_objective_is_likelihood_and_prior():
    parameters, problem = example()
    _, objective = BAUM_WELCH.expect(parameters, problem, None)
    prior = 0.1 * sum(np.log(part).sum() for part in parameters[:3])
    assert objective == pytest.approx(expected_counts(parameters, problem)[1].sum() + prior)


def test_an_empty_state_is_moved_to_what_the_others_explain_worst():
    values = np.array([[0.0], [0.1], [50.0]])
    problem = Sequences(np.array([0, 1, 0, 1, 0, 2, 2, 1]), np.array([0, 8]), 2, values, 0.01, UNKNOWN[:0], "gaussian")
    far = Parameters(np.array([0.5, 0.5]), np.full((2, 2), 0.5), np.array([[5.0, 1e6], [900.0, 1.0]]))
    counts, _ = expected_counts(far, problem)
    assert counts.emission[:, 1].sum() < 1e-6
    after = BAUM_WELCH.maximise(counts, far, problem)
    assert after.restarts == 1
    assert 20 < after.emission[0, 1] < 50
    assert BAUM_WELCH.maximise(counts, far._replace(restarts=3), problem).emission[0, 1] < 20, "not again and again"


def test_a_restart_postpones_convergence():
    rule = Converged(1e-6)
    assert rule([Info(-5.0, 0.0), Info(-5.0, 0.0)])
    assert not rule([Info(-5.0, 1.0), Info(-6.0, 0.0)])
