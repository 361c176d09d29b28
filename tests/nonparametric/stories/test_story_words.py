"""Words of stories when stories are merged and split."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.nonparametric.stories.story_words import StoryWords

ROWS = np.array([[2.0, 0, 1, 0], [0, 3, 1, 0], [1, 0, 0, 4]])


def test_a_merged_row_is_the_sum_of_two():
    found = StoryWords.of(sp.csr_matrix(ROWS)).merged(0, 2).matrix()
    assert found.toarray().tolist() == [[3, 0, 1, 4], [0, 3, 1, 0], [1, 0, 0, 4]]
    assert found.has_sorted_indices


def test_a_part_is_removed_and_becomes_the_last_row():
    found = StoryWords.of(sp.csr_matrix(ROWS)).parted(2, sp.csr_matrix([[1.0, 0, 0, 3]]))
    assert found.matrix().toarray().tolist() == [[2, 0, 1, 0], [0, 3, 1, 0], [0, 0, 0, 1], [1, 0, 0, 3]]
    assert (found.amounts > 0).all()


def test_columns_of_a_matrix_are_sorted():
    unsorted = sp.csr_matrix((np.array([1.0, 2.0]), np.array([2, 0]), np.array([0, 2])), shape=(1, 3))
    assert StoryWords.of(unsorted).columns.tolist() == [0, 2]
