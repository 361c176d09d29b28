from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.oracles import bayes as oracle

from driftline.core.errors import InvalidInput
from driftline.graphs.bayes.structure import Structure


def random_structure(seed, n=6, share=0.4):
    rng = np.random.default_rng(seed)
    return Structure.of({f"v{i}": [f"v{j}" for j in range(i) if rng.random() < share] for i in range(n)})


@pytest.mark.parametrize("seed", range(6))
def test_d_separation_is_that_of_all_paths(seed):
    structure = random_structure(seed)
    for one, other in itertools.permutations(range(6), 2):
        rest = [v for v in range(6) if v not in (one, other)]
        for size in range(4):
            for given in itertools.combinations(rest, size):
                wanted = oracle.d_separated(structure.parents, one, other, given)
                assert (other not in structure.reached([one], given)) == wanted


def test_parents_come_first():
    structure = Structure.of([("b", "c"), ("a", "b"), "alone"])
    assert structure.names.index("a") < structure.names.index("b") < structure.names.index("c")
    assert structure.parents[structure.number("alone")] == ()
    assert structure.ancestors([structure.number("b")]) == {structure.number("a"), structure.number("b")}


def test_a_cycle_is_named():
    with pytest.raises(InvalidInput, match=r"a → b → c → a|b → c → a → b|c → a → b → c"):
        Structure.of([("a", "b"), ("b", "c"), ("c", "a"), ("x", "a")])
    with pytest.raises(InvalidInput, match="a → a"):
        Structure.of({"a": ["a"]})


@pytest.mark.parametrize("given", [{}, [], [("a", "b", "c")], [7], {"a": [7]}, {"a": ["b", "b"]}, [("", "a")]])
def test_unusable_structures_are_refused(given):
    with pytest.raises(InvalidInput):
        Structure.of(given)


def test_unknown_variables_are_named():
    with pytest.raises(InvalidInput, match="'z'"):
        Structure.of({"a": ["b"]}).number("z")
