from __future__ import annotations

import pytest

from driftline.core.errors import InvalidInput
from driftline.topics.contexts.formula import parse_formula

VARIABLES = ["time", "party", "n.words"]


@pytest.mark.parametrize(
    ("formula", "terms"),
    [
        ("party", ["party"]),
        ("s(time) + factor(party)", ["s(time)", "factor(party)"]),
        ("s(time,8)+n.words", ["s(time, 8)", "n.words"]),
        ("time:party", ["time:party"]),
        ("time*party", ["time", "party", "time:party"]),
    ],
)
def test_terms(formula, terms):
    assert [str(term) for term in parse_formula(formula, VARIABLES)] == terms


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("", "the formula is empty"),
        ("time +", "expected a variable, at position 6"),
        ("time party", r"expected '\+', not 'party', at position 5"),
        ("tmie", "did you mean 'time'"),
        ("log(time)", r"no function 'log'; there are s\(…\) and factor\(…\), at position 0"),
        ("s(time", r"expected '\)', at position 6"),
        ("s(time, 2)", "must be 3 to 50, not '2'"),
        ("share ~ time", "'~' has no meaning here"),
        ("time - party", "terms are added with"),
        ("time + time", "the term time occurs twice"),
        ("time:time", "'time' is multiplied by itself"),
        ("time + €", "'€' cannot be read, at position 7"),
        ("3", "expected a variable, not '3'"),
    ],
)
def test_errors_name_the_place(formula, message):
    with pytest.raises(InvalidInput, match=message):
        parse_formula(formula, VARIABLES)


def test_a_formula_must_be_a_string():
    with pytest.raises(InvalidInput, match="is a string such as"):
        parse_formula(["time"], VARIABLES)
