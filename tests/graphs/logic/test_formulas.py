from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.oracles.logic import is_true

from driftline.core.errors import InvalidInput
from driftline.graphs.logic.formulas import And, Atom, ForAll, Not, Or, Term, free_variables, normal_form

ATOMS = [Atom(name, (Term("X", False),)) for name in "ABCD"]


def random_formula(rng, depth=0):
    kind = rng.integers(0, 4 if depth < 3 else 1)
    if kind == 0:
        return ATOMS[rng.integers(4)]
    if kind == 1:
        return Not(random_formula(rng, depth + 1))
    parts = tuple(random_formula(rng, depth + 1) for _ in range(rng.integers(2, 4)))
    return And(parts) if kind == 2 else Or(parts)


@pytest.mark.parametrize("seed", range(25))
def test_the_normal_form_is_true_in_the_same_worlds(seed):
    formula = random_formula(np.random.default_rng(seed))
    for negate in (False, True):
        clauses = normal_form(formula, {}, negate)
        for truth in itertools.product([False, True], repeat=4):
            world = {str(atom) for atom, value in zip(ATOMS, truth) if value}
            found = all(any((str(atom) in world) == affirmed for affirmed, atom in clause) for clause in clauses)
            assert found == (is_true(formula, world, []) != negate)


def test_quantifiers_are_expanded_over_their_domain():
    atom = Atom("F", (Term("x", True), Term("y", True)))
    some = normal_form(ForAll("y", atom, True), {"y": ("A", "B")})
    assert [sorted(str(a) for _, a in clause) for clause in some] == [["F(x, A)", "F(x, B)"]]
    assert len(normal_form(ForAll("y", atom), {"y": ("A", "B")})) == 2
    assert free_variables(ForAll("y", atom)) == ["x"]


def test_explosions_are_refused():
    parts = tuple(And((Atom("A", (Term(str(i), False),)), Atom("B", (Term(str(i), False),)))) for i in range(20))
    with pytest.raises(InvalidInput, match="split"):
        normal_form(Or(parts), {})


def test_a_large_product_is_refused_before_it_is_made():
    parts = tuple(
        And(tuple(Atom(name, (Term(str(i), False),)) for i in range(4_000))) for name in "AB"
    )  # 16 million clauses
    with pytest.raises(InvalidInput, match="split"):
        normal_form(Or(parts), {})


def test_a_clause_of_a_large_domain_is_built_once():
    atom = Atom("F", (Term("x", True),))
    domain = [str(number) for number in range(100_000)]  # copied once per constant, it would take minutes
    (clause,) = normal_form(ForAll("x", atom, True), {"x": domain})
    assert len(clause) == len(domain)
    assert normal_form(Or((ForAll("x", atom, True), Not(ForAll("x", atom, True)))), {"x": ["1"]}) == []
