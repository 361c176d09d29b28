"""Ground rules over unknown atoms, as arrays: scores of worlds, factor graphs, and an integer program."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.inference.integer_program import MOST_COLUMNS, exceeds
from driftline.inference.message_passing import FactorGraph

MOST_ATOMS_OF_A_FACTOR = 12
"""Maximum number of atoms of a ground formula that becomes a table of all their joint states."""


class GroundNetwork(NamedTuple):
    """Ground formulas of positive or infinite weight over atoms 0, 1, ….

    Formula f is the conjunction of the clauses ``formulas[f]`` to ``formulas[f + 1]``, clause c the disjunction of
    ``literals[clauses[c] : clauses[c + 1]]``; a literal is twice the number of an atom, plus one if it is negated.
    `constant` is the sum of the weights of formulas that are true for all atoms, minus those that were negated.
    `rule_of` names the rule of every formula.
    """

    n_atoms: int
    weights: Floats
    rule_of: Ints
    formulas: Ints
    clauses: Ints
    literals: Ints
    constant: float

    @property
    def arrays(self) -> tuple[Ints, ...]:
        """The arguments of compiled searches."""
        starts, uses = self.places
        clause_of = np.repeat(np.arange(len(self.clauses) - 1), np.diff(self.clauses))
        formula_of = np.repeat(np.arange(len(self.formulas) - 1), np.diff(self.formulas))
        return self.formulas, self.clauses, self.literals, starts, uses, clause_of, formula_of

    @property
    def places(self) -> tuple[Ints, Ints]:
        """The positions of each atom among the literals: offsets and positions."""
        atoms = self.literals // 2
        starts = np.concatenate([[0], np.cumsum(np.bincount(atoms, minlength=self.n_atoms))])
        return starts, np.argsort(atoms, kind="stable")

    def satisfied(self, world: Ints) -> Bools:
        """Return the truth value of every formula."""
        found: Bools = current_kernels().clauses.true_formulas(
            np.asarray(world, dtype=np.int64), self.formulas, self.clauses, self.literals
        )
        return found

    def score(self, world: Ints) -> float:
        """Return the sum of the weights of true formulas; −∞ if a hard one is false."""
        true = self.satisfied(world)
        hard = np.isinf(self.weights)
        return -np.inf if (hard & ~true).any() else self.constant + float(self.weights[true & ~hard].sum())

    def atoms_of(self, f: int) -> Ints:
        """Return the atoms of a formula."""
        first, last = self.clauses[self.formulas[f]], self.clauses[self.formulas[f + 1]]
        return np.unique(self.literals[first:last] // 2)

    def factor_graph(self) -> FactorGraph:
        """Return the network as a factor graph with one table for every distinct set of atoms of a formula."""
        factors: dict[tuple[int, ...], Floats] = {}
        unary = np.zeros((self.n_atoms, 2))
        for f, weight in enumerate(self.weights):
            atoms = self.atoms_of(f)
            if len(atoms) > MOST_ATOMS_OF_A_FACTOR:
                raise InvalidInput(
                    f"a ground rule has {len(atoms)} unknown atoms, and message passing takes up to "
                    f"{MOST_ATOMS_OF_A_FACTOR}; use method='mcsat'"
                )
            true = self._truth_table(f, atoms)
            table = np.where(true, 0.0, -np.inf) if np.isinf(weight) else weight * true
            if len(atoms) == 1:
                unary[atoms[0]] += table
            else:
                # One table for formulas of the same atoms: two would form a cycle, on which messages are inexact
                scope = tuple(atoms.tolist())
                factors[scope] = factors[scope] + table if scope in factors else table
        return FactorGraph.of(list(unary), list(factors.items()))

    def _truth_table(self, f: int, atoms: Ints) -> Bools:
        axes = np.indices((2,) * len(atoms))
        place = {int(atom): i for i, atom in enumerate(atoms)}
        found = np.ones((2,) * len(atoms), dtype=np.bool_)
        for c in range(self.formulas[f], self.formulas[f + 1]):
            clause = np.zeros_like(found)
            for literal in self.literals[self.clauses[c] : self.clauses[c + 1]]:
                clause |= axes[place[int(literal) // 2]] != literal % 2
            found &= clause
        return found

    def improved(self, score: float, time_limit: float) -> tuple[Ints | None, bool]:
        """Search for a world with a higher score by HiGHS; return it or None, and whether there is no better one.

        Columns are atoms and formulas: a formula counts only if each of its clauses has a true literal.
        """
        n_formulas, n_clauses = len(self.weights), len(self.clauses) - 1
        if self.n_atoms + n_formulas > MOST_COLUMNS:
            return None, False
        clause_of = np.repeat(np.arange(n_clauses), np.diff(self.clauses))
        formula_of = np.repeat(np.arange(n_formulas), np.diff(self.formulas))
        negated = self.literals % 2
        signs = np.where(negated == 1, -1.0, 1.0)
        hard = np.isinf(self.weights)
        # Σ true literals − formula ≥ 0, with 1 − x for a negated atom x
        rows = np.concatenate([clause_of, np.arange(n_clauses)])
        columns = np.concatenate([self.literals // 2, self.n_atoms + formula_of])
        values = np.concatenate([signs, np.full(n_clauses, -1.0)])
        shape = (n_clauses, self.n_atoms + n_formulas)
        matrix = sp.csr_matrix((values, (rows, columns)), shape=shape)
        least = -np.bincount(clause_of, weights=negated, minlength=n_clauses)
        gains = np.concatenate([np.zeros(self.n_atoms), np.where(hard, 0.0, self.weights)])
        constraints = [LinearConstraint(matrix, least, np.inf)] if n_clauses else []
        lower = np.concatenate([np.zeros(self.n_atoms), hard.astype(np.float64)])
        whole = np.concatenate([np.ones(self.n_atoms), np.zeros(n_formulas)])
        found = milp(
            -gains,
            constraints=constraints,
            bounds=Bounds(lower, np.ones(shape[1])),
            integrality=whole,
            options={"time_limit": time_limit, "mip_rel_gap": 0.0},
        )
        if found.x is None:
            return None, found.status == 2
        world = (found.x[: self.n_atoms] > 0.5).astype(np.int64)
        return (world if exceeds(self.score(world), score) else None), found.status == 0
