from __future__ import annotations

import numpy as np
import pytest
from tests.topics.corpora import drawn

from driftline.core.errors import InvalidInput
from driftline.evaluation.coherence import coherence


def test_npmi_by_hand():
    X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [3, 2, 0]])
    together, a, b = 2 / 4, 3 / 4, 3 / 4
    expected = np.log(together / (a * b)) / -np.log(together)
    assert coherence(np.array([[0.6, 0.4, 0.0]]), X, n_words=2)[0] == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["npmi", "c_v"])
def test_true_topics_are_more_coherent_than_mixed_ones(measure):
    X, truth = drawn(600, 100, 4, 30)
    rng = np.random.default_rng(0)
    mixed = truth[:, rng.permutation(100)]
    assert coherence(truth, X, measure=measure).mean() > coherence(mixed, X, measure=measure).mean() + 0.04


def test_words_that_never_occur_and_bad_arguments():
    X = np.array([[1, 1, 0], [1, 1, 0]])
    assert coherence(np.array([[0.5, 0.0, 0.5]]), X, n_words=2)[0] == -1
    assert np.isfinite(coherence(np.array([[0.5, 0.0, 0.5]]), X, n_words=2, measure="c_v")).all()
    for arguments in ({"measure": "u_mass"}, {"n_words": 1}):
        with pytest.raises(InvalidInput):
            coherence(np.ones((1, 3)), X, **arguments)
    with pytest.raises(InvalidInput, match="shape"):
        coherence(np.ones((1, 4)), X)
    with pytest.raises(InvalidInput, match="no document"):
        coherence(np.ones((1, 3)), X[:0])
