from __future__ import annotations

import numpy as np
import pytest

from driftline.guidance.word_wishes import joined_groups
from driftline.inference.guide_arrays import WordGroups
from driftline.inference.word_maps import mapped_counts, mapped_rows, profile_overlap
from tests.oracles import guidance as oracle

NO_PAIRS = np.empty((0, 2), dtype=np.int64)


@pytest.mark.parametrize("strength", [1.0, 100.0, 1e6])
def test_words_that_belong_together_equal_the_oracle(strength):
    rng = np.random.default_rng(0)
    counts, said = rng.gamma(1.0, 5.0, (5, 4)), rng.gamma(2.0, 10.0, 9)
    groups = WordGroups((np.array([1, 4]), np.array([2, 6, 7])), NO_PAIRS, strength, said)
    assert mapped_rows(groups).tolist() == [1, 2, 4, 6, 7]
    found = mapped_counts(counts, groups)
    np.testing.assert_allclose(found[[0, 2]], oracle.together(counts[[0, 2]], said[[1, 4]], strength))
    np.testing.assert_allclose(found[[1, 3, 4]], oracle.together(counts[[1, 3, 4]], said[[2, 6, 7]], strength))
    np.testing.assert_allclose(
        found[[0, 2]].sum(axis=0), counts[[0, 2]].sum(axis=0), err_msg="the group keeps its count"
    )


def test_words_apart_equal_the_oracle():
    rng = np.random.default_rng(1)
    counts = rng.gamma(1.0, 5.0, (2, 4))
    groups = WordGroups((), np.array([[3, 8]]), 1.0, np.ones(9))
    np.testing.assert_allclose(mapped_counts(counts, groups), oracle.apart(*counts))
    settled = counts
    for _ in range(200):
        settled = mapped_counts(settled, groups)
        settled *= counts.sum(axis=1, keepdims=True) / settled.sum(axis=1, keepdims=True)
    assert profile_overlap(settled) < 1e-3


def test_together_is_transitive():
    assert [group.tolist() for group in joined_groups([[1, 2], [7, 8], [2, 9], [9, 3]])] == [[1, 2, 3, 9], [7, 8]]
