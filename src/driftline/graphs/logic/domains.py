"""Typed domains: the constants of variables and arguments, declared or inferred from rules and evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.graphs.logic.formulas import EQUALS, And, Atom, ForAll, Formula, Not, Or, Term, atoms_of
from driftline.graphs.logic.rule_parser import Program, parse_atom

MOST_ATOMS = 50_000_000
"""Maximum number of ground atoms of all predicates."""


class Domains(NamedTuple):
    """The constants of every argument of every predicate, and of every variable of every rule."""

    arguments: dict[str, tuple[tuple[str, ...], ...]]
    variables: tuple[dict[str, tuple[str, ...]], ...]


class Atoms(NamedTuple):
    """Numbers of ground atoms: those of a predicate are consecutive, and the last argument varies fastest.

    `places` are the places of the constants in the domains of the arguments.
    """

    domains: dict[str, tuple[tuple[str, ...], ...]]
    first: dict[str, int]
    n_atoms: int
    places: dict[str, tuple[dict[str, int], ...]]

    @classmethod
    def of(cls, domains: dict[str, tuple[tuple[str, ...], ...]]) -> Atoms:
        """Number the ground atoms of all predicates."""
        first, total = {}, 0
        for predicate, arguments in domains.items():
            first[predicate] = total
            size = 1
            for values in arguments:
                size *= len(values)
            total += size
            if total > MOST_ATOMS:
                raise InvalidInput(
                    f"{predicate} has {size:,} ground atoms; the limit for all predicates together is {MOST_ATOMS:,}"
                )
        number_of = {values: {one: i for i, one in enumerate(values)} for part in domains.values() for values in part}
        places = {name: tuple(number_of[values] for values in part) for name, part in domains.items()}
        return cls(domains, first, total, places)

    def shape(self, predicate: str) -> tuple[int, ...]:
        """Return the sizes of the domains of a predicate's arguments."""
        return tuple(map(len, self.domains[predicate]))

    def number(self, atom: Atom) -> int:
        """Return the number of a ground atom; -1 if one of its constants is not in the domain."""
        at = 0
        for term, places in zip(atom.terms, self.places[atom.predicate], strict=True):
            if term.name not in places:
                return -1
            at = at * len(places) + places[term.name]
        return self.first[atom.predicate] + at

    def names(self, numbers: Iterable[int]) -> list[str]:
        """Return ground atoms as text."""
        predicates = list(self.first)
        starts = np.array([self.first[predicate] for predicate in predicates])
        found = []
        for number in numbers:
            predicate = predicates[int(np.searchsorted(starts, number, side="right")) - 1]
            at = np.unravel_index(int(number) - self.first[predicate], self.shape(predicate))
            names = [values[i] for values, i in zip(self.domains[predicate], at)]
            found.append(f"{predicate}({', '.join(names)})")
        return found


def evidence_of(given: Iterable[str] | Mapping[str, bool] | None) -> dict[Atom, bool]:
    """Return ground atoms with their truth values, from strings, or from a mapping of strings to truth values.

    >>> {str(atom): truth for atom, truth in evidence_of(["Smokes(Anna)", "!Smokes(Bob)"]).items()}
    {'Smokes(Anna)': True, 'Smokes(Bob)': False}
    """
    pairs = given.items() if isinstance(given, Mapping) else ((text, True) for text in given or ())
    found: dict[Atom, bool] = {}
    for text, value in pairs:
        if not isinstance(text, str):
            raise InvalidInput(f"evidence is text such as 'Smokes(Anna)', not {text!r}")
        affirmed, atom = parse_atom(text)
        truth = affirmed == bool(value)
        if found.setdefault(atom, truth) != truth:
            raise InvalidInput(f"the evidence contains both {atom} and !{atom}")
    return found


