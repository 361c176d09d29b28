r"""Tags of a sentence under rules: the sequence that maximises its score less the cost of the rules that it breaks.

.. math:: \max_y \; \sum_t \theta_{t y_t} + \sum_t v_{y_{t-1} y_t} - \sum_r \rho_r\, n_r(y) \qquad (1)

:math:`n_r` is the number of times that rule r is broken. Rules about single tokens and about pairs of neighbours change
:math:`\theta` and v, and Viterbi's recursion solves (1). A rule about the number of tags in the sentence does not:
if the sequence without such rules breaks none of them, it is the solution; otherwise (1) is an integer program

.. math:: \max \; \theta \cdot x + v \cdot z - \rho \cdot b, \qquad \textstyle\sum_s x_{ts} = 1, \quad
    \sum_s z_{tsu} = x_{tu}, \quad \sum_u z_{tsu} = x_{t-1,s}, \quad
    l_r - b_r \le \sum_t \sum_{s \in r} x_{ts} \le u_r + b_r, \qquad (2)

in which x are indicators of tags, z of pairs of neighbours, and b are the violations; HiGHS solves it. Tags and pairs
are left out of (2) if the best sequence through them, without the rules, scores less than a sequence that is known:
the best of those that Viterbi's recursion finds with increasing additions to the scores of tags that are too rare.

A rule without a cost is hard: its cost is larger than any difference of scores, so it is broken only if it cannot be
satisfied, and then as rarely as possible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.inference.forward_backward import MarkovChain, best_path

FIRST_SHIFT, MOST_SHIFTS = 0.5, 24
"""First addition to the scores of tags that are too rare, and the number of times it is doubled."""
NEARLY = 1e-9
"""Relative rounding error of scores."""
UNLIMITED = 2**31 - 1
"""The upper bound of a rule that has none."""


class Penalty(NamedTuple):
    """Costs and numbers of broken hard rules, for tokens × tags, first tags, or tags × tags."""

    soft: Floats
    hard: Floats

    @classmethod
    def none(cls, *shape: int) -> Penalty:
        """Return no penalty."""
        return cls(np.zeros(shape), np.zeros(shape))

    def total(self, hard_cost: float) -> Floats:
        """Return the total costs if every hard rule has this cost."""
        found: Floats = self.soft + hard_cost * self.hard
        return found


class CountRule(NamedTuple):
    """The number of tokens with one of some tags lies between `low` and `high`; a cost of ∞ makes it hard."""

    counted: Bools
    low: int
    high: int
    cost: float

    def broken(self, states: Ints) -> int:
        """Return the amount by which a sequence violates the bounds."""
        n = int(self.counted[states].sum())
        return max(self.low - n, 0) + max(n - self.high, 0)


class ChainProblem(NamedTuple):
    """Problem (1) of one sentence: θ (tokens × tags), of the first tag, v, and rules about numbers of tags."""

    scores: Floats
    first: Floats
    transition: Floats
    counts: tuple[CountRule, ...] = ()

    def score(self, states: Ints) -> float:
        """Return the objective of (1)."""
        if not len(states):
            return -sum(rule.cost * rule.broken(states) for rule in self.counts)
        total = float(self.scores[np.arange(len(states)), states].sum() + self.first[states[0]])
        total += float(self.transition[states[:-1], states[1:]].sum())
        return total - sum(rule.cost * rule.broken(states) for rule in self.counts)


def under_rules(
    model: ChainProblem, tokens: Penalty, first: Penalty, transition: Penalty, counts: tuple[CountRule, ...]
) -> ChainProblem:
    """Return the problem of a sentence with the costs of rules; hard ones cost more than any difference of scores."""
    n = len(model.scores)
    differences = [_range(row - soft) for row, soft in zip(model.scores, tokens.soft)]
    differences += [_range(model.first - first.soft), max(n - 1, 0) * _range(model.transition - transition.soft)]
    differences += [rule.cost * max(n, rule.low) for rule in counts if rule.cost < np.inf]
    hard = 1.0 + sum(differences)
    return ChainProblem(
        model.scores - tokens.total(hard),
        model.first - first.total(hard),
        model.transition - transition.total(hard),
        tuple(rule._replace(cost=min(rule.cost, hard)) for rule in counts),
    )


def _range(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.max() - finite.min()) if len(finite) else 0.0


def best_tags(problem: ChainProblem) -> Ints:
    """Return the solution of (1): by Viterbi's recursion if it is one, otherwise by an integer program.

    >>> scores = np.array([[2.0, 0.0], [1.0, 0.0]])
    >>> free = ChainProblem(scores, np.zeros(2), np.zeros((2, 2)))
    >>> best_tags(free)
    array([0, 0])
    >>> best_tags(free._replace(counts=(CountRule(np.array([False, True]), 1, 2, 5.0),)))
    array([0, 1])
    """
    states = viterbi_tags(problem)
    if not any(rule.broken(states) for rule in problem.counts):
        return states
    return program_tags(problem)


def viterbi_tags(problem: ChainProblem) -> Ints:
    """Return the best tags without the rules about numbers of tags."""
    n = len(problem.scores)
    if not n:
        return np.empty(0, dtype=np.int64)
    return best_path(MarkovChain(problem.first, problem.transition, logs=True), problem.scores, n).states


def known_score(problem: ChainProblem) -> float:
    """Return the score of a good sequence, found by increasing bonuses or penalties for the tags of broken rules."""
    shifts, best = np.zeros(len(problem.counts)), -np.inf
    for _ in range(MOST_SHIFTS):
        change = sum((shift * rule.counted for shift, rule in zip(shifts, problem.counts)), np.zeros(1))
        states = viterbi_tags(problem._replace(scores=problem.scores + change))
        best = max(best, problem.score(states))
        broken = np.array([rule.broken(states) > 0 for rule in problem.counts])
        if not broken.any():
            break
        numbers = np.array([rule.counted[states].sum() for rule in problem.counts])
        signs = np.where(numbers < [rule.low for rule in problem.counts], 1.0, -1.0)
        shifts = np.where(broken, np.where(shifts * signs > 0, 2 * shifts, signs * FIRST_SHIFT), shifts)
    return best


def through_scores(problem: ChainProblem) -> tuple[Floats, Floats]:
    """Return the best score of a sequence through every tag (steps × tags) and pair (steps − 1 × tags × tags)."""
    n = len(problem.scores)
    before, after = problem.scores.copy(), np.zeros_like(problem.scores)
    before[0] += problem.first
    for t in range(1, n):
        before[t] += (before[t - 1][:, None] + problem.transition).max(axis=0)
    for t in range(n - 2, -1, -1):
        after[t] = (problem.transition + problem.scores[t + 1] + after[t + 1]).max(axis=1)
    pairs = before[:-1, :, None] + problem.transition + (problem.scores + after)[1:, None, :]
    return before + after, pairs


def program_tags(problem: ChainProblem, *, prune: bool = True) -> Ints:
    """Return the solution of (1) by the integer program (2); `prune` omits impossible tags and pairs."""
    n, n_tags = problem.scores.shape
    if not n:
        return np.empty(0, dtype=np.int64)
    n_x, n_z, n_b = n * n_tags, (n - 1) * n_tags**2, len(problem.counts)
    gains = np.concatenate(
        [
            (problem.scores + np.vstack([problem.first, np.zeros((n - 1, n_tags))])).ravel(),
            np.tile(problem.transition.ravel(), n - 1),
            [-rule.cost for rule in problem.counts],
        ]
    )
    kept = gains > -np.inf
    if prune:
        least = known_score(problem)
        least -= NEARLY * (1 + abs(least))
        kept &= np.concatenate([*(part.ravel() >= least for part in through_scores(problem)), np.ones(n_b, dtype=bool)])
    upper = np.concatenate([np.ones(n_x + n_z), np.full(n_b, np.inf)])[kept]
    whole = np.concatenate([np.ones(n_x), np.zeros(n_z + n_b)])[kept]
    constraints = [LinearConstraint(_flow(n, n_tags, n_b)[:, kept], *_flow_bounds(n, n_tags))]
    if n_b:
        tags = sp.csr_array(np.array([np.tile(rule.counted, n) for rule in problem.counts], dtype=np.float64))
        below, above = (
            sp.hstack([tags, sp.csr_array((n_b, n_z)), sign * sp.eye_array(n_b)], format="csr")[:, kept]
            for sign in (1.0, -1.0)
        )
        low = np.array([rule.low for rule in problem.counts], dtype=np.float64)
        high = np.array([rule.high if rule.high < UNLIMITED else np.inf for rule in problem.counts])
        constraints += [LinearConstraint(below, low, np.inf), LinearConstraint(above, -np.inf, high)]
    done = milp(
        -gains[kept],
        constraints=constraints,
        bounds=Bounds(np.zeros(len(upper)), upper),
        integrality=whole,
        options={"mip_rel_gap": 0.0},
    )
    if done.x is None:
        raise InvalidInput(f"no sequence of tags is possible for a sentence of {n} tokens ({done.message})")
    chosen = np.zeros(len(gains))
    chosen[kept] = done.x
    found: Ints = chosen[:n_x].reshape(n, n_tags).argmax(axis=1)
    return found


def _flow(n: int, n_tags: int, n_b: int) -> sp.csr_array:
    """Return the equations of (2): one tag per token, and pairs that agree with the tags of both."""
    one, ones = sp.eye_array(n_tags), np.ones((1, n_tags))
    steps = n - 1
    tags = sp.kron(sp.eye_array(n), ones)
    behind = sp.hstack([sp.csr_array((steps * n_tags, n_tags)), sp.eye_array(steps * n_tags)])
    ahead = sp.hstack([sp.eye_array(steps * n_tags), sp.csr_array((steps * n_tags, n_tags))])
    into = sp.kron(sp.eye_array(steps), sp.kron(ones, one))
    out = sp.kron(sp.eye_array(steps), sp.kron(one, ones))
    blocks = [[tags, None], [-behind, into], [-ahead, out]] if steps else [[tags]]
    flow = sp.block_array(blocks, format="csr")
    return sp.csr_array(sp.hstack([flow, sp.csr_array((flow.shape[0], n_b))], format="csr"))


def _flow_bounds(n: int, n_tags: int) -> tuple[Floats, Floats]:
    right: Floats = np.concatenate([np.ones(n), np.zeros(2 * (n - 1) * n_tags)])
    return right, right
