from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.oracles import logic as oracle

from driftline.core.errors import InvalidInput
from driftline.graphs.logic.domains import Atoms, domains_of, evidence_of, truth_of
from driftline.graphs.logic.rule_grounding import ground
from driftline.graphs.logic.rule_parser import parse_rules

RULES = """thing = {P, Q, R}
L(thing, thing)
H(thing)
0.5 L(x, y) ^ L(y, x) ^ H(x) => H(y)
-0.7 L(x, x) ^ H(x)
0.3 H(x) v x = P
L(x, y) => !H(y) v H(x).
"""


@pytest.mark.parametrize("closed", [frozenset(), frozenset({"L"})])
def test_scores_of_all_worlds_are_those_of_the_rules(closed):
    program = parse_rules(RULES)
    links = ["L(P, Q)", "L(Q, P)", "L(Q, Q)"]
    known = {f"L({a}, {b})": f"L({a}, {b})" in links for a, b in itertools.product("PQR", repeat=2)}
    given = evidence_of(links if closed else known)
    domains = domains_of(program, given)
    atoms = Atoms.of(domains.arguments)
    truth = truth_of(atoms, given, closed)
    weights = [rule.weight for rule in program.rules]
    found = ground(program, domains, atoms, truth, weights, closed, 10_000)
    names = atoms.names(found.unknown)
    assert names == ["H(P)", "H(Q)", "H(R)"]
    for world in itertools.product([0, 1], repeat=3):
        true = {name for name, value in zip(names, world) if value} | set(links)
        assert found.network.score(np.array(world)) == pytest.approx(oracle.score(program, true, list("PQR")))


def test_rules_beyond_the_limit_are_named():
    program = parse_rules(RULES)
    domains = domains_of(program, [])
    atoms = Atoms.of(domains.arguments)
    with pytest.raises(InvalidInput, match="line 4"):
        ground(program, domains, atoms, truth_of(atoms, {}, []), [1.0] * 4, frozenset(), 8)
