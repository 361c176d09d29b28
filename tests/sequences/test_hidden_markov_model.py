from __future__ import annotations

import inspect
import itertools
from pathlib import Path

import numpy as np
import pytest

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
    _, objective = BAUM_WELCH.expect(model._parameters, model._problem(documents), None)
    assert objective >= model.restarts_.max()


def test_workers_do_not_matter():
    documents, _ = simulated(10, 30)
    one, two = (HiddenMarkovModel(3, n_jobs=n, random_state=3).fit(documents) for n in (1, 2))
    assert one.emission_.tobytes() == two.emission_.tobytes()


def test_unknown_words_are_uninformative():
    model = HiddenMarkovModel(2, random_state=0).fit([[0, 1, 0], [1, 1]])
    assert model.score_samples([[-1, 99], []]).tolist() == pytest.approx([0.0, 0.0])
    assert [len(path) for path in model.predict([[0, 99, 1], []])] == [3, 0]
    assert model.score([[]]) == 0.0
    assert model.predict([]) == []


@pytest.mark.parametrize("documents", [[], [[]], [[-1, -1]]])
def test_input_without_observations_is_refused(documents):
    with pytest.raises(InvalidInput, match="no document has a known word"):
        HiddenMarkovModel().fit(documents)


def series(kind, n=400, seed=0):
    """Draw a series of three segments: low, high, low."""
    rng = np.random.default_rng(seed)
    high = (np.arange(n) // (n // 3)) == 1
    if kind == "gaussian":
        return np.stack(
            [rng.normal(np.where(high, 5.0, 1.0)), rng.normal(np.where(high, -2.0, 2.0), 0.5)], axis=1
        ), high
    if kind == "poisson":
        return rng.poisson(np.where(high, 9.0, 3.0)).astype(float), high
    totals = rng.integers(0, 60, n)
    return np.stack([rng.binomial(totals, np.where(high, 0.4, 0.1)), totals], axis=1).astype(float), high


@pytest.mark.parametrize(
    "kind, expected",
    [
        ("gaussian", [[1, 2, 1, 0.25], [5, -2, 1, 0.25]]),
        ("poisson", [[3], [9]]),
        ("binomial", [[0.1], [0.4]]),
    ],
)
def test_levels_of_a_series_are_recovered(kind, expected):
    x, high = series(kind)
    model = HiddenMarkovModel(2, kind, random_state=0).fit([x])
    np.testing.assert_allclose(model.emission_, expected, rtol=0.2)
    assert (model.predict([x])[0] == high).mean() > 0.97
    probabilities = model.predict_marginals([x, x[:0]])
    np.testing.assert_allclose(probabilities[0].sum(axis=1), 1)
    assert probabilities[1].shape == (0, 2)
    assert (probabilities[0].argmax(axis=1) == high).mean() > 0.97


def test_missing_observations_are_bridged():
    x, high = series("poisson")
    x[150:160] = np.nan
    model = HiddenMarkovModel(2, "poisson", random_state=0).fit([x])
    assert (model.predict([x])[0][150:160] == high[150:160]).all()


def test_with_all_tags_the_estimate_is_a_count():
    words, tags = [[0, 1, 2], [0, 2]], [["D", "N", "V"], ["D", "V"]]
    model = HiddenMarkovModel(smoothing=1e-9).fit(words, tags)
    assert model.classes_.tolist() == ["D", "N", "V"]
    np.testing.assert_allclose(model.initial_, [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(model.transition_[0], [0, 0.5, 0.5], atol=1e-6)
    np.testing.assert_allclose(model.emission_, np.eye(3), atol=1e-6)
    assert [path.tolist() for path in model.predict([[0, 1, 2], []])] == [["D", "N", "V"], []]
    assert model.score(words, tags) == 1.0
    assert model.score(words, [["D", None, "D"], None]) == 0.5


def test_a_few_tags_name_the_states():
    x, high = series("gaussian")
    tags = np.full(len(x), None)
    tags[[5, 200]] = ["calm", "storm"]
    model = HiddenMarkovModel(None, "gaussian", random_state=0).fit([x], [tags])
    assert (model.predict([x])[0] == np.where(high, "storm", "calm")).mean() > 0.97


def test_numbers_of_states_are_tags():
    model = HiddenMarkovModel(3, random_state=0).fit([[0, 1, 0, 2]], [[0, 1, -1, -1]])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict([[0, 1]])[0].tolist() == [0, 1]


@pytest.mark.parametrize(
    "arguments, y, message",
    [
        ({"n_states": 3}, [["a", "b"]], "2 distinct tags, but n_states=3"),
        ({"n_states": 2}, [[0, 2]], "position 1 of sentence 0 has the tag 2"),
        ({}, [["a"]], "sentence 0 has 2 tokens but 1 tags"),
        ({}, [[None, -1]], "no tag is known"),
        ({"emissions": "poisson", "n_words": 3}, None, "n_words and vocabulary are for words"),
    ],
)
def test_bad_input_is_refused(arguments, y, message):
    with pytest.raises(InvalidInput, match=message):
        HiddenMarkovModel(**arguments).fit([[0, 1]], y)


def test_accuracy_needs_tags():
    model = HiddenMarkovModel().fit([[0, 1]], [["a", "b"]])
    with pytest.raises(InvalidInput, match="no tag is known"):
        model.score([[0]], [[None]])


@pytest.mark.parametrize("kind", ["gaussian", "poisson", "binomial"])
@pytest.mark.parametrize("number", [0, 1])
def test_more_states_than_observations_and_constant_ones(kind, number):
    x = np.full((3, 2), float(number)) if kind == "binomial" else np.full(3, float(number))
    if (kind, number) == ("binomial", 0):
        with pytest.raises(InvalidInput, match="no sequence has an observation"):
            HiddenMarkovModel(5, kind).fit([x])
        return
    model = HiddenMarkovModel(5, kind, random_state=0).fit([x])
    assert np.isfinite(model.emission_).all()
    assert np.isfinite(model.score([x]))


def test_the_contract_of_inference_is_enough():
    """A model that needs more than one short file of its own shows that the shared parts lack something."""
    source = Path(inspect.getfile(HiddenMarkovModel)).read_text(encoding="utf-8")
    assert len(source.splitlines()) < 150
    assert "njit" not in source
