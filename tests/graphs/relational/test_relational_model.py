from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles.relational import enumerated

import driftline
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.graphs import RelationalModel

SCHEMA = {
    "Team": ["field"],
    "Person": {"attributes": ["rank"], "slots": {"team": "Team.people"}},
    "Mail": {"attributes": ["topic", "urgent"], "slots": {"author": "Person.mails", "answers": "Mail"}},
}
DEPENDENCIES = {
    "Team.field": [],
    "Person.rank": ["team.field"],
    "Mail.topic": ["author.team.field", "mode(answers.topic)"],
    "Mail.urgent": ["topic", "author.rank", "count(answers.topic = gas)"],
}
INVERSES = {("Team", "people"): ("Person", "team"), ("Person", "mails"): ("Mail", "author")}
TARGETS = {("Person", "team"): "Team", ("Mail", "author"): "Person", ("Mail", "answers"): "Mail"}
STATES = {
    "Team.field": ["gas", "law"],
    "Person.rank": [1, 2, 3],
    "Mail.topic": ["gas", "law", "fun"],
    "Mail.urgent": [0, 1],
}


def drawn(rng, n_teams=3, n_people=6, n_mails=12, missing=0.0):
    """Return tables of objects with random attributes, of which some are missing."""

    def column(values, n):
        return [None if rng.random() < missing else values[k] for k in rng.integers(0, len(values), n)]

    teams, people = [f"t{k}" for k in range(n_teams)], [f"p{k}" for k in range(n_people)]
    answers = [rng.choice(k, min(k, int(rng.integers(0, 4))), replace=False).tolist() for k in range(n_mails)]
    return {
        "Team": {"id": teams, "field": column(["gas", "law"], n_teams)},
        "Person": {
            "id": people,
            "rank": column([1, 2, 3], n_people),
            "team": [None if rng.random() < 0.2 else str(rng.choice(teams)) for _ in people],
        },
        "Mail": {
            "id": list(range(n_mails)),
            "topic": column(["gas", "law", "fun"], n_mails),
            "urgent": column([0, 1], n_mails),
            "author": [str(rng.choice(people)) for _ in range(n_mails)],
            "answers": answers,
        },
    }


def fitted(dependencies=DEPENDENCIES, seed=0, **options):
    tables = drawn(np.random.default_rng(seed), 8, 30, 80)
    return RelationalModel(SCHEMA, dependencies, ordered=["Mail.answers"], **options).fit(tables, states=STATES)


def compared(model, dependencies, tables):
    expected, best, score = enumerated(model, dependencies, {**tables, None: TARGETS}, INVERSES)
    found = model.query(tables)
    assert found.probabilities.keys() == expected.keys()
    for key, shares in expected.items():
        for value, p in shares.items():
            assert found.probabilities[key][value] == pytest.approx(p, abs=1e-9)
    assert found.n_messages == found.n_unconverged == 0
    best_found = model.map(tables)
    filled = {owner: {name: list(column) for name, column in table.items()} for owner, table in tables.items()}
    for (owner, one, attribute), value in best_found.items():
        filled[owner][attribute][filled[owner]["id"].index(one)] = value
    assert enumerated(model, dependencies, {**filled, None: TARGETS}, INVERSES)[2] == pytest.approx(score)
    assert best.keys() == best_found.keys()


@pytest.mark.parametrize("seed", range(4))
def test_queries_are_those_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    compared(fitted(), DEPENDENCIES, drawn(rng, 2, 3, 5, missing=0.35))


@pytest.mark.parametrize(
    "parent",
    ["mode(people.rank)", "mean(people.rank)", "count(people.rank = 2)", "exists(people.rank = 3)", "count(people)",
     "exists(people.mails)", "mode(people.mails.topic)", "exists(people.mails.urgent = 1)"],
)  # fmt: skip
def test_every_aggregate_is_that_of_enumeration(parent):
    dependencies = {"Team.field": [parent], "Person.rank": ["exists(mails)"], "Mail.topic": ["author.rank", "urgent"]}
    model = fitted(dependencies)
    rng = np.random.default_rng(7)
    for _ in range(3):
        compared(model, dependencies, drawn(rng, 2, 4, 4, missing=0.45))


