from __future__ import annotations

import math

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.topics import topic_ladder
from tests.topics.test_topic_map import documents


def test_the_true_number_predicts_best_and_agrees():
    X, _, _, _ = documents(500)
    few, true = topic_ladder(X, (2, 6), random_state=0)
    assert (few.n_topics, true.n_topics) == (2, 6)
    assert true.nats > few.nats + 0.2
    assert true.agreement > 0.9
    assert true.n_found == 6
    assert topic_ladder(X, (2,), random_state=0) == [few], "a seed gives the same steps"


def test_nothing_to_validate():
    step = topic_ladder(np.eye(30), (2,), random_state=0)[0]
    assert math.isnan(step.nats)


def test_one_seed_cannot_agree():
    with pytest.raises(InvalidInput, match="at least 2 seeds"):
        topic_ladder(np.ones((4, 4)), n_seeds=1)
