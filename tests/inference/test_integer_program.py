from __future__ import annotations

import numpy as np
import pytest

from driftline.inference import integer_program
from driftline.inference.integer_program import improve
from driftline.inference.message_passing import FactorGraph
from tests.inference.test_field_sampling import problem
from tests.oracles.factor_graphs import enumerated


@pytest.mark.parametrize("seed", range(4))
def test_the_best_states_are_found_and_proven(seed):
    unary, factors = problem(seed)
    factors[0][1][0, 0] = -np.inf
    best = enumerated(unary, factors)[4]
    graph = FactorGraph.of(unary, factors)
    solved = improve(graph, best - 3.0, time_limit=30.0)
    assert graph.score(solved.states) == pytest.approx(best)
    assert solved.proven
    nothing = improve(graph, best, time_limit=30.0)
    assert nothing.states is None
    assert nothing.proven


def test_large_programs_are_left_out(monkeypatch):
    monkeypatch.setattr(integer_program, "MOST_COLUMNS", 10)
    unary, factors = problem(0)
    assert improve(FactorGraph.of(unary, factors), 0.0, 1.0) == (None, False)
