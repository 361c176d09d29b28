from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.graphs.logic.formulas import And, Atom, ForAll, Not, Or, Term
from driftline.graphs.logic.rule_parser import MOST_EQUIVALENCES, MOST_NESTED, RuleError, parse_atom, parse_rules


def atom(name, *terms):
    return Atom(name, tuple(Term(term, term[0].islower()) for term in terms))


def formula(text):
    (rule,) = parse_rules(f"1 {text}").rules
    return rule.formula


A, B, C = atom("A", "x"), atom("B", "x"), atom("C", "x")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A(x) => B(x)", Or((Not(A), B))),
        ("A(x) ⇒ B(x) ⇒ C(x)", Or((Not(A), Or((Not(B), C))))),
        ("A(x) ^ B(x) v C(x)", Or((And((A, B)), C))),
        ("A(x) ∧ (B(x) ∨ C(x))", And((A, Or((B, C))))),
        ("A(x) & !B(x) | C(x)", Or((And((A, Not(B))), C))),
        ("A(x) <=> B(x)", And((Or((Not(A), B)), Or((Not(B), A))))),
        ("¬¬A(x)", Not(Not(A))),
        ("EXIST y Friends(x, y)", ForAll("y", atom("Friends", "x", "y"), True)),
        ("∀x A(x) v B(x)", Or((ForAll("x", A), B))),
        ("∃x,y F(x, y)", ForAll("x", ForAll("y", atom("F", "x", "y"), True), True)),
        ("x = y", atom("=", "x", "y")),
        ("x != Anna", Not(atom("=", "x", "Anna"))),
    ],
)
def test_operators_bind_as_they_should(text, wanted):
    assert formula(text) == wanted


def test_weights_dots_declarations_and_comments():
    program = parse_rules(
        '// smokers\nperson = {Anna, Bob, "Mary Ann", 7}\nSmokes(person)\n-1.5e-1 Smokes(x) # unlikely\nSmokes(Anna).\n'
    )
    assert [(rule.weight, rule.line) for rule in program.rules] == [(-0.15, 4), (None, 5)]
    assert program.domains == {"person": ("Anna", "Bob", "Mary Ann", "7")}
    assert program.predicates == {"Smokes": ("person",)}


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("1 A(x) => ", 1, 11),
        ("1 A(x", 1, 6),
        ("1 A(x))", 1, 7),
        ("\n1 A(x) ? B(x)", 2, 8),
        ("A(x) => B(x)", 1, 1),
        ("1.5 A(x).", 1, 9),
        ("1 A()", 1, 5),
        ("1 EXIST Y A(Y)", 1, 9),
        ("1 x", 1, 3),
        ("1", 1, 2),
        ("person = {Anna", 1, 15),
        ("x = y", 1, 1),
        ('1 A("open)', 1, 5),
        ("1 " + "(" * (MOST_NESTED + 5) + "A(x)", 1, MOST_NESTED + 3),
        ("1 " + "!" * (MOST_NESTED + 5) + "A(x)", 1, MOST_NESTED + 3),
        ("1 " + " => ".join(["A(x)"] * 3000), 1, 8 * (MOST_NESTED + 1) + 3),
        ("1 " + " <=> ".join(["A(x)"] * 40), 1, 9 * (MOST_EQUIVALENCES + 1) + 3),
        ("1 forall " + ", ".join(["x"] * 3000) + " A(x)", 1, 3 * MOST_NESTED + 10),
    ],
)
def test_errors_point_at_the_place(text, line, column):
    with pytest.raises(RuleError) as caught:
        parse_rules(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).splitlines()[-1] == " " * (column - 1) + "^"


def test_other_things_are_refused():
    with pytest.raises(InvalidInput, match="text"):
        parse_rules(["1 A(x)"])


def test_names_in_evidence_are_constants():
    assert parse_atom("!Smokes(anna)") == (False, Atom("Smokes", (Term("anna", False),)))
    for text in ("Smokes(Anna) v A(B)", "x != y", "", "Smokes"):
        with pytest.raises(RuleError):
            parse_atom(text)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='AaBx vV(),.=!<>^|&{}¬∀∃ \n1.5"/#', max_size=40))
def test_any_text_is_parsed_or_refused(text):
    with contextlib.suppress(RuleError):
        parse_rules(text)
