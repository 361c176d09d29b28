from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.markov import enumerate_paths

from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.sequences.baum_welch import BAUM_WELCH, Parameters, Sequences, best_paths, expected_counts

DOCUMENTS = [[0, 1, 3], [2], [], [1, -1, 0, 2, 3]]


def example(seed=0, n_states=3, n_words=4):
    rng = np.random.default_rng(seed)
    parameters = Parameters(
        rng.dirichlet(np.ones(n_states)),
        rng.dirichlet(np.ones(n_states), n_states),
        np.ascontiguousarray(rng.dirichlet(np.ones(n_words), n_states).T),
    )
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in DOCUMENTS])])
    tokens = np.array([word for words in DOCUMENTS for word in words])
    return parameters, Sequences(tokens, offsets, n_states, n_words, 0.1)


def by_enumeration(parameters, words):
    """Return all paths of one document and the logs of their joint probabilities."""
    logs = np.array([np.log(parameters.emission[word]) if word >= 0 else np.zeros(3) for word in words])
    return enumerate_paths(parameters.initial, [parameters.transition] * len(words), logs)


def test_counts_are_those_of_all_paths():
    parameters, problem = example()
    counts, evidence = expected_counts(parameters, problem)
    starts, moves, emissions = np.zeros(3), np.zeros((3, 3)), np.zeros((4, 3))
    for words, found in zip(DOCUMENTS, evidence):
        if not words:
            assert found == 0
            continue
        paths, logs = by_enumeration(parameters, words)
        assert found == pytest.approx(np.logaddexp.reduce(logs))
        for path, weight in zip(paths, np.exp(logs - np.logaddexp.reduce(logs))):
            starts[path[0]] += weight
            np.add.at(moves, (path[:-1], path[1:]), weight)
            for word, state in zip(words, path):
                if word >= 0:
                    emissions[word, state] += weight
    np.testing.assert_allclose(counts.initial, starts)
    np.testing.assert_allclose(counts.transition, moves)
    np.testing.assert_allclose(counts.emission, emissions)
    np.testing.assert_array_equal(expected_counts(parameters, problem, evidence_only=True)[1], evidence)


def test_the_best_path_is_the_best_of_all():
    parameters, problem = example(1)
    for words, path in zip(DOCUMENTS, best_paths(parameters, problem)):
        assert len(path) == len(words)
        if words:
            paths, logs = by_enumeration(parameters, words)
            assert path.tolist() == paths[logs.argmax()].tolist()


def test_the_log_posterior_never_falls():
    _, problem = example()
    done = run(BAUM_WELCH, problem, stop=Stop(40), chains=3, rng=0)
    assert (np.diff(done.objective, axis=1) > -1e-9).all()
    for part, axis in zip(done.result, (0, 1, 0)):
        np.testing.assert_allclose(part.sum(axis=axis), 1)


def test_the_objective_is_likelihood_and_prior():
    parameters, problem = example()
    _, objective = BAUM_WELCH.expect(parameters, problem, None)
    prior = 0.1 * sum(np.log(part).sum() for part in parameters)
    assert objective == pytest.approx(expected_counts(parameters, problem)[1].sum() + prior)
