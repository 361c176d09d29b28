from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.evaluation.diversity import topic_diversity


def test_between_all_alike_and_all_different():
    assert topic_diversity(np.eye(4), n_words=1) == 1.0
    assert topic_diversity(np.tile([0.7, 0.2, 0.1, 0.0], (4, 1)), n_words=2) == 0.25
    assert topic_diversity(np.ones((2, 3)), n_words=50) == 0.5
    for bad, n in ((np.ones(3), 1), (np.ones((2, 2)), 0)):
        with pytest.raises(InvalidInput):
            topic_diversity(bad, n_words=n)
