"""Formulas of first-order logic, and their conjunctive normal form over finite domains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from driftline.core.errors import InvalidInput

EQUALS = "="
"""The predicate of equality, which is evaluated and never unknown."""
MOST_CLAUSES = 5_000
"""Maximum number of clauses in the normal form of a formula."""
MOST_PRODUCTS = 20 * MOST_CLAUSES
"""Maximum number of clauses before repeated and trivial ones are removed."""


class Term(NamedTuple):
    """A variable or a constant."""

    name: str
    is_variable: bool


@dataclass(frozen=True)
class Atom:
    """A predicate with its arguments."""

    predicate: str
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        if self.predicate == EQUALS:
            return f"{self.terms[0].name} = {self.terms[1].name}"
        return f"{self.predicate}({', '.join(term.name for term in self.terms)})"


@dataclass(frozen=True)
class Not:
    """A negation."""

    inner: Formula


@dataclass(frozen=True)
class And:
    """A conjunction."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Or:
    """A disjunction."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class ForAll:
    """A formula that must be true for all values of a variable, or with `some` for at least one."""

    variable: str
    inner: Formula
    some: bool = False


Formula: TypeAlias = Atom | Not | And | Or | ForAll
Literal: TypeAlias = tuple[bool, Atom]
"""Whether the atom is affirmed, and the atom."""
Clause: TypeAlias = frozenset[Literal]


def implies(one: Formula, other: Formula) -> Formula:
    """Return one ⇒ other."""
    return Or((Not(one), other))


def equivalent(one: Formula, other: Formula) -> Formula:
    """Return one ⇔ other."""
    return And((implies(one, other), implies(other, one)))


def atoms_of(formula: Formula) -> Iterator[Atom]:
    """Yield the atoms of a formula from left to right."""
    if isinstance(formula, Atom):
        yield formula
    elif isinstance(formula, Not | ForAll):
        yield from atoms_of(formula.inner)
    else:
        for part in formula.parts:
            yield from atoms_of(part)


def free_variables(formula: Formula, bound: frozenset[str] = frozenset()) -> list[str]:
    """Return the variables that no quantifier binds, in the order of their occurrence."""
    if isinstance(formula, Atom):
        names = [term.name for term in formula.terms if term.is_variable and term.name not in bound]
    elif isinstance(formula, ForAll):
        names = free_variables(formula.inner, bound | {formula.variable})
    elif isinstance(formula, Not):
        names = free_variables(formula.inner, bound)
    else:
        names = [name for part in formula.parts for name in free_variables(part, bound)]
    return list(dict.fromkeys(names))


def substituted(formula: Formula, values: Mapping[str, str]) -> Formula:
    """Return a formula with constants in place of free variables."""
    if isinstance(formula, Atom):
        terms = tuple(
            Term(values[term.name], False) if term.is_variable and term.name in values else term
            for term in formula.terms
        )
        return Atom(formula.predicate, terms)
    if isinstance(formula, Not):
        return Not(substituted(formula.inner, values))
    if isinstance(formula, ForAll):
        inner = {name: value for name, value in values.items() if name != formula.variable}
        return ForAll(formula.variable, substituted(formula.inner, inner), formula.some)
    parts = tuple(substituted(part, values) for part in formula.parts)
    return And(parts) if isinstance(formula, And) else Or(parts)


def normal_form(formula: Formula, domains: Mapping[str, Sequence[str]], negate: bool = False) -> list[Clause]:
    """Return the clauses of a formula, or of its negation; quantified variables take the values of `domains`.

    >>> a, b = (Atom(name, (Term("x", True),)) for name in "AB")
    >>> [len(clause) for clause in normal_form(equivalent(a, b), {})]
    [2, 2]
    """
    if isinstance(formula, Atom):
        return [frozenset({(not negate, formula)})]
    if isinstance(formula, Not):
        return normal_form(formula.inner, domains, not negate)
    if isinstance(formula, ForAll):
        values = domains[formula.variable]
        parts: Iterator[Formula] = (substituted(formula.inner, {formula.variable: value}) for value in values)
        together = formula.some == negate
    else:
        parts, together = iter(formula.parts), isinstance(formula, And) != negate
    found: list[Clause] = [] if together else [frozenset()]
    common: set[Literal] = set()  # a disjunction over a large domain would copy its clauses once per constant
    for part in parts:
        clauses = normal_form(part, domains, negate)
        if together:
            found += clauses
        elif len(clauses) == 1:
            common |= clauses[0]
        elif len(found) * len(clauses) > MOST_PRODUCTS:
            raise InvalidInput(f"its normal form has more than {MOST_CLAUSES:,} clauses; split the rule")
        else:
            found = _simplified(one | other for one in found for other in clauses)
        if len(found) > MOST_PRODUCTS:
            found = _simplified(found)
    return _simplified(clause | common for clause in found)


def _simplified(clauses: Iterable[Clause]) -> list[Clause]:
    """Return the distinct clauses that are not always true."""
    found = [clause for clause in dict.fromkeys(clauses) if not _is_trivial(clause)]
    if len(found) > MOST_CLAUSES:
        raise InvalidInput(f"its normal form has more than {MOST_CLAUSES:,} clauses; split the rule")
    return found


def _is_trivial(clause: Clause) -> bool:
    return any((not affirmed, atom) in clause for affirmed, atom in clause)
