"""Where words start under a guide or with seeds."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.inference.guide_arrays import WordStart
from driftline.inference.guided_start import start_seeds, start_words


def test_seeds_divide_all_uses_of_a_word_by_their_weights():
    counts = np.full((3, 2), 3.0)
    start_seeds(counts, np.array([6.0, 8.0, 1.0]), {1: np.array([1.0, 3.0]), 2: np.array([5.0, 0.0])})
    np.testing.assert_array_equal(counts, [[3, 3], [2, 6], [1, 0]])


def test_words_start_in_their_topics_and_the_rest_in_the_open_ones():
    said = np.array([10.0, 4.0, 6.0])
    counts = np.array([[2.0, 3.0, 5.0], [1.0, 1.0, 2.0], [2.0, 2.0, 2.0]])
    placed = np.array([[0, 0, 0], [9.0, 9.0, 9.0], [4.0, 0, 0], [9.0, 0, 0]])  # of columns 0 … 3
    start = WordStart(sp.csr_array(placed), np.array([False, True, True]))
    start_words(counts, said, start, np.array([0, 2, 3]))
    np.testing.assert_allclose(counts[0], [0, 3.75, 6.25])  # all of it, in the proportions of before
    np.testing.assert_allclose(counts[1], [4, 0, 0])  # nothing is left
    np.testing.assert_allclose(counts[2], [9, 0, 0])  # more than all, and nothing negative
    np.testing.assert_allclose(counts.sum(axis=1)[:2], said[:2])


def test_a_word_without_any_open_topic_keeps_what_the_guide_says():
    counts = np.array([[5.0, 0.0]])
    start_words(counts, np.array([5.0]), WordStart(sp.csr_array([[2.0, 0.0]]), np.array([False, True])), np.array([0]))
    np.testing.assert_array_equal(counts, [[2, 0]])
