"""Parser of effect formulas such as ``"s(time) + party"``, with errors that give the position.

A formula is a sum of terms. A term is a variable, ``s(variable)`` for a smooth curve (``s(variable, 6)`` with six
columns), ``factor(variable)`` for groups written as numbers, or a product: ``a:b`` is an interaction, and ``a*b`` is
short for ``a + b + a:b``. There is always an intercept.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from driftline.core.errors import InvalidInput

COLUMNS = 5
"""Default number of columns of a smooth curve."""
_TOKEN = re.compile(r"\s*(?:(?P<name>[^\W\d][\w.]*)|(?P<number>\d+)|(?P<sign>[-+*:(),~|^/]))")


class Factor(NamedTuple):
    """A variable in a term: unchanged (kind "plain"), "smooth" with `n_columns`, or "factor"."""

    variable: str
    kind: str = "plain"
    n_columns: int = COLUMNS

    def __str__(self) -> str:
        if self.kind == "smooth":
            return f"s({self.variable})" if self.n_columns == COLUMNS else f"s({self.variable}, {self.n_columns})"
        return f"factor({self.variable})" if self.kind == "factor" else self.variable


class Term(NamedTuple):
    """A product of variables; a single variable is a main effect."""

    factors: tuple[Factor, ...]

    def __str__(self) -> str:
        return ":".join(map(str, self.factors))


def parse_formula(formula: str, variables: Sequence[str]) -> list[Term]:
    """Return the terms of a formula over known variables.

    >>> [str(term) for term in parse_formula("s(time) * party + length", ["time", "party", "length"])]
    ['s(time)', 'party', 's(time):party', 'length']
    >>> parse_formula("s(time) + partie", ["time", "party"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    driftline.core.errors.InvalidInput: no variable 'partie' in the data, at position 10 of ...; did you mean 'party'?
    """
    if not isinstance(formula, str):
        raise InvalidInput(f"a formula is a string such as 's(time) + party', not {type(formula).__name__}")
    return _Parser(formula, variables).terms()


class _Parser:
    def __init__(self, formula: str, variables: Sequence[str]) -> None:
        self.formula, self.variables = formula, list(variables)
        self.tokens = self._split()
        self.next = 0

    def terms(self) -> list[Term]:
        found: list[Term] = []
        while True:
            for term in self._sum_part():
                if str(term) in map(str, found):
                    self._fail(f"the term {term} occurs twice", self._place())
                found.append(term)
            if self.next == len(self.tokens):
                return found
            self._expect("+")

    def _sum_part(self) -> list[Term]:
        """Read ``a``, ``a:b`` or ``a*b``."""
        terms = [Term((self._factor(),))]
        while self._peek() in (":", "*"):
            sign = self._take()
            factor = self._factor()
            if any(factor.variable == other.variable for other in terms[-1].factors):
                self._fail(f"{factor.variable!r} is multiplied by itself", self._place())
            if sign == ":":
                terms = [*terms[:-1], Term((*terms[-1].factors, factor))]
            else:
                terms = [*terms, Term((factor,)), *(Term((*term.factors, factor)) for term in terms)]
        return terms

    def _factor(self) -> Factor:
        place, name = self._place(), self._take()
        if not name or not (name[0].isalpha() or name[0] == "_"):
            self._fail("expected a variable" + (f", not {name!r}" if name else ""), place)
        if self._peek() != "(":
            return Factor(self._known(name, place))
        if name not in ("s", "factor"):
            self._fail(f"no function {name!r}; there are s(…) and factor(…)", place)
        self._expect("(")
        place = self._place()
        variable = self._known(self._take(), place)
        n_columns = COLUMNS
        if name == "s" and self._peek() == ",":
            self._take()
            place, number = self._place(), self._take()
            if not number.isdigit() or not 3 <= int(number) <= 50:
                self._fail(f"the number of columns of s(…) must be 3 to 50, not {number!r}", place)
            n_columns = int(number)
        self._expect(")")
        return Factor(variable, "smooth" if name == "s" else "factor", n_columns)

    def _known(self, name: str, place: int) -> str:
        if name in self.variables:
            return name
        near = difflib.get_close_matches(name, self.variables, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(self.variables) or 'none'}"
        return self._fail(f"no variable {name!r} in the data", place, hint)

    def _split(self) -> list[tuple[str, int]]:
        tokens, place = [], 0
        while place < len(self.formula.rstrip()):
            match = _TOKEN.match(self.formula, place)
            if match is None:
                bad = place + len(self.formula[place:]) - len(self.formula[place:].lstrip())
                self._fail(f"{self.formula[bad]!r} cannot be read", bad)
            kind = str(match.lastgroup)
            if match[kind] in "-~|^/" and kind == "sign":
                self._fail(f"{match[kind]!r} has no meaning here", match.start(kind), "terms are added with +")
            tokens.append((match[kind], match.start(kind)))
            place = match.end()
        if not tokens:
            raise InvalidInput("the formula is empty; write terms such as 's(time) + party'")
        return tokens

    def _peek(self) -> str:
        return self.tokens[self.next][0] if self.next < len(self.tokens) else ""

    def _place(self) -> int:
        return self.tokens[self.next][1] if self.next < len(self.tokens) else len(self.formula)

    def _take(self) -> str:
        token = self._peek()
        self.next += 1
        return token

    def _expect(self, sign: str) -> None:
        place, token = self._place(), self._take()
        if token != sign:
            self._fail(f"expected {sign!r}" + (f", not {token!r}" if token else ""), place)

    def _fail(self, what: str, place: int, hint: str = "") -> NoReturn:
        raise InvalidInput(
            f"{what}, at position {place} of the formula {self.formula!r}" + (f"; {hint}" if hint else "")
        )
