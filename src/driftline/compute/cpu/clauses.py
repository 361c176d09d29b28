"""Ground formulas as clauses: searches for worlds that satisfy much, and samples of worlds that satisfy all.

Formula f is the conjunction of the clauses ``formulas[f]`` to ``formulas[f + 1]``, clause c the disjunction of
``literals[clauses[c] : clauses[c + 1]]``; a literal is twice the number of an atom, plus one if it is negated.
``uses[starts[a] : starts[a + 1]]`` are the positions of the literals of atom a; `clause_of` contains the clause of
every position, `formula_of` the formula of every clause. A formula that does not count has the cost 0.
"""

import math

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def _count(world, formulas, clauses, literals, n_true, n_broken):
    """Count the true literals of every clause and the broken clauses of every formula."""
    for f in range(len(formulas) - 1):
        n_broken[f] = 0
        for c in range(formulas[f], formulas[f + 1]):
            n_true[c] = 0
            for i in range(clauses[c], clauses[c + 1]):
                n_true[c] += world[literals[i] // 2] != literals[i] % 2
            n_broken[f] += n_true[c] == 0


@njit(cache=True, nogil=True)
def _flip(atom, n_listed, search):
    """Change one atom; keep the list of broken clauses of formulas with a cost, and return the change of cost."""
    world, costs, literals, starts, uses, clause_of, formula_of, n_true, n_broken, broken, where = search
    change = 0.0
    world[atom] = 1 - world[atom]
    for k in range(starts[atom], starts[atom + 1]):
        place = uses[k]
        c = clause_of[place]
        f = formula_of[c]
        if world[atom] != literals[place] % 2:
            n_true[c] += 1
            if n_true[c] == 1:
                n_broken[f] -= 1
                if costs[f] > 0.0:
                    change -= costs[f] if n_broken[f] == 0 else 0.0
                    n_listed -= 1
                    last = broken[n_listed]
                    broken[where[c]], where[last] = last, where[c]
        else:
            n_true[c] -= 1
            if n_true[c] == 0:
                n_broken[f] += 1
                if costs[f] > 0.0:
                    change += costs[f] if n_broken[f] == 1 else 0.0
                    broken[n_listed], where[c] = c, n_listed
                    n_listed += 1
    return change, n_listed


@njit(cache=True, nogil=True)
def _listed(costs, formulas, n_true, broken, where):
    """List the broken clauses of formulas with a cost; return their number and the cost of all broken formulas."""
    n_listed, cost = 0, 0.0
    for f in range(len(formulas) - 1):
        is_broken = False
        for c in range(formulas[f], formulas[f + 1]):
            if costs[f] > 0.0 and n_true[c] == 0:
                broken[n_listed], where[c] = c, n_listed
                n_listed += 1
                is_broken = True
        cost += costs[f] if is_broken else 0.0
    return n_listed, cost


@njit(cache=True, nogil=True)
def walk(rng, world, costs, n_flips, noise, formulas, clauses, literals, starts, uses, clause_of, formula_of):
    """MaxWalkSAT: repair a random broken clause, by a random atom or by the best one; return the lowest cost found.

    `world` becomes the world of that cost.
    """
    n_clauses, n_formulas = len(clauses) - 1, len(formulas) - 1
    n_true, n_broken = np.zeros(n_clauses, np.int64), np.zeros(n_formulas, np.int64)
    broken, where = np.zeros(n_clauses, np.int64), np.zeros(n_clauses, np.int64)
    _count(world, formulas, clauses, literals, n_true, n_broken)
    n_listed, cost = _listed(costs, formulas, n_true, broken, where)
    search = (world, costs, literals, starts, uses, clause_of, formula_of, n_true, n_broken, broken, where)
    best, best_world = cost, world.copy()
    for _ in range(n_flips):
        if n_listed == 0:
            break
        c = broken[int(rng.random() * (n_listed))]
        atom = literals[clauses[c] + int(rng.random() * (clauses[c + 1] - clauses[c]))] // 2
        if rng.random() >= noise:
            lowest = np.inf
            for i in range(clauses[c], clauses[c + 1]):
                one = literals[i] // 2
                change, n_listed = _flip(one, n_listed, search)
                _, n_listed = _flip(one, n_listed, search)
                if change < lowest:
                    lowest, atom = change, one
        change, n_listed = _flip(atom, n_listed, search)
        cost += change
        if cost < best - 1e-12:
            best = cost
            best_world[:] = world
    world[:] = best_world
    return best


@njit(cache=True, nogil=True)
def sample_sat(
    rng,
    world,
    required,
    n_flips,
    n_after,
    annealing,
    temperature,
    formulas,
    clauses,
    literals,
    starts,
    uses,
    clause_of,
    formula_of,
):
    """SampleSAT: a nearly uniform world that satisfies all required formulas (those with a positive number).

    A step is one of simulated annealing with probability `annealing`, otherwise one of WalkSAT. After the first
    solution `n_after` further steps are taken; without them, solutions that are easy to reach would be too frequent.
    Returns whether there was a solution; `world` is the last one.
    """
    n_clauses, n_formulas, n_atoms = len(clauses) - 1, len(formulas) - 1, len(world)
    n_true, n_broken = np.zeros(n_clauses, np.int64), np.zeros(n_formulas, np.int64)
    broken, where = np.zeros(n_clauses, np.int64), np.zeros(n_clauses, np.int64)
    _count(world, formulas, clauses, literals, n_true, n_broken)
    n_listed, _ = _listed(required, formulas, n_true, broken, where)
    search = (world, required, literals, starts, uses, clause_of, formula_of, n_true, n_broken, broken, where)
    solution, solved, left = world.copy(), n_listed == 0, n_flips
    if solved:
        left = n_after
    while left > 0:
        left -= 1
        if n_listed == 0 or rng.random() < annealing:
            atom, before = int(rng.random() * (n_atoms)), n_listed
            _, n_listed = _flip(atom, n_listed, search)
            if n_listed > before and rng.random() >= math.exp((before - n_listed) / temperature):
                _, n_listed = _flip(atom, n_listed, search)
        else:
            c = broken[int(rng.random() * (n_listed))]
            atom = literals[clauses[c] + int(rng.random() * (clauses[c + 1] - clauses[c]))] // 2
            if rng.random() >= 0.5:
                lowest = n_clauses + 1
                for i in range(clauses[c], clauses[c + 1]):
                    one = literals[i] // 2
                    _, n_listed = _flip(one, n_listed, search)
                    found = n_listed
                    _, n_listed = _flip(one, n_listed, search)
                    if found < lowest:
                        lowest, atom = found, one
            _, n_listed = _flip(atom, n_listed, search)
        if n_listed == 0:
            if not solved:
                solved, left = True, n_after
            solution[:] = world
    world[:] = solution
    return solved


@njit(cache=True, nogil=True)
def true_formulas(world, formulas, clauses, literals):
    """Return whether each formula is true."""
    found = np.ones(len(formulas) - 1, np.bool_)
    for f in range(len(formulas) - 1):
        for c in range(formulas[f], formulas[f + 1]):
            satisfied = False
            for i in range(clauses[c], clauses[c + 1]):
                satisfied = satisfied or world[literals[i] // 2] != literals[i] % 2
            found[f] = found[f] and satisfied
    return found
