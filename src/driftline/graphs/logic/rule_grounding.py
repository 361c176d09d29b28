"""Grounding: every rule with all constants in place of its variables, simplified by the evidence.

A literal of a closed predicate that is negated in all clauses of a rule, such as Link(x, y) in Link(x, y) ⇒ …, makes
the rule true for all tuples that the evidence does not list; only listed tuples are joined. The number of groundings is
known in advance, and a rule with too many is rejected.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Ints
from driftline.core.errors import InvalidInput
from driftline.graphs.logic.domains import Atoms, Domains, renamed
from driftline.graphs.logic.formulas import EQUALS, Atom, Clause, free_variables, normal_form
from driftline.graphs.logic.ground_network import GroundNetwork
from driftline.graphs.logic.rule_parser import Program, Rule

MOST_COMPARED = 256
"""Maximum number of clauses of a rule that are compared in pairs."""
Bindings = dict[str, Ints]
"""The number of the constant of every variable, one entry per grounding."""


class Grounded(NamedTuple):
    """A network over unknown atoms, and the numbers of these among all ground atoms."""

    network: GroundNetwork
    unknown: Ints


class _Literals(NamedTuple):
    """Literals of ground formulas: rule, grounding, clause, and the literal over all ground atoms."""

    formula: Ints
    clause: Ints
    literal: Ints


def ground(
    program: Program,
    domains: Domains,
    atoms: Atoms,
    known: Ints,
    weights: Sequence[float | None],
    closed: frozenset[str],
    most: int,
) -> Grounded:
    """Ground all rules; a hard rule that the evidence contradicts is an error."""
    parts: list[_Literals] = []
    kept_weights: list[np.ndarray] = []
    rules: list[np.ndarray] = []
    constant, n_formulas, n_left = 0.0, 0, most
    for number, rule, weight, clauses, share in _parts_of(program, domains, weights):
        names, formula = domains.variables[number], renamed(rule.formula)
        negate = weight is not None and weight < 0
        bindings, n = _bindings(rule, clauses, free_variables(formula), names, atoms, known, closed, n_left)
        n_left -= n
        truth, literals = _decided(clauses, bindings, n, names, atoms, known)
        if weight is None and (truth == 0).any():
            where = int(np.flatnonzero(truth == 0)[0])
            values = ", ".join(f"{name} = {names[name][bindings[name][where]]}" for name in bindings)
            raise InvalidInput(f"the evidence contradicts the hard rule in line {rule.line}, {rule.text} ({values})")
        size = 0.0 if weight is None else abs(weight)
        n_all = math.prod(len(names[name]) for name in free_variables(formula))
        # Groundings that the join left out are true; a negated formula counts with the opposite weight
        constant += size * (int((truth == 1).sum()) + n_all - n - share * n_all)
        constant -= size * n_all * (1 - share) if negate else 0.0
        open_ones = np.flatnonzero(truth < 0)
        numbers = np.full(n, -1, dtype=np.int64)
        numbers[open_ones] = n_formulas + np.arange(len(open_ones))
        parts.append(_Literals(numbers[literals.formula], literals.clause, literals.literal))
        kept_weights.append(np.full(len(open_ones), np.inf if weight is None else size))
        rules.append(np.full(len(open_ones), number))
        n_formulas += len(open_ones)
    none = np.empty(0, dtype=np.int64)
    joined = [np.concatenate(column) for column in zip(_Literals(none, none, none), *parts)]
    unknown, network = _packed(joined, n_formulas, known)
    return Grounded(
        GroundNetwork(
            len(unknown),
            np.concatenate([np.empty(0), *kept_weights]),
            np.concatenate([np.empty(0, dtype=np.int64), *rules]),
            *network,
            constant,
        ),
        unknown,
    )


def _parts_of(
    program: Program, domains: Domains, weights: Sequence[float | None]
) -> Iterator[tuple[int, Rule, float | None, list[Clause], float]]:
    """Yield the clauses that are grounded together, and the share of a formula's weight that is counted in excess.

    If at most one clause of a weighted formula can be false at a time, as in an equivalence, [formula] is the sum of
    [clause] minus the number of the others. Each clause can then be a formula with the full weight, which gives
    samplers more freedom.
    """
    for number, (rule, weight) in enumerate(zip(program.rules, weights)):
        if weight == 0:
            continue
        try:
            clauses = normal_form(renamed(rule.formula), domains.variables[number], weight is not None and weight < 0)
        except InvalidInput as error:
            raise InvalidInput(f"line {rule.line}, {rule.text}: {error}") from error
        if weight is not None and len(clauses) > 1 and _exclusive(clauses):
            for clause in clauses:
                yield number, rule, weight, [clause], 1 - 1 / len(clauses)
        else:
            yield number, rule, weight, clauses, 0.0


def _exclusive(clauses: list[Clause]) -> bool:
    """Return whether no two clauses can be false at once: each pair has a literal and its negation."""
    return len(clauses) <= MOST_COMPARED and all(
        any((not affirmed, atom) in other for affirmed, atom in one)
        for one, other in itertools.combinations(clauses, 2)
    )


def _packed(joined: list[Ints], n_formulas: int, known: Ints) -> tuple[Ints, tuple[Ints, Ints, Ints]]:
    """Return the unknown atoms, and formulas, clauses and literals over them."""
    formula, clause, literal = joined
    order = np.lexsort((literal, clause, formula))
    formula, clause, literal = formula[order], clause[order], literal[order]
    unknown = np.flatnonzero(known < 0)
    new = np.searchsorted(unknown, literal // 2) * 2 + literal % 2
    starts = np.ones(len(formula), dtype=np.bool_)
    starts[1:] = (formula[1:] != formula[:-1]) | (clause[1:] != clause[:-1])
    clause_starts = np.flatnonzero(starts)
    clauses = np.concatenate([clause_starts, [len(literal)]]).astype(np.int64)
    n_clauses = np.bincount(formula[clause_starts], minlength=n_formulas)
    return unknown, (np.concatenate([[0], np.cumsum(n_clauses)]).astype(np.int64), clauses, new.astype(np.int64))


def _bindings(
    rule: Rule,
    clauses: list[Clause],
    variables: list[str],
    names: Mapping[str, tuple[str, ...]],
    atoms: Atoms,
    known: Ints,
    closed: frozenset[str],
    most: int,
) -> tuple[Bindings, int]:
    """Return all relevant values of the free variables, and their number."""
    table: Bindings = {}
    n = 1
    for affirmed, atom in sorted(frozenset.intersection(*clauses) if clauses else (), key=str):
        if affirmed or atom.predicate not in closed:
            continue
        table, n = _joined(table, n, atom, names, atoms, known, rule, most)
    rest = [name for name in variables if name not in table]
    total = n * math.prod(len(names[name]) for name in rest)
    if total > most:
        raise InvalidInput(
            f"line {rule.line}, {rule.text}: about {total:,} groundings, more than the {most:,} that are left of "
            f"max_groundings; raise it, restrict the domains, or declare evidence predicates closed"
        )
    for name in rest:
        size = len(names[name])
        table = {other: np.repeat(column, size) for other, column in table.items()}
        table[name] = np.tile(np.arange(size), n)
        n *= size
    return table, n


def _joined(
    table: Bindings,
    n: int,
    atom: Atom,
    names: Mapping[str, tuple[str, ...]],
    atoms: Atoms,
    known: Ints,
    rule: Rule,
    most: int,
) -> tuple[Bindings, int]:
    """Join bindings with the tuples for which an atom is true."""
    shape, first = atoms.shape(atom.predicate), atoms.first[atom.predicate]
    true = np.flatnonzero(known[first : first + math.prod(shape)] == 1)
    places = np.unravel_index(true, shape)
    keep = np.ones(len(true), dtype=np.bool_)
    found: Bindings = {}
    for term, values, column in zip(atom.terms, atoms.domains[atom.predicate], places):
        if not term.is_variable:
            keep &= column == (values.index(term.name) if term.name in values else -1)
        elif term.name in found:
            keep &= column == found[term.name]
        else:
            found[term.name] = column
    found = {name: column[keep] for name, column in found.items()}
    shared = [name for name in found if name in table]
    left, right = (_key(part, shared, names, size) for part, size in ((table, n), (found, int(keep.sum()))))
    order = np.argsort(right, kind="stable")
    low, high = (np.searchsorted(right[order], left, side=side) for side in ("left", "right"))
    total = int((high - low).sum())
    if total > most:
        raise InvalidInput(f"line {rule.line}, {rule.text}: {total:,} groundings; raise max_groundings")
    rows = np.repeat(np.arange(n), high - low)
    before = np.cumsum(high - low) - high
    matches = order[np.arange(total) - np.repeat(before, high - low)]
    joined = {name: column[rows] for name, column in table.items()}
    return {**joined, **{name: column[matches] for name, column in found.items() if name not in joined}}, total


def _key(table: Bindings, shared: list[str], names: Mapping[str, tuple[str, ...]], n: int) -> Ints:
    key = np.zeros(n, dtype=np.int64)
    for name in shared:
        key = key * len(names[name]) + table[name]
    return key


def _decided(
    clauses: list[Clause],
    bindings: Bindings,
    n: int,
    names: Mapping[str, tuple[str, ...]],
    atoms: Atoms,
    known: Ints,
) -> tuple[Ints, _Literals]:
    """Return whether each ground formula is true (1), false (0) or open (-1), and the open literals of open ones."""
    truth = np.ones(n, dtype=np.int64)
    none = np.empty(0, dtype=np.int64)
    columns = [_Literals(none, none, none)]
    for number, clause in enumerate(clauses):
        satisfied, open_ones = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        waiting: list[tuple[Bools, Ints]] = []
        for affirmed, atom in sorted(clause, key=str):
            value, ground_atoms = _values(atom, bindings, n, names, atoms, known)
            satisfied |= value == int(affirmed)
            open_ones |= value < 0
            waiting.append((value < 0, 2 * ground_atoms + (not affirmed)))
        for is_open, literal in waiting:
            rows = np.flatnonzero(is_open & ~satisfied)
            columns.append(_Literals(rows, np.full(len(rows), number), literal[rows]))
        truth = np.where(satisfied, truth, np.where(open_ones, np.where(truth == 0, 0, -1), 0))
    joined = _Literals(*(np.concatenate(part) for part in zip(*columns)))
    kept = truth[joined.formula] < 0
    return truth, _Literals(*(part[kept] for part in joined))


def _values(
    atom: Atom, bindings: Bindings, n: int, names: Mapping[str, tuple[str, ...]], atoms: Atoms, known: Ints
) -> tuple[Ints, Ints]:
    """Return the known truth of an atom in every grounding, and its number."""
    if atom.predicate == EQUALS:
        one, other = (
            np.array(names[term.name], dtype=object)[bindings[term.name]] if term.is_variable else term.name
            for term in atom.terms
        )
        return np.broadcast_to(np.asarray(one == other).astype(np.int64), n), np.zeros(n, dtype=np.int64)
    number = np.zeros(n, dtype=np.int64)
    for term, values in zip(atom.terms, atoms.domains[atom.predicate]):
        number = number * len(values) + (bindings[term.name] if term.is_variable else values.index(term.name))
    number += atoms.first[atom.predicate]
    return known[number], number
