from __future__ import annotations

import itertools

import numpy as np
import pytest

from driftline.core.errors import ModelFileError
from driftline.sequences import HiddenMarkovModel

WORDS = [0, 2, 1, 1, 0]


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    return HiddenMarkovModel(2, n_restarts=2, max_steps=20, random_state=0).fit([rng.integers(0, 3, 12).tolist()] * 3)


def joint(model, path, words):
    found = model.initial_[path[0]] * model.emission_[path[0], words[0]]
    for before, state, word in zip(path, path[1:], words[1:]):
        found *= model.transition_[before, state] * model.emission_[state, word]
    return found


def test_answers_are_those_of_all_paths(model):
    paths = list(itertools.product(range(2), repeat=len(WORDS)))
    weights = np.array([joint(model, path, WORDS) for path in paths])
    assert tuple(model.predict([WORDS])[0]) == paths[int(weights.argmax())]
    assert model.score_samples([WORDS])[0] == pytest.approx(np.log(weights.sum()))
    assert model.score([WORDS]) == pytest.approx(np.log(weights.sum()) / len(WORDS))
    shares = [[weights[[path[t] == s for path in paths]].sum() for s in range(2)] for t in range(len(WORDS))]
    np.testing.assert_allclose(model.predict_marginals([WORDS])[0], np.array(shares) / weights.sum(), atol=1e-12)


@pytest.mark.parametrize(
    "kind, x, broken, message",
    [
        ("gaussian", [1.0, 2.0, 9.0, 8.0], lambda e: -e, "positive variances"),
        ("poisson", [1, 2, 9, 8], lambda e: -e, "negative"),
        ("poisson", [1, 2, 9, 8], lambda e: np.hstack([e, e]), "more than one number"),
        ("categorical", [0, 1, 1, 0], lambda e: -e, "negative"),
    ],
)
def test_a_damaged_model_is_refused(kind, x, broken, message):
    fitted = HiddenMarkovModel(2, kind, random_state=0).fit([x])
    fitted._check_state()
    fitted.emission_ = broken(fitted.emission_)
    fitted.n_words_ = fitted.emission_.shape[1]
    with pytest.raises(ModelFileError, match=message):
        fitted._check_state()
