from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.factor_graphs import enumerated

from driftline.core.errors import InvalidInput
from driftline.graphs import MarkovRandomField
from driftline.graphs.fields import markov_random_field


def factors_of(seed, n=6, strength=0.8):
    rng = np.random.default_rng(seed)
    found = [((f"v{i}",), rng.normal(size=3)) for i in range(n)]
    found += [((f"v{i}", f"v{(i + 1) % n}"), strength * rng.normal(size=(3, 3))) for i in range(n)]
    return [*found, (("v0", "v2", "v4"), strength * rng.normal(size=(3, 3, 3)))]


def wanted_of(factors, names):
    numbers = {name: i for i, name in enumerate(names)}
    return enumerated([np.zeros(3)] * len(names), [([numbers[m] for m in members], t) for members, t in factors])


@pytest.mark.parametrize("seed", range(3))
def test_every_method_is_compared_with_enumeration(seed):
    factors = factors_of(seed)
    field = MarkovRandomField(factors)
    marginals, _, log_partition, _, best = wanted_of(factors, field.names)
    exact = field.marginals()
    assert exact.method == "exact"
    assert exact.log_partition == pytest.approx(log_partition)
    for method, within in (("exact", 1e-10), ("messages", 0.12), ("gibbs", 0.06)):
        found = field.marginals(method, random_state=0, n_sweeps=4000)
        assert found.method == method
        assert found.converged
        for name, right in zip(field.names, marginals):
            np.testing.assert_allclose(found.probabilities[name], right, atol=within)
    top = field.map()
    assert (top.score, top.method, top.proven) == (pytest.approx(best), "exact", True)
    assert field.score(top.states) == pytest.approx(best)


@pytest.mark.parametrize("limit", ["CELLS_BY_DEFAULT", "CELLS_TOGETHER_BY_DEFAULT"])
@pytest.mark.parametrize("seed", range(3))
def test_large_fields_are_searched_and_proven(seed, limit, monkeypatch):
    monkeypatch.setattr(markov_random_field, limit, 0)
    factors = factors_of(seed)
    field = MarkovRandomField(factors)
    top = field.map(time_limit=30.0)
    assert top.score == pytest.approx(wanted_of(factors, field.names)[4])
    assert top.proven
    assert not field.map(time_limit=0).proven
    assert field.marginals().method == "messages"


def test_messages_that_do_not_converge_are_reported():
    repel = 8.0 * np.array([[0.0, 1.0], [1.0, 0.0]])
    rng = np.random.default_rng(0)
    factors = [((i, j), repel + rng.normal(size=(2, 2))) for i in range(8) for j in range(i)]
    found = MarkovRandomField(factors).marginals("messages", max_steps=50)
    assert not found.converged
    assert found.n_steps == 50


def test_weights_are_learned_by_pseudo_likelihood():
    equal = np.eye(2)
    field = MarkovRandomField([(("a", "b"), equal), (("b", "c"), equal), (("a",), [0.0, 0.0])])
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(800):
        a = int(rng.integers(2))
        b = a if rng.random() < 0.9 else 1 - a
        rows.append({"a": a, "b": b, "c": int(rng.integers(2))})
    learned, weights = field.fit_weights(rows, penalty=0.1)
    np.testing.assert_allclose(weights, [np.log(9), 0.0], atol=0.35)
    assert learned.score({"a": 0, "b": 0, "c": 1}) == pytest.approx(weights[0])
    assert len(field.fit_weights(rows, groups=[0, 0])[1]) == 1
    with pytest.raises(InvalidInput, match="groups"):
        field.fit_weights(rows, groups=[0])
    with pytest.raises(InvalidInput, match="no observed"):
        field.fit_weights([])


def test_forbidden_joint_states():
    never = np.full((2, 2), -np.inf)
    with pytest.raises(InvalidInput, match="no joint state"):
        MarkovRandomField([(("a", "b"), never)]).map()
    for method in ("exact", "messages", "gibbs"):
        with pytest.raises(InvalidInput, match="no joint state"):
            MarkovRandomField([(("a", "b"), never)]).marginals(method)


@pytest.mark.parametrize(
    "factors",
    [
        [],
        [(("a", "b"), [1.0, 2.0])],
        [(("a", "a"), np.zeros((2, 2)))],
        [(("a",), [np.nan, 0.0])],
        [(("a",), [np.inf, 0.0])],
        [(("a",), [0.0, 0.0]), (("a",), [0.0, 0.0, 0.0])],
        [(("a",), [])],
        [7],
        [((), 0.0)],
    ],
)
def test_unusable_factors_are_refused(factors):
    with pytest.raises(InvalidInput):
        MarkovRandomField(factors)


def test_unusable_questions_are_refused():
    field = MarkovRandomField([(("a",), [0.0, 1.0])])
    with pytest.raises(InvalidInput, match="method"):
        field.marginals("guess")
    with pytest.raises(InvalidInput, match="no state of 'a'"):
        field.score({})
    with pytest.raises(InvalidInput, match="no state 2"):
        field.score({"a": 2})


def test_potentials_whose_sum_could_be_infinite_are_refused():
    with pytest.raises(InvalidInput, match=r"beyond ±1e\+100"):
        MarkovRandomField([(["a"], [1e308, 0.0]), (["a"], [1e308, 0.0])])
