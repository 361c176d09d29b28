from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.streams.units import units_of
from driftline.topics import TopicMap, topics_over_time
from driftline.topics.resampled_refits import refitted_topics


def test_refits_keep_the_order_of_the_topics_and_may_find_fewer():
    """Eleven distinct documents are two topics; a resample has fewer distinct ones, and is one topic."""
    rng = np.random.default_rng(0)
    topics = np.kron(np.eye(2), np.full(6, 1 / 6))
    X = sp.csr_matrix(np.array([rng.multinomial(9, topics[i % 2]) for i in range(11)], dtype=float))
    model = TopicMap(2, random_state=0).fit(X)
    assert len(model.components_) == 2
    refits = list(refitted_topics(model, X, units_of(None, n=11, unit="document"), 6, 0))
    assert {refit.components.shape for refit in refits} == {(2, 12)}
    assert any((refit.components == model.components_).all(axis=1).any() for refit in refits), "one topic was not found"
    assert all(int(refit.weight.sum()) == 11 for refit in refits)


def test_a_map_with_embeddings_is_not_refitted_without_them():
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.multinomial(6, np.full(12, 1 / 12), 60).astype(float))
    model = TopicMap(2, random_state=0).fit(X, embeddings=rng.standard_normal((60, 3)))
    with pytest.raises(InvalidInput, match="fitted with embeddings"):
        topics_over_time(model, X, times=range(60), uncertainty="topics", n_refits=2)
