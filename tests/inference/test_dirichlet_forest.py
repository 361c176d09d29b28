from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.inference import dirichlet_forest
from driftline.inference.dirichlet_forest import forest_of, forest_shares, largest_sets, set_weights, vertex_counts
from driftline.inference.guide_arrays import WordGroups
from tests.oracles.forest import log_evidence, share_of, tree_of

SAID = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 2.0])
TOGETHER = ((0, 1),)
SETS = [((0, 1), (4,)), ((3,), (4,))]
"""Words 0 and 1 belong together and are apart from 3; 4 is apart from 5."""
BETA, ETA = 0.3, 20.0


def groups(apart, together=TOGETHER, eta=ETA):
    pairs = np.array(apart, dtype=np.int64).reshape(-1, 2)
    return WordGroups(tuple(np.array(group) for group in together), pairs, eta, SAID)


def trees(sets):
    return [tree_of(range(6), TOGETHER, sets, q, BETA, ETA, SAID) for q in range(max(len(sets), 1))]


@pytest.mark.parametrize("apart", [[], [(0, 3), (1, 3)], [(0, 3), (1, 3), (3, 4)]])
def test_shares_are_ratios_of_evidences(apart):
    rng = np.random.default_rng(0)
    forest = forest_of(groups(apart), 6, BETA)
    sets = (
        [
            [tuple(np.flatnonzero(forest.vertex == v).tolist()) for v in forest.components[0].vertices[one]]
            for one in forest.components[0].sets
        ]
        if apart
        else []
    )
    counts = rng.integers(0, 5, (6, 3)).astype(float)
    for q, tree in enumerate(trees(sets)):
        chosen = np.ones((len(forest.sizes), 3), dtype=bool)
        if apart:
            chosen[forest.components[0].vertices] = forest.components[0].sets[q][:, None]
        found = forest_shares(counts, chosen, forest)
        np.testing.assert_allclose(found.sum(axis=0), 1.0)
        for k in range(3):
            own = dict(enumerate(counts[:, k].tolist()))
            expected = [share_of(w, own, tree) for w in range(6)]
            np.testing.assert_allclose(found[:, k], expected)


def test_weights_of_sets_are_evidences():
    forest = forest_of(groups([(0, 3), (1, 3), (3, 4)]), 6, BETA)
    component = forest.components[0]
    sets = [
        [tuple(np.flatnonzero(forest.vertex == v).tolist()) for v in component.vertices[one]] for one in component.sets
    ]
    counts = np.random.default_rng(1).integers(0, 9, (6, 2)).astype(float)
    found = set_weights(component, vertex_counts(counts, forest), forest)
    for k in range(2):
        own = dict(enumerate(counts[:, k].tolist()))
        expected = [
            np.log(BETA * sum(map(len, one))) + log_evidence(tree, own)[0] for one, tree in zip(sets, trees(sets))
        ]
        np.testing.assert_allclose(np.diff(found[:, k]), np.diff(expected))


def test_components_and_their_sets():
    forest = forest_of(groups([(0, 3), (1, 3), (4, 5)]), 6, BETA)
    assert [component.vertices.tolist() for component in forest.components] == [[0, 1], [2, 3]]
    assert forest.vertex.tolist() == [0, 0, -1, 1, 2, 3]
    assert forest.in_component.tolist() == [0, 0, 1, 1]
    assert largest_sets([0, 1, 2, 3], [{1}, {0, 2}, {1, 3}, {2}]) == [{0, 2}, {0, 3}, {1, 3}]


def test_too_many_sets_are_an_error(monkeypatch):
    monkeypatch.setattr(dirichlet_forest, "MOST_SETS", 3)
    with pytest.raises(InvalidInput, match="more than 3 ways"):
        largest_sets(list(range(6)), [{1}, {0}, {3}, {2}, {5}, {4}])


class Counted(list):
    """A list that counts how often it is read."""

    n_read = 0

    def __getitem__(self, number):
        self.n_read += 1
        return super().__getitem__(number)


def test_a_word_apart_from_many_others_is_not_a_search_of_all_their_subsets():
    n = 20
    barred = Counted([set(range(1, n + 1)), *({0} for _ in range(n))])
    assert largest_sets(list(range(n + 1)), barred) == [{0}, set(range(1, n + 1))]
    assert barred.n_read < 1_000
    n = 1_500
    assert len(largest_sets(list(range(n + 1)), [set(range(1, n + 1)), *({0} for _ in range(n))])) == 2


@pytest.mark.parametrize("seed", range(5))
def test_largest_sets_are_those_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    barred = [set() for _ in range(8)]
    for i, j in rng.integers(0, 8, (9, 2)).tolist():
        if i != j:
            barred[i].add(j)
            barred[j].add(i)
    possible = [set(np.flatnonzero(row).tolist()) for row in np.ndindex(*[2] * 8)]
    possible = [one for one in possible if not any(barred[v] & one for v in one)]
    wanted = [one for one in possible if not any(one < other for other in possible)]
    assert largest_sets(list(range(8)), barred) == sorted(wanted, key=sorted)
