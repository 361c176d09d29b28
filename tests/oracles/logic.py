"""Markov logic by writing down every world and evaluating every rule on it, by recursion over the formula."""

from __future__ import annotations

import itertools
import math

from driftline.graphs.logic.formulas import EQUALS, And, Atom, ForAll, Not, free_variables, substituted


def is_true(formula, world, domains):
    """Whether a ground formula is true in a world, which is a set of true atoms as text."""
    if isinstance(formula, Atom):
        if formula.predicate == EQUALS:
            return formula.terms[0].name == formula.terms[1].name
        return str(formula) in world
    if isinstance(formula, Not):
        return not is_true(formula.inner, world, domains)
    if isinstance(formula, ForAll):
        found = [is_true(substituted(formula.inner, {formula.variable: v}), world, domains) for v in domains]
        return any(found) if formula.some else all(found)
    found = [is_true(part, world, domains) for part in formula.parts]
    return all(found) if isinstance(formula, And) else any(found)


def score(program, world, constants):
    """The sum of weights of true groundings; −∞ if a hard rule is broken. All variables have the same constants."""
    total = 0.0
    for rule in program.rules:
        names = free_variables(rule.formula)
        for values in itertools.product(constants, repeat=len(names)):
            if is_true(substituted(rule.formula, dict(zip(names, values))), world, constants):
                total += rule.weight or 0.0
            elif rule.weight is None:
                return -math.inf
    return total


def probabilities(program, constants, arity, known):
    """The probability of every unknown atom, and the highest score, over all worlds that agree with what is known."""
    atoms = [
        f"{predicate}({', '.join(values)})"
        for predicate, n in arity.items()
        for values in itertools.product(constants, repeat=n)
    ]
    unknown = [atom for atom in atoms if atom not in known]
    sums, total, best = dict.fromkeys(unknown, 0.0), 0.0, -math.inf
    for truth in itertools.product([False, True], repeat=len(unknown)):
        world = {atom for atom, value in zip(unknown, truth) if value} | {atom for atom, v in known.items() if v}
        found = score(program, world, constants)
        best = max(best, found)
        weight = math.exp(found)
        total += weight
        for atom, value in zip(unknown, truth):
            sums[atom] += weight * value
    return {atom: value / total for atom, value in sums.items()}, best