def domains_of(program: Program, evidence: Iterable[Atom]) -> Domains:
    """Infer the domains: arguments that share a variable, or a declared domain, have the same constants."""
    groups = _Groups()
    for predicate, names in program.predicates.items():
        for place, name in enumerate(names):
            groups.join((predicate, place), ("domain", name))
    arity = {predicate: len(names) for predicate, names in program.predicates.items()}
    for name, values in program.domains.items():
        groups.add(("domain", name), values)
    for number, rule in enumerate(program.rules):
        formula = renamed(rule.formula)
        for atom in atoms_of(formula):
            _check_arity(atom, arity, f"line {rule.line}")
            for place, term in enumerate(atom.terms):
                slot = ("equality", f"{number} {atom}") if atom.predicate == EQUALS else (atom.predicate, place)
                if term.is_variable:
                    groups.join(slot, ("variable", f"{number} {term.name}"))
                else:
                    groups.add(slot, (term.name,))
    for atom in evidence:
        if atom.predicate not in arity:
            raise InvalidInput(f"the evidence has {atom}, but no rule names {atom.predicate}")
        _check_arity(atom, arity, "evidence")
        for place, term in enumerate(atom.terms):
            groups.add((atom.predicate, place), (term.name,))
    arguments = {p: tuple(groups.values((p, i)) for i in range(n)) for p, n in arity.items()}
    variables = []
    for number, rule in enumerate(program.rules):
        names = {t.name for atom in atoms_of(renamed(rule.formula)) for t in atom.terms if t.is_variable}
        variables.append({name: groups.values(("variable", f"{number} {name}")) for name in names})
    for predicate, slots in arguments.items():
        for place, values in enumerate(slots):
            if not values:
                raise InvalidInput(
                    f"argument {place + 1} of {predicate} has no constants; name some in the evidence, or declare a "
                    f"domain: person = {{Anna, Bob}} and {predicate}(person)"
                )
    return Domains(arguments, tuple(variables))


def renamed(formula: Formula, bound: Mapping[str, str] | None = None, depth: int = 0) -> Formula:
    """Return a formula in which every quantifier has a variable of its own."""
    bound = bound or {}
    if isinstance(formula, Atom):
        terms = tuple(Term(bound.get(t.name, t.name), True) if t.is_variable else t for t in formula.terms)
        return Atom(formula.predicate, terms)
    if isinstance(formula, Not):
        return Not(renamed(formula.inner, bound, depth + 1))
    if isinstance(formula, ForAll):
        name = f"{formula.variable}'{depth}"
        return ForAll(name, renamed(formula.inner, {**bound, formula.variable: name}, depth + 1), formula.some)
    parts = tuple(renamed(part, bound, 1000 * (depth + 1) + i) for i, part in enumerate(formula.parts))
    return And(parts) if isinstance(formula, And) else Or(parts)


def truth_of(atoms: Atoms, evidence: Mapping[Atom, bool], closed: Iterable[str]) -> Ints:
    """Return the known truth of every ground atom: 1, 0, or -1 if it is unknown."""
    known = np.full(atoms.n_atoms, -1, dtype=np.int64)
    for predicate in closed:
        if predicate not in atoms.first:
            raise InvalidInput(f"{predicate} is closed, but no rule names it")
        size = int(np.prod(atoms.shape(predicate)))
        known[atoms.first[predicate] : atoms.first[predicate] + size] = 0
    for atom, truth in evidence.items():
        known[atoms.number(atom)] = int(truth)
    return known


def _check_arity(atom: Atom, arity: dict[str, int], where: str) -> None:
    if atom.predicate != EQUALS and arity.setdefault(atom.predicate, len(atom.terms)) != len(atom.terms):
        raise InvalidInput(
            f"{where}: {atom} has {len(atom.terms)} arguments, elsewhere {atom.predicate} has {arity[atom.predicate]}"
        )


Slot: TypeAlias = tuple[str, object]
"""A domain, a variable of a rule, or an argument of a predicate."""


class _Groups:
    """Slots that have the same domain, and its constants in the order of their first occurrence."""

    def __init__(self) -> None:
        self._above: dict[Slot, Slot] = {}
        self._values: dict[Slot, dict[str, None]] = {}

    def top(self, slot: Slot) -> Slot:
        while slot in self._above:
            slot = self._above[slot]
        return slot

    def join(self, one: Slot, other: Slot) -> None:
        one, other = self.top(one), self.top(other)
        if one != other:
            self._above[other] = one
            self._values[one] = {**self._values.get(one, {}), **self._values.pop(other, {})}

    def add(self, slot: Slot, values: Iterable[str]) -> None:
        self._values.setdefault(self.top(slot), {}).update(dict.fromkeys(values))

    def values(self, slot: Slot) -> tuple[str, ...]:
        return tuple(self._values.get(self.top(slot), {}))
