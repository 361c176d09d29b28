from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.oracles import logic as oracle

import driftline
from driftline.core.errors import InvalidInput
from driftline.graphs import MarkovLogic
from driftline.graphs.logic.rule_parser import parse_rules

SMOKERS = """
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x, y) => (Smokes(x) <=> Smokes(y))
-0.4 Smokes(x)
"""
FRIENDS = ["Friends(Anna, Bob)", "Friends(Bob, Carl)", "Smokes(Anna)"]
PEOPLE = ["Anna", "Bob", "Carl"]


def truth_of_smokers():
    known = {f"Friends({a}, {b})": False for a, b in itertools.product(PEOPLE, repeat=2)}
    known |= dict.fromkeys(FRIENDS, True)
    return oracle.probabilities(parse_rules(SMOKERS), PEOPLE, {"Smokes": 1, "Cancer": 1, "Friends": 2}, known)


@pytest.mark.parametrize(("method", "within"), [("exact", 1e-10), ("mcsat", 0.03), ("gibbs", 0.04), ("messages", 0.02)])
def test_smokers_are_compared_with_enumeration(method, within):
    wanted, best = truth_of_smokers()
    model = MarkovLogic(SMOKERS, closed=["Friends"]).fit(FRIENDS)
    found = model.marginals(method, n_rounds=5000, random_state=0)
    assert found.probabilities.keys() == wanted.keys()
    for atom, p in wanted.items():
        assert found.probabilities[atom] == pytest.approx(p, abs=within)
    top = model.map()
    assert top.score == pytest.approx(best)
    assert top.proven
    assert model.score([atom for atom, truth in top.atoms.items() if truth]) == pytest.approx(best)


RULES = [
    "0.7 A(x) <=> B(x)\n-0.8 A(x) ^ A(y)\nA(x) v B(x).",
    "1.2 EXIST y F(x, y)\n0.5 F(x, y) => F(y, x)\n-0.3 F(x, y)",
    "0.9 (FORALL y F(x, y)) v A(x)\n!F(x, x).\n0.4 A(P) => A(Q)",
    "1.0 F(x, y) ^ x != y => A(x)\n0.6 !A(x)\n-0.5 F(x, y) <=> A(y)",
]


@pytest.mark.parametrize("rules", RULES)
def test_rules_of_every_kind_are_compared_with_enumeration(rules):
    constants = ["P", "Q"]
    program = parse_rules(rules)
    arity = {name: n for name, n in {"A": 1, "B": 1, "F": 2}.items() if f"{name}(" in rules}
    evidence = {"A(P)": True} if "A(" in rules else {"F(P, P)": True}
    full = "thing = {P, Q}\n" + "".join(f"{n}({', '.join(['thing'] * k)})\n" for n, k in arity.items()) + rules
    try:
        wanted, best = oracle.probabilities(program, constants, arity, evidence)
    except ZeroDivisionError:
        pytest.fail("no world is possible")
    model = MarkovLogic(full).fit(evidence)
    found = model.marginals("exact").probabilities
    assert found.keys() == wanted.keys()
    for atom, p in wanted.items():
        assert found[atom] == pytest.approx(p, abs=1e-9)
    sampled = model.marginals("mcsat", n_rounds=3000, random_state=1).probabilities
    for atom, p in wanted.items():
        assert sampled[atom] == pytest.approx(p, abs=0.05)
    top = model.map()
    assert top.score == pytest.approx(best)


def test_hard_disjunction_has_two_thirds():
    model = MarkovLogic("H(A) v S(B).").fit()
    found = model.marginals("mcsat", n_rounds=6000, random_state=0)
    assert found.probabilities["H(A)"] == pytest.approx(2 / 3, abs=0.02)
    assert found.n_failed == 0


def test_gibbs_gets_stuck_where_hard_rules_separate_worlds_and_mc_sat_does_not():
    model = MarkovLogic("A(X) <=> B(X).\nB(X) <=> C(X).").fit()
    errors = {}
    for method in ("gibbs", "mcsat"):
        found = model.marginals(method, n_rounds=2000, random_state=0).probabilities
        errors[method] = max(abs(p - 0.5) for p in found.values())
    assert errors["gibbs"] == 0.5
    assert errors["mcsat"] < 0.05


def test_evidence_that_contradicts_a_hard_rule_is_named():
    with pytest.raises(InvalidInput, match=r"line 1, Smokes\(x\) => Cancer\(x\)\. \(x = Anna\)"):
        MarkovLogic("Smokes(x) => Cancer(x).").fit({"Smokes(Anna)": True, "Cancer(Anna)": False})


def test_contradicting_hard_rules_are_found():
    model = MarkovLogic("A(X) v B(X).\n!A(X) v B(X).\nA(X) v !B(X).\n!A(X) v !B(X).").fit()
    for call in (model.map, model.marginals):
        with pytest.raises(InvalidInput, match="contradict each other"):
            call()


def test_too_many_groundings_are_refused_before_they_are_made():
    people = ", ".join(f"P{i}" for i in range(200))
    rules = f"person = {{{people}}}\nF(person, person)\n1 F(x, y) ^ F(y, z) => F(x, z)"
    with pytest.raises(InvalidInput, match=r"line 3, .*8,000,000 groundings"):
        MarkovLogic(rules).fit()
    few = MarkovLogic(rules, closed=["F"]).fit(["F(P1, P2)", "F(P2, P3)", "F(P1, P3)"])
    assert few.map().score == 8_000_000


