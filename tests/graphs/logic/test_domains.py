from __future__ import annotations

import pytest

from driftline.core.errors import InvalidInput
from driftline.graphs.logic import domains
from driftline.graphs.logic.domains import Atoms, domains_of, evidence_of, truth_of
from driftline.graphs.logic.rule_parser import parse_rules


def test_arguments_that_share_variables_share_domains():
    found = domains_of(
        parse_rules("1 Likes(x, y) => Person(x)\n1 Sold(y)"), evidence_of(["Likes(Anna, Tea)", "Sold(Milk)"])
    )
    assert found.arguments == {"Likes": (("Anna",), ("Tea",)), "Person": (("Anna",),), "Sold": (("Milk",),)}
    joined = domains_of(parse_rules("1 Likes(x, y) => Sold(y)"), evidence_of(["Likes(Anna, Tea)", "Sold(Milk)"]))
    assert set(joined.arguments["Sold"][0]) == {"Tea", "Milk"}


def test_declared_domains_join_arguments_that_share_no_variable():
    rules = "drink = {Tea}\nSold(drink)\nBought(drink)\n1 Sold(x)\n1 Bought(y)"
    found = domains_of(parse_rules(rules), evidence_of(["Sold(Milk)"]))
    assert found.arguments["Bought"] == (("Tea", "Milk"),)


def test_a_quantified_variable_hides_an_outer_one():
    found = domains_of(parse_rules("1 A(x) ^ (EXIST x B(x))"), evidence_of(["A(P)", "B(Q)"]))
    assert found.arguments == {"A": (("P",),), "B": (("Q",),)}


def test_atoms_are_numbered_and_named():
    atoms = Atoms.of({"F": (("a", "b"), ("c", "d", "e")), "S": (("a",),)})
    evidence = evidence_of(["F(b, d)", "!S(a)"])
    numbers = [atoms.number(atom) for atom in evidence]
    assert numbers == [4, 6]
    assert atoms.names(numbers) == ["F(b, d)", "S(a)"]
    assert truth_of(atoms, evidence, ["S"]).tolist() == [-1, -1, -1, -1, 1, -1, 0]
    assert truth_of(atoms, evidence, ["F"]).tolist() == [0, 0, 0, 0, 1, 0, 0]
    assert atoms.number(next(iter(evidence_of(["F(z, d)"])))) == -1


def test_too_many_atoms_are_refused(monkeypatch):
    monkeypatch.setattr(domains, "MOST_ATOMS", 5)
    with pytest.raises(InvalidInput, match="6 ground atoms"):
        Atoms.of({"F": (("a", "b"), ("c", "d", "e"))})


def test_evidence_may_be_a_mapping():
    found = evidence_of({"A(x)": False, "!B(y)": False})
    assert {str(atom): truth for atom, truth in found.items()} == {"A(x)": False, "B(y)": True}