def test_tables_are_shares_of_complete_objects():
    rng = np.random.default_rng(3)
    tables = drawn(rng, 4, 20, 60, missing=0.1)
    model = RelationalModel(SCHEMA, {"Person.rank": ["team.field"]}, prior=0.5).fit(tables, states=STATES)
    place = model.names_.index("Person.rank")
    assert model.parent_states_[place] == [["gas", "law", "none"]]
    counts = np.full((3, 3), 0.5)
    left_out = 0
    for rank, team in zip(tables["Person"]["rank"], tables["Person"]["team"]):
        field = "none" if team is None else tables["Team"]["field"][tables["Team"]["id"].index(team)]
        if rank is None or field is None:
            left_out += 1
        else:
            counts[["gas", "law", "none"].index(field), rank - 1] += 1
    np.testing.assert_allclose(model.tables_[place], counts / counts.sum(axis=1, keepdims=True))
    assert model.n_left_out_[place] == left_out > 0
    assert model.n_counted_[place] == 20 - left_out


def test_simulated_truth_is_recovered():
    rng = np.random.default_rng(5)
    tables = drawn(rng, 200, 3000, 1)
    truth = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    fields = dict(zip(tables["Team"]["id"], tables["Team"]["field"]))
    tables["Person"]["team"] = [str(rng.choice(tables["Team"]["id"])) for _ in tables["Person"]["id"]]
    tables["Person"]["rank"] = [
        int(rng.choice(3, p=truth[int(fields[team] == "law")])) + 1 for team in tables["Person"]["team"]
    ]
    model = RelationalModel(SCHEMA, {"Person.rank": ["team.field"]}).fit(tables, states=STATES)
    np.testing.assert_allclose(model.tables_[model.names_.index("Person.rank")][:2], truth, atol=0.04)
    # and the fields of teams are inferred from the ranks of their people
    hidden = {**tables, "Team": {"id": tables["Team"]["id"]}}
    answer = model.query(hidden)
    right = [
        max(answer.probabilities["Team", one, "field"], key=answer.probabilities["Team", one, "field"].get)
        == fields[one]
        for one in fields
    ]
    assert np.mean(right) > 0.98
    assert answer.n_exact == 200


def test_wide_parts_are_queried_by_messages():
    schema = {"Page": {"attributes": ["kind"], "slots": {"links": "Page"}}}
    rng = np.random.default_rng(0)
    links = [[] if k < 40 else rng.choice(k, 2, replace=False).tolist() for k in range(200)]
    kinds = [int(rng.integers(4)) for _ in range(200)]
    model = RelationalModel(schema, {"Page.kind": ["count(links.kind = 1)"]}, ordered=["Page.links"])
    model.fit({"Page": {"kind": kinds, "links": links}})
    answer = model.query({"Page": {"kind": [k if n % 8 == 0 else None for n, k in enumerate(kinds)], "links": links}})
    assert answer.n_messages == 1
    assert len(answer.probabilities) == 175
    assert all(sum(shares.values()) == pytest.approx(1) for shares in answer.probabilities.values())


