from __future__ import annotations

import itertools

import numpy as np
import pytest

from driftline.base.sequence_input import as_sequences
from driftline.core.errors import InvalidInput
from driftline.sequences import HiddenMarkovModel
from driftline.sequences.baum_welch import BAUM_WELCH

TRANSITION = np.array([[0.9, 0.1, 0.0], [0.0, 0.85, 0.15], [0.2, 0.0, 0.8]])
EMISSION = np.array([[0.5, 0.4, 0.1, 0, 0, 0], [0, 0, 0.5, 0.5, 0, 0], [0.1, 0, 0, 0, 0.3, 0.6]])


def simulated(n_documents, length, seed=0):
    """Documents drawn from a known model, and their states."""
    rng = np.random.default_rng(seed)
    documents, states = [], []
    for _ in range(n_documents):
        state, path = rng.integers(3), []
        for _ in range(length):
            path.append(state)
            state = rng.choice(3, p=TRANSITION[state])
        documents.append([rng.choice(6, p=EMISSION[state]) for state in path])
        states.append(np.array(path))
    return documents, states


def test_the_truth_is_recovered():
    documents, states = simulated(60, 60)
    model = HiddenMarkovModel(n_states=3, random_state=0).fit(documents)
    order = max(
        itertools.permutations(range(3)), key=lambda order: -np.abs(model.emission_[list(order)] - EMISSION).sum()
    )
    np.testing.assert_allclose(model.emission_[list(order)], EMISSION, atol=0.06)
    np.testing.assert_allclose(model.transition_[np.ix_(order, order)], TRANSITION, atol=0.06)
    place = np.argsort(order)
    right = np.mean([np.mean(place[path] == true) for path, true in zip(model.predict(documents), states)])
    assert right > 0.9


def test_it_predicts_words_better_than_their_shares_do():
    documents, _ = simulated(40, 50)
    unseen, _ = simulated(40, 50, seed=1)
    model = HiddenMarkovModel(n_states=3, random_state=0).fit(documents)
    words = np.concatenate(documents)
    shares = np.bincount(words, minlength=6) / len(words)
    assert model.score(unseen) > np.log(shares[np.concatenate(unseen)]).mean() + 0.3
    assert model.score(unseen) == pytest.approx(model.score_samples(unseen).sum() / 2000)


def test_the_best_of_several_starts_is_kept():
    documents, _ = simulated(10, 30)
    model = HiddenMarkovModel(3, n_restarts=6, random_state=3).fit(documents)
    assert model.restarts_.shape == (6,)
    assert model.restarts_.max() > model.restarts_.min() + 1, "starts differ"
    assert model.objective_[-1] == model.restarts_.max()
    assert (np.diff(model.objective_) > 0).all()
    _, objective = BAUM_WELCH.expect(model._parameters, model._problem(as_sequences(documents)), None)
    assert objective >= model.restarts_.max()


def test_workers_do_not_matter():
    documents, _ = simulated(10, 30)
    one, two = (HiddenMarkovModel(3, n_jobs=n, random_state=3).fit(documents) for n in (1, 2))
    assert one.emission_.tobytes() == two.emission_.tobytes()


def test_unknown_words_say_nothing():
    model = HiddenMarkovModel(2, random_state=0).fit([[0, 1, 0], [1, 1]])
    assert model.score_samples([[-1, 99], []]).tolist() == pytest.approx([0.0, 0.0])
    assert [len(path) for path in model.predict([[0, 99, 1], []])] == [3, 0]
    assert model.score([[]]) == 0.0
    assert model.predict([]) == []


@pytest.mark.parametrize("documents", [[], [[]], [[-1, -1]]])
def test_nothing_to_learn_from_is_said(documents):
    with pytest.raises(InvalidInput, match="no document has a known word"):
        HiddenMarkovModel().fit(documents)
