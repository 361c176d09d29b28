from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.graphs.bayes.test_structure import random_structure
from tests.oracles import bayes as oracle

from driftline.core.errors import InvalidInput
from driftline.graphs.bayes.family_counts import (
    begin,
    count_families,
    distinct_rows,
    expect,
    family_sizes,
    maximise,
    normalised,
    posterior,
)


def problem(seed, missing=0.3, n=4, prior=0.5):
    rng = np.random.default_rng(seed)
    structure = random_structure(seed, n)
    sizes = tuple(rng.integers(2, 4, n).tolist())
    codes = np.column_stack([rng.integers(0, size, 12) for size in sizes])
    codes[rng.random(codes.shape) < missing] = -1
    return distinct_rows(structure, sizes, codes, prior)


@pytest.mark.parametrize("seed", range(4))
def test_expected_counts_and_evidence_are_those_of_all_completions(seed):
    rows = problem(seed)
    tables = begin(rows, np.random.default_rng(seed))
    joint = oracle.joint(rows.parents, tables)
    wanted = [np.zeros(family_sizes(rows, v)) for v in range(4)]
    evidence = 0.0
    for row, count in zip(rows.codes, rows.counts):
        fits = [
            states
            for states in itertools.product(*map(range, rows.sizes))
            if all(known < 0 or known == state for known, state in zip(row, states))
        ]
        total = sum(joint[states] for states in fits)
        evidence += count * np.log(total)
        for states in fits:
            for v, above in enumerate(rows.parents):
                wanted[v][(*(states[one] for one in above), states[v])] += count * joint[states] / total
    sums, objective = expect(tables, rows, np.random.default_rng(0))
    for got, right in zip(sums, wanted):
        np.testing.assert_allclose(got, right, atol=1e-10)
    prior = sum(rows.prior * np.log(table).sum() for table in tables)
    assert objective == pytest.approx(evidence + prior)


def test_every_step_increases_the_objective():
    rows = problem(5, missing=0.5)
    tables, before = begin(rows, np.random.default_rng(0)), -np.inf
    for _ in range(15):
        sums, objective = expect(tables, rows, np.random.default_rng(0))
        assert objective >= before - 1e-9
        tables, before = maximise(sums, tables, rows), objective


def test_counts_are_weighted_rows():
    rows = distinct_rows(random_structure(0, 2, 1.0), (2, 2), np.array([[0, 1], [0, 1], [1, 0], [1, -1]]), 0.0)
    assert count_families(rows, 1).tolist() == [[0.0, 2.0], [1.0, 0.0]]
    assert count_families(rows, 0).tolist() == [2.0, 2.0]


def test_parents_that_never_occur_give_equal_shares():
    assert normalised(np.array([[0.0, 0.0], [1.0, 3.0]])).tolist() == [[0.5, 0.5], [0.25, 0.75]]


def test_impossible_rows_are_refused():
    logs = [np.array([0.0, -np.inf]), np.log(np.array([[0.5, 0.5], [0.5, 0.5]]))]
    with pytest.raises(InvalidInput, match="probability 0"):
        posterior(((), (0,)), (2, 2), logs, np.array([1, -1]))