def test_tables_may_be_arrow_or_data_frames():
    pandas = pytest.importorskip("pandas")
    tables = drawn(np.random.default_rng(1))
    plain = RelationalModel(SCHEMA, DEPENDENCIES, ordered=["Mail.answers"]).fit(tables, states=STATES)
    for convert in (pa.table, pandas.DataFrame):
        other = RelationalModel(SCHEMA, DEPENDENCIES, ordered=["Mail.answers"])
        other.fit({owner: convert(table) for owner, table in tables.items()}, states=STATES)
        for one, two in zip(plain.tables_, other.tables_):
            np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("schema", "dependencies", "message"),
    [
        ({}, {}, "a schema maps classes"),
        ({"A": {"attributes": ["x"], "slots": {"b": "B"}}}, {}, "leads to 'B'"),
        ({"A": {"attributes": ["x"], "other": 1}}, {}, "'other'"),
        ({"A": {"attributes": ["x"], "slots": {"x": "A"}}}, {}, "two parts with the name 'x'"),
        ({"A": ["x", "x"]}, {}, "twice"),
        ({"A": ["x y"]}, {}, "names of letters"),
        ({"A": ["x", "y"]}, {"A.x": ["y"], "A.y": ["x"]}, "cycle: A.x → A.y → A.x"),
        ({"A": ["x"]}, {"A.x": ["x"]}, "depends on itself"),
        ({"A": ["x"]}, {"A.z": ["x"]}, "no attribute 'z'"),
        ({"A": ["x", "y"]}, {"A.x": ["mode(y)"]}, "needs a slot"),
        ({"A": ["x", "y"]}, {"A.x": ["most(y)"]}, "no aggregate 'most'"),
        ({"A": ["x", "y"]}, {"A.x": ["mode(y"]}, "is not a dependency"),
        ({"A": ["x", "y"]}, {"A.x": ["b.y"]}, "no slot 'b'"),
        ({"A": {"attributes": ["x"], "slots": {"to": "A.back"}}}, {"A.x": ["back.x"]}, "several objects"),
        ({"A": {"attributes": ["x"], "slots": {"to": "A"}}}, {"A.x": ["count(to.x)"]}, "needs a value"),
        ({"A": {"attributes": ["x"], "slots": {"to": "A"}}}, {"A.x": ["mode(to.x)"]}, "cycle: A.x → A.x"),
    ],
)  # fmt: skip
def test_bad_schemas_and_dependencies_are_named(schema, dependencies, message):
    with pytest.raises(InvalidInput, match=message.replace("(", "\\(")):
        RelationalModel(schema, dependencies).fit({"A": {"x": ["u", "v"], "y": ["u", "v"]}})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"x": ["u", "v"], "to": [1, 0]}, "objects depend on themselves: A 0.x → A 1.x → A 0.x"),
        ({"x": ["u", "v"], "to": [None, 7]}, "there is no such A"),
        ({"id": ["a", "a"], "x": ["u", "v"]}, "row 1 of A has the id 'a'"),
        ({"x": ["u"], "to": [None, 0]}, "differ in length"),
        ({"x": [None, None], "to": [None, 0]}, "all values of 'A.x' are missing"),
    ],
)
def test_bad_tables_are_named(table, message):
    schema = {"A": {"attributes": ["x"], "slots": {"to": "A"}}}
    model = RelationalModel(schema, {"A.x": ["mode(to.x)"]}, ordered=["A.to"])
    with pytest.raises(InvalidInput, match=message):
        model.fit({"A": table})
    with pytest.raises(InvalidInput, match="no table of the class"):
        model.fit({})
    with pytest.raises(InvalidInput, match="no state 'w'"):
        model.fit({"A": {"x": ["u", "v"]}}).query({"A": {"x": ["w", None]}})
    with pytest.raises(InvalidInput, match="which is not a slot"):
        RelationalModel(schema, {}, ordered=["A.from"]).fit({"A": {"x": ["u", "v"]}})


def test_a_slot_with_several_objects_needs_an_aggregate():
    schema = {"A": ["x"], "B": {"attributes": ["y"], "slots": {"a": "A"}}}
    with pytest.raises(InvalidInput, match=r"'a\.x' reaches 2 objects from B 0"):
        RelationalModel(schema, {"B.y": ["a.x"]}).fit(
            {"A": {"x": ["u", "v"]}, "B": {"y": ["k", "l"], "a": [[0, 1], 1]}}
        )


def test_a_mean_needs_numbers_and_a_mode_of_many_is_refused():
    with pytest.raises(InvalidInput, match="a mean needs values that are numbers"):
        fitted({"Team.field": ["mean(people.mails.topic)"]})
    schema = {"A": ["x"], "B": {"attributes": ["y"], "slots": {"a": "A.bs"}}}
    model = RelationalModel(schema, {"A.x": ["mode(bs.y)"]})
    model.fit({"A": {"x": ["u", "v"]}, "B": {"y": list("abcdef") * 20, "a": [0, 1] * 60}})
    with pytest.raises(InvalidInput, match="use exists or count"):
        model.query({"A": {"x": ["u"]}, "B": {"y": [None] * 120, "a": [0] * 120}})


def test_no_unknown_value_and_no_object():
    model = fitted()
    assert model.query(drawn(np.random.default_rng(2))).probabilities == {}
    empty = {"Team": {"field": []}, "Person": {"rank": []}, "Mail": {"topic": []}}
    assert model.query(empty).probabilities == {}
    assert model.map(empty) == {}


def test_it_is_saved_and_a_damaged_table_is_found(tmp_path):
    model = fitted()
    model.save(tmp_path / "model")
    loaded = driftline.load(tmp_path / "model")
    tables = drawn(np.random.default_rng(9), 2, 3, 5, missing=0.3)
    assert loaded.query(tables) == model.query(tables)
    model.tables_[0] = model.tables_[0] * 2
    with pytest.raises(ModelFileError, match="damaged"):
        model._check_state()
