from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.graphs.bayes.test_structure import random_structure
from tests.oracles import bayes as oracle

import driftline
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.graphs import BayesianNetwork


def network(seed, n=6, share=0.4, zeros=0.0):
    rng = np.random.default_rng(seed)
    structure = random_structure(seed, n, share)
    sizes = rng.integers(2, 4, n)
    tables = {}
    for v, above in enumerate(structure.parents):
        table = rng.dirichlet(np.ones(sizes[v]), [sizes[one] for one in above])
        table[rng.random(table.shape) < zeros] = 0.0
        table[..., 0] += 1e-3
        tables[structure.names[v]] = table / table.sum(axis=-1, keepdims=True)
    given = {name: [structure.names[one] for one in above] for name, above in zip(structure.names, structure.parents)}
    return BayesianNetwork(given).set_tables(tables)


@pytest.mark.parametrize("zeros", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_queries_and_best_states_are_those_of_the_joint_distribution(seed, zeros):
    model = network(seed, zeros=zeros)
    joint = oracle.joint(model.parents_, model.tables_)
    rng = np.random.default_rng(seed)
    for _ in range(12):
        row = np.array([int(rng.integers(size)) if rng.random() < 0.4 else -1 for size in joint.shape])
        evidence = {name: int(state) for name, state in zip(model.names_, row) if state >= 0}
        at = tuple(slice(None) if state < 0 else slice(state, state + 1) for state in row)
        if joint[at].sum() == 0:
            with pytest.raises(InvalidInput, match="probability 0"):
                model.query(evidence)
            continue
        wanted = oracle.conditional(joint, row)
        found = model.query(evidence)
        for v, name in enumerate(model.names_):
            if row[v] < 0:
                np.testing.assert_allclose(list(found[name].values()), wanted[v], atol=1e-12)
                one = model.query(evidence, [name])[name]
                np.testing.assert_allclose(list(one.values()), wanted[v], atol=1e-12)
        best = model.map(evidence)
        assert joint[tuple(best[name] for name in model.names_)] == pytest.approx(joint[at].max())


def test_a_network_in_parts_works():
    model = network(1, share=0.0)
    found = model.query({"v0": 0})
    for name, table in zip(model.names_[1:], model.tables_[1:]):
        np.testing.assert_allclose(list(found[name].values()), table)


def test_d_separation_is_offered_by_name():
    model = BayesianNetwork([("rain", "grass"), ("sprinkler", "grass"), ("grass", "shoes")])
    assert model.d_separated("rain", "sprinkler")
    assert not model.d_separated("rain", "sprinkler", ["shoes"])
    assert model.d_separated("rain", "shoes", ["grass"])


def test_tables_are_counts_and_prior():
    rows = {"rain": [0, 0, 1, 1, 1], "grass": ["dry", "dry", "wet", "wet", "dry"]}
    model = BayesianNetwork({"grass": "rain"}, prior=0.5).fit(rows)
    np.testing.assert_allclose(model.tables_[0], [2.5 / 6, 3.5 / 6])
    np.testing.assert_allclose(model.tables_[1], [[2.5 / 3, 0.5 / 3], [1.5 / 4, 2.5 / 4]])
    assert model.n_steps_ == 0


def test_missing_values_are_learned_by_em():
    truth = BayesianNetwork([("a", "b"), ("b", "c")]).set_tables(
        {"a": [0.3, 0.7], "b": [[0.9, 0.1], [0.2, 0.8]], "c": [[0.8, 0.2], [0.1, 0.9]]}
    )
    rows = truth.sample(3000, random_state=0)
    rng = np.random.default_rng(1)
    holes = {name: [None if rng.random() < 0.3 else value for value in column] for name, column in rows.items()}
    model = BayesianNetwork([("a", "b"), ("b", "c")], random_state=0).fit(holes)
    assert model.converged_
    assert model.n_steps_ > 1
    for got, wanted in zip(model.tables_, truth.tables_):
        np.testing.assert_allclose(got, wanted, atol=0.05)


def test_samples_have_the_joint_distribution():
    model = network(2, n=3)
    joint = oracle.joint(model.parents_, model.tables_)
    drawn = model.sample(20_000, random_state=0)
    counts = np.zeros(joint.shape)
    np.add.at(counts, tuple(np.array(drawn[name]) for name in model.names_), 1)
    assert np.abs(counts / 20_000 - joint).max() < 0.015
    assert model.sample(3, random_state=1) == model.sample(3, random_state=1)


def test_rows_are_scored_with_missing_values_summed_over():
    model = network(3, n=4)
    joint = oracle.joint(model.parents_, model.tables_)
    rows = list(itertools.product(*map(range, joint.shape)))
    table = {name: [row[v] for row in rows] for v, name in enumerate(model.names_)}
    np.testing.assert_allclose(np.exp(model.score_samples(table)), joint.ravel(), atol=1e-12)
    assert model.score_samples({name: [None] for name in model.names_})[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"a": [0.5, 0.6], "b": [[1, 0], [0, 1]]}, "sum to 1"),
        ({"a": [1.5, -0.5], "b": [[1, 0], [0, 1]]}, "sum to 1"),
        ({"a": [0.5, np.nan], "b": [[1, 0], [0, 1]]}, "sum to 1"),
        ({"a": [0.5, 0.5], "b": [1.0, 0.0]}, "shape"),
        ({"a": [0.5, 0.5]}, "no table for 'b'"),
        ({"a": 1.0, "b": [[1, 0], [0, 1]]}, "at least one axis"),
    ],
)
def test_unusable_tables_are_refused(tables, message):
    with pytest.raises(InvalidInput, match=message):
        BayesianNetwork({"b": ["a"]}).set_tables(tables)


def test_unusable_questions_are_refused():
    model = network(0)
    with pytest.raises(InvalidInput, match="no variable"):
        model.query({"z": 0})
    with pytest.raises(InvalidInput, match="no state"):
        model.query({"v0": 99})
    with pytest.raises(InvalidInput, match="no variable"):
        model.query({}, ["z"])
    with pytest.raises(InvalidInput, match="no variable 'z'"):
        BayesianNetwork({"a": []}).fit({"a": [1]}, states={"z": [1]})
    with pytest.raises(InvalidInput, match="no state"):
        BayesianNetwork({"a": []}).fit({"a": [1]}, states={"a": [2, 3]})


def test_a_network_is_saved_and_loaded(tmp_path):
    model = BayesianNetwork({"grass": ["rain"]}).fit({"rain": [0, 1, 1], "grass": ["dry", "wet", "wet"]})
    model.save(tmp_path / "model")
    again = driftline.load(tmp_path / "model")
    assert again.query({"grass": "wet"}) == model.query({"grass": "wet"})
    again.tables_[1] = again.tables_[1][:1]
    with pytest.raises(ModelFileError):
        again._check_state()