def test_joins_ground_what_a_full_product_would():
    rules = "0.5 Link(x, y) ^ Link(y, z) ^ Hot(x) => Hot(z)\n0.3 Hot(x)"
    links = ["Link(A, B)", "Link(B, C)", "Link(C, A)", "Link(B, B)"]
    constants = ["A", "B", "C"]
    known = {f"Link({a}, {b})": f"Link({a}, {b})" in links for a, b in itertools.product(constants, repeat=2)}
    wanted, _ = oracle.probabilities(parse_rules(rules), constants, {"Link": 2, "Hot": 1}, known)
    joined = MarkovLogic(rules, closed=["Link"]).fit(links).marginals("exact").probabilities
    spelled = MarkovLogic(rules).fit(known).marginals("exact").probabilities
    for atom, p in wanted.items():
        assert joined[atom] == pytest.approx(p)
        assert spelled[atom] == pytest.approx(p)


def test_weights_are_learned_from_a_world():
    rng = np.random.default_rng(0)
    world = []
    for i in range(400):
        smokes = rng.random() < 0.4
        cancer = rng.random() < (0.8 if smokes else 0.3)
        world += [f"S(P{i})"] * smokes + [f"C(P{i})"] * cancer
    people = ", ".join(f"P{i}" for i in range(400))
    rules = f"person = {{{people}}}\nS(person)\nC(person)\n1 S(x) ^ C(x)\n1 C(x)\n1 S(x)\nC(P0) => C(P0)."
    model = MarkovLogic(rules).learn(world, penalty=0.01)
    odds = np.log([0.3 / 0.7, 0.8 / 0.2])
    np.testing.assert_allclose(model.weights_[:2], [odds[1] - odds[0], odds[0]], atol=0.35)
    assert np.isnan(model.weights_[3])
    kept = MarkovLogic(rules).learn(world).fit({"S(P1)": True})
    assert not np.allclose(kept.weights_[:3], 1.0)


def test_weights_belong_to_the_rules():
    model = MarkovLogic("1 A(x) => B(x)").fit(["A(X)"])
    assert model.set_params(rules="5 A(x) => B(x)").fit(["A(X)"]).weights_.tolist() == [5.0]
    learned = model.learn(["A(X)", "B(X)", "A(Y)"]).weights_
    assert model.fit(["A(X)"]).weights_.tolist() == learned.tolist()
    assert model.set_params(rules="2 A(x) => B(x)").fit(["A(X)"]).weights_.tolist() == [2.0]


@pytest.mark.parametrize("method", ["mcsat", "gibbs", "messages"])
@pytest.mark.parametrize(
    ("rules", "evidence"),
    [
        ("1.5 A(x) => B(x)", ["A(X)"]),
        ("1.5 A(x) => B(x)\n0.5 A(x)", ["B(X)"]),
        ("1 A(x) => B(x)\n1 B(x) => C(x)", ["A(X)", "!B(X)"]),
        ("1 A(x)\n1 C(x) => A(x)\n-0.5 A(x) ^ C(x)", ["!C(X)"]),
    ],
)
def test_a_few_unknown_atoms_have_their_exact_probabilities(rules, evidence, method):
    model = MarkovLogic(rules).fit(evidence)
    wanted = model.marginals("exact").probabilities
    found = model.marginals(method, random_state=0).probabilities
    assert found == pytest.approx(wanted, abs=0.03)


def test_a_rule_of_weight_zero_is_ignored_and_known_atoms_need_no_search():
    model = MarkovLogic("0 A(x)\n1 B(x)").fit({"A(X)": True, "B(X)": True})
    assert model.map() == ({}, 1.0, True)
    assert model.marginals().probabilities == {}


@pytest.mark.parametrize(
    ("rules", "evidence", "message"),
    [
        ("", [], "no rules"),
        ("1 A(x)", [], "no constants"),
        ("1 A(x)\n1 A(x, y)", ["A(P)"], "2 arguments"),
        ("1 A(x)", ["B(P)"], "no rule names B"),
        ("1 A(x)", ["A(P)", "!A(P)"], "both"),
        ("1 A(x)", [7], "evidence is text"),
    ],
)
def test_unusable_rules_and_evidence_are_refused(rules, evidence, message):
    with pytest.raises(InvalidInput, match=message):
        MarkovLogic(rules).fit(evidence)


def test_unusable_options_are_refused():
    with pytest.raises(InvalidInput, match="closed"):
        MarkovLogic("1 A(x)", closed=["Z"]).fit(["A(P)"])
    with pytest.raises(InvalidInput, match="method"):
        MarkovLogic("1 A(x)").fit(["A(P)"]).marginals("guess")


def test_long_ground_rules_are_left_to_mc_sat():
    people = ", ".join(f"P{i}" for i in range(20))
    model = MarkovLogic(f"person = {{{people}}}\nA(person)\n2 EXIST x A(x)\n-1 A(x)").fit()
    with pytest.raises(InvalidInput, match="mcsat"):
        model.marginals("messages")
    assert 0.05 < np.mean(list(model.marginals(n_rounds=300, random_state=0).probabilities.values())) < 0.4
    assert model.map().score == pytest.approx(-20 + 20 + 1, abs=1.01)


def test_a_model_is_saved_and_loaded(tmp_path):
    model = MarkovLogic(SMOKERS, closed=["Friends"]).fit([*FRIENDS, 'Smokes("Mary Ann")'])
    model.save(tmp_path / "model")
    again = driftline.load(tmp_path / "model")
    assert again.marginals("exact") == model.marginals("exact")
