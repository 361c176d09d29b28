from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import headlines as oracle

from driftline.analysis.headlines.linkage import npmi, similarities, stories_of


@pytest.fixture
def words():
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 4, 400)
    have = rng.random((400, 14)) < np.where(topic[:, None] == np.arange(14) % 4, 0.4, 0.04)
    curves = np.abs(rng.normal(1, 0.1, (14, 30)) + 3 * np.sin(np.linspace(0, 6, 30) + (np.arange(14) % 4)[:, None]))
    return curves, sp.csr_array(have.astype(np.float64))


@pytest.mark.parametrize("least", [0.1, 0.3, 0.4, 0.7])
def test_groups_are_those_of_plain_average_linkage(words, least):
    found = stories_of(*words, least)
    wanted = oracle.average_linkage(similarities(*words), least)
    assert sorted(group.tolist() for group in found) == wanted
    assert [group[0] for group in found] == sorted(group[0] for group in found)


def test_shared_documents_are_counted_as_sets_would(words):
    have = words[1].toarray()
    documents = [set(np.flatnonzero(row)) for row in have]
    value = npmi(words[1])
    for a in range(4):
        for b in range(5, 9):
            assert value[a, b] == pytest.approx(oracle.npmi(documents, a, b))


def test_words_of_one_time_that_never_meet_stay_apart():
    curves = np.array([[1.0, 9, 1, 1], [1, 9, 1, 1]])
    apart = sp.csr_array(np.array([[1, 0], [0, 1], [1, 0], [0, 1]]))
    assert len(stories_of(curves, apart)) == 2


def test_none_and_one():
    assert stories_of(np.zeros((0, 5)), sp.csr_array((3, 0))) == []
    assert [group.tolist() for group in stories_of(np.ones((1, 5)), sp.csr_array(np.ones((3, 1))))] == [[0]]
