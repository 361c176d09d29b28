from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.sequences.sequence_reading import learn_reading, with_tags


def test_unknown_words_are_not_observed():
    reading = learn_reading([[0, 2], [1]], "categorical", None, None, 0.1)
    assert (reading.n_numbers, reading.word_numbers) == (3, None)
    assert reading.problem([[0, 9, -1]], 2).rows.tolist() == [0, -1, -1]
    far = learn_reading([[5, 10**9]], "categorical", None, None, 0.1)
    assert far.problem([[10**9, 7]], 2).rows.tolist() == [1, -1]


def test_numbers_have_means_and_variances():
    assert learn_reading([[1.0, 2.0]], "gaussian", None, None, 0.1).n_numbers == 2
    assert learn_reading([[[1.0, 2.0]]], "gaussian", None, None, 0.1).n_numbers == 4
    assert learn_reading([[1, 2]], "poisson", None, None, 0.1).n_numbers == 1
    with pytest.raises(InvalidInput, match="are for words"):
        learn_reading([[1.0]], "gaussian", 5, None, 0.1)
    with pytest.raises(InvalidInput, match="has an observation"):
        learn_reading([[np.nan]], "gaussian", None, None, 0.1)
    with pytest.raises(InvalidInput, match="known word"):
        learn_reading([], "categorical", None, None, 0.1)


def test_tags_are_states():
    problem = learn_reading([[0, 1]], "categorical", None, None, 0.1).problem([[0, 1]], 5)
    tagged, names = with_tags(problem, [["b", None]], None)
    assert (tagged.n_states, tagged.known.tolist(), names.tolist()) == (1, [0, -1], ["b"])
    assert with_tags(problem, [[1, -1]], 3)[1].tolist() == [0, 1, 2]
    with pytest.raises(InvalidInput, match="no tag is known"):
        with_tags(problem, [None], None)
    with pytest.raises(InvalidInput, match="n_states=2"):
        with_tags(problem, [["a", None]], 2)
